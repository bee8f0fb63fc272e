import { describe, expect, it } from 'vitest';
import { driveStep, fitnessOf } from '../../../test/support/drive-search.js';
import { Rng } from '../../common/rng.js';
import { Archive } from '../search/archive.js';
import type { SearchContext } from '../search/search.js';
import { NelderMead } from './nelder-mead.js';

const contextOf = (n: number): SearchContext => ({
  n,
  rng: Rng.create(1),
  archive: new Archive(n),
  budget: 10_000,
});

/** The points asked until the search ends or `limit` are there. */
function drive(search: NelderMead, objective: (x: Float64Array) => number, limit = 10_000): number[][] {
  const asked: number[][] = [];
  while (search.end() === null && asked.length < limit) {
    driveStep(search, (points) =>
      fitnessOf(points, (x) => {
        asked.push([...x]);
        return objective(x);
      }),
    );
  }
  return asked;
}

const near = (row: number[]): number[] => row.map((v) => Number(v.toFixed(10)));

describe('NelderMead', () => {
  it('reflects, expands and contracts as the method says', () => {
    const search = new NelderMead(contextOf(2), { x: Float64Array.of(0.5, 0.5), size: 0.1 });
    // Vertices (.5 .5), (.6 .5), (.5 .6): the last is the worst, its reflection (.6 .4), the expansion (.65 .3).
    const values = new Map([
      ['0.5,0.5', 5],
      ['0.6,0.5', 6],
      ['0.5,0.6', 7],
      ['0.6,0.4', 4],
      ['0.65,0.3', 3],
      // Then (.6 .5) is the worst: reflection (.55 .3), outside contraction with 0.5.
      ['0.55,0.3', 5.5],
      ['0.5625,0.35', 5.2],
    ]);
    const asked = drive(search, (x) => values.get(near([...x]).join()) ?? NaN, 7).map(near);
    expect(asked.map((x) => x.join())).toEqual([...values.keys()]);
  });

  it('uses the coefficients of Gao and Han in ten dimensions', () => {
    const n = 10;
    const search = new NelderMead(contextOf(n), { x: new Float64Array(n).fill(0.5), size: 0.1 });
    // Falls along the reflection: the second point of the first iteration is the expansion by 1 + 2/n.
    const asked = drive(search, (x) => x[9] - 0.1 * x.reduce((sum, v) => sum + v, 0), n + 3);
    const centroid = 0.5 + 0.1 / n;
    const last = n - 1;
    expect(asked[n + 1][last]).toBeCloseTo(0.4, 12);
    expect(asked[n + 1][0]).toBeCloseTo(2 * centroid - 0.5, 12);
    expect(asked[n + 2][last]).toBeCloseTo(0.5 - 1.2 * 0.1, 12);
  });

  it('goes on with a new simplex where the first has collapsed', () => {
    // McKinnon's function: from this simplex the method repeats inside contractions towards a point that is no minimum.
    const mckinnon = (x: Float64Array): number => {
      const [a, b] = [4 * x[0] - 2, 4 * x[1] - 2];
      return (a <= 0 ? 360 * a * a : 6 * a * a) + b + b * b;
    };
    const search = new NelderMead(contextOf(2), { x: Float64Array.of(0.5, 0.5) });
    drive(search, mckinnon);
    expect(search.end()).not.toBeNull();
    expect(search.fitness).toBeLessThan(-0.25 + 1e-10);
  });

  it('finds a corner of the box and never leaves the box', () => {
    const search = new NelderMead(contextOf(3), { x: Float64Array.of(0.5, 0.4, 0.6) });
    const asked = drive(search, (x) => x[0] + 2 * x[1] - x[2]);
    expect(asked.flat().every((v) => v >= 0 && v <= 1)).toBe(true);
    expect(search.fitness).toBeLessThan(-1 + 1e-9);
  });

  it('ends at once on a plateau and when everything fails', () => {
    const flat = new NelderMead(contextOf(3), { x: new Float64Array(3).fill(0.5) });
    expect(drive(flat, () => 1).length).toBeLessThan(10);
    expect(flat.end()).toBe('tolFun');
    const failing = new NelderMead(contextOf(3), { x: new Float64Array(3).fill(0.5) });
    drive(failing, () => Infinity);
    expect(failing.end()).toBe('stalled');
  });
});
