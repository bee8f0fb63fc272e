import { MAX_MATRIX_DIMENSION, quadraticCost } from '../search/limits.js';
import { bestPoint, restartPoint } from '../search/points.js';
import type { Member, NamedKind } from '../search/search-kind.js';
import { hasResiduals, LevenbergMarquardt } from './levenberg-marquardt.js';

/** From the best point so far, then from far away ones. */
export const levenbergMarquardt: NamedKind & Member = {
  name: 'levenberg-marquardt',
  maxDimension: MAX_MATRIX_DIMENSION,
  isPossible: hasResiduals,
  start: (context, run, settings) =>
    new LevenbergMarquardt(context, { x: run === 0 ? bestPoint(context) : restartPoint(context, settings) }),
  restore: (context, snapshot) => LevenbergMarquardt.restore(context, snapshot),
  asStrategy: { snapshotVersion: 1, dependsOnSeed: false },
  asMember: { role: 'restarts', family: 'program', reads: 'residuals', centredSearch: 1, operations: quadraticCost },
};
