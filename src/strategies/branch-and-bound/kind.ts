import { linearCost, MAX_MATRIX_DIMENSION } from '../search/limits.js';
import type { Member, NamedKind } from '../search/search-kind.js';
import { isReadable } from '../strategy.js';
import { BranchAndBound } from './branch-and-bound.js';

/** The global minimum and its proof, where the program can be bounded over boxes. */
export const branchAndBound: NamedKind & Member = {
  name: 'branch-and-bound',
  maxDimension: MAX_MATRIX_DIMENSION,
  isPossible: (_n, program) => isReadable(program, 'bounds'),
  start: (context) => new BranchAndBound(context),
  restore: (context, snapshot) => BranchAndBound.restore(context, snapshot),
  asStrategy: { snapshotVersion: 2, dependsOnSeed: true },
  asMember: { role: 'once', family: 'interval', reads: 'bounds', operations: linearCost },
};
