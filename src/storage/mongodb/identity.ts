/**
 * Accounts and keys in MongoDB. The insertion of a first key decides, which only one document may be; the account that
 * was made for it before is found again by its name.
 */
import { Binary, type Filter } from 'mongodb';
import { randomBytes } from 'node:crypto';
import { encode } from '../../common/codec.js';
import { ExtremumError } from '../../common/errors.js';
import { type Account, type ApiKeyRecord, ENDED_KEY_KEPT_MS } from '../../model/api-key.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { IdentityStore } from '../contract/identity.js';
import { decodeRecord } from '../damage.js';
import { keyExists, secretIsThere } from '../rules/conflicts.js';
import type { Database } from './database.js';
import { isDuplicateKey, unlessDuplicate } from './driver-errors.js';
import { SharedReads } from './shared-reads.js';
import { idOf, window } from './values.js';

interface AccountDocument {
  _id: string;
  name: string;
  body: string;
}

interface KeyDocument {
  _id: string;
  accountId: string;
  publicId: string;
  lastUsedAt: number | null;
  /** Documents of earlier versions lack it: null. */
  expiresAt?: number | null;
  /** As `expiresAt`. */
  revokedAt?: number | null;
  body: string;
  first?: true;
}

interface SecretDocument {
  _id: 'key-secret';
  secret: Binary;
}

const SECRET_BYTES = 32;
const SECRET_MEND =
  'Put the document back from the backup that the database comes from. Where there is none, begin anew: stop all processes, and ' +
  '`extremum keys new-secret --mongodb-url URL` makes another secret; every API key becomes invalid.';
const REMEMBERED_ACCOUNTS = 10_000;

export class MongodbIdentity implements IdentityStore {
  private readonly db: Database;
  /** Encoded, by identifier. */
  private readonly accountBodies = new Map<string, string>();
  private readonly keyReads = new SharedReads<KeyDocument | null>();

  constructor(db: Database) {
    this.db = db;
  }

  private get accounts() {
    return this.db.collection<AccountDocument>('accounts');
  }

  private get keys() {
    return this.db.collection<KeyDocument>('api_keys');
  }

  private get secrets() {
    return this.db.collection<SecretDocument>('settings');
  }

  async ensureAccount(candidate: Account): Promise<Account> {
    const { name } = candidate;
    const document = { _id: candidate.id, name, body: encode(candidate) };
    const find = (): Promise<AccountDocument | null> => this.accounts.findOne({ name });
    const existing = await this.db.read(find);
    if (existing !== null) return this.readAccount(existing);
    const made = await this.db.decide(
      async () => {
        try {
          await this.accounts.insertOne(document);
          return document;
        } catch (error) {
          // Somebody else made it just now.
          const other = isDuplicateKey(error) ? await find() : null;
          if (other === null) throw error;
          return other;
        }
      },
      async () => (await find()) ?? undefined,
    );
    return this.readAccount(made);
  }

  private readAccount({ _id, body }: Pick<AccountDocument, '_id' | 'body'>): Account {
    return this.db.records.one(_id, () => decodeRecord<Account>(_id, body));
  }

  private readKey(found: KeyDocument): ApiKeyRecord {
    return this.db.records.one(found._id, () => keyOf(found));
  }

  async saveKey(key: ApiKeyRecord): Promise<void> {
    const { id, publicId } = key;
    if (!(await this.insertKey(keyDocument(key)))) throw keyExists({ id, publicId });
  }

  /** False: a unique index has its like already. */
  private async insertKey(document: KeyDocument): Promise<boolean> {
    return this.db.decide(
      async () => {
        try {
          await this.keys.insertOne(document);
          return true;
        } catch (error) {
          if (isDuplicateKey(error)) return false;
          throw error;
        }
      },
      async () => ((await this.keys.findOne({ _id: document._id })) === null ? undefined : true),
    );
  }

  async saveFirstKey(account: Account, key: ApiKeyRecord): Promise<boolean> {
    const copy = structuredClone({ account, key });
    const any = await this.db.read(() => this.keys.findOne({}, { projection: { _id: 1 } }));
    if (any !== null) return false;
    const owner = await this.ensureAccount(copy.account);
    // Of several processes that came so far, the index lets one through.
    return this.insertKey({ ...keyDocument({ ...copy.key, accountId: owner.id }), first: true });
  }

  async findKey(publicId: string): Promise<{ key: ApiKeyRecord; account: Account } | null> {
    const found = await this.keyReads.read(publicId, () => this.db.read(() => this.keys.findOne({ publicId })));
    if (found === null) return null;
    const account = await this.accountOf(found.accountId);
    return account === null ? null : { key: this.readKey(found), account };
  }

  /** Every request asks; an account never changes. */
  private async accountOf(id: string): Promise<Account | null> {
    let body = this.accountBodies.get(id);
    if (body === undefined) {
      const found = await this.db.read(() => this.accounts.findOne({ _id: id }));
      if (found === null) return null;
      body = found.body;
      if (this.accountBodies.size >= REMEMBERED_ACCOUNTS) this.accountBodies.clear();
      this.accountBodies.set(id, body);
    }
    return this.readAccount({ _id: id, body });
  }

  async findAccount(name: string): Promise<Account | null> {
    const found = await this.db.read(() => this.accounts.findOne({ name }));
    return found === null ? null : this.readAccount(found);
  }

  async listKeys(accountId: string, page: PageRequest): Promise<Page<ApiKeyRecord>> {
    const filter: Filter<KeyDocument> = { accountId, revokedAt: null };
    const [found, total] = await this.db.read(() =>
      Promise.all([this.keys.find(filter, window(page)).toArray(), this.keys.countDocuments(filter)]),
    );
    return { items: this.db.records.all(found, idOf, keyOf), total };
  }

  async findKeyById(accountId: string, id: string): Promise<ApiKeyRecord | null> {
    const found = await this.db.read(() => this.keys.findOne({ _id: id, accountId, revokedAt: null }));
    return found === null ? null : this.readKey(found);
  }

  async revokeKey(accountId: string, id: string, revokedAt: number): Promise<boolean> {
    return this.db.decide(
      async () =>
        (await this.keys.updateOne({ _id: id, accountId, revokedAt: null }, { $set: { revokedAt } })).matchedCount > 0,
      async () => ((await this.keys.findOne({ _id: id, accountId, revokedAt })) === null ? undefined : true),
    );
  }

  async limitKey(accountId: string, id: string, expiresAt: number): Promise<boolean> {
    // `$min` of an expression passes over null.
    const update = [{ $set: { expiresAt: { $min: ['$expiresAt', expiresAt] } } }];
    const filter: Filter<KeyDocument> = { _id: id, accountId, revokedAt: null };
    return this.db.repeatable(async () => (await this.keys.updateOne(filter, update)).matchedCount > 0);
  }

  async touchKey(id: string, usedAt: number): Promise<void> {
    await this.db.repeatable(() => this.keys.updateOne({ _id: id }, { $set: { lastUsedAt: usedAt } }));
  }

  async keySecret(): Promise<Uint8Array> {
    const found = (await this.findSecret()) ?? (await this.firstSecret());
    if (found.secret.length() === SECRET_BYTES) return found.secret.value();
    const what = 'The secret of the API keys, the document `key-secret` of the collection `settings`, is damaged.';
    throw new ExtremumError('store_unavailable', `${what} ${SECRET_MEND}`);
  }

  private findSecret(): Promise<SecretDocument | null> {
    return this.db.read(() => this.secrets.findOne({ _id: 'key-secret' }));
  }

  private async firstSecret(): Promise<SecretDocument> {
    const keys = await this.db.read(() => this.keys.countDocuments({}));
    // Of processes that start together one may have made secret and key since.
    const late = keys === 0 ? null : await this.findSecret();
    if (late !== null) return late;
    if (keys > 0) {
      const what =
        'The secret of the API keys is missing: there is no document `key-secret` in the collection `settings`, and without it ' +
        `none of the ${keys} keys in the database can be checked.`;
      throw new ExtremumError('store_unavailable', `${what} ${SECRET_MEND}`);
    }
    await this.makeSecret();
    const found = await this.findSecret();
    if (found === null) throw new Error('the secret of the keys vanished');
    return found;
  }

  /** Repeatable, and safe for processes that start together: `_id` is unique, and the first secret stays. */
  private async makeSecret(): Promise<void> {
    const $setOnInsert = { secret: new Binary(randomBytes(SECRET_BYTES)) };
    await this.db.repeatable(async () => {
      await this.secrets.updateOne({ _id: 'key-secret' }, { $setOnInsert }, { upsert: true }).catch(unlessDuplicate);
    });
  }

  async newKeySecret(revokedAt: number): Promise<number> {
    const found = await this.findSecret();
    if (found?.secret.length() === SECRET_BYTES) throw secretIsThere();
    const requests = this.db.collection('idempotent_requests');
    await this.db.repeatable(() => requests.deleteMany({}));
    const live = { revokedAt: null };
    const revoked = await this.db.repeatable(() => this.keys.updateMany(live, { $set: { revokedAt } }));
    // Last: until then it is lost, and this may be asked for again.
    if (found !== null)
      await this.db.repeatable(() => this.secrets.deleteOne({ _id: 'key-secret', secret: found.secret }));
    await this.makeSecret();
    return revoked.matchedCount;
  }

  async removeExpired(now: number): Promise<void> {
    const endedBefore = now - ENDED_KEY_KEPT_MS;
    const [oldest] = await this.db.read(() => this.keys.find({}, { sort: { _id: 1 }, limit: 1 }).toArray());
    if (oldest === undefined) return;
    const ended = [{ expiresAt: { $lte: endedBefore } }, { revokedAt: { $lte: endedBefore } }];
    await this.db.repeatable(() => this.keys.deleteMany({ _id: { $gt: oldest._id }, $or: ended }));
  }
}

function keyDocument(key: ApiKeyRecord): KeyDocument {
  const { lastUsedAt, expiresAt, revokedAt, ...rest } = key;
  const { id, accountId, publicId } = key;
  return { _id: id, accountId, publicId, lastUsedAt, expiresAt, revokedAt, body: encode(rest) };
}

function keyOf({ _id, body, lastUsedAt, expiresAt, revokedAt }: KeyDocument): ApiKeyRecord {
  const rest = decodeRecord<ApiKeyRecord>(_id, body);
  return { ...rest, expiresAt: expiresAt ?? null, revokedAt: revokedAt ?? null, lastUsedAt };
}
