/** What every store must do with sessions of the dashboard; part of ../store.suite.ts. */
import { beforeEach, describe, expect, it } from 'vitest';
import { SESSION_IDLE_MS, SESSIONS_PER_KEY } from '../../../src/model/dashboard-session.js';
import type { Store } from '../../../src/storage/store.js';

export function sessionSuite(current: () => Store): void {
  describe('sessions of the dashboard', () => {
    let store: Store;
    beforeEach(() => {
      store = current();
    });
    const session = (tokenHash: string, usedAt = 1, publicId = 'p1') => ({ tokenHash, publicId, usedAt });
    const foundOf = async (hashes: readonly string[]): Promise<string[]> => {
      const found = await Promise.all(hashes.map((hash) => store.findSession(hash)));
      return found.flatMap((one) => (one === null ? [] : [one.tokenHash]));
    };

    it('are found until they end, and keep their key and their latest use', async () => {
      await store.saveSession(session('a', 5));
      await store.saveSession(session('a', 9, 'p2'));
      expect(await store.findSession('a')).toStrictEqual(session('a', 5));
      await store.touchSession('a', 8);
      await store.touchSession('a', 7);
      await store.touchSession('b', 7);
      expect(await store.findSession('a')).toStrictEqual(session('a', 8));
      await store.endSession('a');
      await store.endSession('a');
      await store.touchSession('a', 9);
      expect(await foundOf(['a', 'b'])).toEqual([]);
    });

    it('of one key make room: those that were used the longest ago end', async () => {
      const hashes = Array.from({ length: SESSIONS_PER_KEY }, (_, i) => `s${i}`);
      for (const [i, hash] of hashes.entries()) await store.saveSession(session(hash, 100 + i));
      await store.saveSession(session('other', 1, 'p2'));
      await store.touchSession('s0', 1_000);
      // It has not been used for the longest of all, and is the one that was just opened.
      await store.saveSession(session('late', 3));
      expect(await foundOf(['other', 'late', ...hashes])).toEqual([...['other', 'late', 's0'], ...hashes.slice(2)]);
    });

    it('without use are removed', async () => {
      await store.saveSession(session('a', 10));
      await store.saveSession(session('b', 11));
      await store.removeExpired(10 + SESSION_IDLE_MS);
      expect(await foundOf(['a', 'b'])).toEqual(['b']);
    });
  });
}
