/** Requests about batches. */
import { z } from 'zod';
import { fewItems, type RequestLimits } from '../fields.js';
import { optimizeRequest } from '../optimize/request.js';
import type { StrategyChoice } from '../strategy-choice.js';

const MAX_BATCH = 1_000;

export const batchRequest = (limits: RequestLimits, strategies: readonly StrategyChoice[]) =>
  z.strictObject({ requests: fewItems(optimizeRequest(limits, strategies), MAX_BATCH) });
