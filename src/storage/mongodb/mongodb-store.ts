/**
 * The store in MongoDB, which several processes on several hosts may share. Every decision is one atomic update of one
 * document: it works without transactions, on a replica set and on a standalone. Each part says which write decides.
 *
 * A write whose outcome is unknown (connection lost, no majority in time) is looked for before it is reported: each
 * deciding update of a run leaves a token of its own in the document.
 */
import type { NoteDamage } from '../damage.js';
import { latestTimes } from '../rules/latest-times.js';
import type { Store } from '../store.js';
import { sumOf } from '../sum.js';
import { MongodbAnalytics } from './analytics.js';
import { MongodbBatches } from './batches.js';
import { MongodbConversations } from './conversations.js';
import { MongodbCounting } from './counting.js';
import { Database } from './database.js';
import { MongodbDeletion } from './deletion.js';
import { MongodbFunctions } from './functions.js';
import { MongodbIdempotency } from './idempotency.js';
import { MongodbIdentity } from './identity.js';
import { MongodbLearning } from './learning.js';
import { MIGRATIONS } from './migrations.js';
import { OpenHours } from './open-hours.js';
import { RunParts } from './run-parts.js';
import { MongodbRuns } from './runs.js';
import { MongodbSessions } from './sessions.js';
import { MongodbSettings } from './settings.js';
import { MongodbStudies } from './studies.js';
import { MongodbWebhooks } from './webhooks.js';

/**
 * @param url A MongoDB connection string; its path names the database (`extremum` where it names none).
 * @throws {ExtremumError} `store_unavailable`: not to be reached, or its schema is newer.
 */
export async function openMongodbStore(url: string, noteDamage?: NoteDamage): Promise<Store> {
  const db = await Database.open(url, MIGRATIONS, noteDamage);
  const parts = new RunParts(db);
  try {
    await parts.sweep();
  } catch (error) {
    await db.close();
    throw error;
  }
  return storeIn(db, parts);
}

function storeIn(db: Database, parts: RunParts): Store {
  const hours = new OpenHours(db);
  const learning = new MongodbLearning(db);
  const runs = new MongodbRuns(db, parts, hours, learning);
  const batches = new MongodbBatches(db, hours);
  const identity = new MongodbIdentity(db);
  const sessions = new MongodbSessions(db);
  const idempotency = new MongodbIdempotency(db);
  const counting = new MongodbCounting(db);
  const webhooks = new MongodbWebhooks(db);
  const conversations = new MongodbConversations(db);
  const deletion = new MongodbDeletion(db, { parts, learning, idempotency, webhooks });
  const all = {
    functions: new MongodbFunctions(db),
    runs,
    batches,
    identity,
    sessions,
    settings: new MongodbSettings(db),
    learning,
    idempotency,
    counting,
    webhooks,
    analytics: new MongodbAnalytics(db, hours),
    studies: new MongodbStudies(db, parts),
    conversations,
    deletion,
  };
  return sumOf(all, {
    kind: 'mongodb',
    capabilities: { exclusive: false, durable: true },
    ping: () => db.ping(),
    async removeExpired(now) {
      for (const part of [
        batches,
        runs,
        idempotency,
        counting,
        identity,
        sessions,
        webhooks,
        conversations,
        deletion,
      ]) {
        await part.removeExpired(now);
      }
    },
    async bringBackTimes(now, leaseMs) {
      const latest = latestTimes(now, leaseMs);
      const changes = [
        await runs.bringBackLeases(latest.lease),
        await idempotency.bringBackTimes(latest),
        await webhooks.bringBackDeliveries(latest),
      ];
      return changes.some((count) => count > 0);
    },
    close: () => db.close(),
  });
}
