import { describe, expect, it } from 'vitest';
import { Rng } from '../common/rng.js';
import { solveTriangle, triangularize } from './qr.js';

describe('least squares by QR', () => {
  it('solves what a square system solves', () => {
    const a = Float64Array.of(2, 1, 1, 3);
    const b = Float64Array.of(3, 5);
    triangularize(a, b, 2, 2);
    const [x, y] = solveTriangle(a, b, 2);
    expect(x).toBeCloseTo(0.8, 14);
    expect(y).toBeCloseTo(1.4, 14);
  });

  it('leaves a residual at right angles to the columns, also of badly conditioned ones', () => {
    const rng = Rng.create(7);
    const [m, n] = [12, 4];
    for (let round = 0; round < 20; round++) {
      // Columns that differ by one part in a million.
      const base = Array.from({ length: m }, () => rng.normal());
      const a = Float64Array.from({ length: m * n }, (_, k) => base[Math.floor(k / n)] + 1e-6 * rng.normal());
      const b = Float64Array.from({ length: m }, () => rng.normal());
      const [r, right] = [a.slice(), b.slice()];
      triangularize(r, right, m, n);
      const x = solveTriangle(r, right, n);
      const residual = b.map((value, i) => value - x.reduce((sum, v, j) => sum + a[i * n + j] * v, 0));
      for (let j = 0; j < n; j++) {
        const along = residual.reduce((sum, value, i) => sum + value * a[i * n + j], 0);
        expect(Math.abs(along)).toBeLessThan(1e-8);
      }
    }
  });

  it('gives 0 for a column of zeros', () => {
    const a = Float64Array.of(1, 0, 1, 0, 1, 0);
    const b = Float64Array.of(1, 2, 3);
    triangularize(a, b, 3, 2);
    expect(Array.from(solveTriangle(a, b, 2), (v) => Math.round(v * 1e12) / 1e12)).toEqual([2, 0]);
  });
});
