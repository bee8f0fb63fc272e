/** Requests that may be sent again, in memory. */
import type { ClaimOutcome, IdempotencyClaim } from '../../model/idempotency.js';
import type { IdempotencyStore } from '../contract/idempotency.js';
import type { LatestTimes } from '../rules/latest-times.js';
import { standingOf } from '../rules/request-claims.js';
import { copy, nameOf } from './lists.js';
import type { MemoryRuns } from './runs.js';

interface StoredRequest extends IdempotencyClaim {
  readonly claimedAt: number;
  /** The run that the answer is about; null: about none. */
  readonly runId: string | null;
  /** That run was removed, and the answer with it. */
  readonly isDeleted: boolean;
  readonly answer: string | null;
}

export class MemoryIdempotency implements IdempotencyStore {
  private readonly requests = new Map<string, StoredRequest>();
  private readonly runs: Pick<MemoryRuns, 'removed'>;

  constructor(runs: Pick<MemoryRuns, 'removed'>) {
    this.runs = runs;
  }

  async claimRequest(claim: IdempotencyClaim): Promise<ClaimOutcome> {
    const name = nameOf(claim.accountId, claim.key);
    const { now, seed } = claim;
    const found = this.requests.get(name);
    const standing = found === undefined ? 'over' : standingOf(found, claim);
    if (found === undefined || standing === 'over') {
      this.requests.set(name, { ...copy(claim), claimedAt: now, runId: null, isDeleted: false, answer: null });
      return { kind: 'claimed', seed, claimedAt: now };
    }
    const { answer, claimedAt } = found;
    if (found.isDeleted) return { kind: 'deleted', fingerprint: found.fingerprint };
    if (answer !== null) return { kind: 'answered', fingerprint: found.fingerprint, answer };
    if (standing === 'working') return { kind: 'working', fingerprint: found.fingerprint };
    this.requests.set(name, { ...found, owner: claim.owner, leaseUntil: claim.leaseUntil });
    return { kind: 'claimed', seed: found.seed, claimedAt };
  }

  /** The request if this attempt has it. */
  private claimed(accountId: string, key: string, owner: string): StoredRequest | null {
    const found = this.requests.get(nameOf(accountId, key));
    return found?.owner === owner && found.answer === null ? found : null;
  }

  async renewRequest(accountId: string, key: string, owner: string, leaseUntil: number): Promise<boolean> {
    const found = this.claimed(accountId, key, owner);
    if (found !== null) this.requests.set(nameOf(accountId, key), { ...found, leaseUntil });
    return found !== null;
  }

  async answerRequest(
    accountId: string,
    key: string,
    owner: string,
    answer: string,
    runId: string | null = null,
  ): Promise<boolean> {
    const found = this.claimed(accountId, key, owner);
    const isGone = runId !== null && this.runs.removed(runId) !== undefined;
    if (found !== null) {
      this.requests.set(nameOf(accountId, key), { ...found, runId, isDeleted: isGone, answer: isGone ? '' : answer });
    }
    return found !== null;
  }

  /** The run was removed. */
  removeAnswersOf(runId: string): void {
    for (const [name, found] of this.requests) {
      if (found.runId === runId) this.requests.set(name, { ...found, isDeleted: true, answer: '' });
    }
  }

  async forgetRequest(accountId: string, key: string, owner: string): Promise<boolean> {
    const found = this.claimed(accountId, key, owner);
    return found !== null && this.requests.delete(nameOf(accountId, key));
  }

  async expireRequests(): Promise<number> {
    const open = [...this.requests].filter(([, { answer, leaseUntil }]) => answer === null && leaseUntil > 0);
    for (const [name, found] of open) this.requests.set(name, { ...found, leaseUntil: 0 });
    return open.length;
  }

  removeExpired(now: number): void {
    for (const [name, { expiresAt }] of this.requests) if (expiresAt <= now) this.requests.delete(name);
  }

  /** Brings back leases and ends that lie further ahead. Returns of how many requests. */
  bringBackTimes(latest: LatestTimes): number {
    let changed = 0;
    for (const [name, found] of this.requests) {
      const isLeaseAhead = found.answer === null && found.leaseUntil > latest.lease;
      const isExpiryAhead = found.expiresAt > latest.requestExpiry;
      if (!isLeaseAhead && !isExpiryAhead) continue;
      changed++;
      this.requests.set(name, {
        ...found,
        leaseUntil: isLeaseAhead ? 0 : found.leaseUntil,
        expiresAt: isExpiryAhead ? latest.requestExpiry : found.expiresAt,
      });
    }
    return changed;
  }
}
