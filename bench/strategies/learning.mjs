/**
 * What learning saves: 40 related problems in a row (shifted, rotated, of other dimensions), evaluations until the best value is
 * within 1e-3 of the optimum, each run with what the runs before it taught; then problems of other kinds with what the 40
 * taught. The program is only called. A problem that is not solved counts twice its budget.
 *
 *   node bench/strategies/learning.mjs --sequences ellipsoid,mixed --pairs 1 --instances 1
 *
 * Like is compared with like: every 40 problems are gone through in two orders, the halves exchanged, each from nothing, so
 * that both halves consist of the same problems; and every problem is also run with nothing learned. Standard errors are over
 * pairs of orders for the ratio of the halves (`ratio`), over problems for what is paired with runs with nothing learned.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ObjectiveKernel } from '../../dist/benchmarks/objective-kernel.js';
import { SUITES } from '../../dist/benchmarks/suites.js';
import { runOptimization } from '../../dist/engine/run-optimization.js';
import { knowledgeOf } from '../../dist/learning/knowledge.js';
import { lessonOf } from '../../dist/learning/lesson.js';
import { guideFor } from '../../dist/planner/experience.js';
import { strategies } from '../../dist/planner/registry.js';

const PRECISION = 1e-3;
const PROBLEMS = 40;
const DIMENSIONS = [3, 5, 4, 2, 6];
const EVALUATIONS_PER_DIMENSION = 2000;
const PAIRS = 2;
/** The first instance of the figures; the constants of `src/planner/experience.ts` were chosen on others. */
const FIRST_INSTANCE = 2001;

/** BBOB functions whose instances follow each other in turn: rotation and shift change with the instance. */
const SEQUENCES = {
  ellipsoid: [10],
  rosenbrock: [8],
  rastrigin: [15],
  schaffer: [17],
  schwefel: [20],
  gallagher: [21],
  mixed: [10, 15, 8, 21],
};
/** Functions of one family; none of them counts as unrelated to another. */
const FAMILIES = [[1, 2, 10, 11, 12], [8, 9, 19], [3, 4, 15, 24], [17, 18], [20], [21, 22]];

const unrelatedTo = (functions) =>
  Array.from({ length: 24 }, (_, k) => k + 1).filter(
    (id) => !FAMILIES.some((family) => family.includes(id) && functions.some((own) => family.includes(own))),
  );

async function solve({ functionId, dimension, instance }, knowledge) {
  const problem = SUITES.bbob.create(functionId, dimension, instance);
  const { lower, upper } = problem.bounds;
  const maxEvaluations = EVALUATIONS_PER_DIMENSION * dimension;
  const task = {
    bounds: Array.from(lower, (low, i) => [low, upper[i]]),
    maxEvaluations,
    seed: instance,
    direction: 'minimize',
    mode: 'balanced',
    strategy: 'planner',
    targetFitness: problem.optimalValue + PRECISION,
  };
  const ports = {
    strategies,
    primary: new ObjectiveKernel(problem, { level: 0, seed: 1 }),
    fallback: null,
    now: () => 0,
    isCancelled: () => false,
    backendReason: 'benchmark',
    ...(knowledge === null ? {} : { knowledge: knowledge.table }),
  };
  const outcome = await runOptimization(task, ports);
  const isSolved = outcome.terminationReason === 'target';
  return {
    cost: Math.log(isSolved ? outcome.evaluations : 2 * maxEvaluations),
    isSolved,
    leader: outcome.planning?.leader ?? 0,
    lesson: lessonOf(`opt_${functionId}_${dimension}_${instance}`, task, outcome, outcome.history),
  };
}

/** With nothing learned, each problem once. */
const runsWithoutLearning = new Map();
async function solveFresh(problem) {
  const key = Object.values(problem).join();
  if (!runsWithoutLearning.has(key)) runsWithoutLearning.set(key, await solve(problem, null));
  return runsWithoutLearning.get(key);
}

/** Without advice, or with that to follow nobody, a run has the bits of the one with nothing learned. */
async function solveWith(problem, knowledge) {
  const fresh = await solveFresh(problem);
  const features = fresh.lesson?.features ?? null;
  const guide = features === null ? null : guideFor(knowledge.table, features);
  return (guide?.leader ?? 0) === 0 ? fresh : solve(problem, knowledge);
}

async function inOrder(problems) {
  const lessons = [];
  const runs = [];
  for (const problem of problems) {
    const run = await solveWith(problem, knowledgeOf(lessons.length, lessons));
    runs.push(run);
    if (run.lesson !== null) lessons.push(run.lesson);
  }
  return { runs, knowledge: knowledgeOf(lessons.length, lessons) };
}

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
const costs = (runs) => mean(runs.map(({ cost }) => cost));
/** The ratio that logarithms of ratios mean, with its standard error. */
function ratioOf(name, logs) {
  const m = mean(logs);
  const error = Math.sqrt(logs.reduce((sum, x) => sum + (x - m) ** 2, 0) / (logs.length * (logs.length - 1)));
  return { [name]: +Math.exp(m).toFixed(3), [`${name}Error`]: +(Math.exp(m) * error).toFixed(3) };
}

async function sequence(name, functions, { pairs, firstInstance }) {
  const half = PROBLEMS / 2;
  const first = [];
  const second = [];
  const without = [];
  const ratios = [];
  const paired = { first: [], second: [] };
  const unrelated = [];
  let leaders = '';
  for (let pair = 0; pair < pairs; pair++) {
    const problems = Array.from({ length: PROBLEMS }, (_, k) => {
      const place = Math.floor(k / functions.length);
      const instance = firstInstance + PROBLEMS * pair + place;
      return {
        functionId: functions[k % functions.length],
        dimension: DIMENSIONS[place % DIMENSIONS.length],
        instance,
      };
    });
    const halves = [problems.slice(0, half), problems.slice(half)];
    const logs = [];
    for (const order of [halves.flat(), halves.toReversed().flat()]) {
      const { runs, knowledge } = await inOrder(order);
      const fresh = await Promise.all(order.map(solveFresh));
      without.push(...fresh);
      const gains = runs.map(({ cost }, k) => cost - fresh[k].cost);
      first.push(...runs.slice(0, half));
      second.push(...runs.slice(half));
      logs.push(costs(runs.slice(half)) - costs(runs.slice(0, half)));
      paired.first.push(...gains.slice(0, half));
      paired.second.push(...gains.slice(half));
      leaders += `${runs.map(({ leader }) => leader.toString(36)).join('')} `;
      for (const functionId of unrelatedTo(functions)) {
        const dimension = DIMENSIONS[(functionId + pair) % DIMENSIONS.length];
        const problem = { functionId, dimension, instance: firstInstance + 500 + (unrelated.length % 2) + 2 * pair };
        const { cost } = await solveWith(problem, knowledge);
        unrelated.push(cost - (await solveFresh(problem)).cost);
      }
    }
    ratios.push(mean(logs));
  }
  return {
    sequence: name,
    firstHalf: Math.round(Math.exp(costs(first))),
    secondHalf: Math.round(Math.exp(costs(second))),
    ...(pairs > 1 ? ratioOf('ratio', ratios) : { ratio: +Math.exp(ratios[0]).toFixed(3) }),
    ...ratioOf('firstHalfAgainstNothingLearned', paired.first),
    ...ratioOf('secondHalfAgainstNothingLearned', paired.second),
    solved: mean([...first, ...second].map(({ isSolved }) => +isSolved)),
    solvedWithNothingLearned: mean(without.map(({ isSolved }) => +isSolved)),
    ...ratioOf('unrelated', unrelated),
    unrelatedProblems: unrelated.length,
    unrelatedChanged: unrelated.filter((log) => log !== 0).length,
    unrelatedWorst: +Math.exp(Math.max(...unrelated)).toFixed(2),
    leaders: leaders.trim(),
  };
}

async function measure(names, settings, report) {
  const unknown = names.find((name) => !(name in SEQUENCES));
  if (unknown !== undefined) throw new Error(`no sequence ${unknown}; there are ${Object.keys(SEQUENCES).join(', ')}`);
  const rows = [];
  for (const name of names) {
    rows.push(await sequence(name, SEQUENCES[name], settings));
    report(rows.at(-1));
  }
  return rows;
}

export async function run() {
  const chosen = { pairs: PAIRS, firstInstance: FIRST_INSTANCE };
  const results = await measure(Object.keys(SEQUENCES), chosen, (row) => console.log(`  ${JSON.stringify(row)}`));
  const goals = { ratio: 0.7, unrelated: 1.05 };
  return { name: 'learning', settings: { precision: PRECISION, problems: PROBLEMS, ...chosen, goals }, results };
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      sequences: { type: 'string', default: Object.keys(SEQUENCES).join() },
      pairs: { type: 'string', default: String(PAIRS) },
      instances: { type: 'string', default: String(FIRST_INSTANCE) },
    },
  });
  const chosen = { pairs: Number(values.pairs), firstInstance: Number(values.instances) };
  await measure(values.sequences.split(','), chosen, (row) => console.log(JSON.stringify(row)));
}
