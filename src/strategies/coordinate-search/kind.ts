import { linearCost, LARGEST_DIMENSION } from '../search/limits.js';
import { fromBest } from '../search/points.js';
import type { Member, NamedKind } from '../search/search-kind.js';
import { CoordinateSearch } from './coordinate-search.js';
import { NoisyCoordinateSearch } from './noisy-coordinate-search.js';

export const coordinateSearch: NamedKind & Member = {
  name: 'coordinate-search',
  maxDimension: LARGEST_DIMENSION,
  start: (context, _run, settings) =>
    settings?.isNoisy === true
      ? new NoisyCoordinateSearch(context, fromBest(context))
      : new CoordinateSearch(context, fromBest(context)),
  restore: (context, snapshot) =>
    'underNoise' in snapshot
      ? NoisyCoordinateSearch.restore(context, snapshot)
      : CoordinateSearch.restore(context, snapshot),
  asStrategy: { snapshotVersion: 3, dependsOnSeed: false },
  asMember: { role: 'once', family: 'coordinate', operations: linearCost },
};
