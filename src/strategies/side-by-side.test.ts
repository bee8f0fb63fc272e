import { describe, expect, it } from 'vitest';
import { inRows } from '../model/candidate-batch.js';
import { strategies } from '../planner/all-strategies.js';
import { sideBySide, wide } from './side-by-side.js';
import type { Strategy, StrategyProblem } from './strategy.js';

const WIDTH = 5;
const problem: StrategyProblem = {
  bounds: { lower: Float64Array.of(-3, 0, 10), upper: Float64Array.of(3, 1, 30) },
  seed: 11,
  budgetEvaluations: 200,
  sideBySide: WIDTH,
};
const single = strategies.filter(({ capabilities }) => (capabilities.objectives?.[0] ?? 1) === 1);
const suitable = single.filter(({ capabilities }) => capabilities.isPossible?.(3, undefined) !== false);

const value = (x: Float64Array): number => x.reduce((sum, v, i) => sum + (v - i) ** 2, 0);

/** Candidates asked for in `rounds`, each row a text. */
function drive(strategy: Strategy, rounds: number, portion = Infinity): string[] {
  const rows: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const { candidates, count, dimension } = inRows(strategy.ask());
    const told = Math.min(count, portion);
    const x = Array.from({ length: told }, (_, k) => candidates.slice(k * dimension, (k + 1) * dimension));
    rows.push(...x.map((row) => row.join()));
    strategy.tell(Float64Array.from(x, value));
  }
  return rows;
}

describe.each(suitable)('$name, side by side', (plain) => {
  const factory = sideBySide(plain);

  it('asks for multiples of the places, inside the bounds', () => {
    const strategy = factory.create(problem);
    for (let round = 0; round < 6; round++) {
      const { candidates, count } = inRows(strategy.ask());
      // Nothing is to be learned by a strategy that takes no other results; its own populations are such multiples.
      expect(count % WIDTH).toBe(0);
      const rows = Array.from({ length: count }, (_, k) => candidates.slice(k * 3, (k + 1) * 3));
      for (const row of rows) {
        row.forEach((v, i) => expect(v >= problem.bounds.lower[i] && v <= problem.bounds.upper[i]).toBe(true));
      }
      strategy.tell(Float64Array.from(rows, value));
    }
    expect(strategy.incumbent()!.fitness).toBeLessThan(Infinity);
  });

  it('goes on from a snapshot within a batch to the same candidates', () => {
    const wanted = drive(factory.create(problem), 40, 3);
    for (const before of [1, 2, 7, 12]) {
      const first = factory.create(problem);
      const begun = drive(first, before, 3);
      const snapshot = JSON.parse(JSON.stringify(first.snapshot())) as ReturnType<Strategy['snapshot']>;
      const rest = drive(factory.restore(problem, snapshot), 40 - before, 3);
      expect([...begun, ...rest]).toEqual(wanted);
    }
  });

  it('is the plain strategy where candidates are valued one by one', () => {
    const alone = { ...problem, sideBySide: undefined };
    expect(drive(factory.create(alone), 5)).toEqual(drive(plain.create(alone), 5));
  });
});

describe('a batch', () => {
  it('takes no more results than it has candidates, and no fewer than one', () => {
    const strategy = sideBySide(single[0]).create(problem);
    expect(() => strategy.tell(new Float64Array(1))).toThrow(RangeError);
    const { count } = inRows(strategy.ask());
    expect(() => strategy.tell(new Float64Array(count + 1))).toThrow(RangeError);
    expect(() => strategy.tell(new Float64Array(0))).toThrow(RangeError);
  });

  it('is filled with points that bring the search on', () => {
    // Six values tell a quadratic of two variables: planner and simplex alike meet its minimum within a few batches.
    const bowl = ([a, b]: Float64Array): number => 3 * (a - 0.4) ** 2 + (a - 0.4) * (b + 1.2) + (b + 1.2) ** 2;
    const flat = { lower: Float64Array.of(-5, -5), upper: Float64Array.of(5, 5) };
    for (const name of ['planner', 'nelder-mead']) {
      const strategy = sideBySide(single.find((one) => one.name === name)!).create({ ...problem, bounds: flat });
      for (let round = 0; round < 8; round++) {
        const { candidates, count } = inRows(strategy.ask());
        strategy.tell(Float64Array.from({ length: count }, (_, k) => bowl(candidates.slice(2 * k, 2 * k + 2))));
      }
      expect(strategy.incumbent()!.fitness).toBeLessThan(1e-6);
    }
  });

  it('has no point twice where the minimum is a corner', () => {
    const bounds = { lower: Float64Array.of(-5, -5), upper: Float64Array.of(5, 5) };
    for (const name of ['planner', 'nelder-mead']) {
      const strategy = sideBySide(single.find((one) => one.name === name)!).create({
        ...problem,
        bounds,
        sideBySide: 8,
      });
      for (let round = 0; round < 12; round++) {
        const { candidates, count } = inRows(strategy.ask());
        const rows = Array.from({ length: count }, (_, k) => candidates.slice(2 * k, 2 * k + 2));
        expect(new Set(rows.map((row) => row.join())).size).toBe(count);
        strategy.tell(Float64Array.from(rows, ([a, b]) => a + b));
      }
      expect(strategy.incumbent()!.fitness).toBeLessThan(-9.99);
    }
  });

  it('is a multiple of the places', () => {
    expect([wide(0, 4), wide(1, 4), wide(4, 4), wide(5, 4), wide(7)]).toEqual([0, 4, 4, 8, 7]);
  });
});
