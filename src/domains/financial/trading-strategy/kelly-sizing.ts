/**
 * How much to stake so that wealth grows fastest in the long run: on one bet that is won or lost, or on assets by their
 * expected returns and covariance. Sources: Kelly 1956; Thorp 2006 for the continuous case.
 */
import { z } from 'zod';
import { log } from '../../../common/float.js';
import { say } from '../../../explanation/say.js';
import { choleskyFactor, solveLower, solveUpper } from '../../../linalg/cholesky.js';
import { SymmetricEigen } from '../../../linalg/symmetric-eigen.js';
import type { Remark } from '../../../model/problem.js';
import { barChart } from '../../charts/bar-chart.js';
import { lineChart, type Point } from '../../charts/line-chart.js';
import { matrix, number, numbers, positive, share } from '../../fields.js';
import { Infeasible, model, Unbounded, Unsolved, type SolveContext, type Solution } from '../../problem-type.js';

export const MAX_ASSETS = 100;

const fields = z.strictObject({
  win_probability: share('Probability that the bet is won').optional(),
  win_loss_ratio: positive('What a won bet pays per unit that a lost one costs').optional(),
  expected_returns: numbers('Expected return of each asset per period', { most: MAX_ASSETS }).optional(),
  covariance: matrix('Covariance of the returns per period', { most: MAX_ASSETS }, { most: MAX_ASSETS }).optional(),
  risk_free_rate: number('Return of cash, and cost of borrowing, per period').default(0),
  fraction: z
    .number()
    .min(1e-6)
    .max(1)
    .default(1)
    .describe('Share of the full Kelly stake: half of it gives three quarters of the growth at half of the deviation'),
  max_leverage: positive(
    'Most that is staked: of a bet, of the sum of sizes of all positions. Default: no limit',
  ).optional(),
});

type Config = z.output<typeof fields>;

/** ln(1 + x), exact for small x too. Source: Goldberg 1991, theorem 4. */
function logOnePlus(x: number): number {
  const sum = 1 + x;
  return sum === 1 ? x : (log(sum) * x) / (sum - 1);
}

const betOf = ({ win_probability: p, win_loss_ratio: b }: Config) =>
  p === undefined || b === undefined ? null : { p, b };

function growthOf({ p, b }: { readonly p: number; readonly b: number }, stake: number): number {
  const lost = p < 1 ? (1 - p) * logOnePlus(-stake) : 0;
  return p * logOnePlus(stake * b) + lost;
}

function solveBet(config: Config, bet: { readonly p: number; readonly b: number }): Solution {
  const { p, b } = bet;
  const full = Math.max(0, p - (1 - p) / b);
  const wanted = config.fraction * full;
  const stake = Math.min(wanted, config.max_leverage ?? 1);
  const growth = growthOf(bet, stake);
  return {
    method: 'closed_form',
    reason: 'the growth rate is concave in the stake, and its slope is 0 at p - (1 - p) / b',
    bestSolution: [stake],
    bestFitness: growth,
    decisionVariables: ['fraction'],
    result: {
      fraction: stake,
      growth_rate: growth,
      full_kelly_fraction: full,
      full_kelly_growth_rate: growthOf(bet, full),
      expected_gain: p * b - (1 - p),
      bets_to_double: growth > 0 ? Math.LN2 / growth : null,
    },
    optimality: { status: 'optimal', bound: growth, proof: 'closed_form' },
    evaluations: 1,
    constraints: capStates(config, stake),
    warnings: full > 0 ? [] : [{ code: 'no_edge', message: 'The bet loses on average: nothing is staked.' }],
    assumptions: fractionRemarks(config),
  };
}

const capStates = ({ max_leverage: limit }: Config, value: number) =>
  limit === undefined
    ? []
    : [{ name: 'max_leverage', value, limit, slack: limit - value, binding: limit - value <= 1e-9 * limit }];

const fractionRemarks = ({ fraction }: Config): Remark[] => [
  fraction === 1
    ? {
        code: 'full_kelly',
        field: 'config.fraction',
        message:
          'Full Kelly: probabilities and returns are taken as known. Many stake half, since errors upwards cost most.',
      }
    : {
        code: 'fractional_kelly',
        field: 'config.fraction',
        message: `The stake is ${fraction} of the full Kelly stake: what is best for a risk aversion of ${Number((1 / fraction).toPrecision(6))} instead of 1.`,
      },
];

interface Assets {
  readonly n: number;
  readonly excess: Float64Array;
  readonly covariance: Float64Array;
}

function assetsOf({ expected_returns = [], covariance = [], risk_free_rate }: Config): Assets {
  return {
    n: expected_returns.length,
    excess: Float64Array.from(expected_returns, (value) => value - risk_free_rate),
    covariance: Float64Array.from(covariance.flat()),
  };
}

function timesCovariance({ n, covariance }: Assets, x: ArrayLike<number>): Float64Array {
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) out[i] += covariance[i * n + j] * x[j];
  return out;
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

/** Smaller pivots, relative, are those of a singular matrix. */
const PIVOT = 1e-13;
/** Added to variances where a covariance is singular, relative: what is held is then one of equally good positions. */
const RIDGE = 1e-12;

/** Solves covariance restricted to `rows` times x = right. @throws {Unsolved} where it is not definite */
function solveWithin({ n, covariance }: Assets, rows: readonly number[], right: Float64Array): Float64Array {
  const m = rows.length;
  const part = Float64Array.from(rows.flatMap((i) => rows.map((j) => covariance[i * n + j])));
  const factor = new Float64Array(m * m);
  if (!choleskyFactor(part, factor, m, PIVOT)) {
    for (let i = 0; i < m; i++) part[i * m + i] *= 1 + RIDGE;
    if (!choleskyFactor(part, factor, m)) throw new Unsolved('the covariance is singular for the assets held');
  }
  const x = new Float64Array(m);
  solveLower(factor, right, x, m);
  solveUpper(factor, x, x, m);
  return x;
}

/** @throws {Infeasible} for what is no covariance, {Unbounded} where something without risk earns more than cash */
function unlimited(assets: Assets): Float64Array {
  const { n, covariance, excess } = assets;
  if (choleskyFactor(covariance, new Float64Array(n * n), n, PIVOT)) {
    return solveWithin(assets, [...excess.keys()], excess);
  }
  const values = new Float64Array(n);
  const vectors = new Float64Array(n * n);
  if (!new SymmetricEigen(n).decompose(covariance, values, vectors))
    throw new Unsolved('the covariance has no eigenvalues');
  const largest = Math.max(0, ...values.map(Math.abs));
  if (values[0] < -1e-9 * largest) {
    const message = `The covariance is not positive semidefinite: its smallest eigenvalue is ${values[0].toPrecision(3)}.`;
    throw new Infeasible(message, ['covariance']);
  }
  // Least positions among those that grow as fast: nothing along directions without risk.
  const leverage = new Float64Array(n);
  const size = Math.sqrt(dot(excess, excess));
  for (let k = 0; k < n; k++) {
    const vector = vectors.subarray(k * n, (k + 1) * n);
    const earned = dot(vector, excess);
    if (values[k] > 1e-12 * largest) {
      for (let i = 0; i < n; i++) leverage[i] += (vector[i] * earned) / values[k];
    } else if (Math.abs(earned) > 1e-9 * size) {
      throw new Unbounded(
        'A combination of the assets has no risk and earns something else than cash: growth rises with its size without end. Set max_leverage, or correct the covariance.',
      );
    }
  }
  return leverage;
}

/** Steps of the path, for each asset. */
const MOST_STEPS = 50;

/**
 * max excess'f - f'Cf / (2 fraction) with the sizes of f adding up to `limit`, by its path over a price of size: at the
 * highest slope nothing is held; as the price falls, positions change along a line until an asset joins, leaves, or the
 * sizes reach the limit. Source: Osborne, Presnell and Turlach, IMA J. Numerical Analysis 20 (2000) 389-403.
 */
function limited(assets: Assets, fraction: number, limit: number, look: () => void) {
  const { n } = assets;
  const slopes = Float64Array.from(assets.excess);
  const leverage = new Float64Array(n);
  const signs = new Int8Array(n);
  let price = slopes.reduce((most, slope) => Math.max(most, Math.abs(slope)), 0);
  let joins = slopes.findIndex((slope) => Math.abs(slope) === price);
  let left = -1;
  let size = 0;
  for (let step = 1; step <= MOST_STEPS * n; step++) {
    look();
    if (joins >= 0) signs[joins] = slopes[joins] > 0 ? 1 : -1;
    const held = [...signs.keys()].filter((i) => signs[i] !== 0);
    const along = solveWithin(
      assets,
      held,
      Float64Array.from(held, (i) => signs[i]),
    );
    const moves = new Float64Array(n);
    for (const [k, i] of held.entries()) moves[i] = fraction * along[k];
    const falls = timesCovariance(assets, moves).map((value) => value / fraction);
    const grows = held.reduce((sum, i) => sum + signs[i] * moves[i], 0);
    let length = (limit - size) / grows;
    let event: 'end' | 'join' | 'leave' = 'end';
    let who = -1;
    const offer = (at: number, what: 'join' | 'leave', i: number): void => {
      if (at < length) [length, event, who] = [Math.max(0, at), what, i];
    };
    for (let i = 0; i < n; i++) {
      if (signs[i] !== 0) {
        if (moves[i] * signs[i] < 0) offer(-leverage[i] / moves[i], 'leave', i);
      } else {
        // What has just left does so from the price: on that side it cannot come back yet.
        if (falls[i] < 1 && !(i === left && slopes[i] > 0)) offer((price - slopes[i]) / (1 - falls[i]), 'join', i);
        if (falls[i] > -1 && !(i === left && slopes[i] < 0)) offer((price + slopes[i]) / (1 + falls[i]), 'join', i);
      }
    }
    for (let i = 0; i < n; i++) {
      leverage[i] += length * moves[i];
      slopes[i] -= length * falls[i];
    }
    price -= length;
    size += length * grows;
    if (event === 'end') return { leverage, iterations: step };
    joins = event === 'join' ? who : -1;
    left = event === 'leave' ? who : -1;
    if (left >= 0) [leverage[left], signs[left]] = [0, 0];
    if (joins >= 0) slopes[joins] = Math.sign(slopes[joins]) * price;
  }
  throw new Unsolved('the positions within max_leverage do not settle');
}

const sizeOf = (leverage: ArrayLike<number>): number =>
  Array.from(leverage).reduce((sum, value) => sum + Math.abs(value), 0);

const excessGrowth = (assets: Assets, leverage: ArrayLike<number>): number =>
  dot(assets.excess, leverage) - dot(leverage, timesCovariance(assets, leverage)) / 2;

function solveAssets(config: Config, context: SolveContext): Solution {
  const { fraction, max_leverage: limit, risk_free_rate } = config;
  const assets = assetsOf(config);
  let full: Float64Array | null = null;
  try {
    full = unlimited(assets);
  } catch (error) {
    // A limit makes an end.
    if (!(error instanceof Unbounded) || limit === undefined) throw error;
  }
  const wanted = full?.map((value) => fraction * value) ?? null;
  const isLimited = wanted === null || (limit !== undefined && sizeOf(wanted) > limit);
  const found =
    isLimited && limit !== undefined
      ? limited(assets, fraction, limit, () => context.look())
      : { leverage: wanted ?? new Float64Array(assets.n), iterations: 0 };
  const leverage = Array.from(found.leverage, (value) => value + 0);
  if (slopeComplaint(config, assets, leverage) !== null) {
    throw new Unsolved('the covariance is nearly singular, since some assets are nearly combinations of others');
  }
  const excess = excessGrowth(assets, leverage);
  const variance = dot(leverage, timesCovariance(assets, leverage));
  const growth = risk_free_rate + excess;
  const exposure = leverage.reduce((sum, value) => sum + value, 0);
  return {
    method: isLimited ? 'convex_qp' : 'closed_form',
    reason: isLimited
      ? 'growth is concave in the positions, and the limit binds: a quadratic programme'
      : 'growth is concave in the positions, and its slope is 0 where the covariance times them is the excess return',
    bestSolution: leverage,
    bestFitness: growth,
    decisionVariables: leverage.map((_, i) => `leverage ${i + 1}`),
    result: {
      leverage,
      growth_rate: growth,
      excess_growth_rate: excess,
      cash: 1 - exposure,
      gross_leverage: sizeOf(leverage),
      expected_return: risk_free_rate + dot(assets.excess, leverage),
      volatility: Math.sqrt(Math.max(0, variance)),
      full_kelly_leverage: full === null ? null : Array.from(full, (value) => value + 0),
    },
    optimality: { status: 'optimal', bound: growth, proof: isLimited ? 'convex_kkt' : 'closed_form' },
    evaluations: 1,
    iterations: found.iterations,
    constraints: capStates(config, sizeOf(leverage)),
    assumptions: [
      ...fractionRemarks(config),
      {
        code: 'continuous_trading',
        message: 'Positions are kept at their share of wealth all the time, and returns are small in each step.',
      },
      {
        code: 'free_borrowing',
        field: 'config.risk_free_rate',
        message: 'What positions cost beyond wealth is borrowed at the risk-free rate; assets can be sold short.',
      },
    ],
  };
}

/** Null: no slope at these positions promises more growth within the limit. */
function slopeComplaint(config: Config, assets: Assets, leverage: readonly number[]): string | null {
  const { fraction, max_leverage: limit = Infinity } = config;
  const sizes = sizeOf(leverage);
  if (sizes > limit * (1 + 1e-9)) return `positions of ${sizes} are more than ${limit}`;
  const risk = timesCovariance(assets, leverage);
  const slopes = assets.excess.map((value, i) => value - risk[i] / fraction);
  const scale = Math.max(...assets.excess.map(Math.abs), ...risk.map((value) => Math.abs(value) / fraction));
  const room = 1e-7 * scale;
  const isAtLimit = sizes > limit * (1 - 1e-9);
  const price = isAtLimit ? Math.max(...slopes.map(Math.abs)) : 0;
  for (const [i, slope] of slopes.entries()) {
    if (Math.abs(slope) > price + room) return `more of asset ${i + 1} would add ${slope}`;
    const isHeld = Math.abs(leverage[i]) > 1e-7 * sizes;
    if (isHeld && Math.abs(slope - Math.sign(leverage[i]) * price) > room)
      return `the slope of asset ${i + 1} is ${slope}`;
  }
  return null;
}

function verifyAssets(config: Config, { bestSolution, bestFitness }: Solution): string | null {
  const assets = assetsOf(config);
  const growth = config.risk_free_rate + excessGrowth(assets, bestSolution);
  if (!(Math.abs(growth - bestFitness) <= 1e-9 * (1 + Math.abs(growth)))) return `growth is ${growth}`;
  return slopeComplaint(config, assets, bestSolution);
}

function verifyBet(config: Config, bet: { readonly p: number; readonly b: number }, solution: Solution): string | null {
  const { p, b } = bet;
  const [stake] = solution.bestSolution;
  const growth = p * Math.log1p(stake * b) + (p < 1 ? (1 - p) * Math.log1p(-stake) : 0);
  if (!(Math.abs(growth - solution.bestFitness) <= 1e-9 * (1 + Math.abs(growth)))) return `growth is ${growth}`;
  if (config.max_leverage !== undefined && stake >= config.max_leverage) return null;
  const full = stake / config.fraction;
  // p b (1 - f) = (1 - p) (1 + f b) where the slope is 0; at a stake of 0 it must not rise.
  const slope = p * b * (1 - full) - (1 - p) * (1 + full * b);
  const isFlat = Math.abs(slope) <= 1e-9 * (1 + b);
  return isFlat || (stake === 0 && slope < 0) ? null : `the slope at the full stake is ${slope}`;
}

const ESTIMATES = say(
  2,
  'assumption',
  'The odds and returns are taken as true. Estimates from past data are mostly too good, and a stake beyond the true best one grows less at more risk.',
  {},
);

export const kellySizing = model({
  name: 'kelly_sizing',
  summary: 'How much to stake on a bet, or to hold of assets, so that wealth grows fastest.',
  fields,
  example: { model: 'kelly_sizing', win_probability: 0.55, win_loss_ratio: 1.2, fraction: 0.5 },

  check(config, complain) {
    const { win_probability, win_loss_ratio, expected_returns, covariance } = config;
    const isBet = win_probability !== undefined || win_loss_ratio !== undefined;
    const isAssets = expected_returns !== undefined || covariance !== undefined;
    if (isBet && isAssets) {
      const at = expected_returns === undefined ? 'covariance' : 'expected_returns';
      return complain([at], '`{field}` does not go with `config.win_probability` and `config.win_loss_ratio`.');
    }
    if (!isAssets) {
      if (win_probability === undefined) {
        return complain(
          ['win_probability'],
          '`{field}` is required with `config.win_loss_ratio`; or `config.expected_returns` with `config.covariance`.',
        );
      }
      if (win_loss_ratio === undefined)
        complain(['win_loss_ratio'], '`{field}` is required with `config.win_probability`.');
      return;
    }
    if (expected_returns === undefined)
      return complain(['expected_returns'], '`{field}` is required with `config.covariance`.');
    if (covariance === undefined)
      return complain(['covariance'], '`{field}` is required with `config.expected_returns`.');
    const n = expected_returns.length;
    if (covariance.length !== n || covariance[0].length !== n) {
      return complain(
        ['covariance'],
        `\`{field}\` must have ${n} rows of ${n} numbers, as \`config.expected_returns\` has.`,
      );
    }
    for (const [i, row] of covariance.entries()) {
      if (!(row[i] > 0)) return complain(['covariance', i, i], '`{field}` must be above 0: it is a variance.');
      for (let j = 0; j < i; j++) {
        const room = 1e-9 * Math.sqrt(row[i] * covariance[j][j]);
        if (Math.abs(row[j] - covariance[j][i]) > room) {
          return complain(['covariance', i, j], `\`{field}\` must equal its mirror image, ${covariance[j][i]}.`);
        }
      }
    }
  },

  sense: () => 'maximize',

  solve(config, context) {
    const bet = betOf(config);
    return bet === null ? solveAssets(config, context) : solveBet(config, bet);
  },

  verify(config, solution) {
    const bet = betOf(config);
    return bet === null ? verifyAssets(config, solution) : verifyBet(config, bet, solution);
  },

  explain(config, { bestSolution, bestFitness, reason, result }) {
    const bet = betOf(config);
    const why = say(2, 'choice', `This method: ${reason}.`, {});
    if (bet === null) {
      const sizes = sizeOf(bestSolution);
      const most = bestSolution.reduce(
        (best, value, i) => (Math.abs(value) > Math.abs(bestSolution[best]) ? i : best),
        0,
      );
      return [
        say(
          1,
          'result',
          'Hold positions worth {sizes} times the wealth, the largest of them {value} in asset {asset}.',
          {
            sizes,
            value: bestSolution[most],
            asset: most + 1,
          },
        ),
        say(1, 'result', 'Wealth then grows by {growth} per period, at a volatility of {volatility}.', {
          growth: bestFitness,
          volatility: Number(result['volatility']),
        }),
        why,
        ESTIMATES,
        ...(result['full_kelly_leverage'] === null
          ? []
          : [
              say(4, 'sensitivity', 'Twice the full Kelly positions would grow no faster than cash, {rate}.', {
                rate: config.risk_free_rate,
              }),
            ]),
      ];
    }
    const [stake] = bestSolution;
    return [
      stake > 0
        ? say(
            1,
            'result',
            'Stake {percent} percent of the wealth on each bet: the logarithm of the wealth then grows by {growth} per bet.',
            {
              percent: 100 * stake,
              growth: bestFitness,
            },
          )
        : say(1, 'result', 'Stake nothing: the bet loses {loss} per unit on average.', {
            loss: -Number(result['expected_gain']),
          }),
      why,
      ESTIMATES,
      ...(stake > 0
        ? [
            say(
              4,
              'sensitivity',
              'If the bet is won {points} percentage points less often, the same stake grows by {growth}.',
              {
                points: 2,
                growth: growthOf({ ...bet, p: Math.max(0, bet.p - 0.02) }, Math.min(stake, 1 - 1e-9)),
              },
            ),
          ]
        : []),
    ];
  },

  pictures: {
    growth_by_stake(config, { bestSolution: [stake] }) {
      const bet = betOf(config);
      if (bet === null) return null;
      const end = Math.min(0.99, Math.max(0.1, 2.5 * Math.max(stake, bet.p - (1 - bet.p) / bet.b)));
      const points = Array.from({ length: 101 }, (_, i): Point => {
        const x = (end * i) / 100;
        return [100 * x, 100 * growthOf(bet, x)];
      });
      return lineChart({
        title: 'Growth by stake',
        xName: 'stake, percent of wealth',
        yName: 'growth per bet, percent',
        series: [{ name: 'growth', points }],
        marks: stake > 0.99 ? [] : [{ at: [100 * stake, 100 * growthOf(bet, stake)], name: 'stake' }],
      });
    },
    positions(config, { bestSolution }) {
      if (betOf(config) !== null) return null;
      const order = [...bestSolution.keys()].sort((a, b) => Math.abs(bestSolution[b]) - Math.abs(bestSolution[a]));
      const most = order.slice(0, 18).sort((a, b) => a - b);
      return barChart({
        title: most.length < bestSolution.length ? `The ${most.length} largest positions` : 'Positions',
        xName: 'share of the wealth',
        names: most.map((i) => `asset ${i + 1}`),
        series: [{ name: 'position', values: most.map((i) => bestSolution[i]) }],
      });
    },
  },
});
