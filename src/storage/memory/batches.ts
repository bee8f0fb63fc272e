/** Batches in memory: the records, whose state is that of their runs. */
import type { BatchRecord, BatchState } from '../../model/batch.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { NewRun } from '../../model/run-record.js';
import type { BatchStore } from '../contract/batches.js';
import { batchState } from '../rules/batch-state.js';
import { batchExists } from '../rules/conflicts.js';
import { copy, window } from './lists.js';
import type { MemoryRuns } from './runs.js';

export class MemoryBatches implements BatchStore {
  private readonly batches = new Map<string, BatchRecord>();
  private readonly runs: MemoryRuns;

  constructor(runs: MemoryRuns) {
    this.runs = runs;
  }

  async createBatch(batch: BatchRecord, runs: readonly NewRun[]): Promise<void> {
    if (this.batches.has(batch.id)) throw batchExists(batch.id);
    this.batches.set(batch.id, copy(batch));
    await Promise.all(runs.map((run) => this.runs.createRun(run)));
  }

  private batchState(batch: BatchRecord): BatchState {
    const runs = batch.runIds.flatMap((id) => this.runs.record(id) ?? this.runs.removed(id) ?? []);
    const each = runs.map(({ status, completedAt }) => ({ status, count: 1, lastEndedAt: completedAt }));
    const deleted = batch.runIds.filter((id) => this.runs.removed(id) !== undefined);
    return batchState(copy(batch), each, new Set(deleted));
  }

  async findBatch(accountId: string, id: string): Promise<BatchState | null> {
    const batch = this.batches.get(id);
    return batch?.accountId === accountId ? this.batchState(batch) : null;
  }

  async listBatches(accountId: string, page: PageRequest): Promise<Page<BatchState>> {
    const { items, total } = window(
      [...this.batches.values()].filter((batch) => batch.accountId === accountId),
      page,
    );
    return { items: items.map((batch) => this.batchState(batch)), total };
  }
}
