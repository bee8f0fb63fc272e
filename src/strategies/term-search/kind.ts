import { LARGEST_DIMENSION, linearCost } from '../search/limits.js';
import type { Member, NamedKind } from '../search/search-kind.js';
import { hasSearchableTerms, TermSearch } from './term-search.js';

/** One coordinate at a time, all at the same time: the terms of the program are read. */
export const termSearch: NamedKind & Member = {
  name: 'term-search',
  maxDimension: LARGEST_DIMENSION,
  isPossible: hasSearchableTerms,
  start: (context) => new TermSearch(context),
  restore: (context, snapshot) => TermSearch.restore(context, snapshot),
  asStrategy: { snapshotVersion: 1, dependsOnSeed: true },
  asMember: { role: 'once', family: 'program', reads: 'terms', operations: linearCost },
};
