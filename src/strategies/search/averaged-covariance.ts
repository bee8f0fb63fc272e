/** How a population is stretched: its covariance up to a factor, averaged over the generations. */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';

export interface AveragedCovarianceSnapshot {
  /** Lower triangle, row by row; empty before the first. */
  readonly entries: string;
  readonly count: number;
}

/** Cost: O(count n^2) for each `learn`. */
export class AveragedCovariance {
  /** [n, n], lower triangle, trace 1; nothing before `isKnown`. */
  readonly matrix: Float64Array;
  isKnown = false;
  private readonly current: Float64Array;
  private readonly mean: Float64Array;
  private readonly centred: Float64Array;

  constructor(
    private readonly n: number,
    snapshot?: AveragedCovarianceSnapshot,
  ) {
    this.matrix = new Float64Array(n * n);
    this.current = new Float64Array(n * n);
    this.mean = new Float64Array(n);
    this.centred = new Float64Array(n);
    if (snapshot === undefined || snapshot.count === 0) return;
    const entries = decodeFloats(snapshot.entries, snapshot.count);
    for (let i = 0, from = 0; i < n; i++) for (let j = 0; j <= i; j++) this.matrix[i * n + j] = entries[from++]!;
    this.isKnown = true;
  }

  /**
   * Takes in rows `rows[0 .. count-1]` of `points` [.., n] with weight `rate` against what is known, 1 at first where
   * `prior` is not given: then the first ones are averaged with the identity. Returns false when they are one point.
   */
  learn(points: Float64Array, rows: Int32Array, count: number, rate: number, prior?: 'identity'): boolean {
    const { n, matrix, current } = this;
    const trace = this.measure(points, rows, count);
    if (!(trace > 0 && trace < Infinity)) return false;
    if (!this.isKnown && prior === 'identity') for (let i = 0; i < n; i++) matrix[i * n + i] = 1 / n;
    const weight = this.isKnown || prior === 'identity' ? rate : 1;
    const share = weight / trace;
    for (let i = 0; i < n; i++)
      for (let e = i * n; e <= i * n + i; e++) matrix[e] = (1 - weight) * matrix[e] + share * current[e];
    this.isKnown = true;
    return true;
  }

  /** Covariance of the rows, times `count`, into `current`; returns its trace. */
  private measure(points: Float64Array, rows: Int32Array, count: number): number {
    const { n, mean, centred, current } = this;
    mean.fill(0);
    for (let r = 0; r < count; r++) {
      const row = rows[r] * n;
      for (let i = 0; i < n; i++) mean[i] += points[row + i] / count;
    }
    current.fill(0);
    for (let r = 0; r < count; r++) {
      const row = rows[r] * n;
      for (let i = 0; i < n; i++) {
        const d = (centred[i] = points[row + i] - mean[i]);
        const to = i * n;
        for (let j = 0; j <= i; j++) current[to + j] += d * centred[j];
      }
    }
    let trace = 0;
    for (let i = 0; i < n; i++) trace += current[i * n + i];
    return trace;
  }

  snapshot(): AveragedCovarianceSnapshot {
    const { n, matrix } = this;
    if (!this.isKnown) return { entries: '', count: 0 };
    const entries = new Float64Array((n * (n + 1)) / 2);
    for (let i = 0, to = 0; i < n; i++) for (let j = 0; j <= i; j++) entries[to++] = matrix[i * n + j]!;
    return { entries: encodeFloats(entries), count: entries.length };
  }
}
