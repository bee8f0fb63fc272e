import { describe, expect, test } from 'vitest';
import { BestSoFar } from './best-so-far.js';

describe('the best so far', () => {
  test('is none before a finite fitness', () => {
    const best = new BestSoFar(2);
    expect(best.offer(Infinity, [1, 2])).toBe(false);
    expect(best.offer(NaN, [1, 2])).toBe(false);
    expect(best.isKnown).toBe(false);
    expect(best.fitness).toBe(Infinity);
    expect(best.incumbent()).toBeNull();
  });

  test('is the first of equal candidates, 0 and -0 among them', () => {
    const best = new BestSoFar(1);
    expect(best.offer(0, [1])).toBe(true);
    expect(best.offer(0, [2])).toBe(false);
    expect(best.offer(-0, [3])).toBe(false);
    expect(best.incumbent()).toEqual({ solution: Float64Array.of(1), fitness: 0 });
  });

  test('is a candidate of a batch, copied', () => {
    const candidates = Float64Array.of(1, 2, 3, 4, 5, 6);
    const best = new BestSoFar(2);
    const batch = { candidates, layout: undefined, dimension: 2 };
    expect(best.offerOf(7, batch, 2)).toBe(true);
    expect(best.offerOf(8, batch, 1)).toBe(false);
    const before = best.copy();
    const incumbent = best.incumbent()!;
    candidates.fill(9);
    expect(best.offerOf(6, batch, 0)).toBe(true);
    incumbent.solution.fill(8);
    expect(Array.from(before.solution)).toEqual([5, 6]);
    expect(before.fitness).toBe(7);
    expect(best.incumbent()).toEqual({ solution: Float64Array.of(9, 9), fitness: 6 });
  });

  test('goes through its encoding in every bit', () => {
    const best = new BestSoFar(2);
    expect(new BestSoFar(2, best.encode())).toEqual(best);
    best.offer(-0, [-0, 5e-324]);
    expect(new BestSoFar(2, best.encode()).incumbent()).toEqual(best.incumbent());
    expect(() => new BestSoFar(3, best.encode())).toThrow(RangeError);
  });
});
