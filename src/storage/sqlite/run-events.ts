/** The events of runs, as rows that runs write and webhooks hand on. */
import { encode } from '../../common/codec.js';
import type { RunEvent } from '../../model/run-event.js';
import { decodeRecord } from '../damage.js';
import { type Database, idIn, type Row, textOf } from './database.js';

interface EncodedEvent {
  readonly id: string;
  readonly body: string;
}

export const encodeEvents = (events: readonly RunEvent[] = []): EncodedEvent[] =>
  events.map((event) => ({ id: event.id, body: encode(event) }));

/** Within a write. An event that is there already is not added again. */
export function addEvents(db: Database, runId: string, events: readonly EncodedEvent[]): void {
  for (const { id, body } of events) {
    db.run(
      `INSERT INTO run_events (run_id, position, event_id, body)
       SELECT ?, 1 + coalesce(max(position), 0), ?, ? FROM run_events WHERE run_id = ?
       ON CONFLICT (run_id, event_id) DO NOTHING`,
      runId,
      id,
      body,
      runId,
    );
  }
}

export const eventOf = (row: Row): RunEvent => decodeRecord<RunEvent>(idIn(row), textOf(row, 'body'));
