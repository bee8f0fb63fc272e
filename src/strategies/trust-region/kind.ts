import { MAX_MATRIX_DIMENSION } from '../search/limits.js';
import { distantPoint, fromBest } from '../search/points.js';
import type { NamedKind } from '../search/search-kind.js';
import { TrustRegion } from './trust-region.js';

/** First trust region of a restart, which looks for another basin: better than 0.1 in 2-D and 5-D. */
const WIDE_RADIUS = 0.3;

/** As `quasiNewton`, by a quadratic through the points themselves. */
export const trustRegion: NamedKind = {
  name: 'trust-region',
  maxDimension: MAX_MATRIX_DIMENSION,
  start: (context, run) =>
    new TrustRegion(context, run === 0 ? fromBest(context) : { x: distantPoint(context), radius: WIDE_RADIUS }),
  restore: (context, snapshot) => TrustRegion.restore(context, snapshot),
  asStrategy: { snapshotVersion: 1, dependsOnSeed: false },
};
