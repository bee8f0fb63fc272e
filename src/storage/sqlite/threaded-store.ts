/**
 * The SQLite store of a service: its writes happen in a thread of their own, so that neither an fsync nor a checkpoint of
 * megabytes holds up the event loop; questions that are asked all the time are answered at once, by a second connection
 * of this thread that cannot write. WAL lets both go on at a time. What the thread has acknowledged is committed, so the
 * second connection sees it.
 *
 * A thread that dies takes down what it was asked (`store_unavailable`: the outcome is not known) and is replaced.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { distEntry } from '../../common/dist-entry.js';
import { ExtremumError, type ErrorCode } from '../../common/errors.js';
import type { NoteDamage } from '../damage.js';
import { movable } from '../../common/movable.js';
import type { ProgressReport } from '../contract/runs.js';
import type { Store, StoreLife } from '../store.js';
import { storeOf, verbIn } from '../sum.js';
import { lockExclusively } from './database.js';
import { MemoryCounting } from '../memory/counting.js';
import { makeDataDir, openSqliteStore } from './sqlite-store.js';

export interface Question {
  readonly id: number;
  readonly verb: string;
  readonly given: readonly unknown[];
}

/** An error as data: it would lose its class on the way. */
export interface Failure {
  /** Null: a defect. */
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly field?: string;
  readonly retryable?: boolean;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly stack?: string | undefined;
}

export type Answer = { readonly id: number } & ({ readonly value: unknown } | { readonly failure: Failure });

/** A record that the thread could not read. */
export interface DamageReport {
  readonly damaged: string;
  readonly failure: Failure;
}

/**
 * Takes the data directory for this process.
 * @throws {ExtremumError} as `openSqliteStore`.
 */
export async function openThreadedSqliteStore(dataDir: string, noteDamage: NoteDamage = () => {}): Promise<Store> {
  makeDataDir(dataDir);
  const unlock = lockExclusively(join(dataDir, 'extremum.lock'));
  const thread = new StoreThread(dataDir, noteDamage);
  try {
    await thread.start();
    // After the thread, which has migrated the schema.
    return asOneStore(thread, openSqliteStore({ dataDir, exclusive: false, readOnly: true, noteDamage }), unlock);
  } catch (error) {
    await thread.close().catch(() => {});
    unlock();
    throw error;
  }
}

/** The first answer of a thread: that the database is open, or why not. */
const OPENING = 0;

/** Both connections as one store. Which of them answers a verb is in the tables of the contract (`../store.ts`). */
function asOneStore(thread: StoreThread, reader: Store, unlock: () => void): Store {
  const counts = new MemoryCounting();
  let closed: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    try {
      await Promise.all([reader.close(), thread.close()]);
    } finally {
      unlock();
    }
  };
  const life: StoreLife = {
    kind: reader.kind,
    capabilities: { exclusive: true, durable: true },
    async removeExpired(now) {
      counts.removeExpired(now);
      await thread.ask('removeExpired', [now]);
    },
    bringBackTimes: (now, leaseMs) => thread.ask('bringBackTimes', [now, leaseMs]) as Promise<boolean>,
    async ping() {
      await reader.ping();
      // Whoever asks for a sign of life does not wait behind a large write.
      if (thread.isDoubtful) await thread.ask('ping', []);
    },
    close: () => (closed ??= close()),
  };
  return storeOf(life, (part, verb, kind) => {
    // Nothing of them is in the database.
    if (part === 'counting') return verbIn(counts, verb);
    return kind === 'reads' ? verbIn(reader, verb) : (...given) => thread.ask(verb, given);
  });
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Questions to the thread, answers from it. */
class StoreThread {
  readonly #dataDir: string;
  readonly #noteDamage: NoteDamage;
  /** Null: not started, or dead. */
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #isDoubtful = false;
  #closed = false;

  constructor(dataDir: string, noteDamage: NoteDamage) {
    this.#dataDir = dataDir;
    this.#noteDamage = noteDamage;
  }

  /** Whether the database has refused something, or the thread died, since it last answered a ping. */
  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  /** @throws {ExtremumError} where the database cannot be opened. */
  start(): Promise<unknown> {
    const worker = new Worker(distEntry('storage/sqlite/store-thread'), { workerData: { dataDir: this.#dataDir } });
    this.#worker = worker;
    let cause: unknown;
    worker.on('message', (told: Answer | DamageReport) => {
      if ('damaged' in told) this.#noteDamage(told.damaged, errorOf(told.failure));
      else this.#settle(told);
    });
    worker.on('error', (error: unknown) => (cause = error));
    worker.on('exit', () => this.#gone(worker, cause));
    return this.#answerTo(worker, OPENING);
  }

  async ask(verb: string, given: readonly unknown[]): Promise<unknown> {
    if (this.#closed) throw closed();
    // Copied before anything is waited for: whoever asks may change it.
    const question = this.#worker === null ? structuredClone(given) : given;
    if (this.#worker === null) await this.start();
    const worker = this.#worker;
    if (worker === null) throw gone();
    const id = ++this.#lastId;
    worker.postMessage({ id, verb, given: question } satisfies Question, movables(question));
    const value = await this.#answerTo(worker, id);
    if (verb === 'ping') this.#isDoubtful = false;
    return value;
  }

  /** What was asked before is still done. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null || this.#closed) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    const last = this.ask('close', []);
    this.#closed = true;
    await last;
    await ended;
  }

  #answerTo(worker: Worker, id: number): Promise<unknown> {
    // Whoever waits for an answer keeps the process alive, the thread itself does not.
    worker.ref();
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject })).finally(() => {
      if (this.#waiting.size === 0) worker.unref();
    });
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (waiting === undefined) return;
    if ('value' in answer) return waiting.resolve(answer.value);
    const error = errorOf(answer.failure);
    this.#isDoubtful ||= error instanceof ExtremumError && error.code === 'store_unavailable';
    waiting.reject(error);
  }

  #gone(worker: Worker, cause: unknown): void {
    if (this.#worker === worker) this.#worker = null;
    this.#isDoubtful = true;
    for (const { reject } of this.#waiting.values()) reject(this.#closed ? closed() : gone(cause));
    this.#waiting.clear();
  }
}

const closed = (): ExtremumError => new ExtremumError('store_unavailable', 'The store is closed.');

const gone = (cause?: unknown): ExtremumError =>
  new ExtremumError('store_unavailable', 'The thread of the database ended.', { retryable: true, cause });

function errorOf({ code, message, stack, ...details }: Failure): Error {
  const error = code === null ? new Error(message) : new ExtremumError(code, message, details);
  // Of the thread: here there is only a message that came.
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** What may be large in a question. */
function movables(given: readonly unknown[]): ArrayBuffer[] {
  return given.flatMap((argument) => {
    const { checkpoint } = (argument ?? {}) as Partial<ProgressReport>;
    return checkpoint instanceof Uint8Array ? movable(checkpoint) : [];
  });
}
