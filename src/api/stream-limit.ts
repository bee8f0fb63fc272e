import { ExtremumError } from '../common/errors.js';

const RETRY_AFTER_SECONDS = 5;

/** How many streams of events a key has open: each costs the event loop something with every change of its run. */
export class StreamLimit {
  private readonly open = new Map<string, number>();

  /** @param most For each key; 0: no limit. */
  constructor(readonly most: number) {}

  /**
   * Takes a place, until the returned function is called, once.
   * @throws {ExtremumError} `rate_limited`: the key has none left.
   */
  enter(keyId: string): () => void {
    const open = this.open.get(keyId) ?? 0;
    if (this.most > 0 && open >= this.most) {
      const message = `This key has ${open} event streams open, the most that it may have: close one, or wait until one ends.`;
      throw new ExtremumError('rate_limited', message, { facts: { retryAfterSeconds: RETRY_AFTER_SECONDS } });
    }
    this.open.set(keyId, open + 1);
    return () => {
      const left = (this.open.get(keyId) ?? 1) - 1;
      if (left === 0) this.open.delete(keyId);
      else this.open.set(keyId, left);
    };
  }
}
