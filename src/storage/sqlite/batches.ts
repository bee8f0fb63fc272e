/** Batches in SQLite. */
import { encode } from '../../common/codec.js';
import type { BatchRecord, BatchState } from '../../model/batch.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { NewRun } from '../../model/run-record.js';
import type { RunStatus } from '../../model/run-status.js';
import type { BatchStore } from '../contract/batches.js';
import { decodeRecord } from '../damage.js';
import { batchState } from '../rules/batch-state.js';
import { batchExists } from '../rules/conflicts.js';
import { type Database, idIn, numberOf, type Row, textOf } from './database.js';
import { encodeRun } from './run-rows.js';
import type { RemovedRun, SqliteRuns } from './runs.js';

export class SqliteBatches implements BatchStore {
  private readonly db: Database;
  private readonly runs: SqliteRuns;

  constructor(db: Database, runs: SqliteRuns) {
    this.db = db;
    this.runs = runs;
  }

  async createBatch(batch: BatchRecord, runs: readonly NewRun[]): Promise<void> {
    const { id, accountId } = batch;
    const body = encode(batch);
    const encoded = runs.map(encodeRun);
    await this.db.write(() => {
      if (this.db.get('SELECT id FROM batches WHERE id = ?', id) !== undefined) {
        throw batchExists(id);
      }
      this.db.run('INSERT INTO batches (id, account_id, body) VALUES (?, ?, ?)', id, accountId, body);
      for (const run of encoded) this.runs.insert(run, null, id);
    });
  }

  async findBatch(accountId: string, id: string): Promise<BatchState | null> {
    const row = this.db.get('SELECT id, body FROM batches WHERE id = ? AND account_id = ?', id, accountId);
    return row === undefined ? null : this.db.records.one(id, () => this.batchState(row));
  }

  async listBatches(accountId: string, page: PageRequest): Promise<Page<BatchState>> {
    const rows = this.db.all(
      'SELECT id, body FROM batches WHERE account_id = ? ORDER BY id DESC LIMIT ? OFFSET ?',
      accountId,
      page.limit,
      page.offset,
    );
    const count = this.db.get('SELECT count(*) AS n FROM batches WHERE account_id = ?', accountId);
    return { items: this.db.records.all(rows, idIn, (row) => this.batchState(row)), total: Number(count?.['n']) };
  }

  /** Within the write that removes the run. */
  noteRemoved({ id, batchId, status, completedAt }: RemovedRun): void {
    if (batchId === null) return;
    const sql = 'INSERT INTO deleted_batch_runs (batch_id, run_id, status, completed_at) VALUES (?, ?, ?, ?)';
    this.db.run(sql, batchId, id, status, completedAt);
  }

  private batchState(row: Row): BatchState {
    const batch = decodeRecord<BatchRecord>(idIn(row), textOf(row, 'body'));
    const rows = this.db.all(
      'SELECT status, count(*) AS n, max(completed_at) AS last FROM runs WHERE batch_id = ? GROUP BY status',
      batch.id,
    );
    const groups = rows.map((found) => ({
      status: textOf(found, 'status') as RunStatus,
      count: Number(found['n']),
      lastEndedAt: numberOf(found, 'last'),
    }));
    const deleted = this.db.all(
      'SELECT run_id AS id, status, completed_at FROM deleted_batch_runs WHERE batch_id = ?',
      batch.id,
    );
    const gone = deleted.map((found) => ({
      status: textOf(found, 'status') as RunStatus,
      count: 1,
      lastEndedAt: numberOf(found, 'completed_at'),
    }));
    return batchState(batch, [...groups, ...gone], new Set(deleted.map(idIn)));
  }
}
