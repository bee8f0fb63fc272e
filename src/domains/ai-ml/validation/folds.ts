/** Which rows a model is fitted to, and which it is judged by. */
import type { Rng } from '../../../common/rng.js';
import type { TrainingData } from '../learners/learner.js';

export interface Fold {
  /** Rows, ascending. */
  readonly train: Int32Array;
  readonly test: Int32Array;
}

/** Deals rows out to `count` piles of about equal size; with classes, so that each pile has its part of every class. */
function pilesOf({ rows, target, classes }: TrainingData, count: number, rng: Rng): Int32Array {
  const shuffled = shuffledRows(rows, rng);
  // A stable sort by class keeps the rows of a class in their shuffled order.
  if (classes > 0) shuffled.sort((a, b) => target[a] - target[b]);
  const piles = new Int32Array(rows);
  for (const [place, row] of shuffled.entries()) piles[row] = place % count;
  return piles;
}

export function shuffledRows(rows: number, rng: Rng): number[] {
  const order = Array.from({ length: rows }, (_, i) => i);
  for (let i = rows - 1; i > 0; i--) {
    const j = rng.below(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

const rowsWhere = (rows: number, isIn: (row: number) => boolean): Int32Array =>
  Int32Array.from(Array.from({ length: rows }, (_, i) => i).filter(isIn));

function foldsOf(piles: Int32Array, count: number): Fold[] {
  return Array.from({ length: count }, (_, k) => ({
    train: rowsWhere(piles.length, (row) => piles[row] !== k),
    test: rowsWhere(piles.length, (row) => piles[row] === k),
  }));
}

/** Folds by chance, stratified by class. `count`: from 2 to the number of rows. */
export const shuffledFolds = (data: TrainingData, count: number, rng: Rng): Fold[] =>
  foldsOf(pilesOf(data, count, rng), count);

/** Row i belongs to fold i mod `count`. */
export const foldsByRow = (rows: number, count: number): Fold[] =>
  foldsOf(
    Int32Array.from({ length: rows }, (_, i) => i % count),
    count,
  );

/** Sets a share of the rows apart, stratified by class: at least one row, and at least one stays. */
export function holdOut(data: TrainingData, share: number, rng: Rng): Fold {
  const { rows, target, classes } = data;
  const shuffled = shuffledRows(rows, rng);
  if (classes > 0) shuffled.sort((a, b) => target[a] - target[b]);
  const wanted = Math.min(rows - 1, Math.max(1, Math.round(share * rows)));
  // Evenly spread over the rows sorted by class.
  const apart = new Set(Array.from({ length: wanted }, (_, i) => shuffled[Math.floor(((i + 0.5) * rows) / wanted)]));
  return { train: rowsWhere(rows, (row) => !apart.has(row)), test: rowsWhere(rows, (row) => apart.has(row)) };
}

/** The chosen rows as data of their own. */
export function rowsOf(data: TrainingData, chosen: Int32Array): TrainingData {
  const { columns, classes } = data;
  const features = new Float64Array(chosen.length * columns);
  const target = new Float64Array(chosen.length);
  for (const [i, row] of chosen.entries()) {
    features.set(data.features.subarray(row * columns, (row + 1) * columns), i * columns);
    target[i] = data.target[row];
  }
  return { rows: chosen.length, columns, classes, features, target };
}
