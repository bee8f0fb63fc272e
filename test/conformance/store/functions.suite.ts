/** What every store must do with functions; part of ../store.suite.ts. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/storage/store.js';
import { ACCOUNT, OTHER, everything, newFunction, claimAt, newRun } from '../store-samples.js';

export function functionSuite(current: () => Store): void {
  describe('functions', () => {
    let store: Store;
    beforeEach(() => {
      store = current();
    });

    it('gives back what was saved', async () => {
      const record = newFunction('func_1', {
        compilation: { compiled: false, reasons: [{ message: 'eval', line: 2, column: 3 }] },
      });
      await store.saveFunction(record);
      expect(await store.findFunction(ACCOUNT.id, 'func_1')).toStrictEqual(record);
    });

    it('keeps NUL, lone surrogates and emoji in texts', async () => {
      const code = 'x = "\u0000 \ud800 😀"';
      await store.saveFunction(newFunction('func_1', { name: code, source: { code, entry: null, argument: 'list' } }));
      const found = await store.findFunction(ACCOUNT.id, 'func_1');
      expect(found?.name).toBe(code);
      expect(found?.source).toStrictEqual({ code, entry: null, argument: 'list' });
    });

    it("hides another account's functions", async () => {
      await store.saveFunction(newFunction('func_1'));
      expect(await store.findFunction(OTHER.id, 'func_1')).toBeNull();
      expect(await store.deleteFunction(OTHER.id, 'func_1')).toBe(false);
      expect(await store.listFunctions(OTHER.id, everything)).toEqual({ items: [], total: 0 });
      expect(await store.findFunction(ACCOUNT.id, 'func_1')).not.toBeNull();
    });

    it('lists newest first, in windows, with the total of all', async () => {
      for (const id of ['func_2', 'func_1', 'func_4', 'func_3']) await store.saveFunction(newFunction(id));
      const page = await store.listFunctions(ACCOUNT.id, { limit: 2, offset: 1 });
      expect(page.items.map((item) => item.id)).toEqual(['func_3', 'func_2']);
      expect(page.total).toBe(4);
      expect(await store.listFunctions(ACCOUNT.id, { limit: 2, offset: 4 })).toEqual({ items: [], total: 4 });
    });

    it('deletes once; a run of the function keeps its source', async () => {
      const record = newFunction('func_1');
      await store.saveFunction(record);
      await store.saveFunction(newFunction('func_2'));
      await store.createRun(newRun('opt_1', { source: record.source }));
      expect(await store.deleteFunction(ACCOUNT.id, 'func_1')).toBe(true);
      expect(await store.deleteFunction(ACCOUNT.id, 'func_1')).toBe(false);
      expect((await store.findFunction(ACCOUNT.id, 'func_2'))?.source).toStrictEqual(record.source);
      expect(await store.deleteFunction(ACCOUNT.id, 'func_2')).toBe(true);
      expect((await store.claimRun('opt_1', claimAt(1)))?.source).toStrictEqual(record.source);
    });

    it('knows of every function of an account with one text that compiled code misreads it', async () => {
      const misreading = {
        point: [-0, Infinity],
        compiled: [NaN],
        cpython: { type: 'ValueError', message: '\ud800', line: 2 },
        message: 'x',
        evaluation: 3,
      };
      const { sha256 } = newFunction('func_1');
      await store.saveFunction(newFunction('func_1'));
      await store.saveFunction(newFunction('func_2', { sha256: 'f'.repeat(64) }));
      expect(await store.findMisreading(ACCOUNT.id, sha256)).toBeNull();
      const before = await store.countMisreadings();
      await store.saveMisreading(ACCOUNT.id, sha256, misreading);
      await store.saveMisreading(ACCOUNT.id, sha256, { ...misreading, evaluation: 4 });
      expect(await store.findMisreading(ACCOUNT.id, sha256)).toStrictEqual(misreading);
      expect(await store.countMisreadings()).toBe(before + 1);
      expect(await store.findMisreading(OTHER.id, sha256)).toBeNull();
      // Also of one that is uploaded later, from what was found before.
      await store.saveFunction(newFunction('func_3', { misread: { ...misreading, evaluation: 9 } }));
      for (const id of ['func_1', 'func_3']) {
        expect((await store.findFunction(ACCOUNT.id, id))?.misread).toStrictEqual(misreading);
      }
      expect((await store.findFunction(ACCOUNT.id, 'func_2'))?.misread).toBeUndefined();
      const { items } = await store.listFunctions(ACCOUNT.id, everything);
      expect(items.map(({ misread }) => misread?.evaluation)).toEqual([3, undefined, 3]);
      expect(await store.deleteFunction(ACCOUNT.id, 'func_1')).toBe(true);
      expect(await store.findMisreading(ACCOUNT.id, sha256)).toStrictEqual(misreading);
    });

    it('returns copies', async () => {
      await store.saveFunction(newFunction('func_1'));
      const found = await store.findFunction(ACCOUNT.id, 'func_1');
      (found as { name: string }).name = 'changed';
      expect((await store.findFunction(ACCOUNT.id, 'func_1'))?.name).toBe('sphere');
    });

    it('takes copies', async () => {
      const record = newFunction('func_1');
      const saved = store.saveFunction(record);
      (record as { name: string }).name = 'changed';
      await saved;
      expect((await store.findFunction(ACCOUNT.id, 'func_1'))?.name).toBe('sphere');
    });
  });
}
