/** Models of uncertain demand at one place, against enumeration and against costs that are integrated anew. */
import { describe, expect, it } from 'vitest';
import { Rng } from '../../../common/rng.js';
import { checkConfig } from '../../configs.js';
import { solved } from '../../../../test/support/problems.js';
import { inventory } from './inventory.js';

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);
const between = (rng: Rng, low: number, high: number): number => low * (high / low) ** rng.uniform();

/** Chances of 0, 1, 2, ... by the formula, in logarithms. */
function poisson(mean: number): number[] {
  const chances: number[] = [];
  let logFactorial = 0;
  for (let k = 0; k < mean + 12 * Math.sqrt(mean) + 30; k++) {
    if (k > 0) logFactorial += Math.log(k);
    chances.push(Math.exp(k * Math.log(mean) - mean - logFactorial));
  }
  return chances;
}

/** Amounts with their chances; of continuous demand the midpoints of many parts. */
type Outcomes = readonly (readonly [value: number, chance: number])[];

const outcomesOf = (chances: readonly number[]): Outcomes => chances.map((chance, value) => [value, chance] as const);

/** Whole demands with random chances. */
function randomTable(rng: Rng, most: number): { values: number[]; probabilities: number[]; outcomes: Outcomes } {
  const values = [...new Set(Array.from({ length: 2 + rng.below(5) }, () => rng.below(most)))].filter((v) => v > 0);
  values.push(most);
  const weights = values.map(() => 0.1 + rng.uniform());
  const total = weights.reduce((a, b) => a + b);
  const probabilities = weights.map((weight) => weight / total);
  return { values, probabilities, outcomes: values.map((value, i) => [value, probabilities[i]] as const) };
}

const mismatch = (outcomes: Outcomes, over: number, under: number, level: number): number =>
  outcomes.reduce(
    (sum, [d, chance]) => sum + chance * (over * Math.max(0, level - d) + under * Math.max(0, d - level)),
    0,
  );

function sumsOf(outcomes: Outcomes, times: number): Outcomes {
  let sums = new Map([[0, 1]]);
  for (let i = 0; i < times; i++) {
    const next = new Map<number, number>();
    for (const [a, p] of sums) for (const [b, q] of outcomes) next.set(a + b, (next.get(a + b) ?? 0) + p * q);
    sums = next;
  }
  return [...sums];
}

describe('newsvendor', () => {
  it.each(SEEDS)('no order is cheaper than the one found (seed %i)', async (seed) => {
    const rng = Rng.create(seed).split('newsvendor');
    const holding_cost = between(rng, 0.1, 10);
    const stockout_cost = between(rng, 0.1, 50);
    const table = randomTable(rng, 30);
    const mean = between(rng, 0.5, 40);
    const low = 20 * rng.uniform();
    const high = low + between(rng, 1, 50);
    const parts = 20_000;
    const [mu, sigma] = [rng.uniform() * 3, 0.1 + 0.7 * rng.uniform()];
    const bells = Array.from({ length: 2 * parts }, (_, i) => -8 + (16 * (i + 0.5)) / (2 * parts));
    const weight = (z: number): number => (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * (16 / (2 * parts));
    const kinds: [Record<string, unknown>, Outcomes][] = [
      [{ distribution: 'discrete', values: table.values, probabilities: table.probabilities }, table.outcomes],
      [{ distribution: 'empirical', values: table.values }, table.values.map((v) => [v, 1 / table.values.length])],
      [{ distribution: 'poisson', mean }, outcomesOf(poisson(mean))],
      [
        { distribution: 'uniform', low, high },
        Array.from({ length: parts }, (_, i) => [low + ((high - low) * (i + 0.5)) / parts, 1 / parts] as const),
      ],
      [{ distribution: 'normal', mean: 10 * mean, sd: mean }, bells.map((z) => [10 * mean + mean * z, weight(z)])],
      [{ distribution: 'lognormal', mu, sigma }, bells.map((z) => [Math.exp(mu + sigma * z), weight(z)])],
    ];
    const [demand, outcomes] = kinds[seed % kinds.length];
    const { bestSolution, bestFitness, answer } = await solved(inventory, {
      model: 'newsvendor',
      demand,
      holding_cost,
      stockout_cost,
    });
    const [quantity] = bestSolution;
    expect(mismatch(outcomes, holding_cost, stockout_cost, quantity) / bestFitness).toBeCloseTo(1, 6);
    const tried =
      outcomes.length > 100
        ? Array.from({ length: 60 }, (_, i) => outcomes[i * Math.floor(outcomes.length / 60)])
        : outcomes;
    for (const [level] of tried) {
      if (level >= 0)
        expect(mismatch(outcomes, holding_cost, stockout_cost, level)).toBeGreaterThan(bestFitness * (1 - 1e-6));
    }
    const { holding_cost: over, stockout_cost: under, cost } = answer.result as Record<string, number>;
    expect(over + under).toBeCloseTo(cost, 9);
  });

  it.each([
    [{ price: 1 }, /`config.unit_cost` is required/],
    [{ unit_cost: 1 }, /`config.price` is required/],
    [{ price: 1, unit_cost: 1 }, /`config.price` must be above `config.unit_cost` = 1/],
    [{ price: 2, unit_cost: 1, salvage_value: 1 }, /`config.salvage_value` must be below `config.unit_cost` = 1/],
    [{ price: 2, unit_cost: 1, stockout_cost: 1 }, /`config.stockout_cost` does not go with `config.price`/],
    [{ holding_cost: 1 }, /`config.stockout_cost` is required/],
    [{ holding_cost: 1, stockout_cost: 1, salvage_value: 1 }, /`config.salvage_value` does not go with/],
    [{}, /`config.holding_cost` is required/],
  ])('refuses %j', (costs, message) => {
    const config = { model: 'newsvendor', demand: { distribution: 'poisson', mean: 5 }, ...costs };
    expect(() => checkConfig(inventory, config)).toThrow(message);
  });

  it.each([
    [{ distribution: 'uniform', low: 3, high: 3 }, /`config.demand.high` must be above `config.demand.low` = 3/],
    [{ distribution: 'discrete', values: [1, 2], probabilities: [1] }, /`config.demand.probabilities` must have one/],
    [{ distribution: 'discrete', values: [1, 2], probabilities: [0.5, 0.4] }, /`config.demand.probabilities` must add/],
    [{ distribution: 'empirical', values: [0, 0] }, /`config.demand.values` must have a demand above 0/],
    [{ distribution: 'normal', mean: 3, sd: -1 }, /`config.demand.sd` must be at least 0/],
    [{ distribution: 'gamma', mean: 3 }, /`config.demand.distribution` must be one of "normal", "poisson"/],
    [{ distribution: 'poisson', mean: 3, sd: 1 }, /Unknown field `config.demand.sd`/],
    [{}, /`config.demand.distribution` is required/],
  ])('refuses the demand %j', (demand, message) => {
    const config = { model: 'newsvendor', holding_cost: 1, stockout_cost: 2, demand };
    expect(() => checkConfig(inventory, config)).toThrow(message);
  });
});

describe('base stock', () => {
  it.each(SEEDS)('no level is cheaper than the one found (seed %i)', async (seed) => {
    const rng = Rng.create(seed).split('base stock');
    const holding_cost = between(rng, 0.1, 10);
    const stockout_cost = between(rng, 0.1, 50);
    const table = randomTable(rng, 12);
    const lead_time = rng.below(4);
    const demand = { distribution: 'discrete', values: table.values, probabilities: table.probabilities };
    const config = { model: 'base_stock', demand, lead_time, holding_cost, stockout_cost };
    const { bestSolution, bestFitness } = await solved(inventory, config);
    const outcomes = sumsOf(table.outcomes, lead_time + 1);
    expect(mismatch(outcomes, holding_cost, stockout_cost, bestSolution[0]) / bestFitness).toBeCloseTo(1, 9);
    for (let level = 0; level <= 48; level++) {
      expect(mismatch(outcomes, holding_cost, stockout_cost, level)).toBeGreaterThan(bestFitness * (1 - 1e-9));
    }
  });

  it('adds up demand of other kinds on a grid: three uniform ones have a known sum', async () => {
    const config = {
      model: 'base_stock',
      demand: { distribution: 'uniform', low: 0, high: 1 },
      lead_time: 2,
      holding_cost: 1,
      stockout_cost: 19,
    };
    const { bestSolution, bestFitness, answer } = await solved(inventory, config);
    // Above 2 the chance of more than x is (3 - x)^3 / 6, the expected shortage (3 - x)^4 / 24.
    const level = 3 - 0.3 ** (1 / 3);
    expect(bestSolution[0]).toBeCloseTo(level, 2);
    expect(bestFitness).toBeCloseTo(level - 1.5 + 20 * ((3 - level) ** 4 / 24), 4);
    expect(answer.optimality.status).toBe('heuristic');
    expect(answer.assumptions.map(({ code }) => code)).toContain('demand_grid');
  });

  it('refuses half a time unit where demand of a part of one is not known', () => {
    const demand = { distribution: 'uniform', low: 0, high: 1 };
    const config = { model: 'base_stock', demand, lead_time: 0.5, holding_cost: 1, stockout_cost: 1 };
    expect(() => checkConfig(inventory, config)).toThrow(/`config.lead_time` and `config.review_period` must add up/);
    expect(() => checkConfig(inventory, { ...config, review_period: 0.5 })).not.toThrow();
  });
});

describe('(s, S)', () => {
  /** Average cost by the chain of stocks at the beginning of periods, its shares found by repetition. */
  function averageCost(demand: Outcomes, K: number, h: number, p: number, s: number, S: number): number {
    const span = S - s;
    let shares = new Array<number>(span).fill(1 / span);
    for (let round = 0; round < 4_000; round++) {
      const next = new Array<number>(span).fill(0);
      shares.forEach((share, i) => {
        for (const [d, chance] of demand) next[i + d < span ? i + d : 0] += share * chance;
      });
      // Half of the old shares: the chain need not settle otherwise.
      const mixed = next.map((share, i) => (share + shares[i]) / 2);
      const off = mixed.reduce((sum, share, i) => sum + Math.abs(share - shares[i]), 0);
      shares = mixed;
      if (off < 1e-13) break;
    }
    return shares.reduce((sum, share, i) => {
      const y = S - i;
      const orders = demand.reduce((all, [d, chance]) => all + (i + d >= span ? chance : 0), 0);
      return sum + share * (K * orders + mismatch(demand, h, p, y));
    }, 0);
  }

  it.each(SEEDS)('no pair in a wide box is cheaper (seed %i)', async (seed) => {
    const rng = Rng.create(seed).split('s S');
    const table = randomTable(rng, 6);
    const [fixed_cost, holding_cost, stockout_cost] = [
      between(rng, 0.5, 15),
      between(rng, 0.5, 3),
      between(rng, 0.5, 15),
    ];
    const demand =
      seed % 2 === 0
        ? { distribution: 'discrete', values: table.values, probabilities: table.probabilities }
        : { distribution: 'poisson', mean: between(rng, 0.5, 5) };
    const outcomes = seed % 2 === 0 ? table.outcomes : outcomesOf(poisson(Number(demand.mean)));
    const config = { model: 's_S', demand, fixed_cost, holding_cost, stockout_cost };
    const { bestSolution, bestFitness, answer } = await solved(inventory, config);
    const cost = (s: number, S: number): number => averageCost(outcomes, fixed_cost, holding_cost, stockout_cost, s, S);
    const [bestS, bestTop] = bestSolution;
    expect(cost(bestS, bestTop) / bestFitness).toBeCloseTo(1, 8);
    for (let s = bestS - 5; s <= bestS + 5; s++) {
      for (let top = Math.max(s + 1, bestTop - 6); top <= bestTop + 6; top++) {
        expect(cost(s, top)).toBeGreaterThan(bestFitness * (1 - 1e-8));
      }
    }
    const parts = answer.result as Record<string, number>;
    expect(parts['ordering_cost'] + parts['holding_cost'] + parts['stockout_cost']).toBeCloseTo(bestFitness, 9);
  });

  it.each([
    [
      { demand: { distribution: 'discrete', values: [1, 2.5], probabilities: [0.5, 0.5] } },
      /`config.demand.values\[1\]` must be a whole/,
    ],
    [{ demand: { distribution: 'normal', mean: 5, sd: 1 } }, /`config.demand.distribution` must be one of "poisson"/],
    [{ demand: { distribution: 'poisson', mean: 20_000 } }, /`config.demand.mean` must be at most 10000 units/],
    [{ fixed_cost: 1e9 }, /`config.fixed_cost` makes orders of about/],
  ])('refuses %j', (changes, message) => {
    const config = {
      model: 's_S',
      fixed_cost: 5,
      holding_cost: 1,
      stockout_cost: 4,
      demand: { distribution: 'poisson', mean: 6 },
    };
    expect(() => checkConfig(inventory, { ...config, ...changes })).toThrow(message);
  });
});

describe('(r, Q)', () => {
  it.each(SEEDS)('no pair of whole numbers is cheaper for Poisson demand (seed %i)', async (seed) => {
    const rng = Rng.create(seed).split('r Q');
    const [mean, lead_time] = [between(rng, 0.3, 5), 3 * rng.uniform()];
    const [K, h, p] = [between(rng, 1, 50), between(rng, 0.5, 10), between(rng, 0.5, 100)];
    const during = outcomesOf(poisson(Math.max(1e-9, mean * lead_time)));
    const G = new Map<number, number>();
    for (let y = -80; y <= 120; y++) G.set(y, mismatch(during, h, p, y));
    const cost = (r: number, Q: number): number => {
      let sum = K * mean;
      for (let y = r + 1; y <= r + Q; y++) sum += G.get(y) ?? Infinity;
      return sum / Q;
    };
    const config = {
      model: 'r_Q',
      demand: { distribution: 'poisson', mean },
      lead_time,
      fixed_cost: K,
      holding_cost: h,
      stockout_cost: p,
    };
    const { bestSolution, bestFitness } = await solved(inventory, config);
    expect(cost(bestSolution[0], bestSolution[1]) / bestFitness).toBeCloseTo(1, 9);
    for (let r = -60; r <= 40; r++) {
      for (let Q = 1; Q <= 70; Q++) expect(cost(r, Q)).toBeGreaterThan(bestFitness * (1 - 1e-9));
    }
  });

  it.each(SEEDS)('no pair on a grid is cheaper for normal demand (seed %i)', async (seed) => {
    const rng = Rng.create(seed).split('r Q normal');
    const [mean, lead_time] = [between(rng, 10, 1000), 0.01 + rng.uniform()];
    const sd = seed === 1 ? 0 : mean * 0.4 * rng.uniform();
    const [K, h, p] = [between(rng, 1, 500), between(rng, 0.1, 10), between(rng, 0.5, 100)];
    const [mu, sigma] = [mean * lead_time, sd * Math.sqrt(lead_time)];
    const bells = Array.from({ length: 1_000 }, (_, i) => -7 + (14 * (i + 0.5)) / 1_000);
    const weights = bells.map((z) => (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * 0.014);
    /** Integral of the cost of a position, for each demand during the lead time in closed form. */
    const cost = (r: number, Q: number): number => {
      let sum = K * mean;
      bells.forEach((z, i) => {
        const d = mu + sigma * z;
        const side = (from: number, to: number): number => (Math.max(0, to) ** 2 - Math.max(0, from) ** 2) / 2;
        sum += weights[i] * (h * side(r - d, r + Q - d) + p * side(d - r - Q, d - r));
      });
      return sum / Q;
    };
    const demand = { distribution: 'normal', mean, sd };
    const config = { model: 'r_Q', demand, lead_time, fixed_cost: K, holding_cost: h, stockout_cost: p };
    const { bestSolution, bestFitness } = await solved(inventory, config);
    const [r, Q] = bestSolution;
    expect(cost(r, Q) / bestFitness).toBeCloseTo(1, 6);
    for (let a = -10; a <= 10; a++) {
      for (let b = -8; b <= 10; b++) {
        expect(cost(r + 0.1 * a * Q, Q * 1.2 ** b)).toBeGreaterThan(bestFitness * (1 - 1e-6));
      }
    }
  });

  it('is the economic order quantity with backorders where demand is certain', async () => {
    const costs = { fixed_cost: 8, holding_cost: 0.225, stockout_cost: 5 };
    const demand = { distribution: 'normal', mean: 1300, sd: 0 };
    const found = await solved(inventory, { model: 'r_Q', demand, lead_time: 0.1, ...costs });
    const plain = await solved(inventory, { model: 'eoq_backorder', demand_rate: 1300, ...costs });
    expect(found.bestFitness).toBeCloseTo(plain.bestFitness, 9);
    expect(found.bestSolution[1] / plain.bestSolution[0]).toBeCloseTo(1, 6);
  });
});
