/** Accounts and keys in memory. */
import { randomBytes } from 'node:crypto';
import { type Account, type ApiKeyRecord, isForgotten } from '../../model/api-key.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { IdentityStore } from '../contract/identity.js';
import { keyExists, secretIsThere } from '../rules/conflicts.js';
import { copy, window } from './lists.js';

export class MemoryIdentity implements IdentityStore {
  private readonly accounts = new Map<string, Account>();
  private readonly keys = new Map<string, ApiKeyRecord>();
  private readonly secret = randomBytes(32);

  async ensureAccount(candidate: Account): Promise<Account> {
    return this.insertAccount(candidate);
  }

  private insertAccount(candidate: Account): Account {
    const existing = [...this.accounts.values()].find((account) => account.name === candidate.name);
    if (existing === undefined) this.accounts.set(candidate.id, copy(candidate));
    return copy(existing ?? candidate);
  }

  accountIds(): string[] {
    return [...this.accounts.keys()];
  }

  async saveKey(key: ApiKeyRecord): Promise<void> {
    if (this.keys.has(key.publicId) || [...this.keys.values()].some(({ id }) => id === key.id)) {
      throw keyExists(key);
    }
    this.keys.set(key.publicId, copy(key));
  }

  async saveFirstKey(account: Account, key: ApiKeyRecord): Promise<boolean> {
    if (this.keys.size > 0) return false;
    this.keys.set(key.publicId, copy({ ...key, accountId: this.insertAccount(account).id }));
    return true;
  }

  async findKey(publicId: string): Promise<{ key: ApiKeyRecord; account: Account } | null> {
    const key = this.keys.get(publicId);
    const account = key === undefined ? undefined : this.accounts.get(key.accountId);
    return key === undefined || account === undefined ? null : copy({ key, account });
  }

  async touchKey(id: string, usedAt: number): Promise<void> {
    for (const [publicId, key] of this.keys) {
      if (key.id === id) this.keys.set(publicId, { ...key, lastUsedAt: usedAt });
    }
  }

  async findAccount(name: string): Promise<Account | null> {
    return copy([...this.accounts.values()].find((account) => account.name === name) ?? null);
  }

  async listKeys(accountId: string, page: PageRequest): Promise<Page<ApiKeyRecord>> {
    const own = [...this.keys.values()].filter((key) => key.accountId === accountId && key.revokedAt === null);
    return window(own, page);
  }

  async findKeyById(accountId: string, id: string): Promise<ApiKeyRecord | null> {
    return copy(this.liveKey(accountId, id) ?? null);
  }

  private liveKey(accountId: string, id: string): ApiKeyRecord | undefined {
    const key = [...this.keys.values()].find((candidate) => candidate.id === id);
    return key?.accountId === accountId && key.revokedAt === null ? key : undefined;
  }

  async revokeKey(accountId: string, id: string, revokedAt: number): Promise<boolean> {
    const key = this.liveKey(accountId, id);
    if (key !== undefined) this.keys.set(key.publicId, { ...key, revokedAt });
    return key !== undefined;
  }

  async limitKey(accountId: string, id: string, expiresAt: number): Promise<boolean> {
    const key = this.liveKey(accountId, id);
    if (key === undefined) return false;
    this.keys.set(key.publicId, { ...key, expiresAt: Math.min(key.expiresAt ?? Infinity, expiresAt) });
    return true;
  }

  async keySecret(): Promise<Uint8Array> {
    return Uint8Array.from(this.secret);
  }

  /** This store never loses the secret without the keys. */
  async newKeySecret(): Promise<number> {
    throw secretIsThere();
  }

  removeExpired(now: number): void {
    const ids = [...this.keys.values()].map(({ id }) => id).sort();
    for (const [publicId, key] of this.keys) {
      if (key.id !== ids[0] && isForgotten(key, now)) this.keys.delete(publicId);
    }
  }
}
