import { rm } from 'node:fs/promises';
import { openMemoryStore } from '../../src/storage/memory/memory-store.js';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.js';
import { openThreadedSqliteStore } from '../../src/storage/sqlite/threaded-store.js';
import { dataFolder } from '../support/data-folder.js';
import { storeSuite, type StoreUnderTest } from './store.suite.js';
import { studyCrashSuite } from './study-crashes.suite.js';

/** Every store there is, one line each. */
const implementations: Readonly<Record<string, () => StoreUnderTest>> = {
  memory: () => ({ open: async () => openMemoryStore(), cleanUp: async () => {} }),
  sqlite: () => {
    const made = dataFolder('extremum-store-');
    return {
      open: async () => openSqliteStore({ dataDir: made, exclusive: true }),
      openAnother: async () => openSqliteStore({ dataDir: made, exclusive: false }),
      cleanUp: async () => rm(made, { recursive: true, force: true }),
    };
  },
  'sqlite in a thread': () => {
    const made = dataFolder('extremum-store-');
    return {
      open: async () => openThreadedSqliteStore(made),
      openAnother: async () => openSqliteStore({ dataDir: made, exclusive: false }),
      cleanUp: async () => rm(made, { recursive: true, force: true }),
    };
  },
};

for (const [name, make] of Object.entries(implementations)) {
  storeSuite(name, make, name === 'sqlite in a thread' ? { share: 1 / 3 } : {});
  studyCrashSuite(name, make);
}
