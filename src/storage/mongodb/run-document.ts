/** A run as a document. */
import { randomUUID } from 'node:crypto';
import { encode } from '../../common/codec.js';
import type { RunEvent } from '../../model/run-event.js';
import type { NewRun, RunRecord } from '../../model/run-record.js';
import type { Claim } from '../contract/runs.js';
import { objectOf } from '../damage.js';
import { type CountedDocument, newCounted } from './counted.js';
import { checkSize } from './database.js';
import type { Growing } from './run-parts.js';
import { newSummary, type SummarizedDocument } from './run-summaries.js';
import { pack, type Packed, unpack } from './values.js';

export interface RunDocument extends CountedDocument, SummarizedDocument {
  source: Packed;
  attempt: number;
  losses: number;
  cancelRequested: boolean;
  /** Null unless running; null also when given back. */
  owner: string | null;
  /** The owner carries out nothing else. Absent: it may. */
  alone?: boolean;
  /** Absent: 0. */
  strikes?: number;
  /** While the run has not ended: from when on it may be claimed. 0: now. */
  leaseUntil?: number;
  startedAt: number | null;
  request: Packed;
  metadata: Packed;
  progress: Packed | null;
  ending: Packed | null;
  history: Growing | null;
  checkpoint: Growing | null;
  /** Absent: none was stored. */
  monitoring?: Growing;
  /** How long the checkpoint of a run that has ended is kept. Absent: it has none. */
  checkpointUntil?: number;
  /** The last deciding update left it. */
  token: string | null;
  /** Absent: none. `body` is JSON, which escapes what BSON would refuse. */
  events?: RunEvent[];
  /** Absent: webhooks have been told of all of them. */
  unrelayed?: true;
  batchId?: string;
  /** Time of the run's removal (`deletion.ts`). Absent: it was not removed, or nothing of it is left to remove. */
  removedAt?: number;
  /** The account it will belong to; until its batch has been made it belongs to none, and cannot be claimed. */
  heldFor?: string;
}

export type RecordFields = Omit<
  RunDocument,
  'source' | 'history' | 'checkpoint' | 'monitoring' | 'events' | 'counted' | 'traffic' | 'summary'
>;

/** Leaves out the fields that a `RunRecord` does not need. */
export const RECORD = {
  source: 0,
  history: 0,
  checkpoint: 0,
  monitoring: 0,
  events: 0,
  counted: 0,
  traffic: 0,
  summary: 0,
} as const;

export async function runDocument(run: NewRun, claim?: Claim): Promise<RunDocument> {
  const { id, accountId, functionId, createdAt } = run;
  const texts = [encode(run.source), encode(run.request), encode(run.metadata)] as const;
  const given = structuredClone(claim);
  const counted = newCounted(id, run.request);
  const summary = newSummary(run, run.start?.history ?? []);
  const [source, request, metadata] = await Promise.all([pack(texts[0]), pack(texts[1]), pack(texts[2])]);
  return checkSize<RunDocument>({
    _id: id,
    accountId,
    functionId,
    source,
    status: given === undefined ? 'pending' : 'running',
    attempt: given === undefined ? 0 : 1,
    losses: 0,
    cancelRequested: false,
    owner: given?.owner ?? null,
    alone: given?.alone ?? false,
    strikes: 0,
    leaseUntil: given?.leaseUntil ?? 0,
    createdAt,
    startedAt: given?.now ?? null,
    completedAt: null,
    request,
    metadata,
    progress: null,
    ending: null,
    history: null,
    checkpoint: null,
    token: randomUUID(),
    counted,
    summary,
  });
}

export async function recordOf(document: RecordFields): Promise<RunRecord> {
  const { request, metadata, progress, ending } = document;
  const optional = async <T>(packed: Packed | null): Promise<T | null> =>
    packed === null ? null : objectOf(await unpack<T>(packed));
  return {
    id: document._id,
    accountId: document.accountId,
    functionId: document.functionId,
    status: document.status,
    request: objectOf(await unpack(request)),
    metadata: objectOf(await unpack(metadata)),
    createdAt: document.createdAt,
    startedAt: document.startedAt,
    completedAt: document.completedAt,
    attempt: document.attempt,
    losses: document.losses,
    strikes: document.strikes ?? 0,
    cancelRequested: document.cancelRequested,
    progress: await optional(progress),
    ending: await optional(ending),
  };
}

export interface AddedEvents {
  readonly added: { readonly $addToSet?: { readonly events: { readonly $each: RunEvent[] } } };
  /** To be set with them: webhooks are to be told. */
  readonly mark: { readonly unrelayed?: true };
}

/** As part of an update that may happen twice: what is equal is added once. */
export function addEvents(events: readonly RunEvent[] = []): AddedEvents {
  if (events.length === 0) return { added: {}, mark: {} };
  const $each = events.map(({ id, type, createdAt, body }) => ({ id, type, createdAt, body }));
  return { added: { $addToSet: checkSize({ events: { $each } }) }, mark: { unrelayed: true } };
}

export function eventOf(event: RunEvent): RunEvent {
  const { id, type, body } = objectOf(event);
  if ([id, type, body].some((text) => typeof text !== 'string')) throw new Error('what is stored is no event');
  return event;
}
