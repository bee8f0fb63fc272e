import type { Reading } from './reading.js';
import { TILE_LANES, tiledLength, tiledStart, toRows } from './tiles.js';

/** Candidates that somebody wants evaluated. */
export interface CandidateBatch {
  readonly candidates: Float64Array;
  /**
   * `tiles`: as `model/tiles.ts` says, which is what kernels read; strategies write populations so. Absent: rows,
   * `[count, dimension]`, in which people and other programs give and get candidates; kernels take them too.
   */
  readonly layout?: 'tiles';
  readonly count: number;
  /** Numbers of a candidate: `rowLength` of the reading. */
  readonly dimension: number;
  /** The reading that is wanted of each row; absent: `value`. */
  readonly reading?: Reading;
  /** A sample: some rows may be told as failed because nobody evaluated them. Absent: every row is waited for. */
  readonly bearsGaps?: boolean;
  /**
   * A population, or the rest of one, that a device may have valued where nobody sees its rows: of them only the best,
   * the first of equal ones, counts as an improvement. Absent: each row that is better than all before does.
   */
  readonly isGeneration?: boolean;
  /** Differences of values count, down to rounding in double precision. */
  readonly isPrecise?: boolean;
}

/** Candidates, and how they lie. */
export type Placed = Pick<CandidateBatch, 'candidates' | 'layout' | 'dimension'>;

/** Where the first number of candidate `row` is in `candidates`. */
export const candidateStart = ({ layout, dimension }: Omit<Placed, 'candidates'>, row: number): number =>
  layout === 'tiles' ? tiledStart(row, dimension) : row * dimension;

/** From one number of a candidate to its next. */
export const candidateStride = ({ layout }: Pick<Placed, 'layout'>): number => (layout === 'tiles' ? TILE_LANES : 1);

/** Candidate `row`: a view of rows, a copy from tiles. */
export function candidateOf(batch: Placed, row: number): Float64Array {
  const { candidates, layout, dimension } = batch;
  const start = candidateStart(batch, row);
  if (layout !== 'tiles') return candidates.subarray(start, start + dimension);
  const candidate = new Float64Array(dimension);
  for (let k = 0; k < dimension; k++) candidate[k] = candidates[start + k * TILE_LANES]!;
  return candidate;
}

/** The same batch in rows: itself, or a copy. */
export function inRows(batch: CandidateBatch): CandidateBatch {
  if (batch.layout !== 'tiles') return batch;
  const { candidates, count, dimension } = batch;
  return { ...batch, layout: undefined, candidates: toRows(candidates, count, dimension) };
}

/** Candidates `first` to `end` of a batch: a view of rows and of whole tiles, else a copy in rows. */
export function partOf(batch: CandidateBatch, first: number, end = batch.count): CandidateBatch {
  const { layout, dimension } = batch;
  const count = end - first;
  if (layout === 'tiles' && first % TILE_LANES !== 0) {
    const candidates = new Float64Array(count * dimension);
    for (let row = 0; row < count; row++) candidates.set(candidateOf(batch, first + row), row * dimension);
    return { ...batch, layout: undefined, candidates, count };
  }
  const start = first * dimension;
  const length = layout === 'tiles' ? tiledLength(count, dimension) : count * dimension;
  return { ...batch, candidates: batch.candidates.subarray(start, start + length), count };
}
