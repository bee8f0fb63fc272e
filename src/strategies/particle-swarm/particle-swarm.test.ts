import { describe, expect, it } from 'vitest';
import { Rng } from '../../common/rng.js';
import { repeated } from '../search/repeated.js';
import { particleSwarm } from './kind.js';
import { MIN_SIZE } from './parameters.js';
import { SwarmShape } from './swarm-shape.js';
import { inRows } from '../../model/candidate-batch.js';

type Objective = (x: Float64Array) => number;

/** Runs it for `budget` evaluations in [-5, 5]^n; the best value, the sizes of the steps, and all candidates. */
function search(
  objective: Objective,
  n: number,
  budget: number,
  seed = 1,
): { best: number; steps: number[]; candidates: Float64Array[] } {
  const factory = repeated(particleSwarm);
  const bounds = { lower: new Float64Array(n).fill(-5), upper: new Float64Array(n).fill(5) };
  const strategy = factory.create({ bounds, seed, budgetEvaluations: budget });
  const steps: number[] = [];
  const seen: Float64Array[] = [];
  let best = Infinity;
  for (let used = 0; used < budget;) {
    const { candidates, count } = inRows(strategy.ask());
    const told = Math.min(count, budget - used);
    const fitness = new Float64Array(told);
    for (let k = 0; k < told; k++) {
      const x = candidates.slice(k * n, (k + 1) * n);
      seen.push(x);
      fitness[k] = objective(x);
    }
    strategy.tell(fitness);
    best = Math.min(best, ...fitness);
    steps.push(count);
    used += told;
  }
  return { best, steps, candidates: seen };
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1];
const medianBest = (objective: Objective, n: number, budget: number): number =>
  median([1, 2, 3, 4, 5].map((seed) => search(objective, n, budget, seed).best));

const sphere: Objective = (x) => x.reduce((sum, v) => sum + (v - 1.5) ** 2, 0);
/** Condition 1e6, all coordinates coupled: u is a unit vector that no axis is near to. */
const cigar: Objective = (x) => {
  const along = x.reduce((sum, v) => sum + (v - 1), 0) / Math.sqrt(x.length);
  const all = x.reduce((sum, v) => sum + (v - 1) ** 2, 0);
  return 1e6 * (all - along * along) + along * along;
};

describe('particle swarm', () => {
  it('converges on a sphere', () => {
    expect(medianBest(sphere, 5, 5000)).toBeLessThan(1e-8);
  });

  it('learns the direction of a valley', () => {
    expect(medianBest(cigar, 5, 10_000)).toBeLessThan(1e-8);
  });

  it('makes progress on a short budget', () => {
    // 1,000 uniform random points leave about 40 here.
    expect(medianBest(sphere, 10, 1000)).toBeLessThan(2);
  });

  it('comes to a minimum at the bounds', () => {
    const { best, candidates } = search((x) => x.reduce((sum, v) => sum + v, 0), 4, 1000);
    expect(best).toBe(-20);
    expect(candidates.every((x) => x.every((v) => v >= -5 && v <= 5))).toBe(true);
  });

  it('shrinks over the budget', () => {
    const { steps } = search(cigar, 20, 20_000);
    expect(steps[0]).toBeGreaterThan(30);
    for (let g = 1; g < steps.length; g++) expect(steps[g]).toBeLessThanOrEqual(steps[g - 1]);
    expect(steps.at(-1)).toBeLessThanOrEqual(MIN_SIZE + 1);
  });
});

describe('swarm shape', () => {
  const rows = Int32Array.from({ length: 100 }, (_, k) => k);

  /** 100 points along (1, 1, 0), a hundredth as wide across. */
  function stretched(rng: Rng): Float64Array {
    const points = new Float64Array(300);
    for (let k = 0; k < 100; k++) {
      const along = rng.normal();
      points.set([along + 0.01 * rng.normal(), along + 0.01 * rng.normal(), 0.01 * rng.normal()], 3 * k);
    }
    return points;
  }

  it('becomes that of the points', () => {
    const shape = new SwarmShape(3);
    const rng = Rng.create(1);
    for (let k = 0; k < 60; k++) shape.learn(stretched(rng), rows, 100);
    const scratch = new Float64Array(3);
    const along = shape.squaredLength(Float64Array.of(1, 1, 0), scratch);
    const across = shape.squaredLength(Float64Array.of(1, -1, 0), scratch);
    // Variances 1 and 1e-4 / 2 along (1, 1) and (1, -1): lengths differ by about 2e4.
    expect(across / along).toBeGreaterThan(5e3);
    expect(across / along).toBeLessThan(5e4);
    const values = Float64Array.of(9, 0.3, -0.4, 0.5);
    const before = values.slice(1);
    shape.colour(values, 1);
    expect(shape.squaredLength(values.slice(1), scratch)).toBeCloseTo(
      before.reduce((sum, v) => sum + v * v, 0),
      9,
    );
  });

  it('goes on from a snapshot, and stays a sphere for points that are all one', () => {
    const shape = new SwarmShape(3);
    shape.learn(new Float64Array(300), rows, 100);
    expect(shape.isKnown).toBe(false);
    const rng = Rng.create(2);
    shape.learn(stretched(rng), rows, 100);
    const copy = new SwarmShape(3, shape.snapshot());
    const more = stretched(rng);
    shape.learn(more, rows, 100);
    copy.learn(more, rows, 100);
    expect(copy.snapshot()).toEqual(shape.snapshot());
    const v = Float64Array.of(1, 2, 3);
    expect(copy.squaredLength(v, new Float64Array(3))).toBe(shape.squaredLength(v, new Float64Array(3)));
  });
});
