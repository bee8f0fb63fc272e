/** What every store must do with counts of requests; part of ../store.suite.ts. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/storage/store.js';

export function countingSuite(current: () => Store): void {
  describe('counts of requests', () => {
    let store: Store;
    beforeEach(() => {
      store = current();
    });

    it('count within a window that begins with its first request', async () => {
      const count = async (key: string, now: number): Promise<unknown> => store.countRequest(key, now, 60);
      expect(await count('a', 10)).toStrictEqual({ count: 1, resetAt: 70 });
      expect(await count('a', 69)).toStrictEqual({ count: 2, resetAt: 70 });
      expect(await count('b', 69)).toStrictEqual({ count: 1, resetAt: 129 });
      expect(await count('a', 70)).toStrictEqual({ count: 1, resetAt: 130 });
      await store.removeExpired(130);
      expect(await count('a', 100)).toStrictEqual({ count: 1, resetAt: 160 });
    });

    it('begin anew where a clock that was ahead is set back', async () => {
      const count = async (now: number): Promise<unknown> => store.countRequest('a', now, 60);
      for (let n = 1; n <= 3; n++) expect(await count(1_000_000)).toMatchObject({ count: n });
      // A little: the window goes on.
      expect(await count(999_990)).toStrictEqual({ count: 4, resetAt: 1_000_060 });
      expect(await count(500)).toStrictEqual({ count: 1, resetAt: 560 });
      expect(await count(501)).toStrictEqual({ count: 2, resetAt: 560 });
    });

    it('lose none of many at a time', async () => {
      const counts = await Promise.all(Array.from({ length: 50 }, () => store.countRequest('a', 5, 60)));
      expect(counts.map(({ count }) => count).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 50 }, (_, i) => i + 1),
      );
    });
  });
}
