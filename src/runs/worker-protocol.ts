/**
 * Messages between main thread and worker threads: plain data, by structured clone. Failures travel as data too
 * (`common/thread-call.ts`).
 */
import type { MessagePort } from 'node:worker_threads';
import { errorData, type ErrorData } from '../common/thread-call.js';
import type { PythonAccess } from '../evaluation/kernels.js';
import type { Measures } from '../evaluation/measures.js';
import type { UploadAnalysis } from '../frontend/compile.js';
import type { CompilationReason, Note } from '../model/function-record.js';
import type { InterpreterFacts } from '../model/interpreter-facts.js';
import type { Extension, RunEnding } from '../model/run-record.js';
import type { ProblemSource } from '../model/problem.js';
import type { DrawnAnswer } from '../domains/problem-type.js';
import type { ObjectiveSource } from '../model/objective.js';
import type { ProgramFindings } from '../model/program-structure.js';
import type {
  EvaluationUse,
  HistoryPoint,
  RunOutcome,
  RunProgress,
  RunTask,
  StrategyChange,
} from '../model/run-task.js';
import type { EvaluationFailure } from '../model/objective.js';
import type { RunUsage } from '../model/run-usage.js';
import type { Misreading, VerificationGap, Verified } from '../model/verification.js';
import type { LogWish } from './evaluation-log/open-log.js';
import type { Gauges } from './gauges.js';
import type { RunBeginning } from './run-events.js';

/** Names of the functions that `run-worker.ts` exports to the pools. */
export type WorkerFunction =
  'carryOut' | 'solve' | 'draw' | 'analyze' | 'evaluate' | 'compiles' | 'probe' | 'devices' | 'rasterize';

/** Values of the first cell of `RunJob.control`; the main thread writes it, the worker looks between generations. */
export const Control = { GoOn: 0, Cancel: 1, Suspend: 2 } as const;
/**
 * Cells of `RunJob.control`. A `Stop` other than 0 also ends native code: within an evaluation, whose result is lost,
 * or within a solver of problems, whose run is then over.
 */
export const CONTROL_CELLS = { Control: 0, Stop: 1, count: 2 } as const;

export interface RunJob {
  readonly task: RunTask;
  readonly source: ObjectiveSource;
  readonly pythonMinor: number;
  /** The interpreter behind `python`; null: there is none. */
  readonly interpreter: InterpreterFacts | null;
  readonly math: 'exact' | 'fast';
  /** Whether a GPU may value candidates, where it is faster. */
  readonly gpu: boolean;
  /** `f32`: a GPU is to value them, in single precision. */
  readonly precision: 'f64' | 'f32';
  /** The program is only called, never read. */
  readonly blackBox: boolean;
  /** From an earlier attempt or another run, or null: a `RunSnapshot` or a `Recipe`, encoded. */
  readonly checkpoint: Uint8Array | null;
  /** `Knowledge.table` (model/learning.ts); null: nothing. */
  readonly knowledge: Float64Array | null;
  /** See `StrategyProblem.starts`; null: none. */
  readonly starts: Float64Array | null;
  /** Its first reports come soon after each other: it is not trusted until one is stored. Absent: they need not. */
  readonly reportsSoon?: boolean;
  readonly extension: Extension | null;
  /** Shared; see `CONTROL_CELLS`. */
  readonly control: Int32Array;
  /** Whether the state at a timeout comes with the result, as `extendable`. Absent: it does not. */
  readonly keepsTimeout?: boolean;
  /** Threads that one evaluation may use. */
  readonly threads: number;
  /** `RunReport`s go to the main thread here. */
  readonly reports: MessagePort;
  readonly python: PythonAccess;
  /** Why nobody checks values; null: the port of `python` does, too. */
  readonly unchecked: VerificationGap | null;
  /** Compiled code misreads the source, so that CPython values it; null: nobody has found that. */
  readonly misread: Misreading | null;
  /** Seconds spent in attempts that this one does not go on from. */
  readonly earlierSeconds: number;
  /** Where all evaluations are written; absent: nowhere. */
  readonly log?: LogWish;
  /** Shared: what the main thread watches. Absent: nobody does. */
  readonly gauges?: Gauges;
}

/** A run that solves a problem; fields as of `RunJob`. */
export interface ProblemJob {
  readonly task: RunTask;
  readonly source: ProblemSource;
  readonly control: Int32Array;
  readonly reports: MessagePort;
  readonly gauges?: Gauges;
}

/** A picture of a solved problem. */
export interface PictureJob {
  readonly source: ProblemSource;
  readonly answer: DrawnAnswer;
  readonly kind: string;
}

export interface RunReport {
  readonly progress: RunProgress;
  readonly history?: readonly HistoryPoint[];
  /** Encoded here, because it may be large, and moved, not copied. */
  readonly checkpoint?: Uint8Array;
  /** Evaluations since the last report. */
  readonly use?: EvaluationUse;
  readonly begun: RunBeginning;
  /** Usage of this attempt so far, without CPython. */
  readonly usage: RunUsage;
  /** Since the last report; the checkpoint covers them. */
  readonly changes: readonly StrategyChange[];
}

interface WorkerFailure {
  readonly kind: 'failed';
  readonly error: ErrorData;
  readonly measures?: Measures;
}

export const failureOf = (error: unknown): WorkerFailure => ({ kind: 'failed', error: errorData(error) });

/** `usage`: of the whole attempt, without CPython. */
export type RunResult = { readonly usage: RunUsage } & (
  | {
      readonly kind: 'ended';
      readonly outcome: RunOutcome;
      readonly begun: RunBeginning;
      readonly changes: readonly StrategyChange[];
      /** From which another run can go on. Absent: it cannot, the state is too large, or soon made again. */
      readonly extendable?: Uint8Array;
      readonly measures?: Measures;
      /** Failure of its checks by a defect of ours, for the log. */
      readonly checkDefect?: string;
      /** Why the file of its evaluations is not whole; absent: it is, or there is none. */
      readonly logFailure?: string;
    }
  /** A check found that compiled code misreads the source: nothing of it can be kept. */
  | {
      readonly kind: 'misread';
      readonly misreading: Misreading;
      readonly begun: RunBeginning;
      /** Seconds of all attempts so far. */
      readonly elapsedSeconds: number;
      readonly measures?: Measures;
    }
  /** Ended while it was compiled. */
  | { readonly kind: 'unbegun'; readonly why: 'cancelled' | 'timeout'; readonly measures?: Measures }
  /** Stopped because of `Control.Suspend`. `report` is null where nothing was done yet. */
  | { readonly kind: 'suspended'; readonly report: RunReport | null; readonly measures?: Measures }
  | WorkerFailure
);

/** Result of a run that solves a problem. `solved` includes the finding that the problem has no solution. */
export type SolveResult =
  | Extract<RunResult, { readonly kind: 'suspended' | 'unbegun' | 'failed' }>
  | {
      readonly kind: 'solved';
      readonly usage: RunUsage;
      readonly ending: Omit<RunEnding, 'usage'>;
      readonly history: readonly HistoryPoint[];
      readonly begun: RunBeginning;
    };

export interface AnalysisJob {
  readonly code: string;
  readonly name: string;
  /** Whether it was declared to be in population form; absent: to be found out. */
  readonly vectorized?: boolean;
  /** Compiling it took too long before: it is accepted as it is. Absent: it did not. */
  readonly isTooMuch?: boolean;
  readonly pythonMinor: number;
  readonly interpreter: InterpreterFacts | null;
}

export type AnalysisResult =
  | {
      readonly kind: 'analyzed';
      readonly analysis: UploadAnalysis;
      /** Absent: it was not compiled. */
      readonly program?: ProgramFindings;
      /** See `FunctionRecord.shape`; absent: the source is refused. */
      readonly shape?: string;
      /** See `FunctionRecord.compilation`; absent: the source is refused. */
      readonly notes?: readonly Note[];
      readonly measures?: Measures;
    }
  | WorkerFailure;

export interface EvaluationJob {
  readonly source: ObjectiveSource;
  readonly dimension: number;
  /** Row-major `[count, dimension]`. */
  readonly candidates: Float64Array;
  readonly count: number;
  readonly pythonMinor: number;
  readonly interpreter: InterpreterFacts | null;
  readonly python: PythonAccess;
  /** Both as of a run. */
  readonly unchecked: VerificationGap | null;
  readonly misread: Misreading | null;
  /** Shared; other than 0: end native code. */
  readonly stop: Int32Array;
}

export interface FunctionEvaluation {
  /** Numbers that a point has. */
  readonly objectives: number;
  /** [count, objectives]; NaN where `errors` has an entry. */
  readonly values: Float64Array;
  readonly errors: readonly (EvaluationFailure | null)[];
  readonly backend: { readonly name: string; readonly device: string; readonly reason: string };
  /** Why the source was not compiled; empty where it was. */
  readonly notCompiled: readonly CompilationReason[];
  readonly verified: Verified;
}

export type EvaluationResult =
  | ({ readonly kind: 'evaluated'; readonly measures?: Measures; readonly checkDefect?: string } & FunctionEvaluation)
  | { readonly kind: 'misread'; readonly misreading: Misreading; readonly measures?: Measures }
  | WorkerFailure;

export interface CompilesJob {
  readonly source: ObjectiveSource;
  readonly dimension: number;
  readonly pythonMinor: number;
  readonly interpreter: InterpreterFacts | null;
}
