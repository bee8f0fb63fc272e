import { describe, expect, it } from 'vitest';
import { Rng } from '../../common/rng.js';
import type { Points } from './search.js';
import { isSumCloseBy, isSumUnderNoise } from './sum-under-noise.js';

type Objective = (x: ArrayLike<number>) => number;

const N = 4;
const ROUNDS = 8;
const SEEDS = Array.from({ length: 50 }, (_, k) => k);

/** Answers the question by values with normal noise; what it cost. */
function answer(
  question: Generator<Points, boolean, Float64Array>,
  f: Objective,
  noisy: (value: number) => number,
): { isSum: boolean; cost: number } {
  let cost = 0;
  let next = question.next();
  while (next.done !== true) {
    const { points, count } = next.value;
    cost += count;
    next = question.next(Float64Array.from({ length: count }, (_, k) => noisy(f(points.slice(k * N, (k + 1) * N)))));
  }
  return { isSum: next.value, cost };
}

/** A sum; with a penalty beyond a limit on all coordinates together, which the best point lies at, it is none. */
const bowl: Objective = (x) => Array.from(x).reduce((sum, v, i) => sum + (i + 1) * (v - 0.6) ** 2, 0);
const limited: Objective = (x) => bowl(x) + 10 * Math.max(0, Array.from(x).reduce((sum, v) => sum + v, 0) - 2);

const centre = new Float64Array(N).fill(0.9);
const atTheLimit = new Float64Array(N).fill(0.5);

describe('whether it is a sum, under noise', () => {
  const ask = (f: Objective, size: number, seed: number) => {
    const rng = Rng.create(seed);
    const noisy = (value: number): number => value + size * rng.normal();
    const own = [noisy(f(centre)), noisy(f(centre))] as const;
    const draw = (): Float64Array => Float64Array.from(centre, () => 0.5 + 0.5 * rng.uniform());
    return answer(isSumUnderNoise(centre, own, draw, ROUNDS, rng), f, noisy);
  };

  it.each([1e-170, 1e170])('says no where squares of values of %s are 0 or infinite', (unit) => {
    expect(ask((x) => unit * bowl(x), 0.01 * unit, 1).isSum).toBe(false);
  });

  it('passes sums', () => {
    const passed = SEEDS.filter((seed) => ask(bowl, 0.003, seed).isSum);
    expect(passed.length).toBeGreaterThanOrEqual(0.9 * SEEDS.length);
  });

  it('refuses a product after few evaluations, and what failed', () => {
    const product: Objective = (x) => Array.from(x).reduce((all, v) => all * (v - 0.4), 1);
    for (const seed of SEEDS) {
      const { isSum, cost } = ask(product, 1e-5, seed);
      expect(isSum).toBe(false);
      expect(cost).toBeLessThan(4 * ROUNDS);
    }
    expect(ask((x) => (x[0] === 0.9 ? 0 : Infinity), 0.1, 1)).toEqual({ isSum: false, cost: 3 });
  });

  it('does not see a limit that is met elsewhere', () => {
    const passed = SEEDS.filter((seed) => ask(limited, 0.003, seed).isSum);
    expect(passed.length).toBeGreaterThan(0.8 * SEEDS.length);
  });
});

describe('whether it is a sum close by', () => {
  const ask = (f: Objective, seed: number, isWhole: boolean) => {
    const rng = Rng.create(seed);
    const noisy = (value: number): number => value + 0.01 * rng.normal();
    const move = (i: number, isUp: boolean): number => atTheLimit[i] + (isUp ? 0.3 : -0.3);
    return answer(isSumCloseBy(atTheLimit, noisy(f(atTheLimit)), move, isWhole, rng), f, noisy);
  };

  it('passes sums', () => {
    for (const seed of SEEDS) expect(ask(bowl, seed, seed % 2 === 0)).toEqual({ isSum: true, cost: 8 });
  });

  it('always sees a limit on all coordinates together where those of a half go together', () => {
    for (const seed of SEEDS) expect(ask(limited, seed, true).isSum).toBe(false);
    const seen = SEEDS.filter((seed) => !ask(limited, seed, false).isSum);
    expect(seen.length).toBeLessThan(0.5 * SEEDS.length);
  });

  it('takes a failure for no sum', () => {
    expect(ask((x) => (x[0] > 0.7 ? Infinity : bowl(x)), 1, true).isSum).toBe(false);
  });
});
