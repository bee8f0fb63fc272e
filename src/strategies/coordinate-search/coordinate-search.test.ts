import { describe, expect, it } from 'vitest';
import { planner } from '../../planner/planner.js';
import { repeated } from '../search/repeated.js';
import { coordinateSearch } from './kind.js';
import { inRows } from '../../model/candidate-batch.js';

function best(objective: (x: Float64Array) => number, n: number, budget: number): number {
  const bounds = { lower: new Float64Array(n).fill(-5), upper: new Float64Array(n).fill(5) };
  const strategy = repeated(coordinateSearch).create({ bounds, seed: 1, budgetEvaluations: budget });
  for (let used = 0; used < budget;) {
    const { candidates, count } = inRows(strategy.ask());
    const fitness = Float64Array.from({ length: Math.min(count, budget - used) }, (_, k) =>
      objective(candidates.slice(k * n, (k + 1) * n)),
    );
    strategy.tell(fitness);
    used += fitness.length;
  }
  return strategy.incumbent()!.fitness;
}

describe('coordinate search', () => {
  it('polishes every axis of a sum with many minima within the budget', () => {
    const rastrigin = (x: Float64Array): number =>
      x.reduce((sum, v, i) => {
        const u = v - 1.3 - 0.17 * i;
        return sum + u * u + 10 * (1 - Math.cos(2 * Math.PI * u));
      }, 0);
    for (const n of [5, 10]) expect(best(rastrigin, n, 100 * n)).toBeLessThan(1e-8);
  });

  it('finds optima on the bounds', () => {
    const towardsTheCorner = (x: Float64Array): number => x.reduce((sum, v, i) => sum + (i % 2 === 0 ? v : -v), 0);
    expect(best(towardsTheCorner, 6, 300)).toBe(-30);
  });
});

describe('in the planner', () => {
  const n = 3;
  const bounds = { lower: new Float64Array(n).fill(-5), upper: new Float64Array(n).fill(5) };

  function planned(objective: (x: Float64Array) => number, seed: number): { best: number; members: string[] } {
    const strategy = planner.create({ bounds, seed, budgetEvaluations: 600 });
    for (let used = 0; used < 600;) {
      const { candidates, count } = inRows(strategy.ask());
      const told = Math.min(count, 600 - used);
      strategy.tell(Float64Array.from({ length: told }, (_, k) => objective(candidates.slice(k * n, (k + 1) * n))));
      used += told;
    }
    return { best: strategy.incumbent()!.fitness, members: strategy.phases!().map(({ name }) => name) };
  }

  const sphere = (x: Float64Array): number => x.reduce((sum, v, i) => sum + (v - i) ** 2, 0);
  // A sum where the limit is passed, as it is in 29 of 30 points of the box.
  const limited = (x: Float64Array): number =>
    x.reduce((sum, v, i) => sum + (1 + i) * v, 0) + (x.reduce((sum, v) => sum + v, 0) < 9 ? 60 : 0);

  it('gives way where what passed for a sum is none', () => {
    const runs = Array.from({ length: 8 }, (_, k) => planned(limited, k + 1));
    expect(runs.filter(({ members }) => members[1] === 'coordinate-search').length).toBeGreaterThan(4);
    // 30 where the limit is passed, 12 within it.
    for (const { best } of runs) expect(best).toBeLessThan(20);
    for (let seed = 1; seed <= 4; seed++) expect(planned(sphere, seed)).toMatchObject({ best: 0 });
    expect(planned(sphere, 1).members[1]).toBe('coordinate-search');
  });
});
