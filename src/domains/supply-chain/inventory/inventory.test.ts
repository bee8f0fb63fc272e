import { describe, expect, it } from 'vitest';
import { checkConfig } from '../../configs.js';
import { guideConfigs, referenceCases, solved, type ReferenceCase } from '../../../../test/support/problems.js';
import { inventory } from './inventory.js';

const cases = referenceCases('supply_chain', 'inventory');

/** A case states one tolerance for all of its numbers, or one for costs and another for quantities. */
function toleranceOf({ tolerance }: ReferenceCase, field: string): { relative: number; absolute: number } {
  const { rel, cost_rel, quantity_rel, level_abs } = tolerance as Record<string, number>;
  if (rel !== undefined) return { relative: rel, absolute: 0 };
  if (field === 'cost') return { relative: cost_rel, absolute: 0 };
  return { relative: quantity_rel ?? 0, absolute: level_abs ?? 0 };
}

function expectNear(found: unknown, expected: unknown, within: { relative: number; absolute: number }): void {
  if (typeof expected === 'number') {
    expect(typeof found).toBe('number');
    const allowed = within.absolute + within.relative * Math.abs(expected);
    expect(Math.abs((found as number) - expected)).toBeLessThanOrEqual(allowed);
    return;
  }
  expect(Object.keys(found as object)).toEqual(Object.keys(expected as object));
  for (const [key, value] of Object.entries(expected as object)) {
    expectNear((found as Record<string, unknown>)[key], value, within);
  }
}

describe.skipIf(cases === null)('the reference cases, which lie beside this checkout where it has them', () => {
  it.each((cases ?? []).map((one) => [one.id, one] as const))('solves %s', async (_, one) => {
    const { bestFitness, answer } = await solved(inventory, one.config);
    for (const [field, expected] of Object.entries(one.expected)) {
      expectNear(answer.result[field], expected, toleranceOf(one, field));
    }
    const { profit, cost, heuristic_cost: rule } = answer.result as Record<string, number>;
    expect(bestFitness).toBe(profit ?? cost);
    if (rule !== undefined) expect(cost).toBeLessThanOrEqual(rule);
  });
});

describe('the guide', () => {
  it.each(guideConfigs('supply_chain', 'inventory').map((config) => [String(config['model']), config] as const))(
    'solves its example of %s',
    async (_, config) => {
      const { answer } = await solved(inventory, config, { maxEvaluations: 2_000 });
      expect(answer.optimality.status).toBe('optimal');
    },
  );
});

/** A config of the model's example with some fields changed; undefined leaves a field out. */
function changed(model: string, changes: Record<string, unknown>): Record<string, unknown> {
  const example = inventory.models.find(({ name }) => name === model)?.example ?? {};
  const config: Record<string, unknown> = { ...example, ...changes };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

describe('refuses a contradiction, and names its field', () => {
  const refusals: [model: string, changes: Record<string, unknown>, message: RegExp][] = [
    ['eoq', { holding_cost_rate: 0.2 }, /`config.holding_cost_rate` and `config.holding_cost` say the same/],
    ['eoq', { holding_cost: undefined, unit_cost: 3 }, /`config.holding_cost` is required, or/],
    ['eoq', { holding_cost: undefined, unit_cost: 0, holding_cost_rate: 0.2 }, /`config.unit_cost` must be above 0/],
    ['eoq', { demand_rate: 0 }, /`config.demand_rate` must be at least 1e-9, not 0/],
    ['eoq_backorder', { stockout_cost: undefined }, /`config.stockout_cost` is required/],
    ['epq', { production_rate: 80 }, /`config.production_rate` must be above `config.demand_rate` = 80/],
    ['eoq_discount', { unit_costs: [1, 2, 3] }, /`config.unit_costs\[1\]` must be at most the one before, 1/],
    ['eoq_discount', { unit_costs: [1] }, /`config.unit_costs` must have one price for each of 3 breakpoints/],
    ['eoq_discount', { breakpoints: [1, 400, 800] }, /`config.breakpoints\[0\]` must be 0, not 1/],
    ['eoq_discount', { breakpoints: [0, 400, 400] }, /`config.breakpoints\[2\]` must be above the one before, 400/],
    ['eoq_discount', { holding_cost: 1 }, /`config.holding_cost` and `config.holding_cost_rate` say the same/],
    ['eoq_discount', { holding_cost_rate: undefined }, /`config.holding_cost_rate` is required/],
    ['wagner_whitin', { demand: [90, 5e-270] }, /`config.demand\[1\]` must be 0 or at least 1e-12, not 5e-270/],
    ['wagner_whitin', { fixed_cost: 5e-324 }, /`config.fixed_cost` must be/],
    ['wagner_whitin', { initial_inventory: 8e-323 }, /`config.initial_inventory` must be 0 or at least 1e-9/],
    ['multi_item_eoq', { items: [] }, /`config.items` must be at least 1/],
    ['joint_replenishment', { demand_rates: [1, 2] }, /`config.demand_rates` must have 5 numbers/],
    [
      'joint_replenishment',
      { holding_costs: [1, 1, 1, 1, 0] },
      /`config.holding_costs\[4\]` must be at least 1e-9, not 0/,
    ],
  ];
  it.each(refusals)('%s %j', (model, changes, message) => {
    expect(() => checkConfig(inventory, changed(model, changes))).toThrow(message);
  });

  it('an id that another item has', () => {
    const item = { id: 'a', demand_rate: 1, fixed_cost: 1, holding_cost: 1 };
    expect(() => checkConfig(inventory, { model: 'multi_item_eoq', items: [item, item] })).toThrow(
      /`config.items\[1\].id`: "a" is the id of entry 1 too/,
    );
  });
});
