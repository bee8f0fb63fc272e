/**
 * The price of one product. Profit rises or falls between the points where it can turn (kinks of the demand, stationary
 * prices, the price at which the capacity sells out), so the best of them is the best of all; with price endings it is
 * one of their neighbours.
 * Sources: Lerner 1934; Talluri and van Ryzin, The Theory and Practice of Revenue Management (2004), chapter 7.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import type { ConstraintState, JsonObject, Remark } from '../../../model/problem.js';
import type { Statement } from '../../../model/explanation.js';
import { lineChart } from '../../charts/line-chart.js';
import { amount, numbers, positive } from '../../fields.js';
import { Infeasible, model, Unbounded } from '../../problem-type.js';
import { checkDemand, curveOf, demandSchema, fittedLine, MOST, type DemandCurve } from './demand.js';

const CURVE_POINTS = 50;
const MOST_ENDINGS = 100;
/** Prices that are valued between looks at the time. */
const PRICES_A_LOOK = 256;

const fields = z.strictObject({
  demand: demandSchema,
  unit_cost: amount('Cost of one more unit').max(MOST).default(0),
  capacity: positive('Units that can be sold at most').max(MOST).optional(),
  min_price: amount('Lowest price').max(MOST).optional(),
  max_price: positive('Highest price').max(MOST).optional(),
  price_endings: numbers('What prices end with after the whole unit of money, such as 0.99', {
    most: MOST_ENDINGS,
    minimum: 0,
    maximum: 0.999999,
  }).optional(),
  objective: z.enum(['profit', 'revenue']).default('profit').describe('What is to be large'),
  currency: z.string().max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;

interface Market {
  readonly curve: DemandCurve;
  readonly capacity: number;
  readonly low: number;
  readonly high: number;
  readonly endings: readonly number[];
}

const marketOf = ({ demand, capacity, min_price, max_price, price_endings }: Config): Market => {
  const curve = curveOf(demand);
  const low = Math.max(curve.low, min_price ?? 0);
  const high = Math.min(curve.high, max_price ?? Infinity);
  return { curve, capacity: capacity ?? Infinity, low, high, endings: price_endings ?? [] };
};

const salesAt = ({ curve, capacity }: Market, price: number): number => Math.min(curve.quantity(price), capacity);

const gainAt = (market: Market, cost: number, price: number): number => (price - cost) * salesAt(market, price);

/** Prices at which profit can turn, and the limits. */
function turningPrices({ curve, capacity, low, high }: Market, cost: number): number[] {
  const turns = [...curve.breaks, ...curve.stationary(cost), ...(capacity < Infinity ? curve.at(capacity) : [])];
  return [low, high, ...turns].filter((price) => price >= low && price <= high && price < Infinity);
}

/** The next price below and above for each ending, `price` itself included. */
const neighbours = (price: number, endings: readonly number[]): number[] =>
  endings.flatMap((ending) => {
    const whole = Math.floor(price - ending);
    // One more on either side: the difference is rounded.
    return [whole - 1, whole, whole + 1, whole + 2]
      .filter((n) => n >= 0)
      .map((n) => Number((n + ending).toPrecision(15)));
  });

interface Best {
  /** Null: profit has no largest value, or no price is allowed. The lowest of those that are best. */
  readonly price: number | null;
  /** False: the time was up before all were. */
  readonly isWhole: boolean;
}

function bestPrice(market: Market, cost: number, isOver: () => boolean): Best {
  if (isUnbounded(market, cost)) return { price: null, isWhole: true };
  const { low, high, endings } = market;
  const gain = (price: number): number => gainAt(market, cost, price);
  // The most promising first: once the time is up, the best price so far is a good one.
  const turns = turningPrices(market, cost)
    .map((price) => ({ price, gain: gain(price) }))
    .sort((a, b) => b.gain - a.gain);
  const seen = new Set<number>();
  let best: number | null = null;
  let most = -Infinity;
  for (const turn of turns) {
    for (const price of endings.length === 0 ? [turn.price] : neighbours(turn.price, endings)) {
      if (price < low || price > high || price <= Number.MIN_VALUE || seen.has(price)) continue;
      if (best !== null && seen.size % PRICES_A_LOOK === 0 && isOver()) return { price: best, isWhole: false };
      seen.add(price);
      const own = gain(price);
      if (own > most || (own === most && price < (best ?? Infinity))) [best, most] = [price, own];
    }
  }
  return { price: best, isWhole: true };
}

/** Elastic demand at no cost: the lower the price, the larger the revenue, and there is no lowest price. */
const isUnbounded = ({ curve, capacity, low, endings }: Market, cost: number): boolean =>
  low === Number.MIN_VALUE &&
  endings.length === 0 &&
  capacity === Infinity &&
  cost === 0 &&
  curve.stationary(0).length > 0;

/** Profit that one more unit of capacity would add: by a lower price, or at this price where demand exceeds it. */
function shadowPrice({ curve, capacity }: Market, cost: number, price: number): number {
  const quantity = curve.quantity(price);
  if (quantity > capacity * (1 + 1e-9)) return Math.max(0, price - cost);
  return Math.max(0, price + capacity / curve.derivative(price) - cost);
}

const isBinding = ({ curve, capacity }: Market, price: number): boolean =>
  curve.quantity(price) >= capacity * (1 - 1e-9);

interface Outcome {
  readonly price: number;
  readonly demand: number;
  readonly sales: number;
  readonly revenue: number;
  readonly profit: number;
}

const outcomeAt = (market: Market, unitCost: number, price: number): Outcome => {
  const sales = salesAt(market, price);
  return {
    price,
    demand: market.curve.quantity(price),
    sales,
    revenue: price * sales,
    profit: (price - unitCost) * sales,
  };
};

function profitCurve(market: Market, unitCost: number, price: number): Outcome[] {
  const from = Math.max(market.low, 0.4 * price, 1e-9);
  const to = Math.max(from, Math.min(market.high, price > 0 ? 1.8 * price : 1));
  return Array.from({ length: CURVE_POINTS }, (_, i) =>
    outcomeAt(market, unitCost, from + ((to - from) * i) / (CURVE_POINTS - 1)),
  );
}

const curveJson = (curve: readonly Outcome[]): JsonObject[] =>
  curve.map(({ price, demand, sales, profit }) => ({ price, demand, sales, profit }));

function remarks(config: Config, market: Market, outcome: Outcome): { assumptions: Remark[]; warnings: Remark[] } {
  const assumptions: Remark[] = [];
  const warnings: Remark[] = [];
  const fitted = fittedLine(config.demand);
  if (fitted !== null) {
    assumptions.push({
      code: 'linear_demand_fitted',
      field: 'config.demand.points',
      message:
        `Two observations give a linear demand: ${Number(fitted.intercept.toPrecision(6))} units at a price of 0, ` +
        `${Number(fitted.slope.toPrecision(6))} fewer for each unit of money.`,
    });
  } else if (config.demand.type === 'points') {
    assumptions.push({
      code: 'demand_interpolated',
      field: 'config.demand.points',
      message: `Demand between the observations lies on straight lines, and the price stays within ${market.curve.low} and ${market.curve.high}, where it was observed.`,
    });
    const sorted = [...config.demand.points].sort(([a], [b]) => a - b);
    if (sorted.some(([, quantity], i) => i > 0 && quantity > sorted[i - 1][1])) {
      warnings.push({
        code: 'demand_rises_with_price',
        field: 'config.demand.points',
        message: 'Some observations sold more at a higher price: chance or another cause may be behind that.',
      });
    }
  }
  if (config.unit_cost === 0 && config.objective === 'profit') {
    assumptions.push({
      code: 'no_unit_cost',
      field: 'config.unit_cost',
      message: 'A unit costs nothing, so profit is revenue.',
    });
  }
  if (config.objective === 'profit' && outcome.profit <= 0) {
    const message =
      outcome.profit < 0
        ? 'Every price that is allowed loses money: this one loses least.'
        : 'No price that is allowed makes a profit: at this one nothing is sold.';
    warnings.push({ code: 'no_profit', message });
  }
  if (outcome.demand > outcome.sales * (1 + 1e-9)) {
    warnings.push({
      code: 'unmet_demand',
      field: 'config.max_price',
      message: 'The highest price is below the one at which the capacity sells out: some customers get nothing.',
    });
  }
  return { assumptions, warnings };
}

function constraintsOf(config: Config, market: Market, outcome: Outcome, shadow: number | null): ConstraintState[] {
  const { price, sales } = outcome;
  const states: ConstraintState[] = [];
  if (config.capacity !== undefined) {
    states.push({
      name: 'capacity',
      value: sales,
      limit: config.capacity,
      slack: config.capacity - sales,
      binding: isBinding(market, price),
      shadowPrice: shadow ?? undefined,
    });
  }
  const { min_price, max_price } = config;
  if (min_price !== undefined) {
    const slack = price - min_price;
    states.push({ name: 'min_price', value: price, limit: min_price, slack, binding: slack <= 1e-9 * price });
  }
  if (max_price !== undefined) {
    const slack = max_price - price;
    states.push({ name: 'max_price', value: price, limit: max_price, slack, binding: slack <= 1e-9 * price });
  }
  return states;
}

export const singleProduct = model({
  name: 'single_product',
  summary: 'The best price of one product under a demand curve, with capacity, price limits and price endings.',
  fields,
  example: {
    model: 'single_product',
    demand: { type: 'linear', intercept: 1000, slope: 20 },
    unit_cost: 12,
    capacity: 400,
  },

  check(config, complain) {
    const { demand, min_price, max_price } = config;
    if (!checkDemand(demand, max_price, complain)) return;
    if (min_price !== undefined && max_price !== undefined && min_price > max_price) {
      complain(['min_price'], `\`{field}\` = ${min_price} must not be above \`max_price\` = ${max_price}.`);
      return;
    }
    if (demand.type !== 'points' || demand.points.length === 2) return;
    const prices = demand.points.map(([price]) => price);
    const [least, most] = [Math.min(...prices), Math.max(...prices)];
    if (max_price !== undefined && max_price < least) {
      complain(['max_price'], `\`{field}\` = ${max_price} is below ${least}, the lowest price of \`demand.points\`.`);
    } else if (min_price !== undefined && min_price > most) {
      complain(['min_price'], `\`{field}\` = ${min_price} is above ${most}, the highest price of \`demand.points\`.`);
    }
  },

  sense: () => 'maximize',

  solve(config, context) {
    const isOver = (): boolean => context.isOver();
    const market = marketOf(config);
    const cost = config.objective === 'profit' ? config.unit_cost : 0;
    if (isUnbounded(market, cost)) {
      throw new Unbounded(
        'The lower the price, the larger the revenue: with an elasticity below -1 and no cost per unit, demand grows ' +
          'faster than the price falls. Send `min_price`, `capacity` or `unit_cost`.',
      );
    }
    const { price, isWhole } = bestPrice(market, cost, isOver);
    if (price === null) {
      throw new Infeasible(
        `No price from ${market.low} to ${market.high} ends with one of \`price_endings\`.`,
        ['min_price', 'max_price', 'price_endings'].filter((name) => name in config),
      );
    }
    const outcome = outcomeAt(market, config.unit_cost, price);
    const isBound = isBinding(market, price);
    const isFree = market.endings.length === 0;
    const shadow = !isFree && isBound ? null : isBound ? shadowPrice(market, cost, price) : 0;
    const bestFitness = (price - cost) * outcome.sales;
    const isClosed = isFree && config.demand.type !== 'points';
    const mostRevenue = bestPrice(market, 0, isOver);
    return {
      method: isClosed || config.demand.type !== 'points' ? 'closed_form' : 'exhaustive_enumeration',
      reason: isFree
        ? 'profit can turn at a few prices only, and formulas give each of them'
        : 'profit can turn at a few prices only: the best price with such an ending is next to one of them',
      bestSolution: [price],
      bestFitness,
      decisionVariables: ['price'],
      result: {
        ...outcome,
        margin: price - config.unit_cost,
        markup_on_price: price > 0 ? (price - config.unit_cost) / price : null,
        elasticity: outcome.demand > 0 ? (market.curve.derivative(price) * price) / outcome.demand : null,
        revenue_maximising_price: mostRevenue.isWhole ? mostRevenue.price : null,
        capacity_binding: isBound,
        shadow_price: shadow,
        profit_curve: curveJson(profitCurve(market, config.unit_cost, price)),
      },
      optimality: isWhole
        ? { status: 'optimal', bound: bestFitness, proof: isClosed ? 'closed_form' : 'exhaustive' }
        : { status: 'heuristic', bound: null, proof: null },
      evaluations: 1,
      constraints: constraintsOf(config, market, outcome, shadow),
      ...remarks(config, market, outcome),
    };
  },

  verify(config, { bestSolution: [price = NaN], bestFitness, optimality }) {
    const market = marketOf(config);
    const cost = config.objective === 'profit' ? config.unit_cost : 0;
    const sold = Math.min(market.curve.quantity(price), config.capacity ?? Infinity);
    const gain = price * sold - cost * sold;
    const scale = Math.abs(price * sold) + Math.abs(cost * sold);
    if (!(Math.abs(gain - bestFitness) <= 1e-9 * scale)) return `price times sales less cost is ${gain}`;
    if (!(price >= (config.min_price ?? 0) && price <= (config.max_price ?? Infinity))) {
      return `the price ${price} is outside its limits`;
    }
    const { endings } = market;
    const off = (ending: number): number => Math.abs(price - ending - Math.round(price - ending));
    if (endings.length > 0 && !endings.some((ending) => off(ending) <= 1e-9 * (1 + price))) return 'another ending';
    if (endings.length > 0 || optimality.proof === null) return null;
    const top = Math.min(market.high, 4 * price + 1);
    const others = Array.from({ length: 401 }, (_, i) => market.low + ((top - market.low) * i) / 400);
    // At the smallest of all numbers, which stands for no lowest price, the demand may be beyond all numbers.
    const better = others.find(
      (other) => other > Number.MIN_VALUE && gainAt(market, cost, other) > bestFitness + 1e-9 * (1 + scale),
    );
    return better === undefined ? null : `the price ${better} is better`;
  },

  explain(config, { bestFitness, result, bestSolution: [price = NaN] }) {
    const { demand, sales, elasticity, shadow_price, capacity_binding, revenue_maximising_price } = result as Record<
      string,
      number | null
    >;
    const what = config.objective;
    const statements: Statement[] = [
      say(1, 'result', `Charge {price}: that sells {sales:unit|units} and makes a ${what} of {gain}.`, {
        price,
        sales: sales ?? 0,
        gain: bestFitness,
      }),
    ];
    if (capacity_binding) {
      statements.push(
        say(
          2,
          'choice',
          'The capacity decides: at this price demand is {demand:unit|units}, at a lower one more than there are.',
          {
            demand: demand ?? 0,
          },
        ),
      );
    } else if (elasticity !== null) {
      statements.push(
        say(2, 'choice', 'At this price one more percent on it changes demand by {elasticity} percent.', {
          elasticity,
        }),
      );
    }
    if (shadow_price !== null && shadow_price > 0) {
      statements.push(say(4, 'sensitivity', 'One more unit of capacity is worth {worth}.', { worth: shadow_price }));
    }
    const market = marketOf(config);
    if (market.endings.length === 0 && price > 0 && bestFitness > 0) {
      const cost = what === 'profit' ? config.unit_cost : 0;
      const lost = (factor: number): number => 100 * (1 - gainAt(market, cost, price * factor) / bestFitness);
      const below = price * 0.95 >= market.low ? lost(0.95) : null;
      const above = price * 1.05 <= market.high ? lost(1.05) : null;
      if (below !== null && above !== null) {
        statements.push(
          say(
            4,
            'sensitivity',
            `Five percent below this price loses {below} percent of the ${what}, five above {above}.`,
            {
              below,
              above,
            },
          ),
        );
      }
    }
    if (what === 'profit' && revenue_maximising_price !== null && revenue_maximising_price !== price) {
      statements.push(
        say(5, 'alternatives', 'For the largest revenue instead, charge {other}.', { other: revenue_maximising_price }),
      );
    }
    return statements;
  },

  pictures: {
    profit_curve: (config, { bestSolution: [price = NaN] }) => {
      const market = marketOf(config);
      const { profit } = outcomeAt(market, config.unit_cost, price);
      const money = config.currency ?? 'money';
      const curve = profitCurve(market, config.unit_cost, price);
      return lineChart({
        title: 'Profit and revenue by price',
        xName: `price per unit (${money})`,
        yName: money,
        series: [
          { name: 'profit', points: curve.map((at) => [at.price, at.profit]) },
          { name: 'revenue', points: curve.map((at) => [at.price, at.revenue]) },
        ],
        marks: [{ at: [price, profit], name: `profit at ${Number(price.toPrecision(6))}` }],
      });
    },
    demand_curve: (config, { bestSolution: [price = NaN] }) => {
      const market = marketOf(config);
      const curve = profitCurve(market, config.unit_cost, price);
      const observed = config.demand.type === 'points' ? config.demand.points : [];
      return lineChart({
        title: 'Demand by price',
        xName: `price per unit (${config.currency ?? 'money'})`,
        yName: 'units',
        series: [
          { name: 'demand', points: curve.map((at) => [at.price, at.demand]) },
          ...(observed.length === 0 ? [] : [{ name: 'observed', points: observed, isScatter: true }]),
        ],
        marks: [{ at: [price, market.curve.quantity(price)], name: 'best price' }],
      });
    },
  },
});
