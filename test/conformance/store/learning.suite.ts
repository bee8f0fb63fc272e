/** What every store must do with the lessons of runs; part of ../store.suite.ts. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/storage/store.js';
import { ending, federatedChange, lesson, newRun } from '../store-samples.js';

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
      expect(await store.learnedState('acct_1')).toEqual({ version: 0, forgotten: 0, changes: 0, erased: 0 });
      for (const id of ['opt_1', 'opt_2', 'opt_3']) await teach(store, id);
      await teach(store, 'opt_4', 'acct_2');
      expect(await store.learnedState('acct_1')).toEqual({ version: 3, forgotten: 0, changes: 0, erased: 0 });
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
      expect(await store.learnedState('acct_1')).toEqual({ version: 0, forgotten: 0, changes: 0, erased: 0 });
      for (const id of ['opt_1', 'opt_2']) await teach(store, id);
      await teach(store, 'opt_3', 'acct_2');
      for (let again = 0; again < 2; again++) {
        await store.forgetLessons('acct_1');
        expect(await store.learnedState('acct_1')).toEqual({ version: 0, forgotten: 2, changes: 0, erased: 0 });
        expect(await learned(store)).toEqual([]);
      }
      expect(await learned(store, 'acct_2')).toEqual([[1, 'opt_3']]);
      await teach(store, 'opt_4');
      expect(await store.learnedState('acct_1')).toEqual({ version: 3, forgotten: 2, changes: 0, erased: 0 });
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

  describe('federated changes', () => {
    const add = (store: Store, serial: number, accountId = 'acct_1', id = `fed_${serial}`): Promise<number | null> =>
      store.appendFederatedChange(accountId, serial, federatedChange(id));
    const serials = async (store: Store, after = 0, accountId = 'acct_1'): Promise<[number, number, string][]> =>
      (await store.federatedChanges(accountId, after)).map(({ serial, version, change }) => [
        serial,
        version,
        change.id,
      ]);

    it('are numbered with the lessons, and come back as they were', async () => {
      const store = current();
      expect(await serials(store)).toEqual([]);
      await teach(store, 'opt_1');
      expect(await add(store, 1)).toBe(2);
      await teach(store, 'opt_2');
      expect(await add(store, 2)).toBe(4);
      expect(await add(store, 1, 'acct_2', 'fed_9')).toBe(1);
      expect(await learned(store)).toEqual([
        [1, 'opt_1'],
        [3, 'opt_2'],
      ]);
      expect((await store.lessons('acct_1', 0, 4, 1)).map(({ version }) => version)).toEqual([3]);
      expect(await store.learnedState('acct_1')).toEqual({ version: 4, forgotten: 0, changes: 2, erased: 0 });
      expect(await serials(store)).toEqual([
        [1, 2, 'fed_1'],
        [2, 4, 'fed_2'],
      ]);
      expect(await serials(store, 1)).toEqual([[2, 4, 'fed_2']]);
      expect(await serials(store, 0, 'acct_2')).toEqual([[1, 1, 'fed_9']]);
      expect((await store.federatedChanges('acct_1', 0))[0].change).toEqual(federatedChange('fed_1'));
    });

    it('have a serial once; the same change again is the one that is there', async () => {
      const store = current();
      expect(await add(store, 1)).toBe(1);
      expect(await add(store, 1)).toBe(1);
      expect(await add(store, 1, 'acct_1', 'fed_other')).toBeNull();
      expect(await add(store, 3)).toBeNull();
      expect(await store.learnedState('acct_1')).toEqual({ version: 1, forgotten: 0, changes: 1, erased: 0 });
      expect(await serials(store)).toEqual([[1, 1, 'fed_1']]);
    });

    it('outlive the lessons that are forgotten', async () => {
      const store = current();
      await teach(store, 'opt_1');
      await add(store, 1);
      await teach(store, 'opt_2');
      await add(store, 2);
      await store.forgetLessons('acct_1');
      expect(await learned(store)).toEqual([]);
      expect(await store.learnedState('acct_1')).toEqual({ version: 0, forgotten: 4, changes: 2, erased: 0 });
      expect(await add(store, 3)).toBe(5);
      await teach(store, 'opt_3');
      expect(await learned(store)).toEqual([[6, 'opt_3']]);
      expect(await serials(store)).toEqual([
        [1, 2, 'fed_1'],
        [2, 4, 'fed_2'],
        [3, 5, 'fed_3'],
      ]);
      expect(await store.learnedState('acct_1')).toEqual({ version: 6, forgotten: 4, changes: 3, erased: 0 });
    });

    it('that are added at once, among lessons, in two processes too, are added by one each', async () => {
      const store = current();
      const another = (await openAnother()) ?? store;
      try {
        const ids = Array.from({ length: 8 }, (_, k) => `opt_${300 + k}`);
        const rivals = await Promise.all([
          ...Array.from({ length: 6 }, (_, k) => add(k % 2 === 0 ? store : another, 1, 'acct_1', `fed_r${k}`)),
          ...ids.map((id, k) => teach(k % 2 === 0 ? store : another, id).then(() => null)),
        ]);
        const [won, ...more] = rivals.filter((version) => version !== null);
        expect(more).toEqual([]);
        expect((await serials(store)).map(([serial, version]) => [serial, version])).toEqual([[1, won]]);
        const versions = [...(await learned(store)).map(([version]) => version), won].sort((a, b) => a - b);
        expect(versions).toEqual(Array.from({ length: 9 }, (_, k) => k + 1));
      } finally {
        if (another !== store) await another.close();
      }
    });
  });
}
