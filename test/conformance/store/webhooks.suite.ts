/** What every store must do with webhooks and deliveries; part of ../store.suite.ts. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/model/run-event.js';
import type { DeliveryAttempt } from '../../../src/model/webhook.js';
import { deliveryId } from '../../../src/storage/rules/deliveries.js';
import type { Store } from '../../../src/storage/store.js';
import { ending, newDelivery, newRun, newWebhook } from '../store-samples.js';

const ACCOUNT = 'acct_1';
const OTHER = 'acct_2';
const DAY = 86_400_000;
const everything = { limit: 100, offset: 0 };

const event = (id: string, type: RunEvent['type'] = 'strategy.changed', createdAt = 7): RunEvent => ({
  id,
  type,
  createdAt,
  body: JSON.stringify({ id, text: 'ü😀\ud800\u0000' }),
});
const attempt = (at: number, overrides: Partial<DeliveryAttempt> = {}): DeliveryAttempt => ({
  at,
  status: 500,
  durationSeconds: 0.25,
  error: null,
  responseExcerpt: 'sorry\u0000 \ud800 $set',
  ...overrides,
});
const progress = { evaluations: 1, bestFitness: 1, bestSolution: [1], elapsedSeconds: 1 };

export function webhookSuite(current: () => Store, openAnother: () => Promise<Store | null>): void {
  const states = async (webhookId = 'wh_1'): Promise<string[]> =>
    (await current().listDeliveries(ACCOUNT, webhookId, {}, everything)).items.map(({ state }) => state);
  const dueIds = async (now: number, except: string[] = [], limit = 99): Promise<string[]> =>
    (await current().dueDeliveries(now, except, limit)).map(({ id }) => id);

  describe('webhooks', () => {
    it('are kept, listed newest first, changed, and deleted once', async () => {
      const store = current();
      for (const id of ['wh_2', 'wh_1', 'wh_3']) await store.saveWebhook(newWebhook(id));
      await store.saveWebhook(newWebhook('wh_1', { url: 'https://other.example' }));
      expect(await store.findWebhook(ACCOUNT, 'wh_1')).toStrictEqual(newWebhook('wh_1'));
      const page = await store.listWebhooks(ACCOUNT, { limit: 2, offset: 1 });
      expect([page.items.map(({ id }) => id), page.total]).toEqual([['wh_2', 'wh_1'], 3]);
      const disabled = { reason: 'gone', at: 5 } as const;
      const changed = newWebhook('wh_1', { events: ['strategy.changed'], active: false, failingSince: 3, disabled });
      const { events, active, failingSince } = changed;
      expect(await store.updateWebhook(ACCOUNT, 'wh_1', { events, active, failingSince, disabled })).toEqual(changed);
      expect(await store.findWebhook(ACCOUNT, 'wh_1')).toStrictEqual(changed);
      expect(await store.updateWebhook(ACCOUNT, 'wh_1', {})).toStrictEqual(changed);
      expect(await store.deleteWebhook(ACCOUNT, 'wh_1')).toBe(true);
      expect(await store.deleteWebhook(ACCOUNT, 'wh_1')).toBe(false);
      expect(await store.findWebhook(ACCOUNT, 'wh_1')).toBeNull();
      expect(await store.updateWebhook(ACCOUNT, 'wh_1', { active: true })).toBeNull();
    });

    it('of one account are out of reach for another', async () => {
      const store = current();
      await store.saveWebhook(newWebhook('wh_1'));
      await store.saveDelivery(newDelivery('dlv_1'));
      expect(await store.findWebhook(OTHER, 'wh_1')).toBeNull();
      expect((await store.listWebhooks(OTHER, everything)).total).toBe(0);
      expect(await store.updateWebhook(OTHER, 'wh_1', { active: false })).toBeNull();
      expect(await store.rotateSecret(OTHER, 'wh_1', 's', 'r', 9)).toBeNull();
      expect(await store.deleteWebhook(OTHER, 'wh_1')).toBe(false);
      expect(await store.findDelivery(OTHER, 'dlv_1')).toBeNull();
      expect((await store.listDeliveries(OTHER, 'wh_1', {}, everything)).total).toBe(0);
      expect(await store.redeliver(OTHER, 'dlv_1', 1)).toBeNull();
      expect(await store.redeliverFailed(OTHER, 'wh_1', 0, 1)).toBe(0);
      expect(await store.findWebhook(ACCOUNT, 'wh_1')).toStrictEqual(newWebhook('wh_1'));
      expect(await states()).toEqual(['pending']);
    });

    it('get another secret once for each rotation, and keep the one before', async () => {
      const store = current();
      await store.saveWebhook(newWebhook('wh_1'));
      const rotated = newWebhook('wh_1', { secret: '$new', rotation: '$r', previous: { secret: 'sealed', until: 50 } });
      expect(await store.rotateSecret(ACCOUNT, 'wh_1', '$new', '$r', 50)).toStrictEqual(rotated);
      expect(await store.rotateSecret(ACCOUNT, 'wh_1', 'newer', '$r', 60)).toStrictEqual(rotated);
      expect(await store.rotateSecret(ACCOUNT, 'wh_1', 'newer', 'q', 60)).toMatchObject({
        secret: 'newer',
        previous: { secret: '$new', until: 60 },
      });
      await store.saveWebhook(newWebhook('wh_2', { secret: null }));
      expect(await store.rotateSecret(ACCOUNT, 'wh_2', 'first', 'r', 50)).toMatchObject({ previous: null });
      expect(await store.rotateSecret(ACCOUNT, 'wh_3', 's', 'r', 50)).toBeNull();
    });
  });

  describe('the outbox', () => {
    it('makes one delivery for each event and active webhook that wants it, with the very text', async () => {
      const store = current();
      await store.saveWebhook(newWebhook('wh_1'));
      await store.saveWebhook(newWebhook('wh_2', { events: ['optimization.completed', 'context.updated'] }));
      await store.saveWebhook(newWebhook('wh_3', { active: false }));
      await store.saveWebhook(newWebhook('wh_4', { accountId: OTHER }));
      await store.createRun(newRun('opt_1'), { owner: 'me', now: 0, leaseUntil: 1000 });
      expect(await store.relayEvents(20, 10)).toBe(0);
      const changed = event('evt_20000000000000001000000000001');
      const completed = event('evt_20000000000000002000000000002', 'optimization.completed', 8);
      await store.saveProgress('opt_1', 1, { progress, events: [changed] });
      await store.finishRun('opt_1', 1, {
        status: 'completed',
        ending: ending(),
        completedAt: 1,
        events: [completed],
      });
      expect(await store.relayEvents(20, 10)).toBe(1);
      expect(await store.relayEvents(21, 10)).toBe(0);
      const all = (await store.listDeliveries(ACCOUNT, 'wh_1', {}, everything)).items;
      expect(all).toStrictEqual(
        [completed, changed].map(({ id, type, createdAt }) => ({
          id: deliveryId({ id, createdAt }, 'wh_1'),
          accountId: ACCOUNT,
          webhookId: 'wh_1',
          runId: 'opt_1',
          eventId: id,
          eventType: type,
          state: 'pending',
          tries: 0,
          attempts: [],
          nextAttemptAt: 20,
          createdAt,
        })),
      );
      expect((await store.listDeliveries(ACCOUNT, 'wh_2', {}, everything)).items).toMatchObject([
        { eventId: completed.id },
      ]);
      expect((await store.listDeliveries(ACCOUNT, 'wh_3', {}, everything)).total).toBe(0);
      expect((await store.listDeliveries(OTHER, 'wh_4', {}, everything)).total).toBe(0);
      expect((await store.claimDelivery(all[0]?.id ?? '', 20, 30))?.body).toBe(completed.body);
    });

    it('hands on what came later, oldest run first, as many runs as it is asked for', async () => {
      const store = current();
      await store.saveWebhook(newWebhook('wh_1'));
      for (const id of ['opt_3', 'opt_1', 'opt_2']) {
        await store.createRun(newRun(id));
        await store.updateMetadata(ACCOUNT, id, {}, event(`evt_${id}_a`));
      }
      expect(await store.relayEvents(1, 2)).toBe(2);
      const events = async (): Promise<string[]> =>
        (await store.listDeliveries(ACCOUNT, 'wh_1', {}, everything)).items.map(({ eventId }) => eventId).sort();
      expect(await events()).toEqual(['evt_opt_1_a', 'evt_opt_2_a']);
      await store.updateMetadata(ACCOUNT, 'opt_1', {}, event('evt_opt_1_b'));
      expect(await store.relayEvents(1, 9)).toBe(2);
      expect(await events()).toEqual(['evt_opt_1_a', 'evt_opt_1_b', 'evt_opt_2_a', 'evt_opt_3_a']);
      // What nobody listens to is done with, too.
      await store.updateWebhook(ACCOUNT, 'wh_1', { active: false });
      await store.updateMetadata(ACCOUNT, 'opt_1', {}, event('evt_opt_1_c'));
      expect(await store.relayEvents(1, 9)).toBe(1);
      await store.updateWebhook(ACCOUNT, 'wh_1', { active: true });
      expect(await store.relayEvents(1, 9)).toBe(0);
      expect(await events()).toHaveLength(4);
    });

    it('loses and doubles nothing where several relays and writers are at it', async () => {
      const store = current();
      const other = (await openAnother()) ?? store;
      await store.saveWebhook(newWebhook('wh_1'));
      const ids = Array.from({ length: 8 }, (_, i) => `opt_${i}`);
      await Promise.all(ids.map((id) => store.createRun(newRun(id))));
      const writing = ids.map(async (id) => {
        for (let i = 0; i < 10; i++) await store.updateMetadata(ACCOUNT, id, { i }, event(`evt_${id}_${i}`));
      });
      let done = false;
      const relaying = [store, other, other].map(async (one) => {
        while (!done) {
          await one.relayEvents(1, 3);
          await nextTurn();
        }
      });
      await Promise.all(writing);
      done = true;
      await Promise.all(relaying);
      await store.relayEvents(1, 99);
      expect((await store.listDeliveries(ACCOUNT, 'wh_1', {}, everything)).total).toBe(80);
      expect(await other.relayEvents(1, 99)).toBe(0);
      if (other !== store) await other.close();
    });

    it('hands on the events of many runs', async () => {
      const store = current();
      await store.saveWebhook(newWebhook('wh_1'));
      const ids = Array.from({ length: 230 }, (_, i) => `opt_${String(i).padStart(4, '0')}`);
      await Promise.all(ids.map((id) => store.createRun(newRun(id))));
      await Promise.all(ids.map((id) => store.updateMetadata(ACCOUNT, id, {}, event(`evt_${id}`))));
      expect(await store.relayEvents(1, 210)).toBe(210);
      expect(await store.relayEvents(1, 210)).toBe(20);
      expect((await store.listDeliveries(ACCOUNT, 'wh_1', {}, everything)).total).toBe(230);
    });
  });

  describe('deliveries', () => {
    it('are due in their order, without those of webhooks that are left out', async () => {
      const store = current();
      await store.saveDelivery(newDelivery('dlv_3', { dueAt: 10 }));
      await store.saveDelivery(newDelivery('dlv_2', { dueAt: 11, webhookId: 'wh_2', runId: 'opt_1' }));
      await store.saveDelivery(newDelivery('dlv_1', { dueAt: 10 }));
      await store.saveDelivery(newDelivery('dlv_1', { dueAt: 5 }));
      expect(await dueIds(9)).toEqual([]);
      expect(await dueIds(11)).toEqual(['dlv_1', 'dlv_3', 'dlv_2']);
      expect(await dueIds(11, [], 2)).toEqual(['dlv_1', 'dlv_3']);
      expect(await store.dueDeliveries(11, ['wh_1'], 9)).toStrictEqual([
        { id: 'dlv_2', webhookId: 'wh_2', runId: 'opt_1' },
      ]);
      expect(await store.nextDueAt([])).toBe(10);
      expect(await store.nextDueAt(['wh_1'])).toBe(11);
      expect(await store.nextDueAt(['wh_1', 'wh_2'])).toBeNull();
    });

    it('go to one claimer until the lease ends, and tell what it takes', async () => {
      const store = current();
      const other = (await openAnother()) ?? store;
      await store.saveWebhook(newWebhook('wh_1'));
      await store.saveDelivery(newDelivery('dlv_1'));
      expect(await store.claimDelivery('dlv_1', 9, 20)).toBeNull();
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? store : other).claimDelivery('dlv_1', 10, 20)),
      );
      const won = claims.filter((claim) => claim !== null);
      expect(won).toMatchObject([
        {
          fence: 1,
          body: '{"text":"ü😀\u2028"}',
          webhook: newWebhook('wh_1'),
          delivery: { state: 'delivering', tries: 0 },
        },
      ]);
      expect(won[0]?.delivery.nextAttemptAt).toBeNull();
      expect(await dueIds(19)).toEqual([]);
      expect(await dueIds(20)).toEqual(['dlv_1']);
      await store.deleteWebhook(ACCOUNT, 'wh_1');
      expect(await store.claimDelivery('dlv_1', 20, 30)).toBeNull();
      await store.saveDelivery(newDelivery('dlv_2'));
      expect(await store.claimDelivery('dlv_2', 20, 30)).toMatchObject({ webhook: null });
      expect(await store.claimDelivery('dlv_404', 20, 30)).toBeNull();
      if (other !== store) await other.close();
    });

    it('keep the log of their attempts, and who lost the claim writes nothing', async () => {
      const store = current();
      await store.saveWebhook(newWebhook('wh_1'));
      await store.saveDelivery(newDelivery('dlv_1'));
      await store.claimDelivery('dlv_1', 10, 20);
      await store.claimDelivery('dlv_1', 20, 30);
      const retry = { state: 'pending', dueAt: 1000 } as const;
      expect(await store.recordAttempt('dlv_1', 1, attempt(10), retry)).toBeNull();
      expect(await store.recordAttempt('dlv_1', 2, attempt(20), retry)).toEqual({ failingSince: 20 });
      expect(await store.recordAttempt('dlv_1', 2, attempt(20), retry)).toBeNull();
      expect(await store.findDelivery(ACCOUNT, 'dlv_1')).toStrictEqual({
        id: 'dlv_1',
        accountId: ACCOUNT,
        webhookId: 'wh_1',
        runId: null,
        eventId: 'evt_1',
        eventType: 'webhook.test',
        state: 'pending',
        tries: 1,
        attempts: [attempt(20)],
        nextAttemptAt: 1000,
        createdAt: 9,
      });
      await store.claimDelivery('dlv_1', 1000, 1030);
      expect(await store.recordAttempt('dlv_1', 3, attempt(1000), { state: 'failed' })).toEqual({ failingSince: 20 });
      expect(await store.findDelivery(ACCOUNT, 'dlv_1')).toMatchObject({
        state: 'failed',
        tries: 2,
        attempts: [{ at: 20 }, { at: 1000 }],
        nextAttemptAt: null,
      });
      expect(await store.nextDueAt([])).toBeNull();
      expect((await store.findWebhook(ACCOUNT, 'wh_1'))?.failingSince).toBe(20);
    });

    it('tell how their webhook fares: a success ends a time of failures', async () => {
      const store = current();
      await store.saveWebhook(newWebhook('wh_1', { failingSince: 3 }));
      for (const id of ['dlv_1', 'dlv_2']) await store.saveDelivery(newDelivery(id));
      await store.claimDelivery('dlv_1', 10, 20);
      const good = attempt(10, { status: 204, responseExcerpt: '' });
      expect(await store.recordAttempt('dlv_1', 1, good, { state: 'succeeded' })).toEqual({ failingSince: null });
      expect((await store.findWebhook(ACCOUNT, 'wh_1'))?.failingSince).toBeNull();
      await store.claimDelivery('dlv_2', 10, 20);
      expect(await store.recordAttempt('dlv_2', 1, null, { state: 'cancelled' })).toEqual({ failingSince: null });
      expect(await store.findDelivery(ACCOUNT, 'dlv_2')).toMatchObject({ state: 'cancelled', tries: 0, attempts: [] });
      const off = { active: false, disabled: { reason: 'failing', at: 9 } } as const;
      await store.updateWebhook(ACCOUNT, 'wh_1', { failingSince: 5 });
      expect(await store.updateWebhook(ACCOUNT, 'wh_1', off, 4)).toBeNull();
      expect(await store.updateWebhook(ACCOUNT, 'wh_1', off, 5)).toMatchObject(off);
    });

    it.each(['switched off', 'deleted'])('of a webhook that is %s are cancelled', async (how) => {
      const store = current();
      await store.saveWebhook(newWebhook('wh_1'));
      for (const id of ['dlv_1', 'dlv_2', 'dlv_3', 'dlv_4']) await store.saveDelivery(newDelivery(id));
      await store.saveDelivery(newDelivery('dlv_5', { webhookId: 'wh_2' }));
      for (const id of ['dlv_1', 'dlv_2', 'dlv_3']) await store.claimDelivery(id, 10, 20);
      await store.recordAttempt('dlv_3', 1, attempt(10), { state: 'failed' });
      if (how === 'deleted') await store.deleteWebhook(ACCOUNT, 'wh_1');
      else await store.updateWebhook(ACCOUNT, 'wh_1', { active: false });
      expect(await states()).toEqual(['cancelled', 'failed', 'cancelled', 'cancelled']);
      expect(await dueIds(99)).toEqual(['dlv_5']);
      // What was under way is told; only a success changes what became of it.
      await store.recordAttempt('dlv_1', 1, attempt(11), { state: 'pending', dueAt: 50 });
      await store.recordAttempt('dlv_2', 1, attempt(11, { status: 200 }), { state: 'succeeded' });
      expect(await states()).toEqual(['cancelled', 'failed', 'succeeded', 'cancelled']);
      expect((await store.findDelivery(ACCOUNT, 'dlv_1'))?.attempts).toHaveLength(1);
      expect(await dueIds(99)).toEqual(['dlv_5']);
    });

    it('are asked for again, one or all that failed since', async () => {
      const store = current();
      await store.saveWebhook(newWebhook('wh_1'));
      const ids = ['dlv_1', 'dlv_2', 'dlv_3', 'dlv_4'];
      for (const [i, id] of ids.entries()) await store.saveDelivery(newDelivery(id, { createdAt: i + 1 }));
      for (const id of ids) await store.claimDelivery(id, 10, 20);
      for (const id of ids.slice(0, 3)) await store.recordAttempt(id, 1, attempt(10), { state: 'failed' });
      expect(await store.redeliver(ACCOUNT, 'dlv_4', 15)).toMatchObject({ state: 'delivering' });
      expect(await store.redeliver(ACCOUNT, 'dlv_1', 15)).toMatchObject({
        state: 'pending',
        nextAttemptAt: 15,
        tries: 0,
        attempts: [{ at: 10 }],
      });
      expect(await store.redeliverFailed(ACCOUNT, 'wh_1', 3, 16)).toBe(1);
      expect(await store.redeliverFailed(ACCOUNT, 'wh_1', 3, 17)).toBe(0);
      expect(await states()).toEqual(['delivering', 'pending', 'failed', 'pending']);
      const own = await store.listDeliveries(ACCOUNT, 'wh_1', {}, everything);
      const ofAll = await store.listDeliveries(ACCOUNT, null, {}, everything);
      expect(ofAll.items.filter(({ webhookId }) => webhookId === 'wh_1')).toStrictEqual(own.items);
      expect((await store.listDeliveries(OTHER, null, {}, everything)).total).toBe(0);
      const filtered = await store.listDeliveries(ACCOUNT, 'wh_1', { state: 'pending' }, { limit: 1, offset: 1 });
      expect([filtered.items.map(({ id }) => id), filtered.total]).toEqual([['dlv_1'], 2]);
      // The attempt that was under way before counts no more.
      expect(await store.claimDelivery('dlv_1', 15, 25)).toMatchObject({ fence: 3 });
      expect(await store.recordAttempt('dlv_1', 1, attempt(1), { state: 'failed' })).toBeNull();
      await store.recordAttempt('dlv_4', 1, attempt(10), { state: 'succeeded' });
      expect(await store.redeliver(ACCOUNT, 'dlv_4', 15)).toMatchObject({ state: 'pending' });
      expect(await store.redeliver(ACCOUNT, 'dlv_404', 15)).toBeNull();
    });

    it('keep the last hundred attempts', async () => {
      const store = current();
      await store.saveDelivery(newDelivery('dlv_1', { dueAt: 0 }));
      for (let i = 1; i <= 103; i++) {
        const claim = await store.claimDelivery('dlv_1', i, i + 1);
        await store.recordAttempt('dlv_1', claim?.fence ?? 0, attempt(i), { state: 'pending', dueAt: i });
      }
      const kept = (await store.findDelivery(ACCOUNT, 'dlv_1'))?.attempts.map(({ at }) => at);
      expect([kept?.length, kept?.[0], kept?.at(-1)]).toEqual([100, 4, 103]);
    });

    it('are claimable at once after the death of an only owner, and removed 30 days after they ended', async () => {
      const store = current();
      for (const id of ['dlv_1', 'dlv_2', 'dlv_3']) await store.saveDelivery(newDelivery(id));
      for (const id of ['dlv_1', 'dlv_2']) await store.claimDelivery(id, 10, 9999);
      expect(await dueIds(11)).toEqual(['dlv_3']);
      expect(await store.expireDeliveries()).toBe(2);
      expect(await dueIds(11)).toEqual(['dlv_1', 'dlv_2', 'dlv_3']);
      await store.recordAttempt('dlv_1', 1, attempt(10), { state: 'failed' });
      await store.removeExpired(9 + 30 * DAY - 1);
      expect(await states()).toHaveLength(3);
      await store.removeExpired(9 + 30 * DAY);
      expect(await store.findDelivery(ACCOUNT, 'dlv_1')).toBeNull();
      expect(await states()).toHaveLength(2);
    });
  });
}
