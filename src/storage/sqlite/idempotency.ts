/** Requests that may be sent again, in SQLite. */
import { decode, encode } from '../../common/codec.js';
import type { ClaimOutcome, IdempotencyClaim } from '../../model/idempotency.js';
import type { IdempotencyStore } from '../contract/idempotency.js';
import type { LatestTimes } from '../rules/latest-times.js';
import { type Database, type Parameter, textOf } from './database.js';

export class SqliteIdempotency implements IdempotencyStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  async claimRequest(claim: IdempotencyClaim): Promise<ClaimOutcome> {
    const { accountId, key, fingerprint, owner, now, leaseUntil, expiresAt, seed } = claim;
    const seedText = encode(seed);
    return this.db.write(() => {
      this.db.run(
        'DELETE FROM idempotent_requests WHERE account_id = ? AND key = ? AND expires_at <= ?',
        accountId,
        key,
        now,
      );
      const changed = this.db.run(
        `INSERT INTO idempotent_requests
           (account_id, key, fingerprint, owner, lease_until, claimed_at, expires_at, seed)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (account_id, key) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until
         WHERE answer IS NULL AND lease_until <= excluded.claimed_at AND fingerprint = excluded.fingerprint`,
        accountId,
        key,
        fingerprint,
        owner,
        leaseUntil,
        now,
        expiresAt,
        seedText,
      );
      const row = this.db.get('SELECT * FROM idempotent_requests WHERE account_id = ? AND key = ?', accountId, key);
      if (row === undefined) throw new Error('a request vanished within a transaction');
      const found = textOf(row, 'fingerprint');
      if (row['answer'] === '') return { kind: 'deleted', fingerprint: found };
      if (row['answer'] !== null)
        return { kind: 'answered', fingerprint: found, answer: decode(textOf(row, 'answer')) };
      if (changed === 0) return { kind: 'working', fingerprint: found };
      return { kind: 'claimed', seed: decode(textOf(row, 'seed')), claimedAt: Number(row['claimed_at']) };
    });
  }

  private claimed(change: string, ...parameters: Parameter[]): Promise<boolean> {
    const sql = `${change} WHERE account_id = ? AND key = ? AND owner = ? AND answer IS NULL`;
    return this.db.write(() => this.db.run(sql, ...parameters) > 0);
  }

  async renewRequest(accountId: string, key: string, owner: string, leaseUntil: number): Promise<boolean> {
    return this.claimed('UPDATE idempotent_requests SET lease_until = ?', leaseUntil, accountId, key, owner);
  }

  async answerRequest(
    accountId: string,
    key: string,
    owner: string,
    answer: string,
    runId: string | null = null,
  ): Promise<boolean> {
    const text = encode(answer);
    if (runId === null) {
      return this.claimed('UPDATE idempotent_requests SET answer = ?', text, accountId, key, owner);
    }
    // The run may have been removed since the answer was made.
    const change = `UPDATE idempotent_requests SET run_id = ?1,
      answer = CASE WHEN EXISTS (SELECT 1 FROM runs WHERE id = ?1) THEN ?2 ELSE '' END`;
    return this.claimed(change, runId, text, accountId, key, owner);
  }

  /** Within the write that removes the run. */
  removeAnswersOf(runId: string): void {
    this.db.run(`UPDATE idempotent_requests SET answer = '' WHERE run_id = ?`, runId);
  }

  async forgetRequest(accountId: string, key: string, owner: string): Promise<boolean> {
    return this.claimed('DELETE FROM idempotent_requests', accountId, key, owner);
  }

  async expireRequests(): Promise<number> {
    const sql = 'UPDATE idempotent_requests SET lease_until = 0 WHERE answer IS NULL AND lease_until > 0';
    return this.db.write(() => this.db.run(sql));
  }

  /** Within a write. */
  removeExpired(now: number): void {
    this.db.run('DELETE FROM idempotent_requests WHERE expires_at <= ?', now);
  }

  /** Within a write: brings back leases and ends that lie further ahead. Returns of how many requests. */
  bringBackTimes({ lease, requestExpiry }: LatestTimes): number {
    return this.db.run(
      `UPDATE idempotent_requests SET expires_at = min(expires_at, ?1),
             lease_until = CASE WHEN answer IS NULL AND lease_until > ?2 THEN 0 ELSE lease_until END
           WHERE expires_at > ?1 OR (answer IS NULL AND lease_until > ?2)`,
      requestExpiry,
      lease,
    );
  }
}
