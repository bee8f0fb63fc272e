/**
 * A policy whose parameters are searched by simulating it: on the demands of the past, or on demands that are drawn.
 * All candidates meet the same demands, so that the simulated cost is a function of the parameters alone. Where whole
 * parameters are few enough every one of them is tried; else the engine's strategies search.
 *
 * A period: what was ordered a lead time ago arrives; at a review the policy orders; demand comes; costs are charged.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { lineChart, type Point } from '../../charts/line-chart.js';
import { count, numbers } from '../../fields.js';
import { model, type SolveContext } from '../../problem-type.js';
import { amount, isNear, LABELS_OF_PERIODS, positive, TOO_HIGH, MOST, unitOf } from './costs.js';
import { checkDemand, demandField, distributionOf, remarksOn, type Demand } from './demand.js';

const MAX_PERIODS = 20_000;
const MAX_LEAD_TIME = 1_000;
const DEFAULT_PERIODS = 1_000;

/** Periods of the simulation in the answer. */
const SHOWN_PERIODS = 60;

const POLICIES = ['base_stock', 's_S', 'r_Q'] as const;
type PolicyName = (typeof POLICIES)[number];

interface Config {
  readonly policy: PolicyName;
  readonly demand: readonly number[] | Demand;
  readonly periods?: number | undefined;
  readonly warm_up?: number | undefined;
  readonly lead_time: number;
  readonly review_period: number;
  readonly fixed_cost: number;
  readonly holding_cost: number;
  readonly stockout_cost: number;
  readonly unit_cost: number;
  readonly unmet_demand: 'waits' | 'lost';
  readonly initial_inventory?: number | undefined;
}

interface Policy {
  readonly name: PolicyName;
  readonly parameters: readonly number[];
}

const NAMES: Readonly<Record<PolicyName, readonly string[]>> = {
  base_stock: ['base_stock_level'],
  s_S: ['s', 'S'],
  r_Q: ['reorder_point', 'order_quantity'],
};

/** Relative rounding of sums of demands: it is no shortage, and no reason to order. */
const ROUNDING = 1e-9;

function orderOf({ name, parameters: [a, b] }: Policy, position: number): number {
  const below = a - position;
  const rounding = ROUNDING * (1 + Math.abs(a));
  switch (name) {
    case 'base_stock':
      return below > rounding ? below : 0;
    case 's_S':
      return below >= -rounding ? b - position : 0;
    case 'r_Q':
      // As many lots as bring the position above the reorder point.
      return below >= -rounding ? b * (Math.floor((below + rounding) / b) + 1) : 0;
  }
}

/** Where the policy begins if the config does not say: as after an order. */
const startOf = ({ name, parameters: [a, b] }: Policy): number =>
  Math.max(0, name === 'base_stock' ? a : name === 's_S' ? b : a + b);

interface Totals {
  readonly cost: number;
  readonly ordering: number;
  readonly holding: number;
  readonly stockout: number;
  readonly purchase: number;
  readonly orders: number;
  readonly onHand: number;
  readonly met: number;
  readonly periodsMet: number;
}

interface Path {
  readonly demands: Float64Array;
  /** Periods at the beginning that do not count. */
  readonly warmUp: number;
}

/** Averages per period. `watch`: asked after each period with the net stock at its end. */
function simulate(config: Config, { demands, warmUp }: Path, policy: Policy, watch?: (stock: number) => void): Totals {
  const { lead_time, review_period, fixed_cost, holding_cost, stockout_cost, unit_cost } = config;
  const isLost = config.unmet_demand === 'lost';
  let stock = config.initial_inventory ?? startOf(policy);
  let onOrder = 0;
  const arriving = new Float64Array(lead_time + 1);
  let [orders, units, held, short, asked, met, periodsMet] = [0, 0, 0, 0, 0, 0, 0];
  for (let t = 0; t < demands.length; t++) {
    const slot = t % (lead_time + 1);
    if (t % review_period === 0) {
      const order = orderOf(policy, stock + onOrder);
      if (order > 0) {
        arriving[(t + lead_time) % (lead_time + 1)] += order;
        onOrder += order;
        if (t >= warmUp) {
          orders++;
          units += order;
        }
      }
    }
    const arrived = arriving[slot];
    arriving[slot] = 0;
    onOrder -= arrived;
    stock += arrived;
    const demand = demands[t];
    const served = Math.min(Math.max(0, stock), demand);
    const missing = demand - served;
    stock -= isLost ? served : demand;
    if (t >= warmUp) {
      held += Math.max(0, stock);
      short += isLost ? missing : Math.max(0, -stock);
      asked += demand;
      met += served;
      if (missing === 0) periodsMet++;
    }
    watch?.(stock);
  }
  const n = demands.length - warmUp;
  const [ordering, holding] = [(fixed_cost * orders) / n, (holding_cost * held) / n];
  const [stockout, purchase] = [(stockout_cost * short) / n, (unit_cost * units) / n];
  return {
    cost: ordering + holding + stockout + purchase,
    ordering,
    holding,
    stockout,
    purchase,
    orders: orders / n,
    onHand: held / n,
    met: asked > 0 ? met / asked : 1,
    periodsMet: periodsMet / n,
  };
}

const isPath = (demand: Config['demand']): demand is readonly number[] => Array.isArray(demand);

function pathOf(config: Config, context: Pick<SolveContext, 'rng'>): Path {
  const { demand } = config;
  if (isPath(demand)) return { demands: Float64Array.from(demand), warmUp: config.warm_up ?? 0 };
  const rng = context.rng('demand');
  const distribution = distributionOf(demand);
  const periods = config.periods ?? DEFAULT_PERIODS;
  return {
    // A normal demand below 0 would be goods that come back.
    demands: Float64Array.from({ length: periods }, () => Math.max(0, distribution.draw(rng))),
    warmUp: config.warm_up ?? Math.floor(periods / 10),
  };
}

/** Names of the searched parameters, for people. */
const SEARCHED: Readonly<Record<PolicyName, readonly string[]>> = {
  base_stock: ['the level'],
  s_S: ['s', 'S - s'],
  r_Q: ['the reorder point', 'the order quantity'],
};

/**
 * From where to where each searched number goes; policies of two levels are searched by the lower one and the distance.
 */
interface Box {
  readonly ranges: readonly (readonly [number, number])[];
  readonly isWhole: boolean;
}

function boxOf(config: Config, { demands }: Path): Box {
  const window = config.lead_time + config.review_period;
  let [sum, most, total] = [0, 0, 0];
  let isWhole = true;
  demands.forEach((demand, t) => {
    sum += demand - (t >= window ? demands[t - window] : 0);
    most = Math.max(most, sum);
    total += demand;
    isWhole &&= Number.isInteger(demand);
  });
  const mean = total / demands.length;
  const lot = Math.sqrt(2 * config.fixed_cost * mean * (1 / config.holding_cost + 1 / config.stockout_cost));
  const highest = Math.max(1, Math.ceil(most));
  const longest = Math.max(1, Math.ceil(3 * lot + 2 * mean * config.review_period));
  // Customers who wait make it possible to order late on purpose.
  const lowest = config.unmet_demand === 'waits' ? -Math.ceil(lot) : -1;
  const shortest = isWhole ? 1 : Math.min(1, longest * 1e-3);
  const ranges: Readonly<Record<PolicyName, Box['ranges']>> = {
    base_stock: [[0, highest]],
    s_S: [
      [lowest, highest],
      [shortest, longest],
    ],
    r_Q: [
      [lowest, highest],
      [shortest, longest],
    ],
  };
  return { ranges: ranges[config.policy], isWhole };
}

function policyAt(name: PolicyName, x: ArrayLike<number>, isWhole: boolean): Policy {
  const [first, second] = Array.from(x, (value) => (isWhole ? Math.round(value) : value) + 0);
  if (name === 'base_stock') return { name, parameters: [first] };
  return { name, parameters: [first, name === 's_S' ? first + second : second] };
}

interface Found {
  readonly policy: Policy;
  readonly cost: number;
  readonly evaluations: number;
  /** Null: every one was tried. */
  readonly strategy: string | null;
  /** Every candidate was simulated. */
  readonly isProven: boolean;
}

/** How many whole candidates there are. */
const gridSize = ({ ranges }: Box): number => ranges.reduce((size, [low, high]) => size * (high - low + 1), 1);

async function search(config: Config, path: Path, box: Box, context: SolveContext): Promise<Found> {
  let best: { policy: Policy; cost: number } | null = null;
  let evaluations = 0;
  const value = (x: ArrayLike<number>): number => {
    const policy = policyAt(config.policy, x, box.isWhole);
    const { cost } = simulate(config, path, policy);
    evaluations++;
    if (best === null || cost < best.cost) {
      best = { policy, cost };
      context.improved(evaluations, cost, policy.parameters);
    }
    return cost;
  };
  const isTried = box.isWhole && gridSize(box) <= context.maxEvaluations;
  let strategy: string | null = null;
  let isProven = isTried;
  if (isTried) {
    const [[low, high], [from, to] = [0, 0]] = box.ranges;
    for (let a = low; a <= high && isProven; a++) {
      for (let b = from; b <= to && isProven; b++) {
        value(box.ranges.length === 1 ? [a] : [a, b]);
        isProven = !context.isOver();
      }
    }
  } else {
    const result = await context.search({
      bounds: box.ranges,
      direction: 'minimize',
      maxEvaluations: context.maxEvaluations,
      seed: context.seed,
      evaluate: value,
    });
    ({ strategy } = result);
  }
  const found = best as { policy: Policy; cost: number } | null;
  if (found === null) {
    context.look();
    throw new Error('no policy was simulated');
  }
  return { ...found, evaluations, strategy, isProven };
}

interface Detail {
  readonly path: Path;
}

export const simulation = model({
  name: 'simulation',
  summary: 'Parameters of a policy by simulation, on past demands or on demands that are drawn.',
  fields: z.strictObject({
    policy: z.enum(POLICIES).default('s_S').describe('base_stock: up to a level; s_S: at s up to S; r_Q: at r by Q'),
    demand: z
      .union([
        numbers('Demand of each period', { least: 2, most: MAX_PERIODS, minimum: 0, maximum: MOST }),
        demandField(['normal', 'poisson', 'lognormal', 'uniform', 'discrete', 'empirical']),
      ])
      .describe('Demands of past periods, or the distribution that those of each period are drawn from'),
    periods: count('Periods that are drawn. Default: 1000', 10, MAX_PERIODS).optional(),
    warm_up: count(
      'Periods at the beginning that do not count. Default: a tenth of drawn ones, none of a path',
    ).optional(),
    lead_time: count('Periods from an order to its arrival; 0: it serves the same period', 0, MAX_LEAD_TIME).default(0),
    review_period: count('Periods from one review to the next', 1, MAX_LEAD_TIME).default(1),
    fixed_cost: amount('Cost of one order, whatever its size').default(0),
    holding_cost: positive('Per unit on hand at the end of a period'),
    stockout_cost: positive('Per unit that waits at the end of a period, or that is lost'),
    unit_cost: amount('Price of a unit').default(0),
    unmet_demand: z.enum(['waits', 'lost']).default('waits').describe('What happens to demand that finds no stock'),
    initial_inventory: amount('Units on hand at the beginning. Default: as after an order').optional(),
    ...LABELS_OF_PERIODS,
  }),
  example: {
    model: 'simulation',
    policy: 's_S',
    demand: { distribution: 'poisson', mean: 6 },
    periods: 500,
    lead_time: 1,
    fixed_cost: 5,
    holding_cost: 1,
    stockout_cost: 4,
    time_unit: 'week',
  },

  check(config, complain) {
    const { demand, periods, warm_up = 0 } = config;
    if (isPath(demand)) {
      if (periods !== undefined) {
        return complain(['periods'], '`{field}` goes with a distribution: `config.demand` has its periods.');
      }
      if (!demand.some((units) => units > 0)) return complain(['demand'], '`{field}` must have a demand above 0.');
    } else if (!checkDemand(demand, complain)) return;
    const length = isPath(demand) ? demand.length : (periods ?? DEFAULT_PERIODS);
    if (warm_up >= length) complain(['warm_up'], `\`{field}\` must be below the number of periods, ${length}.`);
  },

  sense: () => 'minimize',

  async solve(config, context) {
    const path = pathOf(config, context);
    const box = boxOf(config, path);
    const { policy, evaluations, strategy, isProven } = await search(config, path, box, context);
    const inventory: number[] = [];
    const totals = simulate(config, path, policy, (stock) => {
      if (inventory.length < SHOWN_PERIODS) inventory.push(stock);
    });
    const { cost } = totals;
    const names = NAMES[config.policy];
    const mean = path.demands.reduce((sum, units) => sum + units, 0) / path.demands.length;
    const [first] = policy.parameters;
    const shareOfMore = (changes: Partial<Config>, demands = path.demands): number | null => {
      const more = simulate({ ...config, ...changes }, { ...path, demands }, policy).cost / cost - 1;
      return Number.isFinite(more) ? more : null;
    };
    return {
      method: strategy === null ? 'exhaustive_enumeration' : { strategy },
      reason:
        strategy === null
          ? isProven
            ? 'whole parameters are few enough to simulate every one of them'
            : 'one whole parameter after the other was simulated, until the time was up'
          : 'the simulated cost has no formula, and its steps have no slope',
      bestSolution: policy.parameters,
      bestFitness: cost,
      decisionVariables: names,
      result: {
        ...Object.fromEntries(names.map((name, i) => [name, policy.parameters[i]])),
        cost,
        ordering_cost: totals.ordering,
        holding_cost: totals.holding,
        stockout_cost: totals.stockout,
        purchase_cost: totals.purchase,
        cycle_time: totals.orders > 0 ? 1 / totals.orders : null,
        orders_per_period: totals.orders,
        safety_stock: first - mean * (config.lead_time + (config.policy === 'base_stock' ? config.review_period : 0)),
        service_level: { cycle: totals.periodsMet, fill_rate: totals.met },
        average_inventory: totals.onHand,
        simulated_periods: path.demands.length - path.warmUp,
        sample_path: { demand: Array.from(path.demands.subarray(0, SHOWN_PERIODS)), inventory },
        sensitivity: {
          demand: shareOfMore(
            {},
            path.demands.map((units) => units * TOO_HIGH),
          ),
          fixed_cost: shareOfMore({ fixed_cost: config.fixed_cost * TOO_HIGH }),
          holding_cost: shareOfMore({ holding_cost: config.holding_cost * TOO_HIGH }),
          stockout_cost: shareOfMore({ stockout_cost: config.stockout_cost * TOO_HIGH }),
        },
      },
      optimality: isProven
        ? { status: 'optimal', bound: cost, proof: 'exhaustive' }
        : { status: 'heuristic', bound: null, proof: null },
      evaluations,
      warnings: isPath(config.demand) ? [] : remarksOn(config.demand),
      assumptions: [
        {
          code: 'sequence',
          message:
            'In each period orders arrive, the policy orders at a review, demand comes, and costs are charged on what is left.',
        },
        {
          code: 'sensitivity_of_policy',
          message: 'Sensitivities say what this policy costs more where an input is truly a tenth higher.',
        },
        {
          code: 'searched_box',
          message: `Searched: ${box.ranges.map(([low, high], i) => `${SEARCHED[config.policy][i]} from ${low} to ${high}`).join(', ')}${box.isWhole ? ', whole units' : ''}.`,
        },
        ...(isPath(config.demand)
          ? []
          : [
              {
                code: 'drawn_demand',
                field: 'config.demand',
                message: `The demands of ${path.demands.length} periods were drawn once, from the seed; the first ${path.warmUp} do not count. Another seed gives a somewhat different answer.`,
              },
            ]),
      ],
      detail: { path } satisfies Detail,
    };
  },

  /** The sequence of a period, period by period in plain lists; every order with the period in which it arrives. */
  verify(config, { bestSolution, bestFitness, detail }) {
    const { path } = detail as Detail;
    const policy: Policy = { name: config.policy, parameters: bestSolution };
    const open: { at: number; units: number }[] = [];
    let onHand = config.initial_inventory ?? startOf(policy);
    let waiting = 0;
    let cost = 0;
    for (const [t, demand] of path.demands.entries()) {
      let charge = 0;
      if (t % config.review_period === 0) {
        const coming = open.reduce((sum, { units }) => sum + units, 0);
        const units = orderOf(policy, onHand - waiting + coming);
        if (units > 0) {
          open.push({ at: t + config.lead_time, units });
          charge += config.fixed_cost + config.unit_cost * units;
        }
      }
      while (open.length > 0 && open[0].at <= t) onHand += open.shift()?.units ?? 0;
      const late = Math.min(onHand, waiting);
      onHand -= late;
      waiting -= late;
      const served = Math.min(onHand, demand);
      onHand -= served;
      if (config.unmet_demand === 'waits') waiting += demand - served;
      charge += config.holding_cost * onHand;
      charge += config.stockout_cost * (config.unmet_demand === 'waits' ? waiting : demand - served);
      if (t >= path.warmUp) cost += charge;
    }
    const average = cost / (path.demands.length - path.warmUp);
    return isNear(average, bestFitness, 1e-6) || Math.abs(average - bestFitness) < 1e-9
      ? null
      : `period by period the cost is ${average}`;
  },

  explain(config, { bestSolution, bestFitness, result, optimality, evaluations }) {
    const unit = unitOf(config);
    const [a, b = NaN] = bestSolution;
    const service = result['service_level'] as { fill_rate: number };
    const numbersOf = { a, cost: bestFitness };
    const texts: Readonly<Record<PolicyName, string>> = {
      base_stock: `At each review, order up to {a} units: that cost {cost} per ${unit} in the simulation.`,
      s_S: `Once {a} units or fewer are left and on order, order up to {b}: that cost {cost} per ${unit} in the simulation.`,
      r_Q: `Once {a} units or fewer are left and on order, order {b}: that cost {cost} per ${unit} in the simulation.`,
    };
    return [
      say(1, 'result', texts[config.policy], config.policy === 'base_stock' ? numbersOf : { ...numbersOf, b }),
      say(1, 'result', '{percent} percent of the demand was met at once.', { percent: 100 * service.fill_rate }),
      optimality.status === 'optimal'
        ? say(2, 'choice', 'All {evaluations} policies of whole units were simulated on the same demands.', {
            evaluations,
          })
        : say(
            2,
            'choice',
            '{evaluations} policies were simulated on the same demands; a better one is not ruled out.',
            {
              evaluations,
            },
          ),
      say(4, 'sensitivity', 'Where demand is a tenth higher, this policy costs {percent} percent more.', {
        percent: 100 * Number((result['sensitivity'] as Record<string, number>)['demand']),
      }),
    ];
  },

  pictures: {
    stock_over_time: (config, { bestSolution, result }) => {
      const { inventory } = result['sample_path'] as { readonly inventory: readonly number[] };
      const across = (level: number): Point[] => [
        [0.5, level],
        [inventory.length + 0.5, level],
      ];
      // An order quantity is no level.
      const levels = config.policy === 'r_Q' ? 1 : bestSolution.length;
      return lineChart({
        title: 'Stock in the first periods of the simulation',
        xName: config.time_unit,
        yName: config.unmet_demand === 'waits' ? 'units at the end; below 0: waiting' : 'units at the end',
        series: [
          { name: 'stock', points: inventory.map((units, t): Point => [t + 1, units]), width: 1 },
          ...NAMES[config.policy]
            .slice(0, levels)
            .map((name, k) => ({ name, points: across(bestSolution[k]), isDashed: true })),
        ],
      });
    },
  },
});
