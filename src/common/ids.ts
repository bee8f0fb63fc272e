import { randomInt } from 'node:crypto';

/** A clock: epoch milliseconds. Injected wherever time is read, so that tests can hold it. */
export type Clock = () => number;

type IdPrefix =
  'func' | 'opt' | 'key' | 'acct' | 'batch' | 'evt' | 'wh' | 'dlv' | 'study' | 'ask' | 'tell' | 'fed' | 'conv' | 'msg';

export interface IdSource {
  /** A new identifier and the time it carries: `createdAt` of the thing it names. */
  next(prefix: IdPrefix): { readonly id: string; readonly createdAt: number };
  /**
   * The identifiers may be those of an earlier attempt at the same request, which may have stored things under them.
   */
  readonly isRepeat?: boolean;
}

const SEQUENCE_DIGITS = 4;
const RANDOM_DIGITS = 12;
/** Largest step by which clocks are set back in ordinary life. */
const MOST_STEP_BACK_MS = 10_000;

/**
 * Identifiers are `<prefix>_` + 29 digits: 13 of epoch milliseconds, 4 of a sequence within the millisecond, 12 random.
 * Text order is order of creation, also when the clock steps back a little: time then stands still until it catches up.
 * If the clock was far ahead, later identifiers have the right time, and sort before those made then. The random part
 * only makes them hard to guess (10^12); access is decided by the account, not by knowing an identifier.
 */
export function composeId(prefix: IdPrefix, createdAt: number, sequence: number, random: number): string {
  const digits =
    String(createdAt).padStart(13, '0') +
    String(sequence).padStart(SEQUENCE_DIGITS, '0') +
    String(random % 10 ** RANDOM_DIGITS).padStart(RANDOM_DIGITS, '0');
  return `${prefix}_${digits}`;
}

/** Fresh identifiers. */
export function createIdSource(clock: Clock = Date.now): IdSource {
  let lastMs = 0;
  let sequence = 0;
  return {
    next(prefix) {
      const now = clock();
      if (now > lastMs || lastMs - now > MOST_STEP_BACK_MS) {
        lastMs = now;
        sequence = 0;
      } else if (++sequence >= 10 ** SEQUENCE_DIGITS) {
        lastMs += 1;
        sequence = 0;
      }
      return { id: composeId(prefix, lastMs, sequence, randomInt(10 ** RANDOM_DIGITS)), createdAt: lastMs };
    },
  };
}
