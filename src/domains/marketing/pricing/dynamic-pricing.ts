/**
 * Prices that change with the stock and the time left. Customers who arrive at random with a demand that decays
 * exponentially in the price have a closed form; a list of prices with the mean demand of each period is a dynamic
 * programme over the stock.
 *
 * | symbol | meaning |
 * | --- | --- |
 * | n, t | units left, time left |
 * | a, r | demand rate is a e^(-r p) at the price p |
 * | J(n, t) | most revenue to be expected: ln(sum for i <= n of (a t / e)^i / i!) / r |
 *
 * The best price is J(n, t) - J(n - 1, t) + 1 / r. A salvage value v counts as if all prices began at v: a e^(-r v) for
 * a.
 * Source: Gallego and van Ryzin 1994, Optimal dynamic pricing of inventories with stochastic demand over finite
 * horizons.
 */
import { z } from 'zod';
import { exp, log } from '../../../common/float.js';
import { say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { JsonObject, Remark } from '../../../model/problem.js';
import { lineChart } from '../../charts/line-chart.js';
import { amount, count, matrix, numbers, positive } from '../../fields.js';
import { model, type SolveContext, type Solution } from '../../problem-type.js';
import { MOST } from './demand.js';

const MOST_UNITS = 5_000;
const MOST_UNITS_OF_LIST = 1_000;
const MOST_PERIODS = 400;
const MOST_PRICES = 20;
const TABLE_TIMES = 11;
const TABLE_UNITS = 20;

const poissonExponential = z.strictObject({
  type: z.literal('poisson_exponential'),
  arrival_scale: positive('Customers per unit of time who would buy at a price of 0').max(1e6),
  rate: positive('Share of the customers that one more unit of money on the price takes away').min(1e-9).max(1e9),
});

const priceList = z.strictObject({
  type: z.literal('price_list'),
  prices: numbers('Prices that can be charged', { most: MOST_PRICES, minimum: 0, maximum: MOST }),
  mean_demand: matrix(
    'Mean number of customers who buy in a period (row, the first one first) at each price (column); the number is Poisson distributed. One row: all periods of `horizon` are alike',
    { most: MOST_PERIODS },
    { most: MOST_PRICES, minimum: 0, maximum: 1e6 },
  ),
});

const fields = z.strictObject({
  demand: z
    .discriminatedUnion('type', [poissonExponential, priceList])
    .describe('Customers by price: a formula in continuous time, or a list of prices by period'),
  inventory: count('Units that are there; none come later', 1, MOST_UNITS),
  horizon: positive('Time until the end of sale: for a list of prices, the number of periods (default: its rows)')
    .max(1e6)
    .optional(),
  salvage: amount('Worth of a unit that is left at the end').max(1e9).default(0),
  currency: z.string().max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;
type Formula = z.output<typeof poissonExponential>;
type List = z.output<typeof priceList>;

/** Gain from one more unit at each stock level, and the sums: index n. */
interface Values {
  /** J(n) - J(n - 1), from n = 1. */
  readonly steps: Float64Array;
  readonly totals: Float64Array;
}

/** Values, with the salvage value already taken off `a`. */
function valuesOf({ a, r }: { readonly a: number; readonly r: number }, inventory: number, time: number): Values {
  const steps = new Float64Array(inventory + 1);
  const totals = new Float64Array(inventory + 1);
  // Logarithms of the terms and of their sum: the terms themselves overflow.
  let term = 0;
  let sum = 0;
  for (let n = 1; n <= inventory; n++) {
    term += a > 0 && time > 0 ? log((a * time) / n) - 1 : -Infinity;
    const ratio = term - sum;
    // ln(e^sum + e^term) - sum
    const step = ratio > 0 ? ratio + log(1 + exp(-ratio)) : log(1 + exp(ratio));
    sum += step;
    steps[n] = step / r;
    totals[n] = sum / r;
  }
  return { steps, totals };
}

const rateOf = ({ arrival_scale, rate }: Formula, salvage: number): { readonly a: number; readonly r: number } => ({
  a: arrival_scale * exp(-rate * salvage),
  r: rate,
});

/** Sum of i x^i / i! over the sum of x^i / i!, both to `inventory`; x = a t / e. */
function expectedSales(x: number, inventory: number): number {
  if (!(x > 0)) return 0;
  let term = 0;
  let most = 0;
  const terms = Float64Array.from({ length: inventory + 1 }, (_, i) => {
    if (i > 0) term += log(x / i);
    most = Math.max(most, term);
    return term;
  });
  let weights = 0;
  let sum = 0;
  for (let i = 0; i <= inventory; i++) {
    const weight = exp(terms[i] - most);
    weights += weight;
    sum += i * weight;
  }
  return sum / weights;
}

/** Probabilities of 0 .. most buyers, and in the last place of more. */
function buyers(mean: number, most: number): Float64Array {
  const probabilities = new Float64Array(most + 2);
  if (mean === 0) {
    probabilities[0] = 1;
    return probabilities;
  }
  // Relative to the likeliest number, then scaled: nothing underflows that matters.
  const peak = Math.floor(mean);
  const reach = Math.ceil(12 * Math.sqrt(mean)) + 40;
  let sum = 1;
  const low = Math.max(0, peak - reach);
  const down = [1];
  for (let d = peak; d > low; d--) {
    const weight = (down[down.length - 1] * d) / mean;
    down.push(weight);
    sum += weight;
  }
  const up: number[] = [];
  let weight = 1;
  for (let d = peak + 1; d <= peak + reach; d++) {
    weight *= mean / d;
    up.push(weight);
    sum += weight;
  }
  const put = (d: number, share: number): void => {
    probabilities[Math.min(d, most + 1)] += share / sum;
  };
  for (const [k, share] of down.entries()) put(peak - k, share);
  for (const [k, share] of up.entries()) put(peak + 1 + k, share);
  return probabilities;
}

/** Index of the first and one past the last entry above 0. */
function support(probabilities: Float64Array, most: number): readonly [from: number, to: number] {
  let from = 0;
  while (from <= most && probabilities[from] === 0) from++;
  let to = most + 1;
  while (to > from && probabilities[to - 1] === 0) to--;
  return [from, to];
}

/** Money to be expected of one period that begins with n units. `later`: by units that are left. */
function worth(
  probabilities: Float64Array,
  [from, to]: readonly [number, number],
  price: number,
  later: Float64Array,
  n: number,
): number {
  let value = 0;
  let certain = 0;
  for (let d = from; d < Math.min(to, n); d++) {
    const p = probabilities[d];
    certain += p;
    value += p * (price * d + later[n - d]);
  }
  return value + Math.max(0, 1 - certain) * (price * n + later[0]);
}

const periodsOf = ({ horizon }: Config, { mean_demand }: List): number => horizon ?? mean_demand.length;

const meansOf = ({ mean_demand }: List, period: number): readonly number[] =>
  mean_demand.length === 1 ? mean_demand[0] : mean_demand[period];

interface Plan {
  readonly expected: number;
  /** Index of the price, period by period: policy[t * (inventory + 1) + n]. */
  readonly policy: Uint8Array;
}

function planOf(config: Config, list: List, context: SolveContext): Plan {
  const { inventory, salvage } = config;
  const periods = periodsOf(config, list);
  const policy = new Uint8Array(periods * (inventory + 1));
  let later = Float64Array.from({ length: inventory + 1 }, (_, n) => salvage * n);
  const one = list.mean_demand.length === 1;
  const prepare = (period: number): readonly (readonly [Float64Array, readonly [number, number]])[] =>
    meansOf(list, period).map((mean) => {
      const probabilities = buyers(mean, inventory);
      return [probabilities, support(probabilities, inventory)] as const;
    });
  let prepared = prepare(0);
  for (let t = periods - 1; t >= 0; t--) {
    if (!one) prepared = prepare(t);
    const now = new Float64Array(inventory + 1);
    for (let n = 1; n <= inventory; n++) {
      if (n % 64 === 1) context.look();
      let best = -Infinity;
      for (const [k, [probabilities, range]] of prepared.entries()) {
        const value = worth(probabilities, range, list.prices[k], later, n);
        if (value > best) {
          best = value;
          policy[t * (inventory + 1) + n] = k;
        }
      }
      now[n] = best;
    }
    later = now;
  }
  return { expected: later[inventory], policy };
}

interface Course {
  readonly revenue: number;
  readonly sales: number;
}

/** Follows the stock's probabilities from period to period under prices by period and stock. */
function courseOf(config: Config, list: List, priceIndex: (period: number, units: number) => number): Course {
  const { inventory, salvage } = config;
  let stock = new Float64Array(inventory + 1);
  stock[inventory] = 1;
  let revenue = 0;
  for (let t = 0; t < periodsOf(config, list); t++) {
    const known = new Map<number, Float64Array>();
    const next = new Float64Array(inventory + 1);
    next[0] = stock[0];
    for (let n = 1; n <= inventory; n++) {
      if (stock[n] === 0) continue;
      const k = priceIndex(t, n);
      const probabilities = known.get(k) ?? buyers(meansOf(list, t)[k], inventory);
      known.set(k, probabilities);
      let certain = 0;
      for (let d = 0; d < n; d++) {
        const p = probabilities[d];
        if (p === 0) continue;
        certain += p;
        revenue += stock[n] * p * list.prices[k] * d;
        next[n - d] += stock[n] * p;
      }
      const rest = Math.max(0, 1 - certain);
      revenue += stock[n] * rest * list.prices[k] * n;
      next[0] += stock[n] * rest;
    }
    stock = next;
  }
  const left = stock.reduce((sum, p, n) => sum + p * n, 0);
  return { revenue: revenue + salvage * left, sales: inventory - left };
}

/** Whole numbers from 1 to `most`, no more than `length`, both ends included. */
const spread = (most: number, length: number): number[] => {
  const steps = Math.min(most, length);
  return steps === 1 ? [1] : Array.from({ length: steps }, (_, i) => 1 + Math.round(((most - 1) * i) / (steps - 1)));
};

/** One price for the whole time, by the formula for certain demand, and what it earns. */
function fixedPrice(
  { inventory, salvage, horizon = NaN }: Config,
  demand: Formula,
): { price: number; revenue: number } {
  const { arrival_scale: a, rate: r } = demand;
  const price = Math.max(salvage + 1 / r, log((a * horizon) / inventory) / r);
  const probabilities = buyers(a * exp(-r * price) * horizon, inventory);
  let short = 0;
  for (let d = 0; d < inventory; d++) short += probabilities[d] * (inventory - d);
  const sold = inventory - short;
  return { price, revenue: price * sold + salvage * short };
}

function solveFormula(config: Config, demand: Formula): Solution {
  const { inventory, salvage, horizon = NaN } = config;
  const rates = rateOf(demand, salvage);
  const { steps, totals } = valuesOf(rates, inventory, horizon);
  const base = salvage + 1 / rates.r;
  const prices = Array.from({ length: inventory }, (_, i) => base + steps[i + 1]);
  const expected = salvage * inventory + totals[inventory];
  const fixed = fixedPrice(config, demand);
  const units = spread(inventory, TABLE_UNITS);
  const times = Array.from({ length: TABLE_TIMES }, (_, i) => (horizon * (TABLE_TIMES - 1 - i)) / (TABLE_TIMES - 1));
  const table = times.map((time) => {
    const at = valuesOf(rates, inventory, time);
    return units.map((n) => base + at.steps[n]);
  });
  const sales = expectedSales((rates.a * horizon) / Math.E, inventory);
  return {
    method: 'closed_form',
    reason: 'random arrivals with a demand that decays exponentially in the price have a formula for the best revenue',
    bestSolution: prices,
    bestFitness: expected,
    decisionVariables: prices.map((_, i) => `price with ${i + 1} left`),
    result: {
      expected_revenue: expected,
      price_now: prices[inventory - 1],
      price_policy_at_full_horizon: Object.fromEntries(prices.map((price, i) => [String(i + 1), price])),
      expected_sales: sales,
      expected_leftover: inventory - sales,
      policy: { times_to_go: times, units_left: units, prices: table },
      fixed_price: fixed.price,
      fixed_price_revenue: fixed.revenue,
    },
    optimality: { status: 'optimal', bound: expected, proof: 'closed_form' },
    evaluations: 1,
    assumptions: salvageRemark(config),
    alternatives: [{ name: 'one price for the whole time', price: fixed.price, expected_revenue: fixed.revenue }],
  };
}

const salvageRemark = ({ salvage }: Config): Remark[] =>
  salvage === 0
    ? [{ code: 'no_salvage', field: 'config.salvage', message: 'Units that are left at the end are worth nothing.' }]
    : [];

function solveList(config: Config, list: List, context: SolveContext): Solution {
  const { inventory } = config;
  const { prices } = list;
  const periods = periodsOf(config, list);
  const { expected, policy } = planOf(config, list, context);
  const priceAt = (t: number, n: number): number => prices[policy[t * (inventory + 1) + n]];
  const first = Array.from({ length: inventory }, (_, i) => priceAt(0, i + 1));
  const { sales } = courseOf(config, list, (t, n) => policy[t * (inventory + 1) + n]);
  const fixed = prices.map((price, k) => {
    context.look();
    return { price, revenue: courseOf(config, list, () => k).revenue };
  });
  const best = fixed.reduce((a, b) => (b.revenue > a.revenue ? b : a));
  const units = spread(inventory, TABLE_UNITS);
  const times = spread(periods, TABLE_TIMES);
  return {
    method: 'dynamic_programming',
    reason:
      'the best price of a period depends on the units left alone, so the periods are solved from the last one back',
    bestSolution: first,
    bestFitness: expected,
    decisionVariables: first.map((_, i) => `price with ${i + 1} left`),
    result: {
      expected_revenue: expected,
      price_now: first[inventory - 1],
      price_policy_at_full_horizon: Object.fromEntries(first.map((price, i) => [String(i + 1), price])),
      expected_sales: sales,
      expected_leftover: inventory - sales,
      policy: {
        periods: times,
        units_left: units,
        prices: times.map((t) => units.map((n) => priceAt(t - 1, n))),
      },
      fixed_price: best.price,
      fixed_price_revenue: best.revenue,
    },
    optimality: { status: 'optimal', bound: expected, proof: 'dynamic_programming' },
    evaluations: 1,
    iterations: periods,
    assumptions: salvageRemark(config),
    alternatives: fixed.map(({ price, revenue }) => ({
      name: 'one price for the whole time',
      price,
      expected_revenue: revenue,
    })),
    detail: policy,
  };
}

export const dynamicPricing = model({
  name: 'dynamic_pricing',
  summary: 'Prices by units and time left, for a stock that is not refilled.',
  fields,
  example: {
    model: 'dynamic_pricing',
    demand: { type: 'poisson_exponential', arrival_scale: 20, rate: 1 },
    inventory: 10,
    horizon: 1,
  },

  check({ demand, horizon, inventory }, complain) {
    if (demand.type === 'poisson_exponential') {
      if (horizon === undefined) complain(['horizon'], '`{field}` is required with a `poisson_exponential` demand.');
      return;
    }
    const { prices, mean_demand } = demand;
    if (mean_demand[0].length !== prices.length) {
      const message = `\`{field}\` must have ${prices.length} numbers, one for each price, not ${mean_demand[0].length}.`;
      return complain(['demand', 'mean_demand', 0], message);
    }
    if (inventory > MOST_UNITS_OF_LIST) {
      return complain(['inventory'], `\`{field}\` can be at most ${MOST_UNITS_OF_LIST} with a list of prices.`);
    }
    if (horizon === undefined) return;
    if (!Number.isInteger(horizon) || horizon > MOST_PERIODS) {
      complain(
        ['horizon'],
        `\`{field}\` is a number of periods with a list of prices: a whole number up to ${MOST_PERIODS}.`,
      );
    } else if (mean_demand.length !== 1 && mean_demand.length !== horizon) {
      const message = `\`{field}\` must have 1 row or ${horizon}, one for each period of \`horizon\`, not ${mean_demand.length}.`;
      complain(['demand', 'mean_demand'], message);
    }
  },

  sense: () => 'maximize',

  solve: (config, context) =>
    config.demand.type === 'poisson_exponential'
      ? solveFormula(config, config.demand)
      : solveList(config, config.demand, context),

  verify(config, { bestSolution: prices, bestFitness, detail }) {
    const { demand, inventory, salvage, horizon = NaN } = config;
    if (demand.type === 'price_list') {
      const policy = detail as Uint8Array;
      const { revenue } = courseOf(config, demand, (t, n) => policy[t * (inventory + 1) + n]);
      const isSame = Math.abs(revenue - bestFitness) <= 1e-9 * (1 + Math.abs(bestFitness));
      return isSame ? null : `following the stock gives ${revenue}`;
    }
    const { arrival_scale: a, rate: r } = demand;
    // The prices must solve the equation dJ(n)/dt = a e^(-r p) / r (Gallego and van Ryzin, eq. 2), here by differences.
    const h = 1e-4 * horizon;
    const rates = rateOf(demand, salvage);
    const after = valuesOf(rates, inventory, horizon + h).totals;
    const before = valuesOf(rates, inventory, horizon - h).totals;
    for (const n of spread(inventory, TABLE_UNITS)) {
      const growth = (after[n] - before[n]) / (2 * h);
      const gain = (a * exp(-r * prices[n - 1])) / r;
      const scale = 1e-5 * Math.abs(gain) + (1e-13 * (after[n] + 1 / r)) / h;
      if (!(Math.abs(growth - gain) <= scale))
        return `with ${n} units left revenue grows by ${growth}, prices earn ${gain}`;
    }
    const sum = prices.reduce((total, price) => total + price - 1 / r, 0);
    return Math.abs(sum - bestFitness) <= 1e-9 * (1 + sum + inventory / r) ? null : `the steps add up to ${sum}`;
  },

  explain({ inventory, demand }, { bestFitness, result }) {
    const { price_now, expected_sales, fixed_price, fixed_price_revenue } = result as Record<string, number>;
    const gain = fixed_price_revenue > 0 ? 100 * (bestFitness / fixed_price_revenue - 1) : 0;
    const statements: Statement[] = [
      say(
        1,
        'result',
        'Charge {price} now; {revenue} is to be expected, from {sales} of {inventory:unit|units} sold.',
        {
          price: price_now,
          revenue: bestFitness,
          sales: expected_sales,
          inventory,
        },
      ),
      say(
        2,
        'choice',
        demand.type === 'price_list'
          ? 'The price depends on the period and on the units left: `policy` has it for each.'
          : 'Each sale makes what is left more precious: the price rises with a sale and falls while nothing sells.',
        {},
      ),
      say(
        3,
        'constraint',
        'Customers come at random and independently of each other, and do not wait for lower prices.',
        {},
      ),
      say(
        5,
        'alternatives',
        'One price for the whole time, {price}, earns {revenue}: changing it adds {gain} percent.',
        {
          price: fixed_price,
          revenue: fixed_price_revenue,
          gain,
        },
      ),
    ];
    return statements;
  },

  pictures: {
    price_by_time: (config, { result }) => {
      const { policy } = result as { readonly policy: JsonObject };
      const { times_to_go, periods, units_left, prices } = policy as unknown as {
        readonly times_to_go?: readonly number[];
        readonly periods?: readonly number[];
        readonly units_left: readonly number[];
        readonly prices: readonly (readonly number[])[];
      };
      const across = times_to_go ?? periods ?? [];
      const shown = [...new Set([0, 0.25, 0.5, 0.75, 1].map((part) => Math.round(part * (units_left.length - 1))))];
      return lineChart({
        title: 'Best price by the time and the units left',
        xName: times_to_go === undefined ? 'period' : 'time to go',
        yName: `price (${config.currency ?? 'money'})`,
        series: shown.map((k) => ({
          name: `${units_left[k]} left`,
          points: across.map((at, i) => [at, prices[i][k]] as const),
          ...(times_to_go === undefined ? { width: 1 } : {}),
        })),
      });
    },
  },
});
