import { describe, expect, it } from 'vitest';
import { candidateOf } from '../../model/candidate-batch.js';
import type { Strategy } from '../strategy.js';
import { bulkLimitedMemory } from './kind.js';

/** Value, and gradient [n]. */
type Differentiable = (x: Float64Array) => readonly [value: number, gradient: ArrayLike<number>];

const N = 4;
const SIZE = 24;

const create = (lower = -2, upper = 3): Strategy =>
  bulkLimitedMemory.create({
    bounds: { lower: new Float64Array(N).fill(lower), upper: new Float64Array(N).fill(upper) },
    seed: 5,
    budgetEvaluations: 1,
  });

/** The candidates of a generation and their values. */
function generation(strategy: Strategy, objective: Differentiable): readonly (readonly [Float64Array, number])[] {
  const batch = strategy.ask();
  expect(batch.count).toBe(SIZE);
  const points = Array.from({ length: SIZE }, (_, k) => candidateOf(batch, k).slice());
  const results = points.map(objective);
  strategy.tell(Float64Array.from(results, ([value]) => value));
  const read = strategy.ask();
  expect(read).toMatchObject({ reading: 'gradient', count: SIZE });
  points.forEach((point, k) => expect(candidateOf(read, k)).toEqual(point));
  strategy.tell(Float64Array.from(results.flatMap(([value, gradient]) => [value, ...Array.from(gradient)])));
  return points.map((point, k) => [point, results[k][0]]);
}

const ellipsoid: Differentiable = (x) => [
  x.reduce((sum, v, i) => sum + 10 ** i * (v - 0.3) ** 2, 0),
  x.map((v, i) => 2 * 10 ** i * (v - 0.3)),
];

describe('bulk-l-bfgs', () => {
  it('comes down in every individual, and begins anew at random points', () => {
    const strategy = create();
    const best = new Float64Array(SIZE).fill(Infinity);
    let anew = 0;
    for (let g = 0; g < 60 && strategy.stop() === null; g++) {
      generation(strategy, ellipsoid).forEach(([, value], k) => {
        if (best[k] < 1e-12 && value > 1) anew++;
        best[k] = Math.min(best[k], value);
      });
    }
    expect(Math.max(...best)).toBeLessThan(1e-12);
    expect(anew).toBeGreaterThan(SIZE / 2);
  });

  it('finds a minimum in a corner of the box, without a step across it', () => {
    const strategy = create(0.5, 3);
    for (let g = 0; g < 30 && strategy.stop() === null; g++) {
      for (const [point] of generation(strategy, ellipsoid)) expect(point.every((v) => v >= 0.5 && v <= 3)).toBe(true);
    }
    expect(strategy.incumbent()!.solution).toEqual(new Float64Array(N).fill(0.5));
  });

  it('takes no step from a point that has no value, or no gradient, and shortens one to such', () => {
    const halved: Differentiable = (x) => {
      const [value, gradient] = ellipsoid(x);
      if (x[0] < 0) return [Infinity, gradient];
      return x[1] < 0 ? [value, x.map(() => NaN)] : [value, gradient];
    };
    const strategy = create();
    const best = new Float64Array(SIZE).fill(Infinity);
    for (let g = 0; g < 80 && strategy.stop() === null; g++) {
      generation(strategy, halved).forEach(([point, value], k) => {
        expect(point.every(Number.isFinite)).toBe(true);
        best[k] = Math.min(best[k], value);
      });
    }
    expect(Math.max(...best)).toBeLessThan(1e-9);
  });

  it('ends a flat descent at once', () => {
    const strategy = create();
    const flat: Differentiable = (x) => [1, x.map(() => 0)];
    const [first, second] = [generation(strategy, flat), generation(strategy, flat)];
    first.forEach(([point], k) => expect(second[k][0]).not.toEqual(point));
  });

  it('refuses what is no row of a gradient', () => {
    const strategy = create();
    strategy.ask();
    strategy.tell(new Float64Array(SIZE));
    expect(() => strategy.tell(new Float64Array(N))).toThrow(/rows of gradients for 24 open candidates/);
    expect(() => strategy.tell(new Float64Array((N + 1) * (SIZE + 1)))).toThrow(RangeError);
  });
});
