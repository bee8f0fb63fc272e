/** As summaries-upgrade.test.ts, with MongoDB. */
import { afterEach, beforeEach, it } from 'vitest';
import { MIGRATIONS } from '../../src/storage/mongodb/migrations.js';
import { openMongodbStore } from '../../src/storage/mongodb/mongodb-store.js';
import { describeWithMongodb, dropDatabase, newDatabaseUrl, withClient } from '../support/mongodb.js';
import { expectDimensions, expectSummarized, liveBefore } from './summaries-upgrade.suite.js';

describeWithMongodb('a MongoDB database of a version without summaries', () => {
  let url: string;
  beforeEach(() => {
    url = newDatabaseUrl();
  });
  afterEach(() => dropDatabase(url));

  it.each([
    ['is summarized at the start', 'summaries of runs', 'summary', expectSummarized],
    [
      'has the dimensions of runs whose summaries were made without',
      'dimensions of runs',
      'summary.dimensions',
      expectDimensions,
    ],
  ] as const)(
    '%s',
    async (_, step, field, check) => {
      const made = await openMongodbStore(url);
      const before = await liveBefore(made);
      await made.close();
      const version = MIGRATIONS.findIndex(({ name }) => name === step);
      await withClient(url, async (client) => {
        await client
          .db()
          .collection('runs')
          .updateMany({}, { $unset: { [field]: 1 } });
        await client.db().collection<{ _id: string }>('schema').updateOne({ _id: 'schema' }, { $set: { version } });
      });
      const store = await openMongodbStore(url);
      await check(store, before);
      await store.close();
    },
    120_000,
  );
});
