import { describe, expect, it } from 'vitest';
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
