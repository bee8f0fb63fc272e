/** Removal of runs that have ended: one, all that match, or what the operator does not want to keep. */
import { ExtremumError } from '../common/errors.js';
import type { JobHandler } from '../jobs/jobs.js';
import type { DeletionStore, EndedFilter } from '../storage/contract/deletion.js';
import { isFinished } from '../model/run-status.js';
import { stopping, type RunContext } from './run-context.js';
import type { RunWaiting } from './run-waiting.js';

/** Runs that are removed in one transaction: other writes wait for it. */
const AT_ONCE = 50;
/** Bytes that are given back to the file system in one transaction. */
const SPACE_AT_ONCE = 8 * 1024 ** 2;
const DAY_MS = 86_400_000;

/** A request to remove many: what it chooses by. */
export type RemovalFilter = Pick<EndedFilter, 'status' | 'endedBefore'>;

/** Which ended runs of an account are kept. Null: all. */
export interface Retention {
  /** Those that ended within so many days. */
  readonly days: number | null;
  /** So many of those that ended last. */
  readonly count: number | null;
}

/** The run that a request made has been deleted: the request, when it is repeated, must not make another one. */
export const deletedSince = (id: string): ExtremumError =>
  new ExtremumError('not_found', `The optimization ${id}, which this request made, has been deleted.`, {
    facts: { deletedRun: id },
  });

export class RunRemoval {
  private readonly context: RunContext;
  private readonly waiting: RunWaiting;

  constructor(context: RunContext, waiting: RunWaiting) {
    this.context = context;
    this.waiting = waiting;
  }

  /** False: no such run. @throws {ExtremumError} `conflict` where it has not ended. */
  async remove(accountId: string, id: string): Promise<boolean> {
    const { store, runsRemoved } = this.context.parts;
    const isRemoved = async (): Promise<boolean> => (await store.deleteRuns(accountId, [id])).length > 0;
    if (!(await isRemoved())) {
      const run = await store.findRun(accountId, id);
      if (run === null) return false;
      if (!isFinished(run.status)) {
        const message = `The run has not ended (${run.status}); cancel it, or wait for its end, then delete it.`;
        throw new ExtremumError('conflict', message);
      }
      // It has ended in between.
      if (!(await isRemoved())) return false;
    }
    this.waiting.nudge(id);
    runsRemoved();
    return true;
  }

  /**
   * Removes all that match and had ended when it was called, step by step. Whatever cuts it short leaves whole runs.
   * Returns how many it removed.
   */
  async removeAll(accountId: string, filter: RemovalFilter): Promise<number> {
    const { store, clock, runsRemoved } = this.context.parts;
    const until = Math.min(filter.endedBefore ?? Infinity, clock() + 1);
    const count = await removeEnded(store, accountId, { ...filter, endedBefore: until }, () => {
      if (this.context.isStopping) throw stopping();
      return true;
    });
    if (count > 0) runsRemoved();
    return count;
  }
}

/** Goes on while `mayGoOn` says so, and while there is progress. Returns how many it removed. */
async function removeEnded(
  store: DeletionStore,
  accountId: string,
  filter: EndedFilter,
  mayGoOn: () => boolean,
): Promise<number> {
  let count = 0;
  let before: string | undefined;
  while (mayGoOn()) {
    const ids = await store.endedRuns(accountId, filter, AT_ONCE);
    if (ids.length === 0) break;
    const removed = await store.deleteRuns(accountId, ids);
    // Others may have been faster. But who finds the same run twice would find it for ever.
    if (removed.length === 0 && ids[0] === before) break;
    count += removed.length;
    before = ids[0];
  }
  return count;
}

/**
 * The job that removes what is not to be kept, and gives back the space that any removal has freed. `now`: null while
 * the time is not certain; then nothing is removed by its time.
 */
export function retentionJob(store: DeletionStore, { days, count }: Retention, now: () => number | null): JobHandler {
  return async (signal) => {
    const time = now();
    const rules: EndedFilter[] = [
      ...(days === null || time === null ? [] : [{ endedBefore: time - days * DAY_MS }]),
      ...(count === null ? [] : [{ exceptNewest: count }]),
    ];
    for (const accountId of rules.length === 0 ? [] : await store.accountIds()) {
      for (const rule of rules) await removeEnded(store, accountId, rule, () => !signal.aborted);
    }
    while (!signal.aborted && (await store.returnSpace(SPACE_AT_ONCE)));
    return null;
  };
}
