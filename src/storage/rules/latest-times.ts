/** How far ahead times are written. What lies further ahead is of a clock that was ahead, and has been set back. */
import { REQUEST_KEPT_MS } from '../../model/idempotency.js';
import { RETRY_DELAYS_MS } from './deliveries.js';

const LONGEST_DELAY_MS = Math.max(...RETRY_DELAYS_MS);
/** For the clocks of several hosts. */
const SLACK_MS = 60_000;

export interface LatestTimes {
  readonly lease: number;
  readonly dueAt: number;
  readonly requestExpiry: number;
  /** When deliveries that lie further ahead become due: at once. No time is below 0, where MongoDB's index ends. */
  readonly atOnce: number;
}

export const latestTimes = (now: number, leaseMs: number): LatestTimes => ({
  // A lease that has ended is 0.
  lease: Math.max(0, now + leaseMs + SLACK_MS),
  dueAt: now + LONGEST_DELAY_MS + SLACK_MS,
  requestExpiry: now + REQUEST_KEPT_MS + SLACK_MS,
  atOnce: Math.max(0, now),
});
