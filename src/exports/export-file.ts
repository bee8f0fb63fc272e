/**
 * Exports as files: a thread of its own writes each one, so that neither deflating nor drawing holds up the event loop,
 * and ending the thread frees everything it had. Rows go to it and bytes come from it one piece at a time, each only
 * when the other side asks: what waits in between is a batch of rows and some pieces of 64 KiB.
 */
import { Worker } from 'node:worker_threads';
import { distEntry } from '../common/dist-entry.js';
import { ExtremumError } from '../common/errors.js';
import { nextInTurn } from '../common/fair-limit.js';
import { serveCalls, ThreadCaller } from '../common/thread-call.js';
import type { ReportDocument, Row, Rows } from './document.js';
import { FORMAT_FACTS, type ExportFormat } from './export-format.js';

/** More requests than this do not wait for their turn: of one account, and in all. */
const MAX_WAITING_OF_ACCOUNT = 16;
const MAX_WAITING = 256;
/** How often it is looked whether a slow reader keeps others waiting. */
const LOOK_MS = 1_000;

/** Rows live shortly: a young generation of the usual size would hold tens of MiB of garbage in each thread. */
const LITTLE = { maxYoungGenerationSizeMb: 4 } as const;

/** `given` of the one call to the thread, `write`, which it answers when the file is whole. */
export interface ExportTask {
  readonly format: ExportFormat;
  readonly document: ReportDocument;
}

/**
 * Calls of the thread, of each one at a time. `rows` is answered by rows (null: there are no more); `bytes`, whose
 * `given` is a piece of the file, once that was taken.
 */
export type ThreadVerb = 'rows' | 'bytes';

interface ExportFile {
  readonly mediaType: string;
  /** Letters, digits, hyphens and a dot: safe in every file system, shell and header. */
  readonly name: string;
  /** The file. Ends early, and frees everything, when its reader stops or the signal is given. */
  bytes(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

interface ExporterLimits {
  /** Threads at a time in all. */
  readonly atOnce?: number;
  /** Threads at a time of one account, so that the others have theirs. */
  readonly perAccount?: number;
  /** Readers that are slower than this ... */
  readonly leastBytesPerSecond?: number;
  /** ... for so long in all lose their place, when another account waits for one. */
  readonly patienceMs?: number;
}

/** Outcome of an export: `left`, its client went away; `cut`, it read too slowly while others waited. */
type ExportOutcome = 'complete' | 'left' | 'cut' | 'failed';

/** Told of exports that ended, for whoever counts. */
export interface ExportMetrics {
  /** `seconds`: from its turn on, without the wait for it. */
  exportEnded(format: ExportFormat, outcome: ExportOutcome, seconds: number): void;
}

const NOBODY_COUNTS: ExportMetrics = { exportEnded: () => {} };

/** A file that is being written. */
interface Place {
  readonly owner: string;
  readonly pieces: AsyncIterator<Uint8Array>;
  /** Since when its reader has a piece in its hands; null: the thread is at work. */
  readingSince: number | null;
  /** How much longer than allowed its reader has taken; never negative, so that haste now buys no rest later. */
  lateMs: number;
  isLost: boolean;
}

/** Files that are written at a time; what waits for its turn holds no thread. */
export class Exporter {
  private readonly limits: Required<ExporterLimits>;
  private readonly metrics: ExportMetrics;
  private readonly places = new Set<Place>();
  private readonly waiting: { readonly owner: string; readonly start: () => void }[] = [];
  private looking: NodeJS.Timeout | null = null;

  constructor(
    { atOnce = 4, perAccount = 2, leastBytesPerSecond = 131_072, patienceMs = 20_000 }: ExporterLimits = {},
    metrics: ExportMetrics = NOBODY_COUNTS,
  ) {
    this.limits = { atOnce, perAccount, leastBytesPerSecond, patienceMs };
    this.metrics = metrics;
  }

  /** @param owner The account. */
  file(owner: string, format: ExportFormat, document: ReportDocument, rows: Rows): ExportFile {
    return {
      mediaType: FORMAT_FACTS[format].mediaType,
      name: fileName(document, format),
      bytes: (signal) => this.inTurn(owner, format, signal, () => written({ format, document }, rows, signal)),
    };
  }

  /** Exports under way. */
  get active(): number {
    return this.places.size;
  }

  private async *inTurn(
    owner: string,
    format: ExportFormat,
    signal: AbortSignal,
    write: () => AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    const place = await this.turn(owner, signal, write);
    if (place === null) return;
    const startedAt = performance.now();
    let outcome: ExportOutcome = 'left';
    try {
      for (;;) {
        const piece = await place.pieces.next();
        if (piece.done === true) {
          if (!signal.aborted) outcome = 'complete';
          return;
        }
        place.readingSince = performance.now();
        yield piece.value;
        if (place.isLost) {
          throw new ExtremumError('unavailable', 'The export was read too slowly while others waited.', {
            retryable: true,
          });
        }
        const allowedMs = (piece.value.length / this.limits.leastBytesPerSecond) * 1_000;
        place.lateMs = Math.max(0, lateness(place) - allowedMs);
        place.readingSince = null;
      }
    } catch (error) {
      outcome = 'failed';
      throw error;
    } finally {
      const seconds = (performance.now() - startedAt) / 1_000;
      this.metrics.exportEnded(format, place.isLost ? 'cut' : outcome, seconds);
      if (!place.isLost) await this.end(place);
    }
  }

  /** Null: given up before it came. */
  private turn(owner: string, signal: AbortSignal, write: () => AsyncIterable<Uint8Array>): Promise<Place | null> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', giveUp);
        const pieces = write()[Symbol.asyncIterator]();
        const place = { owner, pieces, readingSince: null, lateMs: 0, isLost: false };
        this.places.add(place);
        resolve(place);
      };
      const giveUp = (): void => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        resolve(null);
      };
      const waiting = { owner, start };
      if (signal.aborted) return resolve(null);
      const own = this.waiting.filter((one) => one.owner === owner).length;
      if (own >= MAX_WAITING_OF_ACCOUNT || this.waiting.length >= MAX_WAITING) {
        const message = 'Too many exports are being written; ask again in a minute.';
        return reject(new ExtremumError('unavailable', message, { retryable: true, facts: { retryAfterSeconds: 60 } }));
      }
      signal.addEventListener('abort', giveUp, { once: true });
      this.waiting.push(waiting);
      this.startNext();
    });
  }

  private async end(place: Place): Promise<void> {
    try {
      await place.pieces.return?.();
    } finally {
      this.places.delete(place);
      this.startNext();
    }
  }

  private next(): number {
    return nextInTurn(this.waiting, this.places, this.limits.perAccount);
  }

  private startNext(): void {
    const next = this.next();
    if (next < 0) return;
    if (this.places.size < this.limits.atOnce) this.waiting.splice(next, 1)[0].start();
    else this.looking ??= setTimeout(() => this.look(), LOOK_MS).unref();
  }

  /** Takes its place from the slowest reader, where another account waits for one. */
  private look(): void {
    this.looking = null;
    if (this.next() < 0) return;
    const late = [...this.places].filter(
      (place) => place.readingSince !== null && !place.isLost && lateness(place) > this.limits.patienceMs,
    );
    const [slowest] = late.sort((a, b) => lateness(b) - lateness(a));
    if (slowest === undefined) return this.startNext();
    slowest.isLost = true;
    // A thread that does not end in good order has given its place back all the same.
    void this.end(slowest).catch(() => {});
  }
}

const lateness = ({ readingSince, lateMs }: Place): number =>
  lateMs + (readingSince === null ? 0 : performance.now() - readingSince);

function fileName({ name, period, createdAt }: ReportDocument, format: ExportFormat): string {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const when = period === null ? day(createdAt) : `${day(period.start)}-to-${day(period.end)}`;
  return `extremum-${name}-${when}.${format}`.replaceAll(/[^A-Za-z0-9.-]/g, '-');
}

async function* written(task: ExportTask, rows: Rows, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const source = rows[Symbol.asyncIterator]();
  const worker = new Worker(distEntry('exports/export-thread'), { resourceLimits: LITTLE });
  const messages = new Mailbox(worker, task, signal);
  try {
    for (;;) {
      const message = await messages.next();
      if (message === null || message === 'end') return;
      if (message.verb === 'bytes') {
        yield message.given as Uint8Array;
        message.answer(null);
      } else {
        const next = await source.next();
        message.answer(next.done === true ? null : next.value);
      }
    }
  } finally {
    await Promise.all([worker.terminate(), source.return?.()]);
  }
}

interface Message {
  readonly verb: ThreadVerb;
  readonly given: unknown;
  answer(value: readonly Row[] | null): void;
}

/** The calls of a thread, one after the other, and its end. At most two wait: one for rows, and one with bytes. */
class Mailbox {
  private readonly arrived: (Message | 'end')[] = [];
  private ended: { readonly error: Error | null } | null = null;
  private wake: () => void = () => {};

  constructor(worker: Worker, task: ExportTask, signal: AbortSignal) {
    const end = (error: Error | null): void => {
      this.ended ??= { error };
      this.wake();
    };
    const arrive = (message: Message | 'end'): void => {
      this.arrived.push(message);
      this.wake();
    };
    serveCalls(
      worker,
      (verb, given) =>
        new Promise((resolve) => {
          arrive({ verb: verb as ThreadVerb, given, answer: (value) => resolve({ value }) });
        }),
    );
    const gone = new ExtremumError('unavailable', 'The thread of the export ended.', { retryable: true });
    const caller = new ThreadCaller(worker);
    caller.call('write', task).then(
      () => arrive('end'),
      (cause: Error) => end(cause === gone ? gone : new Error(`The export failed: ${cause.message}`, { cause })),
    );
    worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
    // A thread whose last word has arrived may end before anybody has heard it.
    worker.on('exit', () => caller.endAll(() => gone));
    if (signal.aborted) end(null);
    const leave = (): void => end(null);
    signal.addEventListener('abort', leave, { once: true });
    worker.once('exit', () => signal.removeEventListener('abort', leave));
  }

  /** Null: nobody wants them any more. */
  async next(): Promise<Message | 'end' | null> {
    for (;;) {
      if (this.ended?.error === null) return null;
      const message = this.arrived.shift();
      if (message !== undefined) return message;
      if (this.ended?.error) throw this.ended.error;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}
