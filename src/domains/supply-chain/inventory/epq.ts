/**
 * Economic production quantity: a lot arrives at the pace of its production.
 * Source: Taft 1918; Snyder and Shen (2019), section 3.6.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';

import { holdingCostOf, positive, unitOf } from './costs.js';
import { LOT_FIELDS, lotModel, type Lot } from './lot-size.js';

/** Share of the time in which the plant produces. */
const use = ({ demand_rate, production_rate = NaN }: Lot): number => demand_rate / production_rate;

export const epq = lotModel({
  name: 'epq',
  summary: 'Economic production quantity: a lot arrives at the pace of its production.',
  fields: z.strictObject({
    ...LOT_FIELDS,
    production_rate: positive('Units per time unit while a lot is produced; above `demand_rate`'),
  }),
  example: { model: 'epq', demand_rate: 80, production_rate: 110, fixed_cost: 4, holding_cost: 0.08, time_unit: 'day' },
  title: 'Cost of a production lot',
  reason: 'the cost of setting up and holding has its minimum where both are equal',
  inputs: ['production_rate'],
  check({ demand_rate, production_rate = NaN }, complain) {
    if (production_rate > demand_rate) return;
    complain(['production_rate'], `\`{field}\` must be above \`config.demand_rate\` = ${demand_rate}.`);
  },
  slopes: (config) => ({ holding: (holdingCostOf(config) * (1 - use(config))) / 2, stockout: 0 }),
  result: (config, quantity) => ({
    max_inventory: quantity * (1 - use(config)),
    production_time: quantity / (config.production_rate ?? NaN),
    utilization: use(config),
  }),
  explain: (config, quantity) => [
    say(1, 'result', `Each lot takes {time} of a ${unitOf(config)}, and stock rises to {most} units meanwhile.`, {
      time: quantity / (config.production_rate ?? NaN),
      most: quantity * (1 - use(config)),
    }),
  ],
});
