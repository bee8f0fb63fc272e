/**
 * Points beyond those that a strategy asks for: for a client that wants more while the strategy waits, and for
 * processes that would idle. They follow from the seed and the point's serial, so that the same requests give the same
 * points.
 */
import { power } from '../common/float.js';
import { Rng } from '../common/rng.js';
import type { StrategyProblem } from './strategy.js';

/** Every so manyth explores the whole box. */
const EXPLORING = 4;
/** How far the others lie from the best point, as a share of the box: 1e-4 to 0.3. */
const LEAST_SPREAD = 1e-4;
const SPREAD_DECADES = 3.5;

/** Random numbers of the point with that serial. */
export const extraRng = ({ seed }: Pick<StrategyProblem, 'seed'>, serial: number): Rng =>
  Rng.create(seed).split(`extra ${serial}`);

/**
 * Around the best point, at distances of every order of magnitude; every fourth, and all before there is one, anywhere.
 */
export function extraPoint({ bounds, seed }: StrategyProblem, serial: number, best: Float64Array | null): Float64Array {
  const { lower, upper } = bounds;
  const rng = extraRng({ seed }, serial);
  const isExploring = best === null || serial % EXPLORING === 0;
  const spread = LEAST_SPREAD * power(10, SPREAD_DECADES * rng.uniform());
  return lower.map((low, i) => {
    const high = upper[i];
    const width = Math.min(high - low, Number.MAX_VALUE);
    const value = isExploring ? low + rng.uniform() * width : best[i] + spread * width * rng.normal();
    return inside(value, low, high);
  });
}

/** Turned back at the ends: cut off there, half of all points around a best one in a corner would be that corner. */
function inside(value: number, low: number, high: number): number {
  const turned = value < low ? low + (low - value) : value > high ? high - (value - high) : value;
  return Math.min(high, Math.max(low, turned));
}
