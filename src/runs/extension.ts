/**
 * How a run goes on from the end of another one: from the state that was kept, or, where none was, by carrying that one
 * out again from its seed, to the same bits (docs/adr/0016-service-records.md).
 */
import type { RunSnapshot } from '../engine/snapshot.js';
import { usedCompiledCode, usedPython } from '../evaluation/placement-words.js';
import type { RunRequest } from '../model/run-record.js';
import type { BackendUse, HistoryPoint, RunOutcome, RunProgress } from '../model/run-task.js';
import { decode, encode } from '../common/codec.js';

/** Most runs that went on from each other, each with a budget that mattered. After more, the state is kept. */
const MAX_BUDGETS = 16;
/** A state that takes longer than this to make again is kept. */
const KEPT_FROM_SECONDS = 1;

/** Beginning of a run without the state at the end of the run before: the way to make that state again. */
export interface Recipe {
  readonly budgets: readonly number[];
  readonly end: RunProgress;
  /** Up to there. */
  readonly history: readonly HistoryPoint[];
}

/** Bytes of their own, which can be moved to another thread. */
export const encodeStart = (start: RunSnapshot | Recipe): Uint8Array => new TextEncoder().encode(encode(start));

export const decodeStart = (bytes: Uint8Array): RunSnapshot | Recipe => decode(new TextDecoder().decode(bytes));

export const isRecipe = (start: RunSnapshot | Recipe): start is Recipe => 'budgets' in start;

/** Whether a checkpoint is of a run that found that compiled code misreads its source. */
export function isOfMisreadSource(checkpoint: Uint8Array): boolean {
  const start = decodeStart(checkpoint);
  return !isRecipe(start) && start.misread !== undefined;
}

/** Whether compiled code gave any value that led to it, as far as is known. */
export function isOfCompiledCode(start: RunSnapshot | Recipe): boolean {
  // What CPython has valued is never made again.
  if (isRecipe(start)) return true;
  const { use } = start.evaluator;
  return use === undefined || usedCompiledCode(use);
}

/**
 * The budgets that lead from the seed to the state at the end of a run. Null: carried out again it might end elsewhere,
 * as an objective in CPython need not give the same value twice, and fused operations and single precision differ
 * between machines.
 */
export function budgetsTo(
  {
    task,
    math,
    precision,
    extension,
  }: Pick<RunRequest, 'task' | 'math' | 'precision'> & Partial<Pick<RunRequest, 'extension'>>,
  backend: BackendUse | null,
): readonly number[] | null {
  if (math === 'fast' || precision === 'f32' || backend?.use === undefined || usedPython(backend.use)) return null;
  if (extension === undefined || extension.isExact) return [task.maxEvaluations];
  const before = extension.budgets;
  return before === undefined || before.length >= MAX_BUDGETS ? null : [...before, task.maxEvaluations];
}

/** Whether the state at the end is to be kept: else it is soon made again. */
export const isEndKept = (budgets: readonly number[] | null, durationSeconds: number): boolean =>
  budgets === null || durationSeconds > KEPT_FROM_SECONDS;

/** Whether a run that was carried out again has come to where it was the first time, in every bit. */
export function hasSameEnd(again: RunOutcome, end: RunProgress): boolean {
  const numbers = ({ evaluations, bestFitness, bestSolution }: RunProgress | RunOutcome): unknown[] => [
    evaluations,
    bestFitness,
    ...(bestSolution ?? []),
  ];
  const [a, b] = [numbers(again), numbers(end)];
  return a.length === b.length && a.every((value, i) => Object.is(value, b[i]));
}
