/**
 * Generation programs in their CUDA text, compiled for the processor, give the strategy's bits for whole runs: the best
 * of every generation, the statistics, and at the end all of the state.
 */
import { expect, it } from 'vitest';
import { decodeFloats } from '../../src/common/float64-codec.js';
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import type { IrFunction } from '../../src/ir/types.js';
import { candidateOf } from '../../src/model/candidate-batch.js';
import { tiledLength, toRows } from '../../src/model/tiles.js';
import { differentiate } from '../../src/passes/gradient/differentiate.js';
import { optimizeIr } from '../../src/passes/pipeline.js';
import { bulkCmaEs } from '../../src/strategies/bulk-cma-es/kind.js';
import { FORMS as CMA_FORMS } from '../../src/strategies/bulk-cma-es/layout.js';
import { bulkDifferentialEvolution } from '../../src/strategies/bulk-differential-evolution/kind.js';
import { bulkLimitedMemoryProgram } from '../../src/strategies/bulk-l-bfgs/bulk-l-bfgs.js';
import { bulkLimitedMemory } from '../../src/strategies/bulk-l-bfgs/kind.js';
import { bulkParticleSwarm } from '../../src/strategies/bulk-particle-swarm/kind.js';
import { populationSize } from '../../src/strategies/generations/generation-strategy.js';
import type { Strategy, StrategyFactory } from '../../src/strategies/strategy.js';
import { interpretAll } from '../support/compiled-backends.js';
import { runGenerationsOnHost, type GenerationRun } from '../support/cuda/host-generations.js';
import { missingProgram } from '../support/programs.js';

const missing = missingProgram('g++', 'g++');

// Half of the box fails; the rest has many minima.
const CODE = `
import math

def objective(x):
    total = math.sqrt(x[0] - x[1])
    for i in range(len(x)):
        total += x[i] * x[i] - 3 * math.cos(5 * x[i])
    return total
`;

function program(dimension: number): IrFunction {
  const { ir } = compileObjective(analyzeUpload(CODE, '').source!, { dimension, pythonMinor: 12 });
  if (ir === null) throw new Error('the objective does not compile');
  return optimizeIr(ir);
}

interface State {
  readonly vectors: readonly string[];
  readonly scalars: readonly string[];
  readonly shared?: string;
}

const problemOf = ({ lower, upper, seed }: Omit<GenerationRun, 'program'>, budgetEvaluations: number) => ({
  bounds: { lower: Float64Array.from(lower), upper: Float64Array.from(upper) },
  seed,
  budgetEvaluations,
});

/** What `runGenerationsOnHost` gives, from the strategy; `budget` gives its population. Stored and restored halfway. */
function runOnProcessor(
  factory: StrategyFactory,
  fn: IrFunction,
  gradient: IrFunction | null,
  run: GenerationRun,
  budgetEvaluations: number,
): Float64Array {
  const { size, generations, lower, steps } = run;
  const n = lower.length;
  const problem = problemOf(run, budgetEvaluations);
  const again = (stored: Strategy): Strategy =>
    factory.restore(problem, JSON.parse(JSON.stringify(stored.snapshot())) as { version: number });
  let strategy = factory.create(problem);
  let kept = new Float64Array(size).fill(Infinity);
  const written: number[] = [];
  for (let g = 0; g < generations; g++) {
    const batch = strategy.ask();
    expect(batch).toMatchObject({ count: size, layout: 'tiles' });
    const rows = toRows(batch.candidates, size, n);
    const points = Array.from({ length: size }, (_, k) => [...rows.subarray(k * n, (k + 1) * n)]);
    const { values, status } = interpretAll(fn, points);
    const odd = values.filter((value, k) => status[k] !== 0 || Number.isNaN(value)).length;
    const fitness = values.map((value, k) => (status[k] === 0 && Number.isFinite(value) ? value : Infinity));
    const best = fitness.reduce((least, value) => Math.min(least, value), Infinity);
    const index = fitness.indexOf(best);
    const candidate = [...candidateOf(batch, index)];
    strategy.tell(fitness);
    if (strategy.isWithinGeneration === true) {
      expect(strategy.ask()).toMatchObject({ count: size, layout: 'tiles', reading: 'gradient' });
      // Stored within a generation, too; and cut there.
      if (g % 7 === 3) strategy = again(strategy);
      const read = interpretAll(gradient!, points);
      const results = read.values.map((value, k) => (read.status[Math.floor(k / (n + 1))] === 0 ? value : NaN));
      const cut = g % 3 === 0 ? 5 * (n + 1) : 0;
      if (cut > 0) strategy.tell(results.subarray(0, cut));
      if (g % 6 === 0) strategy = again(strategy);
      strategy.tell(results.subarray(cut));
    }
    expect(strategy.stop()).toBeNull();
    const successes = fitness.filter((value, k) => value < kept[k]).length;
    // Where individuals keep nothing, their fitness is that of the generation, and a success beats the run's best.
    const runBest = Math.min(kept[0], best);
    kept = steps === undefined ? kept.map((value, k) => Math.min(value, fitness[k])) : fitness.slice();
    const lowest = kept.reduce((a, b) => Math.min(a, b));
    const highest = kept.reduce((a, b) => Math.max(a, b));
    written.push(best, lowest, highest, index, successes, odd, ...candidate);
    if (steps !== undefined) kept.fill(runBest);
    if (g === generations >> 1) strategy = again(strategy);
  }
  const state = strategy.snapshot() as unknown as State;
  const vectors = state.vectors.flatMap((text) => [...decodeFloats(text, tiledLength(size, n))]);
  const scalars = state.scalars.flatMap((text) => [...decodeFloats(text, tiledLength(size, 1))]);
  const shared = steps === undefined ? [] : decodeFloats(state.shared, steps.shared);
  return Float64Array.from([...written, ...vectors, ...scalars, ...shared]);
}

/** Index of the first number with other bits; -1: all are equal. */
function firstDifference(a: Float64Array, b: Float64Array): number {
  expect(a.length).toBe(b.length);
  const bits = [a, b].map(({ buffer, byteOffset, length }) => new BigUint64Array(buffer, byteOffset, length));
  return bits[0].findIndex((word, k) => word !== bits[1][k]);
}

const FORMS = [
  ['bulk_particle_swarm.h', bulkParticleSwarm, undefined],
  ['bulk_differential_evolution.h', bulkDifferentialEvolution, undefined],
  ['bulk_l_bfgs.h', bulkLimitedMemory, bulkLimitedMemoryProgram],
] as const;

it.skipIf(missing !== '')(
  `generation programs on the processor give the strategies' bits for whole runs${missing && `: ${missing}`}`,
  { timeout: 300_000 },
  async () => {
    const n = 5;
    const fn = program(n);
    const gradient = optimizeIr(differentiate(fn));
    const [lower, upper] = [
      [-3, -3, -1, 0, -1e3],
      [3, 4, 2, 1, 1e3],
    ];
    const sizes = [24, 65, 130];
    const runs = FORMS.flatMap(([, , rules], form) =>
      sizes.map((size, k) => ({
        program: form,
        size,
        // Some descents end, and begin anew.
        generations: rules === undefined ? 20 : 40,
        seed: 2 ** 40 * k + 7,
        lower,
        upper,
      })),
    );
    const found = await runGenerationsOnHost(
      FORMS.map(([file, , rules]) => [file, rules !== undefined]),
      fn,
      gradient,
      runs,
    );
    const here = (run: GenerationRun): Float64Array => {
      const [, factory, rules] = FORMS[run.program];
      const budget = run.size * (rules === undefined ? 400 : 200);
      expect(populationSize(n, budget, 1, rules)).toBe(run.size);
      return runOnProcessor(factory, fn, gradient, run, budget);
    };
    runs.forEach((run, k) => expect(firstDifference(found[k], here(run))).toBe(-1));
    // Not equal because nothing happened: another seed gives another run.
    expect(firstDifference(found[0], here({ ...runs[0], seed: 8 }))).not.toBe(-1);
  },
);

/**
 * Populations of `bulk-cma-es`: of one tile and of three levels of sums, with chunks of two tiles; panels and none; all
 * directions in use, and sums of more than one block of coordinates.
 */
it.skipIf(missing !== '')(
  `the steps of bulk-cma-es on the processor give the strategy's bits for whole runs${missing && `: ${missing}`}`,
  { timeout: 300_000 },
  async () => {
    const cases = [
      { n: 5, budgets: [1, 400 * 130, 400 * 16_500], generations: [60, 40, 3], forms: ['full', 'full', 'full'] },
      { n: 67, budgets: [1, 400 * 128], generations: [30, 8], forms: ['limited', 'full'] },
      { n: 150, budgets: [400 * 140, 400 * 155], generations: [20, 6], forms: ['limited', 'diagonal'] },
    ];
    for (const { n, budgets, generations, forms } of cases) {
      const fn = program(n);
      const lower = Array.from({ length: n }, (_, i) => (i === 2 ? -1 : -3));
      const upper = Array.from({ length: n }, (_, i) => (i === 1 ? 1e3 : 4));
      const runs = budgets.map((budget, k): GenerationRun => {
        const run = {
          size: populationSize(n, budget),
          generations: generations[k],
          seed: 2 ** 40 * k + 7,
          lower,
          upper,
        };
        const steps = bulkCmaEs.create(problemOf(run, budget)).generations!.program;
        expect(CMA_FORMS[steps.constants[0]]).toBe(forms[k]);
        return { ...run, program: 0, steps };
      });
      const found = await runGenerationsOnHost([['bulk_cma_es.h', false]], fn, null, runs);
      runs.forEach((run, k) => {
        expect(firstDifference(found[k], runOnProcessor(bulkCmaEs, fn, null, run, budgets[k]))).toBe(-1);
      });
    }
  },
);
