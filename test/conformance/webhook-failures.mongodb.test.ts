/**
 * Webhooks in MongoDB where connections break and majorities are late; and that what is asked often is an index away.
 */
import type { Document } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openMongodbStore } from '../../src/storage/mongodb/mongodb-store.js';
import type { Store } from '../../src/storage/store.js';
import {
  describeWithOwnMongod,
  dropDatabase,
  failCommands,
  newDatabaseUrl,
  startOwnMongod,
  withClient,
  type OwnMongod,
} from '../support/mongodb.js';
import { newDelivery, newRun, newWebhook } from './store-samples.js';

const ACCOUNT = 'acct_1';
const everything = { limit: 100, offset: 0 };
const ATTEMPT = { at: 1, status: 200, durationSeconds: 1, error: null, responseExcerpt: '' };

describeWithOwnMongod('webhooks in a MongoDB that fails', () => {
  let server: OwnMongod;
  let url: string;
  let store: Store;
  beforeAll(async () => {
    server = await startOwnMongod('replica set');
  }, 60_000);
  afterAll(() => server.remove());
  beforeEach(async () => {
    url = newDatabaseUrl(server.url);
    store = await openMongodbStore(url);
  });
  afterEach(async () => {
    await store.close();
    await dropDatabase(url);
  });

  const failing = (times: number, data: Document): Promise<Document> => failCommands(server.url, times, data);
  const happen = async (id: string): Promise<void> => {
    const event = { id: `evt_of_${id}`, type: 'context.updated', createdAt: 3, body: '{}' } as const;
    await store.createRun(newRun(id, { accountId: ACCOUNT }));
    await store.updateMetadata(ACCOUNT, id, {}, event);
  };
  const made = async (): Promise<number> => (await store.listDeliveries(ACCOUNT, 'wh_1', {}, everything)).total;

  it.each([
    ['before the deliveries are stored', 'insert', 0],
    ['before the events are marked', 'update', 3],
  ])('a relay that ends %s is done again, to the same deliveries', async (_, command, stored) => {
    await store.saveWebhook(newWebhook('wh_1'));
    for (const id of ['opt_1', 'opt_2', 'opt_3']) await happen(id);
    // The driver repeats once, and so does the store.
    await failing(4, { failCommands: [command], closeConnection: true });
    await expect(store.relayEvents(20, 10)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await made()).toBe(stored);
    await store.claimDelivery((await store.dueDeliveries(20, [], 1))[0]?.id ?? '', 20, 30);
    expect(await store.relayEvents(21, 10)).toBe(3);
    expect(await made()).toBe(3);
    // One that is under way stays so.
    expect((await store.dueDeliveries(25, [], 9)).length).toBe(stored === 0 ? 3 : 2);
    expect(await store.relayEvents(22, 10)).toBe(0);
  });

  const steps: [string, string, () => Promise<unknown>, unknown][] = [
    ['saveWebhook', 'insert', () => store.saveWebhook(newWebhook('wh_2')).then(() => 1), 1],
    ['saveDelivery', 'insert', () => store.saveDelivery(newDelivery('dlv_2')).then(() => 1), 1],
    ['claimDelivery', 'findAndModify', async () => (await store.claimDelivery('dlv_1', 10, 20))?.fence, 2],
    [
      'recordAttempt',
      'findAndModify',
      () => store.recordAttempt('dlv_1', 1, ATTEMPT, { state: 'succeeded' }),
      { failingSince: null },
    ],
    ['deleteWebhook', 'delete', () => store.deleteWebhook(ACCOUNT, 'wh_1'), true],
    ['rotateSecret', 'update', async () => (await store.rotateSecret(ACCOUNT, 'wh_1', 's', 'r', 9))?.secret, 's'],
    ['redeliver', 'update', async () => (await store.redeliver(ACCOUNT, 'dlv_1', 5))?.nextAttemptAt, 5],
  ];
  describe.each(steps)('%s', (verb, command, act, answer) => {
    beforeEach(async () => {
      await store.saveWebhook(newWebhook('wh_1'));
      await store.saveDelivery(newDelivery('dlv_1', { dueAt: 1 }));
      await store.claimDelivery('dlv_1', 1, verb === 'recordAttempt' ? 20 : 2);
      if (verb === 'redeliver') await store.recordAttempt('dlv_1', 1, ATTEMPT, { state: 'failed' });
    });

    it.each([
      ['where the connection breaks', { closeConnection: true }],
      [
        'where a majority did not confirm in time',
        {
          writeConcernError: {
            code: 64,
            codeName: 'WriteConcernFailed',
            errmsg: 'waiting for replication timed out',
            errInfo: { wtimeout: true },
          },
        },
      ],
    ])('is found or repeated %s', async (_, failure) => {
      await failing(1, { failCommands: [command], ...failure });
      expect(await act()).toEqual(answer);
      const attempts = (await store.findDelivery(ACCOUNT, 'dlv_1'))?.attempts ?? [];
      expect(attempts.length).toBe(verb === 'recordAttempt' || verb === 'redeliver' ? 1 : 0);
    });
  });

  it('answers what is asked often from an index', async () => {
    await store.saveWebhook(newWebhook('wh_1'));
    for (let i = 0; i < 60; i++) {
      await happen(`opt_${i}`);
      await store.saveDelivery(newDelivery(`dlv_${i}`, { webhookId: `wh_${i % 3}`, dueAt: i }));
    }
    expect(await store.relayEvents(40, 57)).toBe(57);
    await withClient(url, (client) => client.db().command({ profile: 2 }));
    expect(await store.dueDeliveries(30, [], 3)).toHaveLength(3);
    expect(await store.dueDeliveries(30, ['wh_1'], 3)).toHaveLength(3);
    expect(await store.nextDueAt([])).toBe(0);
    expect(await store.relayEvents(1, 5)).toBe(3);
    await store.listDeliveries(ACCOUNT, 'wh_2', { state: 'pending' }, { limit: 3, offset: 0 });
    await store.listWebhooks(ACCOUNT, everything);
    await withClient(url, (client) => client.db().command({ profile: 0 }));
    const seen = await withClient(url, (client) =>
      client.db().collection('system.profile').find({ appName: 'extremum' }).toArray(),
    );
    const asked = seen.filter(({ planSummary }) => planSummary !== undefined);
    expect(asked.length).toBeGreaterThanOrEqual(8);
    for (const { planSummary, ns, keysExamined, command } of asked) {
      expect(String(planSummary), JSON.stringify(command)).toMatch(/IXSCAN|IDHACK|COUNT_SCAN/);
      // All of one webhook are counted.
      expect(keysExamined, `${ns} ${planSummary}`).toBeLessThan(25);
    }
  });
});
