/**
 * Which products to offer to customers who choose among them in proportion to weights. R(S) = sum of margins times
 * weights over all weights. Offering S is worth at least theta exactly where its sum of weight (margin - theta) reaches
 * theta times the weight of buying nothing, so for a given theta the best products are those with the largest such
 * terms (Dinkelbach 1967), and Newton's method on theta ends after finitely many steps. Without a cap on their number
 * the best are the products with the largest margins.
 * Source: Talluri and van Ryzin 2004; Rusmevichientong, Shen and Shmoys 2010.
 */
import { z } from 'zod';
import { quote, say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { ConstraintState, JsonObject } from '../../../model/problem.js';
import { lineChart } from '../../charts/line-chart.js';
import { checkUnique, count, id, list, number, positive, withIds } from '../../fields.js';
import { model } from '../../problem-type.js';
import { MOST } from './demand.js';

const MOST_PRODUCTS = 5_000;
const MOST_SIZES = 50;
const MAX_STEPS = 500;

const fields = z.strictObject({
  products: list(
    z.strictObject({
      id: id.optional(),
      margin: number('Profit of one unit').min(-MOST).max(MOST),
      weight: positive('How much customers like it: shares are in proportion to weights').min(1e-9).max(MOST),
    }),
    'What could be offered',
    MOST_PRODUCTS,
  ),
  no_purchase_weight: positive('Weight of buying nothing').min(1e-9).max(MOST).default(1),
  max_products: count('Products that can be offered at most', 1, MOST_PRODUCTS).optional(),
  currency: z.string().max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;

function valueOf({ products, no_purchase_weight }: Config, offered: readonly number[]): number {
  let weight = no_purchase_weight;
  let margin = 0;
  for (const i of offered) {
    weight += products[i].weight;
    margin += products[i].weight * products[i].margin;
  }
  return margin / weight;
}

/** The products with the largest margins, as many as are best; ties leave out. */
function bestPrefix(config: Config): number[] {
  const order = config.products.map((_, i) => i).sort((a, b) => config.products[b].margin - config.products[a].margin);
  let value = 0;
  let weight = config.no_purchase_weight;
  let margin = 0;
  const offered: number[] = [];
  for (const i of order) {
    const product = config.products[i];
    // A product raises the average exactly where its margin is above it.
    if (!(product.margin > value)) break;
    weight += product.weight;
    margin += product.weight * product.margin;
    value = margin / weight;
    offered.push(i);
  }
  return offered;
}

/** The best products for the given theta, at most `cap` of them. */
function bestFor({ products }: Config, theta: number, cap: number): number[] {
  const terms = products.map(({ weight, margin }, i) => ({ i, term: weight * (margin - theta) }));
  return terms
    .filter(({ term }) => term > 0)
    .sort((a, b) => b.term - a.term || a.i - b.i)
    .slice(0, cap)
    .map(({ i }) => i);
}

interface Best {
  readonly offered: number[];
  readonly steps: number;
  /** False: the time was up while each step still found better products. */
  readonly isBest: boolean;
}

function bestOf(config: Config, cap: number, isOver: () => boolean): Best {
  const free = bestPrefix(config);
  if (free.length <= cap) return { offered: free, steps: 0, isBest: true };
  let offered: number[] = [];
  let theta = 0;
  let steps = 0;
  while (steps < MAX_STEPS) {
    steps++;
    const next = bestFor(config, theta, cap);
    const value = valueOf(config, next);
    if (!(value > theta)) return { offered, steps, isBest: true };
    offered = next;
    theta = value;
    if (isOver()) break;
  }
  return { offered, steps, isBest: false };
}

/**
 * Values of the best assortments of at most so many products, for up to 50 sizes up to where more do not help, and up
 * to where the time ends.
 */
function bySize(config: Config, isOver: () => boolean): { readonly products: number; readonly value: number }[] {
  const most = Math.max(1, bestPrefix(config).length);
  const sizes = Array.from({ length: Math.min(most, MOST_SIZES) + 1 }, (_, i) =>
    Math.round((i * most) / Math.min(most, MOST_SIZES)),
  );
  const values: { products: number; value: number }[] = [];
  for (const products of sizes) {
    if (isOver()) break;
    const best = products === 0 ? null : bestOf(config, products, isOver);
    if (best?.isBest === false) break;
    values.push({ products, value: best === null ? 0 : valueOf(config, best.offered) });
  }
  return values;
}

export const assortment = model({
  name: 'assortment',
  summary: 'Which products to offer when customers choose among them and margins differ.',
  fields,
  example: {
    model: 'assortment',
    products: [
      { id: 'oak', margin: 60, weight: 2.4 },
      { id: 'ash', margin: 52, weight: 2.0 },
      { id: 'elm', margin: 59, weight: 0.8 },
      { id: 'fir', margin: 51, weight: 2.2 },
      { id: 'pine', margin: 15, weight: 2.5 },
    ],
    max_products: 3,
  },

  check({ products }, complain) {
    checkUnique(products, 'products', complain);
  },

  sense: () => 'maximize',

  solve(config, context) {
    const isOver = (): boolean => context.isOver();
    const { products, no_purchase_weight, max_products } = config;
    const ids = withIds(products).map((product) => product.id);
    const { offered, steps, isBest } = bestOf(config, max_products ?? Infinity, isOver);
    const value = valueOf(config, offered);
    const isOffered = new Set(offered);
    const total = offered.reduce((sum, i) => sum + products[i].weight, no_purchase_weight);
    const shares: JsonObject = Object.fromEntries(
      ids.flatMap((name, i) => (isOffered.has(i) ? [[name, products[i].weight / total]] : [])),
    );
    const isCapped = max_products !== undefined && offered.length === max_products;
    const larger = isCapped && isBest && !isOver() ? bestOf(config, max_products + 1, isOver) : null;
    const rise = larger?.isBest === true ? valueOf(config, larger.offered) - value : null;
    const another = isCapped ? rise : 0;
    const constraints: ConstraintState[] =
      max_products === undefined
        ? []
        : [
            {
              name: 'max_products',
              value: offered.length,
              limit: max_products,
              slack: max_products - offered.length,
              binding: offered.length === max_products,
              shadowPrice: another ?? undefined,
            },
          ];
    return {
      method: steps === 0 ? 'closed_form' : 'newton',
      reason:
        steps === 0
          ? 'the best assortment is that of the largest margins, down to the average that it earns'
          : 'for a given margin per visitor the best products are known, and Newton’s method finds that margin',
      bestSolution: products.map((_, i) => (isOffered.has(i) ? 1 : 0)),
      bestFitness: value,
      decisionVariables: ids.map((name) => `offer ${name}`),
      result: {
        offered: ids.filter((_, i) => isOffered.has(i)),
        expected_margin_per_visitor: value,
        shares,
        no_purchase_share: no_purchase_weight / total,
        left_out: ids.flatMap((name, i) =>
          isOffered.has(i) ? [] : [{ id: name, reason: reasonFor(products[i], value) }],
        ),
        value_of_one_more_product: another,
        by_size: bySize(config, isOver).map((size) => ({
          products: size.products,
          expected_margin_per_visitor: size.value,
        })),
      },
      optimality: isBest
        ? { status: 'optimal', bound: value, proof: steps === 0 ? 'closed_form' : 'convex_kkt' }
        : { status: 'heuristic', bound: null, proof: null },
      evaluations: 1,
      iterations: steps,
      constraints,
      assumptions:
        no_purchase_weight === 1
          ? [
              {
                code: 'no_purchase_weight',
                field: 'config.no_purchase_weight',
                message: 'Buying nothing has a weight of 1: other weights are relative to it.',
              },
            ]
          : [],
    };
  },

  verify(config, { bestSolution, bestFitness, optimality }) {
    const { products, no_purchase_weight, max_products } = config;
    const offered = products.filter((_, i) => bestSolution[i] === 1);
    if (offered.length > (max_products ?? Infinity)) return `${offered.length} products are too many`;
    const weight = offered.reduce((sum, product) => sum + product.weight, 0) + no_purchase_weight;
    const value = offered.reduce((sum, product) => sum + (product.weight / weight) * product.margin, 0);
    const scale = 1e-9 * (1 + offered.reduce((most, { margin }) => Math.max(most, Math.abs(margin)), 0));
    if (!(Math.abs(value - bestFitness) <= scale)) return `shares times margins add up to ${value}`;
    if (optimality.proof === null) return null;
    // No set does better where the largest terms at this theta do not.
    const terms = products.map((product) => product.weight * (product.margin - bestFitness)).filter((term) => term > 0);
    const largest = terms.sort((a, b) => b - a).slice(0, max_products ?? Infinity);
    const excess = largest.reduce((a, b) => a + b, 0) - bestFitness * no_purchase_weight;
    return excess <= scale * 10 * weight ? null : 'other products are worth more';
  },

  explain(_config, { bestFitness, result }) {
    const { offered, no_purchase_share, value_of_one_more_product, left_out } = result as {
      readonly offered: readonly string[];
      readonly no_purchase_share: number;
      readonly value_of_one_more_product: number | null;
      readonly left_out: readonly unknown[];
    };
    const names = quote(offered.slice(0, 10).join(', '));
    const statements: Statement[] =
      offered.length === 0
        ? [say(1, 'result', 'Offer nothing: no product has a margin above 0.', {})]
        : [
            say(
              1,
              'result',
              `Offer {count} products (${names}${offered.length > 10 ? ', ...' : ''}): a visitor is worth {value} on average.`,
              {
                count: offered.length,
                value: bestFitness,
              },
            ),
          ];
    statements.push(
      (value_of_one_more_product ?? 0) > 0
        ? say(2, 'choice', 'These do most for the average; there is no room for more. {count} are left out.', {
            count: left_out.length,
          })
        : say(2, 'choice', 'A product with a margin below {value} would take more from the others than it brings.', {
            value: bestFitness,
          }),
      say(
        3,
        'constraint',
        '{share} percent of the visitors buy nothing. A product draws from all others in proportion to their weights.',
        { share: 100 * no_purchase_share },
      ),
    );
    if (value_of_one_more_product !== null && value_of_one_more_product > 0) {
      statements.push(
        say(4, 'sensitivity', 'Room for one more product is worth {worth} per visitor.', {
          worth: value_of_one_more_product,
        }),
      );
    }
    return statements;
  },

  pictures: {
    margin_by_size: (config, { bestSolution, bestFitness, result }) => {
      const sizes = result['by_size'] as { products: number; expected_margin_per_visitor: number }[];
      if (sizes.length < 2) return null;
      return lineChart({
        title: 'Best margin per visitor by the number of products',
        xName: 'products offered',
        yName: `margin per visitor (${config.currency ?? 'money'})`,
        series: [
          { name: 'best assortment', points: sizes.map((one) => [one.products, one.expected_margin_per_visitor]) },
        ],
        marks: [{ at: [bestSolution.reduce((a, b) => a + b, 0), bestFitness], name: 'offered' }],
      });
    },
  },
});

const reasonFor = ({ margin }: { readonly margin: number }, value: number): string =>
  margin <= value ? 'margin_below_average' : 'no_room';
