/**
 * Looks for better values than the best known ones of the set, and writes what it finds into problems.json:
 *
 *   node bench/outside/best.mjs --evaluations 30000 --seeds 1-2 --names gear_train,welded_beam
 *
 * All searches by name are tried from the start and from the best point. With `--proven` proven values are looked at,
 * too, and never written: one that is beaten by more than rounding is an error of the table.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openBackend, openRun } from '../support/open-runs.mjs';
import { readTable } from './problem-set.mjs';

const SEARCHES = ['differential-evolution', 'cma-es', 'quasi-newton', 'nelder-mead', 'planner'];
/** Of the planner, which takes longer over an evaluation. */
const PLANNED = 1500;
const TABLE = new URL('problems.json', import.meta.url);

export const writeTable = (rows) =>
  writeFileSync(TABLE, `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`);

const numbersOf = (text) => {
  const [first, last = first] = text.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, k) => first + k);
};

async function improve(backend, { name, group, bounds, best }, { evaluations, seeds, searches }) {
  const code = readFileSync(new URL(`problems/${group}/${name}.py`, import.meta.url), 'utf8');
  let found = best ?? { value: Infinity, at: null };
  let from = '';
  const attempt = async (strategy, seed, initialSolution) => {
    const task = {
      bounds,
      strategy,
      seed,
      maxEvaluations: strategy === 'planner' ? PLANNED : evaluations,
      ...(initialSolution === null ? {} : { initialSolution }),
    };
    const outcome = await openRun(backend, {
      code,
      task,
      blackBox: strategy !== 'planner' && strategy !== 'penalty-sqp',
    });
    if (!(outcome.bestFitness < found.value)) return;
    found = { value: outcome.bestFitness, at: [...outcome.bestSolution], known: 'found' };
    from = `${strategy}${initialSolution === null ? '' : ' from the best'}, seed ${seed}`;
  };
  for (const seed of seeds) {
    for (const strategy of searches) await attempt(strategy, seed, null);
    for (const strategy of searches) await attempt(strategy, seed, found.at);
  }
  return { found, from };
}

const { values } = parseArgs({
  options: {
    evaluations: { type: 'string', default: '30000' },
    seeds: { type: 'string', default: '1' },
    searches: { type: 'string', default: SEARCHES.join() },
    names: { type: 'string' },
    groups: { type: 'string' },
    proven: { type: 'boolean', default: false },
  },
});
const names = values.names?.split(',');
const groups = values.groups?.split(',');
const options = {
  evaluations: Number(values.evaluations),
  seeds: numbersOf(values.seeds),
  searches: values.searches.split(','),
};
const rows = readTable();
const backend = await openBackend();
for (const row of rows) {
  if (names !== undefined && !names.includes(row.name)) continue;
  if (groups !== undefined && !groups.includes(row.group)) continue;
  if (row.best?.known === 'proven' && !values.proven) continue;
  const before = row.best?.value ?? Infinity;
  const start = performance.now();
  try {
    const { found, from } = await improve(backend, row, options);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    if (row.best?.known === 'proven') {
      const isBeaten = found.value < before - 1e-9 * Math.max(1, Math.abs(before));
      console.log(`${row.name}: ${before} proven, ${found.value} found (${seconds} s)${isBeaten ? ' BEATEN' : ''}`);
    } else {
      console.log(`${row.name}: ${before} -> ${found.value} (${from}, ${seconds} s)`);
      row.best = found;
      writeTable(rows);
    }
  } catch (error) {
    console.log(`${row.name}: ERROR ${error.message}`);
  }
}
await backend.close();
