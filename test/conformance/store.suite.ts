/**
 * What every store must do. An implementation adds one entry to `implementations` in store.test.ts. Expectations hang
 * on capabilities, never on the name of an implementation.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openMemoryStore } from '../../src/storage/memory/memory-store.js';
import type { Store } from '../../src/storage/store.js';
import { ACCOUNTS, answerOf, sequences } from './store-model.js';
import { ACCOUNT, claimAt, newDelivery, newFunction, newKey, newRun, newWebhook, OTHER } from './store-samples.js';
import { analyticsSuite } from './store/analytics.suite.js';
import { batchSuite } from './store/batches.suite.js';
import { conversationSuite } from './store/conversations.suite.js';
import { countingSuite } from './store/counting.suite.js';
import { deletionSuite } from './store/deletion.suite.js';
import { executionsSuite } from './store/executions.suite.js';
import { functionSuite } from './store/functions.suite.js';
import { idempotencySuite } from './store/idempotency.suite.js';
import { identitySuite } from './store/identity.suite.js';
import { learningSuite } from './store/learning.suite.js';
import { runSuite } from './store/runs.suite.js';
import { sessionSuite } from './store/sessions.suite.js';
import { settingsSuite } from './store/settings.suite.js';
import { studySuite } from './store/studies.suite.js';
import { webhookSuite } from './store/webhooks.suite.js';

/** More draws under load: EXTREMUM_STORE_DRAWS=10. */
const FACTOR = Number(process.env['EXTREMUM_STORE_DRAWS'] ?? 1);
const SEQUENCES = 60;
const ROUNDS = 20;
const RUNS = 250;

export interface StoreUnderTest {
  /** Opens the store; a second call, after the first store was closed, opens the same data where it is durable. */
  open(): Promise<Store>;
  /** A second writer on the data of the open store, which is closed by the caller. Absent: there can be none. */
  openAnother?(): Promise<Store>;
  /** Removes what was made. */
  cleanUp(): Promise<void>;
}

export interface StoreSuiteSettings {
  /**
   * Of the draws under load: less than all where a verb, or opening, takes milliseconds. `EXTREMUM_STORE_DRAWS` makes
   * up for it.
   */
  readonly share?: number;
}

export function storeSuite(name: string, make: () => StoreUnderTest, { share = 1 }: StoreSuiteSettings = {}): void {
  const rounds = Math.ceil(ROUNDS * share * FACTOR);
  const updates = 2 * RUNS * rounds;
  describe(`store: ${name}`, () => {
    let under: StoreUnderTest;
    let store: Store;

    beforeEach(async () => {
      under = make();
      store = await under.open();
      await store.ensureAccount(ACCOUNT);
      await store.ensureAccount(OTHER);
    });
    afterEach(async () => {
      await store.close();
      await under.cleanUp();
    });

    describe('under load', () => {
      it(
        `has exactly one winner of each pair of ${updates} conditional updates by two writers`,
        async () => {
          const other = (await under.openAnother?.()) ?? store;
          const ids = Array.from({ length: RUNS }, (_, i) => `opt_${String(i).padStart(4, '0')}`);
          await Promise.all(ids.map((id) => store.createRun(newRun(id))));
          const wins = [0, 0];
          for (let round = 1; round <= rounds; round++) {
            await Promise.all(
              ids.map(async (id) => {
                const claims = await Promise.all([
                  store.claimRun(id, claimAt(round, 'a')),
                  other.claimRun(id, claimAt(round, 'b')),
                ]);
                const won = claims.map((claim) => claim?.run.attempt);
                expect([...won].sort(), `${id}, round ${round}`).toEqual([round, undefined]);
                const winner = won[0] === undefined ? 1 : 0;
                wins[winner] = (wins[winner] ?? 0) + 1;
                const loser = winner === 0 ? other : store;
                expect(await loser.releaseRun(id, round, 'returned')).toBe(true);
              }),
            );
          }
          expect(wins[0] + wins[1]).toBe(RUNS * rounds);
          const page = await store.listRuns(ACCOUNT.id, {}, { limit: RUNS, offset: 0 });
          expect(page.items.every((run) => run.attempt === rounds && run.losses === 0)).toBe(true);
          if (other !== store) await other.close();
        },
        120_000 * FACTOR,
      );

      it(
        'answers random sequences of verbs as the store in memory does',
        async () => {
          const reset = async (): Promise<void> => {
            await store.close();
            await under.cleanUp();
            under = make();
            store = await under.open();
          };
          await fc.assert(
            fc.asyncProperty(sequences, async (steps) => {
              await reset();
              const model = openMemoryStore();
              for (const account of ACCOUNTS) for (const one of [store, model]) await one.ensureAccount(account);
              for (const step of steps) {
                const [actual, expected] = [await answerOf(step, store), await answerOf(step, model)];
                // Not `toStrictEqual`, which takes a key `constructor` for the class.
                assert.deepStrictEqual({ step: step.text, ...actual }, { step: step.text, ...expected });
              }
            }),
            {
              numRuns: Math.ceil(SEQUENCES * share * FACTOR),
              seed: Number(process.env['EXTREMUM_PROPERTY_SEED'] ?? 4711),
            },
          );
        },
        120_000 * FACTOR,
      );
    });

    describe('identifiers that exist already', () => {
      it('are refused for runs and keys, and change nothing for functions', async () => {
        await store.createRun(newRun('opt_1'), claimAt(0));
        const again = newRun('opt_1', { metadata: { a: 1 } });
        await expect(store.createRun(again)).rejects.toMatchObject({ code: 'conflict' });
        await expect(store.createRun(again, claimAt(5))).rejects.toMatchObject({ code: 'conflict' });
        expect(await store.findRun(ACCOUNT.id, 'opt_1')).toMatchObject({ metadata: {}, status: 'running' });
        await store.saveKey(newKey('p1'));
        await expect(store.saveKey(newKey('p2', { id: 'key_p1' }))).rejects.toMatchObject({ code: 'conflict' });
        expect(await store.findKey('p2')).toBeNull();
        await store.saveFunction(newFunction('func_1'));
        await store.saveFunction(newFunction('func_1', { name: 'other' }));
        expect((await store.findFunction(ACCOUNT.id, 'func_1'))?.name).toBe('sphere');
      });
    });

    describe('times that a clock has left far ahead', () => {
      const DAY = 86_400_000;
      const YEAR = 365 * DAY;
      const claim = (key: string, now: number) => ({
        ...{ accountId: ACCOUNT.id, key, fingerprint: 'f', owner: `${key} ${now}`, now },
        ...{ leaseUntil: now + 1_000, expiresAt: now + DAY, seed: 's' },
      });
      const bringBack = (): Promise<boolean> => store.bringBackTimes(2_000, 1_000);

      it('are leases of runs: they are over', async () => {
        await store.createRun(newRun('opt_1'), { owner: 'dead', now: YEAR, leaseUntil: YEAR + 1_000 });
        await store.createRun(newRun('opt_2'), { owner: 'alive', now: 2_500, leaseUntil: 3_500 });
        await store.createRun(newRun('opt_3'));
        expect(await bringBack()).toBe(true);
        expect(await bringBack()).toBe(false);
        expect(await store.claimableRuns(2_000, 9)).toMatchObject([
          { id: 'opt_1', isLost: true },
          { id: 'opt_3', isLost: false },
        ]);
        expect((await store.claimRun('opt_1', claimAt(2_000)))?.run).toMatchObject({ losses: 1, attempt: 2 });
        expect(await store.claimRun('opt_2', claimAt(2_000))).toBeNull();
      });

      it('are those of requests: the dead have none, and answers are kept for a day', async () => {
        await store.claimRequest(claim('dead', YEAR));
        await store.claimRequest(claim('done', YEAR));
        await store.answerRequest(ACCOUNT.id, 'done', `done ${YEAR}`, 'answer');
        await store.claimRequest(claim('alive', 2_500));
        expect(await store.claimRequest(claim('dead', 2_000))).toMatchObject({ kind: 'working' });
        expect(await bringBack()).toBe(true);
        expect(await bringBack()).toBe(false);
        expect(await store.claimRequest(claim('dead', 2_000))).toMatchObject({ kind: 'claimed' });
        expect(await store.claimRequest(claim('alive', 2_600))).toMatchObject({ kind: 'working' });
        expect(await store.claimRequest(claim('done', 2_000))).toMatchObject({ kind: 'answered' });
        await store.removeExpired(2 * DAY);
        expect(await store.claimRequest(claim('done', 2 * DAY))).toMatchObject({ kind: 'claimed' });
      });

      it('are those of deliveries: they are due', async () => {
        await store.saveWebhook(newWebhook('wh_1'));
        for (const [id, dueAt] of [
          ['dlv_1', YEAR],
          ['dlv_2', YEAR],
          ['dlv_3', 2_000 + DAY],
          ['dlv_4', 0],
        ] as const) {
          await store.saveDelivery(newDelivery(id, { dueAt }));
        }
        await store.claimDelivery('dlv_2', YEAR, YEAR + 30_000);
        await store.claimDelivery('dlv_4', 2_000, 30_000);
        expect(await bringBack()).toBe(true);
        expect(await bringBack()).toBe(false);
        expect((await store.dueDeliveries(2_000, [], 9)).map(({ id }) => id)).toEqual(['dlv_1', 'dlv_2']);
        expect((await store.claimDelivery('dlv_2', 2_000, 9_000))?.fence).toBe(2);
      });
    });

    const current = (): Store => store;
    const openAnother = async (): Promise<Store | null> => (await under.openAnother?.()) ?? null;
    functionSuite(current);
    runSuite(current, openAnother);
    batchSuite(current);
    identitySuite(current);
    sessionSuite(current);
    settingsSuite(current);
    learningSuite(current, openAnother);
    idempotencySuite(current);
    countingSuite(current);
    webhookSuite(current, openAnother);
    analyticsSuite(current, openAnother);
    executionsSuite(current);
    studySuite(current, openAnother);
    conversationSuite(current, openAnother);
    deletionSuite(current);

    describe('life', () => {
      it('answers a ping, and rejects every verb once closed', async () => {
        await store.ping();
        await store.close();
        await expect(store.ping()).rejects.toMatchObject({ code: 'store_unavailable' });
        await expect(store.findRun(ACCOUNT.id, 'opt_1')).rejects.toMatchObject({ code: 'store_unavailable' });
        await expect(store.createRun(newRun('opt_1'))).rejects.toMatchObject({ code: 'store_unavailable' });
      });

      it('finds everything again after it was closed, where it is durable', async ({ skip }) => {
        if (!store.capabilities.durable) skip('not durable');
        await store.saveFunction(newFunction('func_1'));
        await store.createRun(newRun('opt_1'), claimAt(0));
        await store.saveKey(newKey('p1'));
        const before = await store.findRun(ACCOUNT.id, 'opt_1');
        await store.close();
        store = await under.open();
        expect(await store.findRun(ACCOUNT.id, 'opt_1')).toStrictEqual(before);
        expect(await store.findFunction(ACCOUNT.id, 'func_1')).toStrictEqual(newFunction('func_1'));
        expect(await store.findKey('p1')).not.toBeNull();
      });
    });
  });
}
