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

/**
 * What code may touch beside the interpreter's files. `stranger`: nothing; uploads. `folder`: it may read the folder of
 * `file` and `readable`, which is for files that the user of this machine runs themselves. `all`: it is not confined.
 */
export type CodeAccess =
  | { readonly kind: 'stranger' }
  | {
      readonly kind: 'folder';
      /** Absolute: the source's own. */
      readonly file: string;
      /** Absolute: further folders and files. */
      readonly readable: readonly string[];
    }
  | { readonly kind: 'all'; readonly file: string };

export interface WorkerSpec {
  readonly launcher: string;
  readonly interpreter: Interpreter;
  readonly limits: WorkerLimits;
  readonly access: CodeAccess;
}

/** Imports of a template: NumPy, or SciPy as well, which takes longer and more memory. */
export type WarmUp = 'numpy' | 'scipy';
