/**
 * Exports as files: a thread of its own writes each one, so that neither deflating nor drawing holds up the event loop,
 * and ending the thread frees everything it had. Rows go to it and bytes come from it one piece at a time, each only when
 * the other side asks: what waits in between is a batch of rows and some pieces of 64 KiB.
 */
import { Worker } from 'node:worker_threads';
import { distEntry } from '../common/dist-entry.js';
import { ExtremumError } from '../common/errors.js';
import type { ReportDocument, Row, Rows } from './document.js';
import { FORMAT_FACTS, type ExportFormat } from './export-format.js';

/** More requests than this do not wait for their turn. */
const MAX_WAITING = 64;

/** What the thread is given at its start. */
export interface ExportTask {
  readonly format: ExportFormat;
  readonly document: ReportDocument;
}

/** What the thread says: the first two wait for their answer, each before it is said again. */
export type FromThread =
  | { readonly says: 'rows-wanted' }
  | { readonly says: 'bytes'; readonly bytes: Uint8Array }
  | { readonly says: 'end' }
  | { readonly says: 'failed'; readonly message: string };

/** An answer: rows (null: there are no more), or that bytes were taken. */
export type ToThread = { readonly rows: readonly Row[] | null } | { readonly taken: true };

export interface ExportFile {
  readonly mediaType: string;
  /** Letters, digits, hyphens and a dot: safe in every file system, shell and header. */
  readonly name: string;
  /** The file. Ends early, and frees everything, when its reader stops or the signal is given. */
  bytes(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Files that are written at a time; what waits for its turn holds no thread. */
export class Exporter {
  readonly #atOnce: number;
  readonly #perAccount: number;
  #active: string[] = [];
  readonly #waiting: { readonly owner: string; readonly start: () => void }[] = [];

  /** @param atOnce Threads at a time in all. @param perAccount And of one account, so that the others have theirs. */
  constructor({ atOnce = 4, perAccount = 2 }: { readonly atOnce?: number; readonly perAccount?: number } = {}) {
    this.#atOnce = atOnce;
    this.#perAccount = perAccount;
  }

  /** @param owner The account. */
  file(owner: string, format: ExportFormat, document: ReportDocument, rows: Rows): ExportFile {
    return {
      mediaType: FORMAT_FACTS[format].mediaType,
      name: fileName(document, format),
      bytes: (signal) => this.#inTurn(owner, signal, () => written({ format, document }, rows, signal)),
    };
  }

  /** Exports under way. */
  get active(): number {
    return this.#active.length;
  }

  async *#inTurn(
    owner: string,
    signal: AbortSignal,
    write: () => AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    if (!(await this.#turn(owner, signal))) return;
    try {
      yield* write();
    } finally {
      this.#active.splice(this.#active.indexOf(owner), 1);
      this.#startNext();
    }
  }

  /** False: given up before it came. */
  #turn(owner: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', giveUp);
        this.#active.push(owner);
        resolve(true);
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        resolve(false);
      };
      const waiting = { owner, start };
      if (signal.aborted) return resolve(false);
      if (this.#waiting.length >= MAX_WAITING) {
        const message = 'Too many exports are being written; ask again in a minute.';
        return reject(new ExtremumError('unavailable', message, { retryable: true, facts: { retryAfterSeconds: 60 } }));
      }
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(waiting);
      this.#startNext();
    });
  }

  #startNext(): void {
    if (this.#active.length >= this.#atOnce) return;
    const mayStart = (owner: string): boolean => this.#active.filter((of) => of === owner).length < this.#perAccount;
    const next = this.#waiting.findIndex(({ owner }) => mayStart(owner));
    if (next >= 0) this.#waiting.splice(next, 1)[0]!.start();
  }
}

function fileName({ name, period, createdAt }: ReportDocument, format: ExportFormat): string {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const when = period === null ? day(createdAt) : `${day(period.start)}-to-${day(period.end)}`;
  return `extremum-${name}-${when}.${format}`.replaceAll(/[^A-Za-z0-9.-]/g, '-');
}

async function* written(task: ExportTask, rows: Rows, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const source = rows[Symbol.asyncIterator]();
  const worker = new Worker(distEntry('exports/export-thread'), { workerData: task });
  const messages = new Mailbox(worker, signal);
  try {
    for (;;) {
      const message = await messages.next();
      if (message === null || message.says === 'end') return;
      if (message.says === 'failed') throw new Error(`The export failed: ${message.message}`);
      if (message.says === 'bytes') {
        yield message.bytes;
        worker.postMessage({ taken: true } satisfies ToThread);
      } else {
        const next = await source.next();
        worker.postMessage({ rows: next.done === true ? null : next.value } satisfies ToThread);
      }
    }
  } finally {
    await Promise.all([worker.terminate(), source.return?.()]);
  }
}

/** The messages of a thread, one after the other. At most two wait: it asks for rows once, and hands over bytes once. */
class Mailbox {
  readonly #arrived: FromThread[] = [];
  #ended: { readonly error: Error | null } | null = null;
  #wake: () => void = () => {};

  constructor(worker: Worker, signal: AbortSignal) {
    const end = (error: Error | null): void => {
      this.#ended ??= { error };
      this.#wake();
    };
    worker.on('message', (message: FromThread) => {
      this.#arrived.push(message);
      this.#wake();
    });
    worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () =>
      end(new ExtremumError('unavailable', 'The thread of the export ended.', { retryable: true })),
    );
    if (signal.aborted) end(null);
    const leave = (): void => end(null);
    signal.addEventListener('abort', leave, { once: true });
    worker.once('exit', () => signal.removeEventListener('abort', leave));
  }

  /** Null: nobody wants them any more. */
  async next(): Promise<FromThread | null> {
    for (;;) {
      if (this.#ended?.error === null) return null;
      const message = this.#arrived.shift();
      if (message !== undefined) return message;
      if (this.#ended?.error) throw this.#ended.error;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
