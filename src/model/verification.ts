/** CPython's verdict on values of compiled code (docs/adr/0031-cpython-has-the-last-word.md). */
import type { EvaluationFailure } from './objective.js';

/**
 * Why values were not confirmed, or not all of those that were chosen.
 *
 * `no_interpreter`: there is none; `missing_module`: it lacks a module that the source imports; `other_python`: it is
 * another version than the run's; `interpreted`: CPython itself gave all values (random numbers, lasting state, a
 * misreading, whatever is not compiled); `setting`: switched off; `nothing_valued`: compiled code gave no value;
 * `time`: the check took too long; `undecided`: an operation whose error nobody has stated, or nobody can tell
 * whether the objective takes a list or an array, and it matters; `interpreter_lost`: it
 * died; `unfinished`: the run was cut off; `no_function`: the run solves a problem, whose answer is computed anew from
 * its parts instead.
 */
export const VERIFICATION_GAPS = [
  'no_interpreter',
  'missing_module',
  'other_python',
  'interpreted',
  'setting',
  'nothing_valued',
  'time',
  'undecided',
  'interpreter_lost',
  'unfinished',
  'no_function',
] as const;
export type VerificationGap = (typeof VERIFICATION_GAPS)[number];

/**
 * A failure in a check: with a list and with an array the objective gives other values, and nobody can tell which is
 * meant.
 */
export const DOUBTFUL_ARGUMENT = 'DoubtfulArgument';

export interface Verified {
  /** Null: nobody confirmed anything. */
  readonly by: 'cpython' | null;
  /** Values of compiled code that were confirmed. */
  readonly points: number;
  /** Absent: all that were chosen. */
  readonly reason?: VerificationGap;
  /** CPython's words about a `missing_module`; what is `undecided`. */
  readonly message?: string;
}

export const unverified = (reason: VerificationGap): Verified => ({ by: null, points: 0, reason });

/** Where compiled code and CPython disagree, in the objective's own direction. */
export interface Misreading {
  readonly point: readonly number[];
  /** As many as the objective has. */
  readonly compiled: readonly number[];
  readonly cpython: readonly number[] | EvaluationFailure;
  /** Bound on the optimum that compiled code had certified, where the value contradicts that. */
  readonly bound?: number;
  /** The difference, in a sentence for people. */
  readonly message: string;
  /** Number of the candidate in its run; of a point at the end, all evaluations. */
  readonly evaluation: number;
}

/** A value of compiled code that is yet to be confirmed: base64 of f64 [n], [objectives]. */
export interface OpenPoint {
  readonly order: number;
  readonly solution: string;
  readonly values: string;
}

/** How far the checks of a run are; JSON-safe. */
export interface CheckState {
  readonly sampler: SamplerState;
  readonly confirmed: number;
  readonly undecided: number;
  readonly open: readonly OpenPoint[];
  /** The point that contradicts a certified bound if any point does; see `Checker`. Null: nothing is confirmed. */
  readonly lowest: (OpenPoint & { readonly cpython: string }) | null;
  readonly gap: VerificationGap | null;
  /** Nobody can tell which kind of argument the objective takes, and it matters. Absent: not so. */
  readonly isDoubtful?: true;
  /** Message that goes with `gap`. */
  readonly message?: string;
}

export interface SamplerState {
  /** Patterns of which a point was taken, in their order. */
  readonly patterns: readonly number[];
  /** Evaluation of the latest of those points. */
  readonly latest: number;
  /** Evaluations of all points that were taken. */
  readonly taken: readonly number[];
}
