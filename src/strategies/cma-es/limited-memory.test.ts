import { describe, expect, it } from 'vitest';
import { Rng } from '../../common/rng.js';
import { LimitedMemoryCovariance } from './covariance.js';

const n = 30;
const lambda = 14;

/** After `generations` updates with random shifts. */
function adapted(generations: number, seed: number): LimitedMemoryCovariance {
  const rng = Rng.create(seed);
  const covariance = new LimitedMemoryCovariance({ n, lambda, muEff: 4 });
  for (let g = 0; g < generations; g++) {
    const z = new Float64Array(lambda * n);
    const steps = new Float64Array((lambda + 1) * n);
    rng.fillNormals(z, 0, z.length);
    covariance.transform(z, steps, 0, lambda);
    const shift = Float64Array.from({ length: n }, (_, i) => (i < 3 ? 0.5 : 0.3 * rng.normal()));
    covariance.update(1, steps, new Float64Array(lambda + 1), lambda + 1, shift);
  }
  return covariance;
}

describe('limited-memory covariance', () => {
  it('starts as the identity', () => {
    const y = new Float64Array(n);
    const z = Float64Array.from({ length: n }, (_, i) => i - 3);
    adapted(0, 1).transform(z, y, 0, 1);
    expect(y).toEqual(z);
  });

  it('whitens what it transformed', () => {
    const covariance = adapted(60, 2);
    const z = new Float64Array(2 * n);
    const y = new Float64Array(2 * n);
    const back = new Float64Array(n);
    Rng.create(3).fillNormals(z, 0, z.length);
    covariance.transform(z, y, 0, 2);
    covariance.whiten(y, n, back);
    for (let i = 0; i < n; i++) expect(back[i]).toBeCloseTo(z[n + i], 12);
    const rows = new Float64Array(n);
    const lengths = new Float64Array(1);
    const mean = new Float64Array(n).fill(2);
    const points = y.subarray(n).map((value) => 2 + 0.5 * value);
    const task = { n, count: 1, entries: Int32Array.of(0), points, mean, scale: new Float64Array(n).fill(0.5) };
    covariance.whitenRows(task, rows, lengths);
    for (let i = 0; i < n; i++) expect(rows[i]).toBeCloseTo(z[n + i], 12);
    expect(lengths[0]).toBeCloseTo(
      rows.reduce((sum, v) => sum + v * v, 0),
      10,
    );
  });

  it('stretches along the direction in which the mean moves', () => {
    const covariance = adapted(200, 4);
    const length = (axis: (i: number) => number): number => {
      const z = Float64Array.from({ length: n }, (_, i) => axis(i));
      const y = new Float64Array(n);
      covariance.transform(z, y, 0, 1);
      const norm = (v: Float64Array): number => Math.sqrt(v.reduce((sum, value) => sum + value * value, 0));
      return norm(y) / norm(z);
    };
    expect(length((i) => (i < 3 ? 1 : 0))).toBeGreaterThan(1.2);
    expect(length((i) => (i === 0 ? 1 : i === 1 ? -1 : 0))).toBeLessThan(1.1);
    expect(covariance.variance(0)).toBeGreaterThan(1.1 * covariance.variance(n - 1));
  });

  it('continues from a snapshot with the same bits', () => {
    const covariance = adapted(5, 5);
    const restored = new LimitedMemoryCovariance({ n, lambda, muEff: 4 }, covariance.snapshot());
    const z = new Float64Array(n).fill(1);
    const [y, again] = [new Float64Array(n), new Float64Array(n)];
    const steps = new Float64Array((lambda + 1) * n).fill(0.7);
    for (const c of [covariance, restored]) {
      c.update(1, steps, new Float64Array(lambda + 1), lambda + 1, z);
      c.transform(z, c === covariance ? y : again, 0, 1);
    }
    expect(again).toEqual(y);
    expect(restored.variance(3)).toBe(covariance.variance(3));
  });
});
