/** Sessions of the dashboard in SQLite. */
import { type DashboardSession, SESSION_IDLE_MS, SESSIONS_PER_KEY } from '../../model/dashboard-session.js';
import type { SessionStore } from '../contract/sessions.js';
import { type Database, textOf } from './database.js';

export class SqliteSessions implements SessionStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  async saveSession({ tokenHash, publicId, usedAt }: DashboardSession): Promise<void> {
    await this.db.write(() => {
      const made = this.db.run(
        `INSERT INTO dashboard_sessions (token_hash, public_id, used_at) VALUES (?, ?, ?)
         ON CONFLICT (token_hash) DO NOTHING`,
        tokenHash,
        publicId,
        usedAt,
      );
      if (made === 0) return;
      this.db.run(
        `DELETE FROM dashboard_sessions WHERE token_hash IN (
           SELECT token_hash FROM dashboard_sessions WHERE public_id = ? AND token_hash <> ?
           ORDER BY used_at DESC, token_hash LIMIT -1 OFFSET ?)`,
        publicId,
        tokenHash,
        SESSIONS_PER_KEY - 1,
      );
    });
  }

  async findSession(tokenHash: string): Promise<DashboardSession | null> {
    const row = this.db.get('SELECT public_id, used_at FROM dashboard_sessions WHERE token_hash = ?', tokenHash);
    return row === undefined ? null : { tokenHash, publicId: textOf(row, 'public_id'), usedAt: Number(row['used_at']) };
  }

  async touchSession(tokenHash: string, usedAt: number): Promise<void> {
    const sql = 'UPDATE dashboard_sessions SET used_at = ?1 WHERE token_hash = ?2 AND used_at < ?1';
    await this.db.write(() => this.db.run(sql, usedAt, tokenHash));
  }

  async endSession(tokenHash: string): Promise<void> {
    await this.db.write(() => this.db.run('DELETE FROM dashboard_sessions WHERE token_hash = ?', tokenHash));
  }

  /** Within a write. */
  removeExpired(now: number): void {
    this.db.run('DELETE FROM dashboard_sessions WHERE used_at <= ?', now - SESSION_IDLE_MS);
  }
}
