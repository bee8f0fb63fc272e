import { describe, expect, it } from 'vitest';
import { Rng } from '../../common/rng.js';
import { repeated } from '../search/repeated.js';
import { differentialEvolution } from './kind.js';
import { Archive } from '../search/archive.js';
import type { SearchContext } from '../search/search.js';
import { DifferentialEvolution } from './differential-evolution.js';
import { inRows } from '../../model/candidate-batch.js';

type Objective = (x: Float64Array) => number;

/** Runs it for `budget` evaluations in [-5, 5]^n; the best value and the sizes of the generations. */
function search(objective: Objective, n: number, budget: number, seed = 1): { best: number; generations: number[] } {
  const factory = repeated(differentialEvolution);
  const bounds = { lower: new Float64Array(n).fill(-5), upper: new Float64Array(n).fill(5) };
  const strategy = factory.create({ bounds, seed, budgetEvaluations: budget });
  const generations: number[] = [];
  let best = Infinity;
  for (let used = 0; used < budget;) {
    const { candidates, count } = inRows(strategy.ask());
    const told = Math.min(count, budget - used);
    const fitness = new Float64Array(told);
    for (let k = 0; k < told; k++) fitness[k] = objective(candidates.subarray(k * n, (k + 1) * n));
    strategy.tell(fitness);
    best = Math.min(best, ...fitness);
    generations.push(count);
    used += told;
  }
  return { best, generations };
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1];
const medianBest = (objective: Objective, n: number, budget: number): number =>
  median([1, 2, 3, 4, 5].map((seed) => search(objective, n, budget, seed).best));

const rosenbrock: Objective = (x) => {
  let sum = 0;
  for (let i = 0; i + 1 < x.length; i++) sum += 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2;
  return sum;
};
const rastrigin: Objective = (x) =>
  x.reduce((sum, v) => sum + (v - 0.5) ** 2 + 10 * (1 - Math.cos(2 * Math.PI * (v - 0.5))), 0);
/** Condition 1e6, with its axes across the coordinates: a product of two reflections. */
const rotatedEllipsoid: Objective = (x) => {
  const n = x.length;
  const y = Float64Array.from(x, (v) => v - 1);
  for (const shift of [0, 1]) {
    let dot = 0;
    let length = 0;
    for (let i = 0; i < n; i++) {
      const u = 1 + ((i + shift) % 3);
      dot += u * y[i];
      length += u * u;
    }
    for (let i = 0; i < n; i++) y[i] -= (2 * dot * (1 + ((i + shift) % 3))) / length;
  }
  return y.reduce((sum, v, i) => sum + 10 ** ((6 * i) / (n - 1)) * v * v, 0);
};

describe('differential evolution', () => {
  it('follows a curved valley', () => {
    expect(medianBest(rosenbrock, 5, 10_000)).toBeLessThan(1e-8);
  });

  it('finds the lowest of many local minima', () => {
    expect(medianBest(rastrigin, 5, 10_000)).toBeLessThan(1e-8);
  });

  it('gets along valleys that lie across the coordinates', () => {
    expect(medianBest(rotatedEllipsoid, 5, 10_000)).toBeLessThan(1e-8);
  });

  it('makes progress on a short budget', () => {
    // 1,000 uniform random points leave about 40 here.
    expect(medianBest((x) => x.reduce((sum, v) => sum + (v - 1.5) ** 2, 0), 10, 1000)).toBeLessThan(1);
  });

  it('shrinks its population to four over the budget', () => {
    const { generations } = search(rotatedEllipsoid, 20, 20_000);
    const first = generations[0];
    expect(first).toBeGreaterThan(40);
    for (let g = 1; g < generations.length; g++) expect(generations[g]).toBeLessThanOrEqual(generations[g - 1]);
    expect(generations.at(-1)).toBeLessThanOrEqual(5);
    // Linear: half of the evaluations are spent at half of the way down.
    let used = 0;
    const halfway = generations.find((size) => (used += size) >= 10_000)!;
    expect(Math.abs(halfway - (first + 4) / 2)).toBeLessThanOrEqual(1);
  });

  it('begins with a population that suits the budget', () => {
    const first = (n: number, budget: number): number => search(rastrigin, n, budget).generations[0];
    expect(first(10, 40)).toBe(4);
    expect(first(10, 1000)).toBeLessThan(first(10, 20_000));
    expect(first(5, 1000)).toBeLessThanOrEqual(50);
  });

  it('evaluates no start whose fitness is known', () => {
    const n = 2;
    const context: SearchContext = { n, rng: Rng.create(1), archive: new Archive(n), budget: 500 };
    const x = Float64Array.of(0.25, 0.75);
    const unknown = new DifferentialEvolution(context, { x }).step().next();
    const known = new DifferentialEvolution(context, { x, fitness: 1 }).step().next();
    if (unknown.done === true || known.done === true) throw new Error('nothing asked');
    expect([...unknown.value.points.subarray(0, n)]).toEqual([...x]);
    expect(known.value.count).toBe(unknown.value.count - 1);
    expect([...known.value.points.subarray(0, n)]).not.toEqual([...x]);
  });
});
