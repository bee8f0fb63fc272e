import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemoryStore } from '../../src/storage/memory/memory-store.js';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.js';
import { openThreadedSqliteStore } from '../../src/storage/sqlite/threaded-store.js';
import { storeSuite, type StoreUnderTest } from './store.suite.js';
import { studyCrashSuite } from './study-crashes.suite.js';

/** Every store there is, one line each. */
const implementations: Readonly<Record<string, () => StoreUnderTest>> = {
  memory: () => ({ open: async () => openMemoryStore(), cleanUp: async () => {} }),
  sqlite: () => {
    const made = mkdtemp(join(tmpdir(), 'extremum-store-'));
    return {
      open: async () => openSqliteStore({ dataDir: await made, exclusive: true }),
      openAnother: async () => openSqliteStore({ dataDir: await made, exclusive: false }),
      cleanUp: async () => rm(await made, { recursive: true, force: true }),
    };
  },
  'sqlite in a thread': () => {
    const made = mkdtemp(join(tmpdir(), 'extremum-store-'));
    return {
      open: async () => openThreadedSqliteStore(await made),
      openAnother: async () => openSqliteStore({ dataDir: await made, exclusive: false }),
      cleanUp: async () => rm(await made, { recursive: true, force: true }),
    };
  },
};

for (const [name, make] of Object.entries(implementations)) {
  storeSuite(name, make);
  studyCrashSuite(name, make);
}
