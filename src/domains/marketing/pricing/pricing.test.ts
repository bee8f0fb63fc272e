import { describe, expect, it } from 'vitest';
import { Rng } from '../../../common/rng.js';
import { checkConfig } from '../../configs.js';
import {
  guideConfigs,
  referenceCases,
  solveConfig,
  solved,
  type ReferenceCase,
} from '../../../../test/support/problems.js';
import { lambertWOfExp } from './lambert-w.js';
import { pricing } from './pricing.js';
import type { Json } from '../../../../test/support/service.js';

const cases = referenceCases('marketing', 'pricing');
const SKIPPED = cases === null ? ' (no reference files beside this checkout)' : '';

const relative = (found: number, expected: number): number =>
  Math.abs(found - expected) / Math.max(1e-300, Math.abs(expected));

const answerOf = async (
  config: unknown,
): Promise<{ x: readonly number[]; f: number; r: Record<string, unknown>; status: string }> => {
  const { bestSolution, bestFitness, answer } = await solved(pricing, config);
  return { x: bestSolution, f: bestFitness, r: answer.result, status: answer.optimality.status };
};

/** Without what only describes: nulls, and the objective where the model has none. */
function sent({ config }: ReferenceCase): Record<string, unknown> {
  const entries = Object.entries(config).filter(([, value]) => value !== null);
  const kept = Object.fromEntries(entries);
  if (config['model'] !== 'single_product') delete kept['objective'];
  return kept;
}

/** Each number of `expected` beside the one of `found`, wherever it is nested. */
function close(found: unknown, expected: unknown, tolerance: number, path: string): void {
  if (typeof expected === 'number') {
    const off = Math.abs((found as number) - expected);
    expect(off <= tolerance * Math.max(1, Math.abs(expected)), `${path}: ${String(found)} for ${expected}`).toBe(true);
  } else if (typeof expected === 'object' && expected !== null) {
    for (const [key, value] of Object.entries(expected)) {
      close((found as Record<string, unknown>)[key], value, tolerance, `${path}.${key}`);
    }
  } else expect(found, path).toEqual(expected);
}

describe('the cases of the reference', () => {
  it.skipIf(cases === null)(`has all of them${SKIPPED}`, () => {
    expect(cases).toHaveLength(15);
  });

  for (const one of cases ?? []) {
    it(one.id, async () => {
      const { r, f, status } = await answerOf(sent(one));
      const [tolerance = 1e-9] = Object.values(one.tolerance) as number[];
      // Values of the file have ten digits.
      close(r, one.expected, Math.max(tolerance, 5e-10), one.id);
      expect(status).toBe('optimal');
      expect(relative(f, recomputed(one, r))).toBeLessThan(1e-9);
    });
  }
});

/** The objective from what a practitioner would read off the answer. */
function recomputed({ config }: ReferenceCase, result: Record<string, unknown>): number {
  const c = config as Json;
  const r = result as Json;
  switch (c.model) {
    case 'single_product': {
      const { type, intercept, slope, scale, elasticity, rate } = c.demand;
      const demand: Record<string, () => number> = {
        linear: () => intercept - slope * r.price,
        constant_elasticity: () => scale * r.price ** elasticity,
        exponential: () => scale * Math.exp(-rate * r.price),
      };
      return (r.price - c.unit_cost) * Math.min(demand[type](), c.capacity ?? Infinity);
    }
    case 'multinomial_logit': {
      const odds = c.products.map((p: Json, i: number) =>
        Math.exp(p.attractiveness - c.price_sensitivity * r.prices[i]),
      );
      const all = odds.reduce((a: number, b: number) => a + b, 1);
      return (
        c.market_size *
        odds.reduce((a: number, o: number, i: number) => a + (o / all) * (r.prices[i] - c.products[i].unit_cost), 0)
      );
    }
    case 'linear_demand_system': {
      const demand = (i: number): number =>
        c.intercepts[i] - c.slope_matrix[i].reduce((a: number, b: number, j: number) => a + b * r.prices[j], 0);
      return c.intercepts.reduce(
        (a: number, _: number, i: number) => a + (r.prices[i] - c.unit_costs[i]) * demand(i),
        0,
      );
    }
    case 'dynamic_pricing':
      return revenueByIntegration(c.demand.arrival_scale, c.demand.rate, c.inventory, c.horizon, c.salvage);
    case 'markdown': {
      let left = c.inventory;
      let revenue = 0;
      for (const [t, price] of r.prices.entries()) {
        const sold = Math.min(left, c.base_demand[t] * (price / Math.max(...c.price_ladder)) ** c.elasticity);
        left -= sold;
        revenue += price * sold;
      }
      return revenue;
    }
    default: {
      const offered = c.products.filter((p: Json) => r.offered.includes(p.id));
      const weight = offered.reduce((a: number, p: { weight: number }) => a + p.weight, c.no_purchase_weight);
      return offered.reduce(
        (a: number, p: { weight: number; margin: number }) => a + (p.weight * p.margin) / weight,
        0,
      );
    }
  }
}

/** dJ(n)/dt = max over p of a e^(-r p) (p - J(n) + J(n - 1)), by Runge and Kutta. */
function revenueByIntegration(a: number, r: number, inventory: number, horizon: number, salvage: number): number {
  const growth = (j: readonly number[]): number[] =>
    j.map((value, n) => {
      if (n === 0) return 0;
      const price = value - j[n - 1] + 1 / r;
      return a * Math.exp(-r * price) * (price - value + j[n - 1]);
    });
  let j = Array.from({ length: inventory + 1 }, (_, n) => salvage * n);
  const steps = 4_000;
  const h = horizon / steps;
  const plus = (x: readonly number[], d: readonly number[], f: number): number[] => x.map((v, i) => v + f * d[i]);
  for (let step = 0; step < steps; step++) {
    const k1 = growth(j);
    const k2 = growth(plus(j, k1, h / 2));
    const k3 = growth(plus(j, k2, h / 2));
    const k4 = growth(plus(j, k3, h));
    j = j.map((v, i) => v + (h / 6) * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]));
  }
  return j[inventory];
}

describe('the guide', () => {
  const configs = guideConfigs('marketing', 'pricing');

  it('has an example of each model, which is solved to the proof', async () => {
    expect(configs.map(({ model }) => model)).toEqual(pricing.models.map(({ name }) => name));
    for (const config of configs) expect((await answerOf(config)).status).toBe('optimal');
  });
});

const random = Rng.create(20260101);
const between = (low: number, high: number): number => low + (high - low) * random.uniform();
const whole = (low: number, high: number): number => low + random.below(high - low + 1);

describe('lambertWOfExp', () => {
  it('solves w + ln w = x', () => {
    for (const x of [-700, -50, -36.9, -5, -1, 0, 0.5, 1, 1.001, 3, 50, 1e4, 1e6]) {
      const w = lambertWOfExp(x);
      expect(Math.abs(w + Math.log(w) - x)).toBeLessThan(1e-12 * (1 + Math.abs(x)));
    }
    expect(relative(lambertWOfExp(1), 1)).toBeLessThan(1e-15);
  });
});

describe('single_product', () => {
  const DEMANDS = [
    () => ({ type: 'linear', intercept: between(100, 1000), slope: between(1, 30) }),
    () => ({ type: 'constant_elasticity', scale: between(1e3, 1e5), elasticity: between(-3, -1.2) }),
    () => ({ type: 'exponential', scale: between(100, 1000), rate: between(0.02, 0.3) }),
    () => ({
      type: 'logit',
      market_size: between(100, 1000),
      attractiveness: between(-1, 5),
      price_sensitivity: between(0.05, 0.4),
    }),
    () => ({
      type: 'points',
      points: Array.from({ length: whole(3, 6) }, (_, i) => [5 + 7 * i + between(0, 5), between(0, 500)]),
    }),
  ];
  const quantity = (demand: Json, p: number): number => {
    switch (demand.type) {
      case 'linear':
        return Math.max(0, demand.intercept - demand.slope * p);
      case 'constant_elasticity':
        return demand.scale * p ** demand.elasticity;
      case 'exponential':
        return demand.scale * Math.exp(-demand.rate * p);
      case 'logit':
        return demand.market_size / (1 + Math.exp(demand.price_sensitivity * p - demand.attractiveness));
      default: {
        const points = demand.points as [number, number][];
        const i = Math.min(
          points.length - 1,
          Math.max(
            1,
            points.findIndex(([at]) => at >= p),
          ),
        );
        const [[a, q], [b, s]] = [points[i - 1], points[i]];
        return q + ((s - q) * (p - a)) / (b - a);
      }
    }
  };

  it('no price on a fine grid is better, with and without capacity, limits and endings (60 instances)', async () => {
    for (let k = 0; k < 60; k++) {
      const demand = DEMANDS[k % 5]() as Json;
      const config: Record<string, Json> = { model: 'single_product', demand, unit_cost: between(1, 15) };
      if (k % 3 === 1) config['capacity'] = between(20, 300);
      if (k % 4 >= 2) config['max_price'] = between(12, 40);
      if (k % 7 === 3) config['min_price'] = between(5, 11);
      const isEnding = k % 2 === 0;
      if (isEnding) config['price_endings'] = [0.99, 0.5];
      const { x, f, r } = await answerOf(config);
      const low = Math.max(config['min_price'] ?? 0.01, demand.type === 'points' ? demand.points[0][0] : 0);
      const high = Math.min(config['max_price'] ?? 400, demand.type === 'points' ? demand.points.at(-1)[0] : 400);
      const profit = (p: number): number =>
        (p - config['unit_cost']) * Math.min(quantity(demand, p), config['capacity'] ?? Infinity);
      expect(x[0]).toBeGreaterThanOrEqual(low - 1e-9);
      expect(x[0]).toBeLessThanOrEqual(high + 1e-9);
      expect(relative(profit(x[0]), f)).toBeLessThan(1e-9);
      let best = -Infinity;
      if (isEnding) {
        for (let n = 0; n <= 400; n++) {
          for (const p of [n + 0.5, n + 0.99]) if (p >= low && p <= high) best = Math.max(best, profit(p));
        }
        // On the grid of endings the best is known exactly.
        expect(relative(f, best)).toBeLessThan(1e-9);
        expect([0.5, 0.99].some((ending) => Math.abs((x[0] % 1) - ending) < 1e-9)).toBe(true);
      } else {
        for (let i = 0; i <= 20_000; i++) best = Math.max(best, profit(low + ((high - low) * i) / 20_000));
        expect(f).toBeGreaterThanOrEqual(best - 1e-9 * Math.abs(best));
        expect(f - best).toBeLessThan(2e-3 * Math.abs(best) + 1e-6);
        // The shadow price by a little more capacity.
        if (config['capacity'] !== undefined && demand.type !== 'points') {
          const h = 1e-4;
          const more = await answerOf({ ...config, capacity: config['capacity'] + h });
          expect(Math.abs((more.f - f) / h - (r['shadow_price'] as number))).toBeLessThan(1e-2);
        }
      }
    }
  });

  it('fits a line through two observations and says so', async () => {
    const { answer, bestSolution } = await solved(pricing, {
      demand: {
        type: 'points',
        points: [
          [20, 600],
          [10, 800],
        ],
      },
      unit_cost: 12,
    });
    // 1000 - 20 p.
    expect(bestSolution[0]).toBeCloseTo(31, 10);
    expect(answer.assumptions).toMatchObject([{ code: 'linear_demand_fitted', field: 'config.demand.points' }]);
  });

  it('maximizes revenue where that is asked for, and says what would maximize it where not', async () => {
    const demand = { type: 'linear', intercept: 1000, slope: 20 };
    const { x, f } = await answerOf({ demand, unit_cost: 12, objective: 'revenue' });
    expect(x[0]).toBeCloseTo(25, 10);
    expect(f).toBeCloseTo(12_500, 6);
  });

  it('sells out below the price that would clear the capacity where the highest price is lower', async () => {
    const { answer, bestSolution, bestFitness } = await solved(pricing, {
      demand: { type: 'linear', intercept: 1000, slope: 20 },
      unit_cost: 5,
      capacity: 300,
      max_price: 30,
    });
    expect(bestSolution).toEqual([30]);
    expect(bestFitness).toBe(25 * 300);
    expect(answer.result).toMatchObject({ demand: 400, sales: 300, shadow_price: 25, capacity_binding: true });
    expect(answer.warnings).toMatchObject([{ code: 'unmet_demand' }]);
  });

  it('says where every price loses money', async () => {
    const { answer, bestFitness } = await solved(pricing, {
      demand: { type: 'linear', intercept: 100, slope: 10 },
      unit_cost: 50,
      max_price: 8,
    });
    expect(bestFitness).toBe(-42 * 20);
    expect(answer.warnings).toMatchObject([{ code: 'no_profit' }]);
  });

  it('takes the highest price where demand is inelastic', async () => {
    const demand = { type: 'constant_elasticity', scale: 100, elasticity: -0.5 };
    const { x } = await answerOf({ demand, unit_cost: 2, max_price: 9 });
    expect(x).toEqual([9]);
  });

  it('names the direction where no price is best', async () => {
    const demand = { type: 'constant_elasticity', scale: 100, elasticity: -2 };
    expect(await solveConfig(pricing, { demand, objective: 'revenue' })).toMatchObject({
      error: {
        code: 'unbounded',
        message: expect.stringMatching(/^The lower the price, the larger the revenue/) as string,
      },
    });
    const { x } = await answerOf({ demand, objective: 'revenue', capacity: 25 });
    expect(x[0]).toBeCloseTo(2, 12);
  });

  it('finds no price where none has such an ending', async () => {
    const config = {
      demand: { type: 'linear', intercept: 100, slope: 1 },
      min_price: 10,
      max_price: 10.5,
      price_endings: [0.99],
    };
    expect(await solveConfig(pricing, config)).toMatchObject({
      error: { code: 'infeasible', conflict: ['min_price', 'max_price', 'price_endings'] },
    });
  });
});

describe('multinomial_logit', () => {
  it('with price limits is as good as the best of all sets of limited products (30 instances)', async () => {
    for (let k = 0; k < 30; k++) {
      const n = whole(1, 4);
      const products = Array.from({ length: n }, () => ({ attractiveness: between(-1, 5), unit_cost: between(0, 20) }));
      const b = between(0.05, 0.3);
      const max_prices = products.map(({ unit_cost }) => unit_cost + between(1, 40));
      const profit = (prices: readonly number[]): number => {
        const odds = products.map((p, i) => Math.exp(p.attractiveness - b * prices[i]));
        return (
          odds.reduce((a, o, i) => a + o * (prices[i] - products[i].unit_cost), 0) / odds.reduce((a, o) => a + o, 1)
        );
      };
      let best = -Infinity;
      for (let set = 0; set < 2 ** n; set++) {
        const at = (markup: number): number[] =>
          products.map((p, i) => (set & (1 << i) ? max_prices[i] : p.unit_cost + markup));
        let [low, high] = [0, 200];
        for (let step = 0; step < 200; step++) {
          const [x, y] = [low + (high - low) / 3, high - (high - low) / 3];
          if (profit(at(x)) < profit(at(y))) low = x;
          else high = y;
        }
        if (at(low).every((price, i) => price <= max_prices[i] + 1e-9)) best = Math.max(best, profit(at(low)));
      }
      const { x, f } = await answerOf({ model: 'multinomial_logit', products, price_sensitivity: b, max_prices });
      expect(relative(f, best)).toBeLessThan(1e-8);
      expect(relative(profit(x), f)).toBeLessThan(1e-9);
      expect(x.every((price, i) => price <= max_prices[i])).toBe(true);
    }
  });

  it('warns of a product that would better be left out', async () => {
    const { answer } = await solved(pricing, {
      model: 'multinomial_logit',
      products: [
        { attractiveness: 3, unit_cost: 5 },
        { id: 'bait', attractiveness: 2, unit_cost: 10 },
      ],
      price_sensitivity: 0.1,
      max_prices: [100, 11],
    });
    expect(answer.warnings).toMatchObject([{ code: 'better_left_out', field: 'config.max_prices[1]' }]);
  });
});

describe('linear_demand_system', () => {
  const solve = (a: readonly number[][], b: readonly number[]): number[] | null => {
    const rows = a.map((row, i) => [...row, b[i]]);
    const n = rows.length;
    for (let k = 0; k < n; k++) {
      const pivot = rows.reduce((most, row, i) => (i >= k && Math.abs(row[k]) > Math.abs(rows[most][k]) ? i : most), k);
      [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
      if (Math.abs(rows[k][k]) < 1e-12) return null;
      for (let i = 0; i < n; i++) {
        if (i === k) continue;
        const factor = rows[i][k] / rows[k][k];
        for (let j = k; j <= n; j++) rows[i][j] -= factor * rows[k][j];
      }
    }
    return rows.map((row, i) => row[n] / row[i]);
  };

  it('with limits is as good as the best point of all sets of binding limits (20 instances)', async () => {
    let limited = 0;
    for (let k = 0; k < 20; k++) {
      const n = 2;
      const intercepts = [between(20, 200), between(20, 200)];
      const slope_matrix = [
        [between(2, 5), between(-1.5, 0.5)],
        [between(-1.5, 0.5), between(2, 5)],
      ];
      const unit_costs = [between(0, 30), between(0, 30)];
      const min_prices = [between(0, 15), between(0, 15)];
      const max_prices = min_prices.map((price) => price + between(1, 40));
      const demand = (p: readonly number[], i: number): number =>
        intercepts[i] - slope_matrix[i].reduce((sum, slope, j) => sum + slope * p[j], 0);
      const profit = (p: readonly number[]): number =>
        p.reduce((sum, price, i) => sum + (price - unit_costs[i]) * demand(p, i), 0);
      // Limits as rows of equations: lowest and highest prices, demands of 0.
      const limits = [0, 1].flatMap((i) => [
        { row: i === 0 ? [1, 0] : [0, 1], value: min_prices[i] },
        { row: i === 0 ? [1, 0] : [0, 1], value: max_prices[i] },
        { row: slope_matrix[i], value: intercepts[i] },
      ]);
      const curvature = slope_matrix.map((row, i) => row.map((slope, j) => slope + slope_matrix[j][i]));
      const linear = intercepts.map(
        (a, i) => a + slope_matrix.reduce((sum, row, j) => sum + row[i] * unit_costs[j], 0),
      );
      let best = -Infinity;
      for (let set = 0; set < 2 ** limits.length; set++) {
        const active = limits.filter((_, i) => set & (1 << i));
        if (active.length > n) continue;
        const size = n + active.length;
        const matrix = Array.from({ length: size }, (_, i) =>
          Array.from({ length: size }, (__, j) => {
            if (i < n && j < n) return curvature[i][j];
            if (i < n) return active[j - n].row[i];
            return j < n ? active[i - n].row[j] : 0;
          }),
        );
        const point = solve(matrix, [...linear, ...active.map(({ value }) => value)])?.slice(0, n);
        if (point === undefined) continue;
        const isAllowed = point.every(
          (price, i) => price >= min_prices[i] - 1e-7 && price <= max_prices[i] + 1e-7 && demand(point, i) >= -1e-7,
        );
        if (isAllowed) best = Math.max(best, profit(point));
      }
      const config = { model: 'linear_demand_system', intercepts, slope_matrix, unit_costs, min_prices, max_prices };
      const outcome = await solveConfig(pricing, config);
      if (best === -Infinity) expect(outcome).toMatchObject({ error: { code: 'infeasible' } });
      else {
        const { bestFitness, method } = outcome as { readonly bestFitness: number; readonly method: string };
        if (method === 'convex_qp') limited++;
        expect(Math.abs(bestFitness - best)).toBeLessThan(1e-6 * (1 + Math.abs(best)));
      }
    }
    expect(limited).toBeGreaterThan(5);
  });

  it('says where the lowest prices are above what anybody pays', async () => {
    const config = { model: 'linear_demand_system', intercepts: [10], slope_matrix: [[1]], min_prices: [11] };
    expect(await solveConfig(pricing, config)).toMatchObject({ error: { code: 'infeasible' } });
  });
});

describe('dynamic_pricing', () => {
  it('agrees with the integrated differential equation (10 instances)', async () => {
    for (let k = 0; k < 10; k++) {
      const [a, r, inventory, horizon] = [between(5, 60), between(0.5, 3), whole(1, 12), between(0.3, 2)];
      const salvage = k % 2 === 0 ? 0 : between(0, 1);
      const { f, r: result } = await answerOf({
        model: 'dynamic_pricing',
        demand: { type: 'poisson_exponential', arrival_scale: a, rate: r },
        inventory,
        horizon,
        salvage,
      });
      expect(relative(f, revenueByIntegration(a, r, inventory, horizon, salvage))).toBeLessThan(1e-7);
      expect(result['fixed_price_revenue'] as number).toBeLessThanOrEqual(f);
      // Expected sales are the derivative of the revenue by ln a, times r.
      const h = 1e-4;
      const up = revenueByIntegration(a * Math.exp(h), r, inventory, horizon, salvage);
      const down = revenueByIntegration(a * Math.exp(-h), r, inventory, horizon, salvage);
      expect(relative(result['expected_sales'] as number, (r * (up - down)) / (2 * h))).toBeLessThan(1e-5);
    }
  });

  it('with a list of prices is as good as the best of all policies (12 instances)', async () => {
    const poisson = (mean: number, d: number): number => {
      let p = Math.exp(-mean);
      for (let i = 1; i <= d; i++) p *= mean / i;
      return p;
    };
    for (let k = 0; k < 12; k++) {
      const [periods, inventory, salvage] = [2, 2, between(0, 3)];
      const prices = [between(5, 8), between(9, 15)];
      const mean_demand = Array.from({ length: periods }, () => [between(1, 4), between(0, 1.5)]);
      let best = -Infinity;
      // A policy names a price for each period and stock: 2 x 2 places, 2 prices.
      for (let code = 0; code < 16; code++) {
        const value = (t: number, n: number): number => {
          if (t === periods) return salvage * n;
          if (n === 0) return 0;
          const j = (code >> (t * 2 + n - 1)) & 1;
          let sum = 0;
          let certain = 0;
          for (let d = 0; d < n; d++) {
            const p = poisson(mean_demand[t][j], d);
            certain += p;
            sum += p * (d * prices[j] + value(t + 1, n - d));
          }
          return sum + (1 - certain) * n * prices[j];
        };
        best = Math.max(best, value(0, inventory));
      }
      const demand = { type: 'price_list', prices, mean_demand };
      const { f } = await answerOf({ model: 'dynamic_pricing', demand, inventory, salvage });
      expect(relative(f, best)).toBeLessThan(1e-12);
    }
  });

  it('repeats one row over the horizon', async () => {
    const list = (mean_demand: number[][], more: object = {}) => ({
      model: 'dynamic_pricing',
      demand: { type: 'price_list', prices: [4, 6], mean_demand },
      inventory: 8,
      ...more,
    });
    const [once, thrice] = [
      await answerOf(list([[3, 1]], { horizon: 3 })),
      await answerOf(
        list([
          [3, 1],
          [3, 1],
          [3, 1],
        ]),
      ),
    ];
    expect(once.f).toBe(thrice.f);
  });

  it('sells thousands of units without overflow', async () => {
    const { f } = await answerOf({
      model: 'dynamic_pricing',
      demand: { type: 'poisson_exponential', arrival_scale: 1e5, rate: 0.01 },
      inventory: 5000,
      horizon: 1,
    });
    // Certain demand bounds the revenue: price ln(a t / N) / r for N units.
    expect(f).toBeLessThan((5000 * Math.log(20)) / 0.01);
    expect(f).toBeGreaterThan(0.99 * ((5000 * Math.log(20)) / 0.01));
  });
});

describe('markdown', () => {
  it('is as good as the best of all price paths (40 instances)', async () => {
    for (let k = 0; k < 40; k++) {
      const [periods, steps] = [whole(1, 5), whole(1, 4)];
      const price_ladder = Array.from(
        { length: steps },
        (_, i) => Math.round(100 * (10 + 8 * i + between(0, 7))) / 100,
      );
      const base_demand = Array.from({ length: periods }, () => between(0, 60));
      const elasticity = between(-4, -0.3);
      const salvage_value = k % 3 === 0 ? between(0, 25) : 0;
      const non_increasing = k % 2 === 0;
      const inventory = between(20, 500);
      const top = Math.max(...price_ladder);
      let best = -Infinity;
      const walk = (t: number, last: number, left: number, earned: number): void => {
        if (t === periods) {
          best = Math.max(best, earned + salvage_value * left);
          return;
        }
        for (const price of price_ladder) {
          if (non_increasing && price > last) continue;
          const sold = Math.min(left, base_demand[t] * (price / top) ** elasticity);
          walk(t + 1, price, left - sold, earned + price * sold);
        }
      };
      walk(0, Infinity, inventory, 0);
      const { f, status } = await answerOf({
        model: 'markdown',
        periods,
        inventory,
        price_ladder,
        base_demand,
        elasticity,
        salvage_value,
        non_increasing,
      });
      expect(status).toBe('optimal');
      expect(relative(f, best)).toBeLessThan(1e-10);
    }
  });

  it('says how far it may be from the best where paths had to be dropped', async () => {
    const periods = 104;
    const { answer, bestFitness } = await solved(pricing, {
      model: 'markdown',
      periods,
      inventory: 5_000,
      price_ladder: Array.from({ length: 30 }, (_, i) => 20 + 1.37 * i),
      base_demand: Array.from({ length: periods }, () => between(5, 40)),
      elasticity: -1.9,
      salvage_value: 3,
    });
    const { bound, gap, status } = answer.optimality;
    expect(['optimal', 'feasible']).toContain(status);
    expect(bound as number).toBeGreaterThanOrEqual(bestFitness);
    expect((gap as number) / bestFitness).toBeLessThan(1e-3);
  });
});

describe('assortment', () => {
  it('is as good as the best of all sets (40 instances)', async () => {
    for (let k = 0; k < 40; k++) {
      const n = whole(1, 10);
      const products = Array.from({ length: n }, () => ({ margin: between(-5, 60), weight: between(0.1, 3) }));
      const no_purchase_weight = between(0.2, 4);
      const max_products = k % 2 === 0 ? whole(1, n) : undefined;
      let best = 0;
      for (let set = 0; set < 2 ** n; set++) {
        const offered = products.filter((_, i) => set & (1 << i));
        if (offered.length > (max_products ?? n)) continue;
        const weight = offered.reduce((a, p) => a + p.weight, no_purchase_weight);
        best = Math.max(best, offered.reduce((a, p) => a + p.weight * p.margin, 0) / weight);
      }
      const { f } = await answerOf({
        model: 'assortment',
        products,
        no_purchase_weight,
        max_products,
      });
      expect(Math.abs(f - best)).toBeLessThan(1e-10);
    }
  });

  it('offers nothing where every sale loses', async () => {
    const { answer, bestFitness } = await solved(pricing, {
      model: 'assortment',
      products: [{ margin: -1, weight: 2 }],
    });
    expect(bestFitness).toBe(0);
    expect(answer.result['offered']).toEqual([]);
  });
});

describe('what is refused', () => {
  const linear = { type: 'linear', intercept: 100, slope: 1 };
  const system = {
    model: 'linear_demand_system',
    intercepts: [1, 1],
    slope_matrix: [
      [1, 0],
      [0, 1],
    ],
  };
  const markdown = {
    model: 'markdown',
    periods: 2,
    inventory: 5,
    price_ladder: [3, 2],
    base_demand: [1, 1],
    elasticity: -2,
  };
  const list = { type: 'price_list', prices: [1, 2], mean_demand: [[1, 1]] };
  const REFUSED: readonly (readonly [string, RegExp, unknown])[] = [
    [
      'config.demand.elasticity',
      /^`config.demand.elasticity` between -1 and 0 makes the price unbounded/,
      { demand: { type: 'constant_elasticity', scale: 10, elasticity: -0.5 }, unit_cost: 1 },
    ],
    [
      'config.demand.elasticity',
      /must be below 0/,
      { demand: { type: 'constant_elasticity', scale: 1, elasticity: 1.5 } },
    ],
    ['config.demand.type', /must be one of "linear", "constant_elasticity"/, { demand: { type: 'quadratic' } }],
    ['config.demand.slopes', /Did you mean `slope`/, { demand: { type: 'linear', intercept: 1, slope: 1, slopes: 1 } }],
    ['config.min_price', /must not be above `max_price`/, { demand: linear, min_price: 5, max_price: 4 }],
    ['config.price_endings[0]', /at most 0.999999/, { demand: linear, price_endings: [99] }],
    [
      'config.demand.points',
      /higher price must have sold less/,
      {
        demand: {
          type: 'points',
          points: [
            [1, 5],
            [2, 6],
          ],
        },
      },
    ],
    [
      'config.demand.points[1][0]',
      /has the price 1 too/,
      {
        demand: {
          type: 'points',
          points: [
            [1, 5],
            [1, 6],
          ],
        },
      },
    ],
    [
      'config.max_price',
      /below 1, the lowest price/,
      {
        demand: {
          type: 'points',
          points: [
            [1, 5],
            [2, 3],
            [3, 1],
          ],
        },
        max_price: 0.5,
      },
    ],
    [
      'config.max_prices',
      /must have 1 number/,
      { model: 'multinomial_logit', products: [{ attractiveness: 1 }], price_sensitivity: 1, max_prices: [1, 2] },
    ],
    [
      'config.products[1].id',
      /is the id of entry 1 too/,
      {
        model: 'assortment',
        products: [
          { id: 'a', margin: 1, weight: 1 },
          { id: 'a', margin: 1, weight: 1 },
        ],
      },
    ],
    ['config.slope_matrix', /must be 2 x 2/, { ...system, slope_matrix: [[1]] }],
    [
      'config.slope_matrix',
      /own prices must matter more/,
      {
        ...system,
        slope_matrix: [
          [1, -2],
          [-2, 1],
        ],
      },
    ],
    ['config.unit_costs', /must have 2 entries/, { ...system, unit_costs: [1] }],
    ['config.min_prices[0]', /must not be above/, { ...system, min_prices: [2, 0], max_prices: [1, 1] }],
    ['config.ids[1]', /earlier product/, { ...system, ids: ['a', 'a'] }],
    [
      'config.horizon',
      /is required/,
      { model: 'dynamic_pricing', demand: { type: 'poisson_exponential', arrival_scale: 1, rate: 1 }, inventory: 2 },
    ],
    ['config.horizon', /a whole number/, { model: 'dynamic_pricing', demand: list, inventory: 2, horizon: 1.5 }],
    ['config.inventory', /at most 1000 with a list/, { model: 'dynamic_pricing', demand: list, inventory: 2000 }],
    [
      'config.demand.mean_demand[0]',
      /one for each price/,
      { model: 'dynamic_pricing', demand: { ...list, prices: [1] }, inventory: 2 },
    ],
    [
      'config.demand.mean_demand',
      /1 row or 3/,
      {
        model: 'dynamic_pricing',
        demand: {
          ...list,
          mean_demand: [
            [1, 1],
            [1, 1],
          ],
        },
        inventory: 2,
        horizon: 3,
      },
    ],
    ['config.base_demand', /must have 2 numbers/, { ...markdown, base_demand: [1] }],
    ['config.price_ladder[1]', /is there already/, { ...markdown, price_ladder: [2, 2] }],
    ['config.elasticity', /must be below 0/, { ...markdown, elasticity: 0 }],
  ];
  for (const [field, message, config] of REFUSED) {
    it(`${field}: ${message.source}`, () => {
      let thrown: unknown;
      try {
        checkConfig(pricing, config);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toMatchObject({ code: 'invalid_request', field });
      expect((thrown as Error).message).toMatch(message);
    });
  }
});

describe('edges', () => {
  it('any price brings the revenue of a demand of elasticity -1', async () => {
    const demand = { type: 'constant_elasticity', scale: 54_100, elasticity: -1 };
    const { x, f } = await answerOf({ model: 'single_product', demand, max_price: 20.81, objective: 'revenue' });
    expect(f).toBeCloseTo(54_100, 6);
    expect(x[0]).toBeLessThanOrEqual(20.81);
  });

  it('a list of one price is not said to rise or fall', async () => {
    const demand = { type: 'price_list', prices: [35.8], mean_demand: [[2.66], [4.76]] };
    const { answer } = await solved(pricing, { model: 'dynamic_pricing', demand, inventory: 4 });
    expect(answer.statements.map(({ text }) => text).join(' ')).not.toMatch(/rises|falls/);
  });

  it('a full assortment is at its limit', async () => {
    const products = [{ margin: 35.7, weight: 3.89 }];
    const { answer } = await solved(pricing, { model: 'assortment', products, max_products: 1 });
    expect(answer.constraints).toMatchObject([{ name: 'max_products', slack: 0, binding: true, shadowPrice: 0 }]);
  });
});
