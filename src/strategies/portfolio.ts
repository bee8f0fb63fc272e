/** The kinds of search that the planner chooses from, and that can be asked for by name. */
import { power } from '../common/float.js';
import type { SearchSettings } from '../model/learning.js';
import type { Mode } from '../model/run-task.js';
import { Bayesian } from './bayesian/bayesian.js';
import { BranchAndBound, hasBounds } from './branch-and-bound/branch-and-bound.js';
import { defaultPopulationSize } from './cma-es/parameters.js';
import { CoordinateSearch } from './coordinate-search/coordinate-search.js';
import { DifferentialEvolution } from './differential-evolution/differential-evolution.js';
import { hasResiduals, LevenbergMarquardt } from './levenberg-marquardt/levenberg-marquardt.js';
import { LqCmaEs } from './lq-cma-es/lq-cma-es.js';
import { pointsToChooseFrom } from './lq-cma-es/quadratic-model.js';
import { ParticleSwarm } from './particle-swarm/particle-swarm.js';
import { LimitedMemoryQuasiNewton } from './l-bfgs/l-bfgs.js';
import { QuasiNewton } from './quasi-newton/quasi-newton.js';
import { MARGIN, bestPoint, distantPoint, randomPoint, reflect } from './search/points.js';
import type { SearchContext, SearchKind } from './search/search.js';
import { NelderMead } from './nelder-mead/nelder-mead.js';
import { hasSearchableTerms, TermSearch } from './term-search/term-search.js';
import { TrustRegion } from './trust-region/trust-region.js';

/** Full matrices: O(n^2) memory, O(n^3) time a step. */
const MAX_MATRIX_DIMENSION = 200;
const FIRST_SIGMA = 0.2;
/** Where a model has searched before. */
const HANDOVER_SIGMA = 0.05;
/** First trust region of a restart, which looks for another basin: better than 0.1 in 2-D and 5-D. */
const WIDE_RADIUS = 0.3;
const MAX_DOUBLINGS = 10;
/** Budgets above so many evaluations per dimension are long enough to do without a model, which costs more time than most objectives. */
const MODEL_BUDGET = 2500;
/** Beyond it the points that a Gaussian process can hold are too few. */
const MAX_PROCESS_DIMENSION = 30;
/** Operations that a model may cost for each evaluation: some ten microseconds, about a millisecond. */
const MODEL_OPERATIONS: Readonly<Record<Mode, number>> = { fast: 1e5, balanced: 1e6, accurate: 1e6 };

/** About one fit of m coefficients to 2 m points for each evaluation: m^3 for the normal equations, the rest to solve them. */
const fitOperations = (n: number): number => 1.2 * (0.5 * pointsToChooseFrom(n)) ** 3;

const isModelled = ({ n, budget, mode = 'balanced' }: SearchContext): boolean =>
  budget <= MODEL_BUDGET * n && fitOperations(n) <= MODEL_OPERATIONS[mode];

/** Operations for each evaluation of `lqCmaEs`. */
export const lqOperations = (context: SearchContext): number =>
  isModelled(context) ? fitOperations(context.n) : 10 * context.n ** 2;

/** The best point with its fitness, where there is one. */
function fromBest(context: SearchContext): { x: Float64Array; fitness?: number } {
  const { bestFitness } = context.archive;
  return { x: bestPoint(context), ...(bestFitness < Infinity ? { fitness: bestFitness } : {}) };
}

const restartPoint = (context: SearchContext, settings: SearchSettings | undefined): Float64Array =>
  settings?.isFromCentre === true ? new Float64Array(context.n).fill(0.5) : distantPoint(context);

export const coordinateSearch: SearchKind = {
  name: 'coordinate-search',
  family: 'coordinate',
  maxDimension: 10_000,
  start: (context) => new CoordinateSearch(context, fromBest(context)),
  restore: (context, snapshot) => CoordinateSearch.restore(context, snapshot),
};

/** From the best point so far, again and again: the second search would begin where the first has ended. */
export const quasiNewton: SearchKind = {
  name: 'quasi-newton',
  family: 'gradient',
  maxDimension: MAX_MATRIX_DIMENSION,
  start: (context, run, settings) => {
    const startSizes = settings?.startSize === undefined ? undefined : [settings.startSize];
    return new QuasiNewton(context, {
      ...(run === 0 ? { ...fromBest(context), verifies: true } : { x: distantPoint(context) }),
      ...(startSizes === undefined ? {} : { startSizes }),
    });
  },
  restore: (context, snapshot) => QuasiNewton.restore(context, snapshot),
};

/** As `quasiNewton`, without matrices: for dimensions beyond it, where budgets of 20 n and more make gradients worth it. */
export const limitedMemoryQuasiNewton: SearchKind = {
  name: 'l-bfgs',
  family: 'gradient',
  maxDimension: 10_000,
  start: (context, run) =>
    new LimitedMemoryQuasiNewton(context, run === 0 ? fromBest(context) : { x: distantPoint(context) }),
  restore: (context, snapshot) => LimitedMemoryQuasiNewton.restore(context, snapshot),
};

/** The global minimum and its proof, where the program can be bounded over boxes. */
export const branchAndBound: SearchKind = {
  name: 'branch-and-bound',
  family: 'interval',
  maxDimension: MAX_MATRIX_DIMENSION,
  isPossible: hasBounds,
  start: (context) => new BranchAndBound(context),
  restore: (context, snapshot) => BranchAndBound.restore(context, snapshot),
};

/** Far from everything evaluated; abandoned when it cannot reach the best value. */
export const distantRestarts: SearchKind = {
  ...quasiNewton,
  name: 'distant-restarts',
  start: (context, _run, settings) =>
    new QuasiNewton(context, { x: restartPoint(context, settings), canBeAbandoned: settings?.isFromCentre !== true }),
};

/** From the best point, disturbed. */
export const nearbyRestarts: SearchKind = {
  ...quasiNewton,
  name: 'nearby-restarts',
  start: (context) => {
    const { rng } = context;
    const spread = power(10, -2 + 1.5 * rng.uniform());
    const x = bestPoint(context).map((value) => reflect(value + spread * rng.normal()));
    return new QuasiNewton(context, { x, firstStep: Math.min(0.1, spread / 2), canBeAbandoned: true });
  },
};

/** From the best point so far, then from far away ones. */
export const levenbergMarquardt: SearchKind = {
  name: 'levenberg-marquardt',
  family: 'program',
  maxDimension: MAX_MATRIX_DIMENSION,
  isPossible: hasResiduals,
  start: (context, run, settings) =>
    new LevenbergMarquardt(context, { x: run === 0 ? bestPoint(context) : restartPoint(context, settings) }),
  restore: (context, snapshot) => LevenbergMarquardt.restore(context, snapshot),
};

/** One coordinate at a time, all at the same time: the terms of the program are read. */
export const termSearch: SearchKind = {
  name: 'term-search',
  family: 'program',
  maxDimension: 10_000,
  isPossible: hasSearchableTerms,
  start: (context) => new TermSearch(context),
  restore: (context, snapshot) => TermSearch.restore(context, snapshot),
};

/** As `quasiNewton`, by a quadratic through the points themselves. */
export const trustRegion: SearchKind = {
  name: 'trust-region',
  family: 'model',
  maxDimension: MAX_MATRIX_DIMENSION,
  start: (context, run) =>
    new TrustRegion(context, run === 0 ? fromBest(context) : { x: distantPoint(context), radius: WIDE_RADIUS }),
  restore: (context, snapshot) => TrustRegion.restore(context, snapshot),
};

/** As `quasiNewton`, by the ranking of n + 1 points. */
export const nelderMead: SearchKind = {
  name: 'nelder-mead',
  family: 'simplex',
  maxDimension: MAX_MATRIX_DIMENSION,
  start: (context, run) => new NelderMead(context, run === 0 ? fromBest(context) : { x: distantPoint(context) }),
  restore: (context, snapshot) => NelderMead.restore(context, snapshot),
};

/** CMA-ES, with a quadratic model where the budget is short; the population doubles with every restart. */
export const lqCmaEs: SearchKind = {
  name: 'lq-cma-es',
  family: 'population',
  maxDimension: 10_000,
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
};

/** Success-history adaptive differential evolution; the first population holds the best point, later ones are all new. */
export const differentialEvolution: SearchKind = {
  name: 'differential-evolution',
  family: 'population',
  maxDimension: 10_000,
  start: (context, run) => new DifferentialEvolution(context, run === 0 ? fromBest(context) : null),
  restore: (context, snapshot) => DifferentialEvolution.restore(context, snapshot),
};

/** A swarm after SPSO-2011 that learns its shape; it begins as differential evolution does. */
export const particleSwarm: SearchKind = {
  name: 'particle-swarm',
  family: 'population',
  maxDimension: 10_000,
  start: (context, run) => new ParticleSwarm(context, run === 0 ? fromBest(context) : null),
  restore: (context, snapshot) => ParticleSwarm.restore(context, snapshot),
};

/** A Gaussian process for the first evaluations; lq-CMA-ES goes on from its best point and with its points. */
export const bayesian: SearchKind = {
  name: 'bayesian',
  family: 'model',
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
};
