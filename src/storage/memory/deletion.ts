/** Removal of runs from memory. */
import type { RunStatus } from '../../model/run-status.js';
import type { DeletionStore, EndedFilter } from '../contract/deletion.js';
import type { MemoryIdempotency } from './idempotency.js';
import type { MemoryIdentity } from './identity.js';
import type { MemoryLearning } from './learning.js';
import type { MemoryRuns } from './runs.js';
import type { MemoryWebhooks } from './webhooks.js';

/** The parts that keep something of a run. */
interface Keepers {
  readonly identity: MemoryIdentity;
  readonly runs: MemoryRuns;
  readonly learning: MemoryLearning;
  readonly idempotency: MemoryIdempotency;
  readonly webhooks: MemoryWebhooks;
}

export class MemoryDeletion implements DeletionStore {
  private readonly keepers: Keepers;

  constructor(keepers: Keepers) {
    this.keepers = keepers;
  }

  async deleteRuns(accountId: string, ids: readonly string[]): Promise<readonly string[]> {
    const { runs, learning, idempotency, webhooks } = this.keepers;
    return [...new Set(ids)].filter((id) => {
      if (!runs.remove(accountId, id)) return false;
      learning.erase(accountId, id);
      idempotency.removeAnswersOf(id);
      webhooks.removeOf(id);
      return true;
    });
  }

  async endedRuns(accountId: string, filter: EndedFilter, limit: number): Promise<readonly string[]> {
    const { status, endedBefore = Infinity, exceptNewest = 0 } = filter;
    const ended = this.keepers.runs.ended(accountId);
    return ended
      .slice(0, Math.max(0, ended.length - exceptNewest))
      .filter((run) => run.completedAt < endedBefore && (status === undefined || run.status === status))
      .slice(0, limit)
      .map(({ id }) => id);
  }

  async deletedRun(accountId: string, id: string, createdAt: number): Promise<RunStatus | null> {
    const removed = this.keepers.runs.removed(id);
    return removed?.accountId === accountId && removed.createdAt === createdAt ? removed.status : null;
  }

  async accountIds(): Promise<readonly string[]> {
    return this.keepers.identity.accountIds();
  }

  async returnSpace(): Promise<boolean> {
    return false;
  }
}
