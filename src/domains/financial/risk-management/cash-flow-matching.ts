/**
 * The cheapest bonds whose cash flows pay liabilities as they fall due (dedication), as a linear programme; in whole
 * bonds as one with integers.
 */
import { z } from 'zod';
import { power } from '../../../common/float.js';
import { join, quote, say, type Clause } from '../../../explanation/say.js';
import type { ConstraintState, Remark } from '../../../model/problem.js';
import { lineChart, type Point } from '../../charts/line-chart.js';
import { barChart } from '../../charts/bar-chart.js';
import { checkUnique, id, list, numbers, withIds } from '../../fields.js';
import { model, Unsolved, type SolveContext, type Solution } from '../../problem-type.js';
import { HIGHS } from '../../solvers/highs/linear-solver.js';
import type { LinearProgram } from '../../solvers/linear-program.js';

export const MOST_BONDS = 500;
export const MOST_PERIODS = 240;
const MOST_MONEY = 1e12;
/** A smaller gap to the bound, of the cost, is none. */
const CLOSED = 1e-7;
const SMALL_GAP = 1e-9;
/** Periods that are drawn as bars. */
const MOST_BARS = 12;
/** Gap in the mode `fast`. */
const FAST_GAP = 0.01;

const fields = z.strictObject({
  bonds: list(
    z.strictObject({
      id: id.optional(),
      price: z.number().min(1e-6).max(1e9).describe('Price of one bond today'),
      cash_flows: numbers('What one bond pays at the end of each period; absent ones are 0', {
        most: MOST_PERIODS,
        minimum: 0,
        maximum: 1e9,
      }),
      max: z.number().min(0).max(MOST_MONEY).describe('Largest number of bonds. Absent: no limit').optional(),
    }),
    'Bonds that can be bought',
    MOST_BONDS,
  ),
  liabilities: numbers('What is due at the end of each period', {
    most: MOST_PERIODS,
    minimum: 0,
    maximum: MOST_MONEY,
  }),
  reinvestment_rate: z
    .number()
    .gt(-1)
    .max(1)
    .default(0)
    .describe('Interest on cash from one period to the next, as a decimal; the initial cash earns it too'),
  integer_lots: z.boolean().default(false).describe('Only whole bonds'),
  currency: z.string().min(1).max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;

const flowAt = ({ cash_flows }: Config['bonds'][number], t: number): number => cash_flows[t] ?? 0;

/** Flow that bonds leave after liabilities in each period, before cash. */
const netFlows = ({ bonds, liabilities }: Config, holdings: readonly number[]): number[] =>
  liabilities.map((due, t) => bonds.reduce((sum, bond, j) => sum + holdings[j] * flowAt(bond, t), 0 - due));

/** Cash that is needed today so that no period ends without: the most that any period asks for, discounted. */
function initialCash({ reinvestment_rate }: Config, net: readonly number[]): number {
  let growth = 1;
  let sum = 0;
  let least = 0;
  for (const flow of net) {
    growth *= 1 + reinvestment_rate;
    sum += flow / growth;
    least = Math.min(least, sum);
  }
  return 0 - least + 0;
}

function balancesOf({ reinvestment_rate }: Config, cash: number, net: readonly number[]): number[] {
  let balance = cash;
  return net.map((flow) => (balance = balance * (1 + reinvestment_rate) + flow));
}

/** Money in units of the largest liability. */
function programOf(config: Config, isWhole: boolean): LinearProgram {
  const { bonds, liabilities, reinvestment_rate } = config;
  const unit = liabilities.reduce((most, due) => Math.max(most, due), 0) || 1;
  const n = bonds.length;
  const growth = 1 + reinvestment_rate;
  // A whole bond is 1; a divisible one is counted so that one unit pays about the unit of money.
  const sizes = bonds.map((bond) => (isWhole ? 1 : unit / bond.price));
  return {
    sense: 'minimize',
    columns: [
      ...bonds.map(({ price, max }, j) => ({
        name: `bond ${j + 1}`,
        cost: (price * sizes[j]) / unit,
        upper: max === undefined ? undefined : max / sizes[j],
        isInteger: isWhole,
      })),
      // What is left at the end of each period, the initial cash first.
      ...Array.from({ length: liabilities.length + 1 }, (_, t) => ({ name: `cash ${t}`, cost: t === 0 ? 1 : 0 })),
    ],
    rows: liabilities.map((due, t) => ({
      name: `liability ${t + 1}`,
      lower: due / unit,
      upper: due / unit,
      terms: [
        ...bonds.flatMap((bond, j) => {
          const flow = (flowAt(bond, t) * sizes[j]) / unit;
          return flow === 0 ? [] : [[j, flow] as const];
        }),
        [n + t, growth] as const,
        [n + t + 1, -1] as const,
      ],
    })),
  };
}

const sizesOf = ({ bonds, liabilities, integer_lots }: Config): number[] => {
  const unit = liabilities.reduce((most, due) => Math.max(most, due), 0) || 1;
  return bonds.map(({ price }) => (integer_lots ? 1 : unit / price));
};

const costOf = ({ bonds }: Config, holdings: readonly number[], cash: number): number =>
  bonds.reduce((sum, { price }, j) => sum + price * holdings[j], cash);

/**
 * No divisible bonds cost less: values of money at each date at which no bond is worth more than its price, and no cash
 * gains by waiting, but for what the limits of bonds are worth. Any values give a bound once they are made to fit.
 */
function boundOf(config: Config, discounts: readonly number[]): number {
  const { bonds, liabilities, reinvestment_rate } = config;
  // Cash must not gain by waiting: from the last date back, then a share of all so that money today is worth 1.
  const fitted = [...discounts].map((value) => Math.max(0, value));
  for (let t = fitted.length - 2; t >= 0; t--) fitted[t] = Math.max(fitted[t], fitted[t + 1] * (1 + reinvestment_rate));
  const first = (fitted[0] ?? 0) * (1 + reinvestment_rate);
  const factor = first > 1 ? 1 / first : 1;
  const worth = bonds.map((bond) => fitted.reduce((sum, value, t) => sum + factor * value * flowAt(bond, t), 0));
  // Bonds without a limit must not be worth more than they cost; what limits allow is taken off.
  const dearest = bonds.reduce(
    (most, { price, max }, j) => (max === undefined ? Math.max(most, worth[j] / price) : most),
    1,
  );
  const share = factor / dearest;
  const paid = liabilities.reduce((sum, due, t) => sum + share * fitted[t] * due, 0);
  const room = bonds.reduce(
    (sum, { price, max }, j) => (max === undefined ? sum : sum + max * Math.max(0, worth[j] / dearest - price)),
    0,
  );
  return paid - room;
}

interface Result {
  readonly cost: number;
  readonly holdings: Readonly<Record<string, number>>;
  readonly initial_cash: number;
  readonly bond_cost: number;
  readonly cash_flows: readonly number[];
  readonly cash_balances: readonly number[];
  readonly discount_factors: readonly number[] | null;
}

interface Detail {
  /** Discount factors, with divisible bonds. */
  readonly discounts: readonly number[] | null;
}

async function solveMatching(config: Config, context: SolveContext): Promise<Solution> {
  const { bonds, liabilities, integer_lots: isWhole } = config;
  const n = bonds.length;
  const program = programOf(config, isWhole);
  const found = await context.solveLinear(program, isWhole && context.mode === 'fast' ? { gap: FAST_GAP } : {});
  const { values, rowDuals, status } = found;
  if (values === null) {
    context.look();
    throw new Unsolved(`the programme ended as ${status}`);
  }
  const sizes = sizesOf(config);
  const holdings = bonds.map(({ max = Infinity }, j) => Math.min(max, Math.max(0, values[j] * sizes[j])) + 0);
  const net = netFlows(config, holdings);
  const rough = initialCash(config, net);
  const unit = liabilities.reduce((most, due) => Math.max(most, due), 0) || 1;
  // Less is the solver's tolerance in the balance of a period.
  const isRounding = rough <= 1e-8 * unit;
  const cash = isRounding && !isWhole ? 0 : rough <= 1e-12 * unit ? 0 : rough;
  const cost = costOf(config, holdings, cash);
  const discounts = rowDuals === null ? null : Array.from(rowDuals, (dual) => dual + 0);
  const bound = discounts === null ? (found.bound ?? 0) * unit : boundOf(config, discounts);
  const gap = cost - bound;
  if (discounts !== null && !(gap <= CLOSED * Math.max(cost, 1e-9 * unit))) {
    throw new Unsolved(`a cost of ${cost} against a bound of ${bound}`);
  }
  const isProven = discounts !== null || (status === 'optimal' && gap <= SMALL_GAP * cost);
  const names = withIds(bonds).map((bond) => bond.id);
  const left = balancesOf(config, cash, net);
  const least = left.reduce((a, b) => Math.min(a, b), 0);
  if (least < -5e-8 * unit) throw new Unsolved(`bonds and liabilities of very different sizes: ${least} is left`);
  const balances = left.map((amount) => (Math.abs(amount) <= 1e-8 * unit ? 0 : amount));
  const result: Result = {
    cost,
    holdings: Object.fromEntries(names.map((name, j) => [name, holdings[j]])),
    initial_cash: cash,
    bond_cost: cost - cash,
    cash_flows: net.map((flow, t) => flow + liabilities[t]),
    cash_balances: balances,
    discount_factors: discounts,
  };
  return {
    method: isWhole ? 'milp' : 'lp',
    reason: isWhole
      ? 'cost and balances are linear in whole numbers of bonds'
      : 'cost and balances are linear in the bonds and the cash that is kept',
    bestSolution: holdings,
    bestFitness: cost,
    decisionVariables: names,
    result: { ...result, yields: discounts === null ? null : yieldsOf(discounts) },
    optimality: isProven
      ? { status: 'optimal', bound: Math.min(bound, cost), proof: isWhole ? 'branch_and_bound' : 'convex_kkt' }
      : { status: 'feasible', bound: Math.min(bound, cost), proof: null },
    evaluations: 1,
    iterations: found.iterations,
    nodes: found.nodes,
    library: HIGHS,
    constraints: [
      ...liabilities.map((due, t): ConstraintState => ({
        name: `liability of period ${t + 1}`,
        value: due + balances[t],
        limit: due,
        slack: balances[t],
        binding: balances[t] === 0,
        shadowPrice: discounts?.[t],
      })),
      ...maxima(config, holdings, names, found.reducedCosts, sizes),
    ],
    assumptions: assumptionsOf(config),
    detail: { discounts } satisfies Detail,
  };

  function maxima(
    { bonds: all }: Config,
    held: readonly number[],
    called: readonly string[],
    reduced: Float64Array | null,
    scale: readonly number[],
  ): ConstraintState[] {
    return all.flatMap(({ max }, j): ConstraintState[] => {
      if (max === undefined || held[j] < max * (1 - 1e-9) || j >= n) return [];
      const shadowPrice = reduced === null ? undefined : Math.min(0, (reduced[j] * unit) / scale[j]) + 0;
      return [
        { name: `max of ${called[j]}`, value: held[j], limit: max, slack: max - held[j], binding: true, shadowPrice },
      ];
    });
  }
}

/** Rate of each date at which its discount factor would be earned; null where money of that date is worth nothing. */
const yieldsOf = (discounts: readonly number[]): (number | null)[] =>
  discounts.map((value, t) => (value > 1e-9 ? power(value, -1 / (t + 1)) - 1 : null));

export const cashFlowMatching = model({
  name: 'cash_flow_matching',
  summary: 'The cheapest bonds whose cash flows pay liabilities as they fall due.',
  fields,
  example: {
    model: 'cash_flow_matching',
    bonds: [
      { id: '1y 4%', price: 101.2, cash_flows: [104] },
      { id: '2y 3%', price: 99.1, cash_flows: [3, 103] },
      { id: '3y 5%', price: 103.4, cash_flows: [5, 5, 105] },
      { id: '4y 4.5%', price: 101.9, cash_flows: [4.5, 4.5, 4.5, 104.5] },
      { id: '4y zero', price: 85.1, cash_flows: [0, 0, 0, 100] },
    ],
    liabilities: [120000, 180000, 150000, 200000],
    reinvestment_rate: 0.01,
    currency: 'EUR',
  },

  check({ bonds, liabilities }, complain) {
    if (!checkUnique(bonds, 'bonds', complain)) return;
    for (const [j, { cash_flows }] of bonds.entries()) {
      if (cash_flows.length <= liabilities.length) continue;
      return complain(
        ['bonds', j, 'cash_flows'],
        `\`{field}\` has ${cash_flows.length} periods, \`config.liabilities\` ${liabilities.length}: leave out what is paid later, or add liabilities of 0.`,
      );
    }
  },

  sense: () => 'minimize',
  solve: solveMatching,

  verify(config, { bestSolution: holdings, bestFitness, result, detail, optimality }) {
    const { bonds, liabilities, integer_lots } = config;
    const { initial_cash } = result as unknown as Result;
    if (initial_cash < 0) return `an initial cash of ${initial_cash}`;
    for (const [j, { max = Infinity }] of bonds.entries()) {
      if (holdings[j] < 0 || holdings[j] > max) return `${holdings[j]} of bond ${j + 1}`;
      if (integer_lots && !Number.isInteger(holdings[j])) return `${holdings[j]} of bond ${j + 1}`;
    }
    const largest = liabilities.reduce((most, due) => Math.max(most, due), 0);
    let cash = initial_cash;
    for (const [t, due] of liabilities.entries()) {
      cash += cash * config.reinvestment_rate;
      for (const [j, { cash_flows }] of bonds.entries()) cash += holdings[j] * (cash_flows[t] ?? 0);
      cash -= due;
      if (cash < -1e-7 * Math.max(largest, due)) return `${cash} is left in period ${t + 1}`;
    }
    const cost = bonds.reduceRight((sum, { price }, j) => sum + price * holdings[j], 0) + initial_cash;
    if (Math.abs(cost - bestFitness) > 1e-9 * cost) return `a cost of ${cost}`;
    const { discounts } = detail as Detail;
    if (discounts === null || optimality.status !== 'optimal') return null;
    const bound = boundOf(config, discounts);
    return cost - bound <= 10 * CLOSED * Math.max(cost, 1e-9 * largest) ? null : `a bound of ${bound} below ${cost}`;
  },

  explain(config, solution) {
    const { bestSolution, decisionVariables, bestFitness } = solution;
    const { initial_cash, cash_balances, discount_factors, bond_cost } = solution.result as unknown as Result;
    const { liabilities } = config;
    const held = bestSolution.map((_, j) => j).filter((j) => bestSolution[j] > 0);
    const worth = (j: number): number => bestSolution[j] * config.bonds[j].price;
    const largest = [...held].sort((a, b) => worth(b) - worth(a) || a - b).slice(0, 5);
    const listed = join(
      largest.map((j, k): Clause => ({
        template: `{count_${k + 1}} of ${quote(decisionVariables[j])}`,
        evidence: { [`count_${k + 1}`]: bestSolution[j] },
      })),
      ', ',
    );
    const more = held.length > largest.length ? ', and others' : '';
    const statements = [
      held.length === 0
        ? say(1, 'result', 'Buy no bond: cash of {cash} pays everything for less.', { cash: initial_cash })
        : say(1, 'result', `Buy ${listed.template}${more}: every liability is paid for {cost}.`, {
            ...listed.evidence,
            cost: bestFitness,
          }),
    ];
    if (held.length > 0 && initial_cash > 0) {
      statements.push(
        say(1, 'result', 'Of that, {bonds} buys bonds and {cash} is kept as cash.', {
          bonds: bond_cost,
          cash: initial_cash,
        }),
      );
    }
    const due = liabilities.reduce((sum, one) => sum + one, 0);
    statements.push(
      say(2, 'choice', `This method: ${solution.reason}. The liabilities add up to {due}.`, { due }),
      say(3, 'assumption', 'Bonds pay as promised: no default, no early repayment, no costs of trading.', {}),
    );
    const idle = cash_balances.reduce((most, left) => Math.max(most, left), 0);
    statements.push(
      say(4, 'sensitivity', 'The most cash that waits from one period to the next is {cash}.', { cash: idle }),
    );
    if (discount_factors !== null) {
      const t = discount_factors.reduce((best, value, at, all) => (value * liabilities[at] > all[best] * liabilities[best] ? at : best), 0); // prettier-ignore
      statements.push(
        say(4, 'sensitivity', 'One more unit of money due in period {period} would cost {price} today.', {
          period: t + 1,
          price: discount_factors[t],
        }),
      );
    }
    return statements;
  },

  pictures: {
    holdings: (config, { bestSolution }) => {
      const names = withIds(config.bonds).map((bond) => bond.id);
      const worth = (j: number): number => bestSolution[j] * config.bonds[j].price;
      const order = names
        .map((_, j) => j)
        .filter((j) => bestSolution[j] > 0)
        .sort((a, b) => worth(b) - worth(a) || a - b)
        .slice(0, 18);
      if (order.length === 0) return null;
      return barChart({
        title: 'What is spent on each bond',
        xName: config.currency ?? 'money',
        names: order.map((j) => names[j]),
        series: [{ name: 'spent', values: order.map(worth) }],
      });
    },

    cash_flows: (config, { result }) => {
      const { cash_flows, cash_balances } = result as unknown as Result;
      const title = 'What is due, what bonds pay, what cash is left';
      const money = config.currency ?? 'money';
      const series = [
        { name: 'due', values: config.liabilities },
        { name: 'paid by bonds', values: cash_flows },
        { name: 'cash left', values: cash_balances },
      ];
      if (cash_flows.length <= MOST_BARS) {
        return barChart({ title, xName: money, names: cash_flows.map((_, t) => `period ${t + 1}`), series });
      }
      const points = (values: readonly number[]): Point[] => values.map((value, t) => [t + 1, value]);
      return lineChart({
        title,
        xName: 'period',
        yName: money,
        series: series.map(({ name, values }) => ({ name, points: points(values) })),
      });
    },
  },
});

function assumptionsOf({ reinvestment_rate, integer_lots }: Config): Remark[] {
  const remarks: Remark[] = [];
  if (reinvestment_rate === 0) {
    const message = 'Cash earns no interest while it waits.';
    remarks.push({ code: 'reinvestment_rate', field: 'config.reinvestment_rate', message });
  }
  if (!integer_lots) {
    const message = 'Bonds are divisible.';
    remarks.push({ code: 'divisible', field: 'config.integer_lots', message });
  }
  remarks.push({ code: 'initial_cash', message: 'Cash may be kept from the start where that costs less than bonds.' });
  return remarks;
}
