/** Every strategy that a run can ask for; the first is the default, the second that of runs without agents. */
import { strategies as single } from '../strategies/lists.js';
import type { StrategyFactory } from '../strategies/strategy.js';
import { suits } from '../strategies/suitability.js';
import { planner } from './planner.js';

export const strategies: readonly StrategyFactory[] = [planner, ...single];

/** Those that one objective which can only be called is enough for. */
export const callingStrategies = strategies.filter(({ capabilities }) =>
  suits(capabilities, { objectives: 1, program: null }),
);
