/**
 * How many documents match, kept while nothing is written: a count looks at every index entry that matches, and pages
 * of one list ask for the same count over and over.
 */
import type { Moment } from './database.js';

/** A commit may be told of a moment before all that it has can be read. What was counted just then lives no longer. */
const LONGEST_MS = 1_000;
const MOST = 1_000;

interface Kept {
  readonly moment: Moment;
  readonly countedAt: number;
  readonly count: Promise<number>;
}

export class KeptCounts {
  private readonly kept = new Map<string, Kept>();

  /**
   * A count of the database as it was at `moment` or later.
   * @param moment Of a reply that came before this call; null: unknown, so that nothing is kept.
   * @param key Tells what is counted.
   */
  get(moment: Moment | null, key: string, count: () => Promise<number>): Promise<number> {
    if (moment === null) return count();
    const known = this.kept.get(key);
    const now = performance.now();
    if (known?.moment === moment && now - known.countedAt < LONGEST_MS) return known.count;
    const entry = { moment, countedAt: now, count: count() };
    this.kept.delete(key);
    this.kept.set(key, entry);
    entry.count.catch(() => {
      if (this.kept.get(key) === entry) this.kept.delete(key);
    });
    if (this.kept.size > MOST) {
      const [oldest = ''] = this.kept.keys();
      this.kept.delete(oldest);
    }
    return entry.count;
  }
}
