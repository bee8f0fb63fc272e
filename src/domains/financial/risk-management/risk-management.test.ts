import { describe, expect, it } from 'vitest';
import { guideConfigs, referenceCases, solveConfig, solved } from '../../../../test/support/problems.js';
import { Rng } from '../../../common/rng.js';
import { riskManagement } from './risk-management.js';

const cases = referenceCases('financial', 'risk_management');

type Numbers = readonly number[];

const dot = (a: Numbers, b: Numbers): number => a.reduce((sum, value, j) => sum + value * b[j], 0);
const range = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i));
const run = async (model: string, config: Record<string, unknown>) => {
  const { bestSolution, bestFitness, answer, method } = await solved(riskManagement, { model, ...config });
  return { x: bestSolution, fitness: bestFitness, method, answer, result: answer.result as Record<string, unknown> };
};

/** Mean of the worst 1 - confidence of the probability, largest losses first. */
function shortfallOf(losses: Numbers, confidence: number, probabilities?: Numbers): number {
  const order = range(losses.length, (s) => s).sort((a, b) => losses[b] - losses[a]);
  let left = 1 - confidence;
  let sum = 0;
  for (const s of order) {
    const taken = Math.min(left, probabilities?.[s] ?? 1 / losses.length);
    sum += taken * losses[s];
    left -= taken;
  }
  return sum / (1 - confidence);
}

const lossesOf = (scenarios: readonly Numbers[], x: Numbers): number[] => scenarios.map((row) => -dot(row, x));

/** Gaussian elimination with row pivoting. Null: singular. */
function solveEquations(table: readonly Numbers[], right: Numbers): number[] | null {
  const a = table.map((row, i) => [...row, right[i]]);
  const n = a.length;
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k; i < n; i++) if (Math.abs(a[i][k]) > Math.abs(a[pivot][k])) pivot = i;
    if (Math.abs(a[pivot][k]) < 1e-12) return null;
    [a[k], a[pivot]] = [a[pivot], a[k]];
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const factor = a[i][k] / a[k][k];
      for (let j = k; j <= n; j++) a[i][j] -= factor * a[k][j];
    }
  }
  return a.map((row, i) => row[n] / row[i]);
}

/** Subsets of so many of 0 ... n - 1. */
function subsetsOf(n: number, size: number): number[][] {
  if (size === 0) return [[]];
  return range(n, (i) => i).flatMap((i) => subsetsOf(i, size - 1).map((rest) => [...rest, i]));
}

/** Points where two of the lines a x + b y = c meet. */
const crossings = (lines: readonly Numbers[]): number[][] =>
  subsetsOf(lines.length, 2).flatMap(([i = 0, j = 0]) => {
    const [p, q] = [lines[i], lines[j]];
    const point = solveEquations([p.slice(0, 2), q.slice(0, 2)], [p[2], q[2]]);
    return point === null ? [] : [point];
  });

const table = (rng: Rng, rows: number, columns: number, size: number, drift = 0): number[][] =>
  range(rows, () => range(columns, () => drift + size * rng.normal()));

function randomCovariance(rng: Rng, n: number): number[][] {
  const factors = table(rng, n + 2, n, 0.1);
  return range(n, (i) => range(n, (j) => factors.reduce((sum, f) => sum + f[i] * f[j], 0)));
}

describe('the reference', () => {
  const reason = cases === null ? 'no reference beside this checkout' : '';
  it.skipIf(cases === null)(`has 9 cases ${reason}`, () => expect(cases).toHaveLength(9));

  for (const one of cases ?? []) {
    it(`agrees with ${one.id}`, async () => {
      const config = Object.fromEntries(Object.entries(one.config).filter(([, value]) => value !== null));
      const known = one.expected as Record<string, number & Numbers>;
      const tolerance = one.tolerance as Record<string, number>;
      const { bestSolution: x, bestFitness, answer } = await solved(riskManagement, config);
      const result = answer.result as Record<string, number & Record<string, number>>;
      expect(answer.optimality.status).toBe('optimal');
      const scenarios = (config['scenario_returns'] ?? config['scenario_pnl']) as number[][] | undefined;
      const confidence = config['confidence'] as number;
      if (scenarios !== undefined) {
        const cvar = shortfallOf(lossesOf(scenarios, x), confidence);
        expect(result['cvar']).toBeCloseTo(cvar, 9);
        const mean = scenarios.reduce((sum, row) => sum + dot(row, x), 0) / scenarios.length;
        expect(result['expected_return'] ?? result['expected_pnl']).toBeCloseTo(mean, 9);
        if (config['min_expected_return'] !== undefined) {
          expect(mean).toBeGreaterThan((config['min_expected_return'] as number) - 1e-12);
        }
        if (config['es_limit'] !== undefined) expect(cvar).toBeLessThan((config['es_limit'] as number) * (1 + 1e-9));
      }
      if (config['distribution'] === 'normal') {
        const means = config['expected_returns'] as number[];
        const deviation = Math.sqrt(
          dot(
            x,
            (config['covariance'] as number[][]).map((row) => dot(row, x)),
          ),
        );
        expect(dot(means, x)).toBeGreaterThan(0.011 - 1e-12);
        // Multipliers of the normal distribution at 0.90 and 0.95.
        const [z, factor] =
          confidence === 0.9 ? [1.2815515655446, 1.7549833193249] : [1.6448536269515, 2.0627128075074];
        expect(result['var']).toBeCloseTo(z * deviation - dot(means, x), 12);
        expect(result['cvar']).toBeCloseTo(factor * deviation - dot(means, x), 12);
      }
      for (const [name, abs] of [
        ['var', tolerance['var_abs']],
        ['cvar', tolerance['cvar_abs']],
      ] as const) {
        if (known[name] !== undefined) expect(Math.abs((result[name] as number) - known[name])).toBeLessThan(abs);
      }
      for (const name of ['weights', 'positions', 'holdings'] as const) {
        const given = known[name] as Numbers | undefined;
        for (const [j, value] of (given ?? []).entries()) {
          const digits = tolerance['weight_abs'] ?? 1e-7;
          expect(Math.abs(x[j] - value)).toBeLessThan(digits * Math.max(1, Math.abs(value)));
          expect(Object.values(result[name])[j]).toBe(x[j]);
        }
      }
      if (known['cost'] !== undefined) {
        const { bonds, liabilities } = config as {
          bonds: { price: number; cash_flows: number[] }[];
          liabilities: number[];
        };
        expect(Math.abs(bestFitness / known['cost'] - 1)).toBeLessThan(tolerance['cost_rel']);
        expect(
          dot(
            x,
            bonds.map(({ price }) => price),
          ),
        ).toBeCloseTo(bestFitness, 6);
        let cash = 0;
        for (const [t, due] of liabilities.entries()) {
          cash +=
            dot(
              x,
              bonds.map(({ cash_flows }) => cash_flows[t]),
            ) - due;
          expect(cash).toBeGreaterThan(-1e-6);
        }
      }
      if (known['expected_pnl'] !== undefined) {
        expect(Math.abs(bestFitness / known['expected_pnl'] - 1)).toBeLessThan(tolerance['pnl_rel']);
      }
      if (known['contracts'] !== undefined) {
        expect(x).toEqual([known['contracts']]);
        expect(Math.abs((result['hedge_ratio'] as number) - known['hedge_ratio'])).toBeLessThan(tolerance['abs']);
        expect(Math.abs((result['hedge_effectiveness'] as number) - known['hedge_effectiveness'])).toBeLessThan(
          tolerance['abs'],
        );
      }
    });
  }
});

describe('min_cvar', () => {
  it('finds the best corner of all where losses of two scenarios are equal, for three assets', async () => {
    for (let seed = 1; seed <= 24; seed++) {
      const rng = Rng.create(seed);
      const scenarios = table(rng, 8, 3, 0.04, 0.003);
      const confidence = [0.5, 0.75, 0.6][seed % 3];
      const raw = range(8, () => 0.2 + rng.uniform());
      const sum = raw.reduce((a, b) => a + b, 0);
      const probabilities = seed % 2 === 0 ? raw.map((one) => one / sum) : undefined;
      const means = range(3, (j) => scenarios.reduce((all, row, s) => all + row[j] * (probabilities?.[s] ?? 1 / 8), 0));
      const target =
        seed % 4 === 0 ? undefined : 0.5 * Math.max(...means) + 0.5 * (means.reduce((a, b) => a + b, 0) / 3);
      const [least, most] = [seed % 5 === 0 ? -0.3 : 0.05, 0.8];
      const { x, fitness, answer, result } = await run('min_cvar', {
        scenario_returns: scenarios, confidence, min_weight: least, max_weight: most,
        probabilities,
        min_expected_return: target,
      }); // prettier-ignore
      // The third weight is the rest: lines a w1 + b w2 = c.
      const lines: number[][] = [[1, 0, least], [1, 0, most], [0, 1, least], [0, 1, most], [1, 1, 1 - least], [1, 1, 1 - most]]; // prettier-ignore
      for (const [s = 0, t = 0] of subsetsOf(8, 2)) {
        const d = range(3, (j) => scenarios[s][j] - scenarios[t][j]);
        lines.push([d[0] - d[2], d[1] - d[2], -d[2]]);
      }
      if (target !== undefined) lines.push([means[0] - means[2], means[1] - means[2], target - means[2]]);
      let best = Infinity;
      for (const [a = 0, b = 0] of crossings(lines)) {
        const w = [a, b, 1 - a - b];
        const isWithin = w.every((one) => one > least - 1e-12 && one < most + 1e-12);
        if (!isWithin || dot(means, w) < (target ?? -1) - 1e-12) continue;
        best = Math.min(best, shortfallOf(lossesOf(scenarios, w), confidence, probabilities));
      }
      expect(answer.optimality.status).toBe('optimal');
      expect(fitness).toBeCloseTo(best, 10);
      expect(shortfallOf(lossesOf(scenarios, x), confidence, probabilities)).toBeCloseTo(best, 10);
      const parts = result['cvar_contributions'] as number[];
      expect(parts.reduce((all, part) => all + part, 0)).toBeCloseTo(fitness, 10);
      const worst = result['worst_scenarios'] as { scenario: number; loss: number }[];
      const losses = lossesOf(scenarios, x).sort((a, b) => b - a);
      expect(worst.map(({ loss }) => loss)).toHaveLength(5);
      for (const [k, { scenario, loss }] of worst.entries()) {
        expect(loss).toBeCloseTo(losses[k], 12);
        expect(-dot(scenarios[scenario - 1], x)).toBeCloseTo(loss, 12);
      }
    }
  });

  it('agrees with the closed form under normal returns where no limit binds', async () => {
    for (let seed = 1; seed <= 24; seed++) {
      const rng = Rng.create(100 + seed);
      const n = 2 + (seed % 5);
      const covariance = randomCovariance(rng, n);
      const means = range(n, () => 0.02 * rng.uniform());
      const confidence = 0.9 + 0.09 * rng.uniform();
      const { x, fitness, result } = await run('min_cvar', {
        distribution: 'normal', expected_returns: means, covariance, confidence, min_weight: -1000, max_weight: 1000,
      }); // prettier-ignore
      const ones = means.map(() => 1);
      const c1 = solveEquations(covariance, ones)!;
      const cm = solveEquations(covariance, means)!;
      const [a, b, c] = [dot(ones, c1), dot(ones, cm), dot(means, cm)];
      const d = c - (b * b) / a;
      // CVaR + mean is factor x deviation: with u = deviation, u^2 = 1/a + (u / factor)^2 d.
      const mean = dot(means, x);
      const deviation = Math.sqrt(
        dot(
          x,
          covariance.map((row) => dot(row, x)),
        ),
      );
      const factor = (fitness + mean) / deviation;
      const u = Math.sqrt(1 / a / (1 - d / (factor * factor)));
      expect(deviation / u).toBeCloseTo(1, 8);
      for (const j of means.keys()) expect(x[j]).toBeCloseTo(c1[j] / a + (u / factor) * (cm[j] - (b / a) * c1[j]), 7);
      expect(result['volatility']).toBeCloseTo(deviation, 12);
    }
  });

  it('is no worse than any of many other weights under normal returns with limits', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const rng = Rng.create(200 + seed);
      const covariance = randomCovariance(rng, 3);
      const means = range(3, () => 0.3 * rng.uniform());
      const target = seed % 2 === 0 ? 0.5 * Math.max(...means) + 0.5 * Math.min(...means) : -1;
      const { fitness, x, answer } = await run('min_cvar', {
        distribution: 'normal', expected_returns: means, covariance, confidence: 0.6, max_weight: 0.7, min_expected_return: target,
      }); // prettier-ignore
      const valueOf = (w: Numbers): number =>
        // density(z) / 0.4 at the quantile of 0.6.
        0.96585 *
          Math.sqrt(
            dot(
              w,
              covariance.map((row) => dot(row, w)),
            ),
          ) -
        dot(means, w);
      expect(fitness).toBeCloseTo(valueOf(x), 5);
      let best = Infinity;
      for (let i = 0; i <= 280; i++) {
        for (let j = 0; j <= 280; j++) {
          const w = [i / 400, j / 400, 1 - (i + j) / 400];
          if (w[2] < 0 || w[2] > 0.7 || dot(means, w) < target) continue;
          best = Math.min(best, valueOf(w));
        }
      }
      expect(fitness).toBeLessThan(best + 1e-5);
      expect(fitness).toBeGreaterThan(best - 2e-3);
      expect(answer.optimality.gap).toBeLessThan(1e-9);
    }
  });

  it('holds the riskless asset alone where risk is not paid for', async () => {
    const { x, fitness } = await run('min_cvar', {
      distribution: 'normal', expected_returns: [0.01, 0.05], covariance: [[0, 0], [0, 0.04]],
    }); // prettier-ignore
    expect(x[0]).toBeCloseTo(1, 6);
    expect(fitness).toBeCloseTo(-0.01, 6);
  });

  it('reaches the highest return that there is, also with a singular covariance', async () => {
    const covariance = [[0.04, 0, -0.06, 0.06], [0, 0, 0, 0], [-0.06, 0, 0.09, -0.09], [0.06, 0, -0.09, 0.09]]; // prettier-ignore
    const expected_returns = [0.02, -0.005, -0.011, 0.007];
    const { x } = await run('min_cvar', {
      distribution: 'normal',
      expected_returns,
      covariance,
      min_expected_return: 0.02,
    });
    expect(x[0]).toBeCloseTo(1, 6);
  });

  it('prices the return asked for as differences of optima do', async () => {
    const scenarios = table(Rng.create(7), 40, 4, 0.03, 0.004);
    const at = (target: number) =>
      run('min_cvar', { scenario_returns: scenarios, confidence: 0.8, min_expected_return: target });
    const means = range(4, (j) => scenarios.reduce((sum, row) => sum + row[j] / 40, 0));
    const target = 0.9 * Math.max(...means);
    const [middle, up, down] = [await at(target), await at(target + 1e-7), await at(target - 1e-7)];
    const price = middle.answer.constraints.find(({ name }) => name === 'min_expected_return')!.shadowPrice!;
    expect(price).toBeGreaterThan(0);
    expect((up.fitness - down.fitness) / 2e-7).toBeCloseTo(price, 4);
  });

  it('says in words why nothing is feasible', async () => {
    const scenario_returns = [[0.01, 0.02], [0.02, -0.01], [0, 0.01]]; // prettier-ignore
    const fail = async (config: Record<string, unknown>) => {
      const outcome = await solveConfig(riskManagement, { model: 'min_cvar', scenario_returns, ...config });
      return 'error' in outcome ? outcome.error : null;
    };
    expect(await fail({ min_weight: 0.6 })).toMatchObject({
      code: 'infeasible',
      conflict: ['min_weight', 'weights_sum'],
    });
    expect(await fail({ max_weight: 0.4 })).toMatchObject({
      code: 'infeasible',
      conflict: ['max_weight', 'weights_sum'],
    });
    const above = await fail({ min_expected_return: 0.05 });
    expect(above).toMatchObject({ code: 'infeasible', conflict: ['min_expected_return', 'min_weight'] });
    expect(above?.message).toContain('0.01');
    expect(await fail({ min_expected_return: 0.0095, max_weight: [0.5, 1] })).toMatchObject({ code: 'infeasible' });
  });
});

describe('limit_allocation', () => {
  it('finds the best corner of the region that all tails leave, for two positions', async () => {
    for (let seed = 1; seed <= 24; seed++) {
      const rng = Rng.create(300 + seed);
      const pnl = table(rng, 8, 2, 3, 0.8);
      const limit = 0.5 + 3 * rng.uniform();
      const bounds = [[seed % 3 === 0 ? -2 : 0, 3], [0, 2 + rng.uniform()]]; // prettier-ignore
      const { x, fitness, answer, result } = await run('limit_allocation', {
        scenario_pnl: pnl, es_limit: limit, confidence: 0.75, position_bounds: bounds,
      }); // prettier-ignore
      // The mean loss of every two of the eight scenarios is at most the limit.
      const tails = subsetsOf(8, 2).map(([s = 0, t = 0]) => [...range(2, (j) => -(pnl[s][j] + pnl[t][j]) / 2), limit]);
      const lines = [...tails, ...bounds.flatMap(([low, high], j) => [[1 - j, j, low], [1 - j, j, high]])]; // prettier-ignore
      const means = range(2, (j) => pnl.reduce((sum, row) => sum + row[j] / 8, 0));
      let best = -Infinity;
      for (const point of crossings(lines)) {
        const isWithin = bounds.every(([low, high], j) => point[j] > low - 1e-10 && point[j] < high + 1e-10);
        if (isWithin && tails.every((tail) => dot(tail.slice(0, 2), point) <= limit + 1e-10))
          best = Math.max(best, dot(means, point));
      }
      expect(answer.optimality.status).toBe('optimal');
      expect(fitness).toBeCloseTo(best, 8);
      expect(shortfallOf(lossesOf(pnl, x), 0.75)).toBeLessThan(limit + 1e-8);
      const parts = result['cvar_contributions'] as number[];
      expect(parts.reduce((all, part) => all + part, 0)).toBeCloseTo(result['cvar'] as number, 8);
    }
  });

  it('prices the limit as differences of optima do, and says which limit is in the way', async () => {
    const pnl = table(Rng.create(9), 60, 4, 2, 0.4);
    const at = (es_limit: number) =>
      run('limit_allocation', { scenario_pnl: pnl, es_limit, confidence: 0.9, position_bounds: [0, 5] });
    const [middle, up, down] = [await at(6), await at(6.0001), await at(5.9999)];
    const price = middle.result['limit_multiplier'] as number;
    expect(price).toBeGreaterThan(0);
    expect((up.fitness - down.fitness) / 0.0002).toBeCloseTo(price, 6);
    expect(middle.answer.constraints[0]).toMatchObject({ name: 'es_limit', binding: true, shadowPrice: price });
  });

  it('takes all that pays where the limit does not bind', async () => {
    const { x, result } = await run('limit_allocation', {
      scenario_pnl: [[3, -2], [-1, 1], [2, -1], [1, 0]], es_limit: 1e6, confidence: 0.5, position_bounds: [[0, 4], [-3, 2]],
    }); // prettier-ignore
    expect(x).toEqual([4, -3]);
    expect(result['limit_multiplier']).toBe(0);
    const losses = [-18, 7, -11, -4];
    expect(result['cvar']).toBeCloseTo((7 - 4) / 2, 9);
    expect((result['worst_scenarios'] as { loss: number }[])[0].loss).toBeCloseTo(Math.max(...losses), 9);
  });

  it('names the least shortfall where the limit is below it', async () => {
    const outcome = await solveConfig(riskManagement, {
      model: 'limit_allocation', scenario_pnl: [[1], [-2]], es_limit: 1, confidence: 0.5, position_bounds: [1, 2],
    }); // prettier-ignore
    expect(outcome).toMatchObject({ error: { code: 'infeasible', conflict: ['es_limit', 'position_bounds'] } });
    expect('error' in outcome && outcome.error.message).toContain('the least is 2');
  });
});

describe('risk_budgeting', () => {
  it('gives every asset its share of the variance', async () => {
    for (let seed = 1; seed <= 24; seed++) {
      const rng = Rng.create(400 + seed);
      const n = 2 + (seed % 12);
      const covariance = randomCovariance(rng, n);
      const raw = range(n, () => 0.05 + rng.uniform());
      const { x } = await run('risk_budgeting', { covariance, risk_budgets: seed % 3 === 0 ? undefined : raw });
      const budgets = seed % 3 === 0 ? raw.map(() => 1 / n) : raw.map((one) => one / raw.reduce((a, b) => a + b, 0));
      const slopes = covariance.map((row) => dot(row, x));
      for (const j of x.keys()) {
        expect(x[j]).toBeGreaterThan(0);
        expect((x[j] * slopes[j]) / dot(x, slopes) / budgets[j]).toBeCloseTo(1, 8);
      }
      expect(x.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
    }
  });

  it('weighs two assets by inverse volatility whatever their correlation', async () => {
    for (const correlation of [-0.8, 0, 0.3, 0.95]) {
      const { x, result } = await run('risk_budgeting', { volatilities: [0.1, 0.3], correlation });
      expect(x[0]).toBeCloseTo(0.75, 9);
      expect((result['risk_contributions'] as number[])[0]).toBeCloseTo(0.5, 9);
    }
  });

  it('repairs a correlation that is none, and says so', async () => {
    const correlation = [[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]]; // prettier-ignore
    const outcome = await solveConfig(riskManagement, {
      model: 'risk_budgeting',
      volatilities: [0.1, 0.2, 0.3],
      correlation,
    });
    if ('error' in outcome) expect(outcome.error.code).toMatch(/unbounded|unsolved/);
    else expect(outcome.answer.warnings.map(({ code }) => code)).toContain('covariance_repaired');
  });
});

describe('hedge_ratio', () => {
  it('is the slope of a regression, and no other number of contracts leaves less', async () => {
    for (let seed = 1; seed <= 24; seed++) {
      const rng = Rng.create(500 + seed);
      const futures = range(40, () => 0.03 * rng.normal());
      const slope = 1.5 * rng.normal();
      const spot = futures.map((change) => slope * change + 0.01 * rng.normal());
      const exposure = (seed % 2 === 0 ? -1 : 1) * Math.round(1000 + 9000 * rng.uniform());
      const { x, fitness, result } = await run('hedge_ratio', {
        spot_returns: spot, futures_returns: futures, exposure_units: exposure, contract_size: 250,
      }); // prettier-ignore
      const mean = (values: Numbers): number => values.reduce((sum, value) => sum + value, 0) / values.length;
      const [ms, mf] = [mean(spot), mean(futures)];
      const cov = spot.reduce((sum, value, t) => sum + (value - ms) * (futures[t] - mf), 0);
      const own = futures.reduce((sum, value) => sum + (value - mf) ** 2, 0);
      expect(result['hedge_ratio']).toBeCloseTo(cov / own, 10);
      // By the position's own history.
      const deviationOf = (contracts: number): number => {
        const changes = spot.map((value, t) => exposure * value - contracts * 250 * futures[t]);
        const middle = mean(changes);
        return Math.sqrt(changes.reduce((sum, value) => sum + (value - middle) ** 2, 0) / 39);
      };
      expect(fitness).toBeCloseTo(deviationOf(x[0]), 8);
      for (let k = -30; k <= 30; k++) expect(deviationOf(x[0] + k)).toBeGreaterThan(fitness * (1 - 1e-12));
      expect(result['effectiveness_with_contracts']).toBeCloseTo(1 - (fitness / deviationOf(0)) ** 2, 10);
    }
  });

  it('buys against a negative correlation, and leaves alone what a contract would only enlarge', async () => {
    const config = { spot_volatility: 0.2, futures_volatility: 0.2, exposure_units: 100, contract_size: 10 };
    expect((await run('hedge_ratio', { ...config, correlation: -0.5 })).result).toMatchObject({
      contracts: -5,
      action: 'buy',
    });
    expect((await run('hedge_ratio', { ...config, correlation: 0.02 })).result).toMatchObject({
      contracts: 0,
      action: 'none',
    });
  });
});

interface Bond {
  readonly price: number;
  readonly cash_flows: Numbers;
  readonly max?: number;
}

function randomBonds(rng: Rng, count: number, periods: number): Bond[] {
  return range(count, () => {
    const years = 1 + Math.floor(rng.uniform() * periods);
    const coupon = Math.floor(8 * rng.uniform());
    const cash_flows = range(years, (t) => (t === years - 1 ? 100 + coupon : coupon));
    const value = cash_flows.reduce((sum, flow, t) => sum + flow / 1.04 ** (t + 1), 0);
    return { price: value * (0.95 + 0.1 * rng.uniform()), cash_flows, max: rng.uniform() < 0.2 ? 50 : undefined };
  });
}

describe('cash_flow_matching', () => {
  it('pays every liability, and its discount factors prove that nothing is cheaper', async () => {
    for (let seed = 1; seed <= 24; seed++) {
      const rng = Rng.create(600 + seed);
      const periods = 2 + (seed % 7);
      const bonds = randomBonds(rng, 3 + (seed % 6), periods);
      const liabilities = range(periods, () => Math.round(5000 * rng.uniform()));
      const rate = [0, 0.02, -0.01][seed % 3];
      const { x, fitness, result } = await run('cash_flow_matching', { bonds, liabilities, reinvestment_rate: rate });
      const d = result['discount_factors'] as number[];
      let cash = result['initial_cash'] as number;
      expect(cash).toBeGreaterThanOrEqual(0);
      for (const [t, due] of liabilities.entries()) {
        cash =
          cash * (1 + rate) +
          dot(
            x,
            bonds.map(({ cash_flows }) => cash_flows[t] ?? 0),
          ) -
          due;
        expect(cash).toBeGreaterThan(-1e-5);
        // Money never gains by waiting.
        expect((d[t + 1] ?? 0) * (1 + rate)).toBeLessThan(d[t] + 1e-9);
      }
      expect(d[0] * (1 + rate)).toBeLessThan(1 + 1e-9);
      let bound = dot(d, liabilities);
      for (const { price, cash_flows, max } of bonds) {
        const excess = dot(cash_flows, d) - price;
        if (max === undefined) expect(excess).toBeLessThan(1e-7 * price);
        else bound -= max * Math.max(0, excess);
      }
      expect(fitness / bound).toBeCloseTo(1, 8);
      expect(
        dot(
          x,
          bonds.map(({ price }) => price),
        ) + (result['initial_cash'] as number),
      ).toBeCloseTo(fitness, 6);
    }
  });

  it('finds the cheapest whole bonds, as counting through all of them does', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const rng = Rng.create(700 + seed);
      const bonds = randomBonds(rng, 3, 3).map(({ max: _max, ...bond }) => bond);
      const liabilities = range(3, () => Math.round(700 * rng.uniform()));
      const { x, fitness, answer } = await run('cash_flow_matching', {
        bonds,
        liabilities,
        integer_lots: true,
        reinvestment_rate: 0.01,
      });
      const costOf = (held: Numbers): number => {
        let [growth, sum, least] = [1, 0, 0];
        for (const [t, due] of liabilities.entries()) {
          growth *= 1.01;
          sum +=
            (dot(
              held,
              bonds.map(({ cash_flows }) => cash_flows[t] ?? 0),
            ) -
              due) /
            growth;
          least = Math.min(least, sum);
        }
        return (
          dot(
            held,
            bonds.map(({ price }) => price),
          ) - least
        );
      };
      let best = Infinity;
      for (let a = 0; a <= 22; a++) for (let b = 0; b <= 22; b++) for (let c = 0; c <= 22; c++) best = Math.min(best, costOf([a, b, c])); // prettier-ignore
      expect(x.every(Number.isInteger)).toBe(true);
      expect(fitness).toBeCloseTo(best, 6);
      expect(costOf(x)).toBeCloseTo(best, 6);
      expect(answer.optimality).toMatchObject({ status: 'optimal', proof: 'branch_and_bound' });
    }
  });

  it('keeps cash where bonds cost more than they pay, and pays nothing for nothing', async () => {
    const bonds = [{ id: 'dear', price: 110, cash_flows: [105] }];
    const { x, result } = await run('cash_flow_matching', { bonds, liabilities: [100, 50] });
    expect(x).toEqual([0]);
    expect(result['initial_cash']).toBe(150);
    const none = await run('cash_flow_matching', { bonds, liabilities: [0, 0] });
    expect(none.fitness).toBe(0);
  });
});

describe('greeks_hedge', () => {
  const GREEKS = ['delta', 'gamma', 'vega'] as const;

  it('is the cheapest of all corners: three instruments between their limits, the others at 0 or at a limit', async () => {
    for (let seed = 1; seed <= 24; seed++) {
      const rng = Rng.create(800 + seed);
      const n = 4 + (seed % 2);
      const instruments = range(n, () => ({
        price: 0.5 + rng.uniform(), delta: rng.normal(), gamma: rng.normal(), vega: rng.normal(), max: 6 + 6 * rng.uniform(),
      })); // prettier-ignore
      const exposure = { delta: 3 * rng.normal(), gamma: 3 * rng.normal(), vega: 3 * rng.normal() };
      const isNet = seed % 3 === 0;
      let best = Infinity;
      for (const basic of subsetsOf(n, 3)) {
        const others = range(n, (j) => j).filter((j) => !basic.includes(j));
        for (let code = 0; code < 3 ** others.length; code++) {
          const at = others.map((j, k) => ((Math.floor(code / 3 ** k) % 3) - 1) * instruments[j].max);
          const right = GREEKS.map((name) => -exposure[name] - others.reduce((sum, j, k) => sum + at[k] * instruments[j][name], 0)); // prettier-ignore
          const units = solveEquations(GREEKS.map((name) => basic.map((j) => instruments[j][name])), right); // prettier-ignore
          if (units?.every((one, k) => Math.abs(one) <= instruments[basic[k]].max + 1e-9) !== true) continue;
          const x = range(n, (j) => (basic.includes(j) ? units[basic.indexOf(j)] : at[others.indexOf(j)]));
          best = Math.min(best, instruments.reduce((sum, { price }, j) => sum + price * (isNet ? x[j] : Math.abs(x[j])), 0)); // prettier-ignore
        }
      }
      const config = { exposure, instruments, cost: isNet ? 'net_premium' : 'traded' };
      if (best === Infinity) {
        const outcome = await solveConfig(riskManagement, { model: 'greeks_hedge', ...config });
        expect(outcome).toMatchObject({ error: { code: 'infeasible' } });
        continue;
      }
      const { x, fitness, answer } = await run('greeks_hedge', config);
      expect(fitness).toBeCloseTo(best, 7);
      for (const name of GREEKS)
        expect(
          exposure[name] +
            dot(
              x,
              instruments.map((one) => one[name]),
            ),
        ).toBeCloseTo(0, 7);
      expect(answer.optimality.status).toBe('optimal');
    }
  });

  it('leaves what it may, and prices a tolerance as differences of optima do', async () => {
    const { example } = riskManagement.models.find(({ name }) => name === 'greeks_hedge')!;
    const at = async (tolerance: number) => run('greeks_hedge', { ...example, tolerance });
    const [middle, more] = [await at(100), await at(101)];
    const price = middle.answer.constraints.slice(0, 3).reduce((sum, { shadowPrice }) => sum + shadowPrice!, 0);
    expect(price).toBeLessThan(0);
    expect(more.fitness - middle.fitness).toBeCloseTo(price, 6);
    const left = Object.values(middle.result['remaining'] as Record<string, number>);
    expect(Math.max(...left.map(Math.abs))).toBeCloseTo(100, 6);
  });

  it('trades nothing where the tolerance covers all', async () => {
    const { x, fitness } = await run('greeks_hedge', {
      exposure: { delta: 3 },
      instruments: [{ price: 1, delta: 1 }],
      tolerance: 4,
    });
    expect([x, fitness]).toEqual([[0], 0]);
  });

  it('tells what is missing, how near it can come, and what has no end', async () => {
    const fail = async (config: Record<string, unknown>) => {
      const outcome = await solveConfig(riskManagement, { model: 'greeks_hedge', ...config });
      return 'error' in outcome ? outcome.error : null;
    };
    const share = { id: 'share', price: 1, delta: 1 };
    const none = await fail({ exposure: { delta: 1, vega: 5 }, instruments: [share] });
    expect(none).toMatchObject({ code: 'infeasible', conflict: ['vega'] });
    const short = await fail({ exposure: { delta: 10 }, instruments: [{ ...share, max: 4 }], tolerance: 1 });
    expect(short?.message).toContain('The smallest tolerance that can be held is 6');
    const endless = await fail({
      exposure: { delta: 1 }, instruments: [share, { id: 'twin', price: 2, delta: 1 }], cost: 'net_premium',
    }); // prettier-ignore
    expect(endless?.code).toBe('unbounded');
    expect(endless?.message).toMatch(/buying share, selling twin/);
  });
});

describe('what is refused', () => {
  const pnl = [[1, 2], [3, 4]]; // prettier-ignore
  const bonds = [{ price: 100, cash_flows: [105] }];
  const share = { price: 1, delta: 1 };
  const hedge = { spot_volatility: 0.1, futures_volatility: 0.2, correlation: 0.5, exposure_units: 10 };
  const bad: readonly (readonly [string, string, Record<string, unknown>])[] = [
    ['config.scenario_returns', 'min_cvar', {}],
    ['config.covariance', 'min_cvar', { distribution: 'normal', expected_returns: [0.1] }],
    [
      'config.scenario_returns',
      'min_cvar',
      { distribution: 'normal', expected_returns: [0.1], covariance: [[1]], scenario_returns: pnl },
    ],
    [
      'config.expected_returns',
      'min_cvar',
      { distribution: 'normal', expected_returns: [0.1, 0.2], covariance: [[1]] },
    ],
    [
      'config.covariance[1][0]',
      'min_cvar',
      {
        distribution: 'normal',
        expected_returns: [0, 0],
        covariance: [
          [1, 0],
          [0.5, 1],
        ],
      },
    ],
    ['config.scenario_returns[1]', 'min_cvar', { scenario_returns: [[1, 2], [3]] }],
    ['config.scenario_returns[0][1]', 'min_cvar', { scenario_returns: [[1, null]] }],
    ['config.scenario_returns', 'min_cvar', { scenario_returns: range(2_000, () => range(200, () => 0)) }],
    ['config.probabilities', 'min_cvar', { scenario_returns: pnl, probabilities: [0.5, 0.6] }],
    ['config.probabilities', 'min_cvar', { scenario_returns: pnl, probabilities: [1] }],
    ['config.assets', 'min_cvar', { scenario_returns: pnl, assets: ['a'] }],
    ['config.assets[1]', 'min_cvar', { scenario_returns: pnl, assets: ['a', 'a'] }],
    ['config.max_weight', 'min_cvar', { scenario_returns: pnl, min_weight: 0.5, max_weight: 0.4 }],
    ['config.max_weight[1]', 'min_cvar', { scenario_returns: pnl, min_weight: 0.2, max_weight: [1, 0.1] }],
    ['config.min_weight', 'min_cvar', { scenario_returns: pnl, min_weight: [0.1] }],
    ['config.confidence', 'min_cvar', { scenario_returns: pnl, confidence: 95 }],
    ['config.min_expected_return', 'min_cvar', { scenario_returns: pnl, min_expected_return: 'high' }],
    ['config.es_limit', 'limit_allocation', { scenario_pnl: pnl, position_bounds: [0, 1] }],
    ['config.es_limit', 'limit_allocation', { scenario_pnl: pnl, es_limit: -1, position_bounds: [0, 1] }],
    ['config.position_bounds', 'limit_allocation', { scenario_pnl: pnl, es_limit: 1 }],
    ['config.position_bounds', 'limit_allocation', { scenario_pnl: pnl, es_limit: 1, position_bounds: [2, 1] }],
    [
      'config.position_bounds[1]',
      'limit_allocation',
      {
        scenario_pnl: pnl,
        es_limit: 1,
        position_bounds: [
          [0, 1],
          [2, 1],
        ],
      },
    ],
    ['config.position_bounds', 'limit_allocation', { scenario_pnl: pnl, es_limit: 1, position_bounds: [[0, 1]] }],
    ['config.volatilities', 'risk_budgeting', {}],
    ['config.volatilities[1]', 'risk_budgeting', { volatilities: [0.1, 0] }],
    ['config.volatilities', 'risk_budgeting', { volatilities: [0.1], covariance: [[1]] }],
    ['config.correlation', 'risk_budgeting', { volatilities: [0.1, 0.2], correlation: 1.5 }],
    [
      'config.correlation[0][0]',
      'risk_budgeting',
      {
        volatilities: [0.1, 0.2],
        correlation: [
          [0.9, 0],
          [0, 1],
        ],
      },
    ],
    [
      'config.covariance[0][0]',
      'risk_budgeting',
      {
        covariance: [
          [0, 0],
          [0, 1],
        ],
      },
    ],
    ['config.risk_budgets', 'risk_budgeting', { volatilities: [0.1, 0.2], risk_budgets: [1] }],
    ['config.risk_budgets[0]', 'risk_budgeting', { volatilities: [0.1, 0.2], risk_budgets: [0, 1] }],
    ['config.spot_volatility', 'hedge_ratio', { exposure_units: 1 }],
    ['config.correlation', 'hedge_ratio', { ...hedge, correlation: 2 }],
    ['config.futures_returns', 'hedge_ratio', { spot_returns: [1, 2, 3], exposure_units: 1 }],
    [
      'config.futures_returns',
      'hedge_ratio',
      { spot_returns: [1, 2, 3], futures_returns: [1, 2, 3, 4], exposure_units: 1 },
    ],
    [
      'config.futures_returns',
      'hedge_ratio',
      { spot_returns: [1, 2, 3], futures_returns: [1, 1, 1], exposure_units: 1 },
    ],
    [
      'config.correlation',
      'hedge_ratio',
      { spot_returns: [1, 2, 3], futures_returns: [1, 2, 1], correlation: 0.5, exposure_units: 1 },
    ],
    ['config.contract_size', 'hedge_ratio', { ...hedge, contract_size: 0 }],
    ['config.bonds', 'cash_flow_matching', { bonds: [], liabilities: [1] }],
    [
      'config.bonds[0].cash_flows',
      'cash_flow_matching',
      { bonds: [{ price: 1, cash_flows: [1, 2] }], liabilities: [1] },
    ],
    ['config.bonds[0].price', 'cash_flow_matching', { bonds: [{ price: 0, cash_flows: [1] }], liabilities: [1] }],
    ['config.bonds[1].id', 'cash_flow_matching', { bonds: [{ id: '2', ...bonds[0] }, bonds[0]], liabilities: [1] }],
    ['config.liabilities[0]', 'cash_flow_matching', { bonds, liabilities: [-1] }],
    ['config.reinvestment_rate', 'cash_flow_matching', { bonds, liabilities: [1], reinvestment_rate: 5 }],
    ['config.exposure', 'greeks_hedge', { instruments: [share] }],
    ['config.exposure.theta', 'greeks_hedge', { exposure: { theta: 1 }, instruments: [share] }],
    ['config.instruments', 'greeks_hedge', { exposure: { delta: 1 }, instruments: [] }],
    ['config.instruments[0].price', 'greeks_hedge', { exposure: { delta: 1 }, instruments: [{ price: -1, delta: 1 }] }],
    ['config.tolerance', 'greeks_hedge', { exposure: { delta: 1 }, instruments: [share], tolerance: -1 }],
  ];
  it.each(bad)('names %s of %s', async (field, model, config) => {
    await expect(solveConfig(riskManagement, { model, ...config })).rejects.toMatchObject({
      code: 'invalid_request',
      field,
    });
  });
});

it('solves the examples of the guide', async () => {
  const configs = guideConfigs('financial', 'risk_management');
  expect(configs.map(({ model }) => model)).toEqual(riskManagement.models.map(({ name }) => name));
  const [cvar, allocation, budgets, futures, bonds, greeks] = await Promise.all(
    configs.map((config) => solved(riskManagement, config)),
  );
  for (const [j, weight] of [0.452, 0.116, 0.432].entries()) expect(cvar.bestSolution[j]).toBeCloseTo(weight, 3);
  expect(cvar.bestFitness).toBeCloseTo(0.116, 3);
  expect(allocation.bestSolution).toEqual([6, 0, 25]);
  expect(allocation.bestFitness).toBeCloseTo(415.63, 2);
  expect(allocation.answer.result['limit_multiplier']).toBeCloseTo(0.125, 9);
  for (const [j, weight] of [0.238, 0.651, 0.111].entries()) expect(budgets.bestSolution[j]).toBeCloseTo(weight, 3);
  expect(futures.bestSolution).toEqual([37]);
  expect(bonds.bestFitness).toBeCloseTo(589145.91, 2);
  for (const [j, units] of [-550, 3043.5, 0, 1304.3].entries()) expect(greeks.bestSolution[j]).toBeCloseTo(units, 1);
  expect(greeks.bestFitness).toBeCloseTo(11489.26, 2);
});

it('ends at its largest sizes', async () => {
  const rng = Rng.create(11);
  for (const [rows, columns] of [
    [5_000, 50],
    [1_250, 200],
  ] as const) {
    // prettier-ignore
    const scenarios = range(rows, () => {
      const market = rng.normal();
      // As returns are quoted: all digits of so many would be more than a request may have.
      return range(columns, () => Number((0.002 * (0.3 + 0.7 * market + 6 * rng.normal())).toFixed(6)));
    });
    const { answer } = await run('min_cvar', { scenario_returns: scenarios, confidence: 0.99 });
    expect(answer.optimality.status).toBe('optimal');
  }
  const bonds = randomBonds(rng, 500, 240);
  const liabilities = range(240, () => Math.round(1e6 * rng.uniform()));
  expect((await run('cash_flow_matching', { bonds, liabilities })).answer.optimality.status).toBe('optimal');
}, 120_000);

it('takes a shortfall that is rounding for none', async () => {
  const scenario_pnl = [
    [49.0, 24.0, 61.0, 39.0],
    [-104.0, 36.0, -55.0, 71.0],
    [-22.0, 35.0, -63.0, 51.0],
    [-19.0, 73.0, 39.0, -82.0],
    [53.0, 32.0, -9.0, -32.0],
    [19.0, 30.0, 156.0, -54.0],
    [-35.0, -23.0, -10.0, 123.0],
    [6.0, 27.0, -48.0, 91.0],
  ];
  const { x, fitness, answer } = await run('limit_allocation', {
    scenario_pnl,
    confidence: 0.9,
    es_limit: 0,
    position_bounds: [[0, 13], [0, 6], [0, 10], [0, 10]], // prettier-ignore
  });
  expect(answer.optimality.status).toBe('optimal');
  // By another linear programme.
  expect(fitness).toBeCloseTo(465.89752045598, 8);
  const losses = scenario_pnl.map((gains) => -dot(gains, x));
  expect(shortfallOf(losses, 0.9) / 0.1).toBeLessThan(1e-6);
  expect(answer.constraints[0]).toMatchObject({ name: 'es_limit', binding: true });
});
