import { LARGEST_DIMENSION } from '../search/limits.js';
import { fromBest } from '../search/points.js';
import type { NamedKind } from '../search/search-kind.js';
import { DifferentialEvolution } from './differential-evolution.js';

/**
 * Success-history adaptive differential evolution; the first population holds the best point, later ones are all new.
 */
export const differentialEvolution: NamedKind = {
  name: 'differential-evolution',
  maxDimension: LARGEST_DIMENSION,
  start: (context, run) => new DifferentialEvolution(context, run === 0 ? fromBest(context) : null),
  restore: (context, snapshot) => DifferentialEvolution.restore(context, snapshot),
  asStrategy: { snapshotVersion: 1, dependsOnSeed: true },
};
