/**
 * The life of runs and functions, told to whoever counts. Plain numbers under names of closed lists, no text of users.
 */
import type { Measures } from '../evaluation/measures.js';
import type { Preset } from '../model/intelligence.js';
import type { CompilationReason } from '../model/function-record.js';
import type { TerminationReason } from '../model/run-task.js';
import type { Verified } from '../model/verification.js';

/** What a run has used, without the run that it extends. */
export interface RunSpending {
  readonly preset: Preset;
  readonly evaluations: number;
  readonly seconds: number;
  /** Processor time. */
  readonly cpuSeconds: number;
  /** In which CPython checked values. */
  readonly checkSeconds: number;
}

export interface RunMetrics {
  measured(measures: Partial<Measures>): void;
  /** `spent` is absent where it is not known. */
  runEnded(status: 'completed' | 'failed', reason: TerminationReason, spent?: RunSpending): void;
  /** A run or an evaluation whose source was not compiled. */
  fellBack(reason: NonNullable<CompilationReason['kind']>): void;
  /** CPython confirmed values of a run or of an evaluation of points. */
  verified(verified: Verified): void;
  /** Compiled code was found to misread a source. */
  misread(by: 'run' | 'evaluation'): void;
}
