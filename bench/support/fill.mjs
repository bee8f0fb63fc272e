/**
 * Many runs that have ended, put into a store in seconds: the records and facts that its contract makes of one of them,
 * copied with other numbers. What the rest of the store holds of a run (summary, history, checkpoint, events) is not
 * made.
 */
import { DatabaseSync } from '@photostructure/sqlite';
import { MongoClient } from 'mongodb';
import path from 'node:path';
import { encode } from '../../dist/common/codec.js';
import { composeId } from '../../dist/common/ids.js';
import { PRESET_CONFIGS } from '../../dist/model/intelligence.js';
import { countedEnding, createdFacts, endedFacts } from '../../dist/model/run-facts.js';
import { openMongodbStore } from '../../dist/storage/mongodb/mongodb-store.js';
import { openSqliteStore } from '../../dist/storage/sqlite/sqlite-store.js';

const AT_ONCE = 2_000;
const HOUR_MS = 3_600_000;

const REQUEST = {
  task: { bounds: [[-1, 1]], maxEvaluations: 1_000, seed: 7, direction: 'minimize', mode: 'balanced' },
  preset: 'production',
  intelligence: PRESET_CONFIGS.production,
  blackBox: false,
  pythonMinor: 12,
};
const SOURCE = { code: 'def f(x): return x[0]', entry: 'f', argument: 'list' };

/** Of a run that used up its budget; `more` overrides. */
export const endingOf = (more = {}) => ({
  terminationReason: 'budget',
  bestSolution: [0],
  bestFitness: 0,
  evaluations: 1_000,
  failedEvaluations: 0,
  failures: [],
  durationSeconds: 1,
  strategies: [{ name: 'quasi-newton', reason: '', fromEvaluation: 0, toEvaluation: 1_000, bestFitness: 0 }],
  backend: null,
  usage: { threadCpuSeconds: 1, pythonCpuSeconds: 0, gpuSeconds: 0, peakMemoryBytes: 1e7 },
  ...more,
});

/** The store of a server of `startServer`, beside it. */
export const openStoreOf = ({ url }, { folder }) =>
  url === undefined ? Promise.resolve(openSqliteStore({ dataDir: folder, exclusive: false })) : openMongodbStore(url);

/** The identifier of the run that is `n`th to be put in. */
export const idOf = (n, createdAt) => composeId('opt', createdAt, n % 10_000, n);

/**
 * `runs` (an iterable) are {createdAt, status, ending, originId?}. None of them is summed yet.
 * @param store As `startServer` takes it; `server`: what that returned.
 */
export async function fillRuns(store, server, accountId, runs) {
  const template = await madeByContract(store, server, accountId);
  const batches = batchesOf(numbered(runs));
  if (store.url === undefined) await fillSqlite(server.folder, template, batches);
  else await fillMongodb(store.url, template, batches);
}

async function madeByContract(store, server, accountId) {
  const opened = await openStoreOf(store, server);
  try {
    const id = idOf(0, 0);
    const run = { id, accountId, functionId: 'func_1', source: SOURCE, request: REQUEST, metadata: {}, createdAt: 0 };
    await opened.createRun(run, { owner: 'bench', now: 0, leaseUntil: Date.now() + 30_000 });
    await opened.finishRun(id, 1, { status: 'completed', ending: endingOf(), completedAt: 1 });
    return id;
  } finally {
    await opened.close();
  }
}

function* numbered(runs) {
  let n = 0;
  for (const { createdAt, status, ending, originId } of runs) {
    const id = idOf(++n, createdAt);
    const request = originId === undefined ? REQUEST : { ...REQUEST, replayOf: originId, originId };
    const facts = { ...createdFacts(id, request), ...endedFacts(createdFacts(id, request), countedEnding(ending)) };
    const completedAt = createdAt + Math.ceil(ending.durationSeconds * 1_000);
    yield { id, createdAt, completedAt, status, request: encode(request), ending: encode(ending), facts };
  }
}

function* batchesOf(items) {
  let batch = [];
  for (const item of items) {
    if (batch.push(item) < AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const column = (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

async function fillSqlite(folder, template, batches) {
  const db = new DatabaseSync(path.join(folder, 'extremum.db'), { timeout: 30_000 });
  const insertInto = (table, row) => {
    const names = Object.keys(row);
    return db.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map((name) => `:${name}`).join()})`);
  };
  try {
    const run = db.prepare('SELECT * FROM runs WHERE id = ?').get(template);
    const fact = db.prepare('SELECT * FROM run_facts WHERE id = ?').get(template);
    const [insertRun, insertFact] = [insertInto('runs', run), insertInto('run_facts', fact)];
    const open = db.prepare(
      `INSERT INTO open_rollups (account_id, unit, start) VALUES (?, 'hour', ?) ON CONFLICT DO NOTHING`,
    );
    for (const batch of batches) {
      db.exec('BEGIN IMMEDIATE');
      for (const { id, createdAt, completedAt, status, request, ending, facts } of batch) {
        const common = { id, status, created_at: createdAt, completed_at: completedAt };
        const columns = Object.fromEntries(Object.entries(facts).map(([name, value]) => [column(name), value]));
        insertRun.run({ ...run, ...common, started_at: createdAt, request, ending });
        insertFact.run({ ...fact, ...common, ...columns });
        open.run(run.account_id, Math.floor(createdAt / HOUR_MS) * HOUR_MS);
      }
      db.exec('COMMIT');
      // A connection that the service closed meanwhile is to be noticed.
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const table of ['run_history', 'run_checkpoints', 'run_events']) {
      db.prepare(`DELETE FROM ${table} WHERE run_id = ?`).run(template);
    }
    for (const table of ['run_facts', 'runs']) db.prepare(`DELETE FROM ${table} WHERE id = ?`).run(template);
    db.exec('DELETE FROM open_rollups WHERE start = 0; DELETE FROM run_rollups WHERE start = 0');
  } finally {
    db.close();
  }
}

async function fillMongodb(url, template, batches) {
  const client = new MongoClient(url);
  try {
    const db = client.db();
    const run = await db.collection('runs').findOne({ _id: template });
    const hours = new Set();
    for (const batch of batches) {
      const documents = batch.map(({ id, createdAt, completedAt, status, request, ending, facts }) => {
        hours.add(Math.floor(createdAt / HOUR_MS) * HOUR_MS);
        const counted = { ...run.counted, ...facts, isDerived: facts.originId !== id };
        return { ...run, _id: id, createdAt, startedAt: createdAt, completedAt, status, request, ending, counted };
      });
      await db.collection('runs').insertMany(documents, { ordered: false });
    }
    await db.collection('runs').deleteOne({ _id: template });
    const open = { $addToSet: { hours: { $each: [...hours] } }, $inc: { version: 1 } };
    await db.collection('open_rollups').updateOne({ _id: run.accountId }, open);
  } finally {
    await client.close();
  }
}

/** Makes all hours with runs open, as an upgrade does; `count` says how many are. */
export async function openEverything(store, { folder }) {
  if (store.url === undefined) {
    const db = new DatabaseSync(path.join(folder, 'extremum.db'), { timeout: 30_000 });
    const count = () => db.prepare(`SELECT count(*) AS n FROM open_rollups WHERE unit = 'hour'`).get().n;
    const starts = db
      .prepare(`SELECT DISTINCT account_id, created_at / ${HOUR_MS} * ${HOUR_MS} AS start FROM run_facts`)
      .all();
    const insert = db.prepare(
      `INSERT INTO open_rollups (account_id, unit, start) VALUES (?, 'hour', ?) ON CONFLICT DO NOTHING`,
    );
    const open = () => {
      db.exec('BEGIN IMMEDIATE; DELETE FROM open_rollups');
      for (const { account_id: accountId, start } of starts) insert.run(accountId, start);
      db.exec('COMMIT');
    };
    return { hours: starts.length, count, open, close: () => db.close() };
  }
  const client = new MongoClient(store.url);
  const states = client.db().collection('open_rollups');
  const hour = { $subtract: ['$createdAt', { $mod: ['$createdAt', HOUR_MS] }] };
  const found = await client
    .db()
    .collection('runs')
    .aggregate([{ $group: { _id: hour } }])
    .toArray();
  const hours = found.map(({ _id }) => _id);
  return {
    hours: hours.length,
    count: async () => (await states.findOne({})).hours.length,
    open: () => states.updateOne({}, { $set: { hours, days: [] }, $inc: { version: 1 } }),
    close: () => client.close(),
  };
}
