/** The thread that writes one export: asks for rows, hands over bytes, and ends with its task. See `export-file.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { movable } from '../common/movable.js';
import type { Row, Rows } from './document.js';
import type { ExportTask, FromThread, ToThread } from './export-file.js';
import { WRITERS } from './formats.js';

const PIECE_BYTES = 65_536;

const port = parentPort;
if (port === null) throw new Error('this module runs in a worker thread');

/** Rows may be asked for while bytes are being taken: a deflater reads ahead. */
let takeRows: (rows: readonly Row[] | null) => void = () => {};
let goOn: () => void = () => {};
port.on('message', (answer: ToThread) => ('rows' in answer ? takeRows(answer.rows) : goOn()));
const say = (message: FromThread, moved: ArrayBuffer[] = []): void => port.postMessage(message, moved);

async function* rows(): Rows {
  for (;;) {
    const batch = await new Promise<readonly Row[] | null>((resolve) => {
      takeRows = resolve;
      say({ says: 'rows-wanted' });
    });
    if (batch === null) return;
    yield batch;
  }
}

async function handOver(pieces: readonly Uint8Array[]): Promise<void> {
  const bytes = new Uint8Array(Buffer.concat(pieces));
  await new Promise<void>((resolve) => {
    goOn = resolve;
    say({ says: 'bytes', bytes }, movable(bytes));
  });
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

try {
  await write(workerData as ExportTask);
  say({ says: 'end' });
} catch (error) {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  say({ says: 'failed', message });
}
port.close();
