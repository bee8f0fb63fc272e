/** The building blocks of the BBOB functions, with the names of RR-6829. */

/** A linear map of R^n. `out` and `x` must differ. */
export interface LinearMap {
  apply(x: Float64Array, out: Float64Array): void;
}

/** An orthogonal map; its transpose is its inverse. */
export interface Rotation extends LinearMap {
  applyTransposed(x: Float64Array, out: Float64Array): void;
}

/** `matrix` is row-major [n, n]. */
export function denseMap(matrix: Float64Array, n: number): Rotation {
  return {
    apply(x, out) {
      for (let i = 0, at = 0; i < n; i++) {
        let sum = 0;
        for (let j = 0; j < n; j++, at++) sum += matrix[at] * x[j];
        out[i] = sum;
      }
    },
    applyTransposed(x, out) {
      out.fill(0);
      for (let i = 0, at = 0; i < n; i++) {
        for (let j = 0; j < n; j++, at++) out[j] += matrix[at] * x[i];
      }
    },
  };
}

/** Diagonal of Lambda^alpha: alpha^(i / (2 (n - 1))), i = 0 .. n - 1. */
export function conditioning(alpha: number, n: number): Float64Array {
  const root = Math.sqrt(alpha);
  return Float64Array.from({ length: n }, (_, i) => Math.pow(root, i / (n - 1)));
}

/** Q Lambda R as one matrix. */
export function conditionedRotation(q: Float64Array, diagonal: Float64Array, r: Float64Array, n: number): Float64Array {
  const product = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const row = product.subarray(i * n, (i + 1) * n);
    for (let k = 0; k < n; k++) {
      const factor = q[i * n + k] * diagonal[k];
      const source = r.subarray(k * n, (k + 1) * n);
      for (let j = 0; j < n; j++) row[j] += factor * source[j];
    }
  }
  return product;
}

/** T_osz of one number: strictly increasing, with small smooth irregularities. */
export function oscillated(x: number): number {
  if (x > 0) {
    const t = Math.log(x) / 0.1;
    return Math.pow(Math.exp(t + 0.49 * (Math.sin(t) + Math.sin(0.79 * t))), 0.1);
  }
  if (x < 0) {
    const t = Math.log(-x) / 0.1;
    return -Math.pow(Math.exp(t + 0.49 * (Math.sin(0.55 * t) + Math.sin(0.31 * t))), 0.1);
  }
  return 0;
}

/** T_osz on every coordinate, in place. */
export function oscillate(z: Float64Array): void {
  for (let i = 0; i < z.length; i++) z[i] = oscillated(z[i]);
}

/** T_asy^beta, in place: stretches the positive side of a coordinate, later coordinates more. */
export function makeAsymmetric(z: Float64Array, beta: number): void {
  const n = z.length;
  for (let i = 0; i < n; i++) {
    const v = z[i];
    if (v > 0) z[i] = Math.pow(v, 1 + ((beta * i) / (n - 1)) * Math.sqrt(v));
  }
}

/** f_pen: squared distance to [-5, 5]^n. */
export function outsidePenalty(x: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) {
    const excess = Math.abs(x[i]) - 5;
    if (excess > 0) sum += excess * excess;
  }
  return sum;
}

/** Rounds to the nearest integer, halves upwards. */
export const rounded = (x: number): number => Math.floor(x + 0.5);
