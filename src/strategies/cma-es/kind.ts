import { LARGEST_DIMENSION } from '../search/limits.js';
import type { StrategyFactory } from '../strategy.js';
import { CmaEs, NAME } from './cma-es.js';

export const cmaEs: StrategyFactory = {
  name: NAME,
  capabilities: {
    minDimension: 1,
    maxDimension: LARGEST_DIMENSION,
    rankBased: true,
    dependsOnSeed: true,
    dependsOnBudget: false,
    restarts: true,
  },
  create: (problem) => new CmaEs(problem),
  restore: (problem, snapshot) => CmaEs.restore(problem, snapshot),
};
