/**
 * Which hours and days of an account are open: their runs are counted one by one. Whoever is about to change what is
 * counted of a run opens its hour before.
 */
import { GRACE_MS, HOUR_MS, hourOf } from '../rules/rollups.js';
import type { Database } from './database.js';

export interface OpenDocument {
  /** The account's. */
  _id: string;
  /** Grows whenever something is opened or closed. */
  version: number;
  hours: number[];
  days: number[];
}

export class OpenHours {
  private readonly db: Database;
  /** Hours that are known to be open: nobody closes one before it has been over for `GRACE_MS`. */
  private readonly openedHour = new Map<string, number>();

  constructor(db: Database) {
    this.db = db;
  }

  private get states() {
    return this.db.collection<OpenDocument>('open_rollups');
  }

  /**
   * Around a write that changes what is counted of runs that were created at these times. An hour that may be closed by
   * now is opened before the write and after it: somebody may have summed it in between.
   */
  async counting<T>(accountId: string, times: readonly number[], write: () => Promise<T>): Promise<T> {
    const hours = [...new Set(times.map(hourOf))];
    const isLate = (hour: number): boolean => Date.now() > hour + HOUR_MS + GRACE_MS / 2;
    await this.openHours(
      accountId,
      hours.filter((hour) => isLate(hour) || this.openedHour.get(accountId) !== hour),
    );
    const result = await write();
    await this.openHours(accountId, hours.filter(isLate));
    return result;
  }

  private async openHours(accountId: string, hours: readonly number[]): Promise<void> {
    if (hours.length === 0) return;
    const update = { $addToSet: { hours: { $each: [...hours] } }, $inc: { version: 1 }, $setOnInsert: { days: [] } };
    await this.db.repeatable(() => this.states.updateOne({ _id: accountId }, update, { upsert: true }));
    this.openedHour.set(accountId, Math.max(...hours));
  }
}
