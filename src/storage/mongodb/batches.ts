/** Batches in MongoDB. */
import { encode } from '../../common/codec.js';
import type { BatchRecord, BatchState } from '../../model/batch.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { NewRun } from '../../model/run-record.js';
import type { RunStatus } from '../../model/run-status.js';
import type { BatchStore } from '../contract/batches.js';
import { recordWith } from '../damage.js';
import { batchState } from '../rules/batch-state.js';
import { batchExists } from '../rules/conflicts.js';
import { checkSize, type Database } from './database.js';
import { isDuplicateKey, unlessDuplicate } from './driver-errors.js';
import type { OpenHours } from './open-hours.js';
import { removedOf } from './removed-runs.js';
import { type RunDocument, runDocument } from './run-document.js';
import { idOf, pack, type Packed, unpack, window } from './values.js';

interface BatchDocument {
  _id: string;
  accountId: string;
  body: Packed;
}

/** A batch that is not made within this time never will be. */
const HELD_MS = 3_600_000;

export class MongodbBatches implements BatchStore {
  private readonly db: Database;
  private readonly hours: OpenHours;

  constructor(db: Database, hours: OpenHours) {
    this.db = db;
    this.hours = hours;
  }

  private get batches() {
    return this.db.collection<BatchDocument>('batches');
  }

  private get runs() {
    return this.db.collection<RunDocument>('runs');
  }

  /**
   * The insertion of the batch decides. Its runs are written before, held: they belong to no account and cannot be
   * claimed. Then they are let go; where this process dies first, `removeExpired` of another one does it.
   */
  async createBatch(batch: BatchRecord, runs: readonly NewRun[]): Promise<void> {
    const { id, accountId } = batch;
    const document: BatchDocument = checkSize({ _id: id, accountId, body: await pack(encode(batch)) });
    const held = (await Promise.all(runs.map((run) => runDocument(run)))).map((run): RunDocument => {
      const { leaseUntil: _none, ...rest } = run;
      return { ...rest, accountId: '', heldFor: accountId, batchId: id };
    });
    // Those that an earlier attempt has written are the same.
    await this.db.repeatable(() => this.runs.insertMany(held, { ordered: false }).catch(unlessDuplicate));
    const isMade = await this.db.decide(
      async () => {
        try {
          await this.batches.insertOne(document);
          return true;
        } catch (error) {
          if (isDuplicateKey(error)) return false;
          throw error;
        }
      },
      async () => ((await this.batches.findOne({ _id: id })) === null ? undefined : true),
    );
    await this.letGo(id, accountId);
    if (!isMade) throw batchExists(id);
  }

  private async letGo(batchId: string, accountId: string): Promise<void> {
    const update = { $set: { accountId, leaseUntil: 0 }, $unset: { heldFor: 1 } } as const;
    const held = { batchId, heldFor: { $exists: true } };
    const found = await this.db.read(() => this.runs.find(held, { projection: { createdAt: 1 } }).toArray());
    const times = found.map(({ createdAt }) => createdAt);
    await this.hours.counting(accountId, times, () => this.db.repeatable(() => this.runs.updateMany(held, update)));
  }

  /** Runs that a death left held are let go where their batch exists, and removed where it was never made. */
  async removeExpired(now: number): Promise<void> {
    const found = await this.db.read(() =>
      this.runs
        .aggregate<{ _id: string; account: string; last: number }>([
          { $match: { heldFor: { $exists: true } } },
          { $group: { _id: '$batchId', account: { $first: '$heldFor' }, last: { $max: '$createdAt' } } },
        ])
        .toArray(),
    );
    for (const { _id, account, last } of found) {
      if ((await this.db.read(() => this.batches.findOne({ _id }, { projection: { _id: 1 } }))) !== null) {
        await this.letGo(_id, account);
      } else if (last < now - HELD_MS) {
        await this.db.repeatable(() => this.runs.deleteMany({ batchId: _id, heldFor: { $exists: true } }));
      }
    }
  }

  private async batchStates(found: readonly BatchDocument[]): Promise<BatchState[]> {
    const accounts = [...new Set(found.map(({ accountId }) => removedOf(accountId)))];
    const isRemovedNow = { $in: ['$accountId', accounts] };
    const groups = await this.db.read(() =>
      this.runs
        .aggregate<{ _id: { batch: string; status: RunStatus }; n: number; last: number | null; removed: number }>([
          { $match: { batchId: { $in: found.map(({ _id }) => _id) } } },
          {
            $group: {
              _id: { batch: '$batchId', status: '$status' },
              n: { $sum: 1 },
              last: { $max: '$completedAt' },
              removed: { $sum: { $cond: [isRemovedNow, 1, 0] } },
            },
          },
        ])
        .toArray(),
    );
    const removed = await this.removedRuns(
      found,
      groups.reduce((sum, { removed }) => sum + removed, 0),
    );
    return this.db.records.allLater(found, idOf, async ({ _id, body }) => {
      const own = groups
        .filter((group) => group._id.batch === _id)
        .map((group) => ({ status: group._id.status, count: group.n, lastEndedAt: group.last }));
      return batchState(recordWith(_id, await unpack<BatchRecord>(body)), own, removed);
    });
  }

  private async removedRuns(batches: readonly BatchDocument[], count: number): Promise<ReadonlySet<string>> {
    if (count === 0) return new Set();
    const accountId = { $in: batches.map((batch) => removedOf(batch.accountId)) };
    const filter = { batchId: { $in: batches.map(idOf) }, accountId };
    return new Set((await this.db.read(() => this.runs.find(filter, { projection: { _id: 1 } }).toArray())).map(idOf));
  }

  async findBatch(accountId: string, id: string): Promise<BatchState | null> {
    const found = await this.db.read(() => this.batches.findOne({ _id: id, accountId }));
    if (found === null) return null;
    await this.db.records.later(id, async () => recordWith(id, await unpack<BatchRecord>(found.body)));
    return (await this.batchStates([found]))[0] ?? null;
  }

  async listBatches(accountId: string, page: PageRequest): Promise<Page<BatchState>> {
    const [found, total] = await this.db.read(() => {
      const items = this.batches.find({ accountId }, window(page));
      return Promise.all([items.toArray(), this.batches.countDocuments({ accountId })]);
    });
    return { items: await this.batchStates(found), total };
  }
}
