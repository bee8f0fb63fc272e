/** Functions in SQLite. */
import { encode } from '../../common/codec.js';
import type { FunctionRecord } from '../../model/function-record.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { Misreading } from '../../model/verification.js';
import type { FunctionStore } from '../contract/functions.js';
import { decodeObject, decodeRecord } from '../damage.js';
import { type Database, idIn, type Row, textOf } from './database.js';
import { removeUnusedSource, saveSource } from './sources.js';

export class SqliteFunctions implements FunctionStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  async saveFunction(record: FunctionRecord): Promise<void> {
    const { source, misread: _found, ...rest } = record;
    const { id, accountId } = record;
    const body = encode(rest);
    const sourceText = encode(source);
    await this.db.write(() => {
      const sourceId = saveSource(this.db, sourceText);
      this.db.run(
        'INSERT INTO functions (id, account_id, source_id, body) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
        id,
        accountId,
        sourceId,
        body,
      );
    });
  }

  async findFunction(accountId: string, id: string): Promise<FunctionRecord | null> {
    const row = this.db.get(
      `SELECT f.id, f.body, s.body AS source FROM functions f JOIN sources s ON s.id = f.source_id
       WHERE f.id = ? AND f.account_id = ?`,
      id,
      accountId,
    );
    return row === undefined ? null : this.db.records.one(id, () => this.function(row));
  }

  async listFunctions(accountId: string, page: PageRequest): Promise<Page<FunctionRecord>> {
    const rows = this.db.all(
      `SELECT f.id, f.body, s.body AS source FROM functions f JOIN sources s ON s.id = f.source_id
       WHERE f.account_id = ? ORDER BY f.id DESC LIMIT ? OFFSET ?`,
      accountId,
      page.limit,
      page.offset,
    );
    const count = this.db.get('SELECT count(*) AS n FROM functions WHERE account_id = ?', accountId);
    return { items: this.db.records.all(rows, idIn, (row) => this.function(row)), total: Number(count?.['n']) };
  }

  private function(row: Row): FunctionRecord {
    const record = functionOf(row);
    const misread = this.misreading(record.accountId, record.sha256);
    return misread === null ? record : { ...record, misread };
  }

  async deleteFunction(accountId: string, id: string): Promise<boolean> {
    return this.db.write(() => {
      const row = this.db.get('SELECT source_id FROM functions WHERE id = ? AND account_id = ?', id, accountId);
      if (row === undefined) return false;
      const sourceId = textOf(row, 'source_id');
      this.db.run('DELETE FROM functions WHERE id = ?', id);
      removeUnusedSource(this.db, sourceId);
      return true;
    });
  }

  async saveMisreading(accountId: string, sha256: string, misreading: Misreading): Promise<void> {
    const body = encode(misreading);
    const sql = 'INSERT INTO misreadings (account_id, sha256, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
    await this.db.write(() => this.db.run(sql, accountId, sha256, body));
  }

  async findMisreading(accountId: string, sha256: string): Promise<Misreading | null> {
    return this.misreading(accountId, sha256);
  }

  async countMisreadings(): Promise<number> {
    return Number(this.db.get('SELECT count(*) AS n FROM misreadings')?.['n']);
  }

  private misreading(accountId: string, sha256: string): Misreading | null {
    const row = this.db.get('SELECT body FROM misreadings WHERE account_id = ? AND sha256 = ?', accountId, sha256);
    if (row === undefined) return null;
    return this.db.records.one(`${accountId} ${sha256}`, () => decodeObject<Misreading>(textOf(row, 'body')));
  }
}

function functionOf(row: Row): FunctionRecord {
  const rest = decodeRecord<Omit<FunctionRecord, 'source'>>(idIn(row), textOf(row, 'body'));
  return { ...rest, source: decodeObject<FunctionRecord['source']>(textOf(row, 'source')) };
}
