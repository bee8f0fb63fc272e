/**
 * The shape of the search distribution: a covariance C and a factor A with A A^T = C.
 *
 * `FullCovariance` keeps C [n, n] and its Cholesky factor; `DiagonalCovariance` keeps n variances. Both turn standard
 * normals z into steps y = A z, whiten steps (z = A^-1 y), and take the same update. A is refreshed from C only every
 * few generations; in between it lags a little behind.
 *
 * Why Cholesky and not the eigendecomposition of the tutorial: docs/adr/0005-cma-es-cholesky-factor.md.
 */
import { choleskyFactor, solveLower } from '../../linalg/cholesky.js';
import { type Whitening, whitenRows } from '../../linalg/whiten.js';
import { SymmetricEigen } from '../../linalg/symmetric-eigen.js';
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';

/** Beyond this condition number steps along the short axes drown in rounding. */
export const MAX_CONDITION = 1e14;

export interface Covariance {
  /** y_k = A z_k for the rows first .. first+count-1 of `z` and `y`, both [lambda, n]. */
  transform(z: Float64Array, y: Float64Array, first: number, count: number): void;
  /** A^-1 y for y = `steps[start .. start+n]`, into `out` [n]. */
  whiten(steps: Float64Array, start: number, out: Float64Array): void;
  /** Many points at once: rows of `z` [count, n] = A^-1 ((x - mean) / scale). */
  whitenRows(task: Omit<Whitening, 'factor'>, z: Float64Array, squaredLengths: Float64Array): void;
  /** C = decay C + sum_k coefficients[k] y_k y_k^T over the rows of `steps` [count, n]. Eq. 47. */
  update(decay: number, steps: Float64Array, coefficients: Float64Array, count: number): void;
  /** Brings A up to date. C is repaired first where rounding or negative weights made it indefinite. */
  refresh(): void;
  /** C[i][i]. */
  variance(i: number): number;
  conditionNumber(): number;
  snapshot(): CovarianceSnapshot;
}

export interface CovarianceSnapshot {
  readonly covariance: string;
  /** Not derivable from C between two refreshes. */
  readonly factor: string;
}

export class FullCovariance implements Covariance {
  private readonly c: Float64Array;
  private readonly factor: Float64Array;
  private readonly eigen: SymmetricEigen;
  private readonly values: Float64Array;

  constructor(
    private readonly n: number,
    snapshot?: CovarianceSnapshot,
  ) {
    this.eigen = new SymmetricEigen(n);
    this.values = new Float64Array(n);
    if (snapshot !== undefined) {
      this.c = decodeFloats(snapshot.covariance, n * n);
      this.factor = decodeFloats(snapshot.factor, n * n);
      return;
    }
    this.c = new Float64Array(n * n);
    this.factor = new Float64Array(n * n);
    for (let i = 0; i < n; i++) this.c[i * n + i] = this.factor[i * n + i] = 1;
  }

  transform(z: Float64Array, y: Float64Array, first: number, count: number): void {
    const { n, factor } = this;
    const end = first + count;
    let k = first;
    // Two rows of A by four candidates at a time: six loads for eight multiply-adds, and eight independent sums.
    for (; k + 3 < end; k += 4) {
      const k0 = k * n;
      const k1 = k0 + n;
      const k2 = k1 + n;
      const k3 = k2 + n;
      let i = 0;
      for (; i + 1 < n; i += 2) {
        const row = i * n;
        const next = row + n;
        let s0 = 0;
        let s1 = 0;
        let s2 = 0;
        let s3 = 0;
        let t0 = 0;
        let t1 = 0;
        let t2 = 0;
        let t3 = 0;
        for (let j = 0; j <= i; j++) {
          const a = factor[row + j]!;
          const b = factor[next + j]!;
          const z0 = z[k0 + j]!;
          const z1 = z[k1 + j]!;
          const z2 = z[k2 + j]!;
          const z3 = z[k3 + j]!;
          s0 += a * z0;
          s1 += a * z1;
          s2 += a * z2;
          s3 += a * z3;
          t0 += b * z0;
          t1 += b * z1;
          t2 += b * z2;
          t3 += b * z3;
        }
        const b = factor[next + i + 1]!;
        y[k0 + i] = s0;
        y[k1 + i] = s1;
        y[k2 + i] = s2;
        y[k3 + i] = s3;
        y[k0 + i + 1] = t0 + b * z[k0 + i + 1]!;
        y[k1 + i + 1] = t1 + b * z[k1 + i + 1]!;
        y[k2 + i + 1] = t2 + b * z[k2 + i + 1]!;
        y[k3 + i + 1] = t3 + b * z[k3 + i + 1]!;
      }
      if (i === n) continue;
      const row = i * n;
      for (let c = k0; c <= k3; c += n) {
        let sum = 0;
        for (let j = 0; j <= i; j++) sum += factor[row + j]! * z[c + j]!;
        y[c + i] = sum;
      }
    }
    for (; k < end; k++) {
      const k0 = k * n;
      for (let i = 0; i < n; i++) {
        const row = i * n;
        let s0 = 0;
        for (let j = 0; j <= i; j++) s0 += factor[row + j]! * z[k0 + j]!;
        y[k0 + i] = s0;
      }
    }
  }

  whiten(steps: Float64Array, start: number, out: Float64Array): void {
    const { n } = this;
    for (let i = 0; i < n; i++) out[i] = steps[start + i]!;
    solveLower(this.factor, out, out, n);
  }

  whitenRows(task: Omit<Whitening, 'factor'>, z: Float64Array, squaredLengths: Float64Array): void {
    whitenRows({ ...task, factor: this.factor }, z, squaredLengths);
  }

  update(decay: number, steps: Float64Array, coefficients: Float64Array, count: number): void {
    const { n, c } = this;
    let scale = decay;
    let k = 0;
    // Four steps per pass over two rows of C: six loads and two stores for eight multiply-adds.
    for (; k + 3 < count; k += 4) {
      const w0 = coefficients[k]!;
      const w1 = coefficients[k + 1]!;
      const w2 = coefficients[k + 2]!;
      const w3 = coefficients[k + 3]!;
      const k0 = k * n;
      const k1 = k0 + n;
      const k2 = k1 + n;
      const k3 = k2 + n;
      for (let i = 0; i < n; i += 2) {
        const row = i * n;
        const a0 = w0 * steps[k0 + i]!;
        const a1 = w1 * steps[k1 + i]!;
        const a2 = w2 * steps[k2 + i]!;
        const a3 = w3 * steps[k3 + i]!;
        if (i + 1 === n) {
          for (let j = 0; j <= i; j++) {
            const sum = a0 * steps[k0 + j]! + a1 * steps[k1 + j]! + (a2 * steps[k2 + j]! + a3 * steps[k3 + j]!);
            c[row + j] = scale * c[row + j]! + sum;
          }
          break;
        }
        const next = row + n;
        const b0 = w0 * steps[k0 + i + 1]!;
        const b1 = w1 * steps[k1 + i + 1]!;
        const b2 = w2 * steps[k2 + i + 1]!;
        const b3 = w3 * steps[k3 + i + 1]!;
        // j runs to i + 1: the entry right of the first row's diagonal is written too, and nobody reads it.
        for (let j = 0; j <= i + 1; j++) {
          const y0 = steps[k0 + j]!;
          const y1 = steps[k1 + j]!;
          const y2 = steps[k2 + j]!;
          const y3 = steps[k3 + j]!;
          c[row + j] = scale * c[row + j]! + (a0 * y0 + a1 * y1 + (a2 * y2 + a3 * y3));
          c[next + j] = scale * c[next + j]! + (b0 * y0 + b1 * y1 + (b2 * y2 + b3 * y3));
        }
      }
      scale = 1;
    }
    for (; k < count; k++) {
      const k0 = k * n;
      for (let i = 0; i < n; i++) {
        const row = i * n;
        const a0 = coefficients[k]! * steps[k0 + i]!;
        for (let j = 0; j <= i; j++) c[row + j] = scale * c[row + j]! + a0 * steps[k0 + j]!;
      }
      scale = 1;
    }
  }

  refresh(): void {
    if (choleskyFactor(this.c, this.factor, this.n)) return;
    this.repair();
  }

  /** Lifts every eigenvalue to at least the largest one over MAX_CONDITION; falls back to the identity. */
  private repair(): void {
    const { n, c, values } = this;
    const vectors = new Float64Array(n * n);
    const sound = this.eigen.decompose(c, values, vectors) && values[n - 1]! > 0;
    if (sound) {
      const floor = values[n - 1]! / MAX_CONDITION;
      for (let i = 0; i < n; i++) {
        for (let j = 0; j <= i; j++) {
          let sum = 0;
          for (let k = 0; k < n; k++) {
            sum += Math.max(values[k]!, floor) * vectors[k * n + i]! * vectors[k * n + j]!;
          }
          c[i * n + j] = sum;
        }
      }
    }
    if (sound && choleskyFactor(c, this.factor, n, 0)) return;
    c.fill(0);
    for (let i = 0; i < n; i++) c[i * n + i] = 1;
    choleskyFactor(c, this.factor, n);
  }

  variance(i: number): number {
    return this.c[i * this.n + i]!;
  }

  conditionNumber(): number {
    const { n, values } = this;
    if (!this.eigen.decompose(this.c, values, null) || values[0]! <= 0) return Infinity;
    return values[n - 1]! / values[0]!;
  }

  snapshot(): CovarianceSnapshot {
    return { covariance: encodeFloats(this.c), factor: encodeFloats(this.factor) };
  }
}

export class DiagonalCovariance implements Covariance {
  private readonly c: Float64Array;
  private readonly factor: Float64Array;

  constructor(
    private readonly n: number,
    snapshot?: CovarianceSnapshot,
  ) {
    this.c = snapshot === undefined ? new Float64Array(n).fill(1) : decodeFloats(snapshot.covariance, n);
    this.factor = snapshot === undefined ? new Float64Array(n).fill(1) : decodeFloats(snapshot.factor, n);
  }

  transform(z: Float64Array, y: Float64Array, first: number, count: number): void {
    const { n, factor } = this;
    for (let k = first; k < first + count; k++) {
      for (let i = 0; i < n; i++) y[k * n + i] = factor[i]! * z[k * n + i]!;
    }
  }

  whiten(steps: Float64Array, start: number, out: Float64Array): void {
    for (let i = 0; i < this.n; i++) out[i] = steps[start + i]! / this.factor[i]!;
  }

  whitenRows(task: Omit<Whitening, 'factor'>, z: Float64Array, squaredLengths: Float64Array): void {
    const { n, count, entries, points, mean, scale } = task;
    for (let k = 0; k < count; k++) {
      let squared = 0;
      for (let i = 0; i < n; i++) {
        const value = (points[entries[k]! * n + i]! - mean[i]!) / (scale[i]! * this.factor[i]!);
        z[k * n + i] = value;
        squared += value * value;
      }
      squaredLengths[k] = squared;
    }
  }

  update(decay: number, steps: Float64Array, coefficients: Float64Array, count: number): void {
    const { n, c } = this;
    for (let i = 0; i < n; i++) c[i]! *= decay;
    for (let k = 0; k < count; k++) {
      const w = coefficients[k]!;
      for (let i = 0; i < n; i++) c[i]! += w * steps[k * n + i]! * steps[k * n + i]!;
    }
  }

  refresh(): void {
    const { n, c, factor } = this;
    let largest = 0;
    for (let i = 0; i < n; i++) if (c[i]! > largest && c[i]! < Infinity) largest = c[i]!;
    if (largest === 0) c.fill(1);
    const floor = largest === 0 ? 1 : largest / MAX_CONDITION;
    for (let i = 0; i < n; i++) {
      if (!(c[i]! >= floor)) c[i] = floor;
      if (c[i] === Infinity) c[i] = largest;
      factor[i] = Math.sqrt(c[i]!);
    }
  }

  variance(i: number): number {
    return this.c[i]!;
  }

  conditionNumber(): number {
    let smallest = Infinity;
    let largest = 0;
    for (const value of this.c) {
      if (value < smallest) smallest = value;
      if (value > largest) largest = value;
    }
    return largest / smallest;
  }

  snapshot(): CovarianceSnapshot {
    return { covariance: encodeFloats(this.c), factor: encodeFloats(this.factor) };
  }
}
