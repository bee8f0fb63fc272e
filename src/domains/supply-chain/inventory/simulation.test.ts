import { describe, expect, it } from 'vitest';
import { Rng } from '../../../common/rng.js';
import { checkConfig } from '../../configs.js';
import { solved } from '../../../../test/support/problems.js';
import { inventory } from './inventory.js';

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);

interface Costs {
  readonly fixed_cost: number;
  readonly holding_cost: number;
  readonly stockout_cost: number;
  readonly lead_time: number;
  readonly review_period: number;
  readonly unmet_demand: 'waits' | 'lost';
}

/** Average cost of a policy, told event by event; `order` says how much for a position. */
function replay(demand: readonly number[], costs: Costs, start: number, order: (position: number) => number): number {
  const arrivals = new Map<number, number>();
  let [net, total] = [start, 0];
  demand.forEach((units, t) => {
    if (t % costs.review_period === 0) {
      let position = net;
      for (const [at, size] of arrivals) if (at >= t) position += size;
      const size = order(position);
      if (size > 0) {
        total += costs.fixed_cost;
        arrivals.set(t + costs.lead_time, (arrivals.get(t + costs.lead_time) ?? 0) + size);
      }
    }
    net += arrivals.get(t) ?? 0;
    arrivals.delete(t);
    const missing = Math.max(0, units - Math.max(0, net));
    net -= costs.unmet_demand === 'waits' ? units : units - missing;
    total += costs.holding_cost * Math.max(0, net);
    total += costs.stockout_cost * (costs.unmet_demand === 'waits' ? Math.max(0, -net) : missing);
  });
  return total / demand.length;
}

function drawn(seed: number): { demand: number[]; costs: Costs } {
  const rng = Rng.create(seed).split('simulation');
  return {
    demand: Array.from({ length: 30 + rng.below(50) }, () => rng.below(6)),
    costs: {
      fixed_cost: rng.below(20),
      holding_cost: 0.5 + rng.uniform(),
      stockout_cost: 1 + 9 * rng.uniform(),
      lead_time: rng.below(4),
      review_period: 1 + rng.below(2),
      unmet_demand: seed % 2 === 0 ? 'waits' : 'lost',
    },
  };
}

describe('simulation', () => {
  it.each(SEEDS)('finds the best whole policy of its box, as a replay of all says (seed %i)', async (seed) => {
    const { demand, costs } = drawn(seed);
    const level = await solved(inventory, { model: 'simulation', policy: 'base_stock', demand, ...costs });
    const ofLevel = (top: number): number => replay(demand, costs, top, (position) => Math.max(0, top - position));
    expect(level.answer.optimality).toMatchObject({ status: 'optimal', proof: 'exhaustive' });
    expect(ofLevel(level.bestSolution[0])).toBeCloseTo(level.bestFitness, 9);
    for (let top = 0; top <= 60; top++) expect(ofLevel(top)).toBeGreaterThan(level.bestFitness - 1e-9);

    const config = { model: 'simulation', policy: 's_S', demand, ...costs };
    const { bestSolution, bestFitness, answer } = await solved(inventory, config, { maxEvaluations: 20_000 });
    const ofPair = (s: number, top: number): number =>
      replay(demand, costs, Math.max(0, top), (position) => (position <= s ? top - position : 0));
    expect(answer.optimality.status).toBe('optimal');
    expect(ofPair(bestSolution[0], bestSolution[1])).toBeCloseTo(bestFitness, 9);
    const lowest = costs.unmet_demand === 'waits' ? 0 : -1;
    for (let s = lowest; s <= 10; s++) {
      for (let top = s + 1; top <= s + 10; top++) expect(ofPair(s, top)).toBeGreaterThan(bestFitness - 1e-9);
    }
  });

  it('comes near the exact (s, S) policy where there are many periods', async () => {
    const config = { fixed_cost: 5, holding_cost: 1, stockout_cost: 4, demand: { distribution: 'poisson', mean: 6 } };
    const exact = await solved(inventory, { model: 's_S', ...config });
    const found = await solved(
      inventory,
      { model: 'simulation', policy: 's_S', periods: 20_000, ...config },
      { maxEvaluations: 1_500 },
    );
    expect(Math.abs(found.bestFitness / exact.bestFitness - 1)).toBeLessThan(0.03);
    expect(Math.abs(found.bestSolution[0] - exact.bestSolution[0])).toBeLessThanOrEqual(1);
  });

  it('leaves what it cannot enumerate to the strategies of the engine, within the budget', async () => {
    const demand = { distribution: 'normal', mean: 100, sd: 30 };
    const config = {
      model: 'simulation',
      policy: 'r_Q',
      demand,
      periods: 300,
      lead_time: 2,
      fixed_cost: 500,
      holding_cost: 1,
      stockout_cost: 9,
    };
    const { evaluations, method, answer, bestFitness } = await solved(inventory, config, { maxEvaluations: 400 });
    expect(evaluations).toBeLessThanOrEqual(400);
    expect(method).not.toBe('exhaustive_enumeration');
    expect(answer.optimality).toMatchObject({ status: 'heuristic', bound: null, proof: null });
    // The exact model of continuous review is a little cheaper: it sees the stock at all times.
    const exact = await solved(inventory, {
      model: 'r_Q',
      demand,
      lead_time: 3,
      fixed_cost: 500,
      holding_cost: 1,
      stockout_cost: 9,
    });
    expect(bestFitness / exact.bestFitness).toBeGreaterThan(0.8);
    expect(bestFitness / exact.bestFitness).toBeLessThan(1.25);
  });

  it('draws other demands for another seed', async () => {
    const config = {
      model: 'simulation',
      demand: { distribution: 'poisson', mean: 3 },
      periods: 50,
      fixed_cost: 2,
      holding_cost: 1,
      stockout_cost: 5,
    };
    const [a, b] = [await solved(inventory, config, { seed: 1 }), await solved(inventory, config, { seed: 2 })];
    expect(a.bestFitness).not.toBe(b.bestFitness);
  });

  it('gives the best that it has simulated when the time is up, and claims no proof', async () => {
    const config = {
      model: 'simulation',
      demand: [5, 9, 2, 7, 4, 8],
      holding_cost: 1,
      stockout_cost: 4,
      fixed_cost: 3,
    };
    const whole = await solved(inventory, config, { maxEvaluations: 100_000 });
    expect(whole.answer.optimality.status).toBe('optimal');
    let asked = 0;
    const isOver = (): boolean => ++asked > 20;
    const cut = await solved(inventory, config, { maxEvaluations: 100_000, isOver });
    expect(cut.answer.optimality).toMatchObject({ status: 'heuristic', proof: null });
    expect(cut.evaluations).toBeLessThan(whole.evaluations);
    expect(cut.bestFitness).toBeGreaterThanOrEqual(whole.bestFitness);
    expect(cut.termination).toBe('timeout');
  });

  it.each([
    [{ demand: [1, 2, 3], periods: 10 }, /`config.periods` goes with a distribution/],
    [{ demand: [0, 0] }, /`config.demand` must have a demand above 0/],
    [{ demand: [1, -1] }, /`config.demand\[1\]` must be at least 0, not -1/],
    [{ demand: [1, 2, 3], warm_up: 3 }, /`config.warm_up` must be below the number of periods, 3/],
    [{ lead_time: 0.5 }, /`config.lead_time` must be a whole number/],
    [{ policy: 'best' }, /`config.policy` must be one of "base_stock", "s_S", "r_Q"/],
  ])('refuses %j', (changes, message) => {
    const config = { model: 'simulation', demand: [1, 2, 3], holding_cost: 1, stockout_cost: 2, ...changes };
    expect(() => checkConfig(inventory, config)).toThrow(message);
  });
});
