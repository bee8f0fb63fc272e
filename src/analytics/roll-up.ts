/**
 * The job that sums what is over (docs/adr/0028-analytics.md). Nothing depends on when it runs but the time that
 * reports take.
 */
import type { Clock } from '../common/ids.js';
import type { JobHandler } from '../jobs/jobs.js';
import type { AnalyticsStore } from '../storage/contract/analytics.js';

/** Buckets that are summed in one transaction: other writes wait for it. */
const AT_ONCE = 50;

export function rollUpJob(store: Pick<AnalyticsStore, 'rollUp'>, clock: Clock): JobHandler {
  return async (signal) => {
    while (!signal.aborted && (await store.rollUp(clock(), AT_ONCE)) === AT_ONCE);
    return null;
  };
}
