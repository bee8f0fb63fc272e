/** The thread that has the SQLite store of a service: does what `threaded-store.ts` asks, verb by verb. */
import { parentPort, workerData } from 'node:worker_threads';
import { ExtremumError } from '../../common/errors.js';
import { movable } from '../../common/movable.js';
import type { NoteDamage } from '../damage.js';
import type { Store } from '../store.js';
import { verbIn } from '../sum.js';
import { openSqliteStore } from './sqlite-store.js';
import type { Answer, DamageReport, Failure, Question } from './threaded-store.js';

function failureOf(error: unknown): Failure {
  if (error instanceof ExtremumError) {
    const { code, message, field, retryable, facts, stack } = error;
    return { code, message, ...(field === undefined ? {} : { field }), retryable, facts, stack };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { code: null, message, stack };
}

/** The buffers of an answer that may be large. */
function movables(value: unknown): ArrayBuffer[] {
  const { checkpoint } = (value ?? {}) as { checkpoint?: unknown };
  return checkpoint instanceof Uint8Array ? movable(checkpoint) : [];
}

const port = parentPort;
if (port === null) throw new Error('this module runs in a worker thread');
const answer = (message: Answer, moved: ArrayBuffer[] = []): void => port.postMessage(message, moved);

let store: Store | null = null;
try {
  const { dataDir } = workerData as { dataDir: string };
  const noteDamage: NoteDamage = (id, cause) => {
    port.postMessage({ damaged: id, failure: failureOf(cause) } satisfies DamageReport);
  };
  store = openSqliteStore({ dataDir, exclusive: false, noteDamage });
  answer({ id: 0, value: null });
} catch (error) {
  answer({ id: 0, failure: failureOf(error) });
  port.close();
}

if (store !== null) {
  const opened = store;
  port.on('message', ({ id, verb, given }: Question) => {
    // All questions that have arrived are begun before the first commit, which they share.
    verbIn(
      opened,
      verb,
    )(...given).then(
      (value) => {
        answer({ id, value }, movables(value));
        // After the answers of what it still did.
        if (verb === 'close') setImmediate(() => port.close());
      },
      (error: unknown) => answer({ id, failure: failureOf(error) }),
    );
  });
}
