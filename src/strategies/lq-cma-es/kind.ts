import type { Mode } from '../../model/run-task.js';
import { defaultPopulationSize } from '../cma-es/parameters.js';
import { LARGEST_DIMENSION } from '../search/limits.js';
import { MARGIN, bestPoint, randomPoint } from '../search/points.js';
import type { Member, NamedKind } from '../search/search-kind.js';
import type { SearchContext } from '../search/search.js';
import { LqCmaEs } from './lq-cma-es.js';
import { pointsToChooseFrom } from '../search/quadratic-model.js';

const FIRST_SIGMA = 0.2;
const MAX_DOUBLINGS = 10;
/**
 * Budgets above so many evaluations per dimension are long enough to do without a model, which costs more time than
 * most objectives.
 */
const MODEL_BUDGET = 2500;
/** Operations that a model may cost for each evaluation: some ten microseconds, about a millisecond. */
const MODEL_OPERATIONS: Readonly<Record<Mode, number>> = { fast: 1e5, balanced: 1e6, accurate: 1e6 };

/**
 * About one fit of m coefficients to 2 m points for each evaluation: m^3 for the normal equations, the rest to solve
 * them.
 */
const fitOperations = (n: number): number => 1.2 * (0.5 * pointsToChooseFrom(n)) ** 3;

/** Whether a quadratic model is worth its time. */
export const isModelled = ({ n, budget, mode = 'balanced' }: SearchContext): boolean =>
  budget <= MODEL_BUDGET * n && fitOperations(n) <= MODEL_OPERATIONS[mode];

/** CMA-ES, with a quadratic model where the budget is short; the population doubles with every restart. */
export const lqCmaEs: NamedKind & Member = {
  name: 'lq-cma-es',
  maxDimension: LARGEST_DIMENSION,
  start: (context, run, settings) => {
    const { n } = context;
    return new LqCmaEs(context, {
      mean: run === 0 ? bestPoint(context) : randomPoint(context, MARGIN),
      lambda: defaultPopulationSize(n) * 2 ** Math.min(MAX_DOUBLINGS, run),
      sigma: FIRST_SIGMA,
      isModelled: isModelled(context),
      usesArchive: run === 0 && settings?.usesArchive === true,
    });
  },
  restore: (context, snapshot) => LqCmaEs.restore(context, snapshot),
  asStrategy: { snapshotVersion: 2, dependsOnSeed: true },
  asMember: {
    role: 'restarts',
    family: 'population',
    operations: (context) => (isModelled(context) ? fitOperations(context.n) : 10 * context.n ** 2),
  },
};
