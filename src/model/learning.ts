/** Lessons of earlier runs: plain data, made by `src/learning/`, used by the planner. */
import type { Direction } from './objective.js';

/** Features of a program, for comparing it with others: `ProgramStructure` in a few numbers. */
export interface ProgramFeatures {
  readonly isSmooth: boolean;
  readonly isConvex: boolean;
  readonly isPeriodic: boolean;
  readonly hasRounding: boolean;
  /** Null: no sum of terms. */
  readonly termForm: 'coordinates' | 'affine' | 'general' | null;
  readonly terms: number;
  /** Number of residuals of the least-squares form; 0: there is none. */
  readonly residuals: number;
  /** Share of the pairs of variables that can interact; 0 for one variable. */
  readonly interactions: number;
}

/** Features of a problem, from probes and from its program, for comparing it with others. */
export interface ProblemFeatures {
  readonly dimensions: number;
  readonly maxEvaluations: number;
  readonly isNoisy: boolean;
  /** This and what follows: null where it was not looked at. */
  readonly isSeparable: boolean | null;
  readonly coarseRoughness: number | null;
  readonly fineRoughness: number | null;
  readonly bend: number | null;
  readonly skew: number | null;
  /**
   * Decades of the range of the values along the lines across the box; absent in lessons from before it was looked at.
   */
  readonly spread?: number | null;
  /** Absent: it was only called, or the lesson is of an earlier version. */
  readonly program?: ProgramFeatures;
}

/** Whether there is more to compare it by than what its program says. */
export const wasProbed = ({ isNoisy, isSeparable }: ProblemFeatures): boolean => isNoisy || isSeparable !== null;

/** One member's part in a run. */
export interface MemberLesson {
  readonly name: string;
  readonly evaluations: number;
  /** Decades of f - f* that the best value fell while it searched, f* being the run's last one; at most 8 in all. */
  readonly gain: number;
  /** Number of `evaluations` until the run's best value was as good as at its end; absent in older lessons. */
  readonly effort?: number;
}

/** The lesson of one run. */
export interface Lesson {
  readonly runId: string;
  readonly strategy: string;
  /** Null: nothing was probed. */
  readonly features: ProblemFeatures | null;
  /** Place in `LEADERS` (planner/leaders.ts). */
  readonly leader: number;
  /** Who searched when the best value was as good as at the end; null: nobody that is known. */
  readonly winner: string | null;
  /** Evaluations by then; more than the budget where a target was not reached. */
  readonly cost: number;
  readonly members: readonly MemberLesson[];
  readonly bestFitness: number;
  /** Absent: not known to be of use to runs of the same program, or the lesson is of an earlier version. */
  readonly found?: FoundSolution;
  /**
   * The run began with solutions of earlier runs of the program, so its cost says nothing about the kind of problem.
   * Absent: it did not.
   */
  readonly isRepeat?: boolean;
  /** The run was deleted, and `found` with it. Absent: it was not. */
  readonly isRunDeleted?: true;
}

/** A run's solution, for runs of the same program with other data. */
interface FoundSolution {
  /** `FunctionRecord.shape`. */
  readonly shape: string;
  readonly direction: Direction;
  /** In the units of the request. */
  readonly solution: readonly number[];
}

export interface NumberedLesson {
  /** The version of the knowledge that it completes. */
  readonly version: number;
  readonly lesson: Lesson;
}

/** The latest lessons of an account, oldest first, and what other deployments taught, as a run gets them. */
export interface Knowledge {
  readonly version: number;
  /** Hash of all of it. */
  readonly sha256: string;
  /**
   * [lessons + merged statistics, KNOWLEDGE_COLUMNS] row by row; see `src/learning/knowledge.ts`, and for the latter,
   * which come last, `FEDERATED_ROW` (model/federation.ts).
   */
  readonly table: Float64Array;
  /** Oldest first. */
  readonly found: readonly FoundSolution[];
  /** Runs that taught some of it were deleted since, and what they had found with them. */
  readonly isErased: boolean;
}

/** The knowledge that a run was given, as its record names it. */
export interface Learned {
  readonly version: number;
  /** Hash of the knowledge; null for version 0, which is empty. */
  readonly sha256: string | null;
  /** Shape of the run's program (`FunctionRecord.shape`); absent: not known. */
  readonly shape?: string;
}

/** Columns of lessons from before efforts were noted; the hash of a version of such lessons covers no others. */
export const FIRST_COLUMNS = 11;
export const KNOWLEDGE_COLUMNS = 17;
export const COLUMN = {
  dimensions: 0,
  maxEvaluations: 1,
  isNoisy: 2,
  isSeparable: 3,
  coarseRoughness: 4,
  fineRoughness: 5,
  bend: 6,
  skew: 7,
  leader: 8,
  /** Place of the winner in the first of `LEADERS` with its name; 0: another member. */
  winner: 9,
  cost: 10,
  /** NaN: not looked at. */
  spread: 11,
  /** The first of one column for each of `COMPARED` (planner/leaders.ts); NaN: not noted. */
  effort: 12,
} as const;

/** How a lesson's row begins; -1 where something was not looked at. */
export function featureRow(features: ProblemFeatures): Float64Array {
  const row = new Float64Array(KNOWLEDGE_COLUMNS);
  const set = (column: number, value: number | boolean | null): void =>
    void (row[column] = value === null ? -1 : +value);
  set(COLUMN.dimensions, features.dimensions);
  set(COLUMN.maxEvaluations, features.maxEvaluations);
  set(COLUMN.isNoisy, features.isNoisy);
  set(COLUMN.isSeparable, features.isSeparable);
  set(COLUMN.coarseRoughness, features.coarseRoughness);
  set(COLUMN.fineRoughness, features.fineRoughness);
  set(COLUMN.bend, features.bend);
  set(COLUMN.skew, features.skew);
  row[COLUMN.spread] = features.spread ?? NaN;
  return row;
}
