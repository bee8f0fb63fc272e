/**
 * When to mark a season's stock down, for known demand and a ladder of prices: a dynamic programme over the price and
 * the units that were sold. Paths of one price are compared by what they sold and earned: one that sold more and earned
 * less can never win, since another unit is worth nothing at the least. Paths are also dropped where even the best rest
 * cannot beat the best plan known: a unit price for the stock (a multiplier) bounds what any rest can earn.
 */
import { z } from 'zod';
import { power } from '../../../common/float.js';
import { say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import { lineChart } from '../../charts/line-chart.js';
import { amount, count, numbers, positive } from '../../fields.js';
import { model, type SolveContext } from '../../problem-type.js';
import { MOST } from './demand.js';

const MOST_PERIODS = 104;
const MOST_STEPS = 30;
/** Multipliers that bounds are taken from. */
const MULTIPLIERS = 48;
/** Paths kept after a period: beyond, those with the lowest bounds are dropped, and the answer is not proven. */
const MOST_PATHS = 10_000;
/** Relative: what two plans may differ by and be as good. */
const EQUAL = 1e-13;

const fields = z.strictObject({
  periods: count('Periods of the season', 1, MOST_PERIODS),
  inventory: positive('Units at its beginning').max(MOST),
  price_ladder: numbers('Prices that can be charged', { most: MOST_STEPS, exclusiveMinimum: 0, maximum: MOST }),
  base_demand: numbers('Units that each period would sell at the highest price of the ladder', {
    most: MOST_PERIODS,
    minimum: 0,
    maximum: MOST,
  }),
  elasticity: z.number().min(-50).lt(0).describe('Percent of the demand that one more percent on the price adds'),
  non_increasing: z.boolean().default(true).describe('Whether a price, once lowered, stays down'),
  salvage_value: amount('Worth of a unit that is left').max(MOST).default(0),
  currency: z.string().max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;

/** The problem with the ladder from the highest price down. */
interface Season {
  readonly prices: readonly number[];
  /** By period and price. */
  readonly demand: readonly (readonly number[])[];
  readonly inventory: number;
  readonly salvage: number;
  readonly isFalling: boolean;
}

function seasonOf({ price_ladder, base_demand, elasticity, inventory, salvage_value, non_increasing }: Config): Season {
  const prices = [...price_ladder].sort((a, b) => b - a);
  const factors = prices.map((price) => (price === prices[0] ? 1 : power(price / prices[0], elasticity)));
  return {
    prices,
    demand: base_demand.map((base) => factors.map((factor) => base * factor)),
    inventory,
    salvage: salvage_value,
    isFalling: non_increasing,
  };
}

/** Most that any rest of the season earns beyond `multiplier` per unit left: by period and price before. */
function boundsAt({ prices, demand, salvage, isFalling }: Season, multiplier: number): Float64Array[] {
  const rows: Float64Array[] = [new Float64Array(prices.length)];
  for (let t = demand.length - 1; t >= 0; t--) {
    const [later] = rows;
    const gains = prices.map((price, k) => Math.max(0, price - salvage - multiplier) * demand[t][k] + later[k]);
    const row = new Float64Array(prices.length);
    let best = -Infinity;
    if (!isFalling) row.fill(Math.max(...gains));
    else for (let k = prices.length - 1; k >= 0; k--) row[k] = best = Math.max(best, gains[k]);
    rows.unshift(row);
  }
  return rows;
}

/** The multiplier with the least bound for the whole season: the bound is convex in it. */
function bestMultiplier(season: Season): number {
  const bound = (multiplier: number): number => multiplier * season.inventory + boundsAt(season, multiplier)[0][0];
  let low = 0;
  let high = Math.max(0, season.prices[0] - season.salvage);
  for (let step = 0; step < 60; step++) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (bound(a) <= bound(b)) high = b;
    else low = a;
  }
  return (low + high) / 2;
}

interface Course {
  readonly revenue: number;
  readonly sales: readonly number[];
  readonly leftover: number;
}

function courseOf({ prices, demand, inventory }: Season, path: readonly number[]): Course {
  let left = inventory;
  let revenue = 0;
  const sales = path.map((k, t) => {
    const sold = Math.min(demand[t][k], left);
    left -= sold;
    revenue += prices[k] * sold;
    return sold;
  });
  return { revenue, sales, leftover: left };
}

const totalOf = (season: Season, path: readonly number[]): number => {
  const { revenue, leftover } = courseOf(season, path);
  return revenue + season.salvage * leftover;
};

/** The path that earns most where units cost `multiplier`. */
function pathAt(season: Season, multiplier: number): number[] {
  const { prices, demand, salvage, isFalling } = season;
  const bounds = boundsAt(season, multiplier);
  const path: number[] = [];
  for (let t = 0; t < demand.length; t++) {
    const from = isFalling ? (path[t - 1] ?? 0) : 0;
    let best = from;
    let most = -Infinity;
    for (let k = from; k < prices.length; k++) {
      const gain = (prices[k] - salvage - multiplier) * demand[t][k] + bounds[t + 1][k];
      if (gain > most) [best, most] = [k, gain];
    }
    path.push(best);
  }
  return path;
}

/** A beginning of a path: what it sold and earned, and how it came there. */
interface Beginning {
  readonly sold: number;
  readonly earned: number;
  readonly price: number;
  readonly before: Beginning | null;
}

/** Beginnings that no other one beats: sold less or as much, earned more or as much. Ascending in both. */
function frontier(beginnings: Beginning[]): Beginning[] {
  beginnings.sort((a, b) => a.sold - b.sold || b.earned - a.earned);
  let most = -Infinity;
  return beginnings.filter(({ earned }) => {
    if (earned <= most) return false;
    most = earned;
    return true;
  });
}

interface Found {
  readonly path: readonly number[];
  readonly bound: number;
  readonly isProven: boolean;
  readonly nodes: number;
}

function bestPath(season: Season, context: SolveContext): Found {
  const { prices, demand, inventory, salvage, isFalling } = season;
  const periods = demand.length;
  const dual = bestMultiplier(season);
  const most = Math.max(0, prices[0] - salvage);
  const evenly = Array.from({ length: MULTIPLIERS }, (_, i) => (most * i) / (MULTIPLIERS - 1));
  const near = [-2, -1, 0, 1, 2].map((k) => Math.max(0, dual + (k * most) / MULTIPLIERS / 4));
  const multipliers = [...evenly, ...near].sort((a, b) => a - b);
  const bounds = multipliers.map((multiplier) => boundsAt(season, multiplier));
  let path = pathAt(season, dual);
  let best = totalOf(season, path);
  const offer = (other: readonly number[]): void => {
    const total = totalOf(season, other);
    if (total > best) [path, best] = [[...other], total];
  };
  for (const multiplier of multipliers) offer(pathAt(season, multiplier));
  for (const [k] of prices.entries()) offer(demand.map(() => k));

  // Convex in the multiplier, so that the least is downhill from wherever the last search ended, mostly next to it.
  let at = 0;
  const restBound = (t: number, k: number, left: number): number => {
    const bound = (m: number): number => multipliers[m] * left + bounds[m][t][k];
    let least = bound(at);
    for (const step of [1, -1]) {
      while (at + step >= 0 && at + step < multipliers.length) {
        const next = bound(at + step);
        if (next > least) break;
        at += step;
        least = next;
      }
    }
    return least + salvage * left;
  };
  const root = restBound(0, 0, inventory);
  let dropped = -Infinity;
  let nodes = 0;
  // By the price of the last period; only the first one where prices may rise again, since it does not matter there.
  let kept: Beginning[][] = prices.map((_, k) => (k === 0 ? [{ sold: 0, earned: 0, price: 0, before: null }] : []));
  for (let t = 0; t < periods; t++) {
    let before: Beginning[] = [];
    let next: Beginning[][] = [];
    for (let k = 0; k < prices.length; k++) {
      if (k === 0 || isFalling) before = frontier([...before, ...kept[k]]);
      const extended: Beginning[] = [];
      for (const beginning of before) {
        if (nodes++ % 1024 === 0) {
          // What is known is an answer, with a bound.
          if (context.isOver()) return { path, bound: root, isProven: false, nodes };
        }
        const sold = Math.min(demand[t][k], inventory - beginning.sold);
        const total = beginning.sold + sold;
        const earned = beginning.earned + prices[k] * sold;
        if (earned + restBound(t + 1, isFalling ? k : 0, inventory - total) <= best * (1 + EQUAL)) continue;
        extended.push({ sold: total, earned, price: k, before: beginning });
      }
      next.push(extended);
    }
    next = isFalling ? next.map(frontier) : [frontier(next.flat()), ...prices.slice(1).map(() => [])];
    const size = next.reduce((sum, { length }) => sum + length, 0);
    if (size > MOST_PATHS) {
      const promise = ({ sold, earned, price }: Beginning): number =>
        earned + restBound(t + 1, isFalling ? price : 0, inventory - sold);
      const promises = next
        .flat()
        .map(promise)
        .sort((a, b) => b - a);
      const least = promises[MOST_PATHS];
      dropped = Math.max(dropped, least);
      next = next.map((row) => row.filter((beginning) => promise(beginning) > least));
    }
    for (const beginning of next.flat()) {
      if (t === periods - 1) offer(pathOf(beginning));
    }
    kept = next;
  }
  return { path, bound: Math.max(best, dropped), isProven: dropped <= best * (1 + EQUAL), nodes };
}

function pathOf(end: Beginning): number[] {
  const path: number[] = [];
  for (let at = end; at.before !== null; at = at.before) path.unshift(at.price);
  return path;
}

export const markdown = model({
  name: 'markdown',
  summary: 'When to mark down a stock that is sold within a season, along a ladder of prices.',
  fields,
  example: {
    model: 'markdown',
    periods: 6,
    inventory: 500,
    price_ladder: [60, 50, 40, 30, 20],
    base_demand: [70, 60, 55, 50, 40, 30],
    elasticity: -2.2,
  },

  check({ periods, base_demand, price_ladder }, complain) {
    if (base_demand.length !== periods) {
      const message = `\`{field}\` must have ${periods} numbers, one for each of the \`periods\`, not ${base_demand.length}.`;
      return complain(['base_demand'], message);
    }
    const twice = price_ladder.findIndex((price, i) => price_ladder.indexOf(price) < i);
    if (twice >= 0)
      complain(['price_ladder', twice], `\`{field}\`: the price ${price_ladder[twice]} is there already.`);
  },

  sense: () => 'maximize',

  solve(config, context) {
    const season = seasonOf(config);
    const { path, bound, isProven, nodes } = bestPath(season, context);
    const { revenue, sales, leftover } = courseOf(season, path);
    const salvage = season.salvage * leftover;
    const prices = path.map((k) => season.prices[k]);
    // The period in which the stock runs out sells one more unit; where none does it is left.
    const out = sales.findIndex((sold, t) => sold < season.demand[t][path[t]]);
    const constant = season.prices.map((price, k) => ({
      price,
      total: totalOf(
        season,
        path.map(() => k),
      ),
    }));
    return {
      method: 'dynamic_programming',
      reason: 'what the rest of the season earns depends on the price and the units left alone',
      bestSolution: prices,
      bestFitness: revenue + salvage,
      decisionVariables: prices.map((_, t) => `price in period ${t + 1}`),
      result: {
        prices,
        sales: [...sales],
        revenue,
        leftover,
        salvage,
        total: revenue + salvage,
        sell_through: 1 - leftover / season.inventory,
        markdowns: prices.flatMap((price, t) =>
          t > 0 && price !== prices[t - 1] ? [{ period: t + 1, from: prices[t - 1], to: price }] : [],
        ),
        inventory_shadow_price: out < 0 ? season.salvage : prices[out],
        sold_out_in_period: out < 0 ? null : out + 1,
      },
      optimality: isProven
        ? { status: 'optimal', bound: revenue + salvage, proof: 'dynamic_programming' }
        : { status: 'feasible', bound: Math.max(bound, revenue + salvage), proof: null },
      evaluations: 1,
      nodes,
      constraints: [
        {
          name: 'inventory',
          value: season.inventory - leftover,
          limit: season.inventory,
          slack: leftover,
          binding: out >= 0,
          shadowPrice: out < 0 ? season.salvage : prices[out],
        },
      ],
      assumptions:
        config.salvage_value === 0
          ? [{ code: 'no_salvage', field: 'config.salvage_value', message: 'Units that are left are worth nothing.' }]
          : [],
      alternatives: constant.map(({ price, total }) => ({ name: 'one price for the whole season', price, total })),
    };
  },

  verify(config, { bestSolution: prices, bestFitness }) {
    const { price_ladder, base_demand, elasticity, inventory, salvage_value, non_increasing } = config;
    const top = Math.max(...price_ladder);
    let left = inventory;
    let total = 0;
    for (const [t, price] of prices.entries()) {
      if (!price_ladder.includes(price)) return `${price} is not on the ladder`;
      if (non_increasing && t > 0 && price > prices[t - 1]) return `the price rises in period ${t + 1}`;
      const sold = Math.min(left, base_demand[t] * (price / top) ** elasticity);
      left -= sold;
      total += price * sold;
    }
    total += salvage_value * left;
    return Math.abs(total - bestFitness) <= 1e-9 * (1 + total) ? null : `sales and what is left earn ${total}`;
  },

  explain(_config, { bestFitness, result, bestSolution: prices, alternatives = [] }) {
    const { markdowns, sell_through, inventory_shadow_price, leftover } = result as unknown as {
      readonly markdowns: readonly { readonly period: number; readonly to: number }[];
      readonly sell_through: number;
      readonly inventory_shadow_price: number;
      readonly leftover: number;
    };
    const steps = markdowns.slice(0, 5);
    const text = steps.map((_, i) => `to {to${i}} in period {period${i}}`).join(', ');
    const statements: Statement[] = [
      say(
        1,
        'result',
        markdowns.length === 0
          ? 'Charge {first} all season: that earns {total}.'
          : `Begin at {first} and change ${text}${markdowns.length > 5 ? ', and so on' : ''}: that earns {total}.`,
        {
          first: prices[0],
          total: bestFitness,
          ...Object.fromEntries(
            steps.flatMap(({ period, to }, i) => [[`to${i}`, to] as const, [`period${i}`, period] as const]),
          ),
        },
      ),
      say(2, 'choice', '{share} percent of the stock is sold; {leftover:unit is|units are} left.', {
        share: 100 * sell_through,
        leftover,
      }),
      say(3, 'constraint', 'Demand is taken as known, and customers do not wait for the markdown.', {}),
      say(4, 'sensitivity', 'One more unit of stock would earn {worth}.', { worth: inventory_shadow_price }),
    ];
    const [first, ...others] = alternatives as readonly { readonly price: number; readonly total: number }[];
    const constant = others.reduce((a, b) => (b.total > a.total ? b : a), first);
    statements.push(
      say(5, 'alternatives', 'The best single price, {price}, would earn {total}.', {
        price: constant.price,
        total: constant.total,
      }),
    );
    return statements;
  },

  pictures: {
    price_path: (config, { bestSolution: prices }) =>
      lineChart({
        title: 'Price by period',
        xName: 'period',
        yName: `price (${config.currency ?? 'money'})`,
        series: [{ name: 'price', points: prices.map((price, t) => [t + 1, price]), width: 1 }],
      }),
    stock_path: (config, { result }) => {
      const { sales } = result as { readonly sales: readonly number[] };
      let left = config.inventory;
      const after = sales.map((sold, t) => [t + 1, (left -= sold)] as const);
      return lineChart({
        title: 'Stock at the end of each period',
        xName: 'periods that are over',
        yName: 'units left',
        series: [{ name: 'stock', points: [[0, config.inventory], ...after] }],
      });
    },
  },
});
