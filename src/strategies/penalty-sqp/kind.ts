import { MAX_MATRIX_DIMENSION, quadraticCost } from '../search/limits.js';
import { fromBest, restartPoint } from '../search/points.js';
import type { Member, NamedKind } from '../search/search-kind.js';
import { isReadable } from '../strategy.js';
import { PenaltySqp } from './penalty-sqp.js';

/** From the best point so far, then from far away ones. */
export const penaltySqp: NamedKind & Member = {
  name: 'penalty-sqp',
  maxDimension: MAX_MATRIX_DIMENSION,
  isPossible: (_n, program) => isReadable(program, 'switches'),
  start: (context, run, settings) =>
    new PenaltySqp(context, run === 0 ? fromBest(context) : { x: restartPoint(context, settings) }),
  restore: (context, snapshot) => PenaltySqp.restore(context, snapshot),
  asStrategy: { snapshotVersion: 1, dependsOnSeed: false },
  asMember: { role: 'restarts', family: 'program', reads: 'switches', centredSearch: 1, operations: quadraticCost },
};
