/** In long: store-away.mongodb.slow.test.ts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { describeWithOwnMongod, newDatabaseUrl, startOwnMongod, withClient } from '../support/mongodb.js';
import {
  ASYNC,
  endAll,
  hasProgress,
  isDone,
  resultOf,
  startProcess,
  task,
  undisturbedRun,
  until,
  upload,
} from '../support/service-process.js';
import { storeAway } from '../support/store-away.js';

describeWithOwnMongod('a service whose MongoDB is away for longer than a lease', () => {
  afterEach(endAll);

  it('does not begin a run again that it carries out, where only its lease could not be renewed', async () => {
    const server = await startOwnMongod('replica set');
    try {
      const url = newDatabaseUrl(server.url);
      const service = await startProcess('--mongodb-url', url, '--lease-seconds', '1', '--workers', '2');
      const functionId = await upload(service);
      const undisturbed = await undisturbedRun(service, functionId, 2);
      const request = task(functionId, undisturbed.evaluations as number);
      const { id } = await service.call('POST', '/v1/optimize', request, ASYNC);
      await until(service, id as string, hasProgress);
      const refuse = (mode: string): Promise<unknown> =>
        withClient(server.url, (client) =>
          client.db('admin').command({
            configureFailPoint: 'failCommand',
            mode,
            // Renewals are updates, and so is what is kept beside a run; claims are not. NotWritablePrimary.
            data: { failCommands: ['update'], errorCode: 10107, appName: 'extremum' },
          }),
        );
      await refuse('alwaysOn');
      // Three leases: the run may be claimed by anybody, its owner too.
      await sleep(3_000);
      await refuse('off');
      const done = await until(service, id as string, isDone);
      expect(resultOf(done)).toEqual(resultOf(undisturbed));
      const stored = await withClient(url, (client) =>
        client
          .db()
          .collection<{ _id: string }>('runs')
          .findOne({ _id: id as string }),
      );
      expect(stored).toMatchObject({ attempt: 1, losses: 0 });
    } finally {
      await endAll();
      await server.remove();
    }
  }, 60_000);

  it.each(['paused', 'killed'] as const)(
    'says so, lives, answers in time, and goes on with what it has when it is back (%s)',
    (how) => storeAway(how, 4, 2),
    240_000,
  );
});
