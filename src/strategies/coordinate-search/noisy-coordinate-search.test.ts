import { describe, expect, it } from 'vitest';
import { Rng } from '../../common/rng.js';
import { inRows } from '../../model/candidate-batch.js';
import type { Strategy } from '../strategy.js';
import { searchStrategy } from '../search/search-strategy.js';
import { fromBest } from '../search/points.js';
import { NoisyCoordinateSearch } from './noisy-coordinate-search.js';

const strategy = searchStrategy(
  'noisy-coordinate-search',
  1,
  {
    minDimension: 1,
    maxDimension: 100,
    rankBased: false,
    dependsOnSeed: true,
    dependsOnBudget: true,
    restarts: false,
    plans: false,
  },
  {
    create: (context) => new NoisyCoordinateSearch(context, fromBest(context)),
    restore: (context, snapshot) => NoisyCoordinateSearch.restore(context, snapshot),
  },
);

type Objective = (x: Float64Array) => number;

/** Best value without noise; `ended` after how many evaluations. */
function drive(f: Objective, n: number, budget: number, noisy: (value: number, rng: Rng) => number, isCut = false) {
  const bounds = { lower: new Float64Array(n).fill(-5), upper: new Float64Array(n).fill(5) };
  const problem = { bounds, seed: 1, budgetEvaluations: budget };
  const rng = Rng.create(7);
  let search: Strategy = strategy.create(problem);
  let best = Infinity;
  let used = 0;
  const asked: number[] = [];
  while (used < budget && search.stop() === null) {
    if (isCut) search = strategy.restore(problem, JSON.parse(JSON.stringify(search.snapshot())));
    const { candidates, count } = inRows(search.ask());
    const told = Math.min(count, budget - used);
    const values = Float64Array.from({ length: told }, (_, k) => f(candidates.slice(k * n, (k + 1) * n)));
    asked.push(...candidates.slice(0, told * n));
    best = Math.min(best, ...values);
    search.tell(values.map((value) => noisy(value, rng)));
    used += told;
  }
  const { isMisplaced } = (search.snapshot() as unknown as { search: { isMisplaced: boolean } }).search;
  return { best, used, asked, stop: search.stop(), isMisplaced };
}

const relative = (value: number, rng: Rng): number => value * (1 + 0.01 * rng.normal());
const additive = (value: number, rng: Rng): number => value + 0.1 * rng.normal();

const ellipsoid: Objective = (x) => x.reduce((sum, v, i) => sum + 10 ** (1.5 * i) * (v - 1.3 + 0.4 * i) ** 2, 0);
const rastrigin: Objective = (x) =>
  x.reduce((sum, v, i) => {
    const u = v - 1.3 - 0.17 * i;
    return sum + u * u + 10 * (1 - Math.cos(2 * Math.PI * u));
  }, 0);

describe('coordinate search under noise', () => {
  it('follows noise that falls with the value to the last digits', () => {
    expect(drive(rastrigin, 3, 600, relative).best).toBeLessThan(1e-8);
    expect(drive(rastrigin, 5, 800, relative).best).toBeLessThan(1e-8);
  });

  it('averages noise that stays', () => {
    expect(drive(rastrigin, 3, 600, additive).best).toBeLessThan(0.3);
  });

  it('leaves a single valley to others', () => {
    const { used, stop, isMisplaced } = drive(ellipsoid, 5, 600, additive);
    expect(stop).toBe('stalled');
    expect(isMisplaced).toBe(false);
    expect(used).toBeLessThan(130);
  });

  it('ends soon where a sum has a limit that its optimum lies at', () => {
    const limited: Objective = (x) => rastrigin(x) + 100 * Math.max(0, x.reduce((sum, v) => sum + v, 0) + 2);
    const { used, stop, isMisplaced } = drive(limited, 4, 1000, additive);
    expect(stop).toBe('stalled');
    expect(isMisplaced).toBe(true);
    expect(used).toBeLessThan(60);
  });

  it('finds optima on the bounds', () => {
    const towardsTheCorner: Objective = (x) => x.reduce((sum, v, i) => sum + 5 + (i % 2 === 0 ? v : -v), 0);
    expect(drive(towardsTheCorner, 4, 200, additive).best).toBe(0);
  });

  it('ends where coordinates have to do with each other', () => {
    const valley: Objective = (x) => 1e4 * (x[0] - x[1] + 0.3) ** 2 + (x[0] + x[1] - 2) ** 2;
    const { used, stop, isMisplaced } = drive(valley, 2, 1000, relative);
    expect(stop).toBe('stalled');
    expect(isMisplaced).toBe(true);
    expect(used).toBeLessThan(400);
  });

  it('goes on with the same bits where it was cut, with failures, too', () => {
    const failing: Objective = (x) => (x[0] > 3 ? Infinity : rastrigin(x));
    for (const [f, noise] of [
      [failing, relative],
      [ellipsoid, additive],
    ] as const) {
      expect(drive(f, 3, 500, noise, true).asked).toEqual(drive(f, 3, 500, noise).asked);
    }
  });

  it.each([1e-170, 1e-309])('asks for numbers where squares of values of %s are 0', (unit) => {
    const { asked } = drive(
      (x) => unit * rastrigin(x),
      3,
      1000,
      (value, rng) => value + 0.01 * unit * rng.normal(),
    );
    expect(asked.every((value) => Math.abs(value) <= 5)).toBe(true);
  });
});
