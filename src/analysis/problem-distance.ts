/** How unlike two problems are, by what probes found out about them. */
import { log } from '../common/float.js';
import { COLUMN } from '../model/learning.js';

/** Differences of features that make a distance of 1: dimensions, budgets, roughness and bend by their decades. */
const SCALE = { dimensions: 0.8, budget: 3, roughness: 0.5, fineRoughness: 0.5, bend: 0.5, skew: 0.25, spread: 0.6 };
/** Less than that is none. */
const LEAST_ROUGHNESS = 1e-3;
const LEAST_FINE_ROUGHNESS = 1e-2;

/** Lessons of noisy problems from before these were asked, and of short runs, have none. */
const separability = (row: Float64Array): number =>
  row[COLUMN.isNoisy] === 1 ? Math.max(0, row[COLUMN.isSeparable]) : row[COLUMN.isSeparable];

/**
 * Infinity where the two are of different kinds: noise, separability, what was looked at.
 *
 * @param a, b rows of `featureRow`
 */
export function problemDistance(a: Float64Array, b: Float64Array): number {
  const isKnown = (column: number): boolean => a[column] >= 0 && b[column] >= 0;
  if (a[COLUMN.isNoisy] !== b[COLUMN.isNoisy] || separability(a) !== separability(b)) return Infinity;
  if (a[COLUMN.coarseRoughness] >= 0 !== b[COLUMN.coarseRoughness] >= 0) return Infinity;
  const decades = (column: number, least: number): number =>
    log(Math.max(least, a[column]) / Math.max(least, b[column])) / log(10);
  let squares = 0;
  const add = (difference: number, scale: number): void => void (squares += (difference / scale) ** 2);
  add(decades(COLUMN.dimensions, 1), SCALE.dimensions);
  add(decades(COLUMN.maxEvaluations, 1), SCALE.budget);
  if (isKnown(COLUMN.coarseRoughness)) add(decades(COLUMN.coarseRoughness, LEAST_ROUGHNESS), SCALE.roughness);
  if (isKnown(COLUMN.fineRoughness)) add(decades(COLUMN.fineRoughness, LEAST_FINE_ROUGHNESS), SCALE.fineRoughness);
  else if (a[COLUMN.fineRoughness] !== b[COLUMN.fineRoughness]) add(1, 1);
  if (isKnown(COLUMN.bend)) add(decades(COLUMN.bend, LEAST_ROUGHNESS), SCALE.bend);
  if (isKnown(COLUMN.skew)) add(a[COLUMN.skew] - b[COLUMN.skew], SCALE.skew);
  const spread = a[COLUMN.spread] - b[COLUMN.spread];
  if (!Number.isNaN(spread)) add(spread, SCALE.spread);
  else if (Number.isNaN(a[COLUMN.spread]) !== Number.isNaN(b[COLUMN.spread])) add(1, 1);
  return Math.sqrt(squares);
}
