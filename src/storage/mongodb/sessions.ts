/** Sessions of the dashboard in MongoDB. */
import { type DashboardSession, SESSION_IDLE_MS, SESSIONS_PER_KEY } from '../../model/dashboard-session.js';
import type { SessionStore } from '../contract/sessions.js';
import type { Database } from './database.js';
import { unlessDuplicate } from './driver-errors.js';
import { idOf } from './values.js';

interface SessionDocument {
  /** The hash. */
  _id: string;
  publicId: string;
  usedAt: number;
}

export class MongodbSessions implements SessionStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  private get sessions() {
    return this.db.collection<SessionDocument>('dashboard_sessions');
  }

  async saveSession({ tokenHash, publicId, usedAt }: DashboardSession): Promise<void> {
    const document = { _id: tokenHash, publicId, usedAt };
    await this.db.decide<unknown>(
      () => this.sessions.insertOne(document).catch(unlessDuplicate),
      async () => (await this.sessions.findOne({ _id: tokenHash })) ?? undefined,
    );
    const others = await this.db.read(() =>
      this.sessions
        .find({ publicId, _id: { $ne: tokenHash } }, { sort: { usedAt: -1, _id: 1 }, projection: { _id: 1 } })
        .skip(SESSIONS_PER_KEY - 1)
        .toArray(),
    );
    if (others.length === 0) return;
    await this.db.repeatable(() => this.sessions.deleteMany({ _id: { $in: others.map(idOf) } }));
  }

  async findSession(tokenHash: string): Promise<DashboardSession | null> {
    const found = await this.db.read(() => this.sessions.findOne({ _id: tokenHash }));
    return found === null ? null : { tokenHash, publicId: found.publicId, usedAt: found.usedAt };
  }

  async touchSession(tokenHash: string, usedAt: number): Promise<void> {
    await this.db.repeatable(() => this.sessions.updateOne({ _id: tokenHash }, { $max: { usedAt } }));
  }

  async endSession(tokenHash: string): Promise<void> {
    await this.db.repeatable(() => this.sessions.deleteOne({ _id: tokenHash }));
  }

  async removeExpired(now: number): Promise<void> {
    await this.db.repeatable(() => this.sessions.deleteMany({ usedAt: { $lte: now - SESSION_IDLE_MS } }));
  }
}
