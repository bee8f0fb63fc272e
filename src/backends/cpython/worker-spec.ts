/** How a process of CPython is started, and what limits hold for it. */
import type { ObjectiveSource } from '../../model/objective.js';
import type { Interpreter } from './interpreter.js';

/** All of them hold for one process. */
export interface WorkerLimits {
  /** Address space, where the objective asks for no other. */
  readonly memoryBytes: number;
  /** The most that an objective may ask for. */
  readonly mostMemoryBytes: number;
  /** Processor time over its whole life; a run that needs more goes on in a fresh one. */
  readonly cpuSeconds: number;
  /** Limit for one call of the objective, where it asks for no other. */
  readonly evaluationTimeoutMs: number;
  /** The most that an objective may ask for. */
  readonly mostEvaluationMs: number;
  /** Limit for the imports and the module level of a source. */
  readonly loadTimeoutMs: number;
  /** Texts (error messages) in one answer, beyond the numbers. */
  readonly outputBytes: number;
}

/** Limits of a process that has loaded this objective: those that it asks for, as far as the operator allows. */
export function limitsFor(
  { evaluationLimits: { seconds, memoryBytes } = {} }: Pick<ObjectiveSource, 'evaluationLimits'>,
  limits: WorkerLimits,
): Pick<WorkerLimits, 'evaluationTimeoutMs' | 'memoryBytes'> {
  return {
    evaluationTimeoutMs:
      seconds === undefined ? limits.evaluationTimeoutMs : Math.min(seconds * 1000, limits.mostEvaluationMs),
    memoryBytes: Math.min(memoryBytes ?? limits.memoryBytes, limits.mostMemoryBytes),
  };
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
