import { describe, expect, it } from 'vitest';
import { Rng } from '../common/rng.js';
import { minimumInBox } from './minimum-in-box.js';

/** A random problem: f(z) = z' H z / 2 + g' z, u = A z. */
function problem(n: number, seed: number) {
  const rng = Rng.create(seed);
  const normals = (count: number): Float64Array => Float64Array.from({ length: count }, () => rng.normal());
  const b = normals(n * n);
  const hessian = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      for (let k = 0; k < n; k++) hessian[i * n + j] += b[i * n + k] * b[j * n + k];
    }
    hessian[i * n + i] += 0.1;
  }
  const factor = normals(n * n);
  for (let i = 0; i < n; i++) factor[i * n + i] += 3;
  const slope = normals(n).map((value) => 3 * value);
  return { n, hessian, factor, slope, lower: normals(n).map((v) => -Math.abs(v)), upper: normals(n).map(Math.abs) };
}

/** Gauss without pivots is enough for matrices with large diagonals; rows are swapped for the others. */
function solve(matrix: Float64Array, right: Float64Array): Float64Array {
  const n = right.length;
  const a = matrix.slice();
  const x = right.slice();
  for (let k = 0; k < n; k++) {
    let p = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(a[i * n + k]) > Math.abs(a[p * n + k])) p = i;
    for (let j = 0; j < n; j++) [a[k * n + j], a[p * n + j]] = [a[p * n + j], a[k * n + j]];
    [x[k], x[p]] = [x[p], x[k]];
    for (let i = k + 1; i < n; i++) {
      const f = a[i * n + k] / a[k * n + k];
      for (let j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
      x[i] -= f * x[k];
    }
  }
  for (let k = n - 1; k >= 0; k--) {
    for (let j = k + 1; j < n; j++) x[k] -= a[k * n + j] * x[j];
    x[k] /= a[k * n + k];
  }
  return x;
}

describe('minimum in a box', () => {
  it('meets the conditions of an optimum, with bounds exactly, on random problems', () => {
    let held = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const { n, hessian, factor, slope, lower, upper } = problem(1 + (seed % 9), seed);
      const z = solve(
        hessian,
        slope.map((value) => -value),
      );
      const product = (matrix: Float64Array, v: Float64Array): Float64Array =>
        v.map((_, i) => v.reduce((sum, value, j) => sum + matrix[i * n + j] * value, 0));
      const u = minimumInBox({ hessian, factor, unbounded: product(factor, z), lower, upper })!;
      // The gradient in u: A'^-1 (H A^-1 u + g).
      const inZ = product(hessian, solve(factor, u)).map((value, i) => value + slope[i]);
      const transposed = factor.map((_, at) => factor[(at % n) * n + Math.floor(at / n)]);
      const gradient = solve(transposed, inZ);
      const size = Math.max(1, ...slope.map(Math.abs));
      for (let i = 0; i < n; i++) {
        expect(u[i]).toBeGreaterThanOrEqual(lower[i]);
        expect(u[i]).toBeLessThanOrEqual(upper[i]);
        if (u[i] > lower[i]) expect(gradient[i]).toBeLessThan(1e-8 * size);
        if (u[i] < upper[i]) expect(gradient[i]).toBeGreaterThan(-1e-8 * size);
        if (u[i] === lower[i] || u[i] === upper[i]) held++;
      }
    }
    expect(held).toBeGreaterThan(300);
  });

  it('is null where the Hessian is singular', () => {
    const [zero, one] = [Float64Array.of(0), Float64Array.of(1)];
    expect(minimumInBox({ hessian: zero, factor: one, unbounded: one, lower: zero, upper: zero })).toBeNull();
  });
});
