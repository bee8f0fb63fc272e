/**
 * How to sell (or buy) a position over time: fast trading moves the price, slow trading bears its risk. Source: Almgren
 * and Chriss, Optimal execution of portfolio transactions, J. Risk 3 (2000); equation numbers are theirs.
 */
import { z } from 'zod';
import { exp, log } from '../../../common/float.js';
import { say } from '../../../explanation/say.js';
import type { JsonObject } from '../../../model/problem.js';
import { lineChart, type Point } from '../../charts/line-chart.js';
import { amount, count, positive } from '../../fields.js';
import { model } from '../../problem-type.js';

export const MAX_INTERVALS = 10_000;

const fields = z.strictObject({
  shares: positive('Shares to sell, or to buy'),
  horizon_days: positive('Days until all is done').max(1e6),
  intervals: count('Trades, evenly spread over the horizon', 1, MAX_INTERVALS),
  volatility_per_day: amount('Standard deviation of the price over a day, money per share'),
  temporary_impact: positive('Money per share that the price is worse for each share per day traded'),
  permanent_impact: amount('Money per share that the price stays worse for each share traded').default(0),
  fixed_cost_per_share: amount('Half of the spread and fees, money per share').default(0),
  risk_aversion: amount('Cost that one unit of variance is worth, per money').default(0),
  currency: z.string().max(10).optional().describe('ISO code, a label'),
});

type Config = z.output<typeof fields>;

interface Terms {
  readonly tau: number;
  /** Temporary impact less half of the permanent one within an interval: eta tilde. */
  readonly impact: number;
  /** Curvature of the path: 2 (cosh(kappa tau) - 1). */
  readonly urgency: number;
}

function termsOf({ horizon_days, intervals, temporary_impact, permanent_impact, ...rest }: Config): Terms {
  const tau = horizon_days / intervals;
  const impact = temporary_impact - (permanent_impact * tau) / 2;
  const { risk_aversion, volatility_per_day: sigma } = rest;
  return { tau, impact, urgency: ((risk_aversion * sigma * sigma) / impact) * tau * tau };
}

/** arcosh(1 + urgency / 2), the decay within an interval. */
function decayOf({ urgency }: Terms): number {
  const y = urgency / 2;
  const rise = y + Math.sqrt(y * (y + 2));
  const sum = 1 + rise;
  return sum === 1 ? rise : (log(sum) * rise) / (sum - 1);
}

/** 1 - e^-x, exact for small x too. */
function fallOf(x: number): number {
  const rest = exp(-x);
  return x < 1e-5 ? x - (x * x) / 2 : 1 - rest;
}

/** After 0, 1, ... trades: sinh(kappa (T - t)) / sinh(kappa T), eq. 17. */
function pathOf(config: Config, terms: Terms): number[] {
  const { shares, intervals: n } = config;
  const decay = decayOf(terms);
  const whole = fallOf(2 * decay * n);
  return Array.from({ length: n + 1 }, (_, j) => {
    if (j === 0) return shares;
    if (j === n) return 0;
    if (!(decay > 1e-150)) return shares * ((n - j) / n);
    return shares * exp(-decay * j) * (fallOf(2 * decay * (n - j)) / whole);
  });
}

/** Expected cost, eq. 5 and 8, and variance, eq. 7. */
function costOf(config: Config, { tau, impact }: Terms, holdings: readonly number[]) {
  const { shares, permanent_impact, fixed_cost_per_share, volatility_per_day: sigma } = config;
  let squares = 0;
  let held = 0;
  for (let k = 1; k < holdings.length; k++) {
    const trade = holdings[k - 1] - holdings[k];
    squares += trade * trade;
    held += holdings[k] * holdings[k];
  }
  const expected = (permanent_impact * shares * shares) / 2 + fixed_cost_per_share * shares + (impact / tau) * squares;
  return { expected, deviation: sigma * Math.sqrt(tau * held) };
}

/** Holdings below have lost digits. */
const UNDERFLOW = 1e-290;

/** Multiples of the risk aversion in the alternatives. */
const FACTORS = [0.1, 0.5, 2, 10] as const;

export const optimalExecution = model({
  name: 'optimal_execution',
  summary: 'How to trade a large position in steps, between the cost of moving the price and the risk of waiting.',
  fields,
  example: {
    model: 'optimal_execution',
    shares: 1_000_000,
    horizon_days: 5,
    intervals: 5,
    volatility_per_day: 0.95,
    temporary_impact: 2.5e-6,
    permanent_impact: 2.5e-7,
    fixed_cost_per_share: 0.0625,
    risk_aversion: 1e-6,
    currency: 'USD',
  },

  check(config, complain) {
    const { impact, tau } = termsOf(config);
    if (impact > 0) return;
    const least = (config.permanent_impact * tau) / 2;
    complain(
      ['temporary_impact'],
      `\`{field}\` = ${config.temporary_impact} must be above ${least}, half of the permanent impact in an interval of ${tau} days: else waiting always pays.`,
    );
  },

  sense: () => 'minimize',

  solve(config) {
    const terms = termsOf(config);
    const holdings = pathOf(config, terms);
    const { expected, deviation } = costOf(config, terms, holdings);
    const { intervals, shares, risk_aversion } = config;
    const kappa = decayOf(terms) / terms.tau;
    const total = expected + risk_aversion * deviation * deviation;
    const named = (name: string, path: readonly number[]): JsonObject => {
      const cost = costOf(config, terms, path);
      return { name, expected_cost: cost.expected, cost_std: cost.deviation };
    };
    const evenly = holdings.map((_, j) => (shares * (intervals - j)) / intervals);
    const others = risk_aversion > 0 ? FACTORS : [];
    return {
      method: 'closed_form',
      reason: 'expected cost and variance are quadratic in the holdings: the best path is a hyperbolic sine',
      bestSolution: holdings.slice(1),
      bestFitness: total,
      decisionVariables: holdings.slice(1).map((_, j) => `holding after trade ${j + 1}`),
      result: {
        holdings,
        trades: holdings.slice(1).map((held, j) => holdings[j] - held),
        expected_cost: expected,
        cost_std: deviation,
        cost_per_share: expected / shares,
        kappa,
        time_constant_days: kappa > 0 ? 1 / kappa : null,
        objective: total,
      },
      optimality: { status: 'optimal', bound: total, proof: 'closed_form' },
      evaluations: 1,
      assumptions: [
        {
          code: 'linear_impact',
          message: 'Impact is proportional to the rate of trading, prices follow a random walk without drift.',
        },
        ...(risk_aversion === 0
          ? [
              {
                code: 'risk_neutral',
                field: 'config.risk_aversion',
                message: 'The risk aversion is 0: only the expected cost counts, and equal trades are best.',
              },
            ]
          : []),
      ],
      alternatives: [
        named('equal trades', evenly),
        named('all at once', [shares, ...new Array<number>(intervals).fill(0)]),
        ...others.map((factor) => {
          const other = { ...config, risk_aversion: factor * risk_aversion };
          const path = pathOf(other, termsOf(other));
          return { ...named('another risk aversion', path), risk_aversion: other.risk_aversion };
        }),
      ],
    };
  },

  /** Total cost summed trade by trade, and no holding that would better be a little larger or smaller. */
  verify(config, { bestSolution, bestFitness, result }) {
    const { shares, permanent_impact: gamma, temporary_impact: eta, fixed_cost_per_share: fixed } = config;
    const { risk_aversion, volatility_per_day: sigma, horizon_days, intervals } = config;
    const tau = horizon_days / intervals;
    const path = [shares, ...bestSolution];
    if (path[intervals] !== 0 || path.length !== intervals + 1) return 'the path does not end with nothing';
    let cost = 0;
    let variance = 0;
    for (let k = 1; k <= intervals; k++) {
      const trade = path[k - 1] - path[k];
      if (trade < -1e-9 * shares) return `trade ${k} goes the wrong way`;
      // Shortfall of this trade by its rate, and of what is still held by its lasting effect.
      cost += trade * (fixed + (eta * trade) / tau) + gamma * path[k] * trade;
      variance += sigma * sigma * tau * path[k] * path[k];
    }
    const total = cost + risk_aversion * variance;
    if (!(Math.abs(total - bestFitness) <= 1e-8 * Math.abs(total))) return `trade by trade the cost is ${total}`;
    if (!(Math.abs(cost - Number(result['expected_cost'])) <= 1e-8 * Math.abs(total)))
      return `the expected cost is ${cost}`;
    const stiff = (2 * (eta - (gamma * tau) / 2)) / tau;
    for (let k = 1; k < intervals; k++) {
      const bend = stiff * (2 * path[k] - path[k - 1] - path[k + 1]);
      const slope = bend + 2 * risk_aversion * sigma * sigma * tau * path[k];
      const room = 1e-8 * (stiff * path[k - 1] + 2 * risk_aversion * sigma * sigma * tau * path[k]);
      if (!(Math.abs(slope) <= room + UNDERFLOW * stiff)) return `the slope at trade ${k} is ${slope}`;
    }
    return null;
  },

  explain(config, { result, alternatives = [] }) {
    const read = (name: string): number => Number(result[name]);
    const trades = result['trades'] as readonly number[];
    const [even] = alternatives;
    return [
      say(
        1,
        'result',
        'Trade {first:share|shares} in the first of {intervals:interval|intervals} and {last} in the last.',
        {
          first: trades[0],
          intervals: config.intervals,
          last: trades[trades.length - 1],
        },
      ),
      say(1, 'result', 'That is expected to cost {cost} (standard deviation {deviation}), {share} per share.', {
        cost: read('expected_cost'),
        deviation: read('cost_std'),
        share: read('cost_per_share'),
      }),
      say(
        2,
        'choice',
        'Expected cost and variance are quadratic in the holdings: no other path has a lower sum of both.',
        {},
      ),
      say(2, 'assumption', 'Impacts and volatility are taken as known and constant over the horizon.', {}),
      say(
        4,
        'sensitivity',
        'Equal trades would be expected to cost {cost}, with a standard deviation of {deviation}.',
        {
          cost: Number(even['expected_cost']),
          deviation: Number(even['cost_std']),
        },
      ),
      ...(read('kappa') > 0
        ? [
            say(4, 'sensitivity', 'Left alone, the position falls to {percent} percent in about {days:day|days}.', {
              percent: 37,
              days: 1 / read('kappa'),
            }),
          ]
        : []),
    ];
  },

  pictures: {
    holdings(config, { result }) {
      const { horizon_days, intervals, shares } = config;
      const points = (path: readonly number[]): Point[] =>
        path.map((held, j) => [(horizon_days * j) / intervals, held]);
      const path = result['holdings'] as readonly number[];
      return lineChart({
        title: 'Shares left over time',
        xName: 'days',
        yName: 'shares',
        series: [
          { name: 'best path', points: points(path) },
          { name: 'equal trades', points: points(path.map((_, j) => (shares * (intervals - j)) / intervals)) },
        ],
      });
    },
    cost_and_risk({ currency = 'money' }, { result, alternatives }) {
      const at = (one: JsonObject): Point => [Number(one['cost_std']), Number(one['expected_cost'])];
      return lineChart({
        title: 'Expected cost and risk',
        xName: `standard deviation of the cost (${currency})`,
        yName: `expected cost (${currency})`,
        series: [{ name: 'other paths', points: alternatives.map(at), isScatter: true }],
        marks: [{ at: at(result), name: 'best path' }],
      });
    },
  },
});
