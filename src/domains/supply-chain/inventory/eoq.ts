/**
 * Economic order quantity: constant demand, no shortages, orders arrive at once.
 * Source: Harris 1913; Snyder and Shen, Fundamentals of Supply Chain Theory (2019), section 3.2.
 */
import { z } from 'zod';
import { holdingCostOf } from './costs.js';
import { LOT_FIELDS, lotModel } from './lot-size.js';

export const eoq = lotModel({
  name: 'eoq',
  summary: 'Economic order quantity: constant demand, no shortages.',
  fields: z.strictObject(LOT_FIELDS),
  example: { model: 'eoq', demand_rate: 1300, fixed_cost: 8, holding_cost: 0.225 },
  title: 'Cost of an order quantity',
  reason: 'the cost of ordering and holding has its minimum where both are equal',
  inputs: [],
  slopes: (config) => ({ holding: holdingCostOf(config) / 2, stockout: 0 }),
  result: () => ({}),
  explain: () => [],
});
