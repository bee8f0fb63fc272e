import { describe, expect, it } from 'vitest';
import { Rng } from '../common/rng.js';
import { choleskyFactor, solveLower } from './cholesky.js';
import { luFactor, luSolve } from './lu.js';
import { SymmetricEigen } from './symmetric-eigen.js';

function randomMatrix(n: number, rng: Rng): Float64Array {
  const m = new Float64Array(n * n);
  rng.fillNormals(m, 0, n * n);
  return m;
}

function randomSymmetric(n: number, rng: Rng): Float64Array {
  const g = randomMatrix(n, rng);
  return g.map((entry, k) => 0.5 * (entry + g[(k % n) * n + Math.floor(k / n)]));
}

/** M M^T + ridge I. */
function randomPositive(n: number, rng: Rng, ridge = 1e-3): Float64Array {
  const m = randomMatrix(n, rng);
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      for (let k = 0; k < n; k++) a[i * n + j] += m[i * n + k] * m[j * n + k];
    }
    a[i * n + i] += ridge;
  }
  return a;
}

/** Largest |A v - lambda v| and |V V^T - I| entries. */
function residuals(a: Float64Array, values: Float64Array, vectors: Float64Array, n: number): [number, number] {
  let residual = 0;
  let orthogonality = 0;
  for (let k = 0; k < n; k++) {
    for (let i = 0; i < n; i++) {
      let av = 0;
      let vv = 0;
      for (let j = 0; j < n; j++) {
        av += a[i * n + j] * vectors[k * n + j];
        vv += vectors[i * n + j] * vectors[k * n + j];
      }
      residual = Math.max(residual, Math.abs(av - values[k] * vectors[k * n + i]));
      orthogonality = Math.max(orthogonality, Math.abs(vv - (i === k ? 1 : 0)));
    }
  }
  return [residual, orthogonality];
}

describe('symmetric eigendecomposition', () => {
  it.each([1, 2, 3, 4, 7, 16, 33, 100])('has tiny residuals and orthonormal vectors for n = %i', (n) => {
    const a = randomSymmetric(n, Rng.create(n));
    const values = new Float64Array(n);
    const vectors = new Float64Array(n * n);
    const eigen = new SymmetricEigen(n);
    expect(eigen.decompose(a, values, vectors)).toBe(true);
    const [residual, orthogonality] = residuals(a, values, vectors, n);
    const scale = Math.max(...values.map(Math.abs));
    expect(residual / scale).toBeLessThan(1e-14 * Math.sqrt(n) * 4);
    expect(orthogonality).toBeLessThan(1e-14 * Math.sqrt(n) * 4);
    for (let i = 1; i < n; i++) expect(values[i]).toBeGreaterThanOrEqual(values[i - 1]);
    const valuesOnly = new Float64Array(n);
    expect(eigen.decompose(a, valuesOnly, null)).toBe(true);
    for (let i = 0; i < n; i++) expect(Math.abs(valuesOnly[i] - values[i])).toBeLessThan(1e-13 * scale);
  });

  it('finds the known spectrum of the second-difference matrix', () => {
    const n = 30;
    const a = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      a[i * n + i] = 2;
      if (i > 0) a[i * n + i - 1] = -1;
    }
    const values = new Float64Array(n);
    new SymmetricEigen(n).decompose(a, values, null);
    for (let k = 0; k < n; k++) expect(values[k]).toBeCloseTo(2 - 2 * Math.cos(((k + 1) * Math.PI) / (n + 1)), 13);
  });

  it('copes with repeated, zero, tiny, huge and diagonal spectra', () => {
    const n = 6;
    const eigen = new SymmetricEigen(n);
    const values = new Float64Array(n);
    const vectors = new Float64Array(n * n);
    for (const spectrum of [
      [1, 1, 1, 1, 1, 1],
      [0, 0, 0, 0, 0, 0],
      [1e-300, 2e-300, 3e-300, 0, 0, 0],
      [1e300, 2e300, -1e300, 0, 1, 5],
      [1e-14, 1, 1e14, 1e7, 1e-7, 3],
    ]) {
      const a = new Float64Array(n * n);
      spectrum.forEach((value, i) => (a[i * n + i] = value));
      expect(eigen.decompose(a, values, vectors)).toBe(true);
      expect([...values]).toEqual([...spectrum].sort((p, q) => p - q).map((v) => expect.closeTo(v, 10)));
      expect(residuals(a, values, vectors, n)[1]).toBeLessThan(1e-14);
    }
  });

  it('refuses a matrix that is not finite', () => {
    const values = new Float64Array(2);
    const eigen = new SymmetricEigen(2);
    expect(eigen.decompose(Float64Array.of(1, 0, NaN, 1), values, null)).toBe(false);
    expect(eigen.decompose(Float64Array.of(Infinity, 0, 0, 1), values, null)).toBe(false);
  });

  it('leaves its input alone and repeats itself in every bit', () => {
    const n = 20;
    const a = randomSymmetric(n, Rng.create(5));
    const copy = a.slice();
    const eigen = new SymmetricEigen(n);
    const runs = [0, 1].map(() => {
      const values = new Float64Array(n);
      const vectors = new Float64Array(n * n);
      eigen.decompose(a, values, vectors);
      return [...values, ...vectors];
    });
    expect(a).toEqual(copy);
    expect(runs[0]).toEqual(runs[1]);
  });
});

describe('Cholesky', () => {
  it.each([1, 2, 3, 5, 8, 31, 100])('rebuilds the matrix and solves with it for n = %i', (n) => {
    const rng = Rng.create(100 + n);
    const a = randomPositive(n, rng);
    const l = new Float64Array(n * n);
    expect(choleskyFactor(a, l, n)).toBe(true);
    let error = 0;
    let largest = 0;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let k = 0; k <= j; k++) sum += l[i * n + k] * l[j * n + k];
        error = Math.max(error, Math.abs(sum - a[i * n + j]));
        largest = Math.max(largest, Math.abs(a[i * n + j]));
      }
    }
    expect(error / largest).toBeLessThan(1e-14);

    const z = new Float64Array(n);
    rng.fillNormals(z, 0, n);
    const b = new Float64Array(n);
    for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) b[i] += l[i * n + j] * z[j];
    solveLower(l, b, b, n);
    for (let i = 0; i < n; i++) expect(Math.abs(b[i] - z[i])).toBeLessThan(1e-9);
  });

  it('refuses matrices that are not positive definite', () => {
    const l = new Float64Array(4);
    expect(choleskyFactor(Float64Array.of(1, 2, 2, 1), l, 2)).toBe(false);
    expect(choleskyFactor(Float64Array.of(1, 1, 1, 1), l, 2)).toBe(false);
    expect(choleskyFactor(Float64Array.of(0, 0, 0, 1), l, 2)).toBe(false);
    expect(choleskyFactor(Float64Array.of(1, NaN, NaN, 1), l, 2)).toBe(false);
    expect(choleskyFactor(Float64Array.of(Infinity, 0, 0, 1), l, 2)).toBe(false);
  });
});

describe('luFactor and luSolve', () => {
  it('solve random systems', () => {
    const rng = Rng.create(5);
    for (const n of [1, 2, 3, 10, 40]) {
      const a = randomMatrix(n, rng);
      const x = new Float64Array(n);
      rng.fillNormals(x, 0, n);
      const b = x.map((_, i) => x.reduce((sum, v, j) => sum + a[i * n + j] * v, 0));
      const order = new Int32Array(n);
      expect(luFactor(a, order, n)).toBe(true);
      luSolve(a, order, b, n).forEach((v, i) => expect(v).toBeCloseTo(x[i], 9));
    }
  });

  it('exchange rows where a pivot is zero', () => {
    const a = Float64Array.of(0, 2, 3, 0);
    const order = new Int32Array(2);
    expect(luFactor(a, order, 2)).toBe(true);
    expect([...luSolve(a, order, Float64Array.of(4, 9), 2)]).toEqual([3, 2]);
  });

  it('refuse singular and non-finite matrices', () => {
    expect(luFactor(Float64Array.of(1, 2, 2, 4), new Int32Array(2), 2)).toBe(false);
    expect(luFactor(Float64Array.of(1, NaN, 0, NaN), new Int32Array(2), 2)).toBe(false);
  });
});
