import { power } from '../../common/float.js';
import { MAX_MATRIX_DIMENSION, quadraticCost } from '../search/limits.js';
import { bestPoint, reflect } from '../search/points.js';
import type { Member } from '../search/search-kind.js';
import { QuasiNewton } from '../quasi-newton/quasi-newton.js';

/** Quasi-Newton from the best point, disturbed. */
export const nearbyRestarts: Member = {
  name: 'nearby-restarts',
  maxDimension: MAX_MATRIX_DIMENSION,
  start: (context) => {
    const { rng } = context;
    const spread = power(10, -2 + 1.5 * rng.uniform());
    const x = bestPoint(context).map((value) => reflect(value + spread * rng.normal()));
    return new QuasiNewton(context, { x, firstStep: Math.min(0.1, spread / 2), canBeAbandoned: true });
  },
  restore: (context, snapshot) => QuasiNewton.restore(context, snapshot),
  asMember: { role: 'restarts', family: 'gradient', reads: 'gradient', refines: true, operations: quadraticCost },
};
