/** What every store must do with the lessons of runs; part of store.suite.ts. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/storage/store.js';
import { ending, lesson, newRun } from './store-samples.js';

const ALL = [0, 1_000, 1_000] as const;

export function learningSuite(current: () => Store, openAnother: () => Promise<Store | null>): void {
  const teach = async (store: Store, id: string, accountId = 'acct_1'): Promise<boolean> => {
    await store.createRun(newRun(id, { accountId }), { owner: 'me', now: 1, leaseUntil: 1_000 });
    return ends(store, id, 1);
  };
  const ends = async (store: Store, id: string, attempt: number): Promise<boolean> => {
    const finish = { status: 'completed' as const, ending: ending(), completedAt: 9, lesson: lesson(id) };
    return (await store.finishRun(id, attempt, finish)) !== null;
  };
  const learned = async (store: Store, accountId = 'acct_1'): Promise<[number, string][]> =>
    (await store.lessons(accountId, ...ALL)).map(({ version, lesson: { runId } }) => [version, runId]);

  describe('lessons', () => {
    it('are numbered from 1 on, oldest first, for each account alone', async () => {
      const store = current();
      expect(await store.learnedState('acct_1')).toEqual({ version: 0, forgotten: 0 });
      for (const id of ['opt_1', 'opt_2', 'opt_3']) await teach(store, id);
      await teach(store, 'opt_4', 'acct_2');
      expect(await store.learnedState('acct_1')).toEqual({ version: 3, forgotten: 0 });
      expect(await learned(store)).toEqual([
        [1, 'opt_1'],
        [2, 'opt_2'],
        [3, 'opt_3'],
      ]);
      expect(await learned(store, 'acct_2')).toEqual([[1, 'opt_4']]);
      expect((await store.lessons('acct_1', 1, 3, 1)).map(({ version }) => version)).toEqual([3]);
      expect((await store.lessons('acct_1', 0, 2, 9)).map(({ version }) => version)).toEqual([1, 2]);
      expect((await store.lessons('acct_1', 2, 2, 9)).length).toBe(0);
      expect((await store.lessons('acct_1', 0, 1, 9))[0]?.lesson).toEqual(lesson('opt_1'));
    });

    it('come with the end of a run, once, and not where that is refused', async () => {
      const store = current();
      expect(await teach(store, 'opt_1')).toBe(true);
      expect(await ends(store, 'opt_1', 1)).toBe(false);
      await store.createRun(newRun('opt_2'), { owner: 'me', now: 1, leaseUntil: 1_000 });
      expect(await ends(store, 'opt_2', 7)).toBe(false);
      expect(await learned(store)).toEqual([[1, 'opt_1']]);
    });

    it('are forgotten, and the versions go on', async () => {
      const store = current();
      await store.forgetLessons('acct_1');
      expect(await store.learnedState('acct_1')).toEqual({ version: 0, forgotten: 0 });
      for (const id of ['opt_1', 'opt_2']) await teach(store, id);
      await teach(store, 'opt_3', 'acct_2');
      for (let again = 0; again < 2; again++) {
        await store.forgetLessons('acct_1');
        expect(await store.learnedState('acct_1')).toEqual({ version: 0, forgotten: 2 });
        expect(await learned(store)).toEqual([]);
      }
      expect(await learned(store, 'acct_2')).toEqual([[1, 'opt_3']]);
      await teach(store, 'opt_4');
      expect(await store.learnedState('acct_1')).toEqual({ version: 3, forgotten: 2 });
      expect(await learned(store)).toEqual([[3, 'opt_4']]);
    });

    it('of runs that end at once, in two processes too, lose none and leave no gap', async () => {
      const store = current();
      const another = (await openAnother()) ?? store;
      try {
        const ids = Array.from({ length: 24 }, (_, k) => `opt_${100 + k}`);
        await Promise.all(ids.map((id, k) => teach(k % 2 === 0 ? store : another, id)));
        const all = await learned(store);
        expect(all.map(([version]) => version)).toEqual(ids.map((_, k) => k + 1));
        expect(all.map(([, id]) => id).sort()).toEqual(ids);
      } finally {
        if (another !== store) await another.close();
      }
    });
  });
}
