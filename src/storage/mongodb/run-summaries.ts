/**
 * The summary of a run: a field of its document, so that it changes with the run in one update. Runs of earlier
 * versions get it at the start.
 */
import type { Db, Filter } from 'mongodb';
import { decode } from '../../common/codec.js';
import type { NewRun, RunRequest } from '../../model/run-record.js';
import type { RunStatus } from '../../model/run-status.js';
import {
  curveOf,
  dimensionsOf,
  NEWEST_FIRST,
  type RunLimit,
  type RunMeasure,
  searchText,
  type RunSortKey,
  type RunSummary,
  type SummaryState,
  summaryState,
} from '../../model/run-summary.js';
import type { HistoryPoint } from '../../model/run-task.js';
import type { RunFilter, RunPageRequest } from '../contract/runs.js';
import { earlierSummary } from '../rules/earlier-summaries.js';
import type { Growing } from './run-parts.js';
import { expand, type Packed, unpack } from './values.js';

/** A field of the run's document. */
interface SummaryFields extends SummaryState {
  readonly problemType: string | null;
  readonly maxEvaluations: number;
  /** Null: the run solves a problem. */
  readonly dimensions: number | null;
  readonly curve: readonly number[];
  readonly words: string;
}

/** The part of a run's document that lists need. */
export interface SummarizedDocument {
  _id: string;
  accountId: string;
  functionId: string;
  status: RunStatus;
  createdAt: number;
  completedAt: number | null;
  summary: SummaryFields;
}

export type ShownFields = Omit<SummarizedDocument, 'accountId'>;

/** Leaves out the rest of the document. */
export const SHOWN = {
  functionId: 1,
  status: 1,
  createdAt: 1,
  completedAt: 1,
  'summary.strategy': 1,
  'summary.bestFitness': 1,
  'summary.evaluations': 1,
  'summary.durationSeconds': 1,
  'summary.problemType': 1,
  'summary.maxEvaluations': 1,
  'summary.curve': 1,
} as const;

export function newSummary(
  { id, request, metadata }: Pick<NewRun, 'id' | 'request' | 'metadata'>,
  history: readonly HistoryPoint[],
): SummaryFields {
  const state = summaryState({ request, progress: null, ending: null });
  return {
    ...state,
    problemType: request.problem?.problemType ?? null,
    maxEvaluations: request.task.maxEvaluations,
    dimensions: dimensionsOf(request),
    curve: curveOf(history, state.evaluations),
    words: searchText(id, request, metadata),
  };
}

type SummarySet = { readonly [Field in keyof SummaryFields as `summary.${Field}`]?: SummaryFields[Field] };

/** As part of an update; without a history the curve stays. */
export const setSummary = (state: SummaryState, history: readonly HistoryPoint[] | undefined): SummarySet => ({
  'summary.evaluations': state.evaluations,
  'summary.bestFitness': state.bestFitness,
  'summary.durationSeconds': state.durationSeconds,
  'summary.strategy': state.strategy,
  ...(history === undefined ? {} : { 'summary.curve': curveOf(history, state.evaluations) }),
});

export function summaryIn({ _id, functionId, status, createdAt, completedAt, summary }: ShownFields): RunSummary {
  const { strategy, bestFitness, evaluations, durationSeconds, problemType, maxEvaluations, curve } = summary;
  if (!Array.isArray(curve)) throw new Error('what is stored is no summary');
  return {
    id: _id,
    functionId,
    status,
    createdAt,
    completedAt,
    strategy,
    bestFitness,
    evaluations,
    durationSeconds,
    problemType,
    maxEvaluations,
    curve,
  };
}

/** `createdAt` is in the identifier. */
const FIELDS: Readonly<Record<RunSortKey, string>> = {
  createdAt: '_id',
  bestFitness: 'summary.bestFitness',
  evaluations: 'summary.evaluations',
  durationSeconds: 'summary.durationSeconds',
};

const MEASURES: Readonly<Record<RunMeasure, string>> = {
  evaluations: 'summary.evaluations',
  bestFitness: 'summary.bestFitness',
  durationSeconds: 'summary.durationSeconds',
  dimensions: 'summary.dimensions',
};
/** Null is none of the numbers that they find. */
const OPERATORS: Readonly<Record<RunLimit['op'], string>> = {
  '<': '$lt',
  '<=': '$lte',
  '=': '$eq',
  '>=': '$gte',
  '>': '$gt',
};

/** Every character that means something in a regular expression means itself. */
const literal = (word: string): string => word.replaceAll(/[\\^$.*+?()[\]{}|#-]/g, String.raw`\$&`);

export const matching = (
  accountId: string,
  { status, functionId, strategy, limits = [], words = [] }: RunFilter,
): Filter<SummarizedDocument> => ({
  accountId,
  ...(status === undefined ? {} : { status }),
  ...(functionId === undefined ? {} : { functionId }),
  ...(strategy === undefined ? {} : { 'summary.strategy': strategy }),
  ...(words.length + limits.length === 0
    ? {}
    : {
        $and: [
          ...limits.map(({ measure, op, value }) => ({ [MEASURES[measure]]: { [OPERATORS[op]]: value } })),
          ...words.map((word) => ({ 'summary.words': { $regex: literal(word) } })),
        ],
      }),
});

/** The questions whose answers, one after the other, are the list in its order. */
interface Stretch {
  readonly filter: Filter<SummarizedDocument>;
  readonly sort: Readonly<Record<string, 1 | -1>>;
}

function stretches(filter: Filter<SummarizedDocument>, { order = NEWEST_FIRST }: RunPageRequest): [Stretch, Stretch?] {
  const direction = order.isDescending ? -1 : 1;
  const field = FIELDS[order.key];
  if (field === '_id') return [{ filter, sort: { _id: direction } }];
  const sort = { [field]: direction, _id: direction } as const;
  // The database puts null before every number.
  if (order.isDescending || order.key === 'evaluations') return [{ filter, sort }];
  return [
    { filter: { ...filter, [field]: { $gte: -Infinity } }, sort },
    { filter: { ...filter, [field]: null }, sort },
  ];
}

/**
 * The items of a page of what matches.
 * @param find Items of a stretch, without so many at its begin.
 */
export async function itemsOf<T>(
  matched: Filter<SummarizedDocument>,
  page: RunPageRequest,
  count: (filter: Filter<SummarizedDocument>) => Promise<number>,
  find: (
    filter: Filter<SummarizedDocument>,
    window: { sort: Stretch['sort']; skip: number; limit: number },
  ) => Promise<T[]>,
): Promise<readonly T[]> {
  const [first, second] = stretches(matched, page);
  const items = await find(first.filter, { sort: first.sort, skip: page.offset, limit: page.limit });
  if (second === undefined || items.length === page.limit) return items;
  const skip = items.length > 0 ? 0 : Math.max(0, page.offset - (await count(first.filter)));
  return [...items, ...(await find(second.filter, { sort: second.sort, skip, limit: page.limit - items.length }))];
}

type Earlier = Omit<SummarizedDocument, 'summary'> & {
  request: Packed;
  metadata: Packed;
  progress: Packed | null;
  ending: Packed | null;
  history: Growing | null;
  heldFor?: string;
  summary?: SummaryFields;
};

const AT_ONCE = 500;

/** Summarizes the runs that no version before did. Bears being repeated. */
export async function summarizeEarlierRuns(db: Db): Promise<void> {
  const projection = {
    accountId: 1,
    functionId: 1,
    heldFor: 1,
    request: 1,
    metadata: 1,
    progress: 1,
    ending: 1,
    history: 1,
  } as const;
  const runs = db.collection<Earlier>('runs');
  const earlier = runs.find({ summary: { $exists: false } }, { projection, batchSize: AT_ONCE });
  let updates: { updateOne: { filter: Filter<Earlier>; update: { $set: { summary: SummaryFields } } } }[] = [];
  const write = async (): Promise<void> => {
    if (updates.length > 0) await runs.bulkWrite(updates, { ordered: false });
    updates = [];
  };
  for await (const run of earlier) {
    const summary = await earlierSummaryOf(db, run);
    updates.push({
      updateOne: { filter: { _id: run._id, summary: { $exists: false } }, update: { $set: { summary } } },
    });
    if (updates.length >= AT_ONCE) await write();
  }
  await write();
}

/** Adds the number of dimensions to summaries that were made without. Bears being repeated. */
export async function addDimensions(db: Db): Promise<void> {
  const runs = db.collection<Earlier>('runs');
  const without = { 'summary.words': { $exists: true }, 'summary.dimensions': { $exists: false } };
  const found = runs.find(without, { projection: { request: 1 }, batchSize: AT_ONCE });
  let updates: { updateOne: { filter: { _id: string }; update: { $set: { 'summary.dimensions': number | null } } } }[] =
    [];
  const write = async (): Promise<void> => {
    if (updates.length > 0) await runs.bulkWrite(updates, { ordered: false });
    updates = [];
  };
  for await (const { _id, request } of found) {
    // Of a damaged request nothing is known.
    const dimensions = await unpack<RunRequest>(request)
      .then(dimensionsOf)
      .catch(() => null);
    updates.push({ updateOne: { filter: { _id }, update: { $set: { 'summary.dimensions': dimensions } } } });
    if (updates.length >= AT_ONCE) await write();
  }
  await write();
}

async function earlierSummaryOf(db: Db, run: Earlier): Promise<SummaryFields> {
  const read = async <T>(packed: Packed | null): Promise<T | null> =>
    packed === null ? null : unpack<T>(packed).catch(() => null);
  const objective = await db
    .collection<{ _id: string; accountId: string; body: Packed }>('functions')
    .findOne({ _id: run.functionId, accountId: run.heldFor ?? run.accountId });
  return earlierSummary({
    id: run._id,
    request: await read(run.request),
    metadata: await read(run.metadata),
    progress: await read(run.progress),
    ending: await read(run.ending),
    history: await earlierHistory(db, run).catch(() => null),
    objective: await read(objective?.body ?? null),
  });
}

async function earlierHistory(db: Db, { _id, history }: Earlier): Promise<HistoryPoint[]> {
  if (history === null) return [];
  if ('inline' in history) return unpack(history.inline);
  const { attempt, serial } = history;
  const parts = await db
    .collection<{ _id: string; data: { value(): Uint8Array } }>('run_parts')
    .find({ run: _id, kind: 'history', attempt, serial }, { sort: { _id: 1 } })
    .toArray();
  return decode((await expand(Buffer.concat(parts.map(({ data }) => data.value())))).toString());
}
