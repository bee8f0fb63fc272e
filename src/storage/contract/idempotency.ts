/** The store's part for requests that may be sent again. */
import type { ClaimOutcome, IdempotencyClaim } from '../../model/idempotency.js';
import type { VerbsOf } from './verbs.js';

/**
 * Requests that may be sent again. `claimRequest` gives a key to one attempt; who has it renews it while at work, and
 * either stores the answer, or gives it back unanswered (a later attempt goes on with the same seed), or forgets it
 * (nothing was made). Of an attempt that has lost the claim every write answers false.
 */
export interface IdempotencyStore {
  /**
   * The claim where the key is free, has expired, or belongs to an attempt of the same fingerprint whose lease ran out.
   * Exactly one of several attempts gets it.
   */
  claimRequest(claim: IdempotencyClaim): Promise<ClaimOutcome>;
  renewRequest(accountId: string, key: string, owner: string, leaseUntil: number): Promise<boolean>;
  /** `runId`: the run that the answer is about, which takes the answer with it when it is removed. */
  answerRequest(accountId: string, key: string, owner: string, answer: string, runId?: string): Promise<boolean>;
  forgetRequest(accountId: string, key: string, owner: string): Promise<boolean>;
  /** Ends every lease now; like `expireLeases`. Returns how many. */
  expireRequests(): Promise<number>;
}

export const IDEMPOTENCY_VERBS: VerbsOf<IdempotencyStore> = {
  claimRequest: 'writes',
  renewRequest: 'writes',
  answerRequest: 'writes',
  forgetRequest: 'writes',
  expireRequests: 'writes',
};
