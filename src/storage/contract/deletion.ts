/** The store's part for runs that are removed. */
import type { RunStatus } from '../../model/run-status.js';
import type { VerbsOf } from './verbs.js';

/** Which of the ended runs of an account. Each field narrows the choice. */
export interface EndedFilter {
  readonly status?: 'completed' | 'failed';
  /** Those that ended before that time (epoch milliseconds). */
  readonly endedBefore?: number;
  /** Without so many that ended last. */
  readonly exceptNewest?: number;
}

/**
 * Runs are removed for good, each wholly or not at all. With a run go its history, events, checkpoint, monitoring
 * trace, deliveries to webhooks, and the answers that are kept of requests that made it (`claimRequest` says `deleted`
 * then). Its lesson stays and loses the solution. What analytics count of it stays, as does its place in its batch. Its
 * identifier is never free again.
 */
export interface DeletionStore {
  /**
   * Removes those of these runs that belong to the account and have ended. Returns which these were. A few dozen at a
   * time: other writes may wait for it.
   */
  deleteRuns(accountId: string, ids: readonly string[]): Promise<readonly string[]>;
  /** At most `limit` runs that have ended and match, in the order of their ends. */
  endedRuns(accountId: string, filter: EndedFilter, limit: number): Promise<readonly string[]>;
  /** How a run that was removed had ended. Null: none with that identifier was. `createdAt`: the run's. */
  deletedRun(accountId: string, id: string, createdAt: number): Promise<RunStatus | null>;
  /** Of all accounts, in no order. */
  accountIds(): Promise<readonly string[]>;
  /**
   * Gives at most about so many bytes that are no longer used back to the file system. Returns whether there is more.
   * A database that keeps what was freed for later writes does nothing: false.
   */
  returnSpace(bytes: number): Promise<boolean>;
}

export const DELETION_VERBS: VerbsOf<DeletionStore> = {
  deleteRuns: 'writes',
  endedRuns: 'reads much',
  deletedRun: 'reads',
  accountIds: 'reads',
  returnSpace: 'writes',
};
