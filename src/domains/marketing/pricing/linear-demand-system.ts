/**
 * Prices of products whose demands are linear in all prices: profit (p - c)'(a - B p) is a concave quadratic where the
 * symmetric part of B is positive definite. Its stationary point (B + B') p = a + B' c is the best unless it breaks a
 * limit; then a quadratic programme keeps prices in their limits and demands from falling below 0.
 */
import { z } from 'zod';
import { choleskyFactor, solveLower, solveUpper } from '../../../linalg/cholesky.js';
import { quote, say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { ConstraintState } from '../../../model/problem.js';
import { lineChart } from '../../charts/line-chart.js';
import { matrix, numbers } from '../../fields.js';
import { Infeasible, model, Unsolved, type SolveContext } from '../../problem-type.js';
import { MOST } from './demand.js';

const MOST_PRODUCTS = 200;
const MOST_SERIES = 6;

const perProduct = (description: string) => numbers(description, { most: MOST_PRODUCTS, minimum: 0, maximum: MOST });

const fields = z.strictObject({
  intercepts: numbers('Units of each product that are asked for where all prices are 0', {
    most: MOST_PRODUCTS,
    minimum: -MOST,
    maximum: MOST,
  }),
  slope_matrix: matrix(
    'demand = intercepts - slope_matrix * prices: units of the row’s product that one more unit of money on the price of the column’s takes away. Substitutes: below 0 off the diagonal',
    { most: MOST_PRODUCTS },
    { most: MOST_PRODUCTS, minimum: -MOST, maximum: MOST },
  ),
  unit_costs: perProduct('Cost of one more unit of each product. Absent: 0').optional(),
  min_prices: perProduct('Lowest price of each product. Absent: 0').optional(),
  max_prices: perProduct('Highest price of each product. Absent: none').optional(),
  ids: z
    .array(z.string().min(1).max(200))
    .max(MOST_PRODUCTS)
    .optional()
    .describe('Names of the products. Absent: from "1"'),
  currency: z.string().max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;

const idsOf = ({ ids, intercepts }: Config): readonly string[] => ids ?? intercepts.map((_, i) => String(i + 1));
const costsOf = ({ unit_costs, intercepts }: Config): readonly number[] => unit_costs ?? intercepts.map(() => 0);

const demandsAt = ({ intercepts, slope_matrix }: Config, prices: readonly number[]): number[] =>
  intercepts.map((intercept, i) => slope_matrix[i].reduce((left, slope, j) => left - slope * prices[j], intercept));

function profitAt(config: Config, prices: readonly number[]): number {
  const costs = costsOf(config);
  return demandsAt(config, prices).reduce((sum, demand, i) => sum + (prices[i] - costs[i]) * demand, 0);
}

/** B + B', row by row. */
function curvature({ slope_matrix: b }: Pick<Config, 'slope_matrix'>): Float64Array {
  const n = b.length;
  return Float64Array.from({ length: n * n }, (_, at) => b[Math.floor(at / n)][at % n] + b[at % n][Math.floor(at / n)]);
}

/** Gradient of the profit: a + B'c - (B + B') p. */
function gradientAt(config: Config, prices: readonly number[]): number[] {
  const { slope_matrix: b } = config;
  const costs = costsOf(config);
  const demands = demandsAt(config, prices);
  return demands.map((demand, i) => b.reduce((sum, row, j) => sum - row[i] * (prices[j] - costs[j]), demand));
}

/** Largest shortfall of a limit, relative to its size. */
function violation(config: Config, prices: readonly number[]): number {
  const { min_prices, max_prices, intercepts, slope_matrix } = config;
  const demands = demandsAt(config, prices);
  return prices.reduce((worst, price, i) => {
    const size = slope_matrix[i].reduce((sum, slope, j) => sum + Math.abs(slope * prices[j]), Math.abs(intercepts[i]));
    const short =
      Math.max((min_prices?.[i] ?? 0) - price, price - (max_prices?.[i] ?? Infinity)) / (1 + Math.abs(price));
    return Math.max(worst, short, -demands[i] / (1 + size));
  }, 0);
}

interface Found {
  readonly prices: readonly number[];
  /** Multiplier of each product's non-negative demand; empty where no limit was needed. */
  readonly demandDuals: readonly number[];
  readonly priceDuals: readonly number[];
  readonly iterations: number;
}

function stationary(config: Config): Float64Array {
  const n = config.intercepts.length;
  const l = new Float64Array(n * n);
  if (!choleskyFactor(curvature(config), l, n)) throw new Error('the slope matrix was checked');
  const x = Float64Array.from(
    gradientAt(
      config,
      config.intercepts.map(() => 0),
    ),
  );
  solveLower(l, x, x, n);
  solveUpper(l, x, x, n);
  return x;
}

async function withLimits(config: Config, context: SolveContext): Promise<Found> {
  const { intercepts, slope_matrix, min_prices, max_prices } = config;
  const n = intercepts.length;
  const linear = gradientAt(
    config,
    intercepts.map(() => 0),
  );
  const q = curvature(config);
  const names = idsOf(config);
  const solution = await context.solveLinear({
    sense: 'maximize',
    columns: linear.map((cost, i) => ({
      name: `price of ${names[i]}`,
      cost,
      lower: min_prices?.[i] ?? 0,
      upper: max_prices?.[i] ?? Infinity,
    })),
    rows: intercepts.map((intercept, i) => ({
      name: `demand of ${names[i]}`,
      upper: intercept,
      terms: slope_matrix[i].flatMap((slope, j) => (slope === 0 ? [] : [[j, slope] as const])),
    })),
    quadratic: linear.flatMap((_, i) =>
      linear.slice(i).flatMap((__, k) => {
        const value = -q[i * n + i + k];
        return value === 0 ? [] : [{ i, j: i + k, value }];
      }),
    ),
  });
  context.look();
  if (solution.status === 'infeasible') {
    throw new Infeasible(
      'At no prices within their limits are all demands at least 0: some lowest price is above what anybody pays.',
      solution.conflict,
    );
  }
  if (solution.values === null) throw new Error(`a concave quadratic programme ended as ${solution.status}`);
  return {
    prices: [...solution.values].map((price, i) =>
      Math.min(Math.max(price, min_prices?.[i] ?? 0), max_prices?.[i] ?? Infinity),
    ),
    demandDuals: [...(solution.rowDuals ?? [])],
    priceDuals: [...(solution.reducedCosts ?? [])],
    iterations: solution.iterations,
  };
}

/**
 * Sentence about a slope of the profit that prices could still follow: up from below the highest, down from above the
 * lowest. Null: there is none.
 */
function slopeLeft(config: Config, prices: readonly number[], demandDuals: readonly number[]): string | null {
  const { slope_matrix, min_prices, max_prices } = config;
  const start = gradientAt(
    config,
    prices.map(() => 0),
  );
  const gradient = gradientAt(config, prices).map((slope, i) =>
    demandDuals.reduce((left, dual, row) => left - dual * slope_matrix[row][i], slope),
  );
  for (const [i, slope] of gradient.entries()) {
    const price = prices[i];
    const size = 1e-5 * (1 + Math.abs(start[i]) + Math.abs(2 * slope_matrix[i][i] * price));
    const mayRise = (max_prices?.[i] ?? Infinity) - price > 1e-6 * (1 + price);
    const mayFall = price - (min_prices?.[i] ?? 0) > 1e-6 * (1 + price);
    if ((slope > size && mayRise) || (slope < -size && mayFall)) return `the profit still has a slope of ${slope}`;
  }
  return null;
}

export const linearDemandSystem = model({
  name: 'linear_demand_system',
  summary: 'Prices of several products whose demands depend linearly on all prices.',
  fields,
  example: {
    model: 'linear_demand_system',
    intercepts: [200, 150],
    slope_matrix: [
      [4, -1],
      [-0.8, 3],
    ],
    unit_costs: [10, 8],
    ids: ['coffee', 'tea'],
  },

  check(config, complain) {
    const { intercepts, slope_matrix, min_prices, max_prices, ids } = config;
    const n = intercepts.length;
    if (slope_matrix.length !== n || slope_matrix[0].length !== n) {
      const found = `${slope_matrix.length} x ${slope_matrix[0].length}`;
      return complain(
        ['slope_matrix'],
        `\`{field}\` must be ${n} x ${n}, as there are ${n} \`intercepts\`, not ${found}.`,
      );
    }
    for (const name of ['unit_costs', 'min_prices', 'max_prices', 'ids'] as const) {
      const given = config[name];
      if (given !== undefined && given.length !== n) {
        return complain([name], `\`{field}\` must have ${n} entries, one for each product, not ${given.length}.`);
      }
    }
    const twice = ids?.findIndex((name, i) => ids.indexOf(name) < i) ?? -1;
    if (twice >= 0) return complain(['ids', twice], '`{field}` is the name of an earlier product too.');
    const crossed = min_prices?.findIndex((least, i) => least > (max_prices?.[i] ?? Infinity)) ?? -1;
    if (crossed >= 0)
      return complain(['min_prices', crossed], '`{field}` must not be above the `max_prices` of its product.');
    if (!choleskyFactor(curvature(config), new Float64Array(n * n), n)) {
      complain(
        ['slope_matrix'],
        '`{field}`: own prices must matter more than those of the others (the matrix plus its transpose must be positive ' +
          'definite); else some mix of price changes raises profit without end.',
      );
    }
  },

  sense: () => 'maximize',

  async solve(config, context) {
    const { min_prices, max_prices } = config;
    const names = idsOf(config);
    const costs = costsOf(config);
    const free = Array.from(stationary(config));
    const isFree = violation(config, free) === 0;
    const found = isFree
      ? { prices: free, demandDuals: [], priceDuals: [], iterations: 0 }
      : await withLimits(config, context);
    const { prices } = found;
    const slope = slopeLeft(config, prices, found.demandDuals);
    if (slope !== null) {
      throw new Unsolved(`Prices and slopes of very different sizes: ${slope} where the method ended.`);
    }
    const demands = demandsAt(config, prices);
    const profit = profitAt(config, prices);
    const isAtLeast = (i: number): boolean => prices[i] - (min_prices?.[i] ?? 0) <= 1e-7 * (1 + prices[i]);
    const isAtMost = (i: number): boolean => (max_prices?.[i] ?? Infinity) - prices[i] <= 1e-7 * (1 + prices[i]);
    const constraints = names.flatMap((name, i): ConstraintState[] => {
      const shadow = found.priceDuals[i] ?? 0;
      const limits: ConstraintState[] = [];
      const least = min_prices?.[i];
      const most = max_prices?.[i];
      const value = prices[i];
      if (least !== undefined) {
        const shadowPrice = isAtLeast(i) ? Math.min(0, shadow) : 0;
        limits.push({
          name: `min_price of ${name}`,
          value,
          limit: least,
          slack: value - least,
          binding: isAtLeast(i),
          shadowPrice,
        });
      }
      if (most !== undefined) {
        const shadowPrice = isAtMost(i) ? Math.max(0, shadow) : 0;
        limits.push({
          name: `max_price of ${name}`,
          value,
          limit: most,
          slack: most - value,
          binding: isAtMost(i),
          shadowPrice,
        });
      }
      return limits;
    });
    return {
      method: isFree ? 'closed_form' : 'convex_qp',
      reason: isFree
        ? 'profit is a concave quadratic, and its stationary point keeps every limit'
        : 'profit is a concave quadratic, and its stationary point breaks a limit',
      bestSolution: prices,
      bestFitness: profit,
      decisionVariables: names.map((name) => `price of ${name}`),
      result: {
        prices: [...prices],
        demands: demands.map((demand) => Math.max(0, demand)),
        revenue: demands.reduce((sum, demand, i) => sum + prices[i] * demand, 0),
        profit,
        margins: prices.map((price, i) => price - costs[i]),
        elasticities: demands.map((demand, i) =>
          demand > 1e-9 ? (-config.slope_matrix[i][i] * prices[i]) / demand : null,
        ),
        not_sold: names.filter((_, i) => demands[i] <= 1e-7),
      },
      optimality: { status: 'optimal', bound: profit, proof: isFree ? 'closed_form' : 'convex_kkt' },
      evaluations: 1,
      iterations: found.iterations,
      constraints,
      assumptions:
        config.unit_costs === undefined
          ? [{ code: 'no_unit_cost', field: 'config.unit_costs', message: 'Units cost nothing, so profit is revenue.' }]
          : [],
      detail: found,
    };
  },

  verify(config, { bestSolution: prices, bestFitness, detail }) {
    const costs = costsOf(config);
    // By the quadratic's coefficients, not by demands.
    const start = config.intercepts.reduce((sum, intercept, i) => sum - costs[i] * intercept, 0);
    const linear = gradientAt(
      config,
      prices.map(() => 0),
    );
    const n = prices.length;
    const q = curvature(config);
    let profit = start;
    let scale = Math.abs(start);
    for (let i = 0; i < n; i++) {
      let row = linear[i];
      for (let j = 0; j < n; j++) row -= (q[i * n + j] * prices[j]) / 2;
      profit += prices[i] * row;
      scale += Math.abs(prices[i] * linear[i]);
    }
    if (!(Math.abs(profit - bestFitness) <= 1e-9 * (1 + scale))) return `the quadratic gives a profit of ${profit}`;
    if (violation(config, prices) > 1e-6) return 'a price or demand is outside its limits';
    return slopeLeft(config, prices, (detail as Found).demandDuals);
  },

  explain(config, { bestSolution: prices, bestFitness, method, result }) {
    const names = idsOf(config);
    const { not_sold } = result as { readonly not_sold: readonly string[] };
    const shown = names.slice(0, 5);
    const evidence = Object.fromEntries(shown.map((_, i) => [`price${i}`, prices[i]]));
    const list = shown.map((name, i) => `${quote(name)} at {price${i}}`).join(', ');
    const statements: Statement[] = [
      say(1, 'result', `Sell ${list}${names.length > 5 ? ', and others' : ''}: that makes a profit of {profit}.`, {
        ...evidence,
        profit: bestFitness,
      }),
      method === 'closed_form'
        ? say(
            2,
            'choice',
            'No limit is in the way: every price is where one more unit of money on it gains as much as it loses.',
            {},
          )
        : say(2, 'choice', 'Limits are in the way of the prices that would be best without them.', {}),
      say(3, 'constraint', 'Linear demand holds near the prices at which it was measured, and less far from them.', {}),
    ];
    if (not_sold.length > 0) {
      statements.push(say(2, 'constraint', `Nothing is sold of: ${quote(not_sold.slice(0, 5).join(', '))}.`, {}));
    }
    const factor = 1.05;
    const dearer = profitAt(
      config,
      prices.map((price) => price * factor),
    );
    statements.push(
      say(4, 'sensitivity', 'If all prices were 5 percent higher, the profit would be {profit}.', { profit: dearer }),
    );
    return statements;
  },

  pictures: {
    profit_curve: (config, { bestSolution: prices, bestFitness }) => {
      const names = idsOf(config).slice(0, MOST_SERIES);
      return lineChart({
        title: 'Profit when one price changes alone',
        xName: 'change of the price (percent)',
        yName: `profit (${config.currency ?? 'money'})`,
        series: names.map((name, i) => ({
          name,
          points: Array.from({ length: 41 }, (_, k) => {
            const change = (k - 20) / 40;
            return [100 * change, profitAt(config, prices.with(i, prices[i] * (1 + change)))] as const;
          }),
        })),
        marks: [{ at: [0, bestFitness], name: 'best prices' }],
      });
    },
  },
});
