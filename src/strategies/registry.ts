/** Every strategy that searches by itself, one line each. Guide: docs/guides/adding-a-strategy.md. */
import { cmaEs } from './cma-es/cma-es.js';
import {
  bayesian,
  branchAndBound,
  coordinateSearch,
  differentialEvolution,
  levenbergMarquardt,
  limitedMemoryQuasiNewton,
  lqCmaEs,
  nelderMead,
  particleSwarm,
  quasiNewton,
  termSearch,
  trustRegion,
} from './portfolio.js';
import { repeated } from './search/repeated.js';
import { smsEmoa } from './sms-emoa/sms-emoa.js';
import type { StrategyFactory } from './strategy.js';

export const strategies: readonly StrategyFactory[] = [
  cmaEs,
  repeated(lqCmaEs, 2, true),
  repeated(quasiNewton, 3, false),
  repeated(coordinateSearch, 2, false),
  repeated(nelderMead, 1, false),
  repeated(differentialEvolution, 1, true),
  repeated(particleSwarm, 1, true),
  repeated(bayesian, 1, true),
  repeated(trustRegion, 1, false),
  repeated(limitedMemoryQuasiNewton, 1, false),
  repeated(levenbergMarquardt, 1, false),
  repeated(branchAndBound, 2, true),
  repeated(termSearch, 1, true),
  smsEmoa,
];
