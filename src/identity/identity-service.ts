/**
 * Accounts and keys: who is asking, and what they may do. Knows nothing of HTTP.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { ExtremumError } from '../common/errors.js';
import type { Clock, IdSource } from '../common/ids.js';
import type { Logger } from '../common/logger.js';
import { SCOPES, type Account, type ApiKeyRecord, type Scope } from '../model/api-key.js';
import type { Page, PageRequest } from '../model/page.js';
import type { IdentityStore } from '../storage/contract/identity.js';
import { generateKey, publicIdOf } from './key-format.js';

export interface Caller {
  readonly account: Account;
  readonly key: ApiKeyRecord;
}

/** A key as its maker gets it: `key` is shown only here. */
export interface IssuedKey {
  readonly key: string;
  readonly record: ApiKeyRecord;
}

interface KeyWish {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Null: never. */
  readonly expiresAt: number | null;
}

interface IdentityParts {
  readonly store: IdentityStore;
  /** Hashes of keys are keyed with it: the store's `keySecret`. */
  readonly pepper: Uint8Array;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly logger: Logger;
}

const FIRST_ACCOUNT = 'default';
/** `last_used_at` is written at most this often per key: it is for people, and a write costs an fsync. */
const TOUCH_INTERVAL_MS = 60_000;

export class IdentityService {
  private readonly parts: IdentityParts;
  private readonly touchedAt = new Map<string, number>();

  constructor(parts: IdentityParts) {
    this.parts = parts;
  }

  /**
   * Null for everything but a live key; why is not told. A key with a wrong form or checksum never reaches the store;
   * hashes are compared in constant time.
   */
  async authenticate(key: string): Promise<Caller | null> {
    const publicId = publicIdOf(key);
    if (publicId === null) return null;
    const found = await this.parts.store.findKey(publicId);
    const given = this.hash(key);
    const expected = Buffer.from(found?.key.secretHash ?? '0'.repeat(64), 'hex');
    if (!timingSafeEqual(given, expected) || found === null) return null;
    return this.ifLive(found);
  }

  /** Who holds a key that was authenticated before. Null: it is not live any more. */
  async holderOf(publicId: string): Promise<Caller | null> {
    const found = await this.parts.store.findKey(publicId);
    return found === null ? null : this.ifLive(found);
  }

  private ifLive(caller: Caller): Caller | null {
    const now = this.parts.clock();
    const { id, expiresAt, revokedAt } = caller.key;
    if (revokedAt !== null || (expiresAt !== null && expiresAt <= now)) return null;
    this.touch(id, now);
    return caller;
  }

  /** Makes a key for the account of that name, and the account when the name is new. The key is shown only here. */
  async createKey(
    accountName: string,
    keyName: string,
    scopes: readonly Scope[],
    expiresAt: number | null = null,
  ): Promise<string> {
    const account = await this.parts.store.ensureAccount(this.newAccount(accountName));
    return (await this.saveNew(account.id, { name: keyName, scopes, expiresAt })).key;
  }

  /**
   * Makes a key for the caller's account.
   * @throws {ExtremumError} `forbidden`: the caller's own key does not have all of the scopes.
   */
  async issueKey(caller: Caller, wish: KeyWish, ids = this.parts.ids): Promise<IssuedKey> {
    requireScopes(caller, wish.scopes);
    return this.saveNew(caller.account.id, wish, ids);
  }

  listKeys(accountId: string, page: PageRequest): Promise<Page<ApiKeyRecord>> {
    return this.parts.store.listKeys(accountId, page);
  }

  findAccount(name: string): Promise<Account | null> {
    return this.parts.store.findAccount(name);
  }

  /** Revokes a key: the next request does not know it any more. False: there is none. */
  revokeKey(accountId: string, id: string): Promise<boolean> {
    return this.parts.store.revokeKey(accountId, id, this.parts.clock());
  }

  /**
   * Makes a successor with the same name, scopes and expiry; the old key lives on for `overlapSeconds` at most.
   * The successor is stored first: a process that dies in between leaves two keys, never none.
   * Null: there is no such key. @throws {ExtremumError} `conflict`: it has expired; `forbidden` as `issueKey`.
   */
  async rollKey(caller: Caller, id: string, overlapSeconds: number, ids = this.parts.ids): Promise<IssuedKey | null> {
    const { store, clock } = this.parts;
    const accountId = caller.account.id;
    const old = await store.findKeyById(accountId, id);
    if (old === null) return null;
    requireScopes(caller, old.scopes);
    const now = clock();
    if (old.expiresAt !== null && old.expiresAt <= now) {
      throw new ExtremumError('conflict', 'The key has expired; make a new one instead.');
    }
    const issued = await this.saveNew(accountId, old, ids);
    if (await store.limitKey(accountId, id, now + overlapSeconds * 1000)) return issued;
    // Somebody has revoked it meanwhile: that must not leave a successor.
    await store.revokeKey(accountId, issued.record.id, now);
    return null;
  }

  /** A key that an earlier attempt at the same request has stored was shown to nobody: it is revoked. */
  private async saveNew(
    accountId: string,
    { name, scopes, expiresAt }: KeyWish,
    ids = this.parts.ids,
  ): Promise<IssuedKey> {
    for (;;) {
      const key = generateKey();
      const record = { ...this.record(key, accountId, name, scopes, ids), expiresAt };
      try {
        await this.parts.store.saveKey(record);
        return { key, record };
      } catch (error) {
        const isThere = error instanceof ExtremumError && error.code === 'conflict';
        if (!isThere || ids.isRepeat !== true) throw error;
        await this.parts.store.revokeKey(accountId, record.id, this.parts.clock());
      }
    }
  }

  /**
   * Where no key exists at all, makes the first account's admin key: `bootstrapKey`, or a new one. Returns the key if
   * it was made by the service, for printing once; null where nothing is to be shown.
   * @throws {ExtremumError} `invalid_request` when `bootstrapKey` is no full key with a right checksum.
   */
  async ensureFirstKey(bootstrapKey: string | null): Promise<string | null> {
    if (bootstrapKey !== null && publicIdOf(bootstrapKey) === null) {
      throw new ExtremumError(
        'invalid_request',
        'BOOTSTRAP_API_KEY is no API key: it must have the form sk_<12>_<32><6> of base62 characters, the last six ' +
          'being the checksum of the rest. `extremum keys generate` prints one.',
      );
    }
    const key = bootstrapKey ?? generateKey();
    const account = this.newAccount(FIRST_ACCOUNT);
    const made = await this.parts.store.saveFirstKey(account, this.record(key, account.id, 'first key', SCOPES));
    return made && bootstrapKey === null ? key : null;
  }

  private newAccount(name: string): Account {
    const { id, createdAt } = this.parts.ids.next('acct');
    return { id, name, createdAt };
  }

  private record(
    key: string,
    accountId: string,
    name: string,
    scopes: readonly Scope[],
    ids = this.parts.ids,
  ): ApiKeyRecord {
    const publicId = publicIdOf(key);
    if (publicId === null) throw new Error('a key of our own making is malformed');
    const { id, createdAt } = ids.next('key');
    const secretHash = this.hash(key).toString('hex');
    const never = { expiresAt: null, revokedAt: null, lastUsedAt: null };
    return { id, accountId, name, publicId, secretHash, scopes, createdAt, ...never };
  }

  private hash(key: string): Buffer {
    return createHmac('sha256', this.parts.pepper).update(key).digest();
  }

  /** Not awaited by the request: an answer does not wait for bookkeeping. */
  private touch(keyId: string, now: number): void {
    // Also where the clock has been set back.
    if (Math.abs(now - (this.touchedAt.get(keyId) ?? -Infinity)) < TOUCH_INTERVAL_MS) return;
    this.touchedAt.set(keyId, now);
    setImmediate(() => {
      this.parts.store.touchKey(keyId, now).catch((error: unknown) => {
        this.parts.logger.warn({ err: error, keyId }, 'last use of a key not stored');
      });
    });
  }
}

function requireScopes(caller: Caller, scopes: readonly Scope[]): void {
  const missing = scopes.find((scope) => !allows(caller.key, scope));
  if (missing === undefined) return;
  throw new ExtremumError('forbidden', `Your key lacks the scope \`${missing}\`; it cannot give it to another one.`);
}

/** Whether the key's scopes cover `needed`; `admin` covers all. */
export function allows(key: ApiKeyRecord, needed: Scope): boolean {
  return key.scopes.includes(needed) || key.scopes.includes('admin');
}
