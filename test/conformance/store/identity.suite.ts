/** What every store must do with accounts and keys; part of ../store.suite.ts. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/storage/store.js';
import { ACCOUNT, OTHER, newKey } from '../store-samples.js';

export function identitySuite(current: () => Store): void {
  describe('accounts and keys', () => {
    let store: Store;
    beforeEach(() => {
      store = current();
    });

    it('keeps the first account of a name', async () => {
      expect(await store.ensureAccount({ id: 'acct_9', name: 'one', createdAt: 9 })).toEqual(ACCOUNT);
    });

    it('finds a key by its public id, with its account', async () => {
      await store.saveKey(newKey('p1', { expiresAt: 77 }));
      expect(await store.findKey('p1')).toStrictEqual({ key: newKey('p1', { expiresAt: 77 }), account: ACCOUNT });
      expect(await store.findKey('p2')).toBeNull();
    });

    it('refuses a public id that is taken', async () => {
      await store.saveKey(newKey('p1'));
      await expect(store.saveKey(newKey('p1', { id: 'key_other' }))).rejects.toMatchObject({ code: 'conflict' });
    });

    it('stores a first key only where there is none, under the account of that name', async () => {
      const candidate = { id: 'acct_new', name: 'one', createdAt: 4 };
      expect(await store.saveFirstKey(candidate, newKey('p1', { accountId: 'acct_new' }))).toBe(true);
      expect((await store.findKey('p1'))?.key.accountId).toBe(ACCOUNT.id);
      expect(await store.saveFirstKey(candidate, newKey('p2'))).toBe(false);
      expect(await store.findKey('p2')).toBeNull();
    });

    it('lets one of several first keys through', async () => {
      const stored = await Promise.all(
        ['p1', 'p2', 'p3', 'p4'].map((publicId) => store.saveFirstKey(ACCOUNT, newKey(publicId))),
      );
      expect(stored.filter((made) => made)).toHaveLength(1);
    });

    it('keeps one secret', async () => {
      const [first, second] = await Promise.all([store.keySecret(), store.keySecret()]);
      expect(first).toHaveLength(32);
      expect(second).toEqual(first);
      await store.saveKey(newKey('p1'));
      await expect(store.newKeySecret(9)).rejects.toMatchObject({ code: 'conflict' });
      expect(await store.keySecret()).toEqual(first);
      expect(await store.findKey('p1')).toMatchObject({ key: { revokedAt: null } });
    });

    it('remembers the last use', async () => {
      await store.saveKey(newKey('p1'));
      await store.touchKey('key_p1', 1234);
      expect((await store.findKey('p1'))?.key.lastUsedAt).toBe(1234);
    });
  });

  describe('lists of keys', () => {
    let store: Store;
    beforeEach(() => {
      store = current();
    });

    it('lists the keys of an account newest first, without revoked ones', async () => {
      for (const publicId of ['p2', 'p1', 'p3']) await store.saveKey(newKey(publicId));
      await store.saveKey(newKey('p4', { accountId: OTHER.id }));
      expect(await store.revokeKey(ACCOUNT.id, 'key_p2', 9)).toBe(true);
      const page = await store.listKeys(ACCOUNT.id, { limit: 1, offset: 1 });
      expect(page).toStrictEqual({ items: [newKey('p1')], total: 2 });
      expect(await store.findKeyById(ACCOUNT.id, 'key_p1')).toStrictEqual(newKey('p1'));
      expect(await store.findKeyById(ACCOUNT.id, 'key_p2')).toBeNull();
      expect(await store.findKeyById(OTHER.id, 'key_p1')).toBeNull();
    });

    it('revokes once, and only for the account', async () => {
      await store.saveKey(newKey('p1'));
      expect(await store.revokeKey(OTHER.id, 'key_p1', 8)).toBe(false);
      expect(await store.revokeKey(ACCOUNT.id, 'key_p1', 9)).toBe(true);
      expect(await store.revokeKey(ACCOUNT.id, 'key_p1', 10)).toBe(false);
      expect((await store.findKey('p1'))?.key).toStrictEqual(newKey('p1', { revokedAt: 9 }));
      expect(await store.limitKey(ACCOUNT.id, 'key_p1', 11)).toBe(false);
    });

    it('only ever shortens the life of a key', async () => {
      await store.saveKey(newKey('p1'));
      expect(await store.limitKey(OTHER.id, 'key_p1', 1)).toBe(false);
      for (const [at, expected] of [
        [50, 50],
        [70, 50],
        [30, 30],
      ] as const) {
        expect(await store.limitKey(ACCOUNT.id, 'key_p1', at)).toBe(true);
        expect((await store.findKey('p1'))?.key.expiresAt).toBe(expected);
      }
    });

    it('forgets keys a month after their end, but never the oldest: without it a start would make a first key', async () => {
      const month = 30 * 86_400_000;
      await store.saveKey(newKey('p1', { expiresAt: 1 }));
      await store.saveKey(newKey('p2', { expiresAt: 1_000 }));
      await store.saveKey(newKey('p3'));
      await store.revokeKey(ACCOUNT.id, 'key_p3', 2_000);
      await store.saveKey(newKey('p4'));
      const left = async (now: number): Promise<string[]> => {
        await store.removeExpired(now);
        const found = await Promise.all(['p1', 'p2', 'p3', 'p4'].map((publicId) => store.findKey(publicId)));
        return found.flatMap((one) => one?.key.publicId ?? []);
      };
      expect(await left(month + 999)).toEqual(['p1', 'p2', 'p3', 'p4']);
      expect(await left(month + 1_000)).toEqual(['p1', 'p3', 'p4']);
      expect(await left(month + 2_000)).toEqual(['p1', 'p4']);
      expect(await store.saveFirstKey(ACCOUNT, newKey('p5'))).toBe(false);
    });

    it('finds an account by its name', async () => {
      expect(await store.findAccount('one')).toStrictEqual(ACCOUNT);
      expect(await store.findAccount('nobody')).toBeNull();
    });
  });
}
