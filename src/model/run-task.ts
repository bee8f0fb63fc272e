/** The engine's task and its answer. Plain data: crosses threads by structured clone and is stored. */
import type { ProgramFindings } from './program-structure.js';
import type { Numbers } from '../common/phrase.js';
import type { Convergence, Experiment } from './experiment.js';
import type { Front } from './front.js';
import type { Optimality } from './certificate.js';
import type { ProgramFeatures } from './learning.js';
import type { CompilationReason } from './function-record.js';
import type { Verified } from './verification.js';
import type { EvaluationFailure, Direction, Sharing } from './objective.js';
export type Mode = 'fast' | 'balanced' | 'accurate';

export type TerminationReason =
  'budget' | 'target' | 'optimal' | 'converged' | 'stagnated' | 'timeout' | 'cancelled' | 'error';

export interface RunTask {
  readonly bounds: readonly (readonly [number, number])[];
  readonly maxEvaluations: number;
  readonly seed: number;
  readonly direction: Direction;
  readonly mode: Mode;
  /** Name in the strategy registry; absent: the engine takes its default. */
  readonly strategy?: string;
  /** Whether the default may be one that plans, as it does when this is absent. */
  readonly isPlanned?: boolean;
  readonly timeoutSeconds?: number;
  /** Values of a candidate, 1 .. 4, all of one direction; absent: 1. */
  readonly objectives?: number;
  /** Reference point of the hypervolume, in the objectives' own direction; absent: from the first values. */
  readonly referencePoint?: readonly number[];
  /** In the objective's own direction. */
  readonly targetFitness?: number;
  readonly stagnationEvaluations?: number;
  readonly initialSolution?: readonly number[];
  /**
   * Level of the explanation that is wanted: from 4 on up to a tenth of the budget goes to an experiment. Absent: 0.
   */
  readonly explanationLevel?: number;
  /** Pictures are wanted: the experiment also measures what they show. Absent: none are. */
  readonly isPictured?: boolean;
}

/** A point that was the best when it was found. `value` in the objective's own direction. */
export interface Improvement {
  readonly evaluations: number;
  readonly value: number;
  readonly solution: readonly number[];
}

/** A history has no more points. */
export const MAX_HISTORY_POINTS = 2000;

/**
 * Every improvement of the best fitness, in the objective's own direction; with several objectives, of the hypervolume.
 */
export interface HistoryPoint {
  readonly evaluations: number;
  /** With several objectives the hypervolume of the front, which rises. */
  readonly bestFitness: number;
  readonly elapsedSeconds: number;
}

export interface StrategySpan {
  readonly name: string;
  readonly reason: string;
  readonly fromEvaluation: number;
  readonly toEvaluation: number;
  readonly bestFitness: number | null;
  /** The numbers in `reason`, by name. Absent: it has none, or the record is of an earlier version. */
  readonly evidence?: Numbers;
}

/** The run went over to another way of searching. */
export interface StrategyChange {
  /** Counted from 1 over the whole run. */
  readonly number: number;
  readonly from: string;
  readonly to: string;
  /** For people. */
  readonly reason: string;
  /** Evaluations done by then. */
  readonly evaluations: number;
}

/** A planning strategy's findings about the objective, and its decisions: explanations are made of them. */
export interface PlanningRecord {
  /** Findings by name; null: not looked at. */
  readonly landscape: Readonly<Record<string, number | boolean | null>>;
  /** In their order; of many the first and the latest are kept. */
  readonly decisions: readonly PlanningDecision[];
  readonly decisionCount: number;
  /**
   * Place in `LEADERS` (planner/leaders.ts) of the member that led by the advice of earlier runs. Absent: nothing was
   * advised.
   */
  readonly leader?: number;
  /** Absent: the program was only called, or nobody looked. */
  readonly program?: ProgramFeatures;
  /** Solutions of earlier runs of the same program that were evaluated first. Absent: none. */
  readonly starts?: number;
}

/** Name of the phase in which a planner probes, before anybody votes. */
export const PROBES = 'probes';

export interface PlanningDecision {
  readonly evaluations: number;
  readonly chosen: string;
  readonly votes: readonly PlanningVote[];
}

export interface PlanningVote {
  readonly agent: string;
  /** Whom it is about. */
  readonly member: string;
  /** Null: a veto. */
  readonly points: number | null;
  readonly reason: string;
  /** The numbers in `reason`, by name. Absent: it has none, or the record is of an earlier version. */
  readonly evidence?: Numbers;
  readonly prediction?: GainPrediction;
}

/**
 * Gain that is expected of a member if it goes on. Unit: decades, the decrease of log10(f - f*) with the best value f
 * of the run and an estimate f* of what the run can still reach.
 */
export interface GainPrediction {
  readonly gain: number;
  /** Lower end of a range that holds the gain in about four of five cases. */
  readonly low: number;
  readonly high: number;
  /** Evaluations within which it is gained. */
  readonly evaluations: number;
}

/** Counts over a whole run. */
export interface EvaluationUse {
  /** Evaluations by their evaluator (`Kernel.tier`). A candidate that was evaluated again counts for both. */
  readonly tiers: Readonly<Record<string, number>>;
  /** Candidates that compiled code flagged, by the name of the status. */
  readonly flagged: Readonly<Record<string, number>>;
  /** Flagged candidates that CPython evaluated again. */
  readonly reevaluated: number;
}

/** Names of tiers that are GPUs. */
export const GPU_TIERS: readonly string[] = ['cuda', 'tfjs-gpu', 'gpujs-gpu'];

/** Whether a GPU gave some of the values. */
export const usedGpu = ({ tiers }: EvaluationUse): boolean => GPU_TIERS.some((name) => (tiers[name] ?? 0) > 0);

/**
 * The fate of native code. `accepted`: it gave the virtual machine's bits; `rejected`: it did not, and was not used;
 * `unchecked`: compiled, not yet compared; `refused`: not to be had for this program; `not_tried`: would not have paid.
 */
export interface NativeCodeVerdict {
  readonly status: 'accepted' | 'rejected' | 'unchecked' | 'refused' | 'not_tried';
  readonly reason: string;
}

/** The last six are absent in records of earlier versions. */
export interface BackendUse {
  readonly name: string;
  readonly device: string;
  readonly reason: string;
  readonly evaluationsPerSecond: number;
  readonly use?: EvaluationUse;
  /** Absent: candidates were not valued by Python, or none was. */
  readonly sharing?: Sharing;
  /** Null where the backend makes no native code. */
  readonly nativeCode?: NativeCodeVerdict | null;
  /** Evaluations that were no plain values, by reading (`model/reading.ts`). */
  readonly readings?: Readonly<Record<string, number>>;
  /** Findings from reading the program; absent: it was only called. */
  readonly analysis?: ProgramFindings;
  /** Why the source was not compiled for this run; empty where it was. */
  readonly notCompiled?: readonly CompilationReason[];
}

export interface RunProgress {
  readonly evaluations: number;
  /** Null with several objectives, too. */
  readonly bestFitness: number | null;
  /** With several objectives the knee of the front. */
  readonly bestSolution: readonly number[] | null;
  /** Hypervolume of the front so far; absent: one objective, or no front yet. */
  readonly hypervolume?: number;
  readonly elapsedSeconds: number;
}

export interface RunOutcome {
  readonly terminationReason: TerminationReason;
  /** Null until a first finite value was seen. With several objectives the knee of the front. */
  readonly bestSolution: readonly number[] | null;
  /** In the objective's own direction. Null with several objectives, too. */
  readonly bestFitness: number | null;
  /** Absent: one objective, or no candidate with finite values. */
  readonly front?: Front;
  readonly evaluations: number;
  readonly failedEvaluations: number;
  /** The first three. */
  readonly failures: readonly EvaluationFailure[];
  readonly durationSeconds: number;
  readonly history: readonly HistoryPoint[];
  readonly strategies: readonly StrategySpan[];
  /** Absent where nothing was planned, and in records of earlier versions. */
  readonly planning?: PlanningRecord;
  /** Absent where nothing was proven, and in records of earlier versions. */
  readonly optimality?: Optimality;
  /** Absent where no value was finite, and in records of earlier versions. */
  readonly convergence?: Convergence;
  /** Absent where the explanation asked for none, or it was not carried out. */
  readonly experiment?: Experiment;
  /** For pictures: some of the points that were the best in their turn, oldest first. Absent: none were kept. */
  readonly improvements?: readonly Improvement[];
  /** Absent where nobody checks values, and in records of earlier versions. */
  readonly verified?: Verified;
  readonly backend: BackendUse;
  /** Set when `terminationReason` is `error`, and where no value was found. */
  readonly error?: RunError;
}

export const PROBLEM_ERROR_CODES = ['infeasible', 'unbounded', 'out_of_range', 'unsolved'] as const;
export type ProblemErrorCode = (typeof PROBLEM_ERROR_CODES)[number];

/** `code`: of a problem that has no best solution. */
interface RunError {
  readonly message: string;
  readonly code?: ProblemErrorCode;
  /** Names of limits that cannot hold together. */
  readonly conflict?: readonly string[];
}
