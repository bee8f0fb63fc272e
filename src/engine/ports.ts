/** What the engine needs from outside. It reads no clock and knows no concrete backend. */
import type { Kernel } from '../backends/backend.js';
import type { CandidateBatch } from '../model/candidate-batch.js';
import type { RunProgress, StrategyChange } from '../model/run-task.js';
import type { CheckState, Misreading, VerificationGap, Verified } from '../model/verification.js';
import type { DerivedReading } from '../model/reading.js';
import type { ProgramView, StrategyFactory } from '../strategies/strategy.js';
import type { RunSnapshot } from './snapshot.js';

/** The program of a compiled objective, for strategies that do not only call it. */
export interface OpenProgram extends ProgramView {
  /** Opens what evaluates rows of a reading whose `resultLength` is not null; the caller closes it. */
  open(reading: DerivedReading): Promise<Kernel>;
}

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
   * Rows that have been valued: `first` is the number of the first one's evaluation; `values` [count, objectives]; `isCompiled` says
   * which of them compiled code valued. Copies what it keeps. Returns what is to be waited for, if anything is.
   */
  note(
    batch: CandidateBatch,
    first: number,
    values: Float64Array,
    isCompiled: (row: number) => boolean,
  ): Promise<void> | null;
  /** Rows of the reading `bounds` that have been evaluated; `first` as above. */
  noteBoxes(batch: CandidateBatch, first: number): Promise<void>;
  /** Before `state`, which holds all that was noted then. */
  settle(): Promise<void>;
  state(): CheckState;
  /** Found so far; null: none. */
  readonly misreading: Misreading | null;
  /** Of the earliest point that was chosen, after one was found. */
  earliest(): Promise<Misreading | null>;
  /** The last points are chosen, and answers waited for as long as that is reasonable. */
  finish(end: SearchEnd): Promise<Verified>;
}

export interface RunPorts {
  /** Those that a task may name; the first that suits the task is the default. */
  readonly strategies: readonly StrategyFactory[];
  readonly primary: Kernel;
  /** CPython, for candidates that the primary flags; null when the primary is CPython or there is none. */
  readonly fallback: Kernel | null;
  /** Null: strategies can only call the objective. */
  readonly program?: OpenProgram | null;
  /** What earlier runs taught (`Knowledge.table`, model/learning.ts); absent: nothing. */
  readonly knowledge?: Float64Array;
  /** See `StrategyProblem.starts`. */
  readonly starts?: Float64Array;
  /** Kept in snapshots (`RunSnapshot.reading`). */
  readonly readingAllowance?: RunSnapshot['reading'];
  /** Milliseconds, monotonic. */
  now(): number;
  /** When the work on the run began, in the terms of `now`: it counts from there. Absent: when the engine takes it up. */
  readonly startedAt?: number;
  /** Asked before every generation and, while an evaluation is pending, every 50 ms. */
  isCancelled(): boolean;
  /** At most once per `progressIntervalMs`, default 200; 0 means after every generation. */
  onProgress?(progress: RunProgress): void;
  readonly progressIntervalMs?: number;
  /**
   * `strategy.changed`: the strategy went over to another way of searching. In their order; after a resumption those since
   * the checkpoint come again, with the same numbers.
   */
  onStrategyChanged?(change: StrategyChange): void;
  /** At most once per `checkpointIntervalMs`, default 1,000 (0: after every generation), and once when the run ends. */
  checkpoint?(snapshot: RunSnapshot): void;
  readonly checkpointIntervalMs?: number;
  /** Why the primary backend was chosen. */
  readonly backendReason: string;
  /** Absent: nobody checks values, for the reason `unchecked`. */
  readonly checks?: Checks;
  /** Absent: CPython gives all values, or it does not matter. */
  readonly unchecked?: VerificationGap;
  /** Seconds that attempts took which this one does not go on from. Absent: 0. */
  readonly earlierSeconds?: number;
  /** Where compiled code misread the objective, so that CPython values it. Kept in snapshots. */
  readonly misread?: Misreading;
}
