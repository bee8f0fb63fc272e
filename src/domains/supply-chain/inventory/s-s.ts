/**
 * (s, S): at each review, once the stock is at s or below, it is raised to S. Demand comes in whole units, orders
 * arrive at once, customers wait.
 *
 * | symbol | is |
 * | --- | --- |
 * | G(y) | cost of a period that begins with y units |
 * | m(j) | expected number of periods that begin with j units less than S, before the next order |
 * | M(j) | m(0) + ... + m(j - 1) |
 * | c(s, S) | (K + sum of m(j) G(S - j) for j < S - s) / M(S - s) |
 *
 * Source: Zheng and Federgruen, Finding optimal (s, S) policies is about as simple as evaluating a single policy,
 * Operations Research 39 (1991).
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { Rng } from '../../../common/rng.js';
import { lineChart, type Point } from '../../charts/line-chart.js';

import {
  latticeDistribution,
  leftover,
  type Distribution,
  type Lattice,
} from '../../solvers/distributions/distribution.js';
import { model } from '../../problem-type.js';
import { amount, isNear, LABELS_OF_PERIODS, positive, sensitivityTo, TOO_HIGH, unitOf } from './costs.js';
import { checkDemand, demandField, distributionOf, wholeLattice, type DemandOf } from './demand.js';

/** Units from s to S, about, that are searched: time grows with their square. */
const MAX_LOT = 10_000;
const MAX_MEAN = 10_000;

interface Config {
  readonly fixed_cost: number;
  readonly holding_cost: number;
  readonly stockout_cost: number;
  readonly demand: DemandOf<'poisson' | 'discrete' | 'empirical'>;
}

interface Policy {
  readonly s: number;
  readonly S: number;
}

/** Demand of a period, and what follows from it. The lists grow as far as somebody asks. */
class Periods {
  readonly lattice: Lattice;
  readonly demand: Distribution;
  private readonly m: number[];
  private readonly sums: number[] = [0];

  constructor(private readonly config: Config) {
    this.lattice = wholeLattice(config.demand) ?? { first: 0, chances: Float64Array.of(1) };
    this.demand = latticeDistribution(this.lattice, 1);
    this.m = [1 / (1 - this.chance(0))];
  }

  chance(demand: number): number {
    const { first, chances } = this.lattice;
    return chances[demand - first] ?? 0;
  }

  /** G(y). */
  cost(y: number): number {
    return this.config.holding_cost * leftover(this.demand, y) + this.config.stockout_cost * this.demand.shortage(y);
  }

  visits(j: number): number {
    const { m } = this;
    const { first, chances } = this.lattice;
    const from = Math.max(1, first);
    while (m.length <= j) {
      const k = m.length;
      let sum = 0;
      for (let d = from; d < first + chances.length && d <= k; d++) sum += chances[d - first] * m[k - d];
      m.push(sum * m[0]);
    }
    return m[j];
  }

  /** M(j): periods between two orders. */
  duration(j: number): number {
    const { sums } = this;
    while (sums.length <= j) sums.push(sums[sums.length - 1] + this.visits(sums.length - 1));
    return sums[j];
  }

  /** Average of `of(y)` over the periods of a policy, where y is the stock at the beginning of a period. */
  average({ s, S }: Policy, of: (y: number) => number): number {
    let sum = 0;
    for (let j = S - s - 1; j >= 0; j--) sum += this.visits(j) * of(S - j);
    return sum / this.duration(S - s);
  }
}

interface Found extends Policy {
  readonly cost: number;
  readonly steps: number;
}

function search(config: Config, look: () => void): Found {
  const periods = new Periods(config);
  const costs = new Map<number, number>();
  const G = (y: number): number => {
    let cost = costs.get(y);
    if (cost === undefined) {
      cost = periods.cost(y);
      costs.set(y, cost);
    }
    return cost;
  };
  let steps = 0;
  const c = (s: number, S: number): number => {
    look();
    steps++;
    return periods.average({ s, S }, G) + config.fixed_cost / periods.duration(S - s);
  };
  const ratio = config.stockout_cost / (config.stockout_cost + config.holding_cost);
  const lowest = Math.round(periods.demand.quantile(ratio));

  let S = lowest;
  let s = lowest - 1;
  let best = c(s, S);
  while (best > G(s)) {
    s--;
    best = c(s, S);
  }
  for (let next = S + 1; G(next) <= best; next++) {
    const cost = c(s, next);
    if (!(cost < best)) continue;
    S = next;
    best = cost;
    while (best <= G(s + 1)) {
      s++;
      best = c(s, S);
    }
  }
  return { s, S, cost: best, steps };
}

/** Periods and cost from S to the next order by first steps, from s + 1 upwards: another way than `Periods`. */
function costByFirstSteps(config: Config, { s, S }: Policy): number {
  const { lattice, demand } = new Periods(config);
  const chance = (d: number): number => lattice.chances[d - lattice.first] ?? 0;
  const span = S - s;
  const cost = new Float64Array(span + 1);
  const time = new Float64Array(span + 1);
  for (let level = 1; level <= span; level++) {
    const y = s + level;
    let [costAfter, timeAfter] = [0, 0];
    for (let d = Math.max(1, lattice.first); d < level && d < lattice.first + lattice.chances.length; d++) {
      costAfter += chance(d) * cost[level - d];
      timeAfter += chance(d) * time[level - d];
    }
    const now = config.holding_cost * leftover(demand, y) + config.stockout_cost * demand.shortage(y);
    cost[level] = (now + costAfter) / (1 - chance(0));
    time[level] = (1 + timeAfter) / (1 - chance(0));
  }
  return (config.fixed_cost + cost[span]) / time[span];
}

/** Periods of the sample path. */
const PERIODS_DRAWN = 20;

export const sS = model({
  name: 's_S',
  summary: 'Once the stock is at s or below, raise it to S; demand in whole units.',
  fields: z.strictObject({
    fixed_cost: amount('Cost of one order, whatever its size'),
    holding_cost: positive('Per unit on hand at the end of a period'),
    stockout_cost: positive('Per unit that waits at the end of a period'),
    demand: demandField(['poisson', 'discrete', 'empirical']),
    ...LABELS_OF_PERIODS,
  }),
  example: {
    model: 's_S',
    fixed_cost: 5,
    holding_cost: 1,
    stockout_cost: 4,
    demand: { distribution: 'poisson', mean: 6 },
    time_unit: 'week',
  },

  check(config, complain) {
    const { demand, fixed_cost, holding_cost, stockout_cost } = config;
    if (!checkDemand(demand, complain)) return;
    if (demand.distribution !== 'poisson') {
      const bad = demand.values.findIndex((value) => !Number.isSafeInteger(value));
      if (bad >= 0)
        return complain(['demand', 'values', bad], '`{field}` must be a whole number: s and S count units.');
    }
    const { mean } = distributionOf(demand);
    const large = demand.distribution === 'poisson' ? mean : Math.max(...demand.values);
    if (large > MAX_MEAN) {
      const field = demand.distribution === 'poisson' ? 'mean' : 'values';
      return complain(
        ['demand', field],
        `\`{field}\` must be at most ${MAX_MEAN} units in a period: count in larger units, such as pallets.`,
      );
    }
    const lot = Math.sqrt(2 * fixed_cost * mean * (1 / holding_cost + 1 / stockout_cost));
    if (lot <= MAX_LOT) return;
    complain(
      ['fixed_cost'],
      `\`{field}\` makes orders of about ${Math.round(lot)} units best, above ${MAX_LOT}: count in larger units.`,
    );
  },

  sense: () => 'minimize',

  solve(config, context) {
    const look = (): void => context.look();
    const { s, S, cost, steps } = search(config, look);
    const policy = { s, S };
    const periods = new Periods(config);
    const { demand } = periods;
    const duration = periods.duration(S - s);
    const left = periods.average(policy, (y) => leftover(demand, y));
    const short = periods.average(policy, (y) => demand.shortage(y));
    // Units that come to wait in a period: those that wait at its end, less those that waited before.
    const newly = periods.average(policy, (y) => demand.shortage(y) - Math.max(0, -y));
    const inputs = ['fixed_cost', 'holding_cost', 'stockout_cost'] as const;
    const mistaken = inputs.map((input) => [input, { ...config, [input]: config[input] * TOO_HIGH }] as const);
    const byCosts = sensitivityTo<Config, Policy>(
      config,
      Object.fromEntries(mistaken),
      (one) => (one === config ? policy : search(one, look)),
      costByFirstSteps,
    );
    const higher = { s: Math.round(s * TOO_HIGH), S: Math.max(Math.round(s * TOO_HIGH) + 1, Math.round(S * TOO_HIGH)) };
    return {
      method: 'exhaustive_enumeration',
      reason: 'each step of the search rules out policies by a bound on the cost of a period, until none is left',
      bestSolution: [s, S],
      bestFitness: cost,
      decisionVariables: ['s', 'S'],
      result: {
        s,
        S,
        cost,
        ordering_cost: config.fixed_cost / duration,
        holding_cost: config.holding_cost * left,
        stockout_cost: config.stockout_cost * short,
        purchase_cost: 0,
        cycle_time: duration,
        orders_per_period: 1 / duration,
        average_order: demand.mean * duration,
        safety_stock: s - demand.mean,
        service_level: {
          cycle: periods.average(policy, (y) => demand.cdf(y)),
          fill_rate: Math.min(1, Math.max(0, 1 - newly / demand.mean)),
        },
        average_inventory: left,
        sensitivity: { demand: Math.max(0, costByFirstSteps(config, higher) / cost - 1), ...byCosts },
      },
      optimality: { status: 'optimal', bound: cost, proof: 'exhaustive' },
      evaluations: 1,
      iterations: steps,
      assumptions: [
        {
          code: 'no_lead_time',
          message:
            'Orders arrive before the demand of their period. Who finds no stock waits, and is charged at the end of each period.',
        },
      ],
    };
  },

  verify(config, { bestSolution: [s = NaN, S = NaN], bestFitness }) {
    if (!Number.isSafeInteger(s) || !Number.isSafeInteger(S) || s >= S)
      return 's and S are no whole numbers, s below S';
    const cost = costByFirstSteps(config, { s, S });
    if (!isNear(cost, bestFitness, 1e-8)) return `first steps give the cost ${cost}`;
    const others = [-1, 0, 1].flatMap((a) => [-1, 0, 1].map((b) => ({ s: s + a, S: S + b })));
    const better = others.find((one) => one.s < one.S && costByFirstSteps(config, one) < bestFitness * (1 - 1e-8));
    return better === undefined ? null : `(${better.s}, ${better.S}) costs less`;
  },

  explain(config, { bestSolution: [s = NaN, S = NaN], bestFitness, result }) {
    const unit = unitOf(config);
    const base = search({ ...config, fixed_cost: 0 }, () => undefined).S;
    return [
      say(1, 'result', `Once the stock is at {s} or below, order up to {S}: that costs {cost} per ${unit}.`, {
        s,
        S,
        cost: bestFitness,
      }),
      say(1, 'result', `There is an order every {every} ${unit}s on average.`, { every: Number(result['cycle_time']) }),
      S - s === 1
        ? say(2, 'choice', 'An order follows every demand: to wait for more would cost more than the orders.', {})
        : say(2, 'choice', 'The order cost is paid for {lot:unit|units} or more at a time.', { lot: S - s }),
      say(5, 'alternatives', 'To order up to {base} in every period would cost {cost}.', {
        base,
        cost: costByFirstSteps(config, { s: base - 1, S: base }),
      }),
    ];
  },

  pictures: {
    /** A sample path, always of the same seed: what the policy looks like. */
    sample_path: (config, { bestSolution: [s = NaN, S = NaN] }) => {
      const demand = distributionOf(config.demand);
      const rng = Rng.create(1).split('sample path');
      const points: Point[] = [];
      for (let period = 1, stock = S; period <= PERIODS_DRAWN; period++) {
        if (stock <= s) stock = S;
        points.push([period - 1, stock]);
        stock -= demand.draw(rng);
        points.push([period, stock]);
      }
      const across = (level: number): Point[] => [
        [0, level],
        [PERIODS_DRAWN, level],
      ];
      return lineChart({
        title: 'Stock under the policy, for demands drawn at random',
        xName: `time (${config.time_unit})`,
        yName: 'units on hand; below 0: waiting',
        series: [
          { name: 'stock', points },
          { name: `s = ${s}`, points: across(s), isDashed: true },
          { name: `S = ${S}`, points: across(S), isDashed: true },
        ],
      });
    },
  },
});
