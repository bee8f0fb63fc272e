/**
 * The thread that writes one export: asks for rows, hands over bytes, and is ended with its task. See `export-file.ts`.
 */
import { parentPort } from 'node:worker_threads';
import { movable } from '../common/movable.js';
import { serveCalls, ThreadCaller } from '../common/thread-call.js';
import type { Row, Rows } from './document.js';
import type { ExportTask, ThreadVerb } from './export-file.js';
import { WRITERS } from './formats.js';

const PIECE_BYTES = 65_536;

const port = parentPort;
if (port === null) throw new Error('this module runs in a worker thread');
const caller = new ThreadCaller(port);
const ask = (verb: ThreadVerb, given: unknown, moved: ArrayBuffer[] = []): Promise<unknown> =>
  caller.call(verb, given, { moved });

/** Rows may be asked for while bytes are being taken: a deflater reads ahead. */
async function* rows(): Rows {
  for (;;) {
    const batch = (await ask('rows', null)) as readonly Row[] | null;
    if (batch === null) return;
    yield batch;
  }
}

async function handOver(pieces: readonly Uint8Array[]): Promise<void> {
  const bytes = new Uint8Array(Buffer.concat(pieces));
  await ask('bytes', bytes, movable(bytes));
}

async function write({ format, document }: ExportTask): Promise<void> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  let isFirst = true;
  const writer = await WRITERS[format]();
  for await (const piece of writer(document, rows())) {
    waiting.push(piece);
    length += piece.length;
    // The first one at once: somebody waits for a sign that it has begun.
    if (length < PIECE_BYTES && !isFirst) continue;
    await handOver(waiting);
    isFirst = false;
    waiting = [];
    length = 0;
  }
  if (length > 0) await handOver(waiting);
}

serveCalls(port, async (_verb, task) => {
  await write(task as ExportTask);
  return { value: null };
});
