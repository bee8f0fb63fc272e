/**
 * Lot sizes for demands that are known period by period. Without a capacity some best plan orders only when nothing is
 * left, so that a dynamic programme over the periods of orders finds it (Wagner and Whitin 1958). With one it is a
 * mixed-integer programme, in the form of Krarup and Bilde (1977): which order serves which period; its relaxation is
 * tight.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { lineChart, type Point } from '../../charts/line-chart.js';
import { numbers } from '../../fields.js';
import { Infeasible, model, type SolveContext } from '../../problem-type.js';
import { HIGHS } from '../../solvers/highs/linear-solver.js';
import type { Column, Row } from '../../solvers/linear-program.js';
import { amount, isNear, LABELS_OF_PERIODS, sensitivityTo, TOO_HIGH, MOST, unitOf } from './costs.js';

const MAX_PERIODS = 5_000;
/** With a capacity the programme has a column for each pair of periods. */
const MAX_CAPACITATED = 120;

const perPeriod = (description: string) =>
  z
    .union([amount(description), numbers(description, { most: MAX_PERIODS, minimum: 0, maximum: MOST })])
    .describe(description);

type PerPeriod = number | readonly number[];

interface Config {
  readonly demand: readonly number[];
  readonly fixed_cost: PerPeriod;
  readonly holding_cost: PerPeriod;
  readonly purchase_cost: PerPeriod;
  readonly capacity?: PerPeriod | undefined;
  readonly initial_inventory: number;
}

/** Everything by period. */
interface Periods {
  readonly demand: readonly number[];
  /** Demand that the initial inventory does not meet. */
  readonly net: readonly number[];
  readonly fixed: readonly number[];
  readonly holding: readonly number[];
  readonly price: readonly number[];
  /** Infinity: none. */
  readonly capacity: readonly number[];
  readonly initial: number;
}

const filled = (given: PerPeriod, periods: number): readonly number[] =>
  typeof given === 'number' ? new Array<number>(periods).fill(given) : given;

function periodsOf(config: Config): Periods {
  const { demand, initial_inventory: initial } = config;
  const n = demand.length;
  let stock = initial;
  const net = demand.map((units) => {
    const met = Math.min(stock, units);
    stock -= met;
    return units - met;
  });
  return {
    demand,
    net,
    fixed: filled(config.fixed_cost, n),
    holding: filled(config.holding_cost, n),
    price: filled(config.purchase_cost, n),
    capacity: filled(config.capacity ?? Infinity, n),
    initial,
  };
}

interface Parts {
  readonly ordering: number;
  readonly holding: number;
  readonly purchase: number;
  readonly total: number;
  /** Stock at the end of each period. */
  readonly stock: readonly number[];
}

function partsOf({ demand, fixed, holding, price, initial }: Periods, orders: readonly number[]): Parts {
  let [ordering, held, purchase, level] = [0, 0, 0, initial];
  const scale = demand.reduce((sum, units) => sum + units, initial);
  const stock = orders.map((units, t) => {
    if (units > 0) ordering += fixed[t];
    purchase += price[t] * units;
    level += units - demand[t];
    if (Math.abs(level) < 1e-9 * scale) level = 0;
    held += holding[t] * level;
    return level;
  });
  return { ordering, holding: held, purchase, total: ordering + held + purchase, stock };
}

const costOf = (config: Config, orders: readonly number[]): number => partsOf(periodsOf(config), orders).total;

/** Forward: the least cost of the demands before period j, with an order in i for i .. j - 1 as the last one. */
function leastForward({ net, fixed, holding, price }: Periods, look: () => void): number[] {
  const n = net.length;
  const least = new Float64Array(n + 1).fill(Infinity);
  const from = new Int32Array(n + 1);
  least[0] = 0;
  for (let i = 0; i < n; i++) {
    if (i % 64 === 0) look();
    let cost = 0;
    let unit = price[i];
    let units = 0;
    for (let j = i + 1; j <= n; j++) {
      // A unit for period j - 1 is held over the ends of i .. j - 2.
      if (j > i + 1) unit += holding[j - 2];
      cost += net[j - 1] * unit;
      units += net[j - 1];
      const total = least[i] + cost + (units > 0 ? fixed[i] : 0);
      if (total < least[j]) {
        least[j] = total;
        from[j] = i;
      }
    }
  }
  const orders = new Array<number>(n).fill(0);
  for (let j = n; j > 0; j = from[j]) {
    for (let t = from[j]; t < j; t++) orders[from[j]] += net[t];
  }
  return orders;
}

/** Backward, with sums from the beginning instead of steps: the least cost of all demands. */
function leastBackward({ net, fixed, holding, price }: Periods): { readonly least: number; readonly rounding: number } {
  const n = net.length;
  const units = new Float64Array(n + 1);
  const heldUntil = new Float64Array(n + 1);
  const weighted = new Float64Array(n + 1);
  for (let t = 0; t < n; t++) {
    units[t + 1] = units[t] + net[t];
    heldUntil[t + 1] = heldUntil[t] + holding[t];
    weighted[t + 1] = weighted[t] + net[t] * heldUntil[t];
  }
  const least = new Float64Array(n + 1);
  for (let i = n - 1; i >= 0; i--) {
    let best = Infinity;
    for (let j = i + 1; j <= n; j++) {
      const served = units[j] - units[i];
      const cost = served * (price[i] - heldUntil[i]) + weighted[j] - weighted[i] + (served > 0 ? fixed[i] : 0);
      best = Math.min(best, cost + least[j]);
    }
    least[i] = best;
  }
  return { least: least[0], rounding: 1e-12 * units[n] * heldUntil[n] };
}

/** Cost of holding the initial inventory, whatever is ordered. */
const initialHolding = ({ demand, net, holding, initial }: Periods): number => {
  let stock = initial;
  return demand.reduce((sum, units, t) => {
    stock -= units - net[t];
    return sum + holding[t] * stock;
  }, 0);
};

interface Plan {
  readonly orders: readonly number[];
  /** Nothing costs less. Null: not known. */
  readonly bound: number | null;
  readonly nodes: number;
  readonly isProven: boolean;
}

const GAPS = { fast: 0.01, balanced: 1e-6, accurate: 0 } as const;

/** @throws {Infeasible} where the capacities up to some period are less than what is asked for by then */
async function capacitated(periods: Periods, context: SolveContext): Promise<Plan> {
  const { net, fixed, holding, price, capacity } = periods;
  const n = net.length;
  for (let t = 0, needed = 0, possible = 0; t < n; t++) {
    needed += net[t];
    possible += capacity[t];
    if (needed <= possible * (1 + 1e-12)) continue;
    const message = `By period ${t + 1} the demands need ${round(needed)} units beyond the initial inventory, and the capacities allow ${round(possible)}.`;
    throw new Infeasible(message, [...(t === 0 ? [] : ['demand[0]']), `demand[${t}]`, 'capacity']);
  }
  const columns: Column[] = net.map((_, t) => ({
    name: `order_in.${t + 1}`,
    cost: fixed[t],
    upper: 1,
    isInteger: true,
  }));
  const rows: Row[] = [];
  const served: [number, number][][] = net.map(() => []);
  const used: [number, number][][] = net.map(() => []);
  for (let t = 0; t < n; t++) {
    let unit = price[t];
    for (let s = t; s < n; s++) {
      if (s > t) unit += holding[s - 1];
      if (net[s] === 0 || capacity[t] === 0) continue;
      const column = columns.length;
      columns.push({ name: `units.${t + 1}.${s + 1}`, cost: unit * net[s] });
      served[s].push([column, 1]);
      used[t].push([column, net[s]]);
      rows.push({
        name: `setup.${t + 1}.${s + 1}`,
        upper: 0,
        terms: [
          [column, 1],
          [t, -1],
        ],
      });
    }
  }
  for (let t = 0; t < n; t++) {
    if (net[t] > 0) rows.push({ name: `demand.${t + 1}`, lower: 1, upper: 1, terms: served[t] });
    if (used[t].length > 0) rows.push({ name: `capacity.${t + 1}`, upper: 0, terms: [...used[t], [t, -capacity[t]]] });
  }
  const program = { sense: 'minimize', columns, rows, constant: initialHolding(periods) } as const;
  const { status, values, bound, nodes } = await context.solveLinear(program, { gap: GAPS[context.mode] });
  if (values === null) {
    context.look();
    throw new Error(`a plan that must exist is ${status}`);
  }
  const orders = tidied(
    periods,
    used.map((terms, t) => (values[t] < 0.5 ? 0 : terms.reduce((sum, [i, units]) => sum + values[i] * units, 0))),
  );
  return { orders, bound, nodes, isProven: status === 'optimal' };
}

const round = (value: number): number => Number(value.toPrecision(6));

/** Removes the solver's rounding: whole orders where they are whole but for that, and no stock below 0. */
function tidied(periods: Periods, rough: readonly number[]): readonly number[] {
  const { net, capacity } = periods;
  const total = net.reduce((sum, units) => sum + units, 0);
  const near = (value: number): number => {
    const whole = Math.round(value);
    return Math.abs(value - whole) <= 1e-7 * Math.max(1, total) ? whole : value;
  };
  const orders = rough.map((units, t) => Math.min(capacity[t], Math.max(0, near(units))));
  let stock = 0;
  for (let t = 0; t < orders.length; t++) {
    stock += orders[t] - net[t];
    if (stock >= 0) continue;
    // A remainder joins an order that there is: one of its own would cost what an order costs.
    const short = -stock;
    const last = orders.findLastIndex((units, s) => s <= t && units > 0 && units + short <= capacity[s] * (1 + 1e-9));
    if (last >= 0) orders[last] += short;
    stock = 0;
  }
  const final = orders.findLastIndex((units) => units > 0);
  if (final >= 0 && stock < orders[final] && stock <= 1e-7 * total) orders[final] -= stock;
  return orders;
}

const scaled = (costs: PerPeriod): PerPeriod =>
  typeof costs === 'number' ? costs * TOO_HIGH : costs.map((cost) => cost * TOO_HIGH);

export const wagnerWhitin = model({
  name: 'wagner_whitin',
  summary: 'Lot sizes for demands that are known period by period, with or without a capacity.',
  fields: z.strictObject({
    demand: numbers('Units of each period', { most: MAX_PERIODS, minimum: 0, maximum: MOST }),
    fixed_cost: perPeriod('Cost of an order, whatever its size; one number, or one for each period'),
    holding_cost: perPeriod('Per unit in stock at the end of a period; one number, or one for each period'),
    purchase_cost: perPeriod('Price of a unit; one number, or one for each period').default(0),
    capacity: perPeriod('Most units of an order; one number, or one for each period. Absent: no limit').optional(),
    initial_inventory: amount('Units in stock before the first period').default(0),
    ...LABELS_OF_PERIODS,
  }),
  example: {
    model: 'wagner_whitin',
    demand: [90, 120, 80, 70],
    fixed_cost: 500,
    holding_cost: 2,
    time_unit: 'week',
  },

  check(config, complain) {
    const periods = config.demand.length;
    for (const field of ['fixed_cost', 'holding_cost', 'purchase_cost', 'capacity'] as const) {
      const given = config[field];
      if (given === undefined || typeof given === 'number' || given.length === periods) continue;
      return complain(
        [field],
        `\`{field}\` must have ${periods} numbers, as \`config.demand\` has, not ${given.length}.`,
      );
    }
    if (config.capacity !== undefined && periods > MAX_CAPACITATED) {
      complain(
        ['demand'],
        `\`{field}\` must have at most ${MAX_CAPACITATED} periods with \`capacity\`, not ${periods}.`,
      );
    }
  },

  sense: () => 'minimize',

  async solve(config, context) {
    const periods = periodsOf(config);
    const look = (): void => context.look();
    const n = config.demand.length;
    const isLimited = config.capacity !== undefined;
    const plan: Plan = isLimited
      ? await capacitated(periods, context)
      : { orders: leastForward(periods, look), bound: null, nodes: 0, isProven: true };
    const { orders } = plan;
    const { ordering, holding, purchase, total, stock } = partsOf(periods, orders);
    const count = orders.filter((units) => units > 0).length;
    const bound = isLimited ? plan.bound : total;
    const isClosed = bound !== null && total - bound <= 1e-6 * Math.abs(total) + 1e-9;
    const status = plan.isProven && isClosed ? 'optimal' : 'feasible';
    return {
      method: isLimited ? 'milp' : 'dynamic_programming',
      library: isLimited ? HIGHS : undefined,
      reason: isLimited
        ? 'whether to order in a period is yes or no, and the capacities tie the periods together'
        : 'some best plan orders only when nothing is left, and each order covers whole periods',
      bestSolution: orders,
      bestFitness: total,
      decisionVariables: orders.map((_, t) => `order.${t + 1}`),
      result: {
        orders,
        cost: total,
        ordering_cost: ordering,
        holding_cost: holding,
        stockout_cost: 0,
        purchase_cost: purchase,
        number_of_orders: count,
        cycle_time: count === 0 ? null : n / count,
        orders_per_period: count / n,
        safety_stock: 0,
        service_level: { cycle: 1, fill_rate: 1 },
        average_inventory: stock.reduce((sum, units) => sum + units, 0) / n,
        plan: orders.map((order, t) => ({ period: t + 1, demand: config.demand[t], order, inventory: stock[t] })),
        sensitivity: await sensitivityOf(config, orders, context),
      },
      optimality: {
        status,
        bound,
        proof: status !== 'optimal' ? null : isLimited ? 'branch_and_bound' : 'dynamic_programming',
      },
      evaluations: 1,
      nodes: plan.nodes,
      constraints: isLimited
        ? orders.map((order, t) => {
            const limit = periods.capacity[t];
            const binding = limit - order <= 1e-9 * limit;
            return { name: `capacity.${t + 1}`, value: order, limit, slack: limit - order, binding };
          })
        : undefined,
      assumptions: [
        {
          code: 'end_of_period',
          message: 'Orders arrive before the demand of their period, and stock is charged at the end of each period.',
        },
      ],
    };
  },

  verify(config, { bestSolution: orders, bestFitness, optimality }) {
    const periods = periodsOf(config);
    const { total, stock } = partsOf(periods, orders);
    const units = config.demand.reduce((sum, one) => sum + one, config.initial_inventory);
    if (!isNear(total, bestFitness)) return `the plan costs ${total}`;
    const short = stock.findIndex((level) => level < -1e-9 * units);
    if (short >= 0) return `period ${short + 1} ends with ${stock[short]} units`;
    const over = orders.findIndex((order, t) => order < 0 || order > periods.capacity[t] * (1 + 1e-9) + 1e-7);
    if (over >= 0) return `the order of period ${over + 1} is ${orders[over]}`;
    if (optimality.status !== 'optimal') return null;
    // Without the capacities nothing is dearer; without any the backward programme finds the same cost.
    const { least: ordered, rounding } = leastBackward(periods);
    const least = ordered + initialHolding(periods);
    const isRight = config.capacity === undefined ? isNear(least, total, 1e-8) : least <= total * (1 + 1e-8);
    return isRight || Math.abs(least - total) < 1e-9 + rounding
      ? null
      : `the backward programme finds the cost ${least}`;
  },

  explain(config, { bestSolution: orders, bestFitness }) {
    const periods = periodsOf(config);
    const count = orders.filter((units) => units > 0).length;
    const { ordering, holding, purchase } = partsOf(periods, orders);
    const each = partsOf(periods, periods.net).total;
    const unit = unitOf(config);
    const first = orders.findIndex((units) => units > 0);
    return [
      say(1, 'result', `Place {count:order|orders} for {periods:${unit}|${unit}s}: the plan costs {cost}.`, {
        count,
        periods: orders.length,
        cost: bestFitness,
      }),
      ...(first < 0
        ? [say(1, 'result', 'The initial inventory meets all demand.', {})]
        : [
            say(1, 'result', `The first order, in ${unit} {period}, is of {units:unit|units}.`, {
              period: first + 1,
              units: orders[first],
            }),
          ]),
      purchase > 0
        ? say(2, 'choice', 'Orders cost {ordering}, holding stock {holding}, the goods {purchase}.', {
            ordering,
            holding,
            purchase,
          })
        : say(2, 'choice', 'Orders cost {ordering}, holding stock {holding}.', { ordering, holding }),
      ...(config.capacity === undefined
        ? [
            say(5, 'alternatives', `An order in every ${unit} with demand would cost {more} more.`, {
              more: Math.max(0, each - bestFitness),
            }),
          ]
        : [
            say(4, 'sensitivity', 'Without the capacity the least cost would be {cost}.', {
              cost: leastBackward(periods).least + initialHolding(periods),
            }),
          ]),
    ];
  },

  pictures: {
    stock_and_orders: (config, { bestSolution: orders }) => {
      const { stock } = partsOf(periodsOf(config), orders);
      const byPeriod = (values: readonly number[]): Point[] => values.map((value, t): Point => [t + 1, value]);
      return lineChart({
        title: 'Orders, demand, and what is left',
        xName: config.time_unit,
        yName: 'units',
        series: [
          { name: 'ordered', points: byPeriod(orders), width: 0.6, isColumns: true },
          { name: 'demand', points: byPeriod(config.demand), width: 1 },
          { name: 'left at the end', points: byPeriod(stock), width: 1 },
        ],
      });
    },
  },
});

/** With a capacity, as far as that is solved quickly: a mistaken plan needs a programme of its own. */
const MOST_MISTAKEN = 40;

async function sensitivityOf(
  config: Config,
  orders: readonly number[],
  context: SolveContext,
): Promise<Record<string, number | null>> {
  const mistaken: Record<string, Config> = {
    demand: { ...config, demand: config.demand.map((units) => units * TOO_HIGH) },
    fixed_cost: { ...config, fixed_cost: scaled(config.fixed_cost) },
    holding_cost: { ...config, holding_cost: scaled(config.holding_cost) },
    purchase_cost: { ...config, purchase_cost: scaled(config.purchase_cost) },
  };
  const plans = new Map<Config, readonly number[]>([[config, orders]]);
  for (const one of Object.values(mistaken)) {
    const periods = periodsOf(one);
    if (config.capacity === undefined)
      plans.set(
        one,
        leastForward(periods, () => context.look()),
      );
    else if (config.demand.length <= MOST_MISTAKEN && !context.isOver()) {
      // Demands that are a tenth higher may be more than the capacities allow.
      const plan = await capacitated(periods, context).catch((error: unknown) => {
        if (error instanceof Infeasible || context.isOver()) return null;
        throw error;
      });
      if (plan !== null) plans.set(one, plan.orders);
    }
  }
  return sensitivityTo(
    config,
    mistaken,
    (one) => plans.get(one) ?? null,
    (truth, plan) => (plan === null ? NaN : costOf(truth, plan)),
  );
}
