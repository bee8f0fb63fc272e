import type { RequestCount } from '../contract/counting.js';

/** Counts of one process, for stores that no other process serves requests from. */
/** How often it forgets windows that are over. */
const FORGET_MS = 60_000;

/** Whether a window that ends then is over. One that lies further ahead than windows do was begun by a clock that was ahead. */
export const isWindowOver = (resetAt: number, now: number, windowMs: number): boolean =>
  resetAt <= now || resetAt > now + 2 * windowMs;

export class RequestCounts {
  /** Nobody else may come by while the clock is not known to be right. */
  #forgotAt = -Infinity;
  readonly #counts = new Map<string, RequestCount>();

  add(key: string, now: number, windowMs: number): RequestCount {
    this.#forget(now, windowMs);
    const last = this.#counts.get(key);
    const next =
      last === undefined || isWindowOver(last.resetAt, now, windowMs)
        ? { count: 1, resetAt: now + windowMs }
        : { count: last.count + 1, resetAt: last.resetAt };
    this.#counts.set(key, next);
    return next;
  }

  removeExpired(now: number): void {
    for (const [key, { resetAt }] of this.#counts) if (resetAt <= now) this.#counts.delete(key);
  }

  #forget(now: number, windowMs: number): void {
    if (Math.abs(now - this.#forgotAt) < FORGET_MS) return;
    this.#forgotAt = now;
    for (const [key, { resetAt }] of this.#counts) if (isWindowOver(resetAt, now, windowMs)) this.#counts.delete(key);
  }
}
