/**
 * What CMA-ES and the engine cost per evaluation besides the objective: ask, tell, bookkeeping of a whole run. The time
 * inside the kernel is measured and taken off.
 */
import { runOptimization } from '../../dist/engine/run-optimization.js';
import { strategies } from '../../dist/strategies/registry.js';

const DIMENSIONS = [2, 10, 20, 40, 100, 200, 1000];
const REPETITIONS = 7;
const evaluationsFor = (n) => (n <= 40 ? 40_000 : n <= 200 ? 4_000 : 2_000);

/** Weighted sphere in process, so that a generation costs no thread hop. */
class TimedKernel {
  backend = 'bench';
  device = 'this thread';
  spentMs = 0;

  evaluate({ candidates, count, dimension }, output) {
    const start = performance.now();
    for (let k = 0; k < count; k++) {
      let sum = 0;
      for (let i = 0; i < dimension; i++) {
        const v = candidates[k * dimension + i] - 1;
        sum += (i + 1) * v * v;
      }
      output.values[k] = sum;
      output.status[k] = 0;
    }
    output.failures.length = 0;
    this.spentMs += performance.now() - start;
    return Promise.resolve();
  }

  close() {
    return Promise.resolve();
  }
}

async function once(n, seed) {
  const kernel = new TimedKernel();
  const evaluations = evaluationsFor(n);
  const task = {
    bounds: Array.from({ length: n }, () => [-5, 5]),
    maxEvaluations: evaluations,
    seed,
    direction: 'minimize',
    mode: 'accurate',
  };
  const ports = {
    strategies,
    primary: kernel,
    fallback: null,
    now: () => performance.now(),
    isCancelled: () => false,
    backendReason: 'benchmark',
  };
  const start = performance.now();
  const outcome = await runOptimization(task, ports);
  const microseconds = ((performance.now() - start - kernel.spentMs) * 1000) / evaluations;
  if (outcome.evaluations !== evaluations) throw new Error(`${outcome.evaluations} evaluations, not ${evaluations}`);
  if (n <= 40 && !(outcome.bestFitness < 1e-8)) throw new Error(`n = ${n}: best ${outcome.bestFitness}`);
  return microseconds;
}

export async function run() {
  const results = [];
  for (const n of DIMENSIONS) {
    await once(n, 100); // warm-up of the compiler
    const times = [];
    for (let seed = 1; seed <= REPETITIONS; seed++) times.push(await once(n, seed));
    times.sort((a, b) => a - b);
    results.push({
      dimension: n,
      microseconds_per_evaluation_median: times[REPETITIONS >> 1],
      microseconds_min: times[0],
      microseconds_max: times.at(-1),
    });
  }
  const settings = { repetitions: REPETITIONS, seeds: `1..${REPETITIONS}`, evaluations: '40000 (n <= 40), 4000, 2000' };
  return { name: 'cma-es-overhead', settings, results };
}
