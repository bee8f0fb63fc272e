/**
 * The objective as given: Python source and what the front end found out about how to call it. Every backend that runs
 * Python itself needs this; compiled backends need only the IR made from it.
 */
export interface ObjectiveSource {
  readonly code: string;
  /**
   * How to get the callable: a module-level name, or null when the whole source is one expression in `x` or a lambda.
   */
  readonly entry: string | null;
  /** Argument of the callable: a fresh list of Python floats, or a fresh float64 ndarray, one per call. */
  readonly argument: 'list' | 'ndarray';
  /**
   * Population form: the callable receives a fresh float64 array `[count, dimension]` and returns one number per row,
   * shape `[count]`, or a row of `results` numbers, shape `[count, results]`. `argument` is then `ndarray`. Absent:
   * false.
   */
  readonly vectorized?: boolean;
  /** Numbers that a call must give: one per objective of the run, in a tuple, list or array. Absent: 1, a number. */
  readonly results?: number;
  /**
   * The uploader's word on whether calls are free of each other, so that several processes may share them. Absent: it
   * is judged from the text, and candidates are not asked for by the number of processes.
   */
  readonly stateless?: boolean;
  /** What the uploader asks for an evaluation in CPython. */
  readonly evaluationLimits?: EvaluationLimits;
}

/** NumPy and SciPy alone take about 200 MiB. */
export const LEAST_MEMORY_BYTES = 256 * 1024 ** 2;
export const LEAST_EVALUATION_SECONDS = 0.1;

/** Limits on the evaluations of one function. Absent: as the operator has set. Never beyond the operator's ceilings. */
export interface EvaluationLimits {
  /** Of one call; of one in population form, a call for the whole batch. */
  readonly seconds?: number;
  /** Address space of the process, with its libraries. */
  readonly memoryBytes?: number;
}

/** Whether calls are free of each other, and how that was decided. Null: it is open. */
export interface Statelessness {
  readonly value: boolean | null;
  /** For people. */
  readonly reason: string;
}

/** Sharing of evaluations between processes. */
export interface Sharing {
  readonly stateless: Statelessness;
  /** Most processes that value candidates of one batch side by side. */
  readonly processes: number;
}

/** Values of a candidate: numbers in a row of results. */
export const resultsIn = ({ results = 1 }: Pick<ObjectiveSource, 'results'>): number => results;

export type Direction = 'minimize' | 'maximize';

/** One evaluation that gave no number. `line` is in the uploaded source, 0 where unknown. */
export interface EvaluationFailure {
  /** Python's exception class, or `NonNumericResult`, `NaNResult`, `TimeLimit`, `MemoryLimit`, `ProcessLost`. */
  readonly type: string;
  readonly message: string;
  readonly line: number;
}
