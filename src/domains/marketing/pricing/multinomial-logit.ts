/**
 * Prices of several products among which customers choose by a multinomial logit. Without price limits all markups are
 * equal and Lambert's W gives them. With highest prices: the largest margin per customer, theta, is where F(theta) =
 * max over prices of (margins - theta (everybody)) is 0; for a given theta each product has a price of its own
 * (Dinkelbach 1967), and Newton's method on the convex, falling F ends in a few steps.
 * Sources: Anderson, de Palma and Thisse 1992; Li and Huh 2011.
 */
import { z } from 'zod';
import { exp, log } from '../../../common/float.js';
import { quote, say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { ConstraintState, Remark } from '../../../model/problem.js';
import { lineChart } from '../../charts/line-chart.js';
import { amount, checkUnique, id, list, number, numbers, positive, withIds } from '../../fields.js';
import { model } from '../../problem-type.js';
import { MOST } from './demand.js';
import { lambertWOfExp } from './lambert-w.js';

export const MOST_PRODUCTS = 1_000;
const CURVE_POINTS = 50;
/** Far from the root a step raises theta by 1 / price_sensitivity, and utilities span a few thousand. */
const MAX_STEPS = 10_000;

const fields = z.strictObject({
  products: list(
    z.strictObject({
      id: id.optional(),
      attractiveness: number('Utility at a price of 0').min(-1000).max(1000),
      unit_cost: amount('Cost of one more unit').max(MOST).default(0),
    }),
    'What customers choose from',
    MOST_PRODUCTS,
  ),
  price_sensitivity: positive('Utility that one unit of money on a price takes away').max(MOST),
  market_size: positive('Customers').max(MOST).default(1),
  outside_option_utility: number('Utility of buying nothing').min(-1000).max(1000).default(0),
  max_prices: numbers('Highest price of each product, in their order', {
    most: MOST_PRODUCTS,
    exclusiveMinimum: 0,
    maximum: MOST,
  }).optional(),
  currency: z.string().max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;

interface Choice {
  readonly shares: readonly number[];
  readonly outside: number;
  /** Margin per customer. */
  readonly margin: number;
}

/** Shares of the products and of buying nothing, without overflow. */
function choiceAt({ products, price_sensitivity, outside_option_utility }: Config, prices: readonly number[]): Choice {
  const utilities = products.map(({ attractiveness }, i) => attractiveness - price_sensitivity * prices[i]);
  const most = utilities.reduce((a, b) => Math.max(a, b), outside_option_utility);
  const weights = utilities.map((utility) => exp(utility - most));
  const nothing = exp(outside_option_utility - most);
  const sum = weights.reduce((a, b) => a + b, nothing);
  const shares = weights.map((weight) => weight / sum);
  const margin = shares.reduce((total, share, i) => total + share * (prices[i] - products[i].unit_cost), 0);
  return { shares, outside: nothing / sum, margin };
}

/** Markup of all products where no price has a limit. */
function equalMarkup({ products, price_sensitivity, outside_option_utility }: Config): number {
  const exponents = products.map(
    ({ attractiveness, unit_cost }) => attractiveness - price_sensitivity * unit_cost - 1 - outside_option_utility,
  );
  const most = exponents.reduce((a, b) => Math.max(a, b));
  const logSum = most + log(exponents.reduce((sum, exponent) => sum + exp(exponent - most), 0));
  return (1 + lambertWOfExp(logSum)) / price_sensitivity;
}

const limited = (config: Config, markup: number): number[] =>
  config.products.map(({ unit_cost }, i) =>
    Math.min(config.max_prices?.[i] ?? Infinity, Math.max(0, unit_cost + markup)),
  );

interface Found {
  readonly prices: readonly number[];
  /** Markup of every product whose price no limit holds; no price is below 0. */
  readonly markup: number;
  readonly steps: number;
}

function bestPrices(config: Config): Found {
  const free = equalMarkup(config);
  const unlimited = limited(config, free);
  if (unlimited.every((price, i) => price === config.products[i].unit_cost + free)) {
    return { prices: unlimited, markup: free, steps: 0 };
  }
  let prices = unlimited;
  let theta = choiceAt(config, prices).margin;
  let steps = 0;
  while (steps < MAX_STEPS) {
    steps++;
    const next = limited(config, theta + 1 / config.price_sensitivity);
    const { margin } = choiceAt(config, next);
    // Newton's steps rise to the root; where rounding ends the rise, that is it.
    if (!(margin > theta)) break;
    prices = next;
    const rise = margin - theta;
    theta = margin;
    if (rise <= 1e-16 * Math.abs(theta)) break;
  }
  return { prices, markup: theta + 1 / config.price_sensitivity, steps };
}

const profitOf = (config: Config, prices: readonly number[]): number =>
  config.market_size * choiceAt(config, prices).margin;

export const multinomialLogit = model({
  name: 'multinomial_logit',
  summary: 'Prices of several products that customers choose among by utility (multinomial logit).',
  fields,
  example: {
    model: 'multinomial_logit',
    products: [
      { id: 'basic', attractiveness: 2, unit_cost: 10 },
      { id: 'light', attractiveness: 1, unit_cost: 5 },
      { id: 'premium', attractiveness: 3, unit_cost: 20 },
    ],
    price_sensitivity: 0.1,
    market_size: 5000,
  },

  check({ products, max_prices }, complain) {
    if (!checkUnique(products, 'products', complain)) return;
    if (max_prices !== undefined && max_prices.length !== products.length) {
      complain(['max_prices'], `\`{field}\` must have ${products.length} numbers, one for each product.`);
    }
  },

  sense: () => 'maximize',

  solve(config) {
    const { products, price_sensitivity: b, market_size, max_prices } = config;
    const { prices, markup, steps } = bestPrices(config);
    const { shares, outside, margin } = choiceAt(config, prices);
    const ids = withIds(products).map((product) => product.id);
    const profit = market_size * margin;
    const isLimited = prices.map((price, i) => max_prices !== undefined && price === max_prices[i]);
    const warnings = products.flatMap(({ unit_cost }, i): Remark[] =>
      isLimited[i] && prices[i] - unit_cost < margin
        ? [
            {
              code: 'better_left_out',
              field: `config.max_prices[${i}]`,
              message: `Product ${ids[i]} at its highest price earns less than the customers that it draws from the others: the profit would be larger without it.`,
            },
          ]
        : [],
    );
    const constraints = products.flatMap((_, i): ConstraintState[] => {
      const limit = max_prices?.[i];
      if (limit === undefined) return [];
      const gain = market_size * shares[i] * (1 - b * (prices[i] - products[i].unit_cost - margin));
      return [
        {
          name: `max_price of ${ids[i]}`,
          value: prices[i],
          limit,
          slack: limit - prices[i],
          binding: isLimited[i],
          shadowPrice: isLimited[i] ? Math.max(0, gain) : 0,
        },
      ];
    });
    return {
      method: steps === 0 ? 'closed_form' : 'newton',
      reason:
        steps === 0
          ? 'the best markups are equal, and Lambert’s W gives them'
          : 'given the margin per customer each price has a formula, and Newton’s method finds that margin',
      bestSolution: prices,
      bestFitness: profit,
      decisionVariables: ids.map((name) => `price of ${name}`),
      result: {
        prices: [...prices],
        markup,
        markups: prices.map((price, i) => price - products[i].unit_cost),
        shares: [...shares],
        outside_share: outside,
        demands: shares.map((share) => market_size * share),
        revenue: market_size * shares.reduce((sum, share, i) => sum + share * prices[i], 0),
        profit,
        profit_per_customer: margin,
        elasticities: prices.map((price, i) => -b * price * (1 - shares[i])),
        limited_by_max_price: ids.filter((_, i) => isLimited[i]),
        profit_curve: profitCurve(config, markup).map(([at, gain]) => ({ markup: at, profit: gain })),
      },
      optimality: { status: 'optimal', bound: profit, proof: steps === 0 ? 'closed_form' : 'convex_kkt' },
      evaluations: 1,
      iterations: steps,
      constraints,
      warnings,
      assumptions:
        config.outside_option_utility === 0
          ? [
              {
                code: 'outside_option',
                field: 'config.outside_option_utility',
                message: 'Buying nothing has a utility of 0; attractiveness counts from there.',
              },
            ]
          : [],
    };
  },

  verify(config, { bestSolution: prices, bestFitness }) {
    const { products, price_sensitivity: b, market_size, max_prices, outside_option_utility } = config;
    if (prices.some((price, i) => !(price >= 0 && price <= (max_prices?.[i] ?? Infinity))))
      return 'a price is outside its limits';
    // Customers by ratios to buying nothing, another way than the shares of `solve`.
    const odds = products.map((p, i) => Math.exp(p.attractiveness - b * prices[i] - outside_option_utility));
    const everybody = odds.reduce((a, o) => a + o, 1);
    if (everybody < 1e250) {
      const profit =
        (market_size * odds.reduce((a, o, i) => a + o * (prices[i] - products[i].unit_cost), 0)) / everybody;
      if (!(Math.abs(profit - bestFitness) <= 1e-9 * Math.abs(bestFitness) + 1e-290)) return `the profit is ${profit}`;
    }
    const step = 1e-3 / b;
    const tolerance = 1e-12 * Math.abs(bestFitness);
    for (const [i, price] of prices.entries()) {
      for (const other of [price - step, price + step]) {
        if (other < 0 || other > (max_prices?.[i] ?? Infinity)) continue;
        const moved = profitOf(config, prices.with(i, other));
        if (moved > bestFitness + tolerance) return `a price of ${other} for product ${i + 1} is better`;
        // One product says enough about another one in a long list.
        if (products.length > 100 && i > 100) return null;
      }
    }
    return null;
  },

  explain(_config, { bestFitness, result }) {
    const { markup, shares, outside_share, limited_by_max_price } = result as {
      readonly markup: number;
      readonly shares: readonly number[];
      readonly outside_share: number;
      readonly limited_by_max_price: readonly string[];
    };
    const buying = 100 * shares.reduce((a, b) => a + b, 0);
    const statements: Statement[] = [
      say(
        1,
        'result',
        limited_by_max_price.length === 0
          ? 'Sell every product {markup} above its cost: {buying} percent of the customers buy, for a profit of {profit}.'
          : 'Sell products {markup} above their cost, or at their highest price where that is less: {buying} percent of the customers buy, for a profit of {profit}.',
        { markup, buying, profit: bestFitness },
      ),
      say(
        2,
        'choice',
        'Equal markups are best, because a customer who changes product is then worth as much as before.',
        {},
      ),
      say(
        3,
        'constraint',
        'The model assumes that a product draws customers from all others in proportion to their shares.',
        {},
      ),
    ];
    if (limited_by_max_price.length > 0) {
      const names = quote(limited_by_max_price.slice(0, 5).join(', '));
      const others = Math.max(0, limited_by_max_price.length - 5);
      const more = others === 0 ? '' : ' and {others} more';
      statements.push(say(2, 'constraint', `At their highest price are: ${names}${more}.`, { others }));
    }
    statements.push(
      say(5, 'alternatives', 'Those who buy nothing are {outside} percent.', { outside: 100 * outside_share }),
    );
    return statements;
  },

  pictures: {
    profit_curve: (config, { result }) => {
      const { markup } = result as { readonly markup: number };
      const points = profitCurve(config, markup);
      return lineChart({
        title: 'Profit by the markup of all products',
        xName: `markup per unit (${config.currency ?? 'money'})`,
        yName: `profit (${config.currency ?? 'money'})`,
        series: [{ name: 'profit', points }],
        marks: [{ at: [markup, profitOf(config, limited(config, markup))], name: 'best markup' }],
      });
    },
  },
});

/** Products at one markup, or at their highest price where that is less. */
function profitCurve(config: Config, markup: number): (readonly [markup: number, profit: number])[] {
  return Array.from({ length: CURVE_POINTS }, (_, i) => {
    const at = markup * (0.2 + (1.8 * i) / (CURVE_POINTS - 1));
    return [at, profitOf(config, limited(config, at))] as const;
  });
}
