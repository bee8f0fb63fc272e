import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { NoteDamage } from '../../src/storage/damage.js';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.js';
import { openThreadedSqliteStore } from '../../src/storage/sqlite/threaded-store.js';
import type { Store } from '../../src/storage/store.js';
import { damageSuite, type DamagedStore, type Place } from './damage.suite.js';

const SQL: Readonly<Record<Place, string>> = {
  function: 'UPDATE functions SET body = ? WHERE id = ?',
  source: `UPDATE sources SET body = ?1 WHERE id IN (SELECT source_id FROM functions WHERE id = ?2
           UNION SELECT source_id FROM runs WHERE id = ?2)`,
  run: 'UPDATE runs SET request = ? WHERE id = ?',
  ending: 'UPDATE runs SET ending = ? WHERE id = ?',
  batch: 'UPDATE batches SET body = ? WHERE id = ?',
  key: 'UPDATE api_keys SET body = ? WHERE id = ?',
  webhook: 'UPDATE webhooks SET body = ? WHERE id = ?',
  delivery: 'UPDATE deliveries SET attempts = ? WHERE id = ?',
  event: 'UPDATE run_events SET body = ? WHERE event_id = ?',
  conversation: 'UPDATE conversations SET body = ? WHERE id = ?',
  study: 'UPDATE studies SET body = ? WHERE id = ?',
  entry: 'UPDATE study_entries SET summary = ? WHERE study_id = ?',
  lesson: 'UPDATE lessons SET body = ? WHERE version = ?',
};

function inFolder(open: (dataDir: string, note: NoteDamage) => Promise<Store>): DamagedStore {
  const dataDir = mkdtempSync(join(tmpdir(), 'extremum-damage-'));
  return {
    open: (note) => open(dataDir, note),
    async write(place, id, text) {
      const db = new DatabaseSync(join(dataDir, 'extremum.db'));
      db.prepare(SQL[place]).run(text, id);
      db.close();
    },
    cleanUp: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

damageSuite('sqlite', () =>
  inFolder(async (dataDir, noteDamage) => openSqliteStore({ dataDir, exclusive: true, noteDamage })),
);
damageSuite('sqlite in a thread', () => inFolder(openThreadedSqliteStore));
