import { switchCount } from '../../model/reading.js';
import { MAX_MATRIX_DIMENSION } from '../search/limits.js';
import { fromBest, restartPoint } from '../search/points.js';
import type { SearchContext } from '../search/search.js';
import type { Member, NamedKind } from '../search/search-kind.js';
import { isReadable } from '../strategy.js';
import { PenaltySqp } from './penalty-sqp.js';

/** Some interior-point iterations, with a hinge for each switch, for the few evaluations of a step. */
function operations({ n, program }: SearchContext): number {
  const m = switchCount(n, program?.resultLength('switches') ?? n + 1);
  return 25 * n * n * (n + m);
}

/** From the best point so far, then from far away ones. */
export const penaltySqp: NamedKind & Member = {
  name: 'penalty-sqp',
  maxDimension: MAX_MATRIX_DIMENSION,
  isPossible: (_n, program) => isReadable(program, 'switches'),
  start: (context, run, settings) =>
    new PenaltySqp(context, run === 0 ? fromBest(context) : { x: restartPoint(context, settings) }),
  restore: (context, snapshot) => PenaltySqp.restore(context, snapshot),
  asStrategy: { snapshotVersion: 1, dependsOnSeed: false },
  asMember: { role: 'restarts', family: 'program', reads: 'switches', centredSearch: 1, operations },
};
