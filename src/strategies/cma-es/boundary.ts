/**
 * Box bounds. A candidate outside is drawn again, a few times; if it is still outside, it is clipped for the
 * evaluation while its step stays as drawn, so the distribution learns from what it proposed and not from the clipped
 * shadow. The mean may lie outside by `MEAN_SLACK` standard deviations, which puts most samples exactly on a face that
 * is active at the optimum. Nothing is added to the fitness: ranking alone decides, and the search stays invariant
 * under increasing transforms of the objective.
 *
 * README.md beside this file names the alternatives that were compared, and gives the figures.
 */
import type { Rng } from '../../common/rng.js';
import type { Bounds } from '../../model/bounds.js';
import { candidateStart, candidateStride, type Placed } from '../../model/candidate-batch.js';
import type { Covariance } from './covariance.js';

const MEAN_SLACK = 1.5;

/** The population z, y [lambda, n] and x, and what maps steps to candidates: x = mean + stepScale * y. */
export interface Population {
  readonly z: Float64Array;
  readonly y: Float64Array;
  readonly x: Placed;
  readonly mean: Float64Array;
  readonly stepScale: Float64Array;
}

/** Candidates that are placed side by side: a line of the cache holds a number of so many in a tile. */
export const TOGETHER = 8;

/**
 * Computes x of at most `TOGETHER` candidates from `first` on from their steps. Bit k of the result: candidate `first +
 * k` is outside.
 */
export function placeCandidates(p: Population, first: number, count: number, { lower, upper }: Bounds): number {
  const { y, mean, stepScale } = p;
  const { candidates, layout } = p.x;
  const n = mean.length;
  const stride = candidateStride(p.x);
  const next = layout === 'tiles' ? 1 : n;
  let outside = 0;
  for (let i = 0, start = candidateStart(p.x, first); i < n; i++, start += stride) {
    const centre = mean[i];
    const scale = stepScale[i];
    const low = lower[i];
    const high = upper[i];
    for (let k = 0, at = start, from = first * n + i; k < count; k++, at += next, from += n) {
      const value = centre + scale * y[from];
      candidates[at] = value;
      if (!(value >= low && value <= high)) outside |= 1 << k;
    }
  }
  return outside;
}

/** Brings a candidate inside that `placeCandidates` found outside. */
export function confineCandidate(
  p: Population,
  k: number,
  bounds: Bounds,
  covariance: Covariance,
  rng: Rng,
  redraws: number,
): void {
  const n = p.mean.length;
  for (let t = 0; t < redraws; t++) {
    rng.fillNormals(p.z, k * n, n);
    covariance.transform(p.z, p.y, k, 1);
    if (placeCandidates(p, k, 1, bounds) === 0) return;
  }
  const { candidates } = p.x;
  const stride = candidateStride(p.x);
  for (let i = 0, at = candidateStart(p.x, k); i < n; i++, at += stride)
    candidates[at] = clamp(candidates[at], bounds.lower[i], bounds.upper[i]);
}

/** A coordinate of the mean, at most MEAN_SLACK times `deviation` (in units of x) outside [lower, upper]. */
export function confineMean(value: number, lower: number, upper: number, deviation: number): number {
  const slack = Math.min(MEAN_SLACK * deviation, Number.MAX_VALUE);
  return clamp(value, Math.max(lower - slack, -Number.MAX_VALUE), Math.min(upper + slack, Number.MAX_VALUE));
}

function clamp(value: number, lower: number, upper: number): number {
  return value < lower ? lower : value > upper ? upper : value;
}
