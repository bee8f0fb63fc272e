/**
 * (r, Q) under continuous review: once the stock on hand and on order falls to r, order Q. Customers wait.
 *
 * The stock on hand and on order is spread evenly over r .. r + Q, so that with G(y), the rate of cost of a position y
 * one lead time later, the cost is (K D + integral of G from r to r + Q) / Q; with demand in single units a sum takes
 * the place of the integral. G is convex. Sources: Zheng, Management Science 38 (1992); Federgruen and Zheng,
 * Operations Research 40 (1992).
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { lineChart, type Point } from '../../charts/line-chart.js';

import { leftover, poissonDistribution, type Distribution } from '../../solvers/distributions/distribution.js';
import * as normal from '../../solvers/distributions/normal.js';
import { model } from '../../problem-type.js';
import { amount, isNear, LABELS, positive, sensitivityTo, TOO_HIGH, unitOf } from './costs.js';
import { checkDemand, demandField, MAX_POISSON_MEAN, type DemandOf } from './demand.js';

const MAX_LEAD_TIME = 10_000;
/** Units of an order, about, where demand comes in single units. */
const MAX_LOT = 100_000;
/** Units by which an order grows between looks at the time. */
const UNITS_A_LOOK = 64;

interface Config {
  readonly demand: DemandOf<'normal' | 'poisson'>;
  readonly lead_time: number;
  readonly fixed_cost: number;
  readonly holding_cost: number;
  readonly stockout_cost: number;
}

interface Policy {
  readonly r: number;
  readonly Q: number;
}

/**
 * Averages of a policy: units on hand, units that wait, share of the demand that is met at once, share of cycles
 * without a shortage.
 */
interface State {
  readonly onHand: number;
  readonly waiting: number;
  readonly fill: number;
  readonly cycle: number;
}

/** The parts in which the two kinds of demand differ. */
interface Kind {
  state(policy: Policy): State;
  /** Cost of each of these order quantities, ascending, with its best r. */
  costs(lots: readonly number[]): number[];
  /** The best r for an order quantity. */
  reorderPoint(Q: number): number;
  /** `isBest`: false where the time was up before the order was large enough. */
  best(isOver?: () => boolean): Policy & { readonly iterations: number; readonly isBest: boolean };
}

const kindOf = (config: Config): Kind => (config.demand.distribution === 'normal' ? smooth(config) : inUnits(config));

function costParts(config: Config, { r, Q }: Policy, kind = kindOf(config)) {
  const { onHand, waiting } = kind.state({ r, Q });
  const ordering = (config.fixed_cost * config.demand.mean) / Q;
  const [holding, stockout] = [config.holding_cost * onHand, config.stockout_cost * waiting];
  return { ordering, holding, stockout, total: ordering + holding + stockout };
}

const costOf = (config: Config, policy: Policy): number => costParts(config, policy).total;

/** The x at which a rising function reaches 0. */
function rootOf(of: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  for (;;) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    if (of(middle) < 0) low = middle;
    else high = middle;
  }
}

function smooth(config: Config & { readonly demand: { readonly mean: number } }): Kind {
  const { lead_time, holding_cost: h, stockout_cost: p, fixed_cost, demand } = config;
  const mean = demand.mean * lead_time;
  const sd = demand.distribution === 'normal' ? demand.sd * Math.sqrt(lead_time) : NaN;
  const short = (y: number): number => (sd === 0 ? Math.max(0, mean - y) : sd * normal.loss((y - mean) / sd));
  /** Integral of `short` from y on. */
  const shortBeyond = (y: number): number =>
    sd === 0 ? Math.max(0, mean - y) ** 2 / 2 : sd * sd * normal.secondLoss((y - mean) / sd);
  const G = (y: number): number => h * (y - mean) + (h + p) * short(y);
  const middle = sd === 0 ? mean : mean + sd * normal.quantile(p / (h + p));
  const state = ({ r, Q }: Policy): State => {
    const waiting = Math.max(0, shortBeyond(r) - shortBeyond(r + Q)) / Q;
    return {
      waiting,
      onHand: Math.max(0, r + Q / 2 - mean + waiting),
      fill: 1 - (short(r) - short(r + Q)) / Q,
      cycle: sd === 0 ? Number(r >= mean) : normal.cdf((r - mean) / sd),
    };
  };
  const reorderPoint = (Q: number): number => rootOf((r) => G(r + Q) - G(r), middle - Q, middle);
  // At the best Q the cost is G at both ends: Q G(r) rises beyond the integral by what the orders cost.
  const excess = (Q: number): number => {
    const r = reorderPoint(Q);
    const { waiting, onHand } = state({ r, Q });
    return Q * (G(r) - h * onHand - p * waiting) - fixed_cost * demand.mean;
  };
  return {
    state,
    reorderPoint,
    costs: (lots) =>
      lots.map((Q) => {
        const { waiting, onHand } = state({ r: reorderPoint(Q), Q });
        return (fixed_cost * demand.mean) / Q + h * onHand + p * waiting;
      }),
    best() {
      let high = Math.sqrt(2 * fixed_cost * demand.mean * (1 / h + 1 / p));
      let iterations = 1;
      for (; excess(high) < 0; iterations++) high *= 2;
      const Q = rootOf(excess, 0, high);
      return { r: reorderPoint(Q), Q, iterations, isBest: true };
    },
  };
}

function inUnits(config: Config): Kind {
  const { lead_time, holding_cost: h, stockout_cost: p, fixed_cost, demand } = config;
  const during: Distribution = poissonDistribution(demand.mean * lead_time);
  const G = (y: number): number => h * leftover(during, y) + p * during.shortage(y);
  const lowest = during.quantile(p / (h + p));
  /** From one unit on, each next one takes the cheaper side, as long as `wants` says so. */
  const grow = (wants: (Q: number, sum: number, next: number) => boolean): Policy => {
    let [r, Q, sum] = [lowest - 1, 1, G(lowest)];
    let [below, above] = [G(r), G(r + Q + 1)];
    while (wants(Q, sum, Math.min(below, above))) {
      Q++;
      if (below <= above) {
        sum += below;
        r--;
        below = G(r);
      } else {
        sum += above;
        above = G(r + Q + 1);
      }
    }
    return { r, Q };
  };
  return {
    state({ r, Q }) {
      let [onHand, waiting, met] = [0, 0, 0];
      for (let y = r + 1; y <= r + Q; y++) {
        onHand += leftover(during, y);
        waiting += during.shortage(y);
        // A customer is served at once where fewer than y units were asked for during the lead time.
        met += during.cdf(y - 1);
      }
      return { onHand: Math.max(0, onHand / Q), waiting: waiting / Q, fill: met / Q, cycle: during.cdf(r) };
    },
    reorderPoint: (wanted) => grow((Q) => Q < wanted).r,
    costs(lots) {
      const costs: number[] = [];
      grow((Q, sum) => {
        if (lots[costs.length] === Q) costs.push((fixed_cost * demand.mean + sum) / Q);
        return costs.length < lots.length;
      });
      return costs;
    },
    best(isOver = () => false) {
      const orders = fixed_cost * demand.mean;
      let isBest = true;
      const found = grow((Q, sum, next) => {
        if (Q % UNITS_A_LOOK === 0 && isOver()) isBest = false;
        return isBest && next * Q < orders + sum;
      });
      return { ...found, iterations: found.Q, isBest };
    },
  };
}

export const rQ = model({
  name: 'r_Q',
  summary: 'Once the stock on hand and on order falls to r, order Q; continuous review.',
  fields: z.strictObject({
    demand: demandField(['normal', 'poisson']),
    lead_time: amount('Time units from an order to its arrival').max(MAX_LEAD_TIME),
    fixed_cost: positive('Cost of one order, whatever its size'),
    holding_cost: positive('Per unit and time unit'),
    stockout_cost: positive('Per unit that waits and time unit'),
    ...LABELS,
  }),
  example: {
    model: 'r_Q',
    demand: { distribution: 'normal', mean: 1300, sd: 150 },
    lead_time: 0.08333333333,
    holding_cost: 0.225,
    stockout_cost: 7.5,
    fixed_cost: 8,
  },

  check({ demand, lead_time, fixed_cost, holding_cost, stockout_cost }, complain) {
    if (!checkDemand(demand, complain) || demand.distribution !== 'poisson') return;
    if (demand.mean * lead_time > MAX_POISSON_MEAN) {
      const units = `${demand.mean * lead_time} units during the lead time, above ${MAX_POISSON_MEAN}`;
      return complain(['demand', 'mean'], `\`{field}\` means ${units}: take a normal distribution.`);
    }
    const lot = Math.sqrt(2 * fixed_cost * demand.mean * (1 / holding_cost + 1 / stockout_cost));
    if (lot <= MAX_LOT) return;
    const size = `orders of about ${Math.round(lot)} units, above ${MAX_LOT}`;
    complain(['fixed_cost'], `\`{field}\` makes ${size}: take a normal distribution.`);
  },

  sense: () => 'minimize',

  solve(config, context) {
    const isOver = (): boolean => context.isOver();
    const kind = kindOf(config);
    const { r, Q, iterations, isBest } = kind.best(isOver);
    const policy = { r, Q };
    const { ordering, holding, stockout, total } = costParts(config, policy, kind);
    const { onHand, waiting, fill, cycle } = kind.state(policy);
    const rate = config.demand.mean;
    const inputs = ['lead_time', 'fixed_cost', 'holding_cost', 'stockout_cost'] as const;
    const mistaken = inputs.map((input) => [input, { ...config, [input]: config[input] * TOO_HIGH }] as const);
    const { demand } = config;
    const more =
      demand.distribution === 'normal'
        ? { ...demand, mean: demand.mean * TOO_HIGH, sd: demand.sd * TOO_HIGH }
        : { ...demand, mean: demand.mean * TOO_HIGH };
    return {
      ...(demand.distribution === 'normal'
        ? {
            method: 'lagrangian_bisection',
            reason: 'the cost is convex in both; at its lowest point a unit at either end of the stock costs the same',
          }
        : {
            method: 'exhaustive_enumeration',
            reason: 'the cost of a position is convex, so that the best order takes the cheapest positions one by one',
          }),
      bestSolution: [r, Q],
      bestFitness: total,
      decisionVariables: ['reorder_point', 'order_quantity'],
      result: {
        reorder_point: r,
        order_quantity: Q,
        cost: total,
        ordering_cost: ordering,
        holding_cost: holding,
        stockout_cost: stockout,
        purchase_cost: 0,
        cycle_time: Q / rate,
        orders_per_period: rate / Q,
        safety_stock: r - rate * config.lead_time,
        service_level: { cycle, fill_rate: Math.min(1, Math.max(0, fill)) },
        average_inventory: onHand,
        average_backorders: waiting,
        sensitivity: sensitivityTo<Config, Policy>(
          config,
          { demand: { ...config, demand: more }, ...Object.fromEntries(mistaken) },
          (one) => kindOf(one).best(isOver),
          costOf,
          context,
        ),
      },
      optimality: !isBest
        ? { status: 'heuristic', bound: null, proof: null }
        : demand.distribution === 'normal'
          ? { status: 'optimal', bound: total, proof: 'convex_kkt' }
          : { status: 'optimal', bound: total, proof: 'exhaustive' },
      evaluations: 1,
      iterations,
      assumptions: [
        {
          code: 'backorders',
          message: 'Who finds no stock waits. Stock is known at all times, and several orders may be open.',
        },
      ],
    };
  },

  verify(config, { bestSolution: [r = NaN, Q = NaN], bestFitness, optimality }) {
    const kind = kindOf(config);
    const { total } = costParts(config, { r, Q }, kind);
    if (!isNear(total, bestFitness)) return `the parts add up to ${total}`;
    if (optimality.proof === null) return null;
    const step = config.demand.distribution === 'normal' ? Q * 1e-3 : 1;
    const others = [-step, 0, step].flatMap((a) => [-step, 0, step].map((b) => ({ r: r + a, Q: Q + b })));
    const { demand, lead_time, holding_cost, stockout_cost } = config;
    const range = Math.abs(r) + (demand.distribution === 'normal' ? demand.sd * Math.sqrt(lead_time) : 0);
    const tolerance = 1e-9 * (bestFitness + range * (holding_cost + stockout_cost));
    const better = others.find((one) => one.Q > 0 && costParts(config, one, kind).total < bestFitness - tolerance);
    return better === undefined ? null : `r = ${better.r}, Q = ${better.Q} costs less`;
  },

  explain(config, { bestSolution: [r = NaN, Q = NaN], bestFitness, result }) {
    const unit = unitOf(config);
    const { demand } = config;
    const plain = Math.sqrt((2 * config.fixed_cost * demand.mean) / config.holding_cost);
    const rounded = demand.distribution === 'normal' ? plain : Math.max(1, Math.round(plain));
    const kind = kindOf(config);
    const near = { r: kind.reorderPoint(rounded), Q: rounded };
    return [
      say(
        1,
        'result',
        `Once {r:unit is|units are} on hand or on order, order {Q} more: that costs {cost} per ${unit}.`,
        {
          r,
          Q,
          cost: bestFitness,
        },
      ),
      say(
        1,
        'result',
        '{mean:unit is|units are} expected to be asked for during the lead time; {safety} are safety stock.',
        {
          mean: demand.mean * config.lead_time,
          safety: Number(result['safety_stock']),
        },
      ),
      say(2, 'choice', 'Quantity and reorder point are chosen together: larger orders make shortages rarer.', {}),
      say(
        5,
        'alternatives',
        'The economic order quantity, {plain:unit|units}, with its best reorder point {r} would cost {more} more.',
        {
          plain: rounded,
          r: near.r,
          more: costParts(config, near, kind).total - bestFitness,
        },
      ),
    ];
  },

  pictures: {
    cost_curve: (config, { bestSolution: [, Q = NaN], bestFitness }) => {
      const kind = kindOf(config);
      const isSmooth = config.demand.distribution === 'normal';
      const grid = Array.from({ length: 60 }, (_, i) => Q * (0.4 + (1.8 * i) / 59));
      const lots = isSmooth ? grid : [...new Set(grid.map((q) => Math.max(1, Math.round(q))))];
      const costs = kind.costs(lots);
      const points = lots.map((q, i): Point => [q, costs[i]]);
      return lineChart({
        title: 'Cost of an order quantity, with its best reorder point',
        xName: 'units per order',
        yName: `cost per ${config.time_unit}`,
        series: [{ name: 'cost', points }],
        marks: [{ at: [Q, bestFitness], name: 'optimum' }],
      });
    },
  },
});
