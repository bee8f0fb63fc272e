/**
 * Knowledge about a program that was not run: made by `src/analysis/`, read by searches, planner and clients. Plain
 * data that JSON can hold. Every statement holds for all candidates in the bounds that the program was analysed with.
 * Where something could not be shown, the answer is "not known": a `false` or `null` says nothing about the function.
 */

/** How one term, or the sum of all, behaves. */
export interface ProgramTraits {
  /** No kinks, jumps or plateaus: no rounding, `abs`, `min`, `max` or branch that depends on the candidate. */
  readonly isSmooth: boolean;
  readonly isConvex: boolean;
  /** A sine, cosine or tangent runs through more than a period. */
  readonly isPeriodic: boolean;
  /** Rounding functions, or conversions to integers, of values that depend on the candidate. */
  readonly hasRounding: boolean;
}

/**
 * One step of an increasing outer function, from the outside to the inside: `affine` is `offset + factor * s`, `power`
 * is `s ** factor`, `monotone` a function of s that is known to be monotone and has no name, others are functions of
 * that name. Single steps may be decreasing; all of them together increase.
 */
export interface OuterStep {
  readonly op: string;
  readonly offset?: number;
  readonly factor?: number;
}

/** f = outer(sum of the terms), `outer` increasing: at the same x the terms of the reading `terms`, in their order. */
export interface Terms {
  readonly count: number;
  /**
   * By term: the coordinates that it depends on, increasing; of x for `coordinates` and `general`, of z = matrix x for
   * `affine`.
   */
  readonly dependsOn: readonly (readonly number[])[];
  /**
   * `coordinates`: each term depends on one coordinate of x at most; `affine`: of z = matrix x, with a square
   * invertible matrix; `general`: on several.
   */
  readonly form: 'coordinates' | 'affine' | 'general';
  /** [n][n], rows of length 1 in the units of the request; of `affine` alone. */
  readonly matrix?: readonly (readonly number[])[];
  /** By term. */
  readonly traits: readonly ProgramTraits[];
}

/** f = outer(sum of the squared residuals), `outer` increasing: the reading `residuals`. */
export interface Residuals {
  readonly count: number;
  /** None of them has a kink, jump or plateau. */
  readonly isSmooth: boolean;
  /** All are affine: the problem is a linear least-squares problem. */
  readonly isAffine: boolean;
}

export const FINDING_TOPICS = [
  'variables',
  'terms',
  'affine',
  'least_squares',
  'convexity',
  'kinks',
  'periodic',
  'rounding',
  'limits',
] as const;
export type FindingTopic = (typeof FINDING_TOPICS)[number];

/** For people: one sentence, and the lines of the source that it is about (1-based; empty where unknown). */
export interface Finding {
  readonly topic: FindingTopic;
  readonly text: string;
  readonly lines: readonly number[];
}

/** The part that clients get to see. */
export interface ProgramFindings {
  /** The number of variables for which the program was compiled and read. */
  readonly dimension: number;
  readonly findings: readonly Finding[];
}

export interface ProgramStructure {
  readonly dimension: number;
  /** By variable. An unused one has no influence on the value. */
  readonly variables: readonly { readonly used: boolean }[];
  /** Outer function around `terms`; empty: the identity. */
  readonly outer: readonly OuterStep[];
  /** Null: no sum of several terms, or too many. */
  readonly terms: Terms | null;
  /** Null: no sum of squares, or too many. */
  readonly residuals: Residuals | null;
  /** Groups of variables, each increasing: variables of different groups do not interact in the sum of the terms. */
  readonly blocks: readonly (readonly number[])[];
  /** Pairs of variables that can interact in the sum of the terms; the others have mixed differences of zero. */
  readonly interactingPairs: number;
  /** Traits of f itself. */
  readonly traits: ProgramTraits;
  readonly findings: readonly Finding[];
}
