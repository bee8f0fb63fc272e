/**
 * Every way to search, one line each. Guide: docs/guides/adding-a-strategy.md.
 *
 * The order counts three times. Where nothing is planned, the first that takes a run's objectives is its default. Of
 * members with equal points the planner takes the first. Its snapshots hold its members by their place.
 */
import { bayesian } from './bayesian/kind.js';
import { branchAndBound } from './branch-and-bound/kind.js';
import { bulkCmaEs } from './bulk-cma-es/kind.js';
import { bulkDifferentialEvolution } from './bulk-differential-evolution/kind.js';
import { bulkLimitedMemory } from './bulk-l-bfgs/kind.js';
import { bulkParticleSwarm } from './bulk-particle-swarm/kind.js';
import { cmaEs } from './cma-es/kind.js';
import { coordinateSearch } from './coordinate-search/kind.js';
import { differentialEvolution } from './differential-evolution/kind.js';
import { distantRestarts } from './distant-restarts/kind.js';
import { limitedMemoryQuasiNewton } from './l-bfgs/kind.js';
import { levenbergMarquardt } from './levenberg-marquardt/kind.js';
import { envelopeSearch } from './envelope-search/kind.js';
import { latticeSearch } from './lattice-search/kind.js';
import { lqCmaEs } from './lq-cma-es/kind.js';
import { nearbyRestarts } from './nearby-restarts/kind.js';
import { nelderMead } from './nelder-mead/kind.js';
import { particleSwarm } from './particle-swarm/kind.js';
import { penaltySqp } from './penalty-sqp/kind.js';
import { polish } from './polish/kind.js';
import { quasiNewton } from './quasi-newton/kind.js';
import { randomSearch } from './random-search/kind.js';
import type { SearchKind } from './search/search-kind.js';
import { smsEmoa } from './sms-emoa/kind.js';
import type { StrategyFactory } from './strategy.js';
import { termSearch } from './term-search/kind.js';
import { trustRegion } from './trust-region/kind.js';

export const kinds: readonly (SearchKind | StrategyFactory)[] = [
  cmaEs,
  termSearch,
  envelopeSearch,
  branchAndBound,
  levenbergMarquardt,
  penaltySqp,
  latticeSearch,
  coordinateSearch,
  quasiNewton,
  lqCmaEs,
  distantRestarts,
  nearbyRestarts,
  bayesian,
  nelderMead,
  polish,
  differentialEvolution,
  particleSwarm,
  trustRegion,
  limitedMemoryQuasiNewton,
  randomSearch,
  smsEmoa,
  bulkParticleSwarm,
  bulkDifferentialEvolution,
  bulkCmaEs,
  bulkLimitedMemory,
];
