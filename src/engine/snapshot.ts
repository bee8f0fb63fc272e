/**
 * The whole state of a run between two generations: JSON-safe, versioned, enough to go on with the same bits in another
 * process. Taken and read by the engine only.
 */
import type { HistoryPoint } from '../model/run-task.js';
import type { EvaluationFailure } from '../model/objective.js';
import type { CheckState, Misreading } from '../model/verification.js';
import type { StrategySnapshot } from '../strategies/strategy.js';
import type { FrontRunSnapshot } from './front-run.js';
import type { EvaluatorState } from '../evaluation/batch-evaluator.js';
import type { ExperimentSnapshot } from './experiment-snapshot.js';

export const RUN_SNAPSHOT_VERSION = 1;

export interface RunSnapshot {
  readonly version: number;
  readonly strategy: { readonly name: string; readonly state: StrategySnapshot };
  readonly evaluations: number;
  readonly failedEvaluations: number;
  /** Failed evaluations before the first one that did not fail. */
  readonly leadingFailures: number;
  readonly failures: readonly EvaluationFailure[];
  /** In the objective's own direction; `solution` as base64 of f64. */
  readonly best: { readonly solution: string; readonly value: number } | null;
  readonly lastImprovement: number;
  /** Absent: one objective. */
  readonly front?: FrontRunSnapshot;
  /** The budget cut a generation short; absent: it did not. */
  readonly isCut?: boolean;
  readonly history: readonly HistoryPoint[];
  /** Evaluations that experiments of earlier parts of an extended run took; absent: 0. */
  readonly experimented?: number;
  /** After the search: the experiment under way, or done. */
  readonly experiment?: ExperimentSnapshot;
  readonly elapsedSeconds: number;
  readonly evaluator: EvaluatorState;
  /** Evaluations by derived programs, by reading; absent in snapshots of earlier versions. */
  readonly readings?: Readonly<Record<string, number>>;
  /** Checks of values by CPython. Absent: nobody checks them, or the snapshot is of an earlier version. */
  readonly checks?: CheckState;
  /** Compiled code misread the objective: from its start on this attempt is CPython's. Absent: it did not. */
  readonly misread?: Misreading;
  /** Candidates that were asked for at once: as when the run began, wherever it goes on. Absent: 1. */
  readonly sideBySide?: number;
  /** Allowance for reading the program: decided when the run began, with the budget that it had. Absent: all. */
  readonly reading?: { readonly analysis: number; readonly derived: number };
}
