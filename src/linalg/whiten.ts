/**
 * Many points at once in coordinates in which a normal distribution is standard: z = L^-1 ((x - mean) / scale).
 * ORDER OF SUMS: native/linalg computes the same bits.
 */
import { nativeLinalg } from './native.js';

export interface Whitening {
  readonly n: number;
  readonly count: number;
  /** [count]: rows of `points` [., n]. */
  readonly entries: Int32Array;
  readonly points: Float64Array;
  /** [n] each. */
  readonly mean: Float64Array;
  readonly scale: Float64Array;
  /** L [n, n] row-major, lower triangle read. */
  readonly factor: Float64Array;
}

/** Fills `z` [count, n] and `squaredLengths` [count]. */
export function whitenRows(task: Whitening, z: Float64Array, squaredLengths: Float64Array): void {
  const native = nativeLinalg();
  if (native === null) {
    whitenRowsInJs(task, z, squaredLengths);
    return;
  }
  const { n, count, entries, points, mean, scale, factor } = task;
  native.whitenRows(n, count, entries, points, mean, scale, factor, z, squaredLengths);
}

export function whitenRowsInJs(task: Whitening, z: Float64Array, squaredLengths: Float64Array): void {
  const { n, count, entries, points, mean, scale, factor } = task;
  const inverseScale = new Float64Array(n);
  const inverseDiagonal = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    inverseScale[i] = 1 / scale[i];
    inverseDiagonal[i] = 1 / factor[i * n + i];
  }
  for (let k = 0; k < count; k++) {
    const from = entries[k] * n;
    for (let i = 0; i < n; i++) z[k * n + i] = (points[from + i] - mean[i]) * inverseScale[i];
  }
  // Four points at a time: four independent sums.
  let k = 0;
  for (; k + 3 < count; k += 4) {
    const p = k * n;
    const q = p + n;
    const r = q + n;
    const s = r + n;
    let lp = 0;
    let lq = 0;
    let lr = 0;
    let ls = 0;
    for (let i = 0; i < n; i++) {
      const row = i * n;
      let zp = z[p + i];
      let zq = z[q + i];
      let zr = z[r + i];
      let zs = z[s + i];
      for (let j = 0; j < i; j++) {
        const l = factor[row + j];
        zp -= l * z[p + j];
        zq -= l * z[q + j];
        zr -= l * z[r + j];
        zs -= l * z[s + j];
      }
      const inverse = inverseDiagonal[i];
      zp *= inverse;
      zq *= inverse;
      zr *= inverse;
      zs *= inverse;
      z[p + i] = zp;
      z[q + i] = zq;
      z[r + i] = zr;
      z[s + i] = zs;
      lp += zp * zp;
      lq += zq * zq;
      lr += zr * zr;
      ls += zs * zs;
    }
    squaredLengths[k] = lp;
    squaredLengths[k + 1] = lq;
    squaredLengths[k + 2] = lr;
    squaredLengths[k + 3] = ls;
  }
  for (; k < count; k++) {
    const p = k * n;
    let length = 0;
    for (let i = 0; i < n; i++) {
      let value = z[p + i];
      for (let j = 0; j < i; j++) value -= factor[i * n + j] * z[p + j];
      value *= inverseDiagonal[i];
      z[p + i] = value;
      length += value * value;
    }
    squaredLengths[k] = length;
  }
}
