/**
 * What was measured around the best point of a search, after it: what the levels 4 and 5 of an explanation rest on. All
 * values are the objective's own, in its own direction; every one of them can be measured again from what is here.
 */

/** What a point has that was measured; of one objective no more than its value. */
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

export interface Experiment {
  /** Evaluations of the run before, and those that the experiment took. */
  readonly fromEvaluation: number;
  readonly evaluations: number;
  /**
   * Where the search had its best point, with several objectives the knee of its front. The experiment may find a better one, which
   * the run then reports.
   */
  readonly centre: readonly number[];
  readonly centreValue: number;
  /** The centre, evaluated once more; null: that failed. */
  readonly repeatedValue: number | null;
  /** Absent: one objective. */
  readonly several?: SeveralMeasured;
  /** How far coordinates are moved, as a share of the width of their bounds. */
  readonly step: number;
  /** Of every dimension, in their order. */
  readonly sensitivities: readonly Sensitivity[];
  /** Of pairs of the dimensions that change the objective most. */
  readonly interactions: readonly Interaction[];
  /** At random points at most `step` away in every coordinate; null: the evaluation failed. Empty: not looked at. */
  readonly nearby: readonly (number | null)[];
}

/** What the experiment of a run of several objectives has besides. */
export interface SeveralMeasured {
  /** Of the centre. */
  readonly values: readonly number[];
  /** Null: the second evaluation failed. */
  readonly repeated: readonly number[] | null;
  /** What hypervolumes were measured from. */
  readonly reference: readonly number[];
  /** At the random points. */
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
