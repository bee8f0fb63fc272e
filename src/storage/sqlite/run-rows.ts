/** Runs as rows. */
import { encode } from '../../common/codec.js';
import { createdFacts, type CreatedFacts } from '../../model/run-facts.js';
import type { NewRun, RunRecord } from '../../model/run-record.js';
import type { RunStatus } from '../../model/run-status.js';
import { decodeObject } from '../damage.js';
import { numberOf, type Row, textOf } from './database.js';
import { newSummary } from './run-summaries.js';

export interface EncodedRun {
  readonly id: string;
  readonly accountId: string;
  readonly functionId: string;
  readonly createdAt: number;
  readonly source: string;
  readonly request: string;
  readonly metadata: string;
  readonly start: { readonly checkpoint: Uint8Array; readonly history: string } | null;
  readonly facts: CreatedFacts;
  readonly summary: ReturnType<typeof newSummary>;
}

export function encodeRun(run: NewRun): EncodedRun {
  const { id, accountId, functionId, createdAt, source, request, metadata, start } = run;
  const texts = { source: encode(source), request: encode(request), metadata: encode(metadata) };
  const begun = start === undefined ? null : { checkpoint: start.checkpoint.slice(), history: encode(start.history) };
  const facts = createdFacts(id, request);
  const summary = newSummary(run, start?.history ?? []);
  return { id, accountId, functionId, createdAt, ...texts, start: begun, facts, summary };
}

/** How many characters of a row take long to read. */
export const runCharacters = (row: Row): number => textOf(row, 'request').length + String(row['ending']).length;

export function runOf(row: Row): RunRecord {
  const optional = <T>(column: string): T | null =>
    row[column] === null ? null : decodeObject<T>(textOf(row, column));
  return {
    id: textOf(row, 'id'),
    accountId: textOf(row, 'account_id'),
    functionId: textOf(row, 'function_id'),
    status: textOf(row, 'status') as RunStatus,
    request: decodeObject(textOf(row, 'request')),
    metadata: decodeObject(textOf(row, 'metadata')),
    createdAt: Number(row['created_at']),
    startedAt: numberOf(row, 'started_at'),
    completedAt: numberOf(row, 'completed_at'),
    attempt: Number(row['attempt']),
    losses: Number(row['losses']),
    strikes: Number(row['strikes']),
    cancelRequested: row['cancel_requested'] === 1,
    progress: optional('progress'),
    ending: optional('ending'),
  };
}
