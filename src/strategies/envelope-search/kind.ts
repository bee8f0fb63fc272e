import { MAX_MATRIX_DIMENSION, quadraticCost } from '../search/limits.js';
import type { Member, NamedKind } from '../search/search-kind.js';
import { isReadable } from '../strategy.js';
import { EnvelopeSearch } from './envelope-search.js';

/** The basin that the bounds of the program lead to, where waves hide it from descents. */
export const envelopeSearch: NamedKind & Member = {
  name: 'envelope-search',
  maxDimension: MAX_MATRIX_DIMENSION,
  isPossible: (_n, program) => isReadable(program, 'envelope'),
  start: (context, run) => new EnvelopeSearch(context, run),
  restore: (context, snapshot) => EnvelopeSearch.restore(context, snapshot),
  asStrategy: { snapshotVersion: 2, dependsOnSeed: true },
  asMember: { role: 'restarts', family: 'program', reads: 'envelope', operations: quadraticCost },
};
