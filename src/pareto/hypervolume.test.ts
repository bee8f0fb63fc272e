import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Contributions, hypervolume } from './hypervolume.js';

/** By inclusion and exclusion over all subsets of points. */
function bySubsets(points: readonly (readonly number[])[], reference: readonly number[]): number {
  let sum = 0;
  for (let subset = 1; subset < 1 << points.length; subset++) {
    const corner = reference.map(() => -Infinity);
    let sign = -1;
    points.forEach((point, p) => {
      if ((subset & (1 << p)) === 0) return;
      sign = -sign;
      point.forEach((value, i) => (corner[i] = Math.max(corner[i], value)));
    });
    sum += sign * reference.reduce((volume, far, i) => volume * Math.max(0, far - corner[i]), 1);
  }
  return sum;
}

const setOf = (k: number): fc.Arbitrary<number[][]> =>
  fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: k, maxLength: k }), { maxLength: 9 });

for (const k of [1, 2, 3, 4]) {
  it(`equals inclusion and exclusion over ${k} objectives, also of points that are equal, dominated or outside`, () => {
    fc.assert(
      fc.property(setOf(k), (points) => {
        const reference = new Array<number>(k).fill(8);
        // Small whole numbers: both ways are exact.
        expect(hypervolume(Float64Array.from(points.flat()), points.length, k, reference)).toBe(
          bySubsets(points, reference),
        );
      }),
      { numRuns: 400, seed: 11 },
    );
  });
}

for (const k of [2, 3, 4]) {
  it(`a point of ${k} objectives contributes what is lost without it`, () => {
    fc.assert(
      fc.property(setOf(k), fc.integer({ min: 0, max: 511 }), (points, left) => {
        const reference = new Array<number>(k).fill(8);
        const values = Float64Array.from(points.flat());
        const isIn = Uint8Array.from(points, (_, p) => (left >> p) & 1);
        const contributions = new Contributions(values, points.length, k, reference);
        const chosen = points.filter((_, p) => isIn[p] === 1);
        points.forEach((point, p) => {
          const others = points.filter((_, q) => q !== p && isIn[q] === 1);
          const gain = bySubsets([...others, point], reference) - bySubsets(others, reference);
          expect(contributions.of(p, isIn)).toBe(gain);
        });
        expect(bySubsets(chosen, reference)).toBe(
          hypervolume(Float64Array.from(chosen.flat()), chosen.length, k, reference),
        );
      }),
      { numRuns: 300, seed: 12 },
    );
  });
}

it('takes the points of a sphere in any order', () => {
  const points: number[][] = [];
  for (let a = 0; a < 12; a++) {
    for (let b = 0; b < 12; b++) {
      const [u, v] = [(a / 11) * (Math.PI / 2), (b / 11) * (Math.PI / 2)];
      points.push([Math.cos(u) * Math.cos(v), Math.cos(u) * Math.sin(v), Math.sin(u)]);
    }
  }
  const volume = (rows: number[][]): number =>
    hypervolume(Float64Array.from(rows.flat()), rows.length, 3, [1.1, 1.1, 1.1]);
  expect(volume(points.toReversed())).toBeCloseTo(volume(points), 12);
  // The box without the octant of the unit ball is the limit from above.
  expect(volume(points)).toBeLessThan(1.331 - Math.PI / 6);
  expect(volume(points)).toBeGreaterThan(1.331 - Math.PI / 6 - 0.15);
});

for (const k of [2, 3, 4]) {
  it(`of ${k} objectives is infinite, never NaN, where volumes are beyond float64`, () => {
    const huge = Number.MAX_VALUE;
    const rows = Array.from({ length: 6 }, (_, i) =>
      Array.from({ length: k }, (_value, j) => (j % 2 === 0 ? i / 3 - 1 : 1 - i / 3) * huge),
    );
    const reference = new Array<number>(k).fill(huge);
    expect(hypervolume(Float64Array.from(rows.flat()), rows.length, k, reference)).toBe(Infinity);
  });
}
