/** How a process of CPython is started, and what limits hold for it. */
import type { Interpreter } from './interpreter.js';

/** All of them hold for one process. */
export interface WorkerLimits {
  /** Address space. */
  readonly memoryBytes: number;
  /** Processor time over its whole life; a run that needs more goes on in a fresh one. */
  readonly cpuSeconds: number;
  /** Limit for one call of the objective. */
  readonly evaluationTimeoutMs: number;
  /** Limit for the imports and the module level of a source. */
  readonly loadTimeoutMs: number;
  /** Texts (error messages) in one answer, beyond the numbers. */
  readonly outputBytes: number;
}

export interface WorkerSpec {
  readonly launcher: string;
  readonly interpreter: Interpreter;
  readonly limits: WorkerLimits;
}

/** Imports of a template: NumPy, or SciPy as well, which takes longer and more memory. */
export type WarmUp = 'numpy' | 'scipy';
