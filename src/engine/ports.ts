/** Needs of the engine that are met from outside. It reads no clock and knows no concrete backend. */
import type { Kernel } from '../backends/backend.js';
import type { Reading } from '../model/reading.js';
import type { OpenProgram } from '../evaluation/program-reader.js';
import type { RunProgress, StrategyChange } from '../model/run-task.js';
import type { Misreading, VerificationGap } from '../model/verification.js';
import type { StrategyFactory } from '../strategies/strategy.js';
import type { Checks } from '../verification/checks.js';
import type { RunSnapshot } from './snapshot.js';

/** Hears of every evaluation, in their order. */
export interface EvaluationLog {
  /**
   * `values`: [objectives] from `valuesAt` on, in the objective's own direction; null: it gave none. `x` begins with
   * the point [n]; null: it was of none. Neither is kept.
   */
  add(
    evaluation: number,
    reading: Reading,
    failed: boolean,
    values: Float64Array | null,
    valuesAt: number,
    x: Float64Array | null,
  ): void;
}

/** Counts since the first evaluation of a run. */
export interface RunCounts {
  readonly evaluations: number;
  /** See `EvaluationUse`. */
  readonly tiers: Readonly<Record<string, number>>;
  /** Values that CPython confirmed. */
  readonly confirmed: number;
}

export interface RunPorts {
  /** Those that a task may name; the first that suits the task is the default. */
  readonly strategies: readonly StrategyFactory[];
  readonly primary: Kernel;
  /** Candidates that `primary` values side by side: strategies ask for so many at once. Absent: 1. */
  readonly sideBySide?: number;
  /** CPython, for candidates that the primary flags; null when the primary is CPython or there is none. */
  readonly fallback: Kernel | null;
  /** Null: strategies can only call the objective. */
  readonly program?: OpenProgram | null;
  /** Lessons of earlier runs (`Knowledge.table`, model/learning.ts); absent: none. */
  readonly knowledge?: Float64Array;
  /** See `StrategyProblem.starts`. */
  readonly starts?: Float64Array;
  /** Kept in snapshots (`RunSnapshot.reading`). */
  readonly readingAllowance?: RunSnapshot['reading'];
  /** Milliseconds, monotonic. */
  now(): number;
  /**
   * When the work on the run began, in the terms of `now`: it counts from there. Absent: when the engine takes it up.
   */
  readonly startedAt?: number;
  /** Asked before every generation and, while an evaluation is pending, every 50 ms. */
  isCancelled(): boolean;
  /** At most once per `progressIntervalMs`, default 200; 0 means after every generation. */
  onProgress?(progress: RunProgress): void;
  readonly progressIntervalMs?: number;
  /**
   * `strategy.changed`: the strategy went over to another way of searching. In their order; after a resumption those
   * since the checkpoint come again, with the same numbers.
   */
  onStrategyChanged?(change: StrategyChange): void;
  /** At most once per `checkpointIntervalMs`, default 1,000 (0: after every generation), and once when the run ends. */
  checkpoint?(snapshot: RunSnapshot): void;
  readonly checkpointIntervalMs?: number;
  /** When the search begins, about every 50 ms between generations, and when the run ends. */
  onTurn?(counts: RunCounts): void;
  /** Why the primary backend was chosen. */
  readonly backendReason: string;
  /** Absent: evaluations are counted and forgotten. */
  readonly log?: EvaluationLog;
  /** Absent: nobody checks values, for the reason `unchecked`. */
  readonly checks?: Checks;
  /** Absent: CPython gives all values, or it does not matter. */
  readonly unchecked?: VerificationGap;
  /** Seconds that attempts took which this one does not go on from. Absent: 0. */
  readonly earlierSeconds?: number;
  /** Where compiled code misread the objective, so that CPython values it. Kept in snapshots. */
  readonly misread?: Misreading;
}
