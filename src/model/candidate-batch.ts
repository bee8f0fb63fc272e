import type { Reading } from './reading.js';

/** A matrix of candidates. Layout: row-major `[count, dimension]`; row `i` is `candidates[i*dimension ...]`. */
export interface CandidateBatch {
  readonly candidates: Float64Array;
  readonly count: number;
  /** Numbers in a row: `rowLength` of the reading. */
  readonly dimension: number;
  /** The reading that is wanted of each row; absent: `value`. */
  readonly reading?: Reading;
  /** A sample: some rows may be told as failed because nobody evaluated them. Absent: every row is waited for. */
  readonly bearsGaps?: boolean;
  /** Differences of values count, down to rounding in double precision. */
  readonly isPrecise?: boolean;
}
