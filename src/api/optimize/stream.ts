/**
 * The course of a run as server-sent events. What is stored of a run (its events) carries an `id`, its place, from
 * which a client that lost its connection goes on; `progress` is what holds at the moment, without an `id`, and what a
 * slow client misses of it is gone.
 */
import { invalid } from '../../common/validation.js';
import { streamName, type RunEvent } from '../../model/run-event.js';
import type { RunRecord } from '../../model/run-record.js';
import { isFinished } from '../../model/run-status.js';
import type { RunService } from '../../runs/run-service.js';

const HEARTBEAT_MS = 15_000;
const EVENTS_AT_ONCE = 50;

/** Empty: from the start. */
export const LAST_EVENT_ID = /^[0-9]{0,9}$/;

/** @throws {ExtremumError} `invalid_request` for what is no place in the stream. */
export function parseLastEventId(header: string | undefined): number {
  if (header === undefined) return 0;
  if (LAST_EVENT_ID.test(header)) return Number(header);
  throw invalid('Last-Event-ID', '`Last-Event-ID` must be the `id` of an event of this stream.');
}

/** JSON has no line breaks of its own, so one line of data holds it. */
function eventText(event: RunEvent, place: number): string {
  return `id: ${place}\nevent: ${streamName(event.type)}\ndata: ${event.body}\n\n`;
}

function progressText({ id, status, progress }: RunRecord): string | null {
  if (progress === null) return null;
  const { evaluations, bestFitness, hypervolume, elapsedSeconds } = progress;
  const data = {
    optimization_id: id,
    status,
    evaluations,
    best_fitness: bestFitness,
    hypervolume,
    elapsed_seconds: elapsedSeconds,
  };
  return `event: progress\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Ends after the last event of a run that has ended. `after`: places that the client has seen. */
export async function* runStream(
  runs: Pick<RunService, 'changed' | 'look' | 'isStopping'>,
  accountId: string,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let place = after;
  let lastProgress: string | null = null;
  let heartbeatAt = performance.now() + HEARTBEAT_MS;
  while (!signal.aborted && !runs.isStopping) {
    // Before looking: what happens while we look is not missed.
    const change = runs.changed(id, Math.max(0, heartbeatAt - performance.now()));
    signal.addEventListener('abort', change.stop);
    try {
      const seen = await runs.look(accountId, id, place, EVENTS_AT_ONCE);
      if (seen === null) return;
      const { run, events } = seen;
      for (const event of events) {
        place++;
        if (event !== null) yield eventText(event, place);
      }
      if (events.length === EVENTS_AT_ONCE) continue;
      if (isFinished(run.status)) return;
      const progress = progressText(run);
      if (progress !== null && progress !== lastProgress) yield progress;
      lastProgress = progress;
      if (!signal.aborted) await change.happened;
    } finally {
      signal.removeEventListener('abort', change.stop);
      change.stop();
    }
    if (performance.now() < heartbeatAt) continue;
    yield ': heartbeat\n\n';
    heartbeatAt = performance.now() + HEARTBEAT_MS;
  }
}
