import { describe, expect, it } from 'vitest';
import {
  guideConfigs,
  referenceCases,
  referenceText,
  solveConfig,
  solved,
  type ReferenceCase,
} from '../../../../test/support/problems.js';
import { Rng } from '../../../common/rng.js';
import { portfolio } from './portfolio.js';

const cases = referenceCases('financial', 'portfolio');

/** Expected returns and covariance of a case, read from its own description. */
interface Known {
  readonly means: readonly number[] | null;
  readonly covariance: readonly (readonly number[])[];
}

const fromVolatilities = (volatilities: readonly number[], correlation: readonly (readonly number[])[]) =>
  correlation.map((row, i) => row.map((value, j) => value * volatilities[i] * volatilities[j]));

/** OR-Library: n, then mean and deviation of each asset, then the upper triangle of correlations. */
function readOrLibrary(text: string): { config: Record<string, unknown>; known: Known } {
  const numbers = text.trim().split(/\s+/).map(Number);
  const n = numbers[0];
  const assets = Array.from({ length: n }, (_, i) => ({
    id: String(i + 1),
    expected_return: numbers[1 + 2 * i],
    volatility: numbers[2 + 2 * i],
  }));
  const correlation = Array.from({ length: n }, () => new Array<number>(n).fill(0));
  for (let at = 1 + 2 * n; at + 2 < numbers.length; at += 3) {
    const [i, j, value] = [numbers[at] - 1, numbers[at + 1] - 1, numbers[at + 2]];
    correlation[i][j] = value;
    correlation[j][i] = value;
  }
  const covariance = fromVolatilities(
    assets.map(({ volatility }) => volatility),
    correlation,
  );
  const means = assets.map(({ expected_return }) => expected_return);
  return { config: { assets, correlation }, known: { means, covariance } };
}

function readCase({ instance, config }: ReferenceCase): { config: Record<string, unknown>; known: Known } {
  if (instance?.startsWith('orlib/') === true) {
    const read = readOrLibrary(referenceText('financial', instance));
    return { config: { ...config, ...read.config }, known: read.known };
  }
  if (instance !== undefined) {
    const data = JSON.parse(referenceText('financial', instance)) as {
      assets: string[];
      expected_returns: number[];
      covariance: number[][];
    };
    const { assets, expected_returns, covariance } = data;
    return {
      config: { ...config, assets: assets.map((id) => ({ id })), expected_returns, covariance },
      known: { means: expected_returns, covariance },
    };
  }
  const { volatilities, ...own } = config as { volatilities?: number[]; [name: string]: unknown };
  const correlation = config['correlation'] as number[][];
  if (volatilities !== undefined) {
    const assets = volatilities.map((volatility) => ({ volatility }));
    return {
      config: { ...own, assets },
      known: { means: null, covariance: fromVolatilities(volatilities, correlation) },
    };
  }
  const assets = config['assets'] as { expected_return: number; volatility: number }[];
  return {
    config: own,
    known: {
      means: assets.map((one) => one.expected_return),
      covariance: fromVolatilities(
        assets.map((one) => one.volatility),
        correlation,
      ),
    },
  };
}

const times = (table: readonly (readonly number[])[], x: readonly number[]): number[] =>
  table.map((row) => row.reduce((sum, value, j) => sum + value * x[j], 0));
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, j) => sum + value * b[j], 0);

describe('the reference', () => {
  const reason = cases === null ? 'no reference beside this checkout' : '';
  it.skipIf(cases === null)(`has 31 cases ${reason}`, () => expect(cases).toHaveLength(31));

  for (const one of cases ?? []) {
    it(`agrees with ${one.id}`, async () => {
      const { config, known } = readCase(one);
      const { bestSolution: w, bestFitness, answer } = await solved(portfolio, config);
      const { expected, tolerance } = one;
      const variance = dot(w, times(known.covariance, w));
      const result = answer.result as Record<string, number>;
      expect(answer.optimality.status).toBe('optimal');
      expect(answer.optimality.gap).toBeLessThan(1e-8);
      expect(
        dot(
          w,
          w.map(() => 1),
        ),
      ).toBeCloseTo(1, 9);
      expect(result['variance'] / variance).toBeCloseTo(1, 9);
      if (typeof expected['variance'] === 'number') {
        expect(Math.abs(variance / expected['variance'] - 1)).toBeLessThan(tolerance['variance_rel'] as number);
        expect(bestFitness).toBeCloseTo(Math.sqrt(variance), 12);
      }
      if (config['target_return'] !== undefined) {
        expect(dot(known.means!, w)).toBeGreaterThan((config['target_return'] as number) - 1e-12);
      }
      const held = w.filter((weight) => weight > 1e-9).length;
      if (config['max_assets'] !== undefined) expect(held).toBeLessThanOrEqual(config['max_assets'] as number);
      if (Array.isArray(expected['support_1based'])) {
        const support = w.flatMap((weight, j) => (weight > 1e-9 ? [j + 1] : []));
        expect(support).toEqual(expected['support_1based']);
      }
      const abs = (name: string, fallback: number): number =>
        (tolerance[`${name}_abs`] as number | undefined) ?? fallback;
      if (Array.isArray(expected['weights'])) {
        const given = expected['weights'] as number[];
        const own = given.length === w.length ? w : w.filter((weight) => weight > 1e-9);
        for (const [j, weight] of given.entries()) expect(Math.abs(own[j] - weight)).toBeLessThan(abs('weight', 2e-4));
      }
      if (typeof expected['sharpe'] === 'number') {
        const rate = (config['risk_free_rate'] as number | undefined) ?? 0;
        const sharpe = (dot(known.means!, w) - rate) / Math.sqrt(variance);
        expect(Math.abs(sharpe - expected['sharpe'])).toBeLessThan(abs('sharpe', 1e-5));
      }
      if (typeof expected['volatility'] === 'number') {
        expect(Math.abs(Math.sqrt(variance) - expected['volatility'])).toBeLessThan(abs('volatility', 1e-5));
      }
      if (Array.isArray(expected['risk_contributions'])) {
        const shares = times(known.covariance, w).map((value, j) => (value * w[j]) / variance);
        for (const [j, share] of (expected['risk_contributions'] as number[]).entries()) {
          expect(shares[j]).toBeCloseTo(share, 9);
          expect((answer.result['risk_contributions'] as number[])[j]).toBeCloseTo(share, 9);
        }
      }
    });
  }
});

interface Universe {
  readonly config: { readonly expected_returns: number[]; readonly covariance: number[][] };
  readonly means: number[];
  readonly covariance: number[][];
}

function randomUniverse(rng: Rng, n: number): Universe {
  const factors = Array.from({ length: n + 2 }, () => Array.from({ length: n }, () => 0.1 * rng.normal()));
  const covariance = Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_unused, j) => factors.reduce((sum, f) => sum + f[i] * f[j], 0)),
  );
  const means = Array.from({ length: n }, () => 0.03 + 0.1 * rng.uniform());
  return { config: { expected_returns: means, covariance }, means, covariance };
}

/** Gaussian elimination with row pivoting. */
function solveEquations(table: readonly (readonly number[])[], right: readonly number[]): number[] {
  const a = table.map((row, i) => [...row, right[i]]);
  const n = a.length;
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k; i < n; i++) if (Math.abs(a[i][k]) > Math.abs(a[pivot][k])) pivot = i;
    [a[k], a[pivot]] = [a[pivot], a[k]];
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const factor = a[i][k] / a[k][k];
      for (let j = k; j <= n; j++) a[i][j] -= factor * a[k][j];
    }
  }
  return a.map((row, i) => row[n] / row[i]);
}

const varianceOf = ({ covariance }: Universe, w: readonly number[]): number => dot(w, times(covariance, w));

const subsets = (n: number): number[][] =>
  Array.from({ length: (1 << n) - 1 }, (_, k) =>
    Array.from({ length: n }, (_unused, j) => j).filter((j) => ((k + 1) >> j) & 1),
  );

/**
 * Best long-only portfolio that maximizes gain'w / risk over a subset, by the closed form of each. Null: none is
 * long-only.
 */
function bestOfSubsets(
  universe: Universe,
  most: number,
  solve: (covariance: number[][], subset: readonly number[]) => number[],
  value: (w: number[]) => number,
): number {
  const n = universe.means.length;
  let best = Infinity;
  for (const subset of subsets(n).filter((one) => one.length <= most)) {
    const part = subset.map((i) => subset.map((j) => universe.covariance[i][j]));
    const raw = solve(part, subset);
    const sum = dot(
      raw,
      raw.map(() => 1),
    );
    if (raw.some((weight) => weight / sum < -1e-12)) continue;
    const w = new Array<number>(n).fill(0);
    for (const [k, j] of subset.entries()) w[j] = raw[k] / sum;
    best = Math.min(best, value(w));
  }
  return best;
}

const ones = (of: readonly unknown[]): number[] => of.map(() => 1);

/** All weights of three assets on a grid, with their sum 1. */
function* grid(steps: number): Generator<number[]> {
  for (let a = 0; a <= steps; a++)
    for (let b = 0; b <= steps - a; b++) yield [a / steps, b / steps, (steps - a - b) / steps];
}

describe('random portfolios', () => {
  const SEEDS = [1, 2, 3, 4, 5, 6];

  it.each(SEEDS)('have the least variance of all subsets of assets, also of few (seed %s)', async (seed) => {
    const universe = randomUniverse(Rng.create(seed), 6);
    for (const most of [6, 2, 3]) {
      const expected = bestOfSubsets(
        universe,
        most,
        (part) => solveEquations(part, ones(part)),
        (w) => varianceOf(universe, w),
      );
      const config = { ...universe.config, objective: 'min_volatility', max_assets: most < 6 ? most : undefined };
      const { bestSolution, bestFitness, method } = await solved(portfolio, config);
      expect(bestFitness ** 2 / expected).toBeCloseTo(1, 8);
      expect(bestSolution.filter((weight) => weight > 1e-9).length).toBeLessThanOrEqual(most);
      expect(method).toBe(most < 6 ? 'qp_branch_and_bound' : 'convex_qp');
    }
  });

  it.each(SEEDS)('have the largest ratios of all subsets (seed %s)', async (seed) => {
    const universe = randomUniverse(Rng.create(100 + seed), 6);
    const rate = 0.02;
    const single = universe.covariance.map((row, i) => Math.sqrt(row[i]));
    for (const [objective, gain] of [
      ['max_sharpe', universe.means.map((mean) => mean - rate)],
      ['max_diversification', single],
    ] as const) {
      for (const most of [6, 3]) {
        const expected = -bestOfSubsets(
          universe,
          most,
          (part, subset) =>
            solveEquations(
              part,
              subset.map((j) => gain[j]),
            ),
          (w) => -dot(gain, w) / Math.sqrt(varianceOf(universe, w)),
        );
        const { bestFitness } = await solved(portfolio, {
          ...universe.config,
          objective,
          risk_free_rate: rate,
          max_assets: most,
        });
        expect(bestFitness / expected).toBeCloseTo(1, 8);
      }
    }
  });

  it.each(SEEDS)('with short positions have the closed form (seed %s)', async (seed) => {
    const universe = randomUniverse(Rng.create(200 + seed), 5);
    const wide = { ...universe.config, min_weight: -50, max_weight: 50 };
    const least = solveEquations(universe.covariance, ones(universe.means));
    const sum = dot(least, ones(least));
    const { bestSolution } = await solved(portfolio, { ...wide, objective: 'min_volatility' });
    for (const [j, weight] of bestSolution.entries()) expect(weight).toBeCloseTo(least[j] / sum, 7);
    // Largest utility: w = (C^-1 mu - lambda C^-1 1) / delta with the multiplier that makes it add up to 1.
    const delta = 4;
    const toMeans = solveEquations(universe.covariance, universe.means);
    const lambda = (dot(toMeans, ones(toMeans)) - delta) / sum;
    const utility = await solved(portfolio, { ...wide, objective: 'max_utility', risk_aversion: delta });
    for (const [j, weight] of utility.bestSolution.entries()) {
      expect(weight).toBeCloseTo((toMeans[j] - lambda * least[j]) / delta, 6);
    }
    // Least variance for a return: A, B, C of Merton 1972.
    const [a, b, c] = [sum, dot(toMeans, ones(toMeans)), dot(toMeans, universe.means)];
    const target = 0.15;
    const { bestFitness } = await solved(portfolio, { ...wide, objective: 'efficient_return', target_return: target });
    const expected = target * a > b ? (a * target * target - 2 * b * target + c) / (a * c - b * b) : 1 / a;
    expect(bestFitness ** 2 / expected).toBeCloseTo(1, 8);
    const back = await solved(portfolio, { ...wide, objective: 'efficient_risk', target_volatility: bestFitness });
    expect(back.bestFitness).toBeCloseTo(target, 6);
  });

  it.each(SEEDS)('are beaten by no point of a grid (seed %s)', async (seed) => {
    const universe = randomUniverse(Rng.create(300 + seed), 3);
    const { means } = universe;
    const assets = [0.5, 0.3, 0.2].map((current_weight, i) => ({
      id: `A${i}`,
      group: i < 2 ? 'x' : 'y',
      current_weight,
    }));
    const limits = { max_turnover: 0.4, transaction_cost: 0.01, groups: [{ group: 'x', min: 0.3, max: 0.75 }] };
    const traded = (w: readonly number[]): number =>
      w.reduce((total, weight, j) => total + Math.abs(weight - assets[j].current_weight), 0);
    const holds = (w: readonly number[]): boolean =>
      traded(w) <= 0.4 + 1e-12 && w[0] + w[1] >= 0.3 - 1e-12 && w[0] + w[1] <= 0.75 + 1e-12;
    const earned = (w: readonly number[]): number => dot(means, w) - 0.01 * traded(w);
    const values: Record<string, (w: readonly number[]) => number> = {
      max_return: earned,
      max_utility: (w) => earned(w) - 1.5 * varianceOf(universe, w) - 0.01 * dot(w, w),
      max_sharpe: (w) => (earned(w) - 0.01) / Math.sqrt(varianceOf(universe, w)),
      min_volatility: (w) => -Math.sqrt(varianceOf(universe, w)),
      efficient_risk: earned,
    };
    const target = Math.sqrt(varianceOf(universe, [0.5, 0.25, 0.25]));
    for (const [objective, value] of Object.entries(values)) {
      const extra = {
        ...(objective === 'max_utility' ? { risk_aversion: 3, l2_penalty: 0.01 } : {}),
        target_volatility: objective === 'efficient_risk' ? target : undefined,
        risk_free_rate: 0.01,
      };
      const { bestSolution: w, bestFitness } = await solved(portfolio, {
        ...universe.config,
        assets,
        ...limits,
        objective,
        ...extra,
      });
      expect(holds(w.map((weight) => weight)) || traded(w) < 0.4 + 1e-8).toBe(true);
      const sign = objective === 'min_volatility' ? -1 : 1;
      expect(sign * bestFitness).toBeCloseTo(value(w), 8);
      for (const other of grid(60)) {
        if (!holds(other)) continue;
        if (objective === 'efficient_risk' && Math.sqrt(varianceOf(universe, other)) > target) continue;
        expect(value(other)).toBeLessThanOrEqual(value(w) + 1e-8);
      }
    }
  });

  it.each(SEEDS)('have the lowest CVaR of a grid, also with few assets (seed %s)', async (seed) => {
    const rng = Rng.create(400 + seed);
    const returns = Array.from({ length: 40 }, () => Array.from({ length: 3 }, () => 0.002 + 0.03 * rng.normal()));
    const tail = (w: readonly number[]): number => {
      const losses = returns.map((row) => -dot(row, w)).sort((a, b) => b - a);
      // 0.9 of 40 periods: the worst four.
      return losses.slice(0, 4).reduce((sum, loss) => sum + loss, 0) / 4;
    };
    for (const most of [3, 1]) {
      const { bestSolution, bestFitness, answer, method } = await solved(portfolio, {
        objective: 'min_cvar',
        returns,
        confidence: 0.9,
        max_assets: most < 3 ? most : undefined,
      });
      expect(method).toBe(most < 3 ? 'milp' : 'lp');
      expect(bestFitness).toBeCloseTo(tail(bestSolution), 9);
      expect(answer.result['cvar']).toBeCloseTo(bestFitness, 9);
      for (const other of most < 3
        ? [
            [1, 0, 0],
            [0, 1, 0],
            [0, 0, 1],
          ]
        : grid(40)) {
        // prettier-ignore
        expect(tail(other)).toBeGreaterThanOrEqual(bestFitness - 1e-9);
      }
    }
  });

  it.each(SEEDS)('share the risk as budgeted (seed %s)', async (seed) => {
    const rng = Rng.create(500 + seed);
    const universe = randomUniverse(rng, 8);
    const budgets = universe.means.map(() => 0.1 + rng.uniform());
    const total = dot(budgets, ones(budgets));
    const { bestSolution: w, bestFitness } = await solved(portfolio, {
      ...universe.config,
      objective: 'risk_parity',
      risk_budgets: budgets,
    });
    const slopes = times(universe.covariance, w);
    for (const [j, budget] of budgets.entries()) {
      expect((w[j] * slopes[j]) / varianceOf(universe, w)).toBeCloseTo(budget / total, 9);
    }
    expect(bestFitness).toBeLessThan(1e-9);
  });

  it.each([0.1, 0.3])('hold at least %s of what they hold', async (least) => {
    const universe = randomUniverse(Rng.create(600), 5);
    const { bestSolution, bestFitness } = await solved(portfolio, {
      ...universe.config,
      objective: 'min_volatility',
      min_position: least,
    });
    expect(bestSolution.every((weight) => weight === 0 || weight >= least - 1e-9)).toBe(true);
    // A grid of step 0.05, on which every weight is 0 or at least the least position.
    const visit = (w: readonly number[], left: number): void => {
      if (w.length === 5) {
        if (left === 0) {
          const weights = w.map((units) => units / 20);
          if (weights.every((weight) => weight === 0 || weight >= least)) {
            expect(Math.sqrt(varianceOf(universe, weights))).toBeGreaterThanOrEqual(bestFitness - 1e-9);
          }
        }
        return;
      }
      for (let units = 0; units <= left; units++) visit([...w, units], left - units);
    };
    visit([], 20);
  });
});

describe('what else is asked for', () => {
  const universe = randomUniverse(Rng.create(700), 4);

  it('gives a frontier on which each point has the least volatility for its return', async () => {
    const { answer, bestFitness } = await solved(portfolio, {
      ...universe.config,
      objective: 'frontier',
      frontier_points: 7,
    });
    const points = answer.result['frontier'] as { expected_return: number; volatility: number; sharpe: number }[];
    expect(points).toHaveLength(7);
    for (const [k, { expected_return: target_return, volatility, sharpe }] of points.entries()) {
      const config = { ...universe.config, objective: 'efficient_return', target_return: target_return - 1e-12 };
      expect((await solved(portfolio, config)).bestFitness).toBeCloseTo(volatility, 7);
      if (k > 0) expect(volatility).toBeGreaterThanOrEqual(points[k - 1].volatility - 1e-12);
      expect(sharpe).toBeLessThanOrEqual(bestFitness + 1e-9);
    }
    expect(answer.alternatives).toHaveLength(7);
  });

  it('buys whole shares within the capital, as near to the weights as a share is dear', async () => {
    const prices = [310, 42, 17, 128];
    const { answer, bestSolution } = await solved(portfolio, {
      ...universe.config,
      objective: 'min_volatility',
      capital: 25_000,
      prices_now: prices,
    });
    const { leftover_cash: left, ...shares } = answer.result['shares'] as Record<string, number>;
    const counts = Object.values(shares);
    expect(counts.every((count) => Number.isInteger(count) && count >= 0)).toBe(true);
    expect(left + dot(counts, prices)).toBeCloseTo(25_000, 6);
    expect(left).toBeGreaterThanOrEqual(0);
    for (const [j, count] of counts.entries())
      expect(Math.abs(count * prices[j] - 25_000 * bestSolution[j])).toBeLessThan(prices[j] + 1e-6);
  });

  it('holds gross exposure where short positions are allowed', async () => {
    const config = {
      ...universe.config,
      objective: 'max_return',
      min_weight: -0.3,
      max_weight: 1.3,
      gross_exposure: 1.6,
    };
    const { bestSolution, answer } = await solved(portfolio, config);
    expect(bestSolution.reduce((sum, weight) => sum + Math.abs(weight), 0)).toBeCloseTo(1.6, 8);
    expect(answer.constraints.find(({ name }) => name === 'gross_exposure')).toMatchObject({ binding: true });
  });

  it('estimates from prices what the definitions say', async () => {
    const rng = Rng.create(800);
    const prices = Array.from({ length: 61 }, () => [0, 0]);
    for (const [t, row] of prices.entries()) {
      for (const j of [0, 1]) row[j] = t === 0 ? 100 : prices[t - 1][j] * (1 + 0.001 + 0.02 * rng.normal());
    }
    const returns = prices.slice(1).map((row, t) => row.map((price, j) => price / prices[t][j] - 1));
    const column = (j: number): number[] => returns.map((row) => row[j]);
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    const covariance = (i: number, j: number, divisor: number): number =>
      returns.reduce((sum, row) => sum + (row[i] - mean(column(i))) * (row[j] - mean(column(j))), 0) / divisor;
    const sample = [0, 1].map((i) => [0, 1].map((j) => covariance(i, j, 59) * 252));
    const { answer, bestSolution: w } = await solved(portfolio, {
      prices,
      objective: 'min_volatility',
      risk_estimator: 'sample',
    });
    expect(answer.result['variance']).toBeCloseTo(dot(w, times(sample, w)), 12);
    const growth = [0, 1].map((j) => (prices[60][j] / 100) ** (252 / 60) - 1);
    expect(answer.result['expected_return']).toBeCloseTo(dot(growth, w), 9);
    const arithmetic = await solved(portfolio, { returns, objective: 'max_return', return_estimator: 'arithmetic' });
    expect(arithmetic.bestFitness).toBeCloseTo(Math.max(mean(column(0)), mean(column(1))) * 252, 9);
    // Ledoit and Wolf, by the definitions of their section 3.
    const S = [0, 1].map((i) => [0, 1].map((j) => covariance(i, j, 60)));
    const level = (S[0][0] + S[1][1]) / 2;
    const square = (a: number[][]): number => a.flat().reduce((sum, value) => sum + value * value, 0) / 2;
    const spread = square(S.map((row, i) => row.map((value, j) => value - (i === j ? level : 0))));
    const errors = returns.map((row) => {
      const x = row.map((value, j) => value - mean(column(j)));
      return square(S.map((own, i) => own.map((value, j) => x[i] * x[j] - value)));
    });
    const weight = Math.min(spread, errors.reduce((sum, value) => sum + value, 0) / 3_600) / spread;
    const shrunk = S.map((row, i) =>
      row.map((value, j) => 252 * ((1 - weight) * value + (i === j ? weight * level : 0))),
    );
    const lw = await solved(portfolio, { returns, objective: 'min_volatility', risk_estimator: 'ledoit_wolf' });
    expect(lw.answer.result['variance']).toBeCloseTo(dot(lw.bestSolution, times(shrunk, lw.bestSolution)), 12);
    expect(weight).toBeGreaterThan(0);
  });

  it('clusters two pairs before it splits the weight between them', async () => {
    // Halves of equal pairs: each pair has inverse-variance weights within, and the halves share by their variances.
    const volatility = [0.1, 0.1, 0.2, 0.2];
    const correlation = [[1, 0.9, 0, 0], [0.9, 1, 0, 0], [0, 0, 1, 0.9], [0, 0, 0.9, 1]]; // prettier-ignore
    const assets = volatility.map((one) => ({ volatility: one }));
    const { bestSolution, answer } = await solved(portfolio, { objective: 'hrp', assets, correlation });
    expect(bestSolution.map((weight) => Number(weight.toFixed(12)))).toEqual([0.4, 0.4, 0.1, 0.1]);
    expect(answer.optimality.status).toBe('heuristic');
  });

  it('repairs a covariance that is none, and says so', async () => {
    const assets = [0.1, 0.2, 0.3].map((volatility) => ({ volatility }));
    const correlation = [[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]]; // prettier-ignore
    const { answer } = await solved(portfolio, { objective: 'min_volatility', assets, correlation });
    expect(answer.warnings.map(({ code }) => code)).toContain('covariance_repaired');
    const { answer: plain } = await solved(portfolio, { objective: 'min_volatility', assets });
    expect(plain.warnings.map(({ code }) => code)).toEqual(['no_correlation']);
  });
});

describe('the run is over', () => {
  it('is seen while the trades of 300 assets are held one after another', async () => {
    const n = 300;
    const assets = Array.from({ length: n }, (_, i) => ({
      expected_return: 0.05 + i / 10_000,
      volatility: 0.2,
      current_weight: 1 / n,
    }));
    const config = { objective: 'min_volatility', assets, correlation: 0.2, max_turnover: 1 };
    // One for each row of the factor and of its inverse, 3 n columns each, then one for each trade.
    const most = 6 * n + n / 2;
    let looks = 0;
    const isOver = (): boolean => ++looks > most;
    await expect(solveConfig(portfolio, config, { isOver })).rejects.toThrow('the run is over');
    expect(looks).toBe(most + 1);
  });
});

describe('numbers of very different sizes', () => {
  it('keep the sum of the weights where returns are large beside a covariance of one factor', async () => {
    const factor = [8e-6, -1.3e-5, -7e-6, 1.8e-6, -1.1e-5];
    const covariance = factor.map((a) => factor.map((b) => a * b));
    const expected_returns = [-1.1e-7, -9e-7, 8.4e-6, 1.156e-5, -1.5e-6];
    const config = { objective: 'max_utility', covariance, expected_returns, max_weight: 0.3 };
    const { bestSolution, bestFitness } = await solved(portfolio, config);
    expect(dot(bestSolution, ones(bestSolution))).toBeCloseTo(1, 9);
    // The variance is a thousandth of the return at most: the highest returns come first.
    expect(bestFitness).toBeCloseTo(0.3 * 1.156e-5 + 0.3 * 8.4e-6 + 0.3 * -1.1e-7 + 0.1 * -9e-7, 9);
    expect(bestSolution[3]).toBeCloseTo(0.3, 9);
  });

  it('give no volatility to what has none', async () => {
    const assets = [0, 0.3, 0.1].map((volatility) => ({ volatility, expected_return: 0.1 }));
    const config = { objective: 'efficient_return', assets, correlation: 0.4, target_return: 0.05 };
    expect((await solved(portfolio, config)).bestFitness).toBeLessThan(1e-9);
  });
});

describe('what cannot be', () => {
  const assets = [0.05, 0.08, 0.1].map((expected_return, i) => ({
    id: `A${i}`,
    expected_return,
    volatility: 0.1 + 0.05 * i,
  }));
  const base = { objective: 'min_volatility', assets, correlation: 0.2 };

  it.each([
    [{ min_weight: 0.4 }, ['min_weight', 'net_exposure'], 'add up to 1.2'],
    [{ max_weight: 0.3 }, ['max_weight', 'net_exposure'], 'add up to 0.9'],
    [{ objective: 'efficient_return', target_return: 0.2 }, ['target_return'], 'is 0.1, below target_return 0.2'],
    [{ objective: 'efficient_risk', target_volatility: 0.01 }, ['target_volatility'], 'above target_volatility 0.01'],
    [{ objective: 'max_sharpe', risk_free_rate: 0.2 }, ['risk_free_rate'], 'risk-free rate'],
    [{ max_assets: 2, max_weight: 0.4 }, ['max_assets'], 'max_assets'],
    [
      { constraints: [{ id: 'a', weights: { A0: 1 }, min: 0.8 }, { id: 'b', weights: { A1: 1 }, min: 0.7 }] }, // prettier-ignore
      ['net_exposure', 'constraint a', 'constraint b'],
      'cannot hold together',
    ],
  ])('%j is infeasible', async (change, conflict, words) => {
    const outcome = await solveConfig(portfolio, { ...base, ...change });
    if (!('error' in outcome)) throw new Error('it was solved');
    expect(outcome.error.code).toBe('infeasible');
    expect(outcome.error.message).toContain(words);
    for (const name of conflict) expect(outcome.error.conflict).toContain(name);
  });

  it('has no largest ratio where something without risk earns more than the risk-free rate', async () => {
    const free = [...assets, { id: 'cash', expected_return: 0.03, volatility: 0 }];
    const outcome = await solveConfig(portfolio, { objective: 'max_sharpe', assets: free, correlation: 0 });
    expect(outcome).toMatchObject({ error: { code: 'unbounded' } });
  });

  it.each([
    [{ objective: 'efficient_return' }, 'config.target_return'],
    [{ objective: 'efficient_risk' }, 'config.target_volatility'],
    [{ objective: 'min_cvar' }, 'config.returns'],
    [{ objective: 'best' }, 'config.objective'],
    [{ min_weight: 0.5, max_weight: 0.2 }, 'config.max_weight'],
    [{ assets: [{ ...assets[0], min_weight: 0.5, max_weight: 0.2 }] }, 'config.assets[0].max_weight'],
    [{ assets: [assets[0], assets[0]] }, 'config.assets[1].id'],
    [{ assets: [{ id: 'a', volatilty: 1 }] }, 'config.assets[0].volatilty'],
    [{ assets: [{ id: 'a' }] }, 'config.assets[0].volatility'],
    [{ objective: 'max_sharpe', assets: [{ id: 'a', volatility: 0.1 }] }, 'config.assets[0].expected_return'],
    [{ correlation: [[1, 0.2], [0.2, 1]] }, 'config.correlation'], // prettier-ignore
    [{ correlation: [[1, 0.2, 0], [0.3, 1, 0], [0, 0, 1]] }, 'config.correlation[1][0]'], // prettier-ignore
    [{ correlation: 2 }, 'config.correlation'],
    [{ covariance: [[1]] }, 'config.correlation'],
    [{ groups: [{ group: 'none', max: 0.5 }] }, 'config.groups[0].group'],
    [{ constraints: [{ weights: { B: 1 }, max: 1 }] }, 'config.constraints[0].weights.B'],
    [{ constraints: [{ weights: { A0: 1 } }] }, 'config.constraints[0]'],
    [{ max_turnover: 0.1 }, 'config.max_turnover'],
    [{ min_position: 0.1, min_weight: -1 }, 'config.min_position'],
    [{ gross_exposure: 0.5 }, 'config.gross_exposure'],
    [{ capital: 1000 }, 'config.prices_now'],
    [{ risk_budgets: [1, 1, 1] }, 'config.risk_budgets'],
    [{ objective: 'risk_parity', risk_budgets: [1, 1] }, 'config.risk_budgets'],
    [{ objective: 'risk_parity', max_assets: 2 }, 'config.max_assets'],
    [{ objective: 'hrp', min_weight: 0.1 }, 'config.min_weight'],
    [{ confidence: 95 }, 'config.confidence'],
    [{ target_return: 0.1 }, 'config.target_return'],
    [{ returns: [[0.1], [0.2, 0.3]] }, 'config.returns[1]'],
    [{ prices: { A0: [1, -1, 2] } }, 'config.prices.A0[1]'],
  ])('%j is refused at %s', async (change, path) => {
    await expect(solveConfig(portfolio, { ...base, ...change })).rejects.toMatchObject({ field: path });
  });

  it('needs assets in some form', async () => {
    await expect(solveConfig(portfolio, {})).rejects.toThrow('`config.assets` is required');
  });
});

describe('the guide', () => {
  const configs = guideConfigs('financial', 'portfolio');

  it('has configs that are solved to a proof', async () => {
    expect(configs).toHaveLength(2);
    for (const config of configs) expect((await solved(portfolio, config)).answer.optimality.status).toBe('optimal');
  });

  it('says what comes back', async () => {
    const { answer } = await solved(portfolio, configs[1]);
    const { B, D } = answer.result['weights'] as { B: number; D: number };
    expect([B.toFixed(3), D.toFixed(3)]).toEqual(['0.550', '0.450']);
  });
});

describe('a frontier on which nothing earns more than the risk-free rate', () => {
  it('is answered with its best point', async () => {
    const { bestFitness, bestSolution, answer } = await solved(portfolio, {
      objective: 'frontier',
      expected_returns: [0.0081, 0.0081],
      covariance: [[0.09, -0.004], [-0.004, 0.05]], // prettier-ignore
      risk_free_rate: 0.03,
      frontier_points: 2,
    });
    // All returns are equal: the frontier is the portfolio of least variance.
    const first = (0.05 + 0.004) / (0.09 + 0.05 + 2 * 0.004);
    expect(bestSolution[0]).toBeCloseTo(first, 9);
    const variance = first ** 2 * 0.09 + (1 - first) ** 2 * 0.05 - 2 * first * (1 - first) * 0.004;
    expect(bestFitness).toBeCloseTo((0.0081 - 0.03) / Math.sqrt(variance), 9);
    expect(answer.optimality.status).toBe('feasible');
  });

  it('also where returns differ', async () => {
    const { bestFitness, answer } = await solved(portfolio, {
      objective: 'frontier',
      expected_returns: [0.01, 0.02, 0.025],
      covariance: [[0.01, 0, 0], [0, 0.04, 0.01], [0, 0.01, 0.09]], // prettier-ignore
      risk_free_rate: 0.03,
    });
    const { frontier } = answer.result as unknown as { readonly frontier: readonly { readonly sharpe: number }[] };
    expect(bestFitness).toBeCloseTo(Math.max(...frontier.map(({ sharpe }) => sharpe)), 9);
  });
});

it('finds the most return for a volatility where the end of the frontier is a single point', async () => {
  const config = {
    objective: 'efficient_risk',
    min_weight: -0.3,
    assets: [
      { volatility: 0.269, expected_return: 0.0151 },
      { volatility: 0.068, expected_return: 0.0013, min_weight: 0.018 },
      { volatility: 0.298, expected_return: 0.0873 },
      { volatility: 0.341, expected_return: 0.1375 },
      { volatility: 0.292, expected_return: 0.0125 },
      { volatility: 0.385, expected_return: 0.0245 },
      { volatility: 0.221, expected_return: 0.1115 },
      { volatility: 0.332, expected_return: 0.1463 },
    ],
    correlation: [
      [1.0, -0.2861, -0.3303, 0.5923, 0.041, 0.2914, 0.1331, 0.6041],
      [-0.2861, 1.0, 0.1647, -0.2956, -0.0201, -0.1482, -0.0644, -0.3016],
      [-0.3303, 0.1647, 1.0, -0.4668, -0.0474, -0.1201, -0.185, -0.47],
      [0.5923, -0.2956, -0.4668, 1.0, 0.0828, 0.2201, 0.3218, 0.8318],
      [0.041, -0.0201, -0.0474, 0.0828, 1.0, 0.0049, 0.0448, 0.0825],
      [0.2914, -0.1482, -0.1201, 0.2201, 0.0049, 1.0, -0.0057, 0.2286],
      [0.1331, -0.0644, -0.185, 0.3218, 0.0448, -0.0057, 1.0, 0.3191],
      [0.6041, -0.3016, -0.47, 0.8318, 0.0825, 0.2286, 0.3191, 1.0],
    ],
    constraints: [{ weights: { 1: -0.86, 2: -0.36, 3: 0.48, 4: 0.13, 5: 0.99, 6: 0.21, 7: 0.78, 8: 0.15 }, max: 0.19 }],
    gross_exposure: 1.2,
    target_volatility: 0.193,
  };
  const { bestFitness, answer } = await solved(portfolio, config);
  expect(answer.optimality).toMatchObject({ status: 'optimal', proof: 'convex_kkt' });
  // By an interior-point solver of second-order cones.
  expect(bestFitness).toBeCloseTo(0.132123509, 7);
});

it('finds it, too, where the portfolio of most return is within the volatility and trades are limited', async () => {
  // prettier-ignore
  const assets = [
    [0.0758, 0.388, 0.0, 0.633],
    [0.0238, 0.397, 0.149, 1],
    [0.134, 0.059, 0.052, 1],
    [-0.0132, 0.186, 0.123, 1],
    [0.069, 0.288, 0.013, 1],
    [0.0197, 0.328, 0.108, 1],
    [0.1252, 0.14, 0.054, 1],
    [0.0796, 0.33, 0.126, 1],
    [0.0732, 0.063, 0.021, 0.954],
    [0.1307, 0.158, 0.029, 0.707],
    [0.0684, 0.073, 0.054, 0.822],
    [0.1199, 0.136, 0.015, 1],
    [0.0562, 0.357, 0.014, 1],
    [0.0823, 0.282, 0.152, 1],
    [0.0796, 0.088, 0.088, 1],
  ].map(([expected_return, volatility, current_weight, max_weight]) => ({ expected_return, volatility, current_weight, max_weight }));
  // prettier-ignore
  const below = [
    [],
    [-0.0527],
    [0.2097, -0.6713],
    [-0.2513, -0.0116, -0.0304],
    [-0.6675, 0.0408, -0.1726, 0.4749],
    [0.1393, -0.0905, 0.0764, -0.2424, -0.0128],
    [0.114, -0.1615, 0.1173, 0.1476, 0.1706, 0.3337],
    [-0.6129, 0.2401, -0.2991, 0.5033, 0.652, -0.2417, -0.0346],
    [-0.1135, -0.2092, 0.1123, -0.3067, 0.0809, 0.7416, 0.282, -0.2361],
    [-0.2794, 0.3002, -0.2558, -0.0756, -0.0319, -0.3571, -0.472, 0.2206, -0.3164],
    [0.2644, 0.0643, -0.0184, -0.6758, -0.5223, 0.3983, -0.1384, -0.5826, 0.4704, 0.0681],
    [0.3785, 0.1338, 0.0262, 0.2288, -0.1564, -0.0934, -0.0786, 0.1249, -0.4738, 0.1301, -0.3077],
    [-0.3227, -0.0848, 0.054, 0.569, 0.4351, -0.4231, -0.0472, 0.5729, -0.4891, 0.1466, -0.733, 0.3978],
    [-0.4636, 0.392, -0.4114, 0.2631, 0.3608, -0.435, -0.2039, 0.5028, -0.3551, 0.3441, -0.3206, -0.0557, 0.3156],
    [-0.2172, 0.5146, -0.4545, -0.2234, -0.0318, 0.0098, -0.3208, 0.1314, 0.0132, 0.4551, 0.3154, -0.0038, -0.1661, 0.2629],
  ];
  const at = (i: number, j: number): number => (i === j ? 1 : below[Math.max(i, j)][Math.min(i, j)]);
  const { bestFitness, answer } = await solved(portfolio, {
    objective: 'efficient_risk',
    min_weight: -0.3,
    assets,
    correlation: assets.map((_, i) => assets.map((_other, j) => at(i, j))),
    gross_exposure: 1.2,
    max_turnover: 0.88,
    transaction_cost: 0.01,
    target_volatility: 0.087,
  });
  expect(answer.optimality.status).toBe('optimal');
  // By an interior-point solver of second-order cones.
  expect(bestFitness).toBeCloseTo(0.108366, 8);
});

it('names limits of the request, not of the programme, where they contradict each other', async () => {
  const outcome = await solveConfig(portfolio, {
    objective: 'min_volatility',
    assets: [
      { id: 'a', volatility: 0.1, current_weight: 1, max_weight: 0.3 },
      { id: 'b', volatility: 0.2 },
      { id: 'c', volatility: 0.2, max_weight: 0.8 },
    ],
    max_turnover: 0.5,
  });
  const { conflict } = (outcome as unknown as { readonly error: { readonly conflict: readonly string[] } }).error;
  expect(conflict).toContain('max_turnover');
  expect(conflict.filter((name) => /^(trade|bought|sold) of/.test(name))).toEqual([]);
});

it.each([
  // One asset is hardly held, so that its trade is near 0: rounding of it was taken for a limit that is broken.
  { target_volatility: 0.14, max_turnover: 0.9, transaction_cost: 0.0048 },
  { target_volatility: 0.14, max_turnover: 0.3, transaction_cost: 0 },
  { target_volatility: 0.16, max_turnover: 0.05, transaction_cost: 0.01 },
])('solves efficient_risk with a turnover limit where holdings are tiny: %j', async (limits) => {
  const assets = [0.000001, 0.148433, 0, 0.283438, 0.110135, 0.233611, 0.224382].map((current_weight, i) => ({
    id: `a${i}`,
    expected_return: [0.1115, 0.133, 0.0695, 0.0748, 0.15, 0.0044, 0.1][i],
    volatility: [0.038, 0.146, 0.128, 0.23, 0.142, 0.326, 0.236][i],
    current_weight,
  }));
  const { answer, bestFitness } = await solved(portfolio, { objective: 'efficient_risk', assets, correlation: 0.3, ...limits }); // prettier-ignore
  const { volatility, turnover } = answer.result as { volatility: number; turnover: number };
  expect(answer.optimality.status).toBe('optimal');
  expect(volatility).toBeLessThanOrEqual(limits.target_volatility * (1 + 1e-6));
  expect(turnover).toBeLessThanOrEqual(limits.max_turnover * (1 + 1e-6));
  expect(bestFitness).toBeGreaterThan(0.07);
});
