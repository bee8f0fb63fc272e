/** Functions in MongoDB. */
import { encode } from '../../common/codec.js';
import type { FunctionRecord } from '../../model/function-record.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { Misreading } from '../../model/verification.js';
import type { FunctionStore } from '../contract/functions.js';
import { decodeObject, recordWith } from '../damage.js';
import { checkSize, type Database } from './database.js';
import { unlessDuplicate } from './driver-errors.js';
import { idOf, pack, type Packed, unpack, window } from './values.js';

interface FunctionDocument {
  _id: string;
  accountId: string;
  body: Packed;
}

interface MisreadingDocument {
  /** Account and hash: neither has a blank. */
  _id: string;
  body: string;
}

export class MongodbFunctions implements FunctionStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  private get functions() {
    return this.db.collection<FunctionDocument>('functions');
  }

  private get misreadings() {
    return this.db.collection<MisreadingDocument>('misreadings');
  }

  async saveFunction(record: FunctionRecord): Promise<void> {
    const { misread: _found, ...kept } = record;
    const { id, accountId } = record;
    const text = encode(kept);
    const document = checkSize<FunctionDocument>({ _id: id, accountId, body: await pack(text) });
    await this.db.decide<unknown>(
      () => this.functions.insertOne(document).catch(unlessDuplicate),
      async () => (await this.functions.findOne({ _id: id }, { projection: { _id: 1 } })) ?? undefined,
    );
  }

  async findFunction(accountId: string, id: string): Promise<FunctionRecord | null> {
    const found = await this.db.read(() => this.functions.findOne({ _id: id, accountId }));
    if (found === null) return null;
    const record = await this.db.records.later(id, () => functionOf(found));
    const misread = await this.findMisreading(accountId, record.sha256);
    return misread === null ? record : { ...record, misread };
  }

  async listFunctions(accountId: string, page: PageRequest): Promise<Page<FunctionRecord>> {
    const [found, total] = await this.db.read(() => {
      const items = this.functions.find({ accountId }, window(page));
      return Promise.all([items.toArray(), this.functions.countDocuments({ accountId })]);
    });
    const records = await this.db.records.allLater(found, idOf, functionOf);
    const names = [...new Set(records.map(({ sha256 }) => misreadingName(accountId, sha256)))];
    const misread =
      names.length === 0 ? [] : await this.db.read(() => this.misreadings.find({ _id: { $in: names } }).toArray());
    const bodies = new Map(misread.map(({ _id, body }) => [_id, body]));
    const items = this.db.records.all(
      records,
      ({ id }) => id,
      (record) => {
        const body = bodies.get(misreadingName(accountId, record.sha256));
        return body === undefined ? record : { ...record, misread: decodeObject<Misreading>(body) };
      },
    );
    return { items, total };
  }

  async deleteFunction(accountId: string, id: string): Promise<boolean> {
    return this.db.decide(
      async () => (await this.functions.deleteOne({ _id: id, accountId })).deletedCount > 0,
      async () => ((await this.functions.findOne({ _id: id, accountId })) === null ? true : undefined),
    );
  }

  async saveMisreading(accountId: string, sha256: string, misreading: Misreading): Promise<void> {
    const $setOnInsert = { body: encode(misreading) };
    const filter = { _id: misreadingName(accountId, sha256) };
    await this.db.repeatable(() =>
      this.misreadings.updateOne(filter, { $setOnInsert }, { upsert: true }).catch(unlessDuplicate),
    );
  }

  async findMisreading(accountId: string, sha256: string): Promise<Misreading | null> {
    const _id = misreadingName(accountId, sha256);
    const found = await this.db.read(() => this.misreadings.findOne({ _id }));
    return found === null ? null : this.db.records.one(_id, () => decodeObject<Misreading>(found.body));
  }

  async countMisreadings(): Promise<number> {
    return this.db.read(() => this.misreadings.estimatedDocumentCount());
  }
}

const functionOf = async ({ _id, body }: FunctionDocument): Promise<FunctionRecord> =>
  recordWith(_id, await unpack<FunctionRecord>(body));

const misreadingName = (accountId: string, sha256: string): string => `${accountId} ${sha256}`;
