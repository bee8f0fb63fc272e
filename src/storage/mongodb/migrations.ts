/**
 * The schema, as numbered steps: step `i` leads to version i + 1, which the collection `schema` records. Released steps
 * are never edited; a change is a new step. A step bears being repeated.
 *
 * Every key of an upsert has a unique index: without one, two upserts at a time make two documents.
 */
import { countEarlierRuns } from './counted.js';
import type { Migration } from './database.js';
import { BY_END, BY_TURN, DERIVED } from './indexes.js';
import { addDimensions, summarizeEarlierRuns } from './run-summaries.js';

export const MIGRATIONS: readonly Migration[] = [
  {
    name: 'accounts, keys, functions, runs',
    async run(db) {
      await db.collection('accounts').createIndex({ name: 1 }, { unique: true });
      await db.collection('api_keys').createIndexes([
        { key: { publicId: 1 }, unique: true },
        // At most one key is the first.
        { key: { first: 1 }, unique: true, partialFilterExpression: { first: true } },
      ]);
      await db.collection('functions').createIndex({ accountId: 1, _id: -1 });
      await db.collection('runs').createIndexes([
        { key: { accountId: 1, _id: -1 } },
        { key: { accountId: 1, status: 1, _id: -1 } },
        { key: { accountId: 1, functionId: 1, _id: -1 } },
        // Only runs that have not ended have the field; see `RunDocument`.
        { key: { leaseUntil: 1, _id: 1 }, partialFilterExpression: { leaseUntil: { $gte: 0 } } },
      ]);
      await db.collection('run_parts').createIndex({ run: 1, kind: 1, attempt: 1, serial: 1 });
    },
  },
  {
    name: 'lists of keys',
    async run(db) {
      await db.collection('api_keys').createIndex({ accountId: 1, _id: -1 });
    },
  },
  {
    name: 'requests that may be sent again, counts of requests',
    async run(db) {
      await db.collection('idempotent_requests').createIndex({ expiresAt: 1 });
      await db.collection('request_counts').createIndex({ resetAt: 1 });
    },
  },
  {
    name: 'batches',
    async run(db) {
      await db.collection('batches').createIndex({ accountId: 1, _id: -1 });
      await db.collection('runs').createIndexes([
        { key: { batchId: 1, status: 1, completedAt: 1 }, partialFilterExpression: { batchId: { $exists: true } } },
        { key: { heldFor: 1 }, partialFilterExpression: { heldFor: { $exists: true } } },
      ]);
    },
  },
  {
    name: 'states at the end of runs',
    async run(db) {
      const partialFilterExpression = { checkpointUntil: { $exists: true } };
      await db.collection('runs').createIndex({ checkpointUntil: 1 }, { partialFilterExpression });
    },
  },
  {
    name: 'webhooks and deliveries, runs with events to hand on',
    async run(db) {
      await db
        .collection('runs')
        .createIndex({ unrelayed: 1, _id: 1 }, { partialFilterExpression: { unrelayed: true } });
      await db.collection('webhooks').createIndex({ accountId: 1, _id: -1 });
      await db.collection('deliveries').createIndexes([
        // Only those that have not ended have the field.
        { key: { dueAt: 1, _id: 1, webhookId: 1 }, partialFilterExpression: { dueAt: { $gte: 0 } } },
        { key: { webhookId: 1, _id: -1 } },
        { key: { webhookId: 1, state: 1, _id: -1 } },
        { key: { createdAt: 1 } },
      ]);
    },
  },
  {
    name: 'lessons of runs',
    async run(db) {
      await db.collection('lessons').createIndexes([
        { key: { accountId: 1, version: 1 }, unique: true },
        // A run teaches once; those that were forgotten have no run.
        { key: { run: 1 }, unique: true, partialFilterExpression: { run: { $exists: true } } },
      ]);
    },
  },
  {
    name: 'what is counted of runs, and sums of it',
    async run(db) {
      await db.collection('run_rollups').createIndex({ accountId: 1, unit: 1, start: 1 }, { unique: true });
      await db.collection('runs').createIndexes([
        { key: { accountId: 1, createdAt: 1, status: 1, 'counted.isDerived': 1, _id: 1 } },
        { key: { accountId: 1, 'counted.originId': 1 } },
        {
          key: { accountId: 1, status: 1, 'counted.seconds': 1 },
          partialFilterExpression: { status: 'completed' },
        },
      ]);
      await countEarlierRuns(db);
    },
  },
  {
    name: 'studies',
    async run(db) {
      await db.collection('studies').createIndex({ accountId: 1, _id: -1 });
      await db.collection('study_entries').createIndexes([
        { key: { study: 1, seq: 1 }, unique: true },
        { key: { study: 1, token: 1 }, unique: true },
      ]);
    },
  },
  {
    name: 'lists of executions',
    async run(db) {
      await db.collection('runs').createIndex({ accountId: 1, createdAt: -1, _id: -1 });
    },
  },
  {
    name: 'counts by original',
    async run(db) {
      const partialFilterExpression = { 'counted.isDerived': true };
      await db.collection('runs').createIndex(DERIVED, { partialFilterExpression });
    },
  },
  {
    name: 'federated changes among the lessons',
    async run(db) {
      await db
        .collection('lessons')
        .createIndex(
          { accountId: 1, serial: 1 },
          { unique: true, partialFilterExpression: { serial: { $exists: true } } },
        );
    },
  },
  {
    name: 'runs to take, by account',
    async run(db) {
      await db.collection('runs').createIndex(BY_TURN, { partialFilterExpression: { leaseUntil: { $gte: 0 } } });
    },
  },
  {
    name: 'conversations',
    async run(db) {
      await db.collection('conversations').createIndex({ updatedAt: 1 });
    },
  },
  {
    name: 'runs that are removed',
    async run(db) {
      await db.collection('runs').createIndexes([
        { key: BY_END, partialFilterExpression: { completedAt: { $gte: 0 } } },
        { key: { removedAt: 1, _id: 1 }, partialFilterExpression: { removedAt: { $gte: 0 } } },
      ]);
      const ofRun = { partialFilterExpression: { runId: { $exists: true } } };
      await db.collection('deliveries').createIndex({ runId: 1 }, ofRun);
      await db.collection('idempotent_requests').createIndex({ runId: 1 }, ofRun);
    },
  },
  {
    name: 'summaries of runs',
    async run(db) {
      await db
        .collection('runs')
        .createIndexes([
          { key: { accountId: 1, 'summary.strategy': 1, _id: -1 } },
          { key: { accountId: 1, 'summary.bestFitness': 1, _id: 1 } },
          { key: { accountId: 1, 'summary.evaluations': 1, _id: 1 } },
          { key: { accountId: 1, 'summary.durationSeconds': 1, _id: 1 } },
        ]);
      await summarizeEarlierRuns(db);
    },
  },
  {
    name: 'dimensions of runs',
    async run(db) {
      await db.collection('runs').createIndex({ accountId: 1, 'summary.dimensions': 1, _id: 1 });
      await addDimensions(db);
    },
  },
  {
    name: 'sessions of the dashboard, deliveries of all webhooks',
    async run(db) {
      await db
        .collection('dashboard_sessions')
        .createIndexes([{ key: { publicId: 1, usedAt: -1, _id: 1 } }, { key: { usedAt: 1 } }]);
      await db
        .collection('deliveries')
        .createIndexes([{ key: { accountId: 1, state: 1, _id: -1 } }, { key: { accountId: 1, _id: -1 } }]);
    },
  },
];
