import { afterAll, beforeAll } from 'vitest';
import { openMongodbStore } from '../../src/storage/mongodb/mongodb-store.js';
import type { Store } from '../../src/storage/store.js';
import {
  clearDatabase,
  describeWithMongodb,
  describeWithOwnMongod,
  dropDatabase,
  mongodbUrl,
  newDatabaseUrl,
  startOwnMongod,
  type OwnMongod,
} from '../support/mongodb.js';
import { storeSuite, type StoreUnderTest } from './store.suite.js';
import { studyCrashSuite } from './study-crashes.suite.js';

/** One database for all tests: making its indexes takes longer than most of them. */
function suiteOn(name: string, server: () => string, share: number): void {
  let url: string;
  beforeAll(() => {
    url = newDatabaseUrl(server());
  });
  afterAll(() => dropDatabase(url));
  const open = (): Promise<Store> => openMongodbStore(url);
  const make = (): StoreUnderTest => ({ open, openAnother: open, cleanUp: () => clearDatabase(url) });
  storeSuite(name, make, { share });
  studyCrashSuite(name, make);
}

describeWithMongodb('a replica set', () => {
  suiteOn('mongodb', mongodbUrl, 1 / 3);
});

describeWithOwnMongod('a server without a replica set', () => {
  let server: OwnMongod;
  beforeAll(async () => {
    server = await startOwnMongod('standalone');
  }, 60_000);
  afterAll(() => server.remove());

  // The same code has more draws above.
  suiteOn('mongodb', () => server.url, 1 / 9);
});
