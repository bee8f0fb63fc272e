/** A database of a version before analytics, opened by this one. */
import { DatabaseSync } from '@photostructure/sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.js';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.js';
import { expectAllCounted, liveBefore } from './earlier-runs.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'extremum-upgrade-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The same records in the schema of that version. */
function asBefore(version: number): string {
  const [dataDir, path] = [join(folder, 'made', 'extremum.db'), join(folder, 'extremum.db')];
  const old = new DatabaseSync(path);
  for (const step of MIGRATIONS.slice(0, version)) old.exec(step);
  old.exec(`PRAGMA user_version = ${version}; ATTACH '${dataDir}' AS made; BEGIN`);
  for (const table of ['accounts', 'sources', 'runs']) {
    const names = old.prepare(`SELECT name FROM pragma_table_info('${table}', 'main')`).all() as { name: string }[];
    const columns = names.map(({ name }) => name).join();
    old.exec(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM made.${table}`);
  }
  old.exec('COMMIT');
  old.close();
  return folder;
}

describe('a SQLite database of a version without analytics', () => {
  const versions = {
    'right before it': MIGRATIONS.findIndex((step) => step.includes('CREATE TABLE run_facts')),
    'before webhooks': MIGRATIONS.findIndex((step) => step.includes('CREATE TABLE webhooks')),
  };
  it.each(Object.entries(versions))(
    '(%s) is counted to the run, at once and when it has been summed',
    async (_, version) => {
      const made = openSqliteStore({ dataDir: join(folder, 'made'), exclusive: true });
      await liveBefore(made);
      await made.close();
      const store = openSqliteStore({ dataDir: asBefore(version), exclusive: true });
      await expectAllCounted(store);
      await store.close();
    },
    120_000,
  );
});
