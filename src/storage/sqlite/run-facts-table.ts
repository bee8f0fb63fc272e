/**
 * The facts that are counted of runs. They change in the transactions that change the run: every method is called
 * within a write.
 */
import type { CreatedFacts, EndedFacts } from '../../model/run-facts.js';
import type { RunStatus } from '../../model/run-status.js';
import { hourOf } from '../rules/rollups.js';
import { type Database, textOf } from './database.js';

export const column = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The key of a run's facts. */
export const KEY = '(account_id, created_at, id) = (SELECT account_id, created_at, id FROM runs WHERE id = ?)';

export class RunFactsTable {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  created(
    { id, accountId, createdAt }: { readonly id: string; readonly accountId: string; readonly createdAt: number },
    { originId, baseEvaluations, baseSeconds }: CreatedFacts,
    status: RunStatus,
  ): void {
    this.db.run(
      `INSERT INTO run_facts (account_id, created_at, id, origin_id, base_evaluations, base_seconds, status)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      accountId,
      createdAt,
      id,
      originId,
      baseEvaluations,
      baseSeconds,
      status,
    );
    this.openHour(accountId, createdAt);
  }

  /** Whether there was such a run, which may have been removed since. */
  has(run: { readonly id: string; readonly accountId: string; readonly createdAt: number }): boolean {
    return this.statusOf(run) !== null;
  }

  /** The status of a run, which may have been removed since. Null: there was none. */
  statusOf({
    id,
    accountId,
    createdAt,
  }: {
    readonly id: string;
    readonly accountId: string;
    readonly createdAt: number;
  }): RunStatus | null {
    const sql = 'SELECT status FROM run_facts WHERE account_id = ? AND created_at = ? AND id = ?';
    const row = this.db.get(sql, accountId, createdAt, id);
    return row === undefined ? null : (textOf(row, 'status') as RunStatus);
  }

  claimed(id: string): void {
    this.db.run(`UPDATE run_facts SET status = 'running' WHERE ${KEY}`, id);
  }

  ended(
    id: string,
    status: RunStatus,
    completedAt: number,
    factsAfter: (base: Pick<CreatedFacts, 'baseEvaluations' | 'baseSeconds'>) => EndedFacts,
  ): void {
    const row = this.db.get(`SELECT base_evaluations, base_seconds FROM run_facts WHERE ${KEY}`, id);
    if (row === undefined) throw new Error(`run ${id} has no facts`);
    const base = { baseEvaluations: Number(row['base_evaluations']), baseSeconds: Number(row['base_seconds']) };
    const facts = Object.entries(factsAfter(base)) as [string, number][];
    const assignments = facts.map(([name]) => `${column(name)} = ?`).join(', ');
    const values = facts.map(([, value]) => value);
    const sql = `UPDATE run_facts SET status = ?, completed_at = ?, ${assignments} WHERE ${KEY}`;
    this.db.run(sql, status, completedAt, ...values, id);
  }

  /** The sums of that hour are not valid any more. */
  openHour(accountId: string, time: number): void {
    const sql = `INSERT INTO open_rollups (account_id, unit, start) VALUES (?, 'hour', ?) ON CONFLICT DO NOTHING`;
    this.db.run(sql, accountId, hourOf(time));
  }
}
