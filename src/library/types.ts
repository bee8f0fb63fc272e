/** The public types of the package. They import nothing, so that what is private cannot become part of them. */

/**
 * An objective in this process. `x` [n] is a copy of its own for each call. What it throws, NaN, and what is no number
 * count as failed evaluations.
 */
export type ObjectiveFunction = (x: Float64Array) => number | Promise<number>;

/**
 * An objective that takes many points at a time. `points`: row-major [count, n], a copy; the result: one number for
 * each row. Where it throws, its points are given to it again one by one.
 */
export type BatchObjectiveFunction = (
  points: Float64Array,
  count: number,
) => ArrayLike<number> | Promise<ArrayLike<number>>;

/** A function that a module exports, called in worker threads, several at a time. */
export interface ModuleObjective {
  /** `new URL('./objective.js', import.meta.url)`, or an absolute path. */
  readonly module: URL | string;
  /** Default: `default`. */
  readonly export?: string;
}

/** Python source, as the service takes it: compiled where that can be done, else called in sandboxed CPython. */
export interface PythonObjective {
  readonly python: string;
  /** The function of one argument that is meant; default: `f`, `objective`, or the last that there is. */
  readonly function?: string;
  /** Interpreter for source that is not compiled; default: `python3`, or `PYTHON` in the environment. `off`: none. */
  readonly interpreter?: string;
}

/** Finite, each lower bound below the upper: pairs, or two arrays [n]. */
export type Bounds =
  | readonly (readonly [lower: number, upper: number])[]
  | { readonly lower: ArrayLike<number>; readonly upper: ArrayLike<number> };

export interface Options {
  readonly bounds: Bounds;
  /** Evaluations; default 1000. Every call of the objective counts. */
  readonly budget?: number;
  /** A whole number from 0; the same gives the same bits. Default: drawn, and reported. */
  readonly seed?: number;
  /** Who searches; default `planner`. */
  readonly strategy?: string;
  /** `fast` ends when it has converged, `accurate` goes on until the budget is used up. Default `balanced`. */
  readonly mode?: 'fast' | 'balanced' | 'accurate';
  /** The search ends when it is reached. */
  readonly target?: number;
  /** Where to begin, [n], within the bounds. */
  readonly start?: ArrayLike<number>;
  /** Ends the search: it resolves with the best so far, or rejects with the signal's reason where there is none. */
  readonly signal?: AbortSignal;
  /** A few times a second at most. What it throws ends the search, and rejects with it. */
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Evaluations at a time: promises of an objective that is asynchronous (default 1), worker threads of a module,
   * threads of compiled Python (default: one per core). The result does not depend on it.
   */
  readonly concurrency?: number;
  /** Whether the objective takes many points at a time; default false. Not for Python. */
  readonly batch?: boolean;
}

export interface Progress {
  readonly evaluations: number;
  /** Value of the best point so far; null before there is one. */
  readonly value: number | null;
  readonly x: Float64Array | null;
  readonly seconds: number;
}

export interface Result {
  /** The best point found, [n]. */
  readonly x: Float64Array;
  /** The objective there, as it was returned. */
  readonly value: number;
  readonly evaluations: number;
  /** Evaluations that gave no number, among `evaluations`. */
  readonly failedEvaluations: number;
  /** The first three. */
  readonly failures: readonly Failure[];
  readonly reason: 'budget' | 'target' | 'optimal' | 'converged' | 'cancelled';
  /** Who searched last. */
  readonly strategy: string;
  /** Every improvement; of more than 2,000 it is thinned. */
  readonly history: readonly Improvement[];
  readonly seed: number;
  readonly seconds: number;
  /** The evaluator: `function`, `module`, or the backend of compiled Python; null where the search was cut off. */
  readonly backend: string | null;
  /** Why Python source was not compiled; empty where it was. */
  readonly notCompiled: readonly Finding[];
  /** CPython's verdict on the values of compiled Python; null where the objective is no Python. */
  readonly verified: Verified | null;
}

/**
 * CPython evaluates the best point and a sample of the others; where it disagrees the search begins again in CPython.
 */
export interface Verified {
  /** Null: nobody confirmed anything. */
  readonly by: 'cpython' | null;
  /** Values that were confirmed. */
  readonly points: number;
  /**
   * Why not, or not all that were chosen: `no_interpreter`, `interpreted` (CPython gave all values itself), `setting`,
   * `time`, ...
   */
  readonly reason?: string;
}

export interface Failure {
  /** Name of the error's class, `NaNResult` or `NonNumericResult`; of a module also `WorkerLost`. */
  readonly type: string;
  readonly message: string;
  /** Line in Python source; 0 where it is not known. */
  readonly line: number;
}

export interface Improvement {
  readonly evaluations: number;
  readonly value: number;
  readonly seconds: number;
}

/** A finding at a place in Python source; lines and columns from 1. */
export interface Finding {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}
