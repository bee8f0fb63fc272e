/** What every store that can be damaged must do with records that cannot be read. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiKeyRecord } from '../../src/model/api-key.js';
import type { FunctionRecord } from '../../src/model/function-record.js';
import type { NoteDamage } from '../../src/storage/damage.js';
import type { Store } from '../../src/storage/store.js';
import {
  ending,
  lesson,
  newConversation,
  newDelivery,
  newEntry,
  newRun,
  newStudy,
  newWebhook,
} from './store-samples.js';

export type Place =
  | 'function'
  | 'source'
  | 'run'
  | 'ending'
  | 'batch'
  | 'key'
  | 'webhook'
  | 'delivery'
  | 'event'
  | 'study'
  | 'entry'
  | 'lesson'
  | 'conversation';

export interface DamagedStore {
  open(note: NoteDamage): Promise<Store>;
  /** Replaces what the store has written there. */
  write(place: Place, id: string, text: string): Promise<void>;
  cleanUp(): Promise<void>;
}

const ACCOUNT = 'acct_1';
const everything = { limit: 100, offset: 0 };
const soon = { owner: 'me', now: 10, leaseUntil: 20 };

const newFunction = (id: string): FunctionRecord => ({
  id,
  accountId: ACCOUNT,
  name: 'f',
  language: 'python',
  createdAt: 5,
  sha256: `hash of ${id}`,
  source: { code: `def f(x): return x[0] # ${id}`, entry: 'f', argument: 'list' },
  compilation: { compiled: true, reasons: [] },
});
const newKey = (id: string): ApiKeyRecord => ({
  id,
  accountId: ACCOUNT,
  name: 'k',
  publicId: `public ${id}`,
  secretHash: 'ab',
  scopes: ['read'],
  createdAt: 5,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
});
const event = (id: string) => ({ id, type: 'context.updated', createdAt: 3, body: '{}' }) as const;

export function damageSuite(name: string, make: () => DamagedStore): void {
  describe(`${name}: a damaged record`, () => {
    let under: DamagedStore;
    let store: Store;
    let noted: string[];
    beforeEach(async () => {
      under = make();
      noted = [];
      store = await under.open((id, cause) => {
        expect(cause).toBeInstanceOf(Error);
        noted.push(id);
      });
      await store.ensureAccount({ id: ACCOUNT, name: 'one', createdAt: 1 });
    });
    afterEach(async () => {
      await store.close();
      await under.cleanUp();
    });

    const damaged = (id: string) => ({
      code: 'record_damaged',
      message: expect.stringContaining(id) as string,
      facts: { record: id },
    });

    interface Listed {
      readonly make: (id: string) => Promise<unknown>;
      readonly list: () => Promise<{ items: readonly unknown[]; total: number }>;
      readonly idOf?: (item: never) => string;
      readonly find: (id: string) => Promise<unknown>;
    }
    const lists: [Place, Listed][] = [
      [
        'function',
        {
          make: (id) => store.saveFunction(newFunction(id)),
          list: () => store.listFunctions(ACCOUNT, everything),
          find: (id) => store.findFunction(ACCOUNT, id),
        },
      ],
      [
        'run',
        {
          make: (id) => store.createRun(newRun(id)),
          list: () => store.listRuns(ACCOUNT, {}, everything),
          find: (id) => store.findRun(ACCOUNT, id),
        },
      ],
      [
        'ending',
        {
          make: async (id) => {
            await store.createRun(newRun(id), soon);
            await store.finishRun(id, 1, { status: 'completed', ending: ending(), completedAt: 12 });
          },
          list: () => store.listRuns(ACCOUNT, {}, everything),
          find: (id) => store.findRun(ACCOUNT, id),
        },
      ],
      [
        'batch',
        {
          make: (id) =>
            store.createBatch({ id, accountId: ACCOUNT, runIds: [`opt_${id}`], createdAt: 5 }, [newRun(`opt_${id}`)]),
          list: () => store.listBatches(ACCOUNT, everything),
          idOf: ({ batch }: { batch: { id: string } }) => batch.id,
          find: (id) => store.findBatch(ACCOUNT, id),
        },
      ],
      [
        'key',
        {
          make: (id) => store.saveKey(newKey(id)),
          list: () => store.listKeys(ACCOUNT, everything),
          find: (id) => store.findKey(`public ${id}`),
        },
      ],
      [
        'webhook',
        {
          make: (id) => store.saveWebhook(newWebhook(id)),
          list: () => store.listWebhooks(ACCOUNT, everything),
          find: (id) => store.findWebhook(ACCOUNT, id),
        },
      ],
      [
        'delivery',
        {
          make: (id) => store.saveDelivery(newDelivery(id)),
          list: () => store.listDeliveries(ACCOUNT, 'wh_1', {}, everything),
          find: (id) => store.findDelivery(ACCOUNT, id),
        },
      ],
      [
        'study',
        {
          make: (id) => store.createStudy(newStudy(id)),
          list: () => store.listStudies(ACCOUNT, everything),
          idOf: ({ study }: { study: { id: string } }) => study.id,
          find: (id) => store.findStudy(ACCOUNT, id),
        },
      ],
      [
        'entry',
        {
          make: async (id) => {
            await store.createStudy(newStudy(id));
            await store.appendStudyEntry(id, newEntry(1));
          },
          list: () => store.listStudies(ACCOUNT, everything),
          idOf: ({ study }: { study: { id: string } }) => study.id,
          find: (id) => store.findStudy(ACCOUNT, id),
        },
      ],
    ];
    describe.each(['{"id":"x_2","accountId":"acc', '5', 'null'])('that says %s', (text) => {
      it.each(lists)('(%s) is left out of its list, and an error by itself', async (place, listed) => {
        for (const id of ['x_1', 'x_2', 'x_3']) await listed.make(id);
        // An ending that is null is a run that has not ended.
        await under.write(place, 'x_2', place === 'ending' && text === 'null' ? '7' : text);
        const { items, total } = await listed.list();
        const idOf = listed.idOf ?? (({ id }: { id: string }) => id);
        expect([items.map((item) => idOf(item as never)), total]).toEqual([['x_3', 'x_1'], 3]);
        expect(new Set(noted)).toEqual(new Set(['x_2']));
        await expect(listed.find('x_2')).rejects.toMatchObject(damaged('x_2'));
        expect(await listed.find('x_1')).not.toBeNull();
      });
    });

    it.each(['{"id":"conv_1","accountId":"acc', '5', 'null'])(
      'that is a conversation and says %s is an error',
      async (text) => {
        await store.createConversation(newConversation('conv_1'));
        await under.write('conversation', 'conv_1', text);
        await expect(store.findConversation(ACCOUNT, 'conv_1')).rejects.toMatchObject(damaged('conv_1'));
        expect(noted).toEqual(['conv_1']);
      },
    );

    it('of a function hides neither its like nor their source', async () => {
      for (const id of ['func_1', 'func_2']) await store.saveFunction(newFunction(id));
      await under.write('source', 'func_1', '{');
      expect((await store.listFunctions(ACCOUNT, everything)).items).toEqual([newFunction('func_2')]);
      expect(await store.deleteFunction(ACCOUNT, 'func_1')).toBe(true);
    });

    it('among the events of a run leaves the others their places', async () => {
      await store.createRun(newRun('opt_1'));
      await store.saveWebhook(newWebhook('wh_1'));
      for (const id of ['evt_1', 'evt_2', 'evt_3']) {
        await store.updateMetadata(ACCOUNT, 'opt_1', {}, event(id));
      }
      await under.write('event', 'evt_2', '{"id":');
      const found = await store.runEvents(ACCOUNT, 'opt_1', 0, 9);
      expect(found?.map((one) => one?.id ?? null)).toEqual(['evt_1', null, 'evt_3']);
    });

    it.each(['run', 'source'] as const)('(%s) cannot be claimed, and ends', async (place) => {
      for (const id of ['opt_1', 'opt_2']) {
        await store.createRun(newRun(id, { source: { code: `# ${id}`, entry: 'f', argument: 'list' } }));
      }
      await under.write(place, 'opt_1', '{"task":');
      expect((await store.claimableRuns(10, 9)).map(({ id }) => id)).toEqual(['opt_1', 'opt_2']);
      await expect(store.claimRun('opt_1', soon)).rejects.toMatchObject(damaged('opt_1'));
      const end = { ending: ending({ terminationReason: 'error' }), completedAt: 11, events: [event('evt_1')] };
      expect(await store.abandonRun('opt_1', end)).toBe(true);
      expect(await store.abandonRun('opt_1', end)).toBe(false);
      expect(await store.abandonRun('opt_9', end)).toBe(false);
      expect((await store.claimableRuns(30, 9)).map(({ id }) => id)).toEqual(['opt_2']);
      expect(await store.runStates(['opt_1'])).toMatchObject([{ status: 'failed' }]);
      expect((await store.runEvents(ACCOUNT, 'opt_1', 0, 9))?.map((one) => one?.id)).toEqual(['evt_1']);
      expect((await store.claimRun('opt_2', soon))?.run.id).toBe('opt_2');
      const [tally] = await store.tallies(ACCOUNT, [0, 3_600_000], ['failed', 'running']);
      expect(tally).toEqual({ failed: 1, running: 1 });
      if (place === 'source') {
        expect(await store.findRun(ACCOUNT, 'opt_1')).toMatchObject({ status: 'failed', completedAt: 11 });
      }
    });

    it.each([
      ['delivery', 'dlv_1'],
      ['webhook', 'wh_1'],
    ] as const)('(%s) keeps no other delivery from being made', async (place, id) => {
      for (const webhook of ['wh_1', 'wh_2']) await store.saveWebhook(newWebhook(webhook));
      await store.saveDelivery(newDelivery('dlv_1'));
      await store.saveDelivery(newDelivery('dlv_2', { webhookId: 'wh_2' }));
      await under.write(place, id, '[');
      expect(await store.claimDelivery('dlv_1', 15, 30)).toBeNull();
      expect((await store.claimDelivery('dlv_2', 15, 30))?.delivery.id).toBe('dlv_2');
      expect(await store.dueDeliveries(50, [], 9)).toMatchObject([{ id: 'dlv_2' }]);
      expect(noted).toContain(id);
    });

    it('(webhook) keeps no events from being handed on', async () => {
      for (const webhook of ['wh_1', 'wh_2']) await store.saveWebhook(newWebhook(webhook));
      await store.createRun(newRun('opt_1'));
      await store.updateMetadata(ACCOUNT, 'opt_1', {}, event('evt_1'));
      await under.write('webhook', 'wh_1', '');
      expect(await store.relayEvents(20, 10)).toBe(1);
      expect(await store.relayEvents(20, 10)).toBe(0);
      expect(await store.dueDeliveries(50, [], 9)).toMatchObject([{ webhookId: 'wh_2' }]);
    });

    it('(lesson) is not learned from', async () => {
      for (const id of ['opt_1', 'opt_2']) {
        await store.createRun(newRun(id), soon);
        const finish = { status: 'completed', ending: ending(), completedAt: 12, lesson: lesson(id) } as const;
        await store.finishRun(id, 1, finish);
      }
      await under.write('lesson', '1', '{');
      expect(await store.lessons(ACCOUNT, 0, 2, 9)).toEqual([{ version: 2, lesson: lesson('opt_2') }]);
    });
  });
}
