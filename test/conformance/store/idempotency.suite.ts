/** What every store must do with requests that may be sent again; part of ../store.suite.ts. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { IdempotencyClaim } from '../../../src/model/idempotency.js';
import type { Store } from '../../../src/storage/store.js';
import { ACCOUNT, OTHER } from '../store-samples.js';

export function idempotencySuite(current: () => Store): void {
  describe('requests that may be sent again', () => {
    let store: Store;
    beforeEach(() => {
      store = current();
    });

    const claim = (owner: string, overrides: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
      accountId: ACCOUNT.id,
      key: 'k 1',
      fingerprint: 'f',
      owner,
      now: 100,
      leaseUntil: 200,
      expiresAt: 1000,
      seed: `seed of ${owner}`,
      ...overrides,
    });
    const request = [ACCOUNT.id, 'k 1'] as const;

    it('go to one attempt, whose answer every later one gets', async () => {
      const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => store.claimRequest(claim(`o${i}`))));
      const won = outcomes.findIndex(({ kind }) => kind === 'claimed');
      expect(outcomes[won]).toStrictEqual({ kind: 'claimed', seed: `seed of o${won}`, claimedAt: 100 });
      expect(outcomes.filter(({ kind }) => kind === 'working')).toHaveLength(19);
      const answer = 'text \u0000 \ud800'.repeat(500);
      expect(await store.answerRequest(...request, 'somebody', 'x')).toBe(false);
      expect(await store.answerRequest(...request, `o${won}`, answer)).toBe(true);
      expect(await store.answerRequest(...request, `o${won}`, 'other')).toBe(false);
      expect(await store.forgetRequest(...request, `o${won}`)).toBe(false);
      const later = await store.claimRequest(claim('later', { fingerprint: 'g', now: 999 }));
      expect(later).toStrictEqual({ kind: 'answered', fingerprint: 'f', answer });
    });

    it('are taken over with the first seed once the lease has run out', async () => {
      await store.claimRequest(claim('a'));
      expect(await store.renewRequest(...request, 'a', 300)).toBe(true);
      expect(await store.claimRequest(claim('b', { now: 299 }))).toStrictEqual({ kind: 'working', fingerprint: 'f' });
      const other = await store.claimRequest(claim('b', { now: 300, fingerprint: 'g' }));
      expect(other).toStrictEqual({ kind: 'working', fingerprint: 'f' });
      const taken = await store.claimRequest(claim('b', { now: 300, leaseUntil: 400 }));
      expect(taken).toStrictEqual({ kind: 'claimed', seed: 'seed of a', claimedAt: 100 });
      expect(await store.answerRequest(...request, 'a', 'late')).toBe(false);
      expect(await store.renewRequest(...request, 'a', 900)).toBe(false);
      expect(await store.expireRequests()).toBe(1);
      expect(await store.claimRequest(claim('c', { now: 301 }))).toMatchObject({ kind: 'claimed' });
    });

    it('may be forgotten, and are after their time', async () => {
      await store.claimRequest(claim('a'));
      expect(await store.forgetRequest(...request, 'b')).toBe(false);
      expect(await store.forgetRequest(...request, 'a')).toBe(true);
      const fresh = await store.claimRequest(claim('b', { fingerprint: 'g' }));
      expect(fresh).toMatchObject({ kind: 'claimed', seed: 'seed of b' });
      await store.answerRequest(...request, 'b', 'answer');
      const late = claim('c', { now: 1000, expiresAt: 2000 });
      expect(await store.claimRequest(late)).toStrictEqual({ kind: 'claimed', seed: 'seed of c', claimedAt: 1000 });
      await store.removeExpired(1999);
      expect(await store.claimRequest(claim('d', { now: 1001, leaseUntil: 1 }))).toMatchObject({ seed: 'seed of c' });
      await store.removeExpired(2000);
      expect(await store.claimRequest(claim('e'))).toMatchObject({ seed: 'seed of e' });
    });

    it('are apart for accounts and keys', async () => {
      await store.claimRequest(claim('a'));
      expect(await store.claimRequest(claim('b', { accountId: OTHER.id }))).toMatchObject({ kind: 'claimed' });
      expect(await store.claimRequest(claim('c', { key: 'k' }))).toMatchObject({ kind: 'claimed' });
      expect(await store.forgetRequest(OTHER.id, 'k 1', 'a')).toBe(false);
    });
  });
}
