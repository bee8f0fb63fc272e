/**
 * The shape of the swarm: covariance of the personal bests, averaged over time, up to a factor. In the coordinates
 * whitened by it the sphere that SPSO-2011 samples from fits long valleys whatever their direction. Why a swarm needs
 * it: Hansen, Ros, Mauny, Schoenauer and Auger, "Impacts of invariance in search: when CMA-ES and PSO face
 * ill-conditioned and non-separable problems", Applied Soft Computing 11(8), 2011.
 */
import { choleskyFactor, solveLower } from '../../linalg/cholesky.js';
import { AveragedCovariance, type AveragedCovarianceSnapshot } from '../search/averaged-covariance.js';

/** Beyond it a particle's move costs O(n^2) more than it gains. */
const MAX_DIMENSION = 100;
/** Weight of one evaluation against the n^2 entries of the covariance. */
const LEARNING_RATE = 0.12;
const MAX_RATE = 0.5;
/** Added to the diagonal, where the trace is 1. */
const RIDGE = 1e-12;

export interface ShapeSnapshot {
  readonly covariance: AveragedCovarianceSnapshot | null;
  /** Evaluations since the covariance was updated. */
  readonly age: number;
}

export class SwarmShape {
  /** Whether there is one; without, it is a sphere. */
  isKnown = false;
  /** Null in dimensions where it is not used. */
  private readonly covariance: AveragedCovariance | null;
  /** L, lower triangular; L L^T is the covariance. */
  private readonly factor: Float64Array;
  /** L^-1: multiplying by it is faster than solving, where each row waits for those before. */
  private readonly inverse: Float64Array;
  private age: number;

  constructor(
    private readonly n: number,
    snapshot?: ShapeSnapshot,
  ) {
    const isUsed = n > 1 && n <= MAX_DIMENSION;
    this.covariance = isUsed ? new AveragedCovariance(n, snapshot?.covariance ?? undefined) : null;
    this.factor = new Float64Array(isUsed ? n * n : 0);
    this.inverse = new Float64Array(isUsed ? n * n : 0);
    this.age = snapshot?.age ?? 0;
    if (this.covariance?.isKnown === true) this.decompose(this.covariance);
  }

  /** Takes in rows `rows[0 .. count-1]` of `points` [.., n], now and then: a step costs O(n^2) per evaluation then. */
  learn(points: Float64Array, rows: Int32Array, count: number): void {
    const { n, covariance } = this;
    if (covariance === null) return;
    this.age += count;
    if (this.age < Math.max(2 * n, (n * n) / 8)) return;
    const rate = Math.min(MAX_RATE, (LEARNING_RATE * this.age) / (n * n));
    if (!covariance.learn(points, rows, count, rate, 'identity')) return;
    this.age = 0;
    this.decompose(covariance);
  }

  /** Squared length of `v` [n] in the whitened coordinates; `scratch` [n] is overwritten. */
  squaredLength(v: Float64Array, scratch: Float64Array): number {
    scratch.set(v);
    multiplyLower(this.inverse, scratch, 0, this.n);
    let sum = 0;
    for (let i = 0; i < this.n; i++) sum += scratch[i] * scratch[i];
    return sum;
  }

  /** Takes values[start .. start+n] from the whitened coordinates back, in place. */
  colour(values: Float64Array, start: number): void {
    multiplyLower(this.factor, values, start, this.n);
  }

  private decompose({ matrix }: AveragedCovariance): void {
    const { n, factor, inverse } = this;
    factor.set(matrix);
    for (let i = 0; i < n; i++) factor[i * n + i] += RIDGE;
    this.isKnown = choleskyFactor(factor, factor, n);
    if (!this.isKnown) return;
    const unit = new Float64Array(n);
    for (let j = 0; j < n; j++) {
      unit.fill(0);
      unit[j] = 1;
      solveLower(factor, unit, unit, n);
      for (let i = j; i < n; i++) inverse[i * n + j] = unit[i]!;
    }
  }

  snapshot(): ShapeSnapshot {
    return { covariance: this.covariance?.snapshot() ?? null, age: this.age };
  }
}

/** values[start .. start+n] <- lower [n, n] times it. */
function multiplyLower(lower: Float64Array, values: Float64Array, start: number, n: number): void {
  for (let i = n - 1; i >= 0; i--) {
    const row = i * n;
    // Four sums: each addition would wait for the one before.
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    let j = 0;
    for (; j + 3 <= i; j += 4) {
      s0 += lower[row + j] * values[start + j];
      s1 += lower[row + j + 1] * values[start + j + 1];
      s2 += lower[row + j + 2] * values[start + j + 2];
      s3 += lower[row + j + 3] * values[start + j + 3];
    }
    for (; j <= i; j++) s0 += lower[row + j] * values[start + j];
    values[start + i] = s0 + s1 + (s2 + s3);
  }
}
