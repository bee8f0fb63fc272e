/**
 * The coordinates in which crossover is done: besides those of the problem the principal axes of the better half of the
 * population, so that valleys that lie across the coordinates can be followed at crossover rates below 1. How often
 * each of the two is used follows from how often it succeeds. Source: Guo and Yang, "Enhancing differential evolution
 * utilizing eigenvector-based crossover operator", IEEE Trans. Evolutionary Computation 19(1), 2015; the averaging over
 * time and the adaptation of the share are ours.
 */
import { SymmetricEigen } from '../../linalg/symmetric-eigen.js';
import { AveragedCovariance, type AveragedCovarianceSnapshot } from '../search/averaged-covariance.js';

/** Beyond it a trial costs O(n^2) more than it gains. */
const MAX_DIMENSION = 100;
/** Weight of the present population in the averaged covariance. */
const LEARNING_RATE = 0.2;
const SHARE_LEARNING_RATE = 0.1;
const MIN_SHARE = 0.1;

export interface FrameSnapshot {
  readonly covariance: AveragedCovarianceSnapshot | null;
  readonly share: number;
  /** Trials since the axes were computed. */
  readonly age: number;
}

export class CrossoverFrame {
  /** [n, n], row j the unit vector of axis j; null where the coordinates of the problem are the only ones. */
  axes: Float64Array | null = null;
  /** Share of the trials that are crossed over along the axes. */
  share: number;
  private age: number;
  /** Null in dimensions where it is not used. */
  private readonly covariance: AveragedCovariance | null;
  private readonly eigen: SymmetricEigen;
  private readonly vectors: Float64Array;
  private readonly values: Float64Array;

  constructor(
    private readonly n: number,
    snapshot?: FrameSnapshot,
  ) {
    const isUsed = n > 1 && n <= MAX_DIMENSION;
    const size = isUsed ? n : 0;
    this.covariance = isUsed ? new AveragedCovariance(n, snapshot?.covariance ?? undefined) : null;
    this.eigen = new SymmetricEigen(size);
    this.vectors = new Float64Array(size * size);
    this.values = new Float64Array(size);
    this.share = snapshot?.share ?? 0.5;
    this.age = snapshot?.age ?? 0;
    if (this.covariance?.isKnown === true) this.decompose(this.covariance);
  }

  /**
   * Computes the axes anew when they have been used long enough to pay for it. `trials`: since the last call.
   * `order`: rows of `population` [.., n] from the best on.
   */
  update(population: Float64Array, order: Int32Array, size: number, trials: number): void {
    const { n, covariance } = this;
    if (covariance === null) return;
    this.age += trials;
    // O(n^3) for the decomposition: about a microsecond a trial.
    if (this.axes !== null && this.age < Math.max(size, (n * n) / 3)) return;
    if (!covariance.learn(population, order, Math.max(3, size >> 1), LEARNING_RATE)) return;
    this.age = 0;
    this.decompose(covariance);
  }

  /** Takes in how many of the trials along the axes and of the others succeeded. */
  learn(alongAxes: number, successesAlongAxes: number, others: number, successesOfOthers: number): void {
    if (this.axes === null) return;
    const a = (successesAlongAxes + 0.5) / (alongAxes + 1);
    const b = (successesOfOthers + 0.5) / (others + 1);
    const share = this.share + SHARE_LEARNING_RATE * (a / (a + b) - this.share);
    this.share = Math.min(1 - MIN_SHARE, Math.max(MIN_SHARE, share));
  }

  private decompose(covariance: AveragedCovariance): void {
    const { values, vectors } = this;
    this.axes = this.eigen.decompose(covariance.matrix, values, vectors) ? vectors : null;
  }

  snapshot(): FrameSnapshot {
    return { covariance: this.covariance?.snapshot() ?? null, share: this.share, age: this.age };
  }
}
