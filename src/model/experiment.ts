/**
 * Measurements around the best point of a search, made after it: levels 4 and 5 of an explanation rest on them. All
 * values are the objective's own, in its own direction. Every one of them can be measured again from what is here.
 */

/** Result at a point that was measured; with one objective only `value`. */
export interface Measured {
  /** With several objectives the hypervolume that the point dominates by itself. Null: the evaluation failed. */
  readonly value: number | null;
  /** Several objectives: their values. Absent: one objective, or the evaluation failed. */
  readonly values?: readonly number[];
  /** Several objectives: a point of the front that the search had found is better everywhere it differs. */
  readonly isDominated?: boolean;
}

/** One coordinate moved, all others as in the centre. */
export interface Moved extends Measured {
  /** Where it was moved to, in the units of the request. */
  readonly to: number;
}

export interface Sensitivity {
  readonly dimension: number;
  /** Towards the lower bound; null: the centre lies on it, or the budget allowed for one side only. */
  readonly down: Moved | null;
  readonly up: Moved | null;
}

/** Two coordinates moved together, each to where it was moved alone. */
export interface Interaction extends Measured {
  readonly first: number;
  readonly second: number;
  readonly toFirst: number;
  readonly toSecond: number;
}

/** Values along one coordinate, over the whole of its bounds; all others as in the centre. */
export interface Slice {
  readonly dimension: number;
  /** Upwards, from bound to bound. */
  readonly points: readonly Moved[];
}

/** Values over two coordinates, over the whole of their bounds; all others as in the centre. */
export interface Plane {
  readonly first: number;
  readonly second: number;
  /** One in each of equal parts of the bounds, upwards. */
  readonly firstAt: readonly number[];
  readonly secondAt: readonly number[];
  /** [secondAt, firstAt], row by row; null: the evaluation failed. */
  readonly values: readonly (number | null)[];
}

export interface Experiment {
  /** Evaluations of the run before, and those that the experiment took. */
  readonly fromEvaluation: number;
  readonly evaluations: number;
  /**
   * Where the search had its best point, with several objectives the knee of its front. The experiment may find a
   * better one, which the run then reports.
   */
  readonly centre: readonly number[];
  readonly centreValue: number;
  /** The centre, evaluated once more; null: that failed. */
  readonly repeatedValue: number | null;
  /** Absent: one objective. */
  readonly several?: SeveralMeasured;
  /** How far coordinates are moved, as a share of the width of their bounds. */
  readonly step: number;
  /** One entry for each dimension, in their order. */
  readonly sensitivities: readonly Sensitivity[];
  /** Pairs of the dimensions that change the objective most. */
  readonly interactions: readonly Interaction[];
  /**
   * Values at random points at most `step` away in every coordinate; null: the evaluation failed. Empty: not looked at.
   */
  readonly nearby: readonly (number | null)[];
  /** For pictures: of the dimensions that change the objective most. Absent: not looked at. */
  readonly slices?: readonly Slice[];
  /** For pictures: of the two that change it most. Absent: not looked at. */
  readonly plane?: Plane;
}

/** Further results of an experiment with several objectives. */
export interface SeveralMeasured {
  /** Values of the centre. */
  readonly values: readonly number[];
  /** Null: the second evaluation failed. */
  readonly repeated: readonly number[] | null;
  /** Point from which hypervolumes were measured. */
  readonly reference: readonly number[];
  /** Results at the random points. */
  readonly nearby: readonly Measured[];
}

/** How the best value fell. */
export interface Convergence {
  /** The first finite value. */
  readonly first: { readonly evaluations: number; readonly bestFitness: number };
  /** When which share of the whole improvement had been made, and the best value then. */
  readonly milestones: readonly {
    readonly share: number;
    readonly evaluations: number;
    readonly bestFitness: number;
  }[];
  /** Evaluations by the last improvement. */
  readonly lastImprovement: number;
  /** Most evaluations from one improvement to the next. Absent in records of earlier versions. */
  readonly longestWait?: number;
}
