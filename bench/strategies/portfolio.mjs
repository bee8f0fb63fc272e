/**
 * What the planner and every strategy reach on the BBOB functions, beside their goals and their public counterparts:
 * share of the 51 precision targets 1e2 .. 1e-8 within the budget (docs/guides/benchmarks.md), the program called and
 * never read, nothing learned.
 *
 *   node bench/strategies/portfolio.mjs --parts planner,noise --dims 2,5 --workers 2
 *
 * Runs are spread over threads; which figures come out does not depend on how many. Instances 1-5 are the measure; the
 * others were never looked at while building and show whether it was tuned to the first five.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { carryOutExperiment } from '../../dist/benchmarks/benchmark-experiment.js';
import { parseBudget } from '../../dist/benchmarks/notation.js';
import { readPeers, PEERS_FILE } from '../../dist/benchmarks/report/peers.js';
import { summarize } from '../../dist/benchmarks/report/statistics.js';
import { callingStrategies } from '../../dist/planner/all-strategies.js';

const PLANNER = 'planner';
const FUNCTIONS = Array.from({ length: 24 }, (_, k) => k + 1);
const MEASURED = [1, 2, 3, 4, 5];
const FRESH = [6, 7, 8, 9, 10];
const PLAIN = { suite: 'bbob', budget: '1000', mode: 'balanced', seed: 0, noise: 0, stretched: false };

/** Public counterpart of each strategy, by its name in the peers' file. */
const COUNTERPARTS = {
  'cma-es': 'pycma-BIPOP',
  'lq-cma-es': 'pycma-lq-CMA-ES',
  'quasi-newton': 'scipy-SLSQP-multistart',
  'trust-region': 'scipy-COBYQA-multistart',
  'nelder-mead': 'scipy-NelderMead-multistart',
  'differential-evolution': 'scipy-DE',
};

/** One line: a strategy, a dimension, the conditions; `goal` where there is one. */
const lines = {
  planner: () =>
    Object.entries({ 2: 0.85, 5: 0.68, 10: 0.51, 20: 0.29 }).map(([d, goal]) => line('planner', PLANNER, +d, goal)),
  fresh: () => [2, 5, 10, 20].map((d) => line('fresh', PLANNER, d, null, {}, FRESH)),
  long: () => [
    line('long', PLANNER, 5, 0.75, { budget: '2000D', mode: 'accurate' }),
    line('long', PLANNER, 10, 0.68, { budget: '2000D', mode: 'accurate' }),
  ],
  noise: () => [line('noise', PLANNER, 5, 0.57, { noise: 0.01 })],
  stretched: () =>
    Object.entries({ 2: 0.83, 5: 0.62, 10: 0.48, 20: 0.23 }).map(([d, goal]) =>
      line('stretched', PLANNER, +d, goal, { stretched: true }),
    ),
  members: () =>
    [2, 5, 10, 20].flatMap((d) =>
      callingStrategies.filter(({ name }) => name !== PLANNER).map(({ name }) => line('members', name, d, null)),
    ),
  'members-long': () => [5, 10].map((d) => line('members-long', 'cma-es', d, null, { budget: '2000D' })),
};

function line(part, strategy, dimension, goal, changes = {}, instances = MEASURED) {
  const conditions = { ...PLAIN, ...changes };
  return {
    part,
    strategy,
    dimension,
    goal,
    instances,
    conditions: { ...conditions, budget: parseBudget(conditions.budget) },
  };
}

/** Nothing is kept between two benches. */
function inMemory() {
  const records = new Map();
  return { find: (id) => records.get(id), add: (id, record) => void records.set(id, record) };
}

async function measureLine({ part, strategy, dimension, goal, instances, conditions }, workers) {
  const start = performance.now();
  const experiment = {
    strategies: [strategy],
    functions: FUNCTIONS,
    dimensions: [dimension],
    instances,
    repetitions: 1,
  };
  const runs = await carryOutExperiment({ ...experiment, conditions }, { folder: inMemory(), workers });
  const { fractionHit, standardError, area, solved } = summarize(runs);
  return {
    part,
    strategy,
    dimension,
    budget: runs[0].budget,
    instances: `${instances[0]}-${instances.at(-1)}`,
    fraction_hit: fractionHit,
    standard_error: standardError,
    goal,
    reached: goal === null ? null : fractionHit >= goal,
    area,
    solved,
    milliseconds_per_run: ((performance.now() - start) * workers) / runs.length,
  };
}

/** Adds the counterpart of each strategy, and whether ours is not below it by two standard errors of the difference. */
function withCounterparts(rows, peers) {
  return rows.map((row) => {
    const solver = row.part.startsWith('members') ? COUNTERPARTS[row.strategy] : undefined;
    const peer = peers.find((p) => p.solver === solver && p.dimension === row.dimension && p.budget === row.budget);
    const figures = peer?.groups.all;
    if (figures === undefined) return row;
    const spread = Math.hypot(row.standard_error ?? 0, figures.standardError ?? 0);
    return {
      ...row,
      counterpart: solver,
      counterpart_fraction_hit: figures.fractionHit,
      not_below: row.fraction_hit >= figures.fractionHit - 2 * spread,
    };
  });
}

/** The planner against the best single member of its portfolio, in each dimension. */
function againstMembers(rows) {
  return rows
    .filter((row) => row.part === 'planner')
    .flatMap(({ dimension, budget, instances, fraction_hit }) => {
      const members = rows.filter((row) => row.part === 'members' && row.dimension === dimension);
      if (members.length === 0) return [];
      const best = members.reduce((a, b) => (b.fraction_hit > a.fraction_hit ? b : a));
      return [
        {
          part: 'planner against its best member',
          strategy: PLANNER,
          dimension,
          budget,
          instances,
          fraction_hit,
          goal: best.fraction_hit,
          reached: fraction_hit >= best.fraction_hit,
          counterpart: best.strategy,
        },
      ];
    });
}

async function measure({ parts = Object.keys(lines), dims = null, workers = 2, onRow = () => {} } = {}) {
  const rows = [];
  for (const item of parts.flatMap((part) => lines[part]())) {
    if (dims !== null && !dims.includes(item.dimension)) continue;
    rows.push(await measureLine(item, workers));
    onRow(rows.at(-1));
  }
  const measured = withCounterparts(rows, readPeers(PEERS_FILE));
  return [...measured, ...againstMembers(measured)];
}

export async function run() {
  const results = await measure({ onRow: (row) => console.log(`  ${brief(row)}`) });
  return { name: 'portfolio', settings: { protocol: 'docs/guides/benchmarks.md', repetitions: 1 }, results };
}

const brief = ({ part, strategy, dimension, fraction_hit, standard_error, goal, milliseconds_per_run }) =>
  `${part} ${strategy} ${dimension}-D: ${fraction_hit.toFixed(3)} (${standard_error.toFixed(3)})` +
  `${goal === null ? '' : `, goal ${goal}`}, ${milliseconds_per_run.toFixed(0)} ms a run`;

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      parts: { type: 'string', default: Object.keys(lines).join() },
      dims: { type: 'string' },
      workers: { type: 'string', default: '2' },
    },
  });
  const parts = values.parts.split(',');
  const unknown = parts.find((part) => !(part in lines));
  if (unknown !== undefined) throw new Error(`no part ${unknown}; there are ${Object.keys(lines).join(', ')}`);
  const rows = await measure({
    parts,
    dims: values.dims?.split(',').map(Number) ?? null,
    workers: Number(values.workers),
    onRow: (row) => console.log(brief(row)),
  });
  const shown = (v) => (typeof v === 'number' && !Number.isInteger(v) ? Number(v.toFixed(4)) : v);
  console.table(rows.map((row) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, shown(v)]))));
}
