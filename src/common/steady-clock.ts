import type { Clock } from './ids.js';

/** More than any correction of a clock that is right. */
const TOLERANCE_MS = 60_000;

/**
 * A clock for what cannot be undone: it has a time only once the machine's has gone on for `steadyForMs` as it should,
 * so that nothing is removed by a clock that is ahead for a while.
 */
export class SteadyClock {
  private readonly clock: Clock;
  private readonly monotonic: Clock;
  private readonly steadyForMs: number;
  private since: { readonly time: number; readonly at: number } | null = null;

  constructor(clock: Clock, steadyForMs: number, monotonic: Clock = () => performance.now()) {
    this.clock = clock;
    this.steadyForMs = steadyForMs;
    this.monotonic = monotonic;
  }

  /** Null: not known for certain. To be asked now and then. */
  now(): number | null {
    const time = this.clock();
    const at = this.monotonic();
    const since = this.since ?? { time, at };
    const isSteady = Math.abs(time - since.time - (at - since.at)) <= TOLERANCE_MS;
    this.since = isSteady ? since : { time, at };
    return isSteady && at - since.at >= this.steadyForMs ? time : null;
  }
}
