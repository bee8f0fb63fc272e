/**
 * Ours and other solvers on the set of problems outside BBOB (docs/guides/problem-set.md):
 *
 *   python3 -m venv ../outside && ../outside/bin/pip install -r bench/outside/requirements.txt
 *   PEERS_PYTHON=../outside/bin/python npm run bench:outside -- --solvers called,open,scipy-SLSQP --jobs 2
 *   npm run bench:outside -- --report
 *
 * Each solver has a file in bench/results/outside/; the same command goes on where it was stopped, and does again what
 * changed in the problem. `--fresh` does again whatever is asked for, after a change of our own. The tables in
 * bench/results/outside.md and bench/results/outside.json are made from all files there. What comes out does not depend
 * on `--jobs`.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { commit } from '../support/commit.mjs';
import { openPeers } from '../support/peers.mjs';
import { budgetsOf, makeReport } from './report.mjs';
import { instanceOf, problemsOf, seedOf, SETS } from './problem-set.mjs';

const OURS = ['random', 'called', 'open'];
const PEERS = [
  'pycma',
  'pycma-BIPOP',
  'pycma-lq',
  'scipy-SLSQP',
  'scipy-L-BFGS-B',
  'scipy-Powell',
  'scipy-COBYQA',
  'scipy-dual-annealing',
  'scipy-DIRECT',
  'scipy-DE',
  'Py-BOBYQA',
  'nevergrad-NGOpt',
  'nevergrad-NgIohTuned',
  'optuna-TPE',
  'optuna-GP',
  'fcmaes',
];
/** Between two writes of a file. */
const SAVE_MS = 10_000;
const FOLDER = fileURLToPath(new URL('../results/outside', import.meta.url));

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const fileOf = (solver) => path.join(FOLDER, `${solver}.json`);
const numbersOf = (text) =>
  text.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, k) => first + k);
  });

function readRecord(solver) {
  return existsSync(fileOf(solver)) ? JSON.parse(readFileSync(fileOf(solver), 'utf8')) : { solver, runs: {} };
}

/** In the order of the names, a run a line. */
function writeRecord({ runs, ...head }) {
  const lines = Object.keys(runs).sort().map((key) => `    ${JSON.stringify(key)}: ${JSON.stringify(runs[key])}`); // prettier-ignore
  const text = `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "runs": {\n${lines.join(',\n')}\n  }\n}\n`;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${fileOf(head.solver)}.part`, text);
  renameSync(`${fileOf(head.solver)}.part`, fileOf(head.solver));
}

/** Noise that is no part of the program cannot be read: `open` would be `called`. */
const canRun = (solver, problem) => !(solver === 'open' && problem.noise !== undefined);

function tasksOf(solver, problems, instances) {
  const budgets = budgetsOf(solver);
  return problems
    .filter((problem) => canRun(solver, problem))
    .flatMap((problem) =>
      instances.map((instance) => {
        const { code, bounds, value } = instanceOf(problem, instance);
        const seed = seedOf('run', problem.name, instance);
        const task = { solver, code, bounds, noise: problem.noise ?? null, seed, budgets, best: value };
        // What the run depends on: on the best known value only where noise is relative to it.
        const facts = problem.noise === undefined ? { ...task, best: undefined } : task;
        const digest = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 12);
        return { key: `${problem.name} ${instance}`, digest, task };
      }),
    );
}

async function measure(solver, { problems, instances, jobs, fresh, open }) {
  const record = readRecord(solver);
  const tasks = tasksOf(solver, problems, instances).filter(
    ({ key, digest }) => fresh || record.runs[key]?.digest !== digest,
  );
  if (tasks.length === 0) return;
  console.log(`${solver}: ${tasks.length} runs`);
  let saved = performance.now();
  let done = 0;
  const work = async (worker) => {
    for (let next = tasks.shift(); next !== undefined; next = tasks.shift()) {
      const { error, best, failed } = await worker.ask(next.task);
      if (error !== undefined) throw new Error(`${solver}, ${next.key}: ${error}`);
      record.runs[next.key] = { digest: next.digest, best, failed };
      done += 1;
      if (performance.now() - saved < SAVE_MS) continue;
      saved = performance.now();
      writeRecord(record);
      console.log(`  ${done} done, ${tasks.length} to do`);
    }
  };
  const workers = Array.from({ length: jobs }, open);
  try {
    record.version = OURS.includes(solver)
      ? `extremum ${commit()}`
      : (await workers[0].ask({ solver, versions: true })).version;
    await Promise.all(workers.map(work));
  } finally {
    for (const worker of workers) worker.close();
    writeRecord(record);
  }
}

const readAll = () =>
  existsSync(FOLDER)
    ? readdirSync(FOLDER).filter((name) => name.endsWith('.json')).map((name) => readRecord(name.slice(0, -5))) // prettier-ignore
    : [];

const { values } = parseArgs({
  options: {
    set: { type: 'string', default: 'visible' },
    instances: { type: 'string', default: '1' },
    solvers: { type: 'string', default: 'random,called,open' },
    groups: { type: 'string' },
    names: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    fresh: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
  },
});
if (!SETS.includes(values.set)) throw new Error(`--set is one of ${SETS.join(', ')}`);
const solvers = values.solvers === 'all' ? [...OURS, ...PEERS] : values.solvers.split(',');
const unknown = solvers.find((solver) => ![...OURS, ...PEERS].includes(solver));
if (unknown !== undefined) throw new Error(`no solver ${unknown}; there are ${[...OURS, ...PEERS].join(', ')}`);
const python = process.env['PEERS_PYTHON'];
const among = (text, value) => text === undefined || text.split(',').includes(value);
const problems = problemsOf(values.set).filter(
  ({ group, name }) => among(values.groups, group) && among(values.names, name),
);

for (const solver of values.report ? [] : solvers) {
  const isOurs = OURS.includes(solver);
  if (!isOurs && python === undefined) throw new Error(`${solver} needs PEERS_PYTHON, a Python with its packages`);
  try {
    await measure(solver, {
      problems,
      instances: numbersOf(values.instances),
      jobs: Number(values.jobs),
      fresh: values.fresh,
      open: isOurs ? () => openPeers(process.execPath, here('ours.mjs')) : () => openPeers(python, here('peers.py')),
    });
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

const { markdown, summary, beaten } = makeReport(problemsOf(values.set), values.set, readAll(), [...OURS, ...PEERS]);
writeFileSync(path.join(FOLDER, '..', 'outside.md'), markdown);
writeFileSync(path.join(FOLDER, '..', 'outside.json'), `${JSON.stringify(summary, null, 2)}\n`);
for (const { key, solver, value, best } of beaten) {
  console.error(`${key}: ${solver} found ${value}, better than the best known value ${best}`);
  process.exitCode = 1;
}
console.log(markdown);
