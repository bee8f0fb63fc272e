/** The result of a run of several objectives, instead of one best value. */

export const MAX_OBJECTIVES = 4;

export interface FrontPoint {
  readonly solution: readonly number[];
  /** One per objective, in its own direction. */
  readonly values: readonly number[];
}

/** Candidates none of which is dominated: no other is as good in all objectives and better in one. */
export interface Front {
  /** Best in the first objective first; of many those that are spread best (`pareto/front-archive.ts`). */
  readonly points: readonly FrontPoint[];
  /** Place of the knee in `points`: the best compromise (`pareto/knee.ts`). */
  readonly knee: number;
  /** Measure of the part of the box ending at `reference` that `points` dominate. */
  readonly hypervolume: number;
  /** In the objectives' own direction. A point that is not better in every objective adds nothing to `hypervolume`. */
  readonly reference: readonly number[];
}
