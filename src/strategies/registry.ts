/** Every strategy the engine can run, one line each. Guide: docs/guides/adding-a-strategy.md. */
import { cmaEs } from './cma-es/cma-es.js';
import type { StrategyFactory } from './strategy.js';

export const strategies: readonly StrategyFactory[] = [cmaEs];
