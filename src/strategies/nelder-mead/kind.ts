import { linearCost, MAX_MATRIX_DIMENSION } from '../search/limits.js';
import { distantPoint, fromBest } from '../search/points.js';
import type { Member, NamedKind } from '../search/search-kind.js';
import { NelderMead } from './nelder-mead.js';

/** As `quasiNewton`, by the ranking of n + 1 points. */
export const nelderMead: NamedKind & Member = {
  name: 'nelder-mead',
  maxDimension: MAX_MATRIX_DIMENSION,
  start: (context, run) => new NelderMead(context, run === 0 ? fromBest(context) : { x: distantPoint(context) }),
  restore: (context, snapshot) => NelderMead.restore(context, snapshot),
  asStrategy: { snapshotVersion: 1, dependsOnSeed: false },
  asMember: { role: 'restarts', family: 'simplex', operations: linearCost },
};
