/** Newsvendor: one order before one season of uncertain demand. Sources: level.ts. */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { lineChart, type Point } from '../../charts/line-chart.js';
import { model } from '../../problem-type.js';
import { isNear, LABELS, spread } from './costs.js';
import { checkDemand, distributionOf, remarksOn } from './demand.js';
import {
  checkLevelCosts,
  criticalRatio,
  LEVEL_FIELDS,
  levelComplaint,
  levelSensitivity,
  mismatchOf,
  outcomeOf,
  serviceOf,
} from './level.js';

export const newsvendor = model({
  name: 'newsvendor',
  summary: 'One order before one season of uncertain demand.',
  fields: z.strictObject({ ...LEVEL_FIELDS, ...LABELS }),
  example: {
    model: 'newsvendor',
    price: 1,
    unit_cost: 0.3,
    salvage_value: 0.12,
    demand: { distribution: 'normal', mean: 50, sd: 8 },
    time_unit: 'day',
  },

  check(config, complain) {
    if (checkLevelCosts(config, complain)) checkDemand(config.demand, complain);
  },

  sense: ({ price }) => (price === undefined ? 'minimize' : 'maximize'),

  solve(config) {
    const demand = distributionOf(config.demand);
    const costs = mismatchOf(config);
    const ratio = criticalRatio(costs);
    const quantity = Math.max(0, demand.quantile(ratio));
    const { cost, over, under, left, short } = outcomeOf(demand, costs, quantity);
    const isPriced = config.price !== undefined;
    const profit = costs.under * demand.mean - cost;
    const fitness = isPriced ? profit : cost;
    return {
      method: 'closed_form',
      reason: 'the expected cost is convex, and its slope is 0 at the quantile of the critical ratio',
      bestSolution: [quantity],
      bestFitness: fitness,
      decisionVariables: ['order_quantity'],
      result: {
        order_quantity: quantity,
        critical_ratio: ratio,
        cost,
        ...(isPriced ? { profit } : {}),
        ordering_cost: 0,
        holding_cost: over,
        stockout_cost: under,
        purchase_cost: (config.unit_cost ?? 0) * quantity,
        expected_sales: demand.mean - short,
        expected_leftover: left,
        expected_shortage: short,
        cycle_time: 1,
        orders_per_period: 1,
        safety_stock: quantity - demand.mean,
        service_level: serviceOf(demand, quantity),
        average_inventory: left,
        sensitivity: levelSensitivity(config, demand, 0),
      },
      optimality: { status: 'optimal', bound: fitness, proof: 'closed_form' },
      evaluations: 1,
      warnings: remarksOn(config.demand),
      assumptions:
        isPriced && config.salvage_value === undefined
          ? [
              {
                code: 'salvage_default',
                field: 'config.salvage_value',
                message: 'Units that are left over bring nothing.',
              },
            ]
          : [],
    };
  },

  verify(config, { bestSolution: [quantity = NaN], bestFitness }) {
    const demand = distributionOf(config.demand);
    const costs = mismatchOf(config);
    const { left, short } = outcomeOf(demand, costs, quantity);
    const { price, unit_cost = NaN, salvage_value = 0 } = config;
    // What is sold, left over and bought, each at its price.
    const objective =
      price === undefined
        ? costs.over * left + costs.under * short
        : price * (demand.mean - short) + salvage_value * left - unit_cost * quantity;
    const scale = (costs.over + costs.under) * (demand.mean + quantity);
    if (!(Math.abs(objective - bestFitness) <= 1e-9 * scale)) return `the parts add up to ${objective}`;
    return levelComplaint(demand, costs, quantity, 0);
  },

  explain(config, { bestSolution: [quantity = NaN], bestFitness }) {
    const demand = distributionOf(config.demand);
    const costs = mismatchOf(config);
    const { left, short } = outcomeOf(demand, costs, quantity);
    const at = (q: number): number => outcomeOf(demand, costs, q).cost;
    return [
      config.price === undefined
        ? say(1, 'result', 'Order {quantity:unit|units}: too many and too few together cost {cost} on average.', {
            quantity,
            cost: bestFitness,
          })
        : say(1, 'result', 'Order {quantity:unit|units}: that earns {profit} on average.', {
            quantity,
            profit: bestFitness,
          }),
      say(
        1,
        'result',
        'Demand is met in full with probability {cycle}; {left:unit is|units are} left over on average, {short} missing.',
        {
          cycle: demand.cdf(quantity),
          left,
          short,
        },
      ),
      say(
        2,
        'choice',
        'A unit too few costs {under}, one too many {over}: so demand should be met with probability {ratio}.',
        {
          under: costs.under,
          over: costs.over,
          ratio: criticalRatio(costs),
        },
      ),
      say(4, 'sensitivity', 'A tenth more costs {more} more, a tenth less {less} more.', {
        more: at(quantity * 1.1) - at(quantity),
        less: at(quantity * 0.9) - at(quantity),
      }),
      say(5, 'alternatives', 'An order of the expected demand, {mean:unit|units}, would cost {more} more.', {
        mean: demand.mean,
        more: at(demand.mean) - at(quantity),
      }),
    ];
  },

  pictures: {
    cost_curve: (config, { bestSolution: [quantity = NaN] }) => {
      const demand = distributionOf(config.demand);
      const costs = mismatchOf(config);
      const low = Math.max(0, Math.min(demand.quantile(0.01), quantity));
      const high = Math.max(demand.quantile(0.99), quantity, low + Math.max(1, low * 0.1));
      const at = spread(low, high);
      const curve = (name: string, of: (q: number) => number) => ({ name, points: at.map((q): Point => [q, of(q)]) });
      const best = outcomeOf(demand, costs, quantity);
      return lineChart({
        title: 'Expected cost of an order',
        xName: 'units ordered',
        yName: 'cost of too many and too few',
        series: [
          curve('total', (q) => outcomeOf(demand, costs, q).cost),
          curve('too many', (q) => outcomeOf(demand, costs, q).over),
          curve('too few', (q) => outcomeOf(demand, costs, q).under),
        ],
        marks: [{ at: [quantity, best.cost], name: isNear(quantity, demand.mean) ? 'optimum = mean' : 'optimum' }],
      });
    },
  },
});
