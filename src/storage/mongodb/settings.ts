/** Settings of accounts in MongoDB. */
import { encode } from '../../common/codec.js';
import type { AccountSettings } from '../../model/account-settings.js';
import type { SettingsStore } from '../contract/settings.js';
import { decodeObject } from '../damage.js';
import type { Database } from './database.js';

interface SettingsDocument {
  /** The account's. */
  _id: string;
  body: string;
}

export class MongodbSettings implements SettingsStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  private get settings() {
    return this.db.collection<SettingsDocument>('account_settings');
  }

  async accountSettings(accountId: string): Promise<AccountSettings> {
    const found = await this.db.read(() => this.settings.findOne({ _id: accountId }));
    if (found === null) return {};
    return this.db.records.one(`${accountId} settings`, () => decodeObject<AccountSettings>(found.body));
  }

  async saveAccountSettings(accountId: string, settings: AccountSettings): Promise<void> {
    const document = { body: encode(settings) };
    await this.db.upsert(() => this.settings.replaceOne({ _id: accountId }, document, { upsert: true }));
  }
}
