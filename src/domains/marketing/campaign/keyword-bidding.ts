/**
 * Bids for clicks under a common budget. Clicks at a bid b are max_clicks (1 - e^(-b / half_bid)). With a unit of money
 * worth mu = 1 + multiplier, every keyword has a best bid of its own, and the multiplier is where the bids spend the
 * budget; none where they spend less. That multiplier proves the bids, whatever the shape of the profits (Everett
 * 1963).
 *
 * Pay your bid: with w = value / (mu half_bid) and y = b / half_bid, profit is stationary where e^y + y = w + 1, so
 * that y = ln W(e^(w + 1)). Second price: what is paid is the bid of whoever comes next, so that the click at bid u
 * costs u, and b = value / mu: the cost of bids up to b is max_clicks (half_bid - (b + half_bid) e^(-b / half_bid)).
 */
import { z } from 'zod';
import { exp, log } from '../../../common/float.js';
import { quote, say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { Remark } from '../../../model/problem.js';
import { lineChart } from '../../charts/line-chart.js';
import { checkUnique, id, list, positive, withIds } from '../../fields.js';
import { model } from '../../problem-type.js';
import { lambertWOfExp } from '../pricing/lambert-w.js';

export const MOST_KEYWORDS = 5_000;
const CURVE_POINTS = 60;

const money = (description: string) => positive(description).min(1e-6).max(1e9);

const fields = z.strictObject({
  keywords: list(
    z.strictObject({
      id: id.optional(),
      value_per_click: money('Worth of a click'),
      max_clicks: money('Clicks that the highest bids bring'),
      half_bid: money('Bid that brings 63 percent of them'),
    }),
    'What can be bid for',
    MOST_KEYWORDS,
  ),
  budget: money('Money for clicks'),
  pricing: z
    .enum(['pay_your_bid', 'second_price'])
    .default('pay_your_bid')
    .describe('Whether a click costs the bid, or the one below it'),
  currency: z.string().max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;
type Keyword = Config['keywords'][number];

/** 1 - e^(-x), also of small x. */
const grown = (x: number): number => (x < 1e-5 ? x - (x * x) / 2 + (x * x * x) / 6 : 1 - exp(-x));

/** 1 - (1 + x) e^(-x), also of small x. */
const spentPart = (x: number): number => (x < 1e-3 ? x * x * (0.5 - x / 3 + (x * x) / 8) : 1 - (1 + x) * exp(-x));

const clicksAt = ({ max_clicks, half_bid }: Keyword, bid: number): number => max_clicks * grown(bid / half_bid);

const costAt = (pricing: Config['pricing'], keyword: Keyword, bid: number): number =>
  pricing === 'pay_your_bid'
    ? bid * clicksAt(keyword, bid)
    : keyword.max_clicks * keyword.half_bid * spentPart(bid / keyword.half_bid);

function bidAt(pricing: Config['pricing'], { value_per_click, half_bid }: Keyword, worth: number): number {
  if (pricing === 'second_price') return value_per_click / worth;
  const w = value_per_click / (worth * half_bid);
  // Of small w, e^y + y = 1 + w gives y = w / 2 - w^2 / 16 + ...
  return half_bid * (w < 1e-4 ? (w / 2) * (1 - w / 8) : log(lambertWOfExp(w + 1)));
}

interface Bids {
  readonly bids: readonly number[];
  readonly spend: number;
  readonly worth: number;
  /** False: the time was up, and some of the budget that would still pay is left. */
  readonly isBest: boolean;
}

const bidsAt = ({ keywords, pricing }: Config, worth: number): Bids => {
  const bids = keywords.map((keyword) => bidAt(pricing, keyword, worth));
  return {
    bids,
    spend: keywords.reduce((sum, keyword, i) => sum + costAt(pricing, keyword, bids[i]), 0),
    worth,
    isBest: true,
  };
};

function bestBids(config: Config, budget: number, isOver: () => boolean): Bids {
  const free = bidsAt(config, 1);
  if (free.spend <= budget) return free;
  let [low, high] = [1, 2];
  while (bidsAt(config, high).spend > budget) [low, high] = [high, 2 * high];
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (isOver()) return { ...bidsAt(config, high), isBest: false };
    if (bidsAt(config, middle).spend > budget) low = middle;
    else high = middle;
  }
  return bidsAt(config, high);
}

const profitOf = ({ keywords, pricing }: Config, bids: readonly number[]): number =>
  keywords.reduce(
    (sum, keyword, i) => sum + keyword.value_per_click * clicksAt(keyword, bids[i]) - costAt(pricing, keyword, bids[i]),
    0,
  );

export const keywordBidding = model({
  name: 'keyword_bidding',
  summary: 'Bids for keywords that make the most profit from a budget.',
  fields,
  example: {
    model: 'keyword_bidding',
    keywords: [
      { id: 'brand', value_per_click: 3, max_clicks: 1000, half_bid: 1 },
      { id: 'generic', value_per_click: 1.2, max_clicks: 5000, half_bid: 0.4 },
      { id: 'rival', value_per_click: 8, max_clicks: 200, half_bid: 3 },
    ],
    budget: 1500,
  },

  check({ keywords }, complain) {
    checkUnique(keywords, 'keywords', complain);
  },

  sense: () => 'maximize',

  solve(config, context) {
    const { keywords, budget, pricing } = config;
    const ids = withIds(keywords).map((keyword) => keyword.id);
    const { bids, spend, worth, isBest } = bestBids(config, budget, () => context.isOver());
    const multiplier = worth - 1;
    const profit = profitOf(config, bids);
    const clicks = keywords.map((keyword, i) => clicksAt(keyword, bids[i]));
    const costs = keywords.map((keyword, i) => costAt(pricing, keyword, bids[i]));
    // Of any bids within the budget: their profit, plus what the multiplier gives for money that is left.
    const bound = profit + multiplier * Math.max(0, budget - spend);
    const byId = (values: readonly number[]): Record<string, number> =>
      Object.fromEntries(ids.map((name, i) => [name, values[i]]));
    const assumptions: Remark[] = [
      {
        code: 'click_model',
        field: 'config.keywords',
        message: 'Clicks at a bid are max_clicks (1 - e^(-bid / half_bid)), for each keyword by itself.',
      },
    ];
    if (pricing === 'second_price') {
      assumptions.push({
        code: 'second_price',
        field: 'config.pricing',
        message:
          'A click costs the bid at which it would just be lost, so that higher bids do not make earlier clicks dearer.',
      });
    }
    return {
      method: 'lagrangian_bisection',
      reason:
        'with a common worth of money each keyword has a best bid by itself, and bisection finds the worth that spends the budget',
      bestSolution: bids,
      bestFitness: profit,
      decisionVariables: ids.map((name) => `bid for ${name}`),
      result: {
        bids: byId(bids),
        clicks: byId(clicks),
        costs: byId(costs),
        cost_per_click: byId(clicks.map((n, i) => (n > 0 ? costs[i] / n : 0))),
        profit,
        spend,
        total_clicks: clicks.reduce((a, b) => a + b, 0),
        budget_multiplier: multiplier,
        unlimited_spend: bidsAt(config, 1).spend,
      },
      optimality: isBest
        ? { status: 'optimal', bound, proof: 'convex_kkt' }
        : { status: 'heuristic', bound, proof: null },
      evaluations: 1,
      constraints: [
        {
          name: 'budget',
          value: spend,
          limit: budget,
          slack: Math.max(0, budget - spend),
          binding: isBest && multiplier > 0,
          shadowPrice: multiplier,
        },
      ],
      assumptions,
    };
  },

  verify(config, { bestSolution: bids, bestFitness, result, optimality }) {
    const { keywords, budget, pricing } = config;
    const { budget_multiplier } = result as { readonly budget_multiplier: number };
    let profit = 0;
    let spend = 0;
    for (const [i, { value_per_click: v, max_clicks: m, half_bid: h }] of keywords.entries()) {
      const b = bids[i];
      const clicks = -m * Math.expm1(-b / h);
      const cost =
        pricing === 'pay_your_bid'
          ? b * clicks
          : m * h * (b / h < 1e-4 ? spentPart(b / h) : -Math.expm1(-b / h) - (b / h) * Math.exp(-b / h));
      profit += v * clicks - cost;
      spend += cost;
      // No other bid is better at this worth of money.
      const gain = (bid: number): number =>
        v * clicksAt(keywords[i], bid) - (1 + budget_multiplier) * costAt(pricing, keywords[i], bid);
      const here = gain(b);
      for (const factor of [0, 0.5, 0.9, 0.99, 1.01, 1.1, 2]) {
        if (gain(b * factor) > here + 1e-9 * (v * m + Math.abs(here)))
          return `another bid for keyword ${i + 1} is better`;
      }
    }
    if (spend > budget * (1 + 1e-9)) return `${spend} is more than the budget`;
    if (optimality.proof !== null && budget_multiplier > 0 && spend < budget * (1 - 1e-6))
      return `only ${spend} of the budget is spent`;
    return Math.abs(profit - bestFitness) <= 1e-8 * (Math.abs(profit) + spend) ? null : `the profit is ${profit}`;
  },

  explain(config, { bestFitness, result, bestSolution: bids }) {
    const { spend, budget_multiplier, total_clicks } = result as Record<string, number>;
    const names = withIds(config.keywords).slice(0, 5);
    const shown = names.map(({ id: name }, i) => `{bid${i}} for ${quote(name)}`).join(', ');
    const statements: Statement[] = [
      say(
        1,
        'result',
        `Bid ${shown}${config.keywords.length > 5 ? ', and so on' : ''}: {clicks:click|clicks} for {spend}, a profit of {profit}.`,
        {
          ...Object.fromEntries(names.map((_, i) => [`bid${i}`, bids[i]])),
          clicks: total_clicks,
          spend,
          profit: bestFitness,
        },
      ),
      budget_multiplier > 0
        ? say(2, 'choice', 'The budget decides: the last unit of money brings {back} back for every keyword.', {
            back: 1 + budget_multiplier,
          })
        : say(2, 'choice', 'The budget is no limit: higher bids would cost more than their clicks are worth.', {}),
    ];
    if (budget_multiplier > 0) {
      statements.push(
        say(4, 'sensitivity', 'One more unit of budget would add {worth} of profit.', { worth: budget_multiplier }),
      );
    }
    return statements;
  },

  pictures: {
    profit_by_budget: (config, { bestFitness, result }) => {
      const { spend, unlimited_spend, budget_multiplier } = result as Record<string, number>;
      const most = Math.min(unlimited_spend, 2 * spend);
      // Each worth of money has its bids, and with them a budget: no search for the worth of a given one.
      const dearest = log(1e3 * (1 + budget_multiplier));
      const curve = Array.from({ length: CURVE_POINTS }, (_, i) => {
        const { bids, spend: budget } = bidsAt(config, exp(dearest * (1 - i / (CURVE_POINTS - 1))));
        return [budget, profitOf(config, bids)] as const;
      });
      const here = [spend, bestFitness] as const;
      const points = [[0, 0] as const, ...curve.filter(([budget]) => budget <= most && budget !== spend), here];
      return lineChart({
        title: 'Profit by the budget',
        xName: `budget (${config.currency ?? 'money'})`,
        yName: `profit (${config.currency ?? 'money'})`,
        series: [{ name: 'profit', points: points.sort(([a], [b]) => a - b) }],
        marks: [{ at: here, name: 'spent' }],
      });
    },
  },
});
