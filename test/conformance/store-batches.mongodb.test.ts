/** A batch whose maker died between its writes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NewRun } from '../../src/model/run-record.js';
import { openMongodbStore } from '../../src/storage/mongodb/mongodb-store.js';
import type { Store } from '../../src/storage/store.js';
import { describeWithMongodb, dropDatabase, newDatabaseUrl, withClient } from '../support/mongodb.js';
import { newRun } from './store-samples.js';

const CREATED_AT = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

const heldRun = (id: string): NewRun => newRun(id, { createdAt: CREATED_AT });

describeWithMongodb('a batch whose maker died', () => {
  let url: string;
  let store: Store;
  beforeAll(async () => {
    url = newDatabaseUrl();
    store = await openMongodbStore(url);
  });
  afterAll(async () => {
    await store.close();
    await dropDatabase(url);
  });

  /** As its maker leaves it before it lets the runs go. */
  async function held(id: string, runId: string): Promise<void> {
    await store.createBatch({ id, accountId: 'acct_1', runIds: [runId], createdAt: CREATED_AT }, [heldRun(runId)]);
    await withClient(url, (client) =>
      client
        .db()
        .collection('runs')
        .updateMany({ batchId: id }, { $set: { heldFor: 'acct_1', accountId: '' }, $unset: { leaseUntil: 1 } }),
    );
    expect(await store.findRun('acct_1', runId)).toBeNull();
    expect((await store.claimableRuns(CREATED_AT, 9)).map(({ id }) => id)).not.toContain(runId);
  }

  it('after the batch was made: its runs are let go', async () => {
    await held('batch_1', 'opt_1');
    await store.removeExpired(CREATED_AT);
    expect(await store.findRun('acct_1', 'opt_1')).toMatchObject({ status: 'pending', accountId: 'acct_1' });
    expect((await store.claimableRuns(CREATED_AT, 9)).map(({ id }) => id)).toContain('opt_1');
    expect((await store.findBatch('acct_1', 'batch_1'))?.counts.pending).toBe(1);
  });

  it('before the batch was made: another attempt makes it, of the same runs', async () => {
    await held('batch_2', 'opt_2');
    await withClient(url, (client) => client.db().collection<{ _id: string }>('batches').deleteOne({ _id: 'batch_2' }));
    const batch = { id: 'batch_2', accountId: 'acct_1', runIds: ['opt_2'], createdAt: CREATED_AT };
    await store.createBatch(batch, [heldRun('opt_2')]);
    expect(await store.findBatch('acct_1', 'batch_2')).toMatchObject({ batch, counts: { pending: 1 } });
    expect(await store.findRun('acct_1', 'opt_2')).toMatchObject({ status: 'pending' });
  });

  it('before the batch was made, and nobody came back: its runs are removed after an hour', async () => {
    await held('batch_3', 'opt_3');
    await withClient(url, (client) => client.db().collection<{ _id: string }>('batches').deleteOne({ _id: 'batch_3' }));
    await store.removeExpired(CREATED_AT + HOUR_MS);
    expect(await store.runStates(['opt_3'])).toHaveLength(1);
    await store.removeExpired(CREATED_AT + HOUR_MS + 1);
    expect(await store.runStates(['opt_3', 'opt_1', 'opt_2'])).toHaveLength(2);
  });
});
