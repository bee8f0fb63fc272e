/** What every store must do where runs are removed; part of ../store.suite.ts. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { IdempotencyClaim } from '../../../src/model/idempotency.js';
import type { Lesson } from '../../../src/model/learning.js';
import type { RunEvent } from '../../../src/model/run-event.js';
import type { NewRun } from '../../../src/model/run-record.js';
import { encodeTrace } from '../../../src/model/trace-bytes.js';
import { deliveryId } from '../../../src/storage/rules/deliveries.js';
import type { Store } from '../../../src/storage/store.js';
import {
  ACCOUNT,
  claimAt,
  ending,
  everything,
  lesson,
  monitoringRow,
  newRun,
  newWebhook,
  OTHER,
} from '../store-samples.js';

const event: RunEvent = { id: 'evt_00000000000080001', type: 'optimization.completed', createdAt: 8, body: '{"a":1}' };
const taught = (id: string): Lesson => ({
  ...lesson(id),
  found: { shape: 'sphere', direction: 'minimize', solution: [0.25] },
});
const claimOf = (key: string, now = 3): IdempotencyClaim => ({
  accountId: ACCOUNT.id,
  key,
  fingerprint: 'f',
  owner: `owner ${now}`,
  now,
  leaseUntil: 100,
  expiresAt: 1e12,
  seed: 's',
});

export function deletionSuite(current: () => Store): void {
  describe('removal of runs', () => {
    let store: Store;
    beforeEach(() => {
      store = current();
    });

    /** A run with all that a run can leave. */
    const end = async (id: string, completedAt: number, overrides: Partial<NewRun> = {}): Promise<void> => {
      await store.createRun(newRun(id, overrides), claimAt(1));
      await store.saveProgress(id, 1, {
        progress: { evaluations: 1, bestFitness: 1, bestSolution: [1], elapsedSeconds: 1 },
        checkpoint: new Uint8Array(200_000).map((_, i) => i * i),
      });
      const status = completedAt % 2 === 0 ? 'completed' : 'failed';
      await store.finishRun(id, 1, {
        status,
        ending: ending(),
        history: [{ evaluations: 1, bestFitness: 1, elapsedSeconds: 1 }],
        monitoring: encodeTrace({
          intervalSeconds: 1,
          rows: Array.from({ length: 500 }, (_, i) => monitoringRow({ at: i * i })),
        }),
        completedAt,
        events: [event],
        lesson: taught(id),
        extendable: { checkpoint: new Uint8Array(200_000).map((_, i) => i * i * i), until: 1e12 },
      });
    };
    const listed = async (accountId = ACCOUNT.id): Promise<string[]> =>
      (await store.listRuns(accountId, {}, everything)).items.map(({ id }) => id);

    it('takes all of a run that has ended, and nothing of others', async () => {
      await store.saveWebhook(newWebhook('wh_1'));
      await end('opt_1', 10);
      await end('opt_2', 12);
      await store.relayEvents(9, 100);
      const delivery = deliveryId(event, 'wh_1');
      expect(await store.findDelivery(ACCOUNT.id, delivery)).not.toBeNull();
      expect(await store.deleteRuns(ACCOUNT.id, ['opt_1', 'opt_1', 'opt_404'])).toEqual(['opt_1']);
      expect(await store.findRun(ACCOUNT.id, 'opt_1')).toBeNull();
      expect(await store.runHistory(ACCOUNT.id, 'opt_1')).toBeNull();
      expect(await store.runMonitoring(ACCOUNT.id, 'opt_1')).toBeNull();
      expect((await store.runMonitoring(ACCOUNT.id, 'opt_2'))?.rows).toHaveLength(500);
      expect(await store.runEvents(ACCOUNT.id, 'opt_1', 0, 9)).toBeNull();
      expect(await store.runSource(ACCOUNT.id, 'opt_1')).toBeNull();
      expect(await store.runEnd(ACCOUNT.id, 'opt_1', 11)).toBeNull();
      expect(await store.runStates(['opt_1', 'opt_2'])).toMatchObject([{ id: 'opt_2' }]);
      expect(await store.updateMetadata(ACCOUNT.id, 'opt_1', { a: 1 })).toBeNull();
      expect(await store.claimRun('opt_1', claimAt(1e6))).toBeNull();
      expect(await listed()).toEqual(['opt_2']);
      expect((await store.runEnd(ACCOUNT.id, 'opt_2', 11))?.checkpoint).toHaveLength(200_000);
      expect(await store.deleteRuns(ACCOUNT.id, ['opt_1'])).toEqual([]);
      expect(await store.deletedRun(ACCOUNT.id, 'opt_1', 5)).toBe('completed');
      expect(await store.deletedRun(OTHER.id, 'opt_1', 5)).toBeNull();
      expect(await store.deletedRun(ACCOUNT.id, 'opt_2', 5)).toBeNull();
      // Its identifier is never free again.
      await expect(store.createRun(newRun('opt_1'))).rejects.toMatchObject({ code: 'conflict' });
    });

    it('takes deliveries, those under way, too', async () => {
      await store.saveWebhook(newWebhook('wh_1'));
      await end('opt_1', 10);
      await store.relayEvents(9, 100);
      const id = deliveryId(event, 'wh_1');
      const claimed = await store.claimDelivery(id, 9, 50);
      expect(claimed?.body).toBe(event.body);
      await store.deleteRuns(ACCOUNT.id, ['opt_1']);
      expect(await store.findDelivery(ACCOUNT.id, id)).toBeNull();
      expect((await store.listDeliveries(ACCOUNT.id, 'wh_1', {}, everything)).total).toBe(0);
      expect(await store.recordAttempt(id, claimed?.fence ?? 0, null, { state: 'succeeded' })).toBeNull();
      expect(await store.redeliver(ACCOUNT.id, id, 60)).toBeNull();
      expect(await store.nextDueAt([])).toBeNull();
    });

    it('hands on nothing of events that were not handed on', async () => {
      await store.saveWebhook(newWebhook('wh_1'));
      await end('opt_1', 10);
      await store.deleteRuns(ACCOUNT.id, ['opt_1']);
      expect(await store.relayEvents(9, 100)).toBe(0);
    });

    it('leaves runs that have not ended, and those of others', async () => {
      await store.createRun(newRun('opt_1'));
      await store.createRun(newRun('opt_2'), claimAt(1));
      await end('opt_3', 10, { accountId: OTHER.id });
      expect(await store.deleteRuns(ACCOUNT.id, ['opt_1', 'opt_2', 'opt_3'])).toEqual([]);
      expect(await listed()).toEqual(['opt_2', 'opt_1']);
      expect(await listed(OTHER.id)).toEqual(['opt_3']);
    });

    it('goes through once, of several that remove at a time', async () => {
      const ids = Array.from({ length: 20 }, (_, i) => `opt_${10 + i}`);
      for (const id of ids) await end(id, 10);
      const removed = await Promise.all(Array.from({ length: 4 }, () => store.deleteRuns(ACCOUNT.id, ids)));
      expect(removed.flat().sort()).toEqual(ids);
      expect(await listed()).toEqual([]);
    });

    it('chooses by status, end and number, in the order of the ends', async () => {
      for (const [id, at] of [
        ['opt_1', 40],
        ['opt_2', 31],
        ['opt_3', 20],
        ['opt_4', 11],
        ['opt_5', 20],
      ] as const) {
        await end(id, at);
      }
      await store.createRun(newRun('opt_6'));
      await end('opt_7', 10, { accountId: OTHER.id });
      const ended = (filter: object, limit = 9): Promise<readonly string[]> =>
        store.endedRuns(ACCOUNT.id, filter, limit);
      expect(await ended({})).toEqual(['opt_4', 'opt_3', 'opt_5', 'opt_2', 'opt_1']);
      expect(await ended({}, 2)).toEqual(['opt_4', 'opt_3']);
      expect(await ended({ status: 'failed' })).toEqual(['opt_4', 'opt_2']);
      expect(await ended({ endedBefore: 31 })).toEqual(['opt_4', 'opt_3', 'opt_5']);
      expect(await ended({ endedBefore: 31, status: 'completed' })).toEqual(['opt_3', 'opt_5']);
      expect(await ended({ exceptNewest: 3 })).toEqual(['opt_4', 'opt_3']);
      expect(await ended({ exceptNewest: 5 })).toEqual([]);
      expect(await ended({ exceptNewest: 0 }, 1)).toEqual(['opt_4']);
      await store.deleteRuns(ACCOUNT.id, ['opt_4', 'opt_3']);
      expect(await ended({ endedBefore: 31 })).toEqual(['opt_5']);
      expect([...(await store.accountIds())].sort()).toEqual([ACCOUNT.id, OTHER.id]);
    });

    it('leaves what analytics count', async () => {
      await end('opt_1', 10, { createdAt: 100 });
      await end('opt_2', 12, {
        createdAt: 200,
        request: { ...newRun('').request, replayOf: 'opt_1', originId: 'opt_1' },
      });
      await store.addTraffic([{ runId: 'opt_1', bytesIn: 3, bytesOut: 4 }]);
      const sums = async (): Promise<unknown> => {
        const filter = { from: 0, to: 1e6 };
        const fields = ['completed', 'evaluations', 'seconds', 'bytesOut', 'originalCompleted'] as const;
        return [
          await store.runsSpan(ACCOUNT.id),
          await store.tallies(ACCOUNT.id, [0, 3_600_000], fields),
          await store.tallies(ACCOUNT.id, [0, 3_600_000], fields, 'opt_1'),
          await store.tallies(ACCOUNT.id, [0, 3_600_000], fields, 'opt_2'),
          await store.durationsAt(ACCOUNT.id, 2, [0, 1]),
          await store.countByOriginal(ACCOUNT.id, filter, 9),
          (await store.executions(ACCOUNT.id, filter, null, 9)).map(({ id, status, evaluations }) => [
            id,
            status,
            evaluations,
          ]),
        ];
      };
      const before = await sums();
      await store.deleteRuns(ACCOUNT.id, ['opt_1', 'opt_2']);
      await store.addTraffic([{ runId: 'opt_1', bytesIn: 3, bytesOut: 4 }]);
      expect(await sums()).toEqual(before);
      while ((await store.rollUp(1e12, 9)) > 0);
      expect(await sums()).toEqual(before);
      const executions = await store.executions(ACCOUNT.id, { from: 0, to: 1e6 }, null, 9);
      expect(executions.map(({ bestFitness, strategy }) => [bestFitness, strategy])).toEqual([
        [null, null],
        [null, null],
      ]);
      expect(await store.tallies(OTHER.id, [0, 3_600_000], ['completed'])).toEqual([{ completed: 0 }]);
    });

    it('takes the solution out of the lesson, and leaves the lesson', async () => {
      await end('opt_1', 10);
      await end('opt_2', 12);
      expect((await store.learnedState(ACCOUNT.id)).erased).toBe(0);
      await store.deleteRuns(ACCOUNT.id, ['opt_1']);
      const { erased, ...state } = await store.learnedState(ACCOUNT.id);
      expect(state).toEqual({ version: 2, forgotten: 0, changes: 0 });
      expect(erased).toBeGreaterThan(0);
      const { found: _found, ...rest } = taught('opt_1');
      expect((await store.lessons(ACCOUNT.id, 0, 2, 9)).map((one) => one.lesson)).toEqual([
        { ...rest, isRunDeleted: true },
        taught('opt_2'),
      ]);
    });

    it('takes answers to requests along, whenever they are kept', async () => {
      await end('opt_1', 10);
      await end('opt_2', 12);
      for (const [key, runId] of [
        ['of 1', 'opt_1'],
        ['of 2', 'opt_2'],
        ['of none', undefined],
      ] as const) {
        await store.claimRequest(claimOf(key));
        expect(await store.answerRequest(ACCOUNT.id, key, 'owner 3', 'said', runId)).toBe(true);
      }
      await store.claimRequest(claimOf('late'));
      await store.deleteRuns(ACCOUNT.id, ['opt_1']);
      expect(await store.answerRequest(ACCOUNT.id, 'late', 'owner 3', 'said', 'opt_1')).toBe(true);
      const outcome = (key: string) => store.claimRequest(claimOf(key, 4));
      expect(await outcome('of 1')).toEqual({ kind: 'deleted', fingerprint: 'f' });
      expect(await outcome('late')).toEqual({ kind: 'deleted', fingerprint: 'f' });
      expect(await outcome('of 2')).toEqual({ kind: 'answered', fingerprint: 'f', answer: 'said' });
      expect(await outcome('of none')).toMatchObject({ kind: 'answered' });
    });

    it('shows in the batch, which counts as before', async () => {
      const runIds = ['opt_1', 'opt_2', 'opt_3'];
      const runs = runIds.map((id) => newRun(id));
      await store.createBatch({ id: 'batch_1', accountId: ACCOUNT.id, runIds, createdAt: 5 }, runs);
      for (const [id, status, completedAt] of [
        ['opt_1', 'completed', 60],
        ['opt_2', 'failed', 70],
      ] as const) {
        await store.claimRun(id, claimAt(1));
        await store.finishRun(id, 1, { status, ending: ending(), completedAt });
      }
      const before = await store.findBatch(ACCOUNT.id, 'batch_1');
      expect(before?.deletedIds).toEqual([]);
      await store.deleteRuns(ACCOUNT.id, [...runIds].reverse());
      expect(await store.findBatch(ACCOUNT.id, 'batch_1')).toEqual({ ...before, deletedIds: ['opt_1', 'opt_2'] });
      expect((await store.listBatches(ACCOUNT.id, everything)).items[0]?.deletedIds).toEqual(['opt_1', 'opt_2']);
      await store.removeExpired(1e15);
      expect(await store.findBatch(ACCOUNT.id, 'batch_1')).toEqual({ ...before, deletedIds: ['opt_1', 'opt_2'] });
    });

    it('stays removed when what has expired is, too', async () => {
      await end('opt_1', 10);
      await store.deleteRuns(ACCOUNT.id, ['opt_1']);
      for (const now of [0, 1e15, 1e15]) await store.removeExpired(now);
      expect(await store.findRun(ACCOUNT.id, 'opt_1')).toBeNull();
      expect(await store.deletedRun(ACCOUNT.id, 'opt_1', 5)).toBe('completed');
      expect(await store.returnSpace(1e6)).toBe(false);
    });
  });
}
