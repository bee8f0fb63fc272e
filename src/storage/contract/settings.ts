/** The store's part for the settings of an account. */
import type { AccountSettings } from '../../model/account-settings.js';
import type { VerbsOf } from './verbs.js';

export interface SettingsStore {
  /** Empty for an account that has saved none. */
  accountSettings(accountId: string): Promise<AccountSettings>;
  /** Replaces all of them. */
  saveAccountSettings(accountId: string, settings: AccountSettings): Promise<void>;
}

export const SETTINGS_VERBS: VerbsOf<SettingsStore> = {
  accountSettings: 'reads',
  saveAccountSettings: 'writes',
};
