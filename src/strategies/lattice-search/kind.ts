import { Bayesian } from '../bayesian/bayesian.js';
import { fromBest, randomPoint } from '../search/points.js';
import type { Member } from '../search/search-kind.js';
import type { SearchContext } from '../search/search.js';
import { MAX_MATRIX_DIMENSION, quadraticCost } from '../search/limits.js';
import { LatticeDescent, disturbed } from './lattice-search.js';

/** Beyond it the points that a Gaussian process can hold are too few. */
const MAX_PROCESS_DIMENSION = 30;
/** Of so many descents one begins at a random point. */
const ANYWHERE = 4;

/** Whether the Gaussian process is worth its time. */
const hasProcess = ({ n, mode }: SearchContext): boolean => n <= MAX_PROCESS_DIMENSION && mode !== 'fast';

/**
 * Where the program rounds some variables: a Gaussian process of the cells, then descents to the best of the cells
 * around, from the best point and from there disturbed.
 */
export const latticeSearch: Member = {
  name: 'lattice-search',
  maxDimension: MAX_MATRIX_DIMENSION,
  start: (context, run) => {
    if (run === 0 && hasProcess(context)) return new Bayesian(context, { usesArchive: true });
    if (run <= 1) return new LatticeDescent(context, fromBest(context));
    return new LatticeDescent(context, { x: run % ANYWHERE === 0 ? randomPoint(context) : disturbed(context) });
  },
  restore: (context, snapshot) =>
    'model' in snapshot ? Bayesian.restore(context, snapshot) : LatticeDescent.restore(context, snapshot),
  asMember: {
    role: 'restarts',
    family: 'lattice',
    operations: (context) => (hasProcess(context) ? 2e5 * context.n : quadraticCost(context)),
  },
};
