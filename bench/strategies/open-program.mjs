/**
 * What the planner reaches on the BBOB functions when it may read the program: share of the 51 precision targets 1e2 ..
 * 1e-8 within 1,000 evaluations, gradients, bounds and columns of Jacobians counted, the functions uploaded as Python
 * sources (bench/support/bbob-sources.mjs). Beside it the same runs as black boxes.
 *
 * Constants in a source are never points, starts or offsets of a search. Candidates that compiled code flags go to the
 * function itself, as they go to CPython in the service.
 *
 *   node bench/strategies/open-program.mjs --dims 2,5 --instances 1-2 --functions 15-19 --strategy quasi-newton --runs
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ObjectiveKernel } from '../../dist/benchmarks/objective-kernel.js';
import { TARGETS } from '../../dist/benchmarks/measure.js';
import { groupOf } from '../../dist/benchmarks/problem.js';
import { bbobSource } from '../support/bbob-sources.mjs';
import { openBackend, openRun } from '../support/open-runs.mjs';
import { rounded } from '../support/statistics.mjs';

const BUDGET = 1000;
const GOALS = { 2: 0.98, 5: 0.78, 10: 0.72, 20: 0.62 };
const FUNCTIONS = Array.from({ length: 24 }, (_, k) => k + 1);
/** Measured; never looked at while building. */
const INSTANCES = { measured: [1, 2, 3, 4, 5], fresh: [21, 22, 23, 24, 25] };
/** Where the source and the function of src/benchmarks/ must agree, relative to the value. */
const AGREEMENT = 1e-9;

function check(code, problem, outcome) {
  const point = Float64Array.from(outcome.bestSolution);
  const value = problem.evaluate(point, 0);
  const isEqual = Math.abs(value - outcome.bestFitness) <= AGREEMENT * (1 + Math.abs(value));
  if (!isEqual)
    throw new Error(`f${problem.functionId}: the source gives ${outcome.bestFitness}, the function ${value}`);
  if (outcome.evaluations > BUDGET) throw new Error(`${outcome.evaluations} evaluations`);
}

async function measureRun(backend, { functionId, dimension, instance, strategy, blackBox }) {
  const { code, problem } = bbobSource(functionId, dimension, instance);
  const outcome = await openRun(backend, {
    code,
    blackBox,
    fallback: new ObjectiveKernel(problem, { level: 0, seed: 0 }),
    task: {
      bounds: Array.from(problem.bounds.lower, (low, i) => [low, problem.bounds.upper[i]]),
      maxEvaluations: BUDGET,
      seed: 1 + 10 * instance + 1000 * functionId + 100000 * dimension,
      strategy,
      // Ends the run, as nothing is measured beyond; no search sees it.
      targetFitness: problem.optimalValue + TARGETS.at(-1),
    },
  });
  check(code, problem, outcome);
  const delta = outcome.bestFitness - problem.optimalValue;
  return { delta, share: TARGETS.filter((target) => delta <= target).length / TARGETS.length, outcome };
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function standardError(values) {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((v) => (v - centre) ** 2)) / Math.max(1, values.length - 1));
}

async function measureLine(backend, { dimension, instances, functions, strategy, blackBox, onRun }) {
  const started = performance.now();
  const shares = new Map();
  for (const functionId of functions) {
    for (const instance of instances) {
      const run = await measureRun(backend, { functionId, dimension, instance, strategy, blackBox });
      shares.set(`${functionId} ${instance}`, run.share);
      onRun?.({ functionId, dimension, instance, ...run });
    }
  }
  const of = (keep) =>
    mean([...shares].filter(([key]) => keep(...key.split(' ').map(Number))).map(([, share]) => share));
  const groups = [...new Set(functions.map(groupOf))];
  return {
    dimension,
    instances: `${instances[0]}-${instances.at(-1)}`,
    strategy: strategy ?? 'planner',
    black_box: blackBox,
    fraction_hit: rounded(of(() => true)),
    standard_error: rounded(standardError(instances.map((instance) => of((_, i) => i === instance)))),
    goal: blackBox || strategy !== undefined ? null : GOALS[dimension],
    ...Object.fromEntries(groups.map((group) => [group, rounded(of((f) => groupOf(f) === group))])),
    by_function: functions
      .map((f) =>
        rounded(
          of((id) => id === f),
          2,
        ),
      )
      .join(' '),
    milliseconds_per_run: rounded((performance.now() - started) / shares.size),
  };
}

async function measure({
  dims = [2, 5, 10, 20],
  instances,
  functions = FUNCTIONS,
  strategy,
  kinds,
  onRun,
  onRow,
} = {}) {
  const backend = await openBackend();
  const rows = [];
  for (const dimension of dims) {
    for (const blackBox of kinds) {
      for (const chosen of instances) {
        if (blackBox && chosen === INSTANCES.fresh) continue;
        rows.push(await measureLine(backend, { dimension, instances: chosen, functions, strategy, blackBox, onRun }));
        onRow?.(rows.at(-1));
      }
    }
  }
  await backend.close();
  return rows;
}

const brief = ({ dimension, instances, strategy, black_box, fraction_hit, standard_error, goal, by_function }) =>
  `${strategy}${black_box ? ', black box' : ''} ${dimension}-D, instances ${instances}: ${fraction_hit} (${standard_error})` +
  `${goal === null ? '' : `, goal ${goal}`} | ${by_function}`;

export async function run() {
  const results = await measure({
    instances: Object.values(INSTANCES),
    kinds: [false, true],
    onRow: (row) => console.log(`  ${brief(row)}`),
  });
  return { name: 'open-program', settings: { budget: BUDGET, repetitions: 1 }, results };
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      dims: { type: 'string', default: '2,5,10,20' },
      instances: { type: 'string', default: '1-5' },
      functions: { type: 'string', default: '1-24' },
      strategy: { type: 'string' },
      'black-box': { type: 'boolean', default: false },
      runs: { type: 'boolean', default: false },
    },
  });
  const numbers = (text) =>
    text.split(',').flatMap((part) => {
      const [first, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, k) => first + k);
    });
  const showRun = ({ functionId, dimension, instance, delta, outcome }) => {
    const phases = outcome.strategies.map((s) => `${s.name} ${s.toEvaluation - s.fromEvaluation}`).join(', ');
    console.log(`f${functionId} ${dimension}-D ${instance}: ${delta.toExponential(2)} | ${phases}`.slice(0, 240));
  };
  await measure({
    dims: numbers(values.dims),
    instances: [numbers(values.instances)],
    functions: numbers(values.functions),
    strategy: values.strategy,
    kinds: [values['black-box']],
    onRun: values.runs ? showRun : undefined,
    onRow: (row) => console.log(brief(row)),
  });
}
