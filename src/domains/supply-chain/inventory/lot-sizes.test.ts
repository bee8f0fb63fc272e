/** Models of constant demand against searches over a fine grid, enumeration, and conditions written out anew. */
import { describe, expect, it } from 'vitest';
import { Rng } from '../../../common/rng.js';
import { solved } from '../../../../test/support/problems.js';
import { checkConfig } from '../../configs.js';
import { inventory } from './inventory.js';

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);

/** Each ratio to the ends is as likely as another. */
const between = (rng: Rng, low: number, high: number): number => low * (high / low) ** rng.uniform();

/** The least of a function of one variable over a geometric grid, and over a finer one around that. */
function leastOver(low: number, high: number, of: (x: number) => number): number {
  let [from, to, least] = [low, high, Infinity];
  for (let round = 0; round < 4; round++) {
    const at = Array.from({ length: 2_001 }, (_, i) => from * (to / from) ** (i / 2_000));
    const best = at.reduce((a, b) => (of(b) < of(a) ? b : a));
    least = Math.min(least, of(best));
    const ratio = (to / from) ** (2 / 2_000);
    [from, to] = [best / ratio, best * ratio];
  }
  return least;
}

describe('one item', () => {
  it.each(SEEDS)('no order quantity on a grid is cheaper (seed %i)', async (seed) => {
    const rng = Rng.create(seed).split('lots');
    const demand_rate = between(rng, 1, 1e5);
    const fixed_cost = between(rng, 0.1, 1e4);
    const holding_cost = between(rng, 0.01, 100);
    const base = { demand_rate, fixed_cost, holding_cost };

    const eoq = await solved(inventory, { model: 'eoq', ...base });
    const plain = (q: number): number => (fixed_cost * demand_rate) / q + (holding_cost * q) / 2;
    expect(eoq.bestFitness / leastOver(1e-4, 1e9, plain)).toBeCloseTo(1, 9);

    const production_rate = demand_rate * (1 + between(rng, 0.01, 10));
    const epq = await solved(inventory, { model: 'epq', ...base, production_rate });
    const produced = (q: number): number =>
      (fixed_cost * demand_rate) / q + (holding_cost * q * (1 - demand_rate / production_rate)) / 2;
    expect(epq.bestFitness / leastOver(1e-4, 1e9, produced)).toBeCloseTo(1, 9);

    const stockout_cost = between(rng, 0.01, 1000);
    const late = await solved(inventory, { model: 'eoq_backorder', ...base, stockout_cost });
    const [quantity, fraction] = late.bestSolution;
    const waiting = (q: number, x: number): number =>
      (fixed_cost * demand_rate + (holding_cost * q * q * (1 - x) ** 2) / 2 + (stockout_cost * q * q * x * x) / 2) / q;
    expect(waiting(quantity, fraction) / late.bestFitness).toBeCloseTo(1, 12);
    for (let i = 0; i <= 100; i += 5) {
      const least = leastOver(quantity / 10, quantity * 10, (q) => waiting(q, i / 100));
      expect(least).toBeGreaterThanOrEqual(late.bestFitness * (1 - 1e-12));
    }
  });

  it.each(SEEDS)('prices that fall: every order on a grid is at least as dear (seed %i)', async (seed) => {
    const rng = Rng.create(seed).split('discount');
    const demand_rate = between(rng, 10, 1e4);
    const fixed_cost = between(rng, 1, 1e3);
    const breakpoints = [0];
    const unit_costs = [between(rng, 0.1, 100)];
    for (let i = rng.below(5); i >= 0; i--) {
      breakpoints.push((breakpoints.at(-1) ?? 0) + between(rng, 1, 2e3));
      unit_costs.push((unit_costs.at(-1) ?? 0) * (0.7 + 0.3 * rng.uniform()));
    }
    const rate = between(rng, 0.05, 1);
    const discount = seed % 2 === 0 ? 'all_units' : 'incremental';
    const holding = seed % 3 === 0 ? { holding_cost: rate } : { holding_cost_rate: rate };
    const config = { model: 'eoq_discount', discount, demand_rate, fixed_cost, breakpoints, unit_costs, ...holding };

    /** Cost of an order, unit by unit of each price. */
    const bill = (q: number): number => {
      const last = breakpoints.findLastIndex((from) => from <= q);
      if (discount === 'all_units') return q * unit_costs[last];
      return unit_costs
        .slice(0, last + 1)
        .reduce((sum, price, i) => sum + price * ((i === last ? q : breakpoints[i + 1]) - breakpoints[i]), 0);
    };
    const cost = (q: number): number => {
      const price = bill(q) / q;
      return demand_rate * price + (fixed_cost * demand_rate) / q + ((seed % 3 === 0 ? rate : rate * price) * q) / 2;
    };
    const { bestSolution, bestFitness } = await solved(inventory, config);
    expect(cost(bestSolution[0]) / bestFitness).toBeCloseTo(1, 12);
    const least = Math.min(leastOver(0.01, 1e6, cost), ...breakpoints.slice(1).map(cost));
    expect(bestFitness / least).toBeCloseTo(1, 7);
    expect(bestFitness).toBeLessThanOrEqual(least * (1 + 1e-12));
  });
});

describe('several items', () => {
  it.each(SEEDS)('no exchange of space between two items saves anything (seed %i)', async (seed) => {
    const rng = Rng.create(seed).split('items');
    const items = Array.from({ length: 2 + rng.below(6) }, () => ({
      demand_rate: between(rng, 10, 1e4),
      fixed_cost: between(rng, 1, 1e3),
      holding_cost: between(rng, 0.01, 10),
      space: between(rng, 0.1, 10),
    }));
    const free = items.reduce(
      (sum, i) => sum + i.space * Math.sqrt((2 * i.fixed_cost * i.demand_rate) / i.holding_cost),
      0,
    );
    const space_limit = free * (0.05 + 1.2 * rng.uniform());
    const { bestSolution, bestFitness, answer } = await solved(inventory, {
      model: 'multi_item_eoq',
      items,
      space_limit,
    });
    const cost = (lots: readonly number[]): number =>
      items.reduce((sum, i, k) => sum + (i.fixed_cost * i.demand_rate) / lots[k] + (i.holding_cost * lots[k]) / 2, 0);
    const space = items.reduce((sum, i, k) => sum + i.space * bestSolution[k], 0);
    expect(cost(bestSolution) / bestFitness).toBeCloseTo(1, 12);
    expect(space).toBeLessThanOrEqual(space_limit * (1 + 1e-12));
    expect(answer.result['multiplier'] === 0).toBe(free <= space_limit);
    if (free > space_limit) expect(space / space_limit).toBeCloseTo(1, 9);
    for (let a = 0; a < items.length; a++) {
      for (let b = 0; b < items.length; b++) {
        if (a === b) continue;
        const moved = [...bestSolution];
        const share = 1e-3 * Math.min(items[a].space * moved[a], items[b].space * moved[b]);
        moved[a] -= share / items[a].space;
        moved[b] += share / items[b].space;
        expect(cost(moved)).toBeGreaterThanOrEqual(bestFitness * (1 - 1e-12));
      }
    }
  });

  it('says what a unit of space saves', async () => {
    const items = [
      { demand_rate: 1000, fixed_cost: 50, holding_cost: 2, space: 1.5 },
      { demand_rate: 500, fixed_cost: 75, holding_cost: 4, space: 2 },
    ];
    const at = async (space_limit: number) => solved(inventory, { model: 'multi_item_eoq', items, space_limit });
    const [low, here, high] = [await at(299.99), await at(300), await at(300.01)];
    const slope = (high.bestFitness - low.bestFitness) / 0.02;
    expect(here.answer.constraints[0]?.shadowPrice).toBeCloseTo(slope, 6);
  });

  it.each(SEEDS)('joint orders: every set of small multiples is at least as dear (seed %i)', async (seed) => {
    const rng = Rng.create(seed).split('joint');
    const n = 2 + rng.below(3);
    const draw = (low: number, high: number): number[] => Array.from({ length: n }, () => between(rng, low, high));
    const config = {
      shared_fixed_cost: between(rng, 1, 50),
      individual_fixed_costs: draw(0.5, 50),
      holding_costs: draw(0.1, 2),
      demand_rates: draw(50, 2000),
    };
    const { bestSolution, bestFitness } = await solved(inventory, { model: 'joint_replenishment', ...config });
    const { shared_fixed_cost, individual_fixed_costs: own, holding_costs, demand_rates } = config;
    const cost = (cycle: number, multiples: readonly number[]): number =>
      multiples.reduce(
        (sum, k, i) => sum + own[i] / (k * cycle) + (holding_costs[i] * demand_rates[i] * k * cycle) / 2,
        shared_fixed_cost / cycle,
      );
    const [cycle, ...multiples] = bestSolution;
    expect(cost(cycle, multiples) / bestFitness).toBeCloseTo(1, 12);
    const most = 12;
    let least = Infinity;
    for (let code = 0; code < most ** n; code++) {
      const ks = Array.from({ length: n }, (_, i) => 1 + (Math.floor(code / most ** i) % most));
      const fixed = ks.reduce((sum, k, i) => sum + own[i] / k, shared_fixed_cost);
      const slope = ks.reduce((sum, k, i) => sum + (k * holding_costs[i] * demand_rates[i]) / 2, 0);
      least = Math.min(least, 2 * Math.sqrt(fixed * slope));
    }
    expect(bestFitness).toBeLessThanOrEqual(least * (1 + 1e-12));
    if (Math.max(...multiples) <= most) expect(bestFitness / least).toBeCloseTo(1, 12);
  });
});

describe('what is said of the answer', () => {
  const textOf = async (config: Record<string, unknown>): Promise<string> =>
    (await solved(inventory, config)).answer.statements.map(({ text }) => text).join(' ');

  it('claims no length of the periods that a model counts in', async () => {
    const stages = [{ id: 'shop', processing_time: 2, holding_cost: 1, demand_sd: 3 }];
    const text = await textOf({ model: 'guaranteed_service', stages, edges: [] });
    expect(text).toContain('per period');
    expect(text).not.toContain('year');
  });

  it('takes any label of the time unit for text', async () => {
    const plan = { model: 'wagner_whitin', demand: [9], fixed_cost: 5, holding_cost: 2 };
    expect(await textOf({ ...plan, time_unit: '{week}' })).toContain('Place 1 order for 1 week:');
  });

  it('a mistaken cost misleads the share of demand that waits as well', async () => {
    const truth = { demand_rate: 4039.91, fixed_cost: 232.36, holding_cost: 0.0124, stockout_cost: 0.0146 };
    const policy = async (change: object): Promise<readonly number[]> =>
      (await solved(inventory, { model: 'eoq_backorder', ...truth, ...change })).bestSolution;
    const cost = ([quantity = NaN, share = NaN]: readonly number[]): number =>
      (truth.fixed_cost * truth.demand_rate) / quantity +
      (quantity * (truth.holding_cost * (1 - share) ** 2 + truth.stockout_cost * share ** 2)) / 2;
    const { answer } = await solved(inventory, { model: 'eoq_backorder', ...truth });
    const least = cost(await policy({}));
    for (const [input, excess] of Object.entries(answer.result['sensitivity'] as Record<string, number>)) {
      const wrong = await policy({ [input]: 1.1 * truth[input as keyof typeof truth] });
      expect(excess).toBeCloseTo(cost(wrong) / least - 1, 10);
    }
  });

  it('orders that cost nothing are not said to be seldom', async () => {
    const demand = { distribution: 'poisson', mean: 4 };
    const text = await textOf({ model: 's_S', fixed_cost: 0, holding_cost: 2, stockout_cost: 3, demand });
    expect(text).toContain('An order follows every demand');
    expect(text).not.toContain('seldom');
  });

  it('a plan that needs all its orders is not said to have a choice', async () => {
    const config = { demand: [90, 120, 80, 70], fixed_cost: 500, holding_cost: 2, purchase_cost: 3 };
    const text = await textOf({ model: 'wagner_whitin', ...config, capacity: [150, 100, 150, 0] });
    expect(text).toContain('Orders cost 1,500, holding stock 180, the goods 1,080.');
    expect(text).not.toContain('fewer');
  });

  it('a space that just suffices is used up', async () => {
    const items = [{ demand_rate: 200, fixed_cost: 1, holding_cost: 1, space: 1 }];
    const { answer } = await solved(inventory, { model: 'multi_item_eoq', items, space_limit: 20 });
    expect(answer.constraints).toMatchObject([{ name: 'space_limit', slack: 0, binding: true, shadowPrice: 0 }]);
  });
});

it('refuses a price of 0 at a breakpoint, and says the least one', () => {
  const discount = { model: 'eoq_discount', demand_rate: 100, fixed_cost: 8, breakpoints: [0, 10], unit_costs: [1, 0] };
  for (const holding of [{ holding_cost: 1 }, { holding_cost_rate: 0.2 }])
    expect(() => checkConfig(inventory, { ...discount, ...holding })).toThrow(
      '`config.unit_costs[1]` must be at least 1e-9, not 0.',
    );
});
