import { MAX_MATRIX_DIMENSION, quadraticCost } from '../search/limits.js';
import { distantPoint, fromBest } from '../search/points.js';
import type { Member, NamedKind } from '../search/search-kind.js';
import { QuasiNewton } from './quasi-newton.js';

/** From the best point so far, again and again: the second search would begin where the first has ended. */
export const quasiNewton: NamedKind & Member = {
  name: 'quasi-newton',
  maxDimension: MAX_MATRIX_DIMENSION,
  start: (context, run, settings) => {
    const startSizes = settings?.startSize === undefined ? undefined : [settings.startSize];
    return new QuasiNewton(context, {
      ...(run === 0
        ? { ...fromBest(context), verifies: true, looksForSteps: settings?.looksForSteps }
        : { x: distantPoint(context) }),
      startSizes,
    });
  },
  restore: (context, snapshot) => QuasiNewton.restore(context, snapshot),
  asStrategy: { snapshotVersion: 3, dependsOnSeed: false },
  asMember: { role: 'once', family: 'gradient', reads: 'gradient', operations: quadraticCost },
};
