/**
 * The store in memory: the contract in its plainest form, for tests and as the model that other stores are compared
 * with. Forgets everything at `close`.
 */
import { ExtremumError } from '../../common/errors.js';
import { latestTimes } from '../rules/latest-times.js';
import type { Store, StoreParts } from '../store.js';
import { storeOf, verbIn } from '../sum.js';
import { MemoryAnalytics } from './analytics.js';
import { MemoryBatches } from './batches.js';
import { MemoryConversations } from './conversations.js';
import { MemoryCounting } from './counting.js';
import { MemoryDeletion } from './deletion.js';
import { MemoryFunctions } from './functions.js';
import { MemoryIdempotency } from './idempotency.js';
import { MemoryIdentity } from './identity.js';
import { MemoryLearning } from './learning.js';
import { MemoryRuns } from './runs.js';
import { MemorySessions } from './sessions.js';
import { MemorySettings } from './settings.js';
import { MemoryStudies } from './studies.js';
import { MemoryWebhooks } from './webhooks.js';

function emptyParts() {
  const analytics = new MemoryAnalytics();
  const learning = new MemoryLearning();
  const runs = new MemoryRuns(analytics, learning);
  const identity = new MemoryIdentity();
  const idempotency = new MemoryIdempotency(runs);
  const webhooks = new MemoryWebhooks(runs);
  return {
    functions: new MemoryFunctions(),
    runs,
    batches: new MemoryBatches(runs),
    identity,
    sessions: new MemorySessions(),
    settings: new MemorySettings(),
    learning,
    idempotency,
    counting: new MemoryCounting(),
    webhooks,
    analytics,
    studies: new MemoryStudies(),
    conversations: new MemoryConversations(),
    deletion: new MemoryDeletion({ identity, runs, learning, idempotency, webhooks }),
  } satisfies StoreParts;
}

export function openMemoryStore(): Store {
  /** Null: closed, and forgotten. */
  let kept: ReturnType<typeof emptyParts> | null = emptyParts();
  const parts = (): ReturnType<typeof emptyParts> => {
    if (kept === null) throw new ExtremumError('store_unavailable', 'The store is closed.');
    return kept;
  };
  const life = {
    kind: 'memory',
    capabilities: { exclusive: true, durable: false },
    async ping(): Promise<void> {
      parts();
    },
    async removeExpired(now: number): Promise<void> {
      const { runs, identity, sessions, idempotency, counting, webhooks, conversations } = parts();
      for (const part of [runs, identity, sessions, idempotency, counting, webhooks, conversations])
        part.removeExpired(now);
    },
    async bringBackTimes(now: number, leaseMs: number): Promise<boolean> {
      const { runs, idempotency, webhooks } = parts();
      const latest = latestTimes(now, leaseMs);
      const changes = [
        runs.bringBackLeases(latest.lease),
        idempotency.bringBackTimes(latest),
        webhooks.bringBackDeliveries(latest),
      ];
      return changes.some((count) => count > 0);
    },
    async close(): Promise<void> {
      kept = null;
    },
  };
  return storeOf(life, (part, verb) => (...given) => {
    try {
      // The promise of the part itself: no verb takes more rounds than its work.
      return verbIn(parts()[part], verb)(...given);
    } catch (error) {
      return Promise.reject(error);
    }
  });
}
