/**
 * The contract between a search and whoever confirms its values: the engine notes what it values, and asks at the end.
 */
import type { CandidateBatch } from '../model/candidate-batch.js';
import type { CheckState, Misreading, Verified } from '../model/verification.js';

/** A point at the end of a search; `order`: the number of its evaluation, or beyond all of them. */
export interface EndPoint {
  readonly order: number;
  readonly x: Float64Array;
  readonly values: readonly number[];
}

export interface SearchEnd {
  /** The best point, or those of the front. */
  readonly points: readonly EndPoint[];
  /** On the optimum, as it was certified; null: none was. */
  readonly bound: number | null;
  readonly elapsedMs: number;
  /** Somebody waits for the run to end. */
  readonly isCancelled: boolean;
}

/** Has CPython confirm values of compiled code, beside the search. All values are in the objective's own direction. */
export interface Checks {
  /** Goes on from `state`. Before anything is noted. */
  restore(state: CheckState): void;
  /**
   * Rows that have been valued: `first` is the number of the first one's evaluation; `values` [count, objectives];
   * `isCompiled` says which of them compiled code valued. Copies what it keeps. Returns what is to be waited for, if
   * anything is.
   */
  note(
    batch: CandidateBatch,
    first: number,
    values: Float64Array,
    isCompiled: (row: number) => boolean,
  ): Promise<void> | null;
  /** Which of the evaluations `first` to `first + count - 1` are looked at, from 0; all others need not be noted. */
  looksAt(first: number, count: number): readonly number[];
  /** As `note`, of some of a generation: `numbers` are those of their evaluations. */
  noteSome(
    batch: CandidateBatch,
    numbers: readonly number[],
    values: Float64Array,
    isCompiled: (row: number) => boolean,
  ): Promise<void> | null;
  /** Rows of the reading `bounds` that have been evaluated; `first` as above. */
  noteBoxes(batch: CandidateBatch, first: number): Promise<void>;
  /** Before `state`, which holds all that was noted then. */
  settle(): Promise<void>;
  state(): CheckState;
  /** Values that were confirmed so far. */
  readonly confirmed: number;
  /** The misreading found so far; null: none. */
  readonly misreading: Misreading | null;
  /** Misreading at the earliest point that was chosen, once one is found. */
  earliest(): Promise<Misreading | null>;
  /**
   * Whether no proof stands: the objective gives other values for a list and an array, and nobody can tell which is
   * meant; or CPython answered, and none of its answers could be decided.
   */
  readonly isDoubtful: boolean;
  /** The last points are chosen, and answers waited for as long as that is reasonable. */
  finish(end: SearchEnd): Promise<Verified>;
}
