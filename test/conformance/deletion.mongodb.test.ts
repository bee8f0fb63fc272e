/** A death between the write that removes a run and what follows, and a relay that makes deliveries meanwhile. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openMongodbStore } from '../../src/storage/mongodb/mongodb-store.js';
import type { Store } from '../../src/storage/store.js';
import { describeWithMongodb, dropDatabase, failCommands, newDatabaseUrl, withClient } from '../support/mongodb.js';
import { ACCOUNT, claimAt, ending, lesson, newRun, newWebhook } from './store-samples.js';

const MINUTE = 60_000;

describeWithMongodb('removal of a run from MongoDB', () => {
  let url: string;
  let store: Store;
  beforeAll(async () => {
    url = newDatabaseUrl();
    store = await openMongodbStore(url);
    await store.ensureAccount(ACCOUNT);
    await store.saveWebhook(newWebhook('wh_1'));
  }, 60_000);
  afterAll(async () => {
    await store.close();
    await dropDatabase(url);
  });

  const end = async (id: string): Promise<void> => {
    await store.createRun(newRun(id), claimAt(1));
    const noise = Uint8Array.from({ length: 200_000 }, () => Math.random() * 256);
    await store.finishRun(id, 1, {
      status: 'completed',
      ending: ending(),
      completedAt: 10,
      events: [{ id: `evt_${id}`, type: 'optimization.completed', createdAt: 8, body: '{"a":1}' }],
      lesson: { ...lesson(id), found: { shape: 's', direction: 'minimize', solution: [1] } },
      extendable: { checkpoint: noise, until: 1e15 },
    });
  };
  /** What is left of runs beside their documents. */
  const left = (): Promise<Record<string, number>> =>
    withClient(url, async (client) => {
      const db = client.db();
      const count = async (name: string): Promise<[string, number]> => [
        name,
        await db.collection(name).countDocuments(),
      ];
      return Object.fromEntries(await Promise.all(['deliveries', 'run_parts'].map(count)));
    });

  it('is finished by whoever comes next, where its process dies in the middle', async () => {
    await end('opt_1');
    await store.relayEvents(9, 9);
    expect(await left()).toEqual({ deliveries: 1, run_parts: 1 });
    await failCommands(url, 1, { failCommands: ['delete'], errorCode: 2 });
    await expect(store.deleteRuns(ACCOUNT.id, ['opt_1'])).rejects.toThrow();
    // Nobody sees it any more, and it is counted.
    expect(await store.findRun(ACCOUNT.id, 'opt_1')).toBeNull();
    expect(await store.deleteRuns(ACCOUNT.id, ['opt_1'])).toEqual([]);
    expect(await left()).toEqual({ deliveries: 1, run_parts: 1 });
    await store.removeExpired(0);
    expect(await left()).toEqual({ deliveries: 0, run_parts: 0 });
    expect((await store.lessons(ACCOUNT.id, 0, 1, 1))[0]?.lesson).toMatchObject({ isRunDeleted: true });
    expect(await store.tallies(ACCOUNT.id, [0, 3_600_000], ['completed'])).toEqual([{ completed: 1 }]);
  });

  it('takes what is written after it, too, for ten minutes', async () => {
    await end('opt_2');
    await store.deleteRuns(ACCOUNT.id, ['opt_2']);
    const late = { _id: 'dlv_9', accountId: ACCOUNT.id, webhookId: 'wh_1', runId: 'opt_2', dueAt: 1 };
    const write = (): Promise<unknown> =>
      withClient(url, (client) =>
        client
          .db()
          .collection<{ _id: string }>('deliveries')
          .insertOne({ ...late }),
      );
    await write();
    await store.removeExpired(Date.now() + MINUTE);
    expect((await left())['deliveries']).toBe(0);
    await write();
    await store.removeExpired(Date.now() + 11 * MINUTE);
    expect((await left())['deliveries']).toBe(0);
    await write();
    await store.removeExpired(Date.now() + 12 * MINUTE);
    expect((await left())['deliveries']).toBe(1);
  });
});
