import { describe, expect, it } from 'vitest';
import { driveStep, fitnessOf } from '../../../test/support/drive-search.js';
import { Rng } from '../../common/rng.js';
import { Archive } from '../search/archive.js';
import { LimitedMemoryQuasiNewton } from './l-bfgs.js';

type Objective = (x: Float64Array) => number;

function drive(n: number, start: Float64Array, objective: Objective, limit: number) {
  const context = { n, rng: Rng.create(1), archive: new Archive(n), budget: limit };
  const search = new LimitedMemoryQuasiNewton(context, { x: start });
  const batches: number[] = [];
  let evaluations = 0;
  while (search.end() === null && evaluations < limit) {
    driveStep(search, (asked) => {
      expect(asked.points.every((v) => v >= 0 && v <= 1)).toBe(true);
      batches.push(asked.count);
      evaluations += asked.count;
      return fitnessOf(asked, objective);
    });
  }
  return { search, batches };
}

describe('LimitedMemoryQuasiNewton', () => {
  it('minimises an ellipsoid of 300 dimensions in a few gradients', () => {
    const n = 300;
    const ellipsoid: Objective = (x) => x.reduce((sum, v, i) => sum + (1 + (99 * i) / (n - 1)) * (v - 0.4) ** 2, 0);
    const { search, batches } = drive(n, new Float64Array(n).fill(0.7), ellipsoid, 60 * n);
    expect(search.fitness).toBeLessThan(1e-9);
    // A gradient is one batch.
    expect(batches.filter((count) => count > 1).every((count) => count === n)).toBe(true);
  });

  it('follows the valley of Rosenbrock', () => {
    const rosenbrock: Objective = (u) => {
      const x = u.map((v) => 4 * v - 2);
      let sum = 0;
      for (let i = 0; i + 1 < x.length; i++) sum += 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2;
      return sum;
    };
    const { search } = drive(20, new Float64Array(20).fill(0.45), rosenbrock, 5000);
    expect(search.fitness).toBeLessThan(1e-6);
  });

  it('stays on the faces where the minimum is outside', () => {
    const objective: Objective = (x) => x.reduce((sum, v, i) => sum + (v - [1.5, -0.5, 0.25][i % 3]) ** 2, 0);
    const { search } = drive(9, new Float64Array(9).fill(0.5), objective, 2000);
    expect(search.end()).toBe('tolFun');
    search.point.forEach((v, i) => expect(v).toBeCloseTo([1, 0, 0.25][i % 3], 6));
  });

  it('ends on a plateau and where differences fail', () => {
    expect(drive(3, new Float64Array(3).fill(0.5), () => 1, 100).search.end()).toBe('tolFun');
    expect(drive(3, new Float64Array(3).fill(0.5), () => Infinity, 100).search.end()).toBe('stalled');
    const edge: Objective = (x) => (x[0] > 0.5 ? Infinity : 1);
    expect(drive(3, new Float64Array(3).fill(0.5), edge, 100).search.end()).toBe('stalled');
  });
});
