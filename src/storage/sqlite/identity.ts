/** Accounts and keys in SQLite. */
import { encode } from '../../common/codec.js';
import { type Account, type ApiKeyRecord, ENDED_KEY_KEPT_MS } from '../../model/api-key.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { IdentityStore } from '../contract/identity.js';
import { decodeRecord } from '../damage.js';
import { keyExists, secretIsThere } from '../rules/conflicts.js';
import { type Database, idIn, numberOf, type Row, textOf } from './database.js';
import { isPepperLost, loadPepper, replacePepper } from './pepper.js';

export class SqliteIdentity implements IdentityStore {
  private readonly db: Database;
  /** The directory of the secret, which is kept apart from the database. */
  private readonly dataDir: string;

  constructor(db: Database, dataDir: string) {
    this.db = db;
    this.dataDir = dataDir;
  }

  async ensureAccount(candidate: Account): Promise<Account> {
    const copy = structuredClone(candidate);
    return this.db.write(() => this.insertAccount(copy));
  }

  private insertAccount(candidate: Account): Account {
    this.db.run(
      'INSERT INTO accounts (id, name, body) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING',
      candidate.id,
      candidate.name,
      encode(candidate),
    );
    const row = this.db.get('SELECT id, body FROM accounts WHERE name = ?', candidate.name);
    if (row === undefined) throw new Error('an account vanished within a transaction');
    return this.accountOf(row);
  }

  private accountOf(row: Row): Account {
    return this.db.records.one(idIn(row), () => decodeRecord<Account>(idIn(row), textOf(row, 'body')));
  }

  private keyOf(row: Row): ApiKeyRecord {
    return this.db.records.one(idIn(row), () => keyOf(row));
  }

  async saveKey(key: ApiKeyRecord): Promise<void> {
    const copy = structuredClone(key);
    return this.db.write(() => this.insertKey(copy));
  }

  private insertKey(key: ApiKeyRecord): void {
    if (this.db.get('SELECT id FROM api_keys WHERE public_id = ? OR id = ?', key.publicId, key.id) !== undefined) {
      throw keyExists(key);
    }
    const { lastUsedAt, expiresAt, revokedAt, ...rest } = key;
    this.db.run(
      `INSERT INTO api_keys (id, account_id, public_id, last_used_at, expires_at, revoked_at, body)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      key.id,
      key.accountId,
      key.publicId,
      lastUsedAt,
      expiresAt,
      revokedAt,
      encode(rest),
    );
  }

  async saveFirstKey(account: Account, key: ApiKeyRecord): Promise<boolean> {
    const copy = structuredClone({ account, key });
    return this.db.write(() => {
      if (this.db.get('SELECT id FROM api_keys LIMIT 1') !== undefined) return false;
      const owner = this.insertAccount(copy.account);
      this.insertKey({ ...copy.key, accountId: owner.id });
      return true;
    });
  }

  async findKey(publicId: string): Promise<{ key: ApiKeyRecord; account: Account } | null> {
    const row = this.db.get(
      `SELECT k.*, a.body AS account FROM api_keys k JOIN accounts a ON a.id = k.account_id
       WHERE k.public_id = ?`,
      publicId,
    );
    if (row === undefined) return null;
    return { key: this.keyOf(row), account: this.accountOf({ id: row['account_id']!, body: row['account']! }) };
  }

  async findAccount(name: string): Promise<Account | null> {
    const row = this.db.get('SELECT id, body FROM accounts WHERE name = ?', name);
    return row === undefined ? null : this.accountOf(row);
  }

  async listKeys(accountId: string, page: PageRequest): Promise<Page<ApiKeyRecord>> {
    const rows = this.db.all(
      'SELECT * FROM api_keys WHERE account_id = ? AND revoked_at IS NULL ORDER BY id DESC LIMIT ? OFFSET ?',
      accountId,
      page.limit,
      page.offset,
    );
    const count = this.db.get(
      'SELECT count(*) AS n FROM api_keys WHERE account_id = ? AND revoked_at IS NULL',
      accountId,
    );
    return { items: this.db.records.all(rows, idIn, keyOf), total: Number(count?.['n']) };
  }

  async findKeyById(accountId: string, id: string): Promise<ApiKeyRecord | null> {
    const row = this.db.get(
      'SELECT * FROM api_keys WHERE id = ? AND account_id = ? AND revoked_at IS NULL',
      id,
      accountId,
    );
    return row === undefined ? null : this.keyOf(row);
  }

  async revokeKey(accountId: string, id: string, revokedAt: number): Promise<boolean> {
    const sql = 'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND account_id = ? AND revoked_at IS NULL';
    return this.db.write(() => this.db.run(sql, revokedAt, id, accountId) > 0);
  }

  async limitKey(accountId: string, id: string, expiresAt: number): Promise<boolean> {
    const sql = `UPDATE api_keys SET expires_at = min(coalesce(expires_at, ?), ?)
                 WHERE id = ? AND account_id = ? AND revoked_at IS NULL`;
    return this.db.write(() => this.db.run(sql, expiresAt, expiresAt, id, accountId) > 0);
  }

  async touchKey(id: string, usedAt: number): Promise<void> {
    await this.db.write(() => this.db.run('UPDATE api_keys SET last_used_at = ? WHERE id = ?', usedAt, id));
  }

  async keySecret(): Promise<Uint8Array> {
    this.db.ping();
    const keys = this.db.get('SELECT count(*) AS n FROM api_keys');
    return loadPepper(this.dataDir, Number(keys?.['n']));
  }

  async newKeySecret(revokedAt: number): Promise<number> {
    if (!isPepperLost(this.dataDir)) throw secretIsThere();
    const revoked = await this.db.write(() => {
      this.db.run('DELETE FROM idempotent_requests');
      return this.db.run('UPDATE api_keys SET revoked_at = ? WHERE revoked_at IS NULL', revokedAt);
    });
    // Last: until then it is lost, and this may be asked for again.
    replacePepper(this.dataDir);
    return revoked;
  }

  /** Within a write. */
  removeExpired(now: number): void {
    this.db.run(
      `DELETE FROM api_keys WHERE (expires_at <= ?1 OR revoked_at <= ?1) AND id > (SELECT min(id) FROM api_keys)`,
      now - ENDED_KEY_KEPT_MS,
    );
  }
}

function keyOf(row: Row): ApiKeyRecord {
  const rest = decodeRecord<Omit<ApiKeyRecord, 'expiresAt' | 'revokedAt' | 'lastUsedAt'>>(
    idIn(row),
    textOf(row, 'body'),
  );
  return {
    ...rest,
    expiresAt: numberOf(row, 'expires_at'),
    revokedAt: numberOf(row, 'revoked_at'),
    lastUsedAt: numberOf(row, 'last_used_at'),
  };
}
