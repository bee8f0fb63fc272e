/** The store's part for batches of runs. */
import type { BatchRecord, BatchState } from '../../model/batch.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { NewRun } from '../../model/run-record.js';
import type { VerbsOf } from './verbs.js';

export interface BatchStore {
  /**
   * Stores the batch and all of its runs, pending, or nothing: no part of it is ever seen without the rest.
   * @throws {ExtremumError} `conflict` when the identifier exists already.
   */
  createBatch(batch: BatchRecord, runs: readonly NewRun[]): Promise<void>;
  findBatch(accountId: string, id: string): Promise<BatchState | null>;
  listBatches(accountId: string, page: PageRequest): Promise<Page<BatchState>>;
}

export const BATCH_VERBS: VerbsOf<BatchStore> = {
  createBatch: 'writes',
  findBatch: 'reads',
  listBatches: 'reads',
};
