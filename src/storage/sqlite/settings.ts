/** Settings of accounts in SQLite. */
import { encode } from '../../common/codec.js';
import type { AccountSettings } from '../../model/account-settings.js';
import type { SettingsStore } from '../contract/settings.js';
import { decodeObject } from '../damage.js';
import { type Database, textOf } from './database.js';

export class SqliteSettings implements SettingsStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  async accountSettings(accountId: string): Promise<AccountSettings> {
    const row = this.db.get('SELECT body FROM account_settings WHERE account_id = ?', accountId);
    if (row === undefined) return {};
    return this.db.records.one(`${accountId} settings`, () => decodeObject<AccountSettings>(textOf(row, 'body')));
  }

  async saveAccountSettings(accountId: string, settings: AccountSettings): Promise<void> {
    const body = encode(settings);
    await this.db.write(() =>
      this.db.run(
        `INSERT INTO account_settings (account_id, body) VALUES (?, ?)
         ON CONFLICT (account_id) DO UPDATE SET body = excluded.body`,
        accountId,
        body,
      ),
    );
  }
}
