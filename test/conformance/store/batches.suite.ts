/** What every store must do with batches; part of ../store.suite.ts. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { BatchRecord } from '../../../src/model/batch.js';
import type { Store } from '../../../src/storage/store.js';
import { ACCOUNT, OTHER, everything, claimAt, ending, newRun } from '../store-samples.js';

export function batchSuite(current: () => Store): void {
  describe('batches', () => {
    let store: Store;
    beforeEach(() => {
      store = current();
    });
    const claimable = async (now: number, limit: number): Promise<string[]> =>
      (await store.claimableRuns(now, limit)).map(({ id }) => id);

    const batch = (id: string, runIds: string[], accountId = ACCOUNT.id): BatchRecord => ({
      id,
      accountId,
      runIds,
      createdAt: 5,
    });

    it('are stored with all of their runs, which can be claimed', async () => {
      const runIds = ['opt_2', 'opt_1', 'opt_3'];
      await store.createBatch(
        batch('batch_1', runIds),
        runIds.map((id) => newRun(id)),
      );
      const found = await store.findBatch(ACCOUNT.id, 'batch_1');
      const counts = { pending: 3, running: 0, completed: 0, failed: 0 };
      expect(found).toStrictEqual({ batch: batch('batch_1', runIds), counts, lastEndedAt: null, deletedIds: [] });
      expect(await claimable(0, 9)).toEqual([...runIds].sort());
      expect(await store.findRun(ACCOUNT.id, 'opt_1')).toMatchObject({ status: 'pending', accountId: ACCOUNT.id });
      expect(await store.findBatch(OTHER.id, 'batch_1')).toBeNull();
      await store.claimRun('opt_1', claimAt(1));
      for (const [id, status, completedAt] of [
        ['opt_2', 'failed', 70],
        ['opt_1', 'completed', 60],
      ] as const) {
        await store.finishRun(id, id === 'opt_1' ? 1 : 0, { status, ending: ending(), completedAt });
      }
      await store.claimRun('opt_3', claimAt(1));
      expect(await store.findBatch(ACCOUNT.id, 'batch_1')).toMatchObject({
        counts: { pending: 0, running: 1, completed: 1, failed: 1 },
        lastEndedAt: 70,
      });
      await store.removeExpired(1e15);
      expect((await store.listRuns(ACCOUNT.id, {}, everything)).total).toBe(3);
    });

    it('exist once', async () => {
      await store.createBatch(batch('batch_1', ['opt_1']), [newRun('opt_1')]);
      const again = store.createBatch(batch('batch_1', ['opt_1']), [newRun('opt_1', { metadata: { a: 1 } })]);
      await expect(again).rejects.toMatchObject({ code: 'conflict' });
      expect((await store.findRun(ACCOUNT.id, 'opt_1'))?.metadata).toEqual({});
    });

    it('are listed newest first, for their account', async () => {
      for (const n of [1, 3, 2]) await store.createBatch(batch(`batch_${n}`, [`opt_${n}`]), [newRun(`opt_${n}`)]);
      const other = newRun('opt_4', { accountId: OTHER.id });
      await store.createBatch(batch('batch_4', ['opt_4'], OTHER.id), [other]);
      const page = await store.listBatches(ACCOUNT.id, { limit: 2, offset: 1 });
      expect(page.items.map(({ batch: { id }, counts }) => [id, counts.pending])).toEqual([
        ['batch_2', 1],
        ['batch_1', 1],
      ]);
      expect(page.total).toBe(3);
    });

    it('of a thousand runs are stored', async () => {
      const runIds = Array.from({ length: 1000 }, (_, i) => `opt_${String(i).padStart(4, '0')}`);
      await store.createBatch(
        batch('batch_1', runIds),
        runIds.map((id) => newRun(id)),
      );
      expect((await store.findBatch(ACCOUNT.id, 'batch_1'))?.counts.pending).toBe(1000);
    });
  });
}
