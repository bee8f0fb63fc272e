/** The planner where a program rounds variables: what it finds, and that an interruption changes nothing. */
import { describe, expect, it } from 'vitest';
import { inRows } from '../src/model/candidate-batch.js';
import { strategies } from '../src/planner/all-strategies.js';

type Program = (x: readonly number[]) => number;

const planner = strategies.find(({ name }) => name === 'planner')!;

interface Run {
  readonly values: readonly number[];
  readonly searches: readonly string[];
}

/** @param cut after so many batches, again and again, the run goes on from its snapshot */
function run(program: Program, box: readonly (readonly [number, number])[], budget: number, cut = Infinity): Run {
  const problem = {
    bounds: { lower: Float64Array.from(box, ([low]) => low), upper: Float64Array.from(box, ([, high]) => high) },
    seed: 7,
    budgetEvaluations: budget,
    mode: 'balanced' as const,
  };
  let strategy = planner.create(problem);
  const values: number[] = [];
  for (let batches = 1; values.length < budget; batches++) {
    const batch = strategy.ask();
    const { candidates, count, dimension } = inRows(batch);
    const told = Float64Array.from({ length: Math.min(count, budget - values.length) }, (_, row) =>
      program([...candidates.subarray(row * dimension, (row + 1) * dimension)]),
    );
    strategy.tell(told);
    values.push(...told);
    if (batches % cut === 0) {
      strategy = planner.restore(problem, JSON.parse(JSON.stringify(strategy.snapshot())) as never);
    }
  }
  return { values, searches: (strategy.phases?.() ?? []).map(({ name }) => name) };
}

const BOX = [
  [-20.4, 25.4],
  [-20.4, 25.4],
  [-5, 5],
  [-20.4, 25.4],
] as const;
const valley: Program = ([a, b, c, d]) => (a - 3) ** 2 + 30 * (b - a + 9) ** 2 + 4 * (c - 0.1 * b) ** 2 + (d - 2) ** 2;
const whole: Program = (x) => valley([Math.round(x[0]), Math.round(x[1]), Math.round(x[2]), Math.round(x[3])]);
const mixed: Program = (x) => valley([Math.round(x[0]), Math.floor(x[1]), x[2], Math.round(x[3])]);

describe('a program that rounds its variables', () => {
  it('is searched cell by cell', () => {
    const { values, searches } = run(whole, BOX, 150);
    expect(searches).toContain('lattice-search');
    // At 3, -6, -1, 2.
    expect(Math.min(...values)).toBeCloseTo(0.64, 12);
  });

  it('gets the exact minimum of the variables that it does not round', () => {
    const { values, searches } = run(mixed, BOX, 300);
    expect(searches).toContain('lattice-search');
    expect(Math.min(...values)).toBeLessThan(1e-9);
  });

  it.each([
    ['all', whole, 60],
    ['all', whole, 250],
    ['some', mixed, 90],
    ['some', mixed, 250],
  ] as const)('goes on with the same bits where %s are rounded', (_, program, budget) => {
    const undisturbed = run(program, BOX, budget);
    for (const cut of [1, 7]) expect(run(program, BOX, budget, cut)).toEqual(undisturbed);
  });
});
