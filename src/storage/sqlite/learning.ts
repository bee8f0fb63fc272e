/** Lessons and federated changes in SQLite. */
import { decode, encode } from '../../common/codec.js';
import type { FederatedChange, NumberedChange } from '../../model/federation.js';
import type { Lesson, NumberedLesson } from '../../model/learning.js';
import type { LearnedState, LearningStore } from '../contract/learning.js';
import { decodeObject } from '../damage.js';
import { learnedState, withoutSolution } from '../rules/learned-state.js';
import { type Database, numberOf, type Row, textOf } from './database.js';

export class SqliteLearning implements LearningStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  /** Within the write that ends the run. `body` is an encoded lesson. */
  learn(runId: string, body: string): void {
    this.db.run(
      `INSERT INTO lessons (account_id, version, body, run_id)
       SELECT account_id, 1 + coalesce((SELECT max(version) FROM lessons l WHERE l.account_id = runs.account_id), 0), ?, id
       FROM runs WHERE id = ?`,
      body,
      runId,
    );
  }

  /** Within the write that removes the run. A lesson that cannot be read goes with it. */
  erase(runId: string): void {
    const row = this.db.get('SELECT account_id, version, body FROM lessons WHERE run_id = ?', runId);
    if (row === undefined) return;
    this.db.run(
      `UPDATE lessons SET body = ?3, run_id = NULL,
         erasure = 1 + coalesce((SELECT max(erasure) FROM lessons WHERE account_id = ?1), 0)
       WHERE account_id = ?1 AND version = ?2`,
      textOf(row, 'account_id'),
      Number(row['version']),
      erased(textOf(row, 'body')),
    );
  }

  async learnedState(accountId: string): Promise<LearnedState> {
    const row = this.db.get(
      `SELECT max(version) AS last, max(CASE WHEN body IS NULL THEN version END) AS forgotten,
         (SELECT max(serial) FROM federated_changes WHERE account_id = ?) AS changes,
         (SELECT max(erasure) FROM lessons WHERE account_id = ?) AS erased
       FROM lessons WHERE account_id = ?`,
      accountId,
      accountId,
      accountId,
    );
    const numberAt = (column: string): number => Number(row?.[column] ?? 0);
    return learnedState(numberAt('last'), numberAt('forgotten'), numberAt('changes'), numberAt('erased'));
  }

  async lessons(accountId: string, after: number, upTo: number, limit: number): Promise<readonly NumberedLesson[]> {
    const rows = this.db.all(
      `SELECT version, body FROM lessons WHERE account_id = ? AND version > ? AND version <= ? AND body <> ''
       ORDER BY version DESC LIMIT ?`,
      accountId,
      after,
      upTo,
      limit,
    );
    const nameOf = (row: Row): string => `${accountId} lesson ${row['version']}`;
    return this.db.records.all(rows.reverse(), nameOf, (row) => ({
      version: Number(row['version']),
      lesson: decodeObject<Lesson>(textOf(row, 'body')),
    }));
  }

  async forgetLessons(accountId: string): Promise<void> {
    await this.db.write(() => {
      const last = numberOf(
        this.db.get('SELECT max(version) AS n FROM lessons WHERE account_id = ?', accountId) ?? {},
        'n',
      );
      this.db.run('DELETE FROM lessons WHERE account_id = ? AND version < ?', accountId, last);
      this.db.run('UPDATE lessons SET body = NULL, run_id = NULL WHERE account_id = ?', accountId);
    });
  }

  async appendFederatedChange(accountId: string, serial: number, change: FederatedChange): Promise<number | null> {
    const body = encode(change);
    return this.db.write(() => {
      const there = this.db.get(
        'SELECT version, body FROM federated_changes WHERE account_id = ? AND serial = ?',
        accountId,
        serial,
      );
      if (there !== undefined) {
        const isSame = decode<FederatedChange>(textOf(there, 'body')).id === change.id;
        return isSame ? numberOf(there, 'version') : null;
      }
      const count = this.db.get('SELECT count(*) AS n FROM federated_changes WHERE account_id = ?', accountId);
      if (Number(count?.['n']) !== serial - 1) return null;
      const last = this.db.get('SELECT max(version) AS n FROM lessons WHERE account_id = ?', accountId);
      const version = Number(last?.['n'] ?? 0) + 1;
      this.db.run(`INSERT INTO lessons (account_id, version, body) VALUES (?, ?, '')`, accountId, version);
      this.db.run(
        'INSERT INTO federated_changes (account_id, serial, version, body) VALUES (?, ?, ?, ?)',
        accountId,
        serial,
        version,
        body,
      );
      return version;
    });
  }

  async federatedChanges(accountId: string, after: number): Promise<readonly NumberedChange[]> {
    const rows = this.db.all(
      'SELECT serial, version, body FROM federated_changes WHERE account_id = ? AND serial > ? ORDER BY serial',
      accountId,
      after,
    );
    return rows.map((row) => ({
      serial: Number(row['serial']),
      version: Number(row['version']),
      change: decode<FederatedChange>(textOf(row, 'body')),
    }));
  }
}

/** Both encoded; empty where it cannot be read. */
function erased(body: string): string {
  try {
    return encode(withoutSolution(decodeObject<Lesson>(body)));
  } catch {
    return '';
  }
}
