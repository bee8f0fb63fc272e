/**
 * Removal of runs from MongoDB. The update that replaces a run's document decides: what is left of it is what analytics
 * count, under an account of its own (`removedOf`), so that nothing that asks for the account's runs sees it. All else
 * that is kept of the run is removed after that. What a death in between leaves, and what another process was just
 * writing, is removed by `removeExpired`, which goes over each removed run until that was done some time after its
 * removal.
 */
import { randomUUID } from 'node:crypto';
import type { Filter } from 'mongodb';
import type { RunStatus } from '../../model/run-status.js';
import type { DeletionStore, EndedFilter } from '../contract/deletion.js';
import type { Database } from './database.js';
import type { MongodbIdempotency } from './idempotency.js';
import { BY_END } from './indexes.js';
import type { MongodbLearning } from './learning.js';
import { removedOf } from './removed-runs.js';
import type { RunDocument } from './run-document.js';
import type { RunParts } from './run-parts.js';
import { idOf } from './values.js';
import type { MongodbWebhooks } from './webhooks.js';

/** The parts that keep something of a run beside its document. */
interface Keepers {
  readonly parts: RunParts;
  readonly learning: MongodbLearning;
  readonly idempotency: MongodbIdempotency;
  readonly webhooks: MongodbWebhooks;
}

const ENDED: readonly RunStatus[] = ['completed', 'failed'];
const SWEPT_AT_ONCE = 200;
/** So long after a removal, all that was under way has been written. */
const SETTLED_MS = 600_000;

export class MongodbDeletion implements DeletionStore {
  private readonly db: Database;
  private readonly keepers: Keepers;

  constructor(db: Database, keepers: Keepers) {
    this.db = db;
    this.keepers = keepers;
  }

  private get runs() {
    return this.db.collection<RunDocument>('runs');
  }

  async deleteRuns(accountId: string, ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const token = randomUUID();
    const filter: Filter<RunDocument> = { _id: { $in: [...ids] }, accountId, status: { $in: [...ENDED] } };
    const left = {
      _id: '$_id',
      accountId: { $literal: removedOf(accountId) },
      batchId: '$batchId',
      status: '$status',
      createdAt: '$createdAt',
      completedAt: '$completedAt',
      counted: '$counted',
      traffic: '$traffic',
      ending: null,
      history: null,
      checkpoint: null,
      token: { $literal: token },
      removedAt: { $literal: Date.now() },
    };
    // Whatever it has changed does not match any more.
    await this.db.repeatable(() => this.runs.updateMany(filter, [{ $replaceWith: left }]));
    const removed = await this.db.read(() =>
      this.runs.find({ _id: { $in: [...ids] }, token }, { projection: { _id: 1 } }).toArray(),
    );
    const removedIds = removed.map(idOf);
    await this.clean(removedIds);
    return removedIds;
  }

  /** Bears being repeated. */
  private async clean(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { parts, learning, idempotency, webhooks } = this.keepers;
    await webhooks.removeOf(ids);
    await parts.removeAllOf(ids);
    await idempotency.removeAnswersOf(ids);
    await learning.erase(ids);
  }

  async endedRuns(accountId: string, filter: EndedFilter, limit: number): Promise<readonly string[]> {
    if (limit <= 0) return [];
    const { status, endedBefore, exceptNewest } = filter;
    const ended: Filter<RunDocument> = { accountId, completedAt: { $gte: 0 } };
    const conditions: Filter<RunDocument>[] = [
      ended,
      ...(status === undefined ? [] : [{ status }]),
      ...(endedBefore === undefined ? [] : [{ completedAt: { $lt: endedBefore } }]),
    ];
    // From the index alone: the documents may be large.
    const options = { projection: { completedAt: 1 }, hint: BY_END } as const;
    if (exceptNewest !== undefined) {
      const newest = { sort: { completedAt: -1, _id: -1 }, skip: exceptNewest, limit: 1 } as const;
      const [last] = await this.db.read(() => this.runs.find(ended, { ...options, ...newest }).toArray());
      if (last === undefined) return [];
      const { _id, completedAt } = last;
      conditions.push({ $or: [{ completedAt: { $lt: completedAt ?? 0 } }, { completedAt, _id: { $lte: _id } }] });
    }
    const found = await this.db.read(() =>
      this.runs.find({ $and: conditions }, { ...options, sort: { completedAt: 1, _id: 1 }, limit }).toArray(),
    );
    return found.map(idOf);
  }

  async deletedRun(accountId: string, id: string, createdAt: number): Promise<RunStatus | null> {
    const filter = { _id: id, accountId: removedOf(accountId), createdAt };
    const found = await this.db.read(() => this.runs.findOne(filter, { projection: { status: 1 } }));
    return found?.status ?? null;
  }

  async accountIds(): Promise<readonly string[]> {
    const accounts = this.db.collection<{ _id: string }>('accounts');
    return (await this.db.read(() => accounts.find({}, { projection: { _id: 1 } }).toArray())).map(idOf);
  }

  /** The server uses what was freed for what is written later; `compact` is the operator's to order. */
  async returnSpace(): Promise<boolean> {
    return false;
  }

  async removeExpired(now: number): Promise<void> {
    for (let after = ''; ;) {
      const unsettled: Filter<RunDocument> = { removedAt: { $gte: 0 }, _id: { $gt: after } };
      const options = { projection: { removedAt: 1 }, sort: { _id: 1 }, limit: SWEPT_AT_ONCE } as const;
      const found = await this.db.read(() => this.runs.find(unsettled, options).toArray());
      const last = found.at(-1);
      if (last === undefined) return;
      after = last._id;
      await this.clean(found.map(idOf));
      const settled = found.filter(({ removedAt = now }) => removedAt <= now - SETTLED_MS).map(idOf);
      if (settled.length === 0) continue;
      await this.db.repeatable(() => this.runs.updateMany({ _id: { $in: settled } }, { $unset: { removedAt: 1 } }));
    }
  }
}
