/** The thread that has the SQLite store of a service: does what `threaded-store.ts` asks, verb by verb. */
import { parentPort } from 'node:worker_threads';
import { ExtremumError } from '../../common/errors.js';
import { movable } from '../../common/movable.js';
import { errorData, serveCalls } from '../../common/thread-call.js';
import type { NoteDamage } from '../damage.js';
import type { Store } from '../store.js';
import { verbIn } from '../sum.js';
import { openSqliteStore } from './sqlite-store.js';
import { OPEN, type DamageReport } from './threaded-store.js';

/** The buffers of an answer that may be large. */
function movables(value: unknown): ArrayBuffer[] {
  const { checkpoint } = (value ?? {}) as { checkpoint?: unknown };
  return checkpoint instanceof Uint8Array ? movable(checkpoint) : [];
}

const port = parentPort;
if (port === null) throw new Error('this module runs in a worker thread');
const end = (): void => void setImmediate(() => port.close());

const noteDamage: NoteDamage = (id, cause) => {
  port.postMessage({ damaged: id, error: errorData(cause) } satisfies DamageReport);
};

let store: Store | null = null;

/** A thread that cannot open the database ends. */
function open(dataDir: string): void {
  try {
    store = openSqliteStore({ dataDir, exclusive: false, makeShrinkable: true, noteDamage });
  } catch (error) {
    end();
    throw error;
  }
}

// All questions that have arrived are begun before the first commit, which they share.
serveCalls(port, async (verb, given) => {
  if (verb === OPEN) {
    open(given as string);
    return { value: null };
  }
  if (store === null) throw new ExtremumError('store_unavailable', 'The database is not open.');
  const value = await verbIn(store, verb)(...(given as readonly unknown[]));
  // After the answers of what it still did.
  if (verb === 'close') end();
  return { value, moved: movables(value) };
});
