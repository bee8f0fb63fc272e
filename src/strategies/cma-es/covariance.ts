/**
 * The shape of the search distribution: a covariance and a factor A, A A^T = covariance, that turns standard normals z
 * into steps y = A z and back.
 *
 * `FullCovariance` is A = S L: S diagonal, L the Cholesky factor of C [n, n]. S learns the scales of the coordinates in
 * O(n) evaluations, C the rest in O(n^2) (Akimoto and Hansen, Diagonal Acceleration for Covariance Matrix Adaptation
 * Evolution Strategies, Evol. Comput. 28(3), 2020). L is refreshed from C only every few generations; in between it
 * lags a little behind. `LimitedMemoryCovariance` has a few vectors in the place of C.
 *
 * Why Cholesky and not the eigendecomposition of the tutorial: docs/adr/0005-cma-es-cholesky-factor.md. The deviations
 * from the paper on S, and the figures: docs/adr/0017-cma-es-scales.md.
 */
import { choleskyFactor, solveLower } from '../../linalg/cholesky.js';
import { type Whitening, whitenRows } from '../../linalg/whiten.js';
import { SymmetricEigen } from '../../linalg/symmetric-eigen.js';
import { exp, power } from '../../common/float.js';
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { type CmaParameters, type ScaleRates, defaultPopulationSize } from './parameters.js';

/** Beyond this condition number steps along the short axes drown in rounding. */
export const MAX_CONDITION = 1e14;
/** Where correlations are singular. */
const MAX_DAMPING = 1e7;
/** Learning rate of the limited-memory form's variances. */
const VARIANCE_RATE = 0.1;
/** A scale shrinks at most by its square root in a generation. */
const MIN_FACTOR = 0.25;

export interface Covariance {
  /** y_k = A z_k for the rows first .. first+count-1 of `z` and `y`, both [lambda, n]. */
  transform(z: Float64Array, y: Float64Array, first: number, count: number): void;
  /** A^-1 y for y = `steps[start .. start+n]`, into `out` [n]. */
  whiten(steps: Float64Array, start: number, out: Float64Array): void;
  /** Many points at once: rows of `z` [count, n] = A^-1 ((x - mean) / scale). */
  whitenRows(task: Omit<Whitening, 'factor'>, z: Float64Array, squaredLengths: Float64Array): void;
  /**
   * C = decay C + sum_k coefficients[k] y_k y_k^T over the rows of `steps` [count, n], of which the last is the
   * evolution path. Eq. 47. `whitenedShift` [n]: A^-1 times the step of the mean.
   */
  update(
    decay: number,
    steps: Float64Array,
    coefficients: Float64Array,
    count: number,
    whitenedShift: Float64Array,
  ): void;
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
  /** Diagonal of S, and the damping as of the last refresh, where the covariance is full. */
  readonly scales?: string;
  /** Vectors in use, where memory is limited. */
  readonly used?: number;
}

export class FullCovariance implements Covariance {
  /** C in the coordinates before S. */
  private readonly c: Float64Array;
  private readonly factor: Float64Array;
  /** [n]: diagonal of S. */
  private readonly scales: Float64Array;
  /** How much slower S learns than it could without correlations in C. */
  private damping = 1;
  private steps = new Float64Array(0);
  private readonly eigen: SymmetricEigen;
  private readonly values: Float64Array;

  constructor(
    private readonly n: number,
    private readonly rates: ScaleRates,
    snapshot?: CovarianceSnapshot,
  ) {
    this.eigen = new SymmetricEigen(n);
    this.values = new Float64Array(n);
    if (snapshot !== undefined) {
      this.c = decodeFloats(snapshot.covariance, n * n);
      this.factor = decodeFloats(snapshot.factor, n * n);
      const scales = decodeFloats(snapshot.scales!, n + 1);
      this.scales = scales.slice(0, n);
      this.damping = scales[n]!;
      return;
    }
    this.c = new Float64Array(n * n);
    this.factor = new Float64Array(n * n);
    this.scales = new Float64Array(n).fill(1);
    for (let i = 0; i < n; i++) this.c[i * n + i] = this.factor[i * n + i] = 1;
  }

  transform(z: Float64Array, y: Float64Array, first: number, count: number): void {
    const { n, scales } = this;
    this.correlate(z, y, first, count);
    for (let k = first; k < first + count; k++) for (let i = 0; i < n; i++) y[k * n + i] *= scales[i];
  }

  private correlate(z: Float64Array, y: Float64Array, first: number, count: number): void {
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
          const a = factor[row + j];
          const b = factor[next + j];
          const z0 = z[k0 + j];
          const z1 = z[k1 + j];
          const z2 = z[k2 + j];
          const z3 = z[k3 + j];
          s0 += a * z0;
          s1 += a * z1;
          s2 += a * z2;
          s3 += a * z3;
          t0 += b * z0;
          t1 += b * z1;
          t2 += b * z2;
          t3 += b * z3;
        }
        const b = factor[next + i + 1];
        y[k0 + i] = s0;
        y[k1 + i] = s1;
        y[k2 + i] = s2;
        y[k3 + i] = s3;
        y[k0 + i + 1] = t0 + b * z[k0 + i + 1];
        y[k1 + i + 1] = t1 + b * z[k1 + i + 1];
        y[k2 + i + 1] = t2 + b * z[k2 + i + 1];
        y[k3 + i + 1] = t3 + b * z[k3 + i + 1];
      }
      if (i === n) continue;
      const row = i * n;
      for (let c = k0; c <= k3; c += n) {
        let sum = 0;
        for (let j = 0; j <= i; j++) sum += factor[row + j] * z[c + j];
        y[c + i] = sum;
      }
    }
    for (; k < end; k++) {
      const k0 = k * n;
      for (let i = 0; i < n; i++) {
        const row = i * n;
        let s0 = 0;
        for (let j = 0; j <= i; j++) s0 += factor[row + j] * z[k0 + j];
        y[k0 + i] = s0;
      }
    }
  }

  whiten(steps: Float64Array, start: number, out: Float64Array): void {
    const { n, scales } = this;
    for (let i = 0; i < n; i++) out[i] = steps[start + i] / scales[i];
    solveLower(this.factor, out, out, n);
  }

  whitenRows(task: Omit<Whitening, 'factor'>, z: Float64Array, squaredLengths: Float64Array): void {
    const { factor, scales } = this;
    const scale = scales.map((value, i) => value * task.scale[i]);
    whitenRows({ ...task, scale, factor }, z, squaredLengths);
  }

  update(decay: number, steps: Float64Array, coefficients: Float64Array, count: number): void {
    const { n, scales } = this;
    if (this.steps.length < count * n) this.steps = new Float64Array(count * n);
    const unscaled = this.steps;
    for (let k = 0; k < count; k++) for (let i = 0; i < n; i++) unscaled[k * n + i] = steps[k * n + i] / scales[i];
    this.rescale(unscaled, coefficients, count);
    this.updateUnscaled(decay, unscaled, coefficients, count);
  }

  /**
   * S learns from the squares of single coordinates, relative to their variances in C: n numbers, learnt in O(n)
   * evaluations.
   */
  private rescale(steps: Float64Array, coefficients: Float64Array, count: number): void {
    const { n, c, scales, damping } = this;
    const { path, steps: rate } = this.rates;
    let total = path * coefficients[count - 1];
    for (let k = 0; k < count - 1; k++) total += rate * coefficients[k];
    for (let i = 0; i < n; i++) {
      let weighted = path * coefficients[count - 1] * steps[(count - 1) * n + i] * steps[(count - 1) * n + i];
      for (let k = 0; k < count - 1; k++) weighted += rate * coefficients[k] * steps[k * n + i] * steps[k * n + i];
      const change = (weighted / c[i * n + i] - total) / (2 * damping);
      if (!Number.isNaN(change)) scales[i] *= exp(Math.min(1, Math.max(-1, change)));
    }
  }

  private updateUnscaled(decay: number, steps: Float64Array, coefficients: Float64Array, count: number): void {
    const { n, c } = this;
    let scale = decay;
    let k = 0;
    // Four steps per pass over two rows of C: six loads and two stores for eight multiply-adds.
    for (; k + 3 < count; k += 4) {
      const w0 = coefficients[k];
      const w1 = coefficients[k + 1];
      const w2 = coefficients[k + 2];
      const w3 = coefficients[k + 3];
      const k0 = k * n;
      const k1 = k0 + n;
      const k2 = k1 + n;
      const k3 = k2 + n;
      for (let i = 0; i < n; i += 2) {
        const row = i * n;
        const a0 = w0 * steps[k0 + i];
        const a1 = w1 * steps[k1 + i];
        const a2 = w2 * steps[k2 + i];
        const a3 = w3 * steps[k3 + i];
        if (i + 1 === n) {
          for (let j = 0; j <= i; j++) {
            const sum = a0 * steps[k0 + j] + a1 * steps[k1 + j] + (a2 * steps[k2 + j] + a3 * steps[k3 + j]);
            c[row + j] = scale * c[row + j] + sum;
          }
          break;
        }
        const next = row + n;
        const b0 = w0 * steps[k0 + i + 1];
        const b1 = w1 * steps[k1 + i + 1];
        const b2 = w2 * steps[k2 + i + 1];
        const b3 = w3 * steps[k3 + i + 1];
        // j runs to i + 1: the entry right of the first row's diagonal is written too, and nobody reads it.
        for (let j = 0; j <= i + 1; j++) {
          const y0 = steps[k0 + j];
          const y1 = steps[k1 + j];
          const y2 = steps[k2 + j];
          const y3 = steps[k3 + j];
          c[row + j] = scale * c[row + j] + (a0 * y0 + a1 * y1 + (a2 * y2 + a3 * y3));
          c[next + j] = scale * c[next + j] + (b0 * y0 + b1 * y1 + (b2 * y2 + b3 * y3));
        }
      }
      scale = 1;
    }
    for (; k < count; k++) {
      const k0 = k * n;
      for (let i = 0; i < n; i++) {
        const row = i * n;
        const a0 = coefficients[k] * steps[k0 + i];
        for (let j = 0; j <= i; j++) c[row + j] = scale * c[row + j] + a0 * steps[k0 + j];
      }
      scale = 1;
    }
  }

  refresh(): void {
    if (!choleskyFactor(this.c, this.factor, this.n)) this.repair();
    this.noteCorrelation();
  }

  /**
   * Noise in S of a relative size e spoils axes of C that are shorter than e times the longest: S may learn only as
   * fast as the square root of the condition number of the correlations allows.
   */
  private noteCorrelation(): void {
    const condition = this.correlationCondition();
    this.damping = condition < Infinity ? Math.max(1, Math.sqrt(condition) - 1) : MAX_DAMPING;
  }

  /**
   * An estimate, in O(n^2): the largest row sum of the correlations over the smallest eigenvalue as inverse iteration
   * sees it after one step from a right-hand side of +-1 that was chosen to grow (Cline, Moler, Stewart, Wilkinson,
   * SIAM J. Numer. Anal. 16(2), 1979).
   */
  private correlationCondition(): number {
    const { n, c, factor, values: inverse } = this;
    const w = new Float64Array(n);
    let largest = 0;
    const sums = new Float64Array(n);
    for (let i = 0; i < n; i++) inverse[i] = 1 / Math.sqrt(c[i * n + i]);
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < i; j++) {
        sum += factor[i * n + j] * w[j];
        const correlation = Math.abs(c[i * n + j]) * inverse[i] * inverse[j];
        sums[i] += correlation;
        sums[j] += correlation;
      }
      sum *= inverse[i];
      w[i] = ((sum > 0 ? -1 : 1) - sum) / (factor[i * n + i] * inverse[i]);
    }
    for (let i = 0; i < n; i++) largest = Math.max(largest, 1 + sums[i]);
    let before = 0;
    for (let i = 0; i < n; i++) before += w[i] * w[i];
    // L^T v = w, L with rows over the standard deviations.
    let after = 0;
    for (let i = n - 1; i >= 0; i--) {
      const value = w[i] / (factor[i * n + i] * inverse[i]);
      after += value * value;
      for (let j = 0; j < i; j++) w[j] -= factor[i * n + j] * inverse[i] * value;
    }
    return largest * Math.sqrt(after / before);
  }

  /** Lifts every eigenvalue to at least the largest one over MAX_CONDITION; falls back to the identity. */
  private repair(): void {
    const { n, c, values } = this;
    const vectors = new Float64Array(n * n);
    const sound = this.eigen.decompose(c, values, vectors) && values[n - 1] > 0;
    if (sound) {
      const floor = values[n - 1] / MAX_CONDITION;
      for (let i = 0; i < n; i++) {
        for (let j = 0; j <= i; j++) {
          let sum = 0;
          for (let k = 0; k < n; k++) {
            sum += Math.max(values[k], floor) * vectors[k * n + i] * vectors[k * n + j];
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
    return this.scales[i] * this.scales[i] * this.c[i * this.n + i];
  }

  conditionNumber(): number {
    const { n, values } = this;
    if (!this.eigen.decompose(this.c, values, null) || values[0] <= 0) return Infinity;
    return values[n - 1] / values[0];
  }

  snapshot(): CovarianceSnapshot {
    const { c, factor, scales, damping } = this;
    return {
      covariance: encodeFloats(c),
      factor: encodeFloats(factor),
      scales: encodeFloats(Float64Array.of(...scales, damping)),
    };
  }
}

/**
 * Limited memory: A = S M_1 M_2 ... M_m with S diagonal and M_j = (1 - d_j) I + d_j v_j v_j^T, each v_j [n] a path of
 * whitened mean steps with its own time scale. O(m n) for a candidate and for an update. Source of M: Loshchilov,
 * Glasmachers, Beyer, Large Scale Black-box Optimization by Limited-Memory Matrix Adaptation, IEEE TEVC 23(2), 2019,
 * algorithm 1 (LM-MA-ES): d_j = 1 / (1.5^(j-1) n), path rates lambda / (4^(j-1) n), m = 4 + 3 ln n. S^2 learns as the
 * diagonal covariance does, relative to the variances that M gives.
 */
export class LimitedMemoryCovariance implements Covariance {
  /** v_j, one after the other. */
  private readonly vectors: Float64Array;
  private readonly count: number;
  /** Vectors in use: one more with every generation, up to `count`. */
  private used: number;
  /** [n]: diagonal of S. */
  private readonly scales: Float64Array;
  /**
   * [n]: mean squares of the latest steps before S, in the place of the diagonal of M M^T, which would cost O(m n^2).
   */
  private readonly variances: Float64Array;
  private readonly gains: Float64Array;
  private readonly pathRates: Float64Array;
  /** [n] each: sums over a generation. */
  private readonly weighted: Float64Array;
  private readonly squares: Float64Array;

  private readonly n: number;
  private readonly muEff: number;

  constructor({ n, lambda, muEff }: Pick<CmaParameters, 'n' | 'lambda' | 'muEff'>, snapshot?: CovarianceSnapshot) {
    const count = defaultPopulationSize(n);
    this.n = n;
    this.muEff = muEff;
    this.count = count;
    this.gains = Float64Array.from({ length: count }, (_, j) => 1 / (power(1.5, j) * n));
    this.pathRates = Float64Array.from({ length: count }, (_, j) => Math.min(1, lambda / (power(4, j) * n)));
    this.used = snapshot?.used ?? 0;
    this.weighted = new Float64Array(n);
    this.squares = new Float64Array(n);
    if (snapshot === undefined) {
      this.vectors = new Float64Array(count * n);
      this.scales = new Float64Array(n).fill(1);
      this.variances = new Float64Array(n).fill(1);
      return;
    }
    this.vectors = decodeFloats(snapshot.factor, count * n);
    const diagonals = decodeFloats(snapshot.covariance, 2 * n);
    this.scales = diagonals.slice(0, n);
    this.variances = diagonals.slice(n);
  }

  transform(z: Float64Array, y: Float64Array, first: number, count: number): void {
    const { n, vectors, gains, used, scales } = this;
    const end = first + count;
    for (let at = first * n; at < end * n; at++) y[at] = z[at]!;
    let k = first;
    // Four candidates for every vector that is read.
    for (; k + 3 < end; k += 4) {
      const k0 = k * n;
      const k1 = k0 + n;
      const k2 = k1 + n;
      const k3 = k2 + n;
      for (let j = used - 1; j >= 0; j--) {
        const v = j * n;
        let s0 = 0;
        let s1 = 0;
        let s2 = 0;
        let s3 = 0;
        for (let i = 0; i < n; i++) {
          const value = vectors[v + i];
          s0 += value * y[k0 + i];
          s1 += value * y[k1 + i];
          s2 += value * y[k2 + i];
          s3 += value * y[k3 + i];
        }
        const keep = 1 - gains[j];
        s0 *= gains[j];
        s1 *= gains[j];
        s2 *= gains[j];
        s3 *= gains[j];
        for (let i = 0; i < n; i++) {
          const value = vectors[v + i];
          y[k0 + i] = keep * y[k0 + i] + s0 * value;
          y[k1 + i] = keep * y[k1 + i] + s1 * value;
          y[k2 + i] = keep * y[k2 + i] + s2 * value;
          y[k3 + i] = keep * y[k3 + i] + s3 * value;
        }
      }
    }
    for (; k < end; k++) {
      const row = k * n;
      for (let j = used - 1; j >= 0; j--) {
        const v = j * n;
        const keep = 1 - gains[j];
        let sum = 0;
        for (let i = 0; i < n; i++) sum += vectors[v + i] * y[row + i];
        sum *= gains[j];
        for (let i = 0; i < n; i++) y[row + i] = keep * y[row + i] + sum * vectors[v + i];
      }
    }
    for (k = first; k < end; k++) for (let i = 0; i < n; i++) y[k * n + i] *= scales[i];
  }

  whiten(steps: Float64Array, start: number, out: Float64Array): void {
    const { n, vectors, gains, used, scales } = this;
    for (let i = 0; i < n; i++) out[i] = steps[start + i] / scales[i];
    // (a I + d v v^T)^-1 = (I - d v v^T / (a + d v^T v)) / a.
    for (let j = 0; j < used; j++) {
      const v = j * n;
      const keep = 1 - gains[j];
      const along = (gains[j] * dot(vectors, v, out, 0, n)) / (keep + gains[j] * dot(vectors, v, vectors, v, n));
      for (let i = 0; i < n; i++) out[i] = (out[i] - along * vectors[v + i]) / keep;
    }
  }

  whitenRows(task: Omit<Whitening, 'factor'>, z: Float64Array, squaredLengths: Float64Array): void {
    const { n, count, entries, points, mean, scale } = task;
    const step = new Float64Array(n);
    const whitened = new Float64Array(n);
    for (let k = 0; k < count; k++) {
      for (let i = 0; i < n; i++) step[i] = (points[entries[k] * n + i] - mean[i]) / scale[i];
      this.whiten(step, 0, whitened);
      z.set(whitened, k * n);
      squaredLengths[k] = dot(whitened, 0, whitened, 0, n);
    }
  }

  update(
    decay: number,
    steps: Float64Array,
    coefficients: Float64Array,
    count: number,
    whitenedShift: Float64Array,
  ): void {
    const { n, vectors, pathRates, variances, scales, muEff } = this;
    for (let j = 0; j < this.count; j++) {
      const rate = pathRates[j];
      const gain = Math.sqrt(muEff * rate * (2 - rate));
      for (let i = 0; i < n; i++) vectors[j * n + i] = (1 - rate) * vectors[j * n + i] + gain * whitenedShift[i];
    }
    this.used = Math.min(this.count, this.used + 1);
    const { weighted, squares } = this;
    weighted.fill(0);
    squares.fill(0);
    for (let k = 0; k < count; k++) {
      const isPath = k === count - 1;
      for (let i = 0; i < n; i++) {
        const square = steps[k * n + i] * steps[k * n + i];
        weighted[i] += coefficients[k] * square;
        if (!isPath) squares[i] += square;
      }
    }
    for (let i = 0; i < n; i++) {
      const scaleSquared = scales[i] * scales[i];
      const factor = decay + weighted[i] / (scaleSquared * variances[i]);
      variances[i] += VARIANCE_RATE * (squares[i] / ((count - 1) * scaleSquared) - variances[i]);
      if (factor < Infinity) scales[i] *= Math.sqrt(Math.max(MIN_FACTOR, factor));
    }
  }

  /** Keeps the scales within the condition number; all ones where that is lost. */
  refresh(): void {
    const { n, scales } = this;
    let largest = 0;
    for (let i = 0; i < n; i++) if (scales[i] > largest && scales[i] < Infinity) largest = scales[i]!;
    const floor = largest / Math.sqrt(MAX_CONDITION);
    for (let i = 0; i < n; i++) if (!(scales[i] >= floor)) scales[i] = floor;
    if (largest === 0) scales.fill(1);
  }

  variance(i: number): number {
    return this.scales[i] * this.scales[i] * this.variances[i];
  }

  /** Condition number of S alone: M is a product of few moderate stretches. */
  conditionNumber(): number {
    let smallest = Infinity;
    let largest = 0;
    for (const value of this.scales) {
      if (value < smallest) smallest = value;
      if (value > largest) largest = value;
    }
    return (largest / smallest) * (largest / smallest);
  }

  snapshot(): CovarianceSnapshot {
    const diagonals = new Float64Array(2 * this.n);
    diagonals.set(this.scales);
    diagonals.set(this.variances, this.n);
    return { covariance: encodeFloats(diagonals), factor: encodeFloats(this.vectors), used: this.used };
  }
}

/** Sum in four parts. */
function dot(a: Float64Array, aStart: number, b: Float64Array, bStart: number, count: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let i = 0;
  for (; i + 3 < count; i += 4) {
    s0 += a[aStart + i] * b[bStart + i];
    s1 += a[aStart + i + 1] * b[bStart + i + 1];
    s2 += a[aStart + i + 2] * b[bStart + i + 2];
    s3 += a[aStart + i + 3] * b[bStart + i + 3];
  }
  for (; i < count; i++) s0 += a[aStart + i] * b[bStart + i];
  return s0 + s1 + (s2 + s3);
}
