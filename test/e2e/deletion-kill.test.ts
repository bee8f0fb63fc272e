/** kill -9 while many runs are deleted: each run is there as a whole, or gone, and the same call goes on. */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, expect, it } from 'vitest';
import { ACCOUNT, claimAt, ending, newRun } from '../conformance/store-samples.js';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.js';
import { dataFolder } from '../support/data-folder.js';
import type { Json } from '../support/service.js';
import { endAll, startProcess } from '../support/service-process.js';

const RUNS = 4_000;
const dataDir = dataFolder('extremum-deletion-');
afterEach(async () => {
  await endAll();
  rmSync(dataDir, { recursive: true, force: true });
});

async function fill(): Promise<void> {
  const store = openSqliteStore({ dataDir, exclusive: true });
  const { id } = await store.ensureAccount({ ...ACCOUNT, name: 'default' });
  const history = Array.from({ length: 100 }, (_, i) => ({ evaluations: i, bestFitness: 1 / i, elapsedSeconds: i }));
  const ids = Array.from({ length: RUNS }, (_, i) => `opt_${String(i).padStart(29, '0')}`);
  await Promise.all(ids.map((runId) => store.createRun(newRun(runId, { accountId: id }), claimAt(1))));
  await Promise.all(
    ids.map((runId) =>
      store.finishRun(runId, 1, { status: 'completed', ending: ending(), history, completedAt: 1_000 }),
    ),
  );
  await store.close();
}

const PARTS = ['run_history', 'run_monitoring', 'run_events', 'run_checkpoints'];

/** Rows that belong to no run; runs that lack what every one of them had. */
function halves(): number[] {
  const db = new DatabaseSync(join(dataDir, 'extremum.db'), { readOnly: true });
  const count = (sql: string): number => Number((db.prepare(sql).get() as { n: number }).n);
  const found = [
    ...PARTS.map((table) => count(`SELECT count(*) AS n FROM ${table} WHERE run_id NOT IN (SELECT id FROM runs)`)),
    count('SELECT count(*) AS n FROM runs WHERE id NOT IN (SELECT run_id FROM run_history)'),
    count('SELECT count(*) AS n FROM run_facts') - RUNS,
  ];
  db.close();
  return found;
}

it('leaves whole runs, and goes on when it is called again', async () => {
  await fill();
  const full = statSync(join(dataDir, 'extremum.db')).size;
  let left = RUNS;
  let deleted = 0;
  for (const delayMs of [40, 90, 160]) {
    const service = await startProcess('--data-dir', dataDir);
    const total = async (): Promise<number> => (await service.call('GET', '/v1/optimize?limit=1')).total as number;
    expect(await total()).toBe(left);
    const cut = service.call('DELETE', '/v1/optimize?status=completed').then(
      (answer: Json) => answer.deleted as number,
      () => null,
    );
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await service.end('SIGKILL');
    await cut;
    expect(halves()).toEqual([0, 0, 0, 0, 0, 0]);
    const db = new DatabaseSync(join(dataDir, 'extremum.db'), { readOnly: true });
    const now = Number((db.prepare('SELECT count(*) AS n FROM runs').get() as { n: number }).n);
    db.close();
    deleted += left - now;
    left = now;
  }
  expect(deleted).toBeGreaterThan(0);
  const service = await startProcess('--data-dir', dataDir);
  expect(await service.call('DELETE', '/v1/optimize?status=completed')).toEqual({ deleted: left });
  // The job gives the space back.
  await expect
    .poll(() => statSync(join(dataDir, 'extremum.db')).size, { timeout: 30_000, interval: 200 })
    .toBeLessThan(full / 2);
  expect(halves()).toEqual([0, 0, 0, 0, 0, 0]);
  await service.end('SIGTERM');
}, 180_000);
