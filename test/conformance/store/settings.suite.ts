/** What every store must do with settings of accounts; part of ../store.suite.ts. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/storage/store.js';
import { ACCOUNT, OTHER } from '../store-samples.js';

export function settingsSuite(current: () => Store): void {
  describe('settings of an account', () => {
    let store: Store;
    beforeEach(() => {
      store = current();
    });

    it('has none at first, replaces all of them, and keeps accounts apart', async () => {
      expect(await store.accountSettings(ACCOUNT.id)).toStrictEqual({});
      await store.saveAccountSettings(ACCOUNT.id, { preset: 'minimal', maxEvaluations: 7 });
      await store.saveAccountSettings(ACCOUNT.id, { mode: 'fast', timeoutSeconds: 0.5 });
      expect(await store.accountSettings(ACCOUNT.id)).toStrictEqual({ mode: 'fast', timeoutSeconds: 0.5 });
      expect(await store.accountSettings(OTHER.id)).toStrictEqual({});
    });
  });
}
