/**
 * Processor time of the planner itself per evaluation, in runs of 10, 100 and 1,000 evaluations: of a whole run with
 * all of its engine, less what the objective takes. Objectives are eight of BBOB's functions, as black boxes, with 1 %
 * of noise, and with all coordinates rounded to whole numbers.
 *
 *   node bench/strategies/planner-time.mjs --before ../earlier/dist
 *
 * With `--before` runs of another build alternate with those of this one.
 */
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { portsOf } from '../support/in-process.mjs';
import { cpuSeconds, median, quantile, rounded } from '../support/statistics.mjs';

const OURS = fileURLToPath(new URL('../../dist', import.meta.url));
const BUDGETS = [10, 100, 1000];
const DIMENSIONS = [2, 5, 10, 20];
const FUNCTIONS = [1, 4, 7, 10, 13, 16, 19, 22];
const KINDS = ['plain', 'noisy', 'rounded'];
const NOISE = 0.01;
const INSTANCE = 1;

async function open(dist) {
  const load = (file) => import(pathToFileURL(path.join(dist, file)).href);
  const [{ ObjectiveKernel }, { SUITES }, { runOptimization }, { strategies }] = await Promise.all([
    load('benchmarks/objective-kernel.js'),
    load('benchmarks/suites.js'),
    load('engine/run-optimization.js'),
    load('planner/all-strategies.js'),
  ]);
  return { ObjectiveKernel, SUITES, runOptimization, strategies };
}

/** The problem with its coordinates rounded. */
const roundedProblem = (problem) => ({
  ...problem,
  evaluate: (points, start) =>
    problem.evaluate(
      points.slice(start, start + problem.dimension).map((x) => Math.round(x)),
      0,
    ),
});

async function microseconds(build, { functionId, dimension, budget, kind }) {
  const { ObjectiveKernel, SUITES, runOptimization, strategies } = build;
  const plain = SUITES.bbob.create(functionId, dimension, INSTANCE);
  const problem = kind === 'rounded' ? roundedProblem(plain) : plain;
  const seed = 1 + 1000 * functionId + 100_000 * dimension;
  const kernel = new ObjectiveKernel(problem, { level: kind === 'noisy' ? NOISE : 0, seed });
  let objective = 0;
  const evaluate = kernel.evaluate.bind(kernel);
  kernel.evaluate = async (...parameters) => {
    const start = process.cpuUsage();
    await evaluate(...parameters);
    objective += cpuSeconds(start);
  };
  const { lower, upper } = problem.bounds;
  const task = {
    bounds: Array.from(lower, (low, i) => [low, upper[i]]),
    maxEvaluations: budget,
    seed,
    direction: 'minimize',
    mode: 'balanced',
    strategy: 'planner',
  };
  const start = process.cpuUsage();
  const { evaluations } = await runOptimization(task, portsOf(strategies, kernel));
  return ((cpuSeconds(start) - objective) * 1e6) / evaluations;
}

export async function run({ before } = {}) {
  const builds =
    before === undefined ? { now: await open(OURS) } : { before: await open(before), now: await open(OURS) };
  const results = [];
  for (const kind of KINDS) {
    for (const dimension of DIMENSIONS) {
      for (const budget of BUDGETS) {
        const line = { kind, dimension, budget };
        const times = Object.fromEntries(Object.keys(builds).map((name) => [name, []]));
        // Twice, the first time for the compiler.
        for (const isMeasured of [false, true]) {
          for (const functionId of isMeasured ? FUNCTIONS : FUNCTIONS.slice(0, 2)) {
            for (const [name, build] of Object.entries(builds)) {
              const time = await microseconds(build, { functionId, dimension, budget, kind });
              if (isMeasured) times[name].push(time);
            }
          }
        }
        for (const [name, own] of Object.entries(times)) {
          line[`${name}_microseconds_median`] = rounded(median(own));
          line[`${name}_microseconds_p90`] = rounded(quantile(own, 0.9));
        }
        results.push(line);
      }
    }
  }
  const settings = { functions: FUNCTIONS.join(', '), instance: INSTANCE, noise: NOISE, mode: 'balanced' };
  return { name: 'planner-time', settings, results };
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { before: { type: 'string' } } });
  console.table((await run({ before: values.before && path.resolve(values.before) })).results);
}
