/**
 * Many updates as one model. It follows from the updates alone, whatever order they came in: whoever takes one out has
 * the earlier model again, bit for bit.
 */
import {
  FEDERATED_COLUMN,
  FEDERATED_ROW,
  type FederatedChange,
  type FederatedUpdate,
  type MergedStatistic,
  type NumberedChange,
} from '../../model/federation.js';
import { COLUMN, KNOWLEDGE_COLUMNS } from '../../model/learning.js';
import { noiseVariances } from './update.js';

/** Runs for which one update counts at most, in one class and strategy. */
const MOST_RUNS = 50;
/** Variance of the gains of runs within a class and strategy, in decades squared. */
const VARIANCE_OF_GAINS = 0.1;

export type Merged = Extract<FederatedChange, { readonly kind: 'merged' }>;

/**
 * The updates that are part of the model at a version, in the order of their digests. `changes`: all up to it, oldest
 * first.
 */
export function activeAt(changes: readonly NumberedChange[], version: number): readonly Merged[] {
  const active = new Map<string, Merged>();
  for (const { version: own, change } of changes) {
    if (own > version) break;
    if (change.kind === 'merged') active.set(change.id, change);
    else if (change.kind === 'revoked') active.delete(change.updateId);
  }
  return [...active.values()].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
}

/**
 * The average of the gains, weighted by runs. A mean of `n` runs with noise has the variance of the mean of fewer
 * without: those are what it counts for, up to `MOST_RUNS`.
 *
 * @param updates in the order of their digests
 * @returns by cell, rising
 */
export function merge(updates: readonly FederatedUpdate[]): MergedStatistic[] {
  const cells = new Map<number, { weight: number; sum: number }>();
  for (const { epsilon, statistics } of updates) {
    const variances = noiseVariances(epsilon);
    for (const { cell, runs, meanGain } of statistics) {
      const noise = variances.gains + meanGain ** 2 * variances.runs;
      const worth = runs ** 2 / (runs + noise / VARIANCE_OF_GAINS);
      const weight = Math.min(MOST_RUNS, worth);
      const known = cells.get(cell) ?? { weight: 0, sum: 0 };
      cells.set(cell, { weight: known.weight + weight, sum: known.sum + weight * meanGain });
    }
  }
  return [...cells]
    .sort(([a], [b]) => a - b)
    .map(([cell, { weight, sum }]) => ({ cell, weight, meanGain: sum / weight }));
}

/** The merged statistics as rows of `Knowledge.table`. */
export function rowsOf(model: readonly MergedStatistic[]): Float64Array {
  const rows = new Float64Array(model.length * KNOWLEDGE_COLUMNS);
  model.forEach(({ cell, weight, meanGain }, k) => {
    const row = rows.subarray(k * KNOWLEDGE_COLUMNS, (k + 1) * KNOWLEDGE_COLUMNS);
    row[COLUMN.isNoisy] = FEDERATED_ROW;
    row[FEDERATED_COLUMN.cell] = cell;
    row[FEDERATED_COLUMN.weight] = weight;
    row[FEDERATED_COLUMN.meanGain] = meanGain;
  });
  return rows;
}
