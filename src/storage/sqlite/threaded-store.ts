/**
 * The SQLite store of a service: its writes happen in a thread of their own, so that neither an fsync nor a checkpoint
 * of megabytes holds up the event loop; questions that are asked all the time are answered at once, by a second
 * connection of this thread that cannot write. WAL lets both go on at a time. What the thread has acknowledged is
 * committed, so the second connection sees it.
 *
 * A thread that dies takes down what it was asked (`store_unavailable`: the outcome is not known) and is replaced.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { distEntry } from '../../common/dist-entry.js';
import { ExtremumError } from '../../common/errors.js';
import { errorFrom, ThreadCaller, type ErrorData } from '../../common/thread-call.js';
import type { NoteDamage } from '../damage.js';
import { movable } from '../../common/movable.js';
import type { ProgressReport } from '../contract/runs.js';
import type { Store, StoreLife } from '../store.js';
import { storeOf, verbIn } from '../sum.js';
import { lockExclusively } from './database.js';
import { MemoryCounting } from '../memory/counting.js';
import { makeDataDir, openSqliteStore } from './sqlite-store.js';

/** The first call to a thread: opens the database in the folder that it is given. All others are verbs of the store. */
export const OPEN = 'open the database';

/** A record that the thread could not read. */
export interface DamageReport {
  readonly damaged: string;
  readonly error: ErrorData;
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

/** Questions to the thread, answers from it. */
class StoreThread {
  private readonly dataDir: string;
  private readonly noteDamage: NoteDamage;
  /** Null: not started, or dead. */
  private thread: { readonly worker: Worker; readonly caller: ThreadCaller } | null = null;
  private hasTrouble = false;
  private closed = false;

  constructor(dataDir: string, noteDamage: NoteDamage) {
    this.dataDir = dataDir;
    this.noteDamage = noteDamage;
  }

  /** Whether the database has refused something, or the thread died, since it last answered a ping. */
  get isDoubtful(): boolean {
    return this.hasTrouble;
  }

  /** @throws {ExtremumError} where the database cannot be opened. */
  async start(): Promise<void> {
    const worker = new Worker(distEntry('storage/sqlite/store-thread'));
    const caller = new ThreadCaller(worker);
    this.thread = { worker, caller };
    let cause: unknown;
    worker.on('message', (message: object) => {
      if (!('damaged' in message)) return;
      const { damaged, error } = message as DamageReport;
      this.noteDamage(damaged, errorFrom(error));
    });
    worker.on('error', (error: unknown) => (cause = error));
    worker.on('exit', () => this.gone(caller, cause));
    await this.call(caller, OPEN, this.dataDir);
  }

  async ask(verb: string, given: readonly unknown[]): Promise<unknown> {
    if (this.closed) throw closed();
    // Copied before anything is waited for: whoever asks may change it.
    const question = this.thread === null ? structuredClone(given) : given;
    if (this.thread === null) await this.start();
    const thread = this.thread;
    if (thread === null) throw gone();
    const value = await this.call(thread.caller, verb, question, movables(question));
    if (verb === 'ping') this.hasTrouble = false;
    return value;
  }

  /** The thread still does everything that was asked before. */
  async close(): Promise<void> {
    const thread = this.thread;
    if (thread === null || this.closed) return;
    const ended = new Promise((resolve) => thread.worker.once('exit', resolve));
    const last = this.ask('close', []);
    this.closed = true;
    await last;
    await ended;
  }

  private async call(caller: ThreadCaller, verb: string, given: unknown, moved: ArrayBuffer[] = []): Promise<unknown> {
    try {
      return await caller.call(verb, given, { moved });
    } catch (error) {
      this.hasTrouble ||= error instanceof ExtremumError && error.code === 'store_unavailable';
      throw error;
    }
  }

  private gone(caller: ThreadCaller, cause: unknown): void {
    if (this.thread?.caller === caller) this.thread = null;
    this.hasTrouble = true;
    caller.endAll(() => (this.closed ? closed() : gone(cause)));
  }
}

const closed = (): ExtremumError => new ExtremumError('store_unavailable', 'The store is closed.');

const gone = (cause?: unknown): ExtremumError =>
  new ExtremumError('store_unavailable', 'The thread of the database ended.', { retryable: true, cause });

/** The buffers of a question that may be large. */
function movables(given: readonly unknown[]): ArrayBuffer[] {
  return given.flatMap((argument) => {
    const { checkpoint } = (argument ?? {}) as Partial<ProgressReport>;
    return checkpoint instanceof Uint8Array ? movable(checkpoint) : [];
  });
}
