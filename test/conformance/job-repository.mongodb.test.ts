import { afterAll, beforeAll } from 'vitest';
import { openMongodbBackend } from '../../src/jobs/mongodb/mongodb-backend.js';
import type { OpenedBackend } from '../../src/jobs/agenda-jobs.js';
import { describeWithMongodb, dropDatabase, newDatabaseUrl } from '../support/mongodb.js';
import { jobRepositorySuite } from './job-repository.suite.js';

describeWithMongodb('a replica set', () => {
  let url: string;
  let opened: OpenedBackend[];
  beforeAll(async () => {
    url = newDatabaseUrl();
    opened = [await openMongodbBackend(url), await openMongodbBackend(url)];
  });
  afterAll(async () => {
    await Promise.all(opened.map((one) => one.close()));
    await dropDatabase(url);
  });

  jobRepositorySuite('mongodb', async () => {
    const [repository, another] = opened.map(({ backend }) => backend.repository);
    return { repository, another, cleanUp: async () => void (await repository.purgeAllJobs()) };
  });
});
