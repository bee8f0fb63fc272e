import { defaultPopulationSize } from '../cma-es/parameters.js';
import { isModelled, lqCmaEs } from '../lq-cma-es/kind.js';
import { LqCmaEs } from '../lq-cma-es/lq-cma-es.js';
import { bestPoint } from '../search/points.js';
import type { Member, NamedKind } from '../search/search-kind.js';
import { Bayesian } from './bayesian.js';

/** Beyond it the points that a Gaussian process can hold are too few. */
const MAX_PROCESS_DIMENSION = 30;
/** Where a model has searched before. */
const HANDOVER_SIGMA = 0.05;

/** A Gaussian process for the first evaluations; lq-CMA-ES goes on from its best point and with its points. */
export const bayesian: NamedKind & Member = {
  name: 'bayesian',
  maxDimension: MAX_PROCESS_DIMENSION,
  start: (context, run) => {
    if (run === 0) return new Bayesian(context, { usesArchive: true });
    if (run > 1) return lqCmaEs.start(context, run - 1);
    const { n } = context;
    return new LqCmaEs(context, {
      mean: bestPoint(context),
      lambda: defaultPopulationSize(n),
      sigma: HANDOVER_SIGMA,
      isModelled: isModelled(context),
      usesArchive: true,
    });
  },
  restore: (context, snapshot) =>
    'model' in snapshot ? Bayesian.restore(context, snapshot) : LqCmaEs.restore(context, snapshot),
  asStrategy: { snapshotVersion: 1, dependsOnSeed: true },
  asMember: {
    role: 'restarts',
    family: 'model',
    // About a millisecond in 5-D, for a Gaussian process and climbs on it.
    operations: ({ n }) => 2e5 * n,
  },
};
