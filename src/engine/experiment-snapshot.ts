/** The experiment after a search, as a snapshot of the run holds it. */
import type { TerminationReason } from '../model/run-task.js';

export interface ExperimentSnapshot {
  /** Budget of the task: a larger one goes on with the search. */
  readonly maxEvaluations: number;
  readonly fromEvaluation: number;
  /** Reason why the search ended. */
  readonly reason: TerminationReason;
  /**
   * Its centre, with the value in the objective's own direction; with several objectives the hypervolume that it
   * dominates.
   */
  readonly centre: string;
  readonly centreValue: number;
  /** Values so far, in the objectives' own direction. */
  readonly answers: string;
  /**
   * Centre of a search with several objectives, minimised: base64 of f64 [objectives], [objectives],
   * [points, objectives]. Absent: one objective.
   */
  readonly several?: { readonly values: string; readonly reference: string; readonly front: string };
}
