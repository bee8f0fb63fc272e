/**
 * Accounts and keys: who is asking, and what they may do. Knows nothing of HTTP.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { ExtremumError } from '../common/errors.js';
import type { Clock, IdSource } from '../common/ids.js';
import type { Logger } from '../common/logger.js';
import { SCOPES, type Account, type ApiKeyRecord, type Scope } from '../model/api-key.js';
import type { IdentityStore } from '../storage/store.js';
import { generateKey, publicIdOf } from './key-format.js';

export interface Caller {
  readonly account: Account;
  readonly key: ApiKeyRecord;
}

export interface IdentityParts {
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
  readonly #parts: IdentityParts;
  readonly #touchedAt = new Map<string, number>();

  constructor(parts: IdentityParts) {
    this.#parts = parts;
  }

  /**
   * Null for everything but a live key; why is not told. A key with a wrong form or checksum never reaches the store;
   * hashes are compared in constant time.
   */
  async authenticate(key: string): Promise<Caller | null> {
    const publicId = publicIdOf(key);
    if (publicId === null) return null;
    const found = await this.#parts.store.findKey(publicId);
    const given = this.#hash(key);
    const expected = Buffer.from(found?.key.secretHash ?? '0'.repeat(64), 'hex');
    if (!timingSafeEqual(given, expected) || found === null) return null;
    const now = this.#parts.clock();
    const { expiresAt, revokedAt } = found.key;
    if (revokedAt !== null || (expiresAt !== null && expiresAt <= now)) return null;
    this.#touch(found.key.id, now);
    return found;
  }

  /** Makes a key for the account of that name, and the account when the name is new. The key is shown only here. */
  async createKey(accountName: string, keyName: string, scopes: readonly Scope[]): Promise<string> {
    const key = generateKey();
    const account = await this.#parts.store.ensureAccount(this.#newAccount(accountName));
    await this.#parts.store.saveKey(this.#record(key, account.id, keyName, scopes));
    return key;
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
    const account = this.#newAccount(FIRST_ACCOUNT);
    const made = await this.#parts.store.saveFirstKey(account, this.#record(key, account.id, 'first key', SCOPES));
    return made && bootstrapKey === null ? key : null;
  }

  #newAccount(name: string): Account {
    const { id, createdAt } = this.#parts.ids.next('acct');
    return { id, name, createdAt };
  }

  #record(key: string, accountId: string, name: string, scopes: readonly Scope[]): ApiKeyRecord {
    const publicId = publicIdOf(key);
    if (publicId === null) throw new Error('a key of our own making is malformed');
    const { id, createdAt } = this.#parts.ids.next('key');
    const secretHash = this.#hash(key).toString('hex');
    const never = { expiresAt: null, revokedAt: null, lastUsedAt: null };
    return { id, accountId, name, publicId, secretHash, scopes, createdAt, ...never };
  }

  #hash(key: string): Buffer {
    return createHmac('sha256', this.#parts.pepper).update(key).digest();
  }

  /** Not awaited by the request: an answer does not wait for bookkeeping. */
  #touch(keyId: string, now: number): void {
    if (now - (this.#touchedAt.get(keyId) ?? -Infinity) < TOUCH_INTERVAL_MS) return;
    this.#touchedAt.set(keyId, now);
    setImmediate(() => {
      this.#parts.store.touchKey(keyId, now).catch((error: unknown) => {
        this.#parts.logger.warn({ err: error, keyId }, 'last use of a key not stored');
      });
    });
  }
}

/** Whether the key's scopes cover `needed`; `admin` covers all. */
export function allows(key: ApiKeyRecord, needed: Scope): boolean {
  return key.scopes.includes(needed) || key.scopes.includes('admin');
}
