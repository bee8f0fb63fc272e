/**
 * The embedded store: one SQLite file. Statements run on the calling thread; writes of one turn of the event loop share
 * one commit, that is one fsync. Texts are encoded before a write is queued, so the caller keeps its objects. Start
 * reading at `openSqliteStore`.
 */
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { ExtremumError } from '../../common/errors.js';
import { makeFolder } from '../../common/folders.js';
import type { NoteDamage } from '../damage.js';
import { MemoryCounting } from '../memory/counting.js';
import { latestTimes } from '../rules/latest-times.js';
import type { Store } from '../store.js';
import { sumOf } from '../sum.js';
import { SqliteAnalytics } from './analytics.js';
import { SqliteBatches } from './batches.js';
import { SqliteConversations } from './conversations.js';
import { Database, lockExclusively } from './database.js';
import { SqliteDeletion } from './deletion.js';
import { SqliteFunctions } from './functions.js';
import { SqliteIdempotency } from './idempotency.js';
import { SqliteIdentity } from './identity.js';
import { SqliteLearning } from './learning.js';
import { MIGRATIONS } from './migrations.js';
import { RunFactsTable } from './run-facts-table.js';
import { RunSummaries } from './run-summaries.js';
import { SqliteRuns } from './runs.js';
import { SqliteSessions } from './sessions.js';
import { SqliteSettings } from './settings.js';
import { SqliteStudies } from './studies.js';
import { SqliteWebhooks } from './webhooks.js';

interface SqliteStoreOptions {
  /** Made when missing. The database is `extremum.db` in it. */
  readonly dataDir: string;
  /** Take the directory for this process: whoever carries out runs must. */
  readonly exclusive: boolean;
  /** Refuse verbs that write. The database must be there. */
  readonly readOnly?: boolean;
  /** Write a file of an earlier version anew where that is quick: else it never becomes smaller. */
  readonly makeShrinkable?: boolean;
  readonly noteDamage?: NoteDamage;
}

/** @throws {ExtremumError} `store_unavailable`. */
export function makeDataDir(dataDir: string): void {
  const attempt = (what: string, body: () => void): void => {
    try {
      body();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const cure = 'Let this user write there, or choose another one (--data-dir DIR).';
      const message = `The data directory ${dataDir} cannot be ${what}: ${why}. ${cure}`;
      throw new ExtremumError('store_unavailable', message, { cause });
    }
  };
  attempt('made', () => makeFolder(dataDir, 0o700));
  attempt('written', () => accessSync(dataDir, constants.W_OK | constants.X_OK));
}

const databaseIn = (dataDir: string): string => join(dataDir, 'extremum.db');

/** Whether a store was ever made there; makes nothing. */
export const holdsSqliteStore = (dataDir: string): boolean => existsSync(databaseIn(dataDir));

/** @throws {ExtremumError} `conflict`: another process has the directory; `store_unavailable`: cannot be opened. */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  makeDataDir(options.dataDir);
  const unlock = options.exclusive ? lockExclusively(join(options.dataDir, 'extremum.lock')) : () => {};
  try {
    const db = new Database(databaseIn(options.dataDir), MIGRATIONS, options.noteDamage);
    if (options.makeShrinkable === true) db.makeShrinkable();
    const summaries = new RunSummaries(db);
    if (options.readOnly === true) db.get('PRAGMA query_only = ON');
    else summaries.complete();
    return storeIn(db, summaries, options, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

function storeIn(
  db: Database,
  summaries: RunSummaries,
  { exclusive, dataDir }: SqliteStoreOptions,
  unlock: () => void,
): Store {
  const facts = new RunFactsTable(db);
  const learning = new SqliteLearning(db);
  const runs = new SqliteRuns(db, facts, summaries, learning);
  const identity = new SqliteIdentity(db, dataDir);
  const sessions = new SqliteSessions(db);
  const idempotency = new SqliteIdempotency(db);
  // One process serves requests from this store.
  const counting = new MemoryCounting();
  const webhooks = new SqliteWebhooks(db);
  const conversations = new SqliteConversations(db);
  const batches = new SqliteBatches(db, runs);
  const parts = {
    functions: new SqliteFunctions(db),
    runs,
    batches,
    identity,
    sessions,
    settings: new SqliteSettings(db),
    learning,
    idempotency,
    counting,
    webhooks,
    analytics: new SqliteAnalytics(db, facts),
    studies: new SqliteStudies(db),
    conversations,
    deletion: new SqliteDeletion(db, facts, { runs, batches, learning, idempotency, webhooks }),
  };
  return sumOf(parts, {
    kind: 'sqlite',
    capabilities: { exclusive, durable: true },
    async ping() {
      db.ping();
    },
    async removeExpired(now) {
      counting.removeExpired(now);
      await db.write(() => {
        for (const part of [idempotency, runs, identity, sessions, webhooks, conversations]) part.removeExpired(now);
      });
    },
    async bringBackTimes(now, leaseMs) {
      const latest = latestTimes(now, leaseMs);
      return db.write(() => {
        const changes = [
          runs.bringBackLeases(latest.lease),
          idempotency.bringBackTimes(latest),
          webhooks.bringBackDeliveries(latest),
        ];
        return changes.some((count) => count > 0);
      });
    },
    async close() {
      db.close();
      unlock();
    },
  });
}
