import { MAX_MATRIX_DIMENSION, quadraticCost } from '../search/limits.js';
import { restartPoint } from '../search/points.js';
import type { Member } from '../search/search-kind.js';
import { QuasiNewton } from '../quasi-newton/quasi-newton.js';

/** Quasi-Newton far from everything evaluated; abandoned when it cannot reach the best value. */
export const distantRestarts: Member = {
  name: 'distant-restarts',
  maxDimension: MAX_MATRIX_DIMENSION,
  start: (context, _run, settings) =>
    new QuasiNewton(context, { x: restartPoint(context, settings), canBeAbandoned: settings?.isFromCentre !== true }),
  restore: (context, snapshot) => QuasiNewton.restore(context, snapshot),
  asMember: {
    role: 'restarts',
    family: 'gradient',
    reads: 'gradient',
    centredSearch: 0,
    operations: quadraticCost,
  },
};
