import type { Learned } from './learning.js';
import type { IntelligenceConfig, Preset } from './intelligence.js';
import type { ProblemAnswer, ProblemReference, RunSource } from './problem.js';
import type { BackendUse, HistoryPoint, RunOutcome, RunProgress, RunTask, TerminationReason } from './run-task.js';
import { whyNoValue, type RunStatus } from './run-status.js';
import type { RunUsage } from './run-usage.js';

/** Data that the client attached to a run; the service never reads it. */
export type Metadata = Readonly<Record<string, unknown>>;

/** Says that a run goes on from the end of another one. Its evaluations, history and time count on from there. */
export interface Extension {
  /** The run before. */
  readonly of: string;
  /** Where that one ended. */
  readonly from: RunProgress;
  /**
   * Whether both together have the bits of one run with the larger budget: no way of searching looked at the budget.
   */
  readonly isExact: boolean;
  /**
   * The budgets, growing, that lead from the seed to where the run before ended. Absent where carrying it out again
   * might end elsewhere, and in records of earlier versions.
   */
  readonly budgets?: readonly number[];
}

/** The client's request, with every default filled in. Never changes after the run was created. */
export interface RunRequest {
  readonly task: RunTask;
  /** Absent: it begins at the start. */
  readonly extension?: Extension;
  /** Knowledge that the run was given. Absent: none, and nothing is learned from the run. */
  readonly learned?: Learned;
  /**
   * The problem that it solves; the task then has no bounds, and the run no function. Absent: it searches over a
   * function.
   */
  readonly problem?: ProblemReference;
  /**
   * Name of the function when the run was made. Absent: it solves a problem, or the record is of an earlier version.
   */
  readonly functionName?: string;
  /** The conversation that built the problem. Absent: none. */
  readonly conversationId?: string;
  /** The run that this one repeats with another strategy. Absent: none. */
  readonly replayOf?: string;
  /**
   * The first run of the chain that this one repeats or extends. Absent: none, or the record is of an earlier version.
   */
  readonly originId?: string;
  readonly preset: Preset;
  readonly intelligence: IntelligenceConfig;
  readonly blackBox: boolean;
  /**
   * `fast` may use fused operations: within the stated error bounds, not reproducible in every bit. Absent: `exact`.
   */
  readonly math?: 'exact' | 'fast';
  /** `f32`: a GPU may value candidates in single precision, the best ones again in double. Absent: `f64`. */
  readonly precision?: 'f64' | 'f32';
  /** Minor version of the Python 3 whose semantics the run keeps, also after an upgrade of the host. */
  readonly pythonMinor: number;
}

/** How a run ended; its history is kept apart. `backend` is null where the run ended before one was opened. */
export type RunEnding = Omit<RunOutcome, 'history' | 'backend'> & {
  readonly backend: BackendUse | null;
  /** Answer to the problem, where one was solved. */
  readonly answer?: ProblemAnswer;
  /** Absent where nothing was measured, and in records of earlier versions. */
  readonly usage?: RunUsage;
};

/** The end of a run that no engine ended: what was last reported (null: nothing), and why it stopped. */
export function endingAt(progress: RunProgress | null, reason: TerminationReason, message?: string): RunEnding {
  const end = {
    terminationReason: reason,
    bestSolution: progress?.bestSolution ?? null,
    evaluations: progress?.evaluations ?? 0,
  };
  const error = message ?? whyNoValue(end);
  return {
    ...end,
    bestFitness: progress?.bestFitness ?? null,
    failedEvaluations: 0,
    failures: [],
    durationSeconds: progress?.elapsedSeconds ?? 0,
    strategies: [],
    backend: null,
    error: error === null ? undefined : { message: error },
  };
}

/** As it is stored with a run. */
export interface StoredProgress extends RunProgress {
  /** `losses` of the run when its latest checkpoint was stored; absent: 0. */
  readonly lossesBefore?: number;
  /** `strikes` at that time; absent: 0. */
  readonly strikesBefore?: number;
  /** Resources that the run has used so far. */
  readonly usage?: RunUsage;
}

/** The truth about a run. Times are epoch milliseconds. */
export interface RunRecord {
  readonly id: string;
  readonly accountId: string;
  /** The function may have been deleted since; the run keeps its own copy of the source. Empty: it solves a problem. */
  readonly functionId: string;
  readonly status: RunStatus;
  readonly request: RunRequest;
  readonly metadata: Metadata;
  readonly createdAt: number;
  /** When the first attempt began. */
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  /** Fencing number: grows with every claim; a write that carries an older one is refused. */
  readonly attempt: number;
  /** Claims that followed a lost lease, that is a process that died while carrying out the run. */
  readonly losses: number;
  /** Losses at which the process carried out nothing else. */
  readonly strikes: number;
  readonly cancelRequested: boolean;
  /** Null before the first report, and once the run has ended. */
  readonly progress: StoredProgress | null;
  /** Null until the run has ended. */
  readonly ending: RunEnding | null;
}

/** A replay beside the run that it repeats, when both have ended. Values are the objective's own. */
export interface Comparison {
  /** The replay's best value less the original's; null where one of them has none. */
  readonly bestFitnessDifference: number | null;
  /** Evaluations after which the replay was as good as the original at its end; null: it never was. */
  readonly evaluationsToMatch: number | null;
  /** Whether the replay's best value is the better one. */
  readonly isBetter: boolean;
}

/** Processes that died at this point of the run: since it last came further. */
export const lossesHere = ({ losses, progress }: Pick<RunRecord, 'losses' | 'progress'>): number =>
  losses - (progress?.lossesBefore ?? 0);

/** Strikes at this point of the run: since it last came further. */
export const strikesHere = ({ strikes, progress }: Pick<RunRecord, 'strikes' | 'progress'>): number =>
  strikes - (progress?.strikesBefore ?? 0);

/** Where a run is: reported last, or where it began. */
export const progressOf = (run: Pick<RunRecord, 'progress' | 'request'>): RunProgress | null =>
  run.progress ?? run.request.extension?.from ?? null;

/** Start of a run that goes on from another one. */
export interface RunStart {
  readonly checkpoint: Uint8Array;
  readonly history: readonly HistoryPoint[];
}

/** A run as its creator hands it to the store. */
export interface NewRun {
  readonly id: string;
  readonly accountId: string;
  readonly functionId: string;
  readonly source: RunSource;
  readonly request: RunRequest;
  readonly metadata: Metadata;
  readonly createdAt: number;
  /** Absent: nothing yet. */
  readonly start?: RunStart;
}
