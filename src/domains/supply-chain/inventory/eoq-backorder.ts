/**
 * Economic order quantity with planned backorders: customers wait, at a cost for each unit and time unit.
 * Source: Snyder and Shen (2019), section 3.5.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';

import { holdingCostOf, positive } from './costs.js';
import { LOT_FIELDS, lotModel, type Lot } from './lot-size.js';

/** Share of the demand that waits: h / (h + p). */
const fraction = (config: Lot): number => {
  const holding = holdingCostOf(config);
  return holding / (holding + (config.stockout_cost ?? NaN));
};

export const eoqBackorder = lotModel({
  name: 'eoq_backorder',
  summary: 'Economic order quantity where customers wait at a cost.',
  fields: z.strictObject({ ...LOT_FIELDS, stockout_cost: positive('Per unit that waits and time unit') }),
  example: { model: 'eoq_backorder', demand_rate: 1300, fixed_cost: 8, holding_cost: 0.225, stockout_cost: 5 },
  title: 'Cost of an order quantity with planned shortages',
  reason:
    'for each quantity the best share of waiting demand is the same, and what is left is an economic order quantity',
  inputs: ['stockout_cost'],
  slopes(config, believed = config) {
    const short = fraction(believed);
    const held = 1 - short;
    return {
      holding: (holdingCostOf(config) * held * held) / 2,
      stockout: ((config.stockout_cost ?? NaN) * short * short) / 2,
    };
  },
  further: (config) => ({ stockout_fraction: fraction(config) }),
  result: (config, quantity) => ({
    max_backorder: fraction(config) * quantity,
    // The stock on hand while there is any is (Q - backorders) / 2, and there is any for a share 1 - x of the time.
    service_level: { cycle: 0, fill_rate: 1 - fraction(config) },
  }),
  explain: (config, quantity) => [
    say(
      1,
      'result',
      'Place an order once {backorder:unit is|units are} waiting: {percent} percent of the demand waits.',
      {
        backorder: fraction(config) * quantity,
        percent: 100 * fraction(config),
      },
    ),
  ],
});
