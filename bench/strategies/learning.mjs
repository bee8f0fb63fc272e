/**
 * What learning saves: 40 related problems in a row (shifted, rotated, of other dimensions), evaluations until the best value is
 * within 1e-3 of the optimum, each run with what the runs before it taught; the same problems with nothing learned; and
 * problems of other kinds, with what the 40 taught and with nothing. The program is only called.
 *
 *   node bench/strategies/learning.mjs --sequences ellipsoid,mixed
 *
 * A problem that is not solved counts twice its budget.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ObjectiveKernel } from '../../dist/benchmarks/objective-kernel.js';
import { SUITES } from '../../dist/benchmarks/suites.js';
import { runOptimization } from '../../dist/engine/run-optimization.js';
import { knowledgeOf } from '../../dist/learning/knowledge.js';
import { lessonOf } from '../../dist/learning/lesson.js';
import { strategies } from '../../dist/planner/registry.js';

const PRECISION = 1e-3;
const PROBLEMS = 40;
const DIMENSIONS = [3, 5, 4, 2, 6];
const EVALUATIONS_PER_DIMENSION = 2000;

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
const UNRELATED_INSTANCES = [50, 51, 52];

const unrelatedTo = (functions) =>
  Array.from({ length: 24 }, (_, k) => k + 1).filter(
    (id) => !FAMILIES.some((family) => family.includes(id) && functions.some((own) => family.includes(own))),
  );

async function solve(functionId, dimension, instance, seed, knowledge) {
  const problem = SUITES.bbob.create(functionId, dimension, instance);
  const { lower, upper } = problem.bounds;
  const maxEvaluations = EVALUATIONS_PER_DIMENSION * dimension;
  const task = {
    bounds: Array.from(lower, (low, i) => [low, upper[i]]),
    maxEvaluations,
    seed,
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
    evaluations: isSolved ? outcome.evaluations : 2 * maxEvaluations,
    isSolved,
    leader: outcome.planning.leader ?? 0,
    lesson: lessonOf(`opt_${functionId}_${dimension}_${instance}`, task, outcome, outcome.history),
  };
}

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
const geometricMean = (values) => Math.exp(mean(values.map(Math.log)));

async function sequence(name, functions) {
  const lessons = [];
  const learned = [];
  const fresh = [];
  for (let k = 0; k < PROBLEMS; k++) {
    const functionId = functions[k % functions.length];
    const place = Math.floor(k / functions.length);
    const of = [functionId, DIMENSIONS[place % DIMENSIONS.length], 1 + place, k];
    const one = await solve(...of, knowledgeOf(lessons.length, lessons));
    learned.push(one);
    if (one.lesson !== null) lessons.push(one.lesson);
    fresh.push(await solve(...of, null));
  }
  const half = PROBLEMS / 2;
  const halves = (of) =>
    [of.slice(0, half), of.slice(half)].map((part) => geometricMean(part.map((r) => r.evaluations)));
  const [first, second] = halves(learned);
  const [firstFresh, secondFresh] = halves(fresh);
  const knowledge = knowledgeOf(lessons.length, lessons);
  const ratios = [];
  for (const functionId of unrelatedTo(functions)) {
    const dimension = DIMENSIONS[functionId % DIMENSIONS.length];
    for (const instance of UNRELATED_INSTANCES) {
      const with_ = await solve(functionId, dimension, instance, functionId, knowledge);
      const without = await solve(functionId, dimension, instance, functionId, null);
      ratios.push(with_.evaluations / without.evaluations);
    }
  }
  return {
    sequence: name,
    firstHalf: Math.round(first),
    secondHalf: Math.round(second),
    ratio: +(second / first).toFixed(3),
    ratioWithNothingLearned: +(secondFresh / firstFresh).toFixed(3),
    secondHalfAgainstNothingLearned: +(second / secondFresh).toFixed(3),
    solved: learned.filter((r) => r.isSolved).length,
    solvedWithNothingLearned: fresh.filter((r) => r.isSolved).length,
    leaders: learned.map((r) => r.leader).join(''),
    unrelated: +geometricMean(ratios).toFixed(3),
    unrelatedProblems: ratios.length,
    unrelatedChanged: ratios.filter((r) => r !== 1).length,
    unrelatedWorst: +Math.max(...ratios).toFixed(3),
  };
}

async function measure(names, report) {
  const unknown = names.find((name) => !(name in SEQUENCES));
  if (unknown !== undefined) throw new Error(`no sequence ${unknown}; there are ${Object.keys(SEQUENCES).join(', ')}`);
  const rows = [];
  for (const name of names) {
    rows.push(await sequence(name, SEQUENCES[name]));
    report(rows.at(-1));
  }
  return rows;
}

export async function run() {
  const results = await measure(Object.keys(SEQUENCES), (row) => console.log(`  ${JSON.stringify(row)}`));
  const goals = { ratio: 0.7, unrelated: 1.05 };
  return { name: 'learning', settings: { precision: PRECISION, problems: PROBLEMS, goals }, results };
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { sequences: { type: 'string', default: Object.keys(SEQUENCES).join() } } });
  await measure(values.sequences.split(','), (row) => console.log(JSON.stringify(row)));
}
