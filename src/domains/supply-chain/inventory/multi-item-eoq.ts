/**
 * Order quantities of several items that share a store: the space that all lots need at once is limited.
 * Source: Hadley and Whitin 1963, section 2-9: Q_i = sqrt(2 K_i D_i / (h_i + 2 lambda w_i)), with the multiplier lambda
 * that fills the store.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { checkUnique, id, list, withIds } from '../../fields.js';
import { model } from '../../problem-type.js';
import { barChart } from '../../charts/bar-chart.js';
import { lineChart, type Point } from '../../charts/line-chart.js';
import { amount, isNear, LABELS, positive, sensitivityTo, TOO_HIGH, unitOf } from './costs.js';

export const MAX_ITEMS = 10_000;
/** Rows of a picture. */
const MOST_DRAWN = 60;
/** Where the curve of the picture begins, as a share of the limit. */
const LEAST_DRAWN = 0.3;

interface Item {
  readonly id?: string | undefined;
  readonly demand_rate: number;
  readonly fixed_cost: number;
  readonly holding_cost: number;
  readonly space: number;
}

const quantityOf = ({ demand_rate, fixed_cost, holding_cost, space }: Item, multiplier: number): number =>
  Math.sqrt((2 * fixed_cost * demand_rate) / (holding_cost + 2 * multiplier * space));

const orderingOf = ({ demand_rate, fixed_cost }: Item, quantity: number): number =>
  (fixed_cost * demand_rate) / quantity;

const total = (items: readonly Item[], of: (item: Item, i: number) => number): number =>
  items.reduce((sum, item, i) => sum + of(item, i), 0);

const spaceOf = (items: readonly Item[], quantities: readonly number[]): number =>
  total(items, ({ space }, i) => space * quantities[i]);

const costOf = (items: readonly Item[], quantities: readonly number[]): number =>
  total(items, (item, i) => orderingOf(item, quantities[i]) + (item.holding_cost * quantities[i]) / 2);

const quantitiesAt = (items: readonly Item[], multiplier: number): number[] =>
  items.map((item) => quantityOf(item, multiplier));

interface Lots {
  readonly quantities: readonly number[];
  /** Saving per time unit by one more unit of space. */
  readonly multiplier: number;
  readonly iterations: number;
  /** False: the time was up, and the lots fit without filling the store. */
  readonly isBest: boolean;
}

/** Bisection to the last bit on the multiplier, at which the space falls through the limit. */
function best(items: readonly Item[], limit: number | undefined, isOver: () => boolean): Lots {
  const free = quantitiesAt(items, 0);
  if (limit === undefined || spaceOf(items, free) <= limit)
    return { quantities: free, multiplier: 0, iterations: 0, isBest: true };
  const fits = (multiplier: number): boolean => spaceOf(items, quantitiesAt(items, multiplier)) <= limit;
  let iterations = 0;
  let high = 1e-9;
  while (!fits(high)) {
    high *= 4;
    iterations++;
  }
  let low = 0;
  let isBest = true;
  for (; ; iterations++) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    isBest = !isOver();
    if (!isBest) break;
    if (fits(middle)) high = middle;
    else low = middle;
  }
  return { quantities: quantitiesAt(items, high), multiplier: high, iterations, isBest };
}

export const multiItemEoq = model({
  name: 'multi_item_eoq',
  summary: 'Order quantities of several items within a limit of space.',
  fields: z.strictObject({
    items: list(
      z.strictObject({
        id: id.optional(),
        demand_rate: positive('Units per time unit'),
        fixed_cost: positive('Cost of one order, whatever its size'),
        holding_cost: positive('Per unit and time unit'),
        space: amount('Space that a unit takes').default(1),
      }),
      'What is ordered',
      MAX_ITEMS,
    ),
    space_limit: positive('Space for a whole lot of each item at once. Absent: no limit').optional(),
    ...LABELS,
  }),
  example: {
    model: 'multi_item_eoq',
    items: [
      { id: 'A', demand_rate: 1000, fixed_cost: 50, holding_cost: 2, space: 1.5 },
      { id: 'B', demand_rate: 500, fixed_cost: 75, holding_cost: 4, space: 2 },
      { id: 'C', demand_rate: 2000, fixed_cost: 100, holding_cost: 1, space: 1 },
    ],
    space_limit: 700,
  },

  check({ items }, complain) {
    checkUnique(items, 'items', complain);
  },

  sense: () => 'minimize',

  solve({ items: given, space_limit }, context) {
    const items = withIds(given);
    const { quantities, multiplier, iterations, isBest } = best(items, space_limit, () => context.isOver());
    const cost = costOf(items, quantities);
    const space = spaceOf(items, quantities);
    const isBinding = multiplier > 0;
    const inputs = ['demand_rate', 'fixed_cost', 'holding_cost'] as const;
    const mistaken = inputs.map(
      (input) => [input, items.map((item) => ({ ...item, [input]: item[input] * TOO_HIGH }))] as const,
    );
    return {
      method: isBinding ? 'lagrangian_bisection' : 'closed_form',
      reason: isBinding
        ? 'the cost is convex, and one multiplier on the space tells all items how much they may take'
        : 'the lots that are best for each item alone fit together',
      bestSolution: quantities,
      bestFitness: cost,
      decisionVariables: items.map((item) => `order_quantity.${item.id}`),
      result: {
        order_quantities: quantities,
        multiplier,
        cost,
        ordering_cost: total(items, (item, i) => orderingOf(item, quantities[i])),
        holding_cost: total(items, ({ holding_cost }, i) => (holding_cost * quantities[i]) / 2),
        stockout_cost: 0,
        purchase_cost: 0,
        space_used: space,
        cost_without_limit: costOf(items, quantitiesAt(items, 0)),
        average_inventory: total(items, (_, i) => quantities[i] / 2),
        safety_stock: 0,
        service_level: { cycle: 1, fill_rate: 1 },
        items: items.map((item, i) => ({
          id: item.id,
          order_quantity: quantities[i],
          quantity_without_limit: quantityOf(item, 0),
          cycle_time: quantities[i] / item.demand_rate,
          orders_per_period: item.demand_rate / quantities[i],
          cost: orderingOf(item, quantities[i]) + (item.holding_cost * quantities[i]) / 2,
          space: item.space * quantities[i],
        })),
        sensitivity: sensitivityTo(
          items as readonly Item[],
          Object.fromEntries(mistaken),
          (one) => best(one, space_limit, () => context.isOver()).quantities,
          (truth, lots) => costOf(truth, lots),
          context,
        ),
      },
      optimality: isBest
        ? { status: 'optimal', bound: cost, proof: isBinding ? 'convex_kkt' : 'closed_form' }
        : { status: 'heuristic', bound: costOf(items, quantitiesAt(items, 0)), proof: null },
      evaluations: 1,
      iterations,
      constraints:
        space_limit === undefined
          ? []
          : [
              {
                name: 'space_limit',
                value: space,
                limit: space_limit,
                slack: space_limit - space,
                binding: isBinding || space_limit - space <= 1e-9 * space_limit,
                shadowPrice: isBinding ? -multiplier : 0,
              },
            ],
      assumptions: [
        ...(given.every(({ space: size }) => size === 1)
          ? [
              {
                code: 'space_default',
                field: 'config.items',
                message: 'Each unit of every item takes 1 unit of space.',
              },
            ]
          : []),
        ...(space_limit === undefined
          ? []
          : [
              {
                code: 'full_lots',
                field: 'config.space_limit',
                message: 'The space holds whole lots of all items at once, as when all of them arrive together.',
              },
            ]),
      ],
    };
  },

  /** Karush, Kuhn and Tucker: what each item saves by a larger lot is the price of the space that the lot takes. */
  verify({ items, space_limit = Infinity }, { bestSolution, bestFitness, result, optimality }) {
    const cost = costOf(items, bestSolution);
    if (!isNear(cost, bestFitness)) return `the lots cost ${cost}`;
    const space = spaceOf(items, bestSolution);
    if (space > space_limit * (1 + 1e-9)) return `the lots take ${space}`;
    const multiplier = Number(result['multiplier']);
    if (!(multiplier >= 0)) return 'the multiplier is negative';
    if (optimality.proof !== null && multiplier > 0 && space < space_limit * (1 - 1e-9))
      return 'space is left though it has a price';
    const off = items.findIndex((item, i) => {
      const saved = orderingOf(item, bestSolution[i]) / bestSolution[i];
      return !isNear(saved, item.holding_cost / 2 + multiplier * item.space);
    });
    return off < 0 ? null : `the lot of item ${off + 1} does not fit the price of space`;
  },

  explain(config, { bestSolution, bestFitness, result }) {
    const { items, space_limit } = config;
    const unit = unitOf(config);
    const space = spaceOf(items, bestSolution);
    const multiplier = Number(result['multiplier']);
    const free = Number(result['cost_without_limit']);
    const cost = { cost: bestFitness, items: items.length };
    return [
      say(1, 'result', `The lots of {items:item cost|items together cost} {cost} per ${unit}.`, cost),
      ...(space_limit === undefined || multiplier === 0
        ? [
            say(1, 'constraint', 'They need {space} of space and are those that are best for each item alone.', {
              space,
            }),
          ]
        : [
            say(1, 'constraint', `The limit of {limit} of space costs {more} per ${unit}.`, {
              limit: space_limit,
              more: bestFitness - free,
            }),
            say(4, 'sensitivity', `One more unit of space saves {multiplier} per ${unit}.`, { multiplier }),
          ]),
      say(2, 'choice', 'Items whose lots are dear to hold or take much space get smaller lots.', {}),
      say(3, 'assumption', 'Demand is constant, and lots arrive at once.', {}),
    ];
  },

  pictures: {
    price_of_space: ({ items, space_limit, time_unit }, { bestSolution, bestFitness, result }) => {
      const free = spaceOf(items, quantitiesAt(items, 0));
      if (space_limit === undefined || !(free > 0)) return lotsChart(items, bestSolution);
      // Each price of space has its lots, and they their space: no search for the price of a given space.
      const pointAt = (multiplier: number): Point => {
        const lots = quantitiesAt(items, multiplier);
        return [spaceOf(items, lots), costOf(items, lots)];
      };
      let dearest = Math.max(Number(result['multiplier']), 1e-9);
      while (pointAt(dearest)[0] > LEAST_DRAWN * space_limit) dearest *= 2;
      const limited = Array.from({ length: 40 }, (_, i) => pointAt(dearest * 10 ** (-i / 8)));
      const best = pointAt(0);
      const points = [...limited, best, [Math.max(space_limit, free) * 1.1, best[1]] as Point].filter(
        ([space]) => space >= LEAST_DRAWN * space_limit,
      );
      const here: Point = [space_limit, bestFitness];
      return lineChart({
        title: 'What space is worth',
        xName: 'space for lots',
        yName: `ordering and holding per ${time_unit}`,
        series: [{ name: 'least cost', points }],
        marks: [{ at: here, name: 'your limit' }],
      });
    },
  },
});

const lotsChart = (given: readonly Item[], quantities: readonly number[]): string => {
  const items = withIds(given).slice(0, MOST_DRAWN);
  return barChart({
    title: items.length < given.length ? `Lots of the first ${MOST_DRAWN} items` : 'Lots of the items',
    xName: 'units per order',
    names: items.map((item) => item.id),
    series: [{ name: 'lots', values: quantities.slice(0, MOST_DRAWN) }],
  });
};
