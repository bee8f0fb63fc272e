/** Runs that are deleted, from MongoDB. */
import { afterAll, beforeAll } from 'vitest';
import { deletionSuite } from '../support/deletion-suite.js';
import { describeWithMongodb, dropDatabase, mongodbUrl, newDatabaseUrl } from '../support/mongodb.js';

describeWithMongodb('deletion of runs', () => {
  let url: string;
  beforeAll(() => {
    url = newDatabaseUrl(mongodbUrl());
  });
  afterAll(() => dropDatabase(url));
  deletionSuite(() => ['--mongodb-url', url]);
});
