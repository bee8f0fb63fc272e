/** The store's part for counts over the runs of an account. */
import type { Execution, ExecutionPlace } from '../../model/execution.js';
import type { RunTally, TallyField } from '../../model/run-facts.js';
import type { RunStatus } from '../../model/run-status.js';
import type { VerbsOf } from './verbs.js';

/** Which runs of an account are counted: those created from `from` on, before `to`. */
export interface CountedFilter {
  readonly from: number;
  readonly to: number;
  /** One original with all that repeats or extends it; of a run that does so itself, that run alone. Absent: all. */
  readonly optimizationId?: string;
  readonly status?: RunStatus;
}

/** Runs by the original that they repeat or extend. */
export interface OriginalCount {
  readonly id: string;
  readonly count: number;
  readonly completed: number;
  readonly failed: number;
}

/** The bytes that a run's requests and answers took; see `RunTraffic`. */
export interface TrafficReport {
  readonly runId: string;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/**
 * Counts over the runs of an account, exact to the run, from sums that `rollUp` keeps of what is over and from single
 * runs else. A run is counted once from its creation on, whatever becomes of its record.
 */
export interface AnalyticsStore {
  /** When the first and the last of the account's runs were created. Null: there are none. */
  runsSpan(accountId: string): Promise<{ readonly first: number; readonly last: number } | null>;
  /**
   * These fields of a tally for each span [boundaries[i], boundaries[i + 1]) of creation. The boundaries grow; all but
   * the first and the last are full hours.
   */
  tallies<F extends TallyField>(
    accountId: string,
    boundaries: readonly number[],
    fields: readonly F[],
    optimizationId?: string,
  ): Promise<readonly Pick<RunTally, F>[]>;
  /**
   * Durations in seconds of completed runs, at these places (from 0, below `count`) of their ascending order. `count`:
   * how many there were a moment ago; they never become fewer.
   */
  durationsAt(
    accountId: string,
    count: number,
    places: readonly number[],
    optimizationId?: string,
  ): Promise<readonly number[]>;
  /**
   * At most `limit`, the newest first. `withoutOriginal`: of all, those whose original does not match the filter
   * itself.
   */
  countByOriginal(
    accountId: string,
    filter: CountedFilter,
    limit: number,
  ): Promise<{ readonly items: readonly OriginalCount[]; readonly withoutOriginal: number }>;
  /**
   * At most `limit` executions that match, newest first (by creation, then identifier), those that come after `after`
   * in that order; null: from the newest on. Its cost does not grow with how many come before.
   */
  executions(
    accountId: string,
    filter: CountedFilter,
    after: ExecutionPlace | null,
    limit: number,
  ): Promise<readonly Execution[]>;
  /**
   * Adds to the facts of these runs; those that do not exist are passed over. Not to be repeated: it would count twice.
   */
  addTraffic(reports: readonly TrafficReport[]): Promise<void>;
  /** Sums what is over at `now`, at most `limit` hours or days. Returns how many it did: fewer than `limit`: all. */
  rollUp(now: number, limit: number): Promise<number>;
}

export const ANALYTICS_VERBS: VerbsOf<AnalyticsStore> = {
  runsSpan: 'reads much',
  tallies: 'reads much',
  durationsAt: 'reads much',
  countByOriginal: 'reads much',
  executions: 'reads much',
  addTraffic: 'writes',
  rollUp: 'writes',
};
