import { describe, expect, it } from 'vitest';
import { driveStep, fitnessOf } from '../../../test/support/drive-search.js';
import { Rng } from '../../common/rng.js';
import { Archive } from '../search/archive.js';
import { QuasiNewton } from './quasi-newton.js';

type Objective = (x: Float64Array) => number;

/** Evaluations until the value is below `target`; the limit where it never is. */
function evaluationsTo(
  objective: Objective,
  n: number,
  widths: Float64Array | undefined,
  target = 1e-9,
  startSizes?: readonly number[],
): number {
  const limit = 2000;
  const context = { n, rng: Rng.create(1), archive: new Archive(n), budget: limit, widths };
  const search = new QuasiNewton(context, { x: new Float64Array(n).fill(0.5), startSizes });
  let evaluations = 0;
  let solvedAfter = limit;
  while (search.end() === null && evaluations < limit && solvedAfter === limit) {
    driveStep(search, (asked) => {
      const fitness = fitnessOf(asked, objective);
      evaluations += asked.count;
      if (fitness.some((value) => value < target)) solvedAfter = Math.min(solvedAfter, evaluations);
      return fitness;
    });
  }
  return solvedAfter;
}

describe('QuasiNewton in a box of unequal sides', () => {
  const n = 10;
  const widths = Float64Array.from({ length: n }, (_, i) => 1 + 3 * i);
  const sphereOf =
    (scale: Float64Array): Objective =>
    (u) =>
      u.reduce((sum, value, i) => sum + (scale[i] * (value - 0.5 - 0.002 * (i - 4))) ** 2, 0);
  const inUnits = sphereOf(widths);
  const inShares = sphereOf(new Float64Array(n).fill(20));

  it('finds out that coordinates are alike in the units of the request', () => {
    expect(evaluationsTo(inUnits, n, widths)).toBeLessThan(0.7 * evaluationsTo(inUnits, n, undefined));
  });

  it('finds out that they are alike in shares of the box', () => {
    expect(evaluationsTo(inShares, n, widths)).toBeLessThan(evaluationsTo(inShares, n, undefined) + 2);
  });

  it('takes widths that no unit explains for what they are', () => {
    const extreme = Float64Array.from({ length: n }, (_, i) => (i === 0 ? 1e-300 : 1e300));
    expect(evaluationsTo(inShares, n, extreme)).toBe(evaluationsTo(inShares, n, undefined));
    const fixed = Float64Array.from({ length: n }, (_, i) => (i === 0 ? 0 : 1));
    expect(evaluationsTo(inShares, n, fixed)).toBe(evaluationsTo(inShares, n, undefined));
  });
});

describe('QuasiNewton that is told the size of its first matrix', () => {
  const ellipsoid: Objective = (u) => u.reduce((sum, value, i) => sum + 100 ** i * (value - 0.3) ** 2, 0);

  /**
   * All points asked for in `steps` steps; with `restored` the search is restored from its snapshot before each of
   * them.
   */
  function asked(startSizes: readonly number[] | undefined, steps: number, restored: boolean, n = 4): number[] {
    const context = { n, rng: Rng.create(1), archive: new Archive(n), budget: 1000 };
    let search = new QuasiNewton(context, {
      x: new Float64Array(n).fill(0.6),
      startSizes,
    });
    const points: number[] = [];
    for (let step = 0; step < steps; step++) {
      if (restored) search = QuasiNewton.restore(context, search.snapshot());
      driveStep(search, (wanted) => {
        points.push(...wanted.points);
        return fitnessOf(wanted, ellipsoid);
      });
    }
    return points;
  }

  it('tries one step where it would try three, and is restored with it', () => {
    const told = asked([1e-5], 3, false);
    expect(told.length).toBeLessThan(asked(undefined, 3, false).length);
    expect(asked([1e-5], 3, true)).toEqual(told);
  });

  it('is restored with the many that it looks for the right one among', () => {
    const steps = 22;
    expect(asked(undefined, steps, true, 9)).toEqual(asked(undefined, steps, false, 9));
  });
});

describe('QuasiNewton that looks for steps', () => {
  /** The search after its first step. */
  function begun(objective: Objective, looksForSteps?: 'cells' | 'any'): QuasiNewton {
    const context = { n: 3, rng: Rng.create(1), archive: new Archive(3), budget: 100 };
    const search = new QuasiNewton(context, { x: new Float64Array(3).fill(0.52), looksForSteps });
    driveStep(search, (asked) => fitnessOf(asked, objective));
    return search;
  }

  it('ends where a single coordinate is rounded', () => {
    const rounded: Objective = ([a, b, c]) => (a - 0.3) ** 2 + (Math.round(10 * b) - 2) ** 2 + c * c;
    expect(begun(rounded, 'any')).toMatchObject({ isFlat: true, fitness: rounded(new Float64Array(3).fill(0.52)) });
    expect(begun(rounded, 'any').end()).toBe('tolFun');
    expect(begun(rounded)).toMatchObject({ isFlat: false });
    expect(begun(rounded).end()).toBeNull();
  });

  it('does not take an idle coordinate for a step', () => {
    const idle: Objective = ([a, , c]) => (a - 0.3) ** 2 + (c - a) ** 2;
    expect(begun(idle, 'any')).toMatchObject({ isFlat: false });
    expect(begun(idle, 'any').end()).toBeNull();
  });

  it('does not take a slope for a step that is only lost in the last digits of large values', () => {
    const large: Objective = ([a, b, c]) => 1e9 * (1 + (a - 0.3) ** 2) + (b - 0.5) ** 2 + c;
    const x = new Float64Array(3).fill(0.52);
    const value = large(x);
    x[1] += 1e-7;
    expect(large(x)).toBe(value);
    expect(begun(large, 'any')).toMatchObject({ isFlat: false });
    expect(begun(large, 'any').end()).toBeNull();
  });
});

describe('QuasiNewton on a kink', () => {
  it('meets a wall of the third variable while two others are left to find', () => {
    const design: Objective = ([a, b, c]) =>
      (a - 0.3) ** 2 + 2 * (b - 0.6) ** 2 + c - 0.2 + 30 * Math.max(0, 0.2 + (a - 0.3) ** 2 - c);
    // Without a step across the kink it ends at 0.02.
    expect(evaluationsTo(design, 3, undefined, 1e-4)).toBeLessThan(600);
  });
});

describe('QuasiNewton where a gradient is dear', () => {
  const n = 20;

  it('finds the size of the first matrix among many', () => {
    const bent: Objective = (u) =>
      u.reduce((sum, value, i) => sum + 10 ** ((6 * i) / (n - 1)) * (value - 0.3 - 0.4 * u[(i + 7) % n] ** 2) ** 2, 0);
    const told = [1, 1e-2, 1e-4];
    expect(evaluationsTo(bent, n, undefined, 1e-4)).toBeLessThan(0.9 * evaluationsTo(bent, n, undefined, 1e-4, told));
  });
});

describe('QuasiNewton at a face of the box', () => {
  it('goes on along a stiff valley that leaves the box', () => {
    // Clipped, the step of the model leads up the walls of the valley.
    const valley: Objective = ([a, b, c]) => 1e6 * (b - 2 * a - 0.1) ** 2 + 1e4 * (c - a - b) ** 2 + (a + 1) ** 2 - 1;
    expect(evaluationsTo(valley, 3, undefined, 1e-6)).toBeLessThan(300);
  });
});
