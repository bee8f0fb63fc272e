/**
 * Solvers that work by formulas and sums end with the time as well, with the best that they have and without a proof.
 */
import { describe, expect, it } from 'vitest';
import { solved } from '../../test/support/problems.js';
import { Rng } from '../common/rng.js';
import type { DomainName } from '../model/problem.js';
import { checkConfig, typeNamed } from './configs.js';

const rng = Rng.create(17);
const between = (low: number, high: number): number => low + (high - low) * rng.uniform();
const many = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));

interface Case {
  readonly domain: DomainName;
  readonly type: string;
  /** Times that the clock is read before the time is up. */
  readonly looks: number;
  readonly config: Record<string, unknown>;
}

const shares = (count: number): number[] => {
  const values = many(count, () => rng.uniform());
  const sum = values.reduce((a, b) => a + b, 0);
  return values.map((value) => value / sum);
};

const CASES: readonly Case[] = [
  {
    domain: 'supply_chain',
    type: 'inventory',
    looks: 10,
    config: {
      model: 'multi_item_eoq',
      items: many(50, () => ({
        demand_rate: between(1, 1000),
        fixed_cost: between(1, 100),
        holding_cost: between(0.1, 1),
        space: between(0.1, 3),
      })),
      space_limit: 100,
    },
  },
  {
    domain: 'supply_chain',
    type: 'inventory',
    looks: 2,
    config: {
      model: 'r_Q',
      demand: { distribution: 'poisson', mean: 500 },
      lead_time: 1,
      fixed_cost: 200,
      holding_cost: 0.5,
      stockout_cost: 5,
    },
  },
  ...(['pay_your_bid', 'second_price'] as const).map((pricing): Case => ({
    domain: 'marketing',
    type: 'campaign',
    looks: 5,
    config: {
      model: 'keyword_bidding',
      pricing,
      keywords: many(30, () => ({
        value_per_click: between(1, 6),
        max_clicks: between(100, 1000),
        half_bid: between(0.2, 3),
      })),
      budget: 500,
    },
  })),
  {
    domain: 'marketing',
    type: 'pricing',
    looks: 1,
    config: {
      model: 'single_product',
      demand: { type: 'points', points: many(40, (i) => [1 + i, 2000 - 40 * i + between(0, 300)]) },
      unit_cost: 3,
      capacity: 1500,
      price_endings: many(100, (i) => i / 100),
    },
  },
  {
    domain: 'marketing',
    type: 'pricing',
    looks: 0,
    config: {
      model: 'assortment',
      products: many(200, () => ({ margin: between(90, 91), weight: between(0.0001, 0.0002) })),
      max_products: 80,
    },
  },
  {
    domain: 'healthcare',
    type: 'treatment_protocol',
    looks: 3,
    config: {
      model: 'treatment_policy',
      states: many(6, (i) => `s${i}`),
      actions: many(4, (i) => `a${i}`),
      transition: many(4, () => many(6, () => shares(6))),
      reward: many(4, () => many(6, () => rng.uniform())),
      horizon: 40,
    },
  },
  {
    domain: 'healthcare',
    type: 'treatment_protocol',
    looks: 1,
    config: {
      model: 'treatment_policy',
      states: many(6, (i) => `s${i}`),
      actions: many(4, (i) => `a${i}`),
      transition: many(4, () => many(6, () => shares(6))),
      reward: many(4, () => many(6, () => rng.uniform())),
    },
  },
];

describe('once the time is up', () => {
  it.each(CASES)('$config.model gives the best so far, and no proof', async ({ domain, type: name, looks, config }) => {
    const type = typeNamed(domain, name);
    const whole = await solved(type, config);
    expect(whole.answer.optimality.status).toBe('optimal');
    let asked = 0;
    const cut = await solved(type, config, { isOver: () => ++asked > looks });
    expect(cut.answer.optimality).toMatchObject({ status: 'heuristic', proof: null });
    expect(cut.termination).toBe('timeout');
    const { model } = checkConfig(type, config);
    const sign = whole.answer.sense === 'minimize' ? 1 : -1;
    expect(model.name).toBe(config['model']);
    expect(sign * cut.bestFitness).toBeGreaterThanOrEqual(
      sign * whole.bestFitness - 1e-9 * Math.abs(whole.bestFitness),
    );
  });
});

// The shorter horizon is checked whole, the longer one in some periods.
it.each([60, 700])('a wrong action in a horizon of %d periods shows', async (horizon) => {
  const config = {
    model: 'treatment_policy',
    states: many(40, (i) => `s${i}`),
    actions: many(50, (i) => `a${i}`),
    transition: many(50, () => many(40, () => shares(40))),
    reward: many(50, () => many(40, () => rng.uniform())),
    horizon,
  };
  const { model, config: checked } = checkConfig(typeNamed('healthcare', 'treatment_protocol'), config);
  const context = { look: () => undefined, isOver: () => false } as unknown as Parameters<typeof model.solve>[1];
  const solution = await model.solve(checked, context);
  expect(model.verify(checked, solution)).toBeNull();
  const { policies } = solution.detail as { policies: number[][] };
  const wrong = policies.map((policy, t) => (t === 7 ? policy.map((a) => (a + 1) % 50) : policy));
  expect(model.verify(checked, { ...solution, detail: { policies: wrong } })).toContain('does not hold');
});
