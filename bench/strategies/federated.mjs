/**
 * What an exchange between deployments saves: A has learned from Rastrigin's function, B from ellipsoids, C from
 * Rosenbrock's (BBOB, shifted, rotated, 2 to 6 dimensions; the program is only called). B and C export, A merges both
 * updates, and solves problems of classes that it has never seen, and unrelated ones. Evaluations until the best value
 * is within 1e-3 of the optimum; a problem that is not solved counts twice its budget.
 *
 *   node bench/strategies/federated.mjs --runs 40 --epsilons none,8,1 --problems 20 --draws 4
 *
 * Like is compared with like: every problem is solved with what A knows itself, and with that and the updates. Noise is
 * drawn `draws` times; standard errors are over problems, the draws of each averaged first.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Rng } from '../../dist/common/rng.js';
import { digestOf, updateOf } from '../../dist/learning/federation/update.js';
import { merge } from '../../dist/learning/federation/merge.js';
import { knowledgeOf } from '../../dist/learning/knowledge.js';
import { guideFor } from '../../dist/planner/experience.js';
import { PRECISION, solve } from '../support/black-box.mjs';

const DIMENSIONS = [3, 5, 4, 2, 6];
/** Runs of A, of a class that no problem here belongs to. */
const OWN_RUNS = 40;
const RUNS = [20, 40, 80, 160];
const EPSILONS = [null, 8, 1];
const PROBLEMS = 30;
const DRAWS = 5;
/** The constants of `src/planner/federated-prior.ts` and the classes were chosen on instances 401 to 403. */
const FIRST_INSTANCE = 3001;

const OWN = 15;
const TAUGHT = { ellipsoid: 10, rosenbrock: 8 };
/**
 * By whom it was taught, and whom nobody has seen: of the same classes, of other functions; and what is unrelated to
 * both.
 */
const TARGETS = {
  ellipsoid: [10],
  rosenbrock: [8],
  'discus and bent cigar': [11, 12],
  unrelated: [3, 4, 5, 6, 7, 13, 14, 16, 17, 18, 20, 21, 22, 23, 24],
};

/** Runs that are advised alike have the same bits. */
const known = new Map();
async function solveAdvised(problem, table) {
  const fresh = await remembered(problem, null, null);
  const features = fresh.lesson?.features ?? null;
  const guide = features === null ? null : guideFor(table, features);
  return (guide?.leader ?? 0) === 0 ? fresh : remembered(problem, guide, table);
}
async function remembered(problem, guide, table) {
  const key = JSON.stringify([problem, guide]);
  if (!known.has(key)) known.set(key, await solve(problem, table));
  return known.get(key);
}

const problemAt = (functionId, k, firstInstance) => ({
  functionId,
  dimension: DIMENSIONS[k % DIMENSIONS.length],
  instance: firstInstance + k,
});

async function learn(functionId, runs, firstInstance) {
  const lessons = [];
  for (let k = 0; k < runs; k++) {
    const { lesson } = await solveAdvised(
      problemAt(functionId, k, firstInstance),
      knowledgeOf(lessons.length, lessons).table,
    );
    if (lesson !== null) lessons.push(lesson);
  }
  return lessons;
}

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
function ratioOf(name, logs) {
  const m = mean(logs);
  const error = Math.sqrt(logs.reduce((sum, x) => sum + (x - m) ** 2, 0) / (logs.length * (logs.length - 1)));
  return { [name]: +Math.exp(m).toFixed(3), [`${name}Error`]: +(Math.exp(m) * error).toFixed(3) };
}

async function measure({ runs, epsilons, problems, draws, firstInstance }, report) {
  const own = await learn(OWN, OWN_RUNS, firstInstance + 1000);
  const most = Math.max(...runs);
  const lessons = [];
  for (const functionId of Object.values(TAUGHT)) lessons.push(await learn(functionId, most, firstInstance + 2000));
  const alone = knowledgeOf(own.length, own).table;
  const rows = [];
  for (const count of runs) {
    for (const epsilon of epsilons) {
      const tables = Array.from({ length: epsilon === null ? 1 : draws }, (_, draw) => {
        const rng = Rng.create(1000 * count + draw);
        const uniform = (below) => rng.below(below);
        const updates = lessons.map((all) => updateOf(all.slice(0, count), epsilon, uniform));
        updates.sort((a, b) => (digestOf(a) < digestOf(b) ? -1 : 1));
        return knowledgeOf(own.length, own, merge(updates)).table;
      });
      for (const [target, functions] of Object.entries(TARGETS)) {
        const logs = [];
        let changed = 0;
        const before = [];
        const after = [];
        for (let k = 0; k < problems; k++) {
          const problem = problemAt(functions[k % functions.length], k, firstInstance);
          const { cost } = await solveAdvised(problem, alone);
          const costs = [];
          for (const table of tables) costs.push((await solveAdvised(problem, table)).cost);
          before.push(cost);
          after.push(mean(costs));
          logs.push(mean(costs) - cost);
          changed += costs.filter((one) => one !== cost).length;
        }
        const row = {
          target,
          runs: count,
          epsilon: epsilon ?? 'none',
          before: Math.round(Math.exp(mean(before))),
          after: Math.round(Math.exp(mean(after))),
          ...ratioOf('ratio', logs),
          changed: +(changed / problems / tables.length).toFixed(2),
        };
        rows.push(row);
        report(row);
      }
    }
  }
  return rows;
}

const CHOSEN = {
  runs: RUNS,
  epsilons: EPSILONS,
  problems: PROBLEMS,
  draws: DRAWS,
  firstInstance: FIRST_INSTANCE,
};

export async function run() {
  const results = await measure(CHOSEN, (row) => console.log(`  ${JSON.stringify(row)}`));
  return { name: 'federated', settings: { precision: PRECISION, ownRuns: OWN_RUNS, ...CHOSEN }, results };
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: RUNS.join() },
      epsilons: { type: 'string', default: 'none,8,1' },
      problems: { type: 'string', default: String(PROBLEMS) },
      draws: { type: 'string', default: String(DRAWS) },
      instances: { type: 'string', default: String(FIRST_INSTANCE) },
    },
  });
  const chosen = {
    runs: values.runs.split(',').map(Number),
    epsilons: values.epsilons.split(',').map((text) => (text === 'none' ? null : Number(text))),
    problems: Number(values.problems),
    draws: Number(values.draws),
    firstInstance: Number(values.instances),
  };
  await measure(chosen, (row) => console.log(JSON.stringify(row)));
}
