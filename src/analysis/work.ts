import { tick } from '../common/watch.js';

/** Gave up: there is more to look at than is worth the time. */
export class TooMuchWork extends Error {}

/**
 * Cost of an analysis, counted: following or looking at a node is one unit, and so is whatever takes as long (about a
 * microsecond). A limit on it is the same on every machine; a limit of time would not be.
 */
export class Work {
  private done = 0;

  constructor(private readonly limit = Infinity) {}

  get spent(): number {
    return this.done;
  }

  spend(units = 1): void {
    this.done += units;
    if (this.done > this.limit) throw new TooMuchWork();
    tick(units);
  }
}
