import type { RequestCount } from '../store.js';

/** Counts of one process, for stores that no other process serves requests from. */
export class RequestCounts {
  readonly #counts = new Map<string, RequestCount>();

  add(key: string, now: number, windowMs: number): RequestCount {
    const last = this.#counts.get(key);
    const next =
      last === undefined || last.resetAt <= now
        ? { count: 1, resetAt: now + windowMs }
        : { count: last.count + 1, resetAt: last.resetAt };
    this.#counts.set(key, next);
    return next;
  }

  removeExpired(now: number): void {
    for (const [key, { resetAt }] of this.#counts) if (resetAt <= now) this.#counts.delete(key);
  }
}
