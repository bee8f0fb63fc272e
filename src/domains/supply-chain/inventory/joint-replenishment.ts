/**
 * Joint replenishment: a base cycle T, at which something is ordered, and a multiple of it for each item.
 *
 * For a cycle T the best multiple of item i is the k with k (k - 1) <= 2 K_i / (h_i D_i T^2) <= k (k + 1). So the best
 * multiples change only at the cycles sqrt(2 K_i / (h_i D_i k (k + 1))), and between two of these the cost is convex in
 * T. The search walks down from the longest cycle that can be best, through every such stretch, to the shortest; both
 * ends follow from the relaxation in which multiples need not be whole. Source: Goyal 1974; Wildeman, Frenk and Dekker
 * 1997.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { numbers } from '../../fields.js';
import { model } from '../../problem-type.js';
import { lineChart, type Point } from '../../charts/line-chart.js';
import { isNear, LABELS, positive, sensitivityTo, TOO_HIGH, LEAST, MOST, unitOf } from './costs.js';

const MAX_ITEMS = 1_000;
/** Stretches that are walked through at most; a shared cost that is next to nothing makes ever more of them. */
const MAX_STRETCHES = 5_000_000;
const LOOK_EVERY = 4_096;

interface Config {
  readonly shared_fixed_cost: number;
  readonly individual_fixed_costs: readonly number[];
  readonly holding_costs: readonly number[];
  readonly demand_rates: readonly number[];
}

interface Policy {
  readonly cycle: number;
  readonly multiples: readonly number[];
}

/** Holding of an item for each time unit of its own cycle. */
const holdingSlopes = ({ holding_costs, demand_rates }: Config): number[] =>
  holding_costs.map((holding, i) => (holding * demand_rates[i]) / 2);

interface Parts {
  readonly shared: number;
  readonly individual: number;
  readonly holding: number;
}

function partsOf(config: Config, { cycle, multiples }: Policy): Parts {
  const slopes = holdingSlopes(config);
  const { individual_fixed_costs: own } = config;
  return {
    shared: config.shared_fixed_cost / cycle,
    individual: multiples.reduce((sum, k, i) => sum + own[i] / (k * cycle), 0),
    holding: multiples.reduce((sum, k, i) => sum + slopes[i] * k * cycle, 0),
  };
}

function costOf(config: Config, policy: Policy): number {
  const { shared, individual, holding } = partsOf(config, policy);
  return shared + individual + holding;
}

/** The best cycle for given multiples. */
function withBestCycle(config: Config, multiples: readonly number[]): Policy {
  const slopes = holdingSlopes(config);
  const fixed = multiples.reduce((sum, k, i) => sum + config.individual_fixed_costs[i] / k, config.shared_fixed_cost);
  const slope = multiples.reduce((sum, k, i) => sum + slopes[i] * k, 0);
  return { cycle: Math.sqrt(fixed / slope), multiples };
}

/** Silver 1976: the item that is ordered most often sets the cycle, the others take the nearest multiple. */
function silver(config: Config): Policy {
  const slopes = holdingSlopes(config);
  const { individual_fixed_costs: own } = config;
  const base = slopes.reduce((a, slope, i) => (own[i] / slope < own[a] / slopes[a] ? i : a), 0);
  const multiples = slopes.map((slope, i) => {
    if (i === base) return 1;
    return Math.max(
      1,
      Math.round(Math.sqrt(((own[i] / slope) * slopes[base]) / (config.shared_fixed_cost + own[base]))),
    );
  });
  return withBestCycle(config, multiples);
}

/** The cost where multiples need only be at least 1: convex in T, and never above the true cost. */
function relaxed(config: Config, slopes: readonly number[], cycle: number): number {
  const { individual_fixed_costs: own } = config;
  return slopes.reduce((sum, slope, i) => {
    const isWithin = slope * cycle * cycle <= own[i];
    return sum + (isWithin ? 2 * Math.sqrt(own[i] * slope) : own[i] / cycle + slope * cycle);
  }, config.shared_fixed_cost / cycle);
}

interface Found extends Policy {
  readonly cost: number;
  readonly stretches: number;
}

/** Null: there are too many stretches to walk through them all. */
function search(config: Config, look: () => void): Found | null {
  const slopes = holdingSlopes(config);
  const { individual_fixed_costs: own, shared_fixed_cost: shared } = config;
  const rough = silver(config);
  const all = withBestCycle(
    config,
    own.map(() => 1),
  );
  let best = costOf(config, rough) <= costOf(config, all) ? rough : all;
  let least = costOf(config, best);

  // Cycles above the one that is best with all multiples 1 have those multiples: there the cost rises.
  const n = own.length;
  const multiples = new Array<number>(n).fill(1);
  const breakOf = (i: number): number => Math.sqrt(own[i] / (slopes[i] * multiples[i] * (multiples[i] + 1)));
  const heap = new CycleHeap(own.map((_, i) => breakOf(i)));
  let fixed = own.reduce((sum, cost) => sum + cost, shared);
  let slope = slopes.reduce((sum, one) => sum + one, 0);
  let high = Infinity;
  for (let stretches = 1; ; stretches++) {
    if (stretches > MAX_STRETCHES) return null;
    if (stretches % LOOK_EVERY === 0) {
      look();
      // Sums that took millions of small steps are formed anew.
      fixed = own.reduce((sum, cost, i) => sum + cost / multiples[i], shared);
      slope = slopes.reduce((sum, one, i) => sum + one * multiples[i], 0);
    }
    const low = heap.longest();
    const cycle = Math.min(high, Math.max(low, Math.sqrt(fixed / slope)));
    const cost = fixed / cycle + slope * cycle;
    if (cost < least * (1 - 1e-13)) {
      least = cost;
      best = withBestCycle(config, [...multiples]);
    }
    // The relaxation is convex and lies below: once it is above the best on its falling side, it stays so.
    const isFalling = low > 0 && shared > derivativeShare(slopes, own, low);
    if (low === 0 || (isFalling && relaxed(config, slopes, low) > least * (1 + 1e-12))) {
      return { ...best, cost: costOf(config, best), stretches };
    }
    const i = heap.longestItem();
    fixed += own[i] / (multiples[i] + 1) - own[i] / multiples[i];
    slope += slopes[i];
    multiples[i]++;
    heap.replaceLongest(breakOf(i));
    high = low;
  }
}

/** The relaxed cost falls at `cycle` where the shared cost is above this. */
const derivativeShare = (slopes: readonly number[], own: readonly number[], cycle: number): number =>
  slopes.reduce((sum, slope, i) => sum + Math.max(0, slope * cycle * cycle - own[i]), 0);

/** The next cycle at which each item changes its multiple; the longest on top. */
class CycleHeap {
  private readonly items: number[];

  constructor(private readonly cycles: number[]) {
    this.items = cycles.map((_, i) => i).sort((a, b) => cycles[b] - cycles[a] || a - b);
  }

  longestItem(): number {
    return this.items[0];
  }

  longest(): number {
    return this.cycles[this.items[0]];
  }

  /** A shorter one for the item on top. */
  replaceLongest(cycle: number): void {
    const { items, cycles } = this;
    const item = items[0];
    cycles[item] = cycle;
    let at = 0;
    for (;;) {
      let next = 2 * at + 1;
      if (next >= items.length) break;
      if (next + 1 < items.length && cycles[items[next + 1]] > cycles[items[next]]) next++;
      if (cycles[items[next]] <= cycle) break;
      items[at] = items[next];
      at = next;
    }
    items[at] = item;
  }
}

const scaled = (values: readonly number[]): number[] => values.map((value) => value * TOO_HIGH);

export const jointReplenishment = model({
  name: 'joint_replenishment',
  summary: 'Items that share the cost of an order: a base cycle, and a multiple of it for each.',
  fields: z.strictObject({
    shared_fixed_cost: positive('Cost of an order, whatever is on it'),
    individual_fixed_costs: numbers('Further cost of each item on an order', {
      most: MAX_ITEMS,
      minimum: 0,
      maximum: MOST,
    }),
    holding_costs: numbers('Of each item, per unit and time unit', { most: MAX_ITEMS, minimum: LEAST, maximum: MOST }),
    demand_rates: numbers('Of each item, units per time unit', { most: MAX_ITEMS, minimum: LEAST, maximum: MOST }),
    ...LABELS,
  }),
  example: {
    model: 'joint_replenishment',
    shared_fixed_cost: 10,
    individual_fixed_costs: [1.87, 5.27, 7.94, 8.19, 8.87],
    holding_costs: [0.2, 0.2, 0.2, 0.2, 0.2],
    demand_rates: [1736, 656, 558, 170, 142],
  },

  check(config, complain) {
    const items = config.individual_fixed_costs.length;
    for (const field of ['holding_costs', 'demand_rates'] as const) {
      if (config[field].length === items) continue;
      return complain([field], `\`{field}\` must have ${items} numbers, as \`config.individual_fixed_costs\` has.`);
    }
  },

  sense: () => 'minimize',

  solve(config, context) {
    const look = (): void => context.look();
    const found = search(config, look);
    const rough = silver(config);
    const policy = found ?? rough;
    const { shared, individual, holding } = partsOf(config, policy);
    const cost = shared + individual + holding;
    const { cycle, multiples } = policy;
    const quantities = multiples.map((k, i) => k * cycle * config.demand_rates[i]);
    const slopes = holdingSlopes(config);
    const alone = slopes.reduce(
      (sum, slope, i) => sum + 2 * Math.sqrt((config.shared_fixed_cost + config.individual_fixed_costs[i]) * slope),
      0,
    );
    const mistaken = {
      shared_fixed_cost: { ...config, shared_fixed_cost: config.shared_fixed_cost * TOO_HIGH },
      individual_fixed_costs: { ...config, individual_fixed_costs: scaled(config.individual_fixed_costs) },
      holding_costs: { ...config, holding_costs: scaled(config.holding_costs) },
      demand_rates: { ...config, demand_rates: scaled(config.demand_rates) },
    };
    return {
      method: 'exhaustive_enumeration',
      reason: 'between the cycles at which a multiple changes the cost is convex, and each such stretch was looked at',
      bestSolution: [cycle, ...multiples],
      bestFitness: cost,
      decisionVariables: ['base_cycle_time', ...multiples.map((_, i) => `multiple.${i + 1}`)],
      result: {
        base_cycle_time: cycle,
        multiples,
        order_quantities: quantities,
        cost,
        ordering_cost: shared + individual,
        shared_ordering_cost: shared,
        individual_ordering_cost: individual,
        holding_cost: holding,
        stockout_cost: 0,
        purchase_cost: 0,
        heuristic_cost: costOf(config, rough),
        cost_of_ordering_alone: alone,
        cycle_time: cycle,
        orders_per_period: 1 / cycle,
        safety_stock: 0,
        service_level: { cycle: 1, fill_rate: 1 },
        average_inventory: quantities.reduce((sum, quantity) => sum + quantity / 2, 0),
        sensitivity: sensitivityTo(
          config as Config,
          mistaken,
          (one): Policy => (found === null ? silver(one) : (search(one, look) ?? silver(one))),
          costOf,
        ),
      },
      optimality:
        found === null
          ? { status: 'heuristic', bound: lowerBound(config, slopes), proof: null }
          : { status: 'optimal', bound: cost, proof: 'exhaustive' },
      evaluations: 1,
      nodes: found?.stretches ?? MAX_STRETCHES,
      assumptions: [
        {
          code: 'base_cycle',
          message: 'Something is ordered at every base cycle, also where no item of multiple 1 is left to order then.',
        },
      ],
    };
  },

  verify(config, { bestSolution: [cycle = NaN, ...multiples], bestFitness, result, optimality }) {
    const cost = costOf(config, { cycle, multiples });
    if (!isNear(cost, bestFitness)) return `the policy costs ${cost}`;
    if (!multiples.every((k) => Number.isInteger(k) && k >= 1)) return 'a multiple is no whole number';
    if (optimality.status === 'optimal' && bestFitness > Number(result['heuristic_cost']) * (1 + 1e-12)) {
      return 'the heuristic costs less';
    }
    for (const [i, k] of multiples.entries()) {
      for (const other of [k - 1, k + 1]) {
        if (other < 1) continue;
        const moved = withBestCycle(config, multiples.with(i, other));
        if (optimality.status === 'optimal' && costOf(config, moved) < bestFitness * (1 - 1e-10)) {
          return `multiple ${other} of item ${i + 1} costs less`;
        }
      }
    }
    return null;
  },

  explain(config, { bestSolution: [cycle = NaN, ...multiples], bestFitness, result }) {
    const most = multiples.reduce((a, b) => Math.max(a, b), 1);
    const every = multiples.filter((k) => k === 1).length;
    const unit = unitOf(config);
    return [
      say(1, 'result', `Order every {cycle} of a ${unit}: that costs {cost} per ${unit}.`, {
        cycle,
        cost: bestFitness,
      }),
      say(1, 'result', '{every} of {items} items are on every order, the rarest on one order in {most}.', {
        every,
        items: multiples.length,
        most,
      }),
      say(2, 'choice', 'Items that are cheap to hold or dear to order wait for several cycles.', {}),
      say(3, 'assumption', 'Demand is constant, and orders arrive at once.', {}),
      say(5, 'alternatives', 'The rule of Silver (1976) costs {rule}; ordering each item alone costs {alone}.', {
        rule: Number(result['heuristic_cost']),
        alone: Number(result['cost_of_ordering_alone']),
      }),
    ];
  },

  pictures: {
    cost_by_cycle: (config, { bestSolution: [cycle = NaN], bestFitness }) => {
      const slopes = holdingSlopes(config);
      const at = Array.from({ length: 200 }, (_, i) => cycle * (0.35 + 0.0133 * i));
      const bestMultiples = (t: number): number[] =>
        slopes.map((slope, i) =>
          Math.max(1, Math.ceil(Math.sqrt(0.25 + config.individual_fixed_costs[i] / (slope * t * t)) - 0.5)),
        );
      return lineChart({
        title: 'Cost of a base cycle, with the best multiples',
        xName: `base cycle (${config.time_unit})`,
        yName: `cost per ${config.time_unit}`,
        series: [
          {
            name: 'cost',
            points: at.map((t): Point => [t, costOf(config, { cycle: t, multiples: bestMultiples(t) })]),
          },
        ],
        marks: [{ at: [cycle, bestFitness], name: 'optimum' }],
      });
    },
  },
});

/** The least of the relaxed cost: where the shared cost is what longer cycles save no more. */
function lowerBound(config: Config, slopes: readonly number[]): number {
  let [low, high] = [0, 1];
  while (derivativeShare(slopes, config.individual_fixed_costs, high) < config.shared_fixed_cost) high *= 2;
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (derivativeShare(slopes, config.individual_fixed_costs, middle) < config.shared_fixed_cost) low = middle;
    else high = middle;
  }
  return relaxed(config, slopes, low) * (1 - 1e-12);
}
