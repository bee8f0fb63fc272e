/**
 * Demand for one product as a function of its price. A curve knows where profit can turn, so that whoever searches for
 * the best price need only look there: between neighbouring points of `breaks`, `stationary` and `at` profit rises or
 * falls.
 */
import { z } from 'zod';
import { exp, log, power } from '../../../common/float.js';
import { amount, number, positive, type Complain } from '../../fields.js';
import { lambertWOfExp } from './lambert-w.js';

/** Keeps products of a few such numbers within the range of float64. */
export const MOST = 1e12;

/** Steepest elasticity: beyond it, a price is as good as fixed. */
const STEEPEST = -50;

const MOST_POINTS = 1_000;

const linear = z.strictObject({
  type: z.literal('linear'),
  intercept: positive('Units that are asked for at a price of 0').max(MOST),
  slope: positive('Units that are lost for each unit of money on the price').max(MOST),
});

const constantElasticity = z.strictObject({
  type: z.literal('constant_elasticity'),
  scale: positive('Units that are asked for at a price of 1').max(MOST),
  elasticity: z
    .number()
    .min(STEEPEST)
    .lt(0)
    .describe('Percent of the demand that one more percent on the price adds: below -1 without `max_price`'),
});

const exponential = z.strictObject({
  type: z.literal('exponential'),
  scale: positive('Units that are asked for at a price of 0').max(MOST),
  rate: positive('Share of the demand that one more unit of money on the price takes away').max(MOST),
});

const logit = z.strictObject({
  type: z.literal('logit'),
  market_size: positive('Customers').max(MOST),
  attractiveness: number('Utility of the product at a price of 0').min(-1000).max(1000),
  price_sensitivity: positive('Utility that one unit of money on the price takes away').max(MOST),
  outside_option_utility: number('Utility of buying nothing').min(-1000).max(1000).default(0),
});

const observed = z.strictObject({
  type: z.literal('points'),
  points: z
    .array(z.tuple([positive('Price').max(MOST), amount('Units that were sold at it').max(MOST)]))
    .min(2)
    .max(MOST_POINTS)
    .describe('[price, quantity] as observed, in any order: two give a line, more are joined by lines'),
});

export const demandSchema = z
  .discriminatedUnion('type', [linear, constantElasticity, exponential, logit, observed])
  .describe('Units that are asked for, by the price of a unit');

export type Demand = z.output<typeof demandSchema>;

export interface DemandCurve {
  quantity(price: number): number;
  /** Change of the quantity per unit of money; at a kink, that of lower prices. */
  derivative(price: number): number;
  /** Prices for which the curve holds. */
  readonly low: number;
  readonly high: number;
  /** Prices at which the curve has kinks. */
  readonly breaks: readonly number[];
  /** Prices where (price - cost) quantity may be stationary. */
  stationary(cost: number): readonly number[];
  /** Prices where the demand passes a quantity. */
  at(quantity: number): readonly number[];
}

const line = (intercept: number, slope: number): DemandCurve => ({
  quantity: (price) => Math.max(0, intercept - slope * price),
  derivative: (price) => (price <= intercept / slope ? -slope : 0),
  low: 0,
  high: Infinity,
  breaks: [intercept / slope],
  stationary: (cost) => [(intercept / slope + cost) / 2],
  at: (quantity) => [(intercept - quantity) / slope],
});

const elastic = (scale: number, elasticity: number): DemandCurve => ({
  quantity: (price) => scale * power(price, elasticity),
  derivative: (price) => scale * elasticity * power(price, elasticity - 1),
  low: Number.MIN_VALUE,
  high: Infinity,
  breaks: [],
  // Lerner's condition: (p - c) / p = -1 / elasticity.
  stationary: (cost) => (elasticity < -1 ? [(cost * elasticity) / (elasticity + 1)] : []),
  at: (quantity) => [power(scale / quantity, -1 / elasticity)],
});

const decaying = (scale: number, rate: number): DemandCurve => ({
  quantity: (price) => scale * exp(-rate * price),
  derivative: (price) => -rate * scale * exp(-rate * price),
  low: 0,
  high: Infinity,
  breaks: [],
  stationary: (cost) => [cost + 1 / rate],
  at: (quantity) => [log(scale / quantity) / rate],
});

function logistic(size: number, utility: number, sensitivity: number): DemandCurve {
  const share = (price: number): number => 1 / (1 + exp(sensitivity * price - utility));
  return {
    quantity: (price) => size * share(price),
    derivative: (price) => -sensitivity * size * share(price) * (1 - share(price)),
    low: 0,
    high: Infinity,
    breaks: [],
    stationary: (cost) => [cost + (1 + lambertWOfExp(utility - sensitivity * cost - 1)) / sensitivity],
    at: (quantity) => (quantity < size ? [(utility - log(quantity / (size - quantity))) / sensitivity] : []),
  };
}

type Observed = readonly (readonly [price: number, quantity: number])[];

function joined(points: Observed): DemandCurve {
  const sorted = [...points].sort(([a], [b]) => a - b);
  const segments = sorted.slice(1).map(([price, quantity], i) => {
    const [from, before] = sorted[i];
    return { from, to: price, before, slope: (quantity - before) / (price - from) };
  });
  const first = segments[0];
  const last = segments[segments.length - 1];
  const segmentAt = (price: number): (typeof segments)[number] => segments.find(({ to }) => price <= to) ?? last;
  const within = (found: (segment: (typeof segments)[number]) => number): number[] =>
    segments.flatMap((segment) => {
      const price = found(segment);
      return price > segment.from && price < segment.to ? [price] : [];
    });
  return {
    quantity: (price) => {
      const { from, before, slope } = segmentAt(price);
      return Math.max(0, before + slope * (price - from));
    },
    derivative: (price) => segmentAt(price).slope,
    low: first.from,
    high: last.to,
    breaks: sorted.map(([price]) => price),
    stationary: (cost) => within(({ from, before, slope }) => (from - before / slope + cost) / 2),
    at: (quantity) => within(({ from, before, slope }) => from + (quantity - before) / slope),
  };
}

/** The line through two observations. */
const through = ([[p, q], [r, s]]: Observed): readonly [intercept: number, slope: number] => {
  const slope = (q - s) / (r - p);
  return [q + slope * p, slope];
};

export function curveOf(demand: Demand): DemandCurve {
  switch (demand.type) {
    case 'linear':
      return line(demand.intercept, demand.slope);
    case 'constant_elasticity':
      return elastic(demand.scale, demand.elasticity);
    case 'exponential':
      return decaying(demand.scale, demand.rate);
    case 'logit': {
      const { market_size, attractiveness, outside_option_utility, price_sensitivity } = demand;
      return logistic(market_size, attractiveness - outside_option_utility, price_sensitivity);
    }
    case 'points':
      return demand.points.length === 2 ? line(...through(demand.points)) : joined(demand.points);
  }
}

/** The fitted line, where there are two observations. */
export function fittedLine(demand: Demand): { readonly intercept: number; readonly slope: number } | null {
  if (demand.type !== 'points' || demand.points.length !== 2) return null;
  const [intercept, slope] = through(demand.points);
  return { intercept, slope };
}

/** Complains about the first fault; true where there is none. */
export function checkDemand(demand: Demand, maxPrice: number | undefined, complain: Complain): boolean {
  if (demand.type === 'constant_elasticity' && demand.elasticity >= -1 && maxPrice === undefined) {
    complain(
      ['demand', 'elasticity'],
      '`{field}` between -1 and 0 makes the price unbounded, since every rise of it adds profit: send `max_price` too.',
    );
    return false;
  }
  if (demand.type !== 'points') return true;
  const seen = new Map<number, number>();
  for (const [i, [price]] of demand.points.entries()) {
    const earlier = seen.get(price);
    if (earlier !== undefined) {
      complain(['demand', 'points', i, 0], `\`{field}\`: entry ${earlier + 1} has the price ${price} too.`);
      return false;
    }
    seen.set(price, i);
  }
  if (demand.points.length === 2 && !(through(demand.points)[1] > 0)) {
    complain(
      ['demand', 'points'],
      '`{field}`: of two observations, the one with the higher price must have sold less.',
    );
    return false;
  }
  return true;
}
