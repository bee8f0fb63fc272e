/** Counts of requests of one process, for stores that no other process serves requests from. */
import type { CountingStore, RequestCount } from '../contract/counting.js';
import { isWindowOver } from '../rules/request-windows.js';

/** How often it forgets windows that are over. */
const FORGET_MS = 60_000;

export class MemoryCounting implements CountingStore {
  /** Nobody else may come by while the clock is not known to be right. */
  private forgotAt = -Infinity;
  private readonly counts = new Map<string, RequestCount>();

  async countRequest(key: string, now: number, windowMs: number): Promise<RequestCount> {
    this.forget(now, windowMs);
    const last = this.counts.get(key);
    const next =
      last === undefined || isWindowOver(last.resetAt, now, windowMs)
        ? { count: 1, resetAt: now + windowMs }
        : { count: last.count + 1, resetAt: last.resetAt };
    this.counts.set(key, next);
    return { ...next };
  }

  removeExpired(now: number): void {
    for (const [key, { resetAt }] of this.counts) if (resetAt <= now) this.counts.delete(key);
  }

  private forget(now: number, windowMs: number): void {
    if (Math.abs(now - this.forgotAt) < FORGET_MS) return;
    this.forgotAt = now;
    for (const [key, { resetAt }] of this.counts) if (isWindowOver(resetAt, now, windowMs)) this.counts.delete(key);
  }
}
