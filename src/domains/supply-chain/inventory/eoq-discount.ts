/**
 * Economic order quantity with prices that fall with the quantity: for the whole order (all units) or for what lies
 * beyond each breakpoint (incremental).
 * Source: Hadley and Whitin 1963; Snyder and Shen (2019), section 3.4.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { numbers } from '../../fields.js';
import { model } from '../../problem-type.js';
import { lineChart, type Point } from '../../charts/line-chart.js';
import { isNear, LABELS, positive, sensitivityTo, spread, TOO_HIGH, LEAST, MOST, unitOf } from './costs.js';

const MAX_BREAKPOINTS = 1_000;

interface Config {
  readonly demand_rate: number;
  readonly fixed_cost: number;
  readonly holding_cost?: number | undefined;
  readonly holding_cost_rate?: number | undefined;
  readonly discount: 'all_units' | 'incremental';
  readonly breakpoints: readonly number[];
  readonly unit_costs: readonly number[];
}

/** The segment whose prices an order of this size has. */
const segmentOf = ({ breakpoints }: Config, quantity: number): number =>
  Math.max(
    0,
    breakpoints.findLastIndex((from) => from <= quantity),
  );

/** Cost of an order's units beyond `unit_costs[segment]` each, since they were dearer below the breakpoint. */
function surcharges({ discount, breakpoints, unit_costs }: Config): number[] {
  if (discount === 'all_units') return unit_costs.map(() => 0);
  let sum = 0;
  return unit_costs.map((price, i) => (i === 0 ? 0 : (sum += (unit_costs[i - 1] - price) * breakpoints[i])));
}

interface Parts {
  readonly ordering: number;
  readonly holding: number;
  readonly purchase: number;
}

function partsOf(config: Config, quantity: number): Parts {
  const i = segmentOf(config, quantity);
  const { demand_rate, fixed_cost, unit_costs, holding_cost, holding_cost_rate = NaN } = config;
  const price = unit_costs[i] + surcharges(config)[i] / quantity;
  return {
    ordering: (fixed_cost * demand_rate) / quantity,
    holding: ((holding_cost ?? holding_cost_rate * price) * quantity) / 2,
    purchase: price * demand_rate,
  };
}

function costOf(config: Config, quantity: number): number {
  const { ordering, holding, purchase } = partsOf(config, quantity);
  return ordering + holding + purchase;
}

interface Candidate {
  readonly segment: number;
  readonly quantity: number;
  readonly cost: number;
}

/** The best order of each segment. Within one the cost is convex: its lowest point, or the end next to it. */
function candidates(config: Config): Candidate[] {
  const { demand_rate, fixed_cost, holding_cost, holding_cost_rate = NaN, breakpoints, unit_costs } = config;
  const extra = surcharges(config);
  return unit_costs.flatMap((price, segment) => {
    const slope = (holding_cost ?? holding_cost_rate * price) / 2;
    const lowest = Math.sqrt(((fixed_cost + extra[segment]) * demand_rate) / slope);
    const end = breakpoints[segment + 1] ?? Infinity;
    // At its end a segment meets the next one, whose price is no higher.
    if (lowest >= end) return [];
    const quantity = Math.max(lowest, breakpoints[segment]);
    return [{ segment, quantity, cost: costOf(config, quantity) }];
  });
}

const best = (config: Config): Candidate => candidates(config).reduce((a, b) => (b.cost < a.cost ? b : a));

export const eoqDiscount = model({
  name: 'eoq_discount',
  summary: 'Economic order quantity with quantity discounts.',
  fields: z.strictObject({
    demand_rate: positive('Units per time unit'),
    fixed_cost: positive('Cost of one order, whatever its size'),
    discount: z
      .enum(['all_units', 'incremental'])
      .default('all_units')
      .describe('Whether a price holds for the whole order, or for what lies beyond its breakpoint'),
    breakpoints: numbers('Order quantities from which each price holds; the first is 0, and they rise', {
      most: MAX_BREAKPOINTS,
      minimum: 0,
      maximum: MOST,
    }),
    unit_costs: numbers('Price of a unit from each breakpoint on; none is above the one before', {
      most: MAX_BREAKPOINTS,
      minimum: LEAST,
      maximum: MOST,
    }),
    holding_cost_rate: positive('Share of the price that holding a unit costs per time unit').optional(),
    holding_cost: positive('Per unit and time unit, whatever the price. Or `holding_cost_rate`').optional(),
    ...LABELS,
  }),
  example: {
    model: 'eoq_discount',
    discount: 'all_units',
    demand_rate: 1300,
    fixed_cost: 8,
    holding_cost_rate: 0.3,
    breakpoints: [0, 400, 800],
    unit_costs: [0.75, 0.72, 0.68],
  },

  check({ breakpoints, unit_costs, holding_cost, holding_cost_rate }, complain) {
    if (unit_costs.length !== breakpoints.length) {
      return complain(['unit_costs'], `\`{field}\` must have one price for each of ${breakpoints.length} breakpoints.`);
    }
    if (breakpoints[0] !== 0) return complain(['breakpoints', 0], `\`{field}\` must be 0, not ${breakpoints[0]}.`);
    const fall = breakpoints.findIndex((from, i) => i > 0 && from <= breakpoints[i - 1]);
    if (fall > 0) {
      return complain(['breakpoints', fall], `\`{field}\` must be above the one before, ${breakpoints[fall - 1]}.`);
    }
    const rise = unit_costs.findIndex((price, i) => i > 0 && price > unit_costs[i - 1]);
    if (rise > 0) {
      return complain(['unit_costs', rise], `\`{field}\` must be at most the one before, ${unit_costs[rise - 1]}.`);
    }
    if (holding_cost !== undefined && holding_cost_rate !== undefined) {
      complain(['holding_cost'], '`{field}` and `config.holding_cost_rate` say the same: send one of them.');
    } else if (holding_cost === undefined && holding_cost_rate === undefined) {
      complain(['holding_cost_rate'], '`{field}` is required, or `holding_cost` instead.');
    }
  },

  sense: () => 'minimize',

  solve(config) {
    const found = candidates(config);
    const { quantity, cost, segment } = best(config);
    const { ordering, holding, purchase } = partsOf(config, quantity);
    const holdingInput = config.holding_cost === undefined ? 'holding_cost_rate' : 'holding_cost';
    const inputs = ['demand_rate', 'fixed_cost', holdingInput] as const;
    const mistaken = inputs.map((input) => [input, { ...config, [input]: (config[input] ?? NaN) * TOO_HIGH }] as const);
    return {
      method: 'closed_form',
      reason: 'within each price the best quantity has a closed form; the best of them is the best of all',
      bestSolution: [quantity],
      bestFitness: cost,
      decisionVariables: ['order_quantity'],
      result: {
        order_quantity: quantity,
        unit_cost: purchase / config.demand_rate,
        segment: segment + 1,
        cost,
        ordering_cost: ordering,
        holding_cost: holding,
        stockout_cost: 0,
        purchase_cost: purchase,
        cycle_time: quantity / config.demand_rate,
        orders_per_period: config.demand_rate / quantity,
        safety_stock: 0,
        service_level: { cycle: 1, fill_rate: 1 },
        average_inventory: quantity / 2,
        sensitivity: sensitivityTo(
          config,
          Object.fromEntries(mistaken),
          (one) => best(one).quantity,
          (truth, q) => costOf(truth, q),
        ),
      },
      optimality: { status: 'optimal', bound: cost, proof: 'closed_form' },
      evaluations: 1,
      alternatives: found
        .filter((one) => one.segment !== segment)
        .sort((a, b) => a.cost - b.cost)
        .slice(0, 20)
        .map((one) => ({ order_quantity: one.quantity, cost: one.cost, segment: one.segment + 1 })),
    };
  },

  verify(config, { bestSolution: [quantity = NaN], bestFitness }) {
    if (!isNear(costOf(config, quantity), bestFitness)) return `the cost is ${costOf(config, quantity)}`;
    const others = [
      ...config.breakpoints.filter((from) => from > 0),
      ...spread(quantity / 10, 4 * quantity),
      quantity * 0.9999,
      quantity * 1.0001,
    ];
    const better = others.find((other) => costOf(config, other) < bestFitness * (1 - 1e-12));
    return better === undefined ? null : `an order of ${better} costs less`;
  },

  explain(config, { bestSolution: [quantity = NaN], bestFitness, alternatives = [] }) {
    const i = segmentOf(config, quantity);
    const { ordering, holding, purchase } = partsOf(config, quantity);
    const unit = unitOf(config);
    const isAtBreak = i > 0 && quantity === config.breakpoints[i];
    return [
      say(1, 'result', `Order {quantity:unit|units} at a time: goods, ordering and holding cost {cost} per ${unit}.`, {
        quantity,
        cost: bestFitness,
      }),
      isAtBreak
        ? say(2, 'choice', 'It is the smallest order that has the price of {price}.', { price: config.unit_costs[i] })
        : say(2, 'choice', 'Within its price, ordering and holding balance at this quantity.', {}),
      say(2, 'trade_off', `Per ${unit} the goods cost {purchase}, ordering {ordering}, holding {holding}.`, {
        purchase,
        ordering,
        holding,
      }),
      ...alternatives.slice(0, 1).map(({ order_quantity, cost }) =>
        say(5, 'alternatives', 'The best order at another price is {quantity:unit|units}, and costs {more} more.', {
          quantity: Number(order_quantity),
          more: Number(cost) - bestFitness,
        }),
      ),
    ];
  },

  pictures: {
    cost_curve: (config, { bestSolution: [quantity = NaN], bestFitness }) => {
      const low = 0.3 * quantity;
      const high = Math.max(2 * quantity, Math.min(config.breakpoints.at(-1) ?? 0, 4 * quantity) * 1.25);
      const shown = config.breakpoints.flatMap((from, i) => {
        const [start, end] = [Math.max(from, low), Math.min(config.breakpoints[i + 1] ?? Infinity, high)];
        if (!(start < end)) return [];
        const within = (q: number): number => Math.min(q, end - (end - start) * 1e-9);
        const points = spread(start, end).map((q): Point => [q, costOf(config, within(q))]);
        return [{ name: `at ${config.unit_costs[i]}`, points }];
      });
      return lineChart({
        title: 'Cost of an order quantity at each price',
        xName: 'units per order',
        yName: `goods, ordering and holding per ${config.time_unit}`,
        series: shown.slice(0, 12),
        marks: [{ at: [quantity, bestFitness], name: 'optimum' }],
      });
    },
  },
});
