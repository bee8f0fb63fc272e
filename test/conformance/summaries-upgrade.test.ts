/** A data directory of a version without summaries is taken over with all runs summarized. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.js';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.js';
import { everything } from './store-samples.js';
import { expectDimensions, expectSummarized, liveBefore } from './summaries-upgrade.suite.js';

describe('a data directory of a version without summaries', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'extremum-summaries-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  const change = (sql: string): void => {
    const db = new DatabaseSync(join(dataDir, 'extremum.db'));
    db.exec(sql);
    db.close();
  };
  const step = MIGRATIONS.findIndex((sql) => sql.includes('CREATE TABLE run_summaries'));

  /** What steps after those made. */
  const LATER = `DROP TABLE run_monitoring; DROP TABLE dashboard_sessions; DROP INDEX deliveries_by_account;
    DROP INDEX deliveries_of_account;`;

  it('is summarized at the start, also where a start died in it', async () => {
    const made = openSqliteStore({ dataDir, exclusive: true });
    const before = await liveBefore(made);
    await made.close();
    change(`DROP TABLE run_summaries; ${LATER} PRAGMA user_version = ${step}`);
    const upgraded = openSqliteStore({ dataDir, exclusive: true });
    await expectSummarized(upgraded, before);
    await upgraded.close();
    change(`UPDATE run_summaries SET words = NULL, curve = '[]', evaluations = 0 WHERE id > 'opt_2'`);
    const again = openSqliteStore({ dataDir, exclusive: true });
    await expectSummarized(again, before);
    await again.close();
  });

  it('has the dimensions of runs whose summaries were made without', async () => {
    const made = openSqliteStore({ dataDir, exclusive: true });
    await liveBefore(made);
    await made.close();
    const adding = MIGRATIONS.findIndex((sql) => sql.includes('ADD COLUMN dimensions'));
    change(
      `DROP INDEX run_summaries_by_dimensions; ALTER TABLE run_summaries DROP COLUMN dimensions; ${LATER}
       PRAGMA user_version = ${adding}`,
    );
    const upgraded = openSqliteStore({ dataDir, exclusive: true });
    await expectDimensions(upgraded);
    await upgraded.close();
  });

  it('is opened with a run that cannot be read', async () => {
    const made = openSqliteStore({ dataDir, exclusive: true });
    await liveBefore(made);
    await made.close();
    change(
      `DROP TABLE run_summaries; ${LATER} UPDATE runs SET request = '{"task"' WHERE id = 'opt_3'; PRAGMA user_version = ${step}`,
    );
    const store = openSqliteStore({ dataDir, exclusive: true });
    const { items, total } = await store.listSummaries('acct_1', {}, everything);
    expect([total, items.map(({ id }) => id)]).toEqual([4, ['opt_4', 'opt_3', 'opt_2', 'opt_1']]);
    expect(items[1]).toMatchObject({ status: 'completed', completedAt: 9, evaluations: 0, curve: [] });
    await store.close();
  });

  it('loses the summary of a run with the run', async () => {
    const store = openSqliteStore({ dataDir, exclusive: true });
    await liveBefore(store);
    change(`PRAGMA foreign_keys = ON; DELETE FROM runs WHERE id = 'opt_1'`);
    expect((await store.listSummaries('acct_1', {}, everything)).total).toBe(3);
    await store.close();
  });
});
