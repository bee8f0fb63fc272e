/** Counts of requests in MongoDB, shared by the processes that serve them. */
import type { CountingStore, RequestCount } from '../contract/counting.js';
import type { Database } from './database.js';

interface CountDocument {
  _id: string;
  count: number;
  resetAt: number;
}

export class MongodbCounting implements CountingStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  private get counts() {
    return this.db.collection<CountDocument>('request_counts');
  }

  async countRequest(key: string, now: number, windowMs: number): Promise<RequestCount> {
    // A count that a failover loses does not matter: not worth waiting for a majority on every request.
    const resetAt = { $ifNull: ['$resetAt', 0] };
    // As `isWindowOver`.
    const isOver = { $or: [{ $lte: [resetAt, now] }, { $gt: [resetAt, now + 2 * windowMs] }] };
    const next = {
      count: { $cond: [isOver, 1, { $add: ['$count', 1] }] },
      resetAt: { $cond: [isOver, now + windowMs, '$resetAt'] },
    };
    const found = await this.db.upsert(() =>
      this.counts.findOneAndUpdate({ _id: key }, [{ $set: next }], {
        upsert: true,
        returnDocument: 'after',
        writeConcern: { w: 1, journal: false },
      }),
    );
    if (found === null) throw new Error('an upsert without a document');
    return { count: found.count, resetAt: found.resetAt };
  }

  async removeExpired(now: number): Promise<void> {
    await this.db.repeatable(() => this.counts.deleteMany({ resetAt: { $lte: now } }));
  }
}
