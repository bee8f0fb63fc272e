import { MAX_OBJECTIVES } from '../../model/front.js';
import { LARGEST_DIMENSION } from '../search/limits.js';
import type { StrategyFactory } from '../strategy.js';
import { NAME, SmsEmoa } from './sms-emoa.js';

export const smsEmoa: StrategyFactory = {
  name: NAME,
  capabilities: {
    minDimension: 1,
    maxDimension: LARGEST_DIMENSION,
    rankBased: false,
    dependsOnSeed: true,
    dependsOnBudget: true,
    restarts: false,
    objectives: [2, MAX_OBJECTIVES],
  },
  create: (problem) => new SmsEmoa(problem),
  restore: (problem, snapshot) => SmsEmoa.restore(problem, snapshot),
};
