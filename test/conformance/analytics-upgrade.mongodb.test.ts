/** As analytics-upgrade.test.ts, with MongoDB. */
import { afterEach, beforeEach, it } from 'vitest';
import { MIGRATIONS } from '../../src/storage/mongodb/migrations.js';
import { openMongodbStore } from '../../src/storage/mongodb/mongodb-store.js';
import { describeWithMongodb, dropDatabase, newDatabaseUrl, withClient } from '../support/mongodb.js';
import { expectAllCounted, liveBefore } from './earlier-runs.js';

describeWithMongodb('a MongoDB database of a version without analytics', () => {
  let url: string;
  beforeEach(() => {
    url = newDatabaseUrl();
  });
  afterEach(() => dropDatabase(url));

  it('is counted to the run, at once and when it has been summed', async () => {
    const made = await openMongodbStore(url);
    await liveBefore(made);
    await made.close();
    const version = MIGRATIONS.findIndex(({ name }) => name === 'what is counted of runs, and sums of it');
    await withClient(url, async (client) => {
      const db = client.db();
      await db.collection('runs').updateMany({}, { $unset: { counted: 1, traffic: 1 } });
      for (const name of ['run_rollups', 'open_rollups']) await db.collection(name).deleteMany({});
      await db.collection<{ _id: string }>('schema').updateOne({ _id: 'schema' }, { $set: { version } });
    });
    const store = await openMongodbStore(url);
    await expectAllCounted(store);
    await store.close();
  }, 120_000);
});
