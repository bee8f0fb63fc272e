/**
 * What a strategy and the engine cost per evaluation besides the objective: ask, tell, bookkeeping of a whole run. Wall
 * time without what the kernel took, and processor time of all threads without what the kernel takes by itself: the
 * latter also compares on a loaded machine. In `npm run bench` all strategies run; by itself it takes a choice:
 *
 *   node bench/strategies/overhead.mjs --strategies cma-es,differential-evolution --dims 10,20,40
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseNumbers } from '../../dist/benchmarks/notation.js';
import { runOptimization } from '../../dist/engine/run-optimization.js';
import { candidateStart, candidateStride } from '../../dist/model/candidate-batch.js';
import { callingStrategies, strategies } from '../../dist/planner/all-strategies.js';
import { portsOf } from '../support/in-process.mjs';
import { cpuSeconds, fixed, median } from '../support/statistics.mjs';

const DIMENSIONS = [10, 20, 40];
/** Where a generation of CMA-ES is long: full matrices at 100 and 200, limited memory at 1,000. */
const LARGE_DIMENSIONS = [100, 200, 1000];
const REPETITIONS = 5;
const EVALUATIONS = 20_000;
/** Budget of strategies that need longer than `PATIENCE_MS` for the above. */
const FEW_EVALUATIONS = 1_000;
const PATIENCE_MS = 5_000;

/** Weighted sphere in process, so that a generation costs no thread hop. */
function evaluate(batch, values) {
  const { candidates, count, dimension } = batch;
  const stride = candidateStride(batch);
  for (let k = 0; k < count; k++) {
    let sum = 0;
    for (let i = 0, at = candidateStart(batch, k); i < dimension; i++, at += stride) {
      const v = candidates[at] - 1;
      sum += (i + 1) * v * v;
    }
    values[k] = sum;
  }
}

class TimedKernel {
  backend = 'bench';
  device = 'this thread';
  spentMs = 0;

  evaluate(batch, output) {
    const start = performance.now();
    evaluate(batch, output.values);
    output.status.fill(0, 0, batch.count);
    output.failures.length = 0;
    this.spentMs += performance.now() - start;
    return Promise.resolve();
  }

  close() {
    return Promise.resolve();
  }
}

/** Processor time of one evaluation by itself. */
function kernelMicroseconds(dimension) {
  const batch = { candidates: new Float64Array(20 * dimension), count: 20, dimension };
  const values = new Float64Array(20);
  const rounds = 20_000;
  for (let k = 0; k < rounds; k++) evaluate(batch, values);
  const start = process.cpuUsage();
  for (let k = 0; k < rounds; k++) evaluate(batch, values);
  if (values[0] !== (dimension * (dimension + 1)) / 2) throw new Error(`kernel: ${values[0]}`);
  return (cpuSeconds(start) * 1e6) / (20 * rounds);
}

async function once(strategy, dimension, evaluations, seed) {
  const kernel = new TimedKernel();
  const task = {
    bounds: Array.from({ length: dimension }, () => [-5, 5]),
    maxEvaluations: evaluations,
    seed,
    direction: 'minimize',
    mode: 'accurate',
    strategy,
  };
  const start = performance.now();
  const cpu = process.cpuUsage();
  const outcome = await runOptimization(task, portsOf(strategies, kernel));
  const cpuMs = cpuSeconds(cpu) * 1000;
  const wallMs = performance.now() - start - kernel.spentMs;
  if (outcome.evaluations !== evaluations) throw new Error(`${outcome.evaluations} evaluations, not ${evaluations}`);
  // No strategy is so bad on a weighted sphere: its value is about 8 n (n + 1) at a random point.
  if (evaluations === EVALUATIONS && dimension <= 40 && !(outcome.bestFitness < 1)) {
    throw new Error(`${strategy}, n = ${dimension}: best ${outcome.bestFitness}`);
  }
  return { wall: (wallMs * 1000) / evaluations, cpu: (cpuMs * 1000) / evaluations };
}

async function measure(names, dimensions) {
  const results = [];
  for (const dimension of dimensions) {
    const kernel = kernelMicroseconds(dimension);
    for (const strategy of names) {
      const { cpu: trial } = await once(strategy, dimension, FEW_EVALUATIONS, 100);
      const evaluations = (trial * EVALUATIONS) / 1000 < PATIENCE_MS ? EVALUATIONS : FEW_EVALUATIONS;
      if (evaluations === EVALUATIONS) await once(strategy, dimension, evaluations, 101); // warm-up of the compiler
      const times = [];
      for (let seed = 1; seed <= REPETITIONS; seed++) times.push(await once(strategy, dimension, evaluations, seed));
      const cpu = times.map((time) => time.cpu - kernel);
      results.push({
        strategy,
        dimension,
        evaluations,
        microseconds_per_evaluation_median: fixed(median(times.map((time) => time.wall))),
        cpu_microseconds_per_evaluation_median: fixed(median(cpu)),
        cpu_microseconds_min: fixed(Math.min(...cpu)),
        cpu_microseconds_max: fixed(Math.max(...cpu)),
      });
    }
  }
  return results;
}

export async function run() {
  const names = callingStrategies.map((strategy) => strategy.name);
  const results = [...(await measure(names, DIMENSIONS)), ...(await measure(['cma-es'], LARGE_DIMENSIONS))];
  const settings = {
    repetitions: REPETITIONS,
    seeds: `1..${REPETITIONS}`,
    budget: `${EVALUATIONS} evaluations; ${FEW_EVALUATIONS} where that would take longer than ${PATIENCE_MS} ms`,
  };
  return { name: 'overhead', settings, results };
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      strategies: { type: 'string', default: callingStrategies.map((strategy) => strategy.name).join() },
      dims: { type: 'string', default: DIMENSIONS.join() },
    },
  });
  const dimensions = parseNumbers(values.dims, 1, 10_000);
  if (dimensions === null) throw new Error(`--dims: not a list of numbers: ${values.dims}`);
  console.table(await measure(values.strategies.split(','), dimensions));
}
