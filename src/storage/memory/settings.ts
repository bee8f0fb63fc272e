/** Settings of accounts in memory. */
import type { AccountSettings } from '../../model/account-settings.js';
import type { SettingsStore } from '../contract/settings.js';
import { copy } from './lists.js';

export class MemorySettings implements SettingsStore {
  private readonly settings = new Map<string, AccountSettings>();

  async accountSettings(accountId: string): Promise<AccountSettings> {
    return copy(this.settings.get(accountId) ?? {});
  }

  async saveAccountSettings(accountId: string, settings: AccountSettings): Promise<void> {
    this.settings.set(accountId, copy(settings));
  }
}
