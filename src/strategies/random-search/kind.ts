import { LARGEST_DIMENSION } from '../search/limits.js';
import type { NamedKind } from '../search/search-kind.js';
import { RandomSearch } from './random-search.js';

/** Uniform over the box: a baseline for the others. */
export const randomSearch: NamedKind = {
  name: 'random-search',
  maxDimension: LARGEST_DIMENSION,
  start: (context) => new RandomSearch(context),
  restore: (context) => new RandomSearch(context),
  asStrategy: {
    snapshotVersion: 1,
    rankBased: true,
    dependsOnSeed: true,
    dependsOnBudget: false,
    converges: false,
  },
};
