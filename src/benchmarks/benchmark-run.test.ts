import { describe, expect, test } from 'vitest';
import { callingStrategies as strategies } from '../planner/all-strategies.js';
import type { Strategy, StrategyFactory, StrategyProblem } from '../strategies/strategy.js';
import { createBbobProblem } from './bbob/index.js';
import { carryOutRun, seedOf, type RunConditions, type RunKey } from './benchmark-run.js';

const CONDITIONS: RunConditions = {
  suite: 'bbob',
  budget: { evaluations: 100, perDimension: false },
  mode: 'balanced',
  seed: 0,
  noise: 0,
  stretched: false,
};
const KEY: RunKey = { strategy: 'scripted', functionId: 1, dimension: 2, instance: 1, repetition: 0 };

interface Script {
  /** Candidates of the k-th ask of one search. */
  batch(k: number, problem: StrategyProblem): readonly (readonly number[])[];
  /** The search ends after so many asks. */
  readonly asks?: number;
}

/** A strategy that asks what it is told to; notes the problems it was made for and the values it saw. */
function scripted({ batch, asks = Infinity }: Script): {
  factory: StrategyFactory;
  problems: StrategyProblem[];
  seen: number[];
} {
  const problems: StrategyProblem[] = [];
  const seen: number[] = [];
  const create = (problem: StrategyProblem): Strategy => {
    problems.push(problem);
    let k = 0;
    return {
      name: 'scripted',
      ask() {
        const rows = batch(k, problem);
        return { candidates: Float64Array.from(rows.flat()), count: rows.length, dimension: 2 };
      },
      tell(fitness) {
        k++;
        seen.push(...fitness);
      },
      stop: () => (k >= asks ? 'stalled' : null),
      incumbent: () => null,
      snapshot: () => ({ version: 1 }),
    };
  };
  const capabilities = {
    minDimension: 1,
    maxDimension: 2,
    rankBased: false,
    dependsOnSeed: true,
    dependsOnBudget: false,
    restarts: false,
  };
  return { factory: { name: 'scripted', capabilities, create, restore: create }, problems, seen };
}

describe('a benchmark run', () => {
  const { optimum, optimalValue } = createBbobProblem(1, 2, 1);
  /** A point at which the sphere has this f - fopt. */
  const at = (delta: number): number[] => [optimum[0] + Math.sqrt(delta), optimum[1]];

  test('notes when each target was first reached', async () => {
    const deltas = [90, 8, 20, 0.5, 0.9];
    const { factory } = scripted({ batch: (k) => [at(deltas[k % deltas.length])] });
    const record = await carryOutRun(KEY, CONDITIONS, [factory]);
    expect(record.evaluations).toBe(100);
    expect(record.bestDelta).toBeCloseTo(0.5, 10);
    // 100 | 63 .. 10 | 6.3 .. 0.63, by the values 90, 8, 0.5.
    expect(record.hits).toEqual([1, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4]);
  });

  test('ends at the final target, in the middle of a generation', async () => {
    const { factory } = scripted({ batch: (k) => (k === 2 ? [at(1), at(0), at(1)] : [at(4), at(9)]) });
    const record = await carryOutRun(KEY, CONDITIONS, [factory]);
    expect(record.evaluations).toBe(6);
    expect(record.hits.at(-1)).toBe(6);
    expect(record.hits).toHaveLength(51);
    expect(record.dat.at(-1)).toMatch(/^6 0 /);
    expect(record.tdat.at(-1)).toMatch(/^6 0 /);
  });

  test('starts a strategy that ends early again, with another seed and the rest of the budget', async () => {
    const { factory, problems } = scripted({ batch: () => [at(1), at(2), at(3)], asks: 13 });
    const record = await carryOutRun({ ...KEY, repetition: 2 }, CONDITIONS, [factory]);
    expect(record.evaluations).toBe(100);
    const seed = 1 + 2 + 10 + 1000 + 200000;
    expect(problems.map((problem) => [problem.seed, problem.budgetEvaluations])).toEqual([
      [seed, 100],
      [seed + 7919, 61],
      [seed + 2 * 7919, 22],
    ]);
  });

  test('shows the strategy the raw value and the usual box', async () => {
    const { factory, problems, seen } = scripted({ batch: () => [at(1)] });
    await carryOutRun(KEY, CONDITIONS, [factory]);
    expect(seen[0]).toBeCloseTo(optimalValue + 1, 10);
    expect(problems[0].bounds).toEqual({ lower: Float64Array.of(-5, -5), upper: Float64Array.of(5, 5) });
  });

  test('with noise the strategy sees noisy values and is judged by clean ones', async () => {
    const { factory, seen } = scripted({ batch: () => [at(4)] });
    const record = await carryOutRun(KEY, { ...CONDITIONS, noise: 0.01 }, [factory]);
    expect(record.bestDelta).toBeCloseTo(4, 10);
    const logs = seen.map((value) => Math.log((value - optimalValue) / 4) / 0.01);
    const mean = logs.reduce((sum, v) => sum + v, 0) / logs.length;
    const variance = logs.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (logs.length - 1);
    expect(Math.abs(mean)).toBeLessThan(0.4);
    expect(variance).toBeGreaterThan(0.6);
    expect(variance).toBeLessThan(1.5);
  });

  test('gets the budget by dimension, and seeds that a shift moves apart', async () => {
    const { factory } = scripted({ batch: () => [at(1)] });
    const conditions = { ...CONDITIONS, budget: { evaluations: 20, perDimension: true } };
    expect((await carryOutRun(KEY, conditions, [factory])).evaluations).toBe(40);
    expect(seedOf({ ...KEY, dimension: 640, functionId: 24, instance: 5 }, 0)).toBe(64_024_051);
    expect(seedOf(KEY, 2) - seedOf(KEY, 0)).toBe(200_000_000);
  });

  test('refuses to go on with a strategy that ends without evaluating', async () => {
    const { factory } = scripted({ batch: () => [], asks: 0 });
    await expect(carryOutRun(KEY, CONDITIONS, [factory])).rejects.toThrow(/ended \(converged\) without an evaluation/);
  });

  test.each(strategies.map((strategy) => strategy.name))('%s gives the same run twice', async (strategy) => {
    const key = { ...KEY, strategy, functionId: 8, dimension: 3 };
    const conditions = { ...CONDITIONS, noise: 0.1, stretched: true };
    const [a, b] = [await carryOutRun(key, conditions, strategies), await carryOutRun(key, conditions, strategies)];
    expect(a).toEqual(b);
    expect(a.evaluations).toBe(100);
    expect(await carryOutRun(key, { ...conditions, seed: 1 }, strategies)).not.toEqual(a);
  });
});
