/**
 * A request that its client may send again: kept for a day under the client's own key, first as a claim, then with the
 * answer. Times are epoch milliseconds.
 */
export interface IdempotencyClaim {
  readonly accountId: string;
  /** The client's: printable ASCII. */
  readonly key: string;
  /** Hash of the request's content: another request under the same key is refused. */
  readonly fingerprint: string;
  /** Names this attempt; unique. */
  readonly owner: string;
  readonly now: number;
  /** Until when it is this attempt's, unless renewed. */
  readonly leaseUntil: number;
  readonly expiresAt: number;
  /** Seed of the resources' identifiers; a later attempt must make the same ones. */
  readonly seed: string;
}

export type ClaimOutcome =
  | {
      readonly kind: 'claimed';
      /** Seed of the first attempt. */
      readonly seed: string;
      readonly claimedAt: number;
    }
  /** Somebody is at work, or was, on a request with another fingerprint. */
  | { readonly kind: 'working'; readonly fingerprint: string }
  | { readonly kind: 'answered'; readonly fingerprint: string; readonly answer: string }
  /** The run that was the answer has been deleted, and the answer with it. */
  | { readonly kind: 'deleted'; readonly fingerprint: string };

export const REQUEST_KEPT_MS = 24 * 3_600_000;
