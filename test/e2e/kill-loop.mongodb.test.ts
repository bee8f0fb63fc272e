/** As kill-loop.test.ts, with MongoDB, whose server is killed too. */
import { afterEach, expect, it } from 'vitest';
import { killLoop } from '../support/kill-loop.js';
import { describeWithOwnMongod } from '../support/mongodb.js';
import { endAll } from '../support/service-process.js';

afterEach(endAll);

describeWithOwnMongod('kill -9 of the service or of MongoDB at random moments of mixed work', () => {
  it('loses nothing that was acknowledged, and does nothing twice', async () => {
    const { violations, kills, sums } = await killLoop({ store: 'mongodb', kills: 5, seed: 2, longestMs: 800 });
    expect(violations).toEqual([]);
    expect(sums).toBeGreaterThan(0);
    expect(kills).toMatchObject({ service: 3, mongod: 2 });
  }, 240_000);

  it('also where the primary of a replica set steps down, and the next one is killed', async () => {
    const { violations, kills } = await killLoop({ store: 'replicas', kills: 1, seed: 3, longestMs: 800 });
    expect(violations).toEqual([]);
    expect(kills).toMatchObject({ service: 0, mongod: 1 });
  }, 240_000);
});
