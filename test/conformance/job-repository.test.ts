import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SqliteJobRepository } from '../../src/jobs/sqlite/job-repository.js';
import { jobRepositorySuite, type RepositoryFixture } from './job-repository.suite.js';

async function make(): Promise<RepositoryFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'extremum-jobs-'));
  const [repository, another] = [0, 1].map(() => new SqliteJobRepository(join(folder, 'jobs.db')));
  await repository.connect();
  await another.connect();
  return {
    repository,
    another,
    async cleanUp() {
      repository.close();
      another.close();
      rmSync(folder, { recursive: true });
    },
  };
}

jobRepositorySuite('sqlite', make);

it('an operator in unique() is refused instead of meaning nothing', async () => {
  const { repository, cleanUp } = await make();
  const given = { name: 'a', type: 'normal' as const, priority: 0, nextRunAt: null, data: {} };
  await expect(repository.saveJob({ ...given, unique: { 'data.at': { $gt: 1 } } }, {})).rejects.toThrow(/no operator/);
  await cleanUp();
});
