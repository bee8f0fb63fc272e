/** The time that placement goes by, so that tests can have one of their own. */
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface Clock {
  /** Seconds, monotonic. */
  now(): number;
  /** Lets whatever has ended in the meantime be heard. */
  turn(): Promise<void>;
}

export const REAL_CLOCK: Clock = {
  now: () => performance.now() / 1000,
  turn: () => nextTurn(),
};
