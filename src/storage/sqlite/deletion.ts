/** Removal of runs from SQLite: one transaction for each call, so that nobody ever sees a part of a run. */
import type { RunStatus } from '../../model/run-status.js';
import type { DeletionStore, EndedFilter } from '../contract/deletion.js';
import type { SqliteBatches } from './batches.js';
import { type Database, idIn, type Parameter } from './database.js';
import type { SqliteIdempotency } from './idempotency.js';
import type { SqliteLearning } from './learning.js';
import type { RunFactsTable } from './run-facts-table.js';
import type { SqliteRuns } from './runs.js';
import type { SqliteWebhooks } from './webhooks.js';

/** The parts that keep something of a run. */
interface Keepers {
  readonly runs: SqliteRuns;
  readonly batches: SqliteBatches;
  readonly learning: SqliteLearning;
  readonly idempotency: SqliteIdempotency;
  readonly webhooks: SqliteWebhooks;
}

export class SqliteDeletion implements DeletionStore {
  private readonly db: Database;
  private readonly facts: RunFactsTable;
  private readonly keepers: Keepers;

  constructor(db: Database, facts: RunFactsTable, keepers: Keepers) {
    this.db = db;
    this.facts = facts;
    this.keepers = keepers;
  }

  async deleteRuns(accountId: string, ids: readonly string[]): Promise<readonly string[]> {
    const asked = [...new Set(ids)];
    const { runs, batches, learning, idempotency, webhooks } = this.keepers;
    return this.db.write(() =>
      asked.filter((id) => {
        const removed = runs.remove(accountId, id);
        if (removed === null) return false;
        batches.noteRemoved(removed);
        learning.erase(id);
        idempotency.removeAnswersOf(id);
        webhooks.removeOf(id);
        return true;
      }),
    );
  }

  async endedRuns(accountId: string, filter: EndedFilter, limit: number): Promise<readonly string[]> {
    const { status, endedBefore, exceptNewest } = filter;
    let where = 'account_id = ? AND completed_at IS NOT NULL';
    const parameters: Parameter[] = [accountId];
    const also = (condition: string, ...values: Parameter[]): void => {
      where += ` AND ${condition}`;
      parameters.push(...values);
    };
    if (status !== undefined) also('status = ?', status);
    if (endedBefore !== undefined) also('completed_at < ?', endedBefore);
    if (exceptNewest !== undefined) {
      // The last that may be removed, by the index.
      const last = this.db.get(
        `SELECT completed_at, id FROM runs INDEXED BY runs_ended WHERE account_id = ? AND completed_at IS NOT NULL
         ORDER BY completed_at DESC, id DESC LIMIT 1 OFFSET ?`,
        accountId,
        exceptNewest,
      );
      if (last === undefined) return [];
      also('(completed_at, id) <= (?, ?)', Number(last['completed_at']), idIn(last));
    }
    const sql = `SELECT id FROM runs INDEXED BY runs_ended WHERE ${where} ORDER BY completed_at, id LIMIT ?`;
    return this.db.all(sql, ...parameters, limit).map(idIn);
  }

  async deletedRun(accountId: string, id: string, createdAt: number): Promise<RunStatus | null> {
    if (this.db.get('SELECT id FROM runs WHERE id = ?', id) !== undefined) return null;
    return this.facts.statusOf({ id, accountId, createdAt });
  }

  async accountIds(): Promise<readonly string[]> {
    return this.db.all('SELECT id FROM accounts').map(idIn);
  }

  async returnSpace(bytes: number): Promise<boolean> {
    return this.db.returnSpace(bytes);
  }
}
