/** Summaries of runs that were stored by versions without summaries. */
import type { FunctionRecord } from '../../model/function-record.js';
import type { Metadata, RunEnding, RunRequest } from '../../model/run-record.js';
import {
  curveOf,
  dimensionsOf,
  searchText,
  type RunSummary,
  type SummaryState,
  summaryState,
} from '../../model/run-summary.js';
import type { HistoryPoint, RunProgress } from '../../model/run-task.js';

/** The stored record of the run; null: none, or it cannot be read. */
export interface EarlierRun {
  readonly id: string;
  readonly request: RunRequest | null;
  readonly metadata: Metadata | null;
  readonly progress: RunProgress | null;
  readonly ending: RunEnding | null;
  readonly history: readonly HistoryPoint[] | null;
  readonly objective: Pick<FunctionRecord, 'name'> | null;
}

type EarlierSummary = SummaryState &
  Pick<RunSummary, 'problemType' | 'maxEvaluations' | 'curve'> & {
    readonly dimensions: number | null;
    readonly words: string;
  };

/** What cannot be read stays empty: the record is damaged, its summary only poor. */
export function earlierSummary(run: EarlierRun): EarlierSummary {
  try {
    return summaryWith(run);
  } catch {
    const nothing = { evaluations: 0, bestFitness: null, durationSeconds: null, strategy: null };
    return {
      ...nothing,
      problemType: null,
      maxEvaluations: 0,
      dimensions: null,
      curve: [],
      words: searchText(run.id, {}, {}),
    };
  }
}

function summaryWith({ id, request, metadata, progress, ending, history, objective }: EarlierRun): EarlierSummary {
  if (request === null) throw new Error('a run without a request');
  const state = summaryState({ request, progress, ending });
  const named = objective === null ? request : { ...request, functionName: objective.name };
  return {
    ...state,
    problemType: request.problem?.problemType ?? null,
    maxEvaluations: request.task.maxEvaluations,
    dimensions: dimensionsOf(request),
    curve: curveOf(history ?? [], state.evaluations),
    words: searchText(id, named, metadata ?? {}),
  };
}
