/**
 * The little that lists show and find of a run, small whatever its size. Stores make it with these functions from what
 * changes the run, and keep it beside the record.
 */
import { progressOf, type Metadata, type RunEnding, type RunRecord, type RunRequest } from './run-record.js';
import type { RunStatus } from './run-status.js';
import type { HistoryPoint, RunProgress } from './run-task.js';

/** Lists of runs are sorted by one of these; null is last, in both directions. */
export const RUN_SORT_KEYS = ['createdAt', 'bestFitness', 'evaluations', 'durationSeconds'] as const;
export type RunSortKey = (typeof RUN_SORT_KEYS)[number];

/** Runs with equal keys are ordered by identifier, in the same direction. */
export interface RunOrder {
  readonly key: RunSortKey;
  readonly isDescending: boolean;
}

export const NEWEST_FIRST: RunOrder = { key: 'createdAt', isDescending: true };

/** What lists may limit a number of a run by. `dimensions` of a domain problem is null. */
export const RUN_MEASURES = ['evaluations', 'bestFitness', 'durationSeconds', 'dimensions'] as const;
export type RunMeasure = (typeof RUN_MEASURES)[number];

/** Null is within no limit. */
export interface RunLimit {
  readonly measure: RunMeasure;
  readonly op: '<' | '<=' | '=' | '>=' | '>';
  readonly value: number;
}

export function isWithin(own: number | null, { op, value }: RunLimit): boolean {
  if (own === null) return false;
  switch (op) {
    case '<':
      return own < value;
    case '<=':
      return own <= value;
    case '=':
      return own === value;
    case '>=':
      return own >= value;
    case '>':
      return own > value;
  }
}

/** Null: it solves a problem, which has variables of many kinds. */
export const dimensionsOf = ({ task, problem }: Pick<RunRequest, 'task' | 'problem'>): number | null =>
  problem === undefined ? task.bounds.length : null;

/** The part that changes while the run goes on. Numbers that are not finite are null. */
export interface SummaryState {
  readonly evaluations: number;
  /** Null with several objectives, too. */
  readonly bestFitness: number | null;
  /** Null until the run has ended. */
  readonly durationSeconds: number | null;
  /** Who searched last; null until the run has ended. */
  readonly strategy: string | null;
}

export interface RunSummary extends SummaryState {
  readonly id: string;
  readonly functionId: string;
  readonly status: RunStatus;
  /** Null: the run searches over a function. */
  readonly problemType: string | null;
  readonly maxEvaluations: number;
  /** Epoch milliseconds, as `completedAt`. */
  readonly createdAt: number;
  readonly completedAt: number | null;
  /** See `curveOf`. */
  readonly curve: readonly number[];
}

const finite = (value: number | null | undefined): number | null =>
  // Adding 0 makes 0 of -0.
  value === null || value === undefined || !Number.isFinite(value) ? null : value + 0;

export const progressSummary = (progress: Pick<RunProgress, 'evaluations' | 'bestFitness'> | null): SummaryState => ({
  evaluations: progress?.evaluations ?? 0,
  bestFitness: finite(progress?.bestFitness),
  durationSeconds: null,
  strategy: null,
});

export const endedSummary = (
  ending: Pick<RunEnding, 'evaluations' | 'bestFitness' | 'durationSeconds' | 'strategies'>,
): SummaryState => ({
  evaluations: ending.evaluations,
  bestFitness: finite(ending.bestFitness),
  durationSeconds: finite(ending.durationSeconds),
  strategy: ending.strategies.at(-1)?.name ?? null,
});

export const summaryState = (run: Pick<RunRecord, 'request' | 'progress' | 'ending'>): SummaryState =>
  run.ending === null ? progressSummary(progressOf(run)) : endedSummary(run.ending);

export function summaryOf(run: RunRecord, curve: readonly number[]): RunSummary {
  const { id, functionId, status, request, createdAt, completedAt } = run;
  return {
    id,
    functionId,
    status,
    problemType: request.problem?.problemType ?? null,
    maxEvaluations: request.task.maxEvaluations,
    createdAt,
    completedAt,
    ...summaryState(run),
    curve,
  };
}

const CURVE_POINTS = 32;

/**
 * The best value, or hypervolume, after each 1/32 of the evaluations so far (after each evaluation, if there are
 * fewer); oldest first, without those that precede the first value.
 */
export function curveOf(history: readonly HistoryPoint[], evaluations: number): number[] {
  const all = Math.max(evaluations, history.at(-1)?.evaluations ?? 0);
  const points = Math.min(CURVE_POINTS, all);
  const curve: number[] = [];
  let next = 0;
  let best: number | null = null;
  for (let i = 1; i <= points; i++) {
    const until = Math.ceil((i * all) / points);
    for (; next < history.length && history[next].evaluations <= until; next++) {
      best = finite(history[next].bestFitness) ?? best;
    }
    if (best !== null) curve.push(best);
  }
  return curve;
}

/**
 * Upper and lower case, and the forms of a letter in Unicode, are the same in a search. A NUL, where databases end a
 * text, is its picture.
 */
const folded = (text: string): string =>
  // At the end of a word a Greek sigma has a small form of its own.
  text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').replaceAll('\0', '\u2400');

/** More than name and metadata of any request have. */
const MOST_SEARCHED = 32_768;

/** Whatever of a run words are looked for in: its name, its identifier, names and values in its metadata. */
export function searchText(
  id: string,
  request: Pick<RunRequest, 'functionName' | 'problem'>,
  metadata: Metadata,
): string {
  const texts = [id, request.functionName ?? request.problem?.problemType ?? ''];
  addTexts(metadata, texts);
  // No word has a line break in it.
  return folded(texts.join('\n').slice(0, MOST_SEARCHED));
}

function addTexts(value: unknown, texts: string[]): void {
  if (Array.isArray(value)) {
    for (const member of value) addTexts(member, texts);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      texts.push(name);
      addTexts(member, texts);
    }
  } else if (value !== null && value !== undefined) texts.push(String(value));
}

/** The words of what somebody looks for, as they stand in a `searchText`. */
export const searchWords = (text: string): string[] =>
  folded(text)
    .split(/\s+/)
    .filter((word) => word !== '');
