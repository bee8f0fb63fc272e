import { LARGEST_DIMENSION } from '../search/limits.js';
import { distantPoint, fromBest } from '../search/points.js';
import type { NamedKind } from '../search/search-kind.js';
import { LimitedMemoryQuasiNewton } from './l-bfgs.js';

/**
 * As `quasiNewton`, without matrices: for dimensions beyond it, where budgets of 20 n and more make gradients worth it.
 */
export const limitedMemoryQuasiNewton: NamedKind = {
  name: 'l-bfgs',
  maxDimension: LARGEST_DIMENSION,
  start: (context, run) =>
    new LimitedMemoryQuasiNewton(context, run === 0 ? fromBest(context) : { x: distantPoint(context) }),
  restore: (context, snapshot) => LimitedMemoryQuasiNewton.restore(context, snapshot),
  asStrategy: { snapshotVersion: 1, dependsOnSeed: false },
};
