/** The store's part for accounts, their keys, and the secret of the keys. */
import type { Account, ApiKeyRecord } from '../../model/api-key.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { VerbsOf } from './verbs.js';

export interface IdentityStore {
  /** The account of that name: the existing one, or `candidate` stored. */
  ensureAccount(candidate: Account): Promise<Account>;
  /** @throws {ExtremumError} `conflict` when the identifier or the public id is taken. */
  saveKey(key: ApiKeyRecord): Promise<void>;
  /** Stores account and key only where no key exists at all; false: one exists, nothing was written. */
  saveFirstKey(account: Account, key: ApiKeyRecord): Promise<boolean>;
  findKey(publicId: string): Promise<{ readonly key: ApiKeyRecord; readonly account: Account } | null>;
  touchKey(id: string, usedAt: number): Promise<void>;
  findAccount(name: string): Promise<Account | null>;
  /** Without those that were revoked. */
  listKeys(accountId: string, page: PageRequest): Promise<Page<ApiKeyRecord>>;
  /** Null: there is none, or it was revoked. */
  findKeyById(accountId: string, id: string): Promise<ApiKeyRecord | null>;
  /** For good. False: there is none, or it was revoked before. */
  revokeKey(accountId: string, id: string, revokedAt: number): Promise<boolean>;
  /** Lets it expire at that time, or earlier where it does anyway. False: there is none, or it was revoked. */
  limitKey(accountId: string, id: string, expiresAt: number): Promise<boolean>;
  /**
   * 32 random bytes that the hashes of keys are keyed with: made at the first use, the same for every process on this
   * store ever after. Whoever loses them loses every key.
   * @throws {ExtremumError} `store_unavailable`: they are lost, for there are keys that they must have been made for.
   */
  keySecret(): Promise<Uint8Array>;
  /**
   * Where they are lost: makes others, which makes every key useless; each is revoked, and kept answers of requests,
   * which only the lost ones open, are forgotten. Returns how many keys were revoked.
   * @throws {ExtremumError} `conflict`: they are not lost.
   */
  newKeySecret(revokedAt: number): Promise<number>;
}

export const IDENTITY_VERBS: VerbsOf<IdentityStore> = {
  ensureAccount: 'writes',
  saveKey: 'writes',
  saveFirstKey: 'writes',
  findKey: 'reads',
  touchKey: 'writes',
  findAccount: 'reads',
  listKeys: 'reads',
  findKeyById: 'reads',
  revokeKey: 'writes',
  limitKey: 'writes',
  keySecret: 'reads',
  newKeySecret: 'writes',
};
