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
import { optimizeIr } from '../../src/passes/pipeline.js';
import { bulkDifferentialEvolution } from '../../src/strategies/bulk-differential-evolution/kind.js';
import { bulkParticleSwarm } from '../../src/strategies/bulk-particle-swarm/kind.js';
import { populationSize } from '../../src/strategies/generations/generation-strategy.js';
import type { StrategyFactory } from '../../src/strategies/strategy.js';
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
}

/** What `runGenerationsOnHost` gives, from the strategy; `budget` gives its population. Stored and restored halfway. */
function runOnProcessor(
  factory: StrategyFactory,
  fn: IrFunction,
  { size, generations, seed, lower, upper }: GenerationRun,
  budgetEvaluations: number,
): Float64Array {
  const n = lower.length;
  const problem = {
    bounds: { lower: Float64Array.from(lower), upper: Float64Array.from(upper) },
    seed,
    budgetEvaluations,
  };
  let strategy = factory.create(problem);
  let kept = new Float64Array(size).fill(Infinity);
  const written: number[] = [];
  for (let g = 0; g < generations; g++) {
    const batch = strategy.ask();
    expect(batch).toMatchObject({ count: size, layout: 'tiles' });
    const rows = toRows(batch.candidates, size, n);
    const { values, status } = interpretAll(
      fn,
      Array.from({ length: size }, (_, k) => [...rows.subarray(k * n, (k + 1) * n)]),
    );
    const odd = values.filter((value, k) => status[k] !== 0 || Number.isNaN(value)).length;
    const fitness = values.map((value, k) => (status[k] === 0 && Number.isFinite(value) ? value : Infinity));
    const best = fitness.reduce((least, value) => Math.min(least, value), Infinity);
    const index = fitness.indexOf(best);
    const candidate = [...candidateOf(batch, index)];
    strategy.tell(fitness);
    expect(strategy.stop()).toBeNull();
    const successes = fitness.filter((value, k) => value < kept[k]).length;
    kept = kept.map((value, k) => Math.min(value, fitness[k]));
    written.push(best, Math.min(...kept), Math.max(...kept), index, successes, odd, ...candidate);
    if (g === generations >> 1)
      strategy = factory.restore(problem, JSON.parse(JSON.stringify(strategy.snapshot())) as { version: number });
  }
  const state = strategy.snapshot() as unknown as State;
  const vectors = state.vectors.flatMap((text) => [...decodeFloats(text, tiledLength(size, n))]);
  const scalars = state.scalars.flatMap((text) => [...decodeFloats(text, tiledLength(size, 1))]);
  return Float64Array.from([...written, ...vectors, ...scalars]);
}

const FORMS = [
  ['bulk_particle_swarm.h', bulkParticleSwarm],
  ['bulk_differential_evolution.h', bulkDifferentialEvolution],
] as const;

it.skipIf(missing !== '')(
  `generation programs on the processor give the strategies' bits for whole runs${missing && `: ${missing}`}`,
  { timeout: 300_000 },
  async () => {
    const n = 5;
    const fn = program(n);
    const [lower, upper] = [
      [-3, -3, -1, 0, -1e3],
      [3, 4, 2, 1, 1e3],
    ];
    const budgets = [1, 400 * 65, 400 * 130];
    const runs = FORMS.flatMap((_, form) =>
      budgets.map((budget, k) => ({
        program: form,
        size: populationSize(n, budget),
        generations: 20,
        seed: 2 ** 40 * k + 7,
        lower,
        upper,
      })),
    );
    const found = await runGenerationsOnHost(
      FORMS.map(([file]) => file),
      fn,
      runs,
    );
    const bits = (values: Float64Array) => [...new BigUint64Array(values.buffer)];
    const here = (run: GenerationRun, k: number) =>
      bits(runOnProcessor(FORMS[run.program][1], fn, run, budgets[k % budgets.length]));
    runs.forEach((run, k) => expect(bits(found[k])).toEqual(here(run, k)));
    // Not equal because nothing happened: another seed gives another run.
    expect(bits(found[0])).not.toEqual(here({ ...runs[0], seed: 8 }, 0));
  },
);
