/** Claims of requests that may be sent again: what becomes of one depends on the standing of the request. */
import type { IdempotencyClaim } from '../../model/idempotency.js';

/**
 * `over`: the request has expired, as if there were none. `answered`: every later attempt gets the answer. `working`:
 * it belongs to another attempt, or to another request under the same key. `free`: the lease of its attempt ran out.
 */
type Standing = 'over' | 'answered' | 'working' | 'free';

interface ClaimedRequest {
  readonly fingerprint: string;
  readonly leaseUntil: number;
  readonly expiresAt: number;
  /** Null: there is none yet. */
  readonly answer: unknown;
}

export function standingOf(
  found: ClaimedRequest,
  { now, fingerprint }: Pick<IdempotencyClaim, 'now' | 'fingerprint'>,
): Standing {
  if (found.expiresAt <= now) return 'over';
  if (found.answer !== null) return 'answered';
  return found.leaseUntil > now || found.fingerprint !== fingerprint ? 'working' : 'free';
}
