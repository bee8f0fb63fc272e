/** The cheapest trades that take delta, gamma and vega of an exposure to zero: a linear programme. */
import { z } from 'zod';
import { join, quote, say, type Clause } from '../../../explanation/say.js';
import type { ConstraintState, Remark } from '../../../model/problem.js';
import { barChart } from '../../charts/bar-chart.js';
import { checkUnique, id, list, withIds } from '../../fields.js';
import { Infeasible, model, Unbounded, Unsolved, type SolveContext } from '../../problem-type.js';
import { HIGHS } from '../../solvers/highs/linear-solver.js';
import type { LinearProgram } from '../../solvers/linear-program.js';

export const MOST_INSTRUMENTS = 500;
const LARGEST = 1e12;
const GREEKS = ['delta', 'gamma', 'vega'] as const;
/** A smaller gap to the bound, of the cost, is none. */
const CLOSED = 1e-7;

const greek = (description: string) => z.number().min(-LARGEST).max(LARGEST).default(0).describe(description);

const fields = z.strictObject({
  exposure: z
    .strictObject({
      delta: greek('Change of the value for one unit of the underlying price'),
      gamma: greek('Change of delta for one unit of the underlying price'),
      vega: greek('Change of the value for one unit of volatility'),
    })
    .describe('Greeks of what is held, before the hedge'),
  instruments: list(
    z.strictObject({
      id: id.optional(),
      price: z.number().min(0).max(LARGEST).describe('Premium of one unit, or what trading one unit costs'),
      delta: greek('Delta of one unit'),
      gamma: greek('Gamma of one unit'),
      vega: greek('Vega of one unit'),
      max: z.number().min(0).max(LARGEST).describe('Most units, bought or sold. Absent: no limit').optional(),
    }),
    'What can be traded',
    MOST_INSTRUMENTS,
  ),
  tolerance: z.number().min(0).max(LARGEST).default(0).describe('What may be left of each greek, either way'),
  cost: z
    .enum(['traded', 'net_premium'])
    .default('traded')
    .describe('Minimizes the premium that is traded, bought and sold alike, or what is paid less what is received'),
  currency: z.string().min(1).max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;

/** Sizes of the greeks: exposure and instruments come in units of very different ones. */
const sizesOf = ({ exposure, instruments }: Config): number[] =>
  GREEKS.map((name) => {
    const own = instruments.reduce((most, one) => Math.max(most, Math.abs(one[name])), 0);
    return own || Math.abs(exposure[name]) || 1;
  });

/** Units of trades, so that the largest is near 1. */
function unitOf(config: Config): number {
  const sizes = sizesOf(config);
  return GREEKS.reduce((most, name, g) => Math.max(most, Math.abs(config.exposure[name]) / sizes[g]), 0) || 1;
}

const premiumSize = ({ instruments }: Config): number =>
  instruments.reduce((most, { price }) => Math.max(most, price), 0) || 1;

/** Bought, then sold units. */
function programOf(config: Config): LinearProgram {
  const { exposure, instruments, tolerance, cost } = config;
  const unit = unitOf(config);
  const sizes = sizesOf(config);
  const premium = premiumSize(config);
  const n = instruments.length;
  const columns = (kind: 'bought' | 'sold') =>
    instruments.map(({ price, max }, j) => ({
      name: `${kind} ${j + 1}`,
      cost: (kind === 'sold' && cost === 'net_premium' ? -price : price) / premium,
      upper: max === undefined ? undefined : max / unit,
    }));
  return {
    sense: 'minimize',
    columns: [...columns('bought'), ...columns('sold')],
    rows: GREEKS.map((name, g) => {
      const scale = sizes[g];
      return {
        name,
        lower: (0 - exposure[name] - tolerance) / (scale * unit),
        upper: (0 - exposure[name] + tolerance) / (scale * unit),
        terms: instruments.flatMap((one, j) => {
          const value = one[name] / scale;
          return value === 0 ? [] : [[j, value] as const, [n + j, -value] as const];
        }),
      };
    }),
  };
}

const leftOf = ({ exposure, instruments }: Config, positions: readonly number[]): number[] =>
  GREEKS.map((name) => instruments.reduce((sum, one, j) => sum + positions[j] * one[name], exposure[name]));

const tradedOf = ({ instruments }: Config, positions: readonly number[]): number =>
  instruments.reduce((sum, { price }, j) => sum + price * Math.abs(positions[j]), 0);

const netOf = ({ instruments }: Config, positions: readonly number[]): number =>
  instruments.reduce((sum, { price }, j) => sum + price * positions[j], 0);

/** @throws {Infeasible} in any case */
async function explainInfeasible(config: Config, conflict: readonly string[], context: SolveContext): Promise<never> {
  const { exposure, instruments, tolerance } = config;
  const program = programOf({ ...config, tolerance: 0 });
  const room = program.columns.length;
  const sizes = sizesOf(config);
  const unit = unitOf(config);
  // One more column: what is left of each greek in the unit in which `tolerance` is, scaled as the rows are.
  const least = await context.solveLinear({
    sense: 'minimize',
    columns: [...program.columns.map((column) => ({ ...column, cost: 0 })), { name: 'left', cost: 1 }],
    rows: program.rows.flatMap(({ name, terms, lower = 0 }, g) => [
      { name, lower, terms: [...terms, [room, 1 / (sizes[g] * unit)] as const] },
      { name, upper: lower, terms: [...terms, [room, -1 / (sizes[g] * unit)] as const] },
    ]),
  });
  context.look();
  const without = GREEKS.filter((name) => Math.abs(exposure[name]) > tolerance && instruments.every((one) => one[name] === 0)); // prettier-ignore
  const nearest =
    least.objective === null
      ? ''
      : ` The smallest tolerance that can be held is ${Number(least.objective.toPrecision(6))}.`;
  const message =
    without.length > 0
      ? `No instrument has any ${without.join(' or ')}, of which the exposure has more than the tolerance.`
      : `The instruments cannot take ${GREEKS.join(', ')} to within ${tolerance} of 0 within their limits.${nearest}`;
  const names = without.length > 0 ? without : [...new Set(conflict.map((one) => one.replace(/^(bought|sold) /, 'max of ')))]; // prettier-ignore
  throw new Infeasible(message, names);
}

/** @throws {Unbounded} in any case, with trades that bring money and leave the greeks as they are */
async function explainUnbounded(config: Config, context: SolveContext): Promise<never> {
  const program = programOf(config);
  const { values } = await context.solveLinear({
    ...program,
    columns: program.columns.map((column) => ({ ...column, upper: column.upper === undefined ? 1 : 0 })),
    rows: program.rows.map((row) => ({ ...row, lower: 0, upper: 0 })),
  });
  context.look();
  const n = config.instruments.length;
  const names = withIds(config.instruments).map((one) => one.id);
  const trades = names.flatMap((name, j) => {
    const units = (values?.[j] ?? 0) - (values?.[n + j] ?? 0);
    return Math.abs(units) < 1e-9 ? [] : [`${units > 0 ? 'buying' : 'selling'} ${name}`];
  });
  throw new Unbounded(
    `Trades without a limit bring money and leave the greeks as they are (${trades.slice(0, 6).join(', ')}): give \`max\` of the instruments, or the cost traded.`,
  );
}

/** No trades within the limits cost less: what the greeks' prices give for the exposure, less what limits are worth. */
function boundOf(config: Config, prices: readonly number[]): number {
  const { exposure, instruments, tolerance, cost } = config;
  // Smaller differences are the solver's tolerance.
  const premium = premiumSize(config);
  let bound = 0;
  for (const [g, name] of GREEKS.entries()) bound -= prices[g] * exposure[name] + Math.abs(prices[g]) * tolerance;
  for (const one of instruments) {
    const worth = GREEKS.reduce((sum, name, g) => sum + prices[g] * one[name], 0);
    const size = Math.abs(one.price) + GREEKS.reduce((sum, name, g) => sum + Math.abs(prices[g] * one[name]), 0);
    const buying = one.price - worth;
    const selling = (cost === 'net_premium' ? -one.price : one.price) + worth;
    for (const reduced of [buying, selling]) {
      if (reduced < -1e-9 * (size + premium)) bound += reduced * (one.max ?? Infinity);
    }
  }
  return bound;
}

interface Result {
  readonly cost: number;
  readonly net_premium: number;
  readonly premium_traded: number;
  readonly remaining: Readonly<Record<string, number>>;
}

export const greeksHedge = model({
  name: 'greeks_hedge',
  summary: 'The cheapest trades that leave no delta, gamma and vega, or little of each.',
  fields,
  example: {
    model: 'greeks_hedge',
    exposure: { delta: -450, gamma: -6000, vega: -4000 },
    instruments: [
      { id: 'shares', price: 0.02, delta: 1 },
      { id: 'call 3m', price: 2.4, delta: 0.5, gamma: 1.5, vega: 0.8 },
      { id: 'call 1y', price: 5.1, delta: 0.6, gamma: 0.8, vega: 1.9 },
      { id: 'put 6m', price: 3.2, delta: -0.4, gamma: 1.1, vega: 1.2, max: 2000 },
    ],
    currency: 'USD',
  },

  check({ instruments }, complain) {
    checkUnique(instruments, 'instruments', complain);
  },

  sense: () => 'minimize',

  async solve(config, context) {
    const { instruments, tolerance, cost } = config;
    const names = withIds(instruments).map((one) => one.id);
    const found = await context.solveLinear(programOf(config));
    if (found.status === 'infeasible') return explainInfeasible(config, found.conflict, context);
    if (found.status === 'unbounded') return explainUnbounded(config, context);
    const { values, rowDuals, iterations } = found;
    if (values === null || rowDuals === null) {
      context.look();
      throw new Unsolved(`the linear programme ended as ${found.status}`);
    }
    const n = instruments.length;
    const unit = unitOf(config);
    const sizes = sizesOf(config);
    const positions = instruments.map((_, j) => (values[j] - values[n + j]) * unit + 0);
    const premium = premiumSize(config);
    // Price of one unit of each greek that is added.
    const prices = GREEKS.map((_, g) => (rowDuals[g] * premium) / sizes[g] + 0);
    const left = leftOf(config, positions);
    const traded = tradedOf(config, positions);
    const net = netOf(config, positions);
    const fitness = cost === 'traded' ? traded : net;
    const bound = boundOf(config, prices);
    const off = GREEKS.find((name, g) => Math.abs(left[g]) > tolerance + roundingOf(config, name, positions));
    if (off !== undefined) throw new Unsolved(`trades of very different sizes leave ${left.join(', ')} of the greeks`);
    if (!(fitness - bound <= CLOSED * traded)) throw new Unsolved(`a cost of ${fitness} against a bound of ${bound}`);
    const constraints = GREEKS.map((name, g): ConstraintState => {
      const rest = roundingOf(config, name, positions);
      const slack = tolerance - Math.abs(left[g]);
      const binding = slack <= rest;
      return {
        name,
        value: Math.abs(left[g]) <= rest ? 0 : left[g],
        limit: tolerance,
        slack: binding ? 0 : slack,
        binding,
        shadowPrice: binding ? 0 - Math.abs(prices[g]) : 0,
      };
    });
    const reached = instruments.flatMap(({ max }, j): ConstraintState[] => {
      if (max === undefined || Math.abs(positions[j]) < max * (1 - 1e-9)) return [];
      const worth = GREEKS.reduce((sum, name, g) => sum + prices[g] * instruments[j][name], 0);
      const { price } = instruments[j];
      const reduced = positions[j] >= 0 ? price - worth : (cost === 'net_premium' ? -price : price) + worth;
      return [
        {
          name: `max of ${names[j]}`,
          value: Math.abs(positions[j]),
          limit: max,
          slack: Math.max(0, max - Math.abs(positions[j])),
          binding: true,
          shadowPrice: Math.min(0, reduced),
        },
      ];
    });
    return {
      method: 'lp',
      reason: 'greeks and premiums are linear in the units that are bought and sold',
      bestSolution: positions,
      bestFitness: fitness,
      decisionVariables: names,
      result: {
        positions: Object.fromEntries(names.map((name, j) => [name, positions[j]])),
        cost: fitness,
        premium_traded: traded,
        net_premium: net,
        remaining: Object.fromEntries(GREEKS.map((name, g) => [name, constraints[g].value])),
        greek_prices: Object.fromEntries(GREEKS.map((name, g) => [name, prices[g]])),
      },
      optimality: { status: 'optimal', bound: Math.min(bound, fitness), proof: 'convex_kkt' },
      evaluations: 1,
      iterations,
      library: HIGHS,
      constraints: [...constraints, ...reached],
      assumptions: assumptionsOf(config),
      detail: prices,
    };
  },

  verify(config, { bestSolution: positions, bestFitness, detail }) {
    const { exposure, instruments, tolerance, cost } = config;
    for (const name of GREEKS) {
      let left = exposure[name];
      for (let j = positions.length - 1; j >= 0; j--) left += positions[j] * instruments[j][name];
      if (Math.abs(left) > tolerance + roundingOf(config, name, positions)) return `${left} of ${name} is left`;
    }
    for (const [j, { max = Infinity }] of instruments.entries()) {
      if (Math.abs(positions[j]) > max * (1 + 1e-9)) return `${positions[j]} of instrument ${j + 1}`;
    }
    const traded = tradedOf(config, positions);
    const own = cost === 'traded' ? traded : netOf(config, positions);
    if (Math.abs(own - bestFitness) > 1e-9 * traded) return `a cost of ${own}`;
    const bound = boundOf(config, detail as readonly number[]);
    return own - bound <= 10 * CLOSED * traded ? null : `a bound of ${bound} below ${own}`;
  },

  explain(_config, { bestSolution, decisionVariables, bestFitness, result, constraints = [] }) {
    const { net_premium } = result as unknown as Result;
    const order = bestSolution
      .map((_, j) => j)
      .filter((j) => bestSolution[j] !== 0)
      .sort((a, b) => Math.abs(bestSolution[b]) - Math.abs(bestSolution[a]) || a - b)
      .slice(0, 6);
    const listed = join(
      order.map((j, k): Clause => ({
        template: `${bestSolution[j] > 0 ? 'buy' : 'sell'} {units_${k + 1}} of ${quote(decisionVariables[j])}`,
        evidence: { [`units_${k + 1}`]: Math.abs(bestSolution[j]) },
      })),
      ', ',
    );
    const statements = [
      order.length === 0
        ? say(1, 'result', 'Trade nothing: the exposure is within the tolerance already.', {})
        : say(1, 'result', `To be neutral, ${listed.template}: that costs {cost}.`, {
            ...listed.evidence,
            cost: bestFitness,
          }),
      say(1, 'result', 'Premiums paid less premiums received are {net}.', { net: net_premium }),
      say(2, 'choice', 'Greeks and premiums are linear in the units: no other trades within the limits cost less.', {}),
      say(3, 'assumption', 'Greeks hold for small moves: they change as the market does, and the hedge with them.', {}),
    ];
    for (const { name, shadowPrice = 0, binding } of constraints) {
      if (!binding || shadowPrice === 0) continue;
      statements.push(
        say(4, 'sensitivity', `One more unit that may be left (${quote(name)}) would change the cost by {change}.`, {
          change: shadowPrice,
        }),
      );
    }
    return statements;
  },

  pictures: {
    trades: (config, { bestSolution }) => {
      const names = withIds(config.instruments).map((one) => one.id);
      const order = names
        .map((_, j) => j)
        .filter((j) => bestSolution[j] !== 0)
        .slice(0, 18);
      if (order.length === 0) return null;
      return barChart({
        title: 'Units that are bought (positive) and sold (negative)',
        xName: 'units',
        names: order.map((j) => names[j]),
        series: [{ name: 'units', values: order.map((j) => bestSolution[j]) }],
      });
    },

    greeks: (config, { bestSolution }) => {
      const left = leftOf(config, bestSolution);
      const known = GREEKS.map((name, g) => ({ name, before: config.exposure[name], after: left[g] }));
      const shown = known.filter(({ before }) => before !== 0);
      if (shown.length === 0) return null;
      return barChart({
        title: 'Greeks before and after the hedge',
        xName: 'percent of the exposure',
        names: shown.map(({ name }) => name),
        series: [
          { name: 'before', values: shown.map(() => 100) },
          { name: 'after', values: shown.map(({ before, after }) => (100 * after) / before) },
        ],
      });
    },
  },
});

/** Largest rounding error of a greek's sum. */
const roundingOf = (
  { exposure, instruments }: Config,
  name: (typeof GREEKS)[number],
  positions: readonly number[],
): number =>
  1e-8 * instruments.reduce((sum, one, j) => sum + Math.abs(positions[j] * one[name]), Math.abs(exposure[name]));

function assumptionsOf({ cost, tolerance }: Config): Remark[] {
  const remarks: Remark[] = [];
  if (cost === 'traded') {
    const message = 'Each unit costs its price, bought or sold: give net_premium to count what is received.';
    remarks.push({ code: 'cost', field: 'config.cost', message });
  }
  if (tolerance === 0) {
    const message = 'Nothing may be left of delta, gamma and vega.';
    remarks.push({ code: 'tolerance', field: 'config.tolerance', message });
  }
  remarks.push({ code: 'divisible', message: 'Units are divisible.' });
  return remarks;
}
