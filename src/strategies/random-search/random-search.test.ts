import { describe, expect, it } from 'vitest';
import { repeated } from '../search/repeated.js';
import type { Strategy } from '../strategy.js';
import { randomSearch } from './kind.js';
import { inRows } from '../../model/candidate-batch.js';

const factory = repeated(randomSearch);
const problem = {
  bounds: { lower: Float64Array.of(-5, 100), upper: Float64Array.of(5, 101) },
  seed: 3,
  budgetEvaluations: 100,
};

/** Candidates, row-major, of so many evaluations that all have one fitness. */
function draw(strategy: Strategy, count: number, fitness: number): number[] {
  const drawn: number[] = [];
  while (drawn.length < 2 * count) {
    const batch = inRows(strategy.ask());
    drawn.push(...batch.candidates.subarray(0, 2 * batch.count));
    strategy.tell(new Float64Array(batch.count).fill(fitness));
  }
  return drawn.slice(0, 2 * count);
}

describe('random search', () => {
  it('is uniform over the box', () => {
    const count = 8000;
    const cells = new Float64Array(16);
    const drawn = draw(factory.create(problem), count, 1);
    for (let k = 0; k < count; k++) {
      const row = Math.floor(((drawn[2 * k] + 5) / 10) * 4);
      const column = Math.floor((drawn[2 * k + 1] - 100) * 4);
      cells[4 * row + column]++;
    }
    const expected = count / cells.length;
    const chiSquared = cells.reduce((sum, seen) => sum + (seen - expected) ** 2 / expected, 0);
    // The 0.999 quantile of chi-squared with 15 degrees of freedom (scipy.stats.chi2.ppf(0.999, 15)).
    expect(chiSquared).toBeLessThan(37.7);
  });

  it('asks for the same whatever the values are', () => {
    const plain = draw(factory.create(problem), 200, 1);
    expect(draw(factory.create(problem), 200, Infinity)).toEqual(plain);
    expect(draw(factory.create(problem), 200, -7)).toEqual(plain);
  });

  it('evaluates the request’s own start first, and draws the others as without it', () => {
    const plain = draw(factory.create(problem), 100, 1);
    const started = draw(factory.create({ ...problem, initialSolution: [1, 100.5] }), 100, 1);
    expect(started).toEqual([1, 100.5, ...plain.slice(2)]);
  });
});
