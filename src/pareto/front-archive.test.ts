import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dominates, frontsOf } from './dominance.js';
import { FrontArchive, frontCapacity } from './front-archive.js';
import { kneeOf } from './knee.js';

const rowsOf = (values: Float64Array, k: number): number[][] =>
  Array.from({ length: values.length / k }, (_, row) => Array.from(values.subarray(row * k, (row + 1) * k)));

const pointsOf = (k: number): fc.Arbitrary<number[][]> =>
  fc.array(fc.array(fc.integer({ min: 0, max: 12 }), { minLength: k, maxLength: k }), { maxLength: 60 });

it('keeps what nothing dominates, each once, in any order of arrival', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 4 }).chain((k) => fc.tuple(fc.constant(k), pointsOf(k))),
      ([k, points]) => {
        const archive = new FrontArchive(1, k);
        points.forEach((point, p) => archive.add([p], point));
        const all = Float64Array.from(points.flat());
        const expected = new Set(
          points.filter((_, p) => !points.some((_other, q) => dominates(all, q, p, k))).map((point) => point.join(' ')),
        );
        const { values, solutions, size } = archive.front();
        const kept = rowsOf(values, k);
        expect(size).toBe(expected.size);
        expect(new Set(kept.map((point) => point.join(' ')))).toEqual(expected);
        kept.forEach((point, row) => expect(points[solutions[row]]).toEqual(point));
        expect(kept.toSorted((a, b) => a[0] - b[0])).toEqual(kept);
      },
    ),
    { numRuns: 300, seed: 3 },
  );
});

it('numbers the fronts by what only earlier ones dominate', () => {
  fc.assert(
    fc.property(pointsOf(3), (points) => {
      const values = Float64Array.from(points.flat());
      const fronts = frontsOf(values, points.length, 3);
      points.forEach((_, p) => {
        const above = points.flatMap((_other, q) => (dominates(values, q, p, 3) ? [fronts[q]] : []));
        expect(fronts[p]).toBe(1 + Math.max(-1, ...above));
      });
    }),
    { numRuns: 200, seed: 4 },
  );
});

it('thins a front that grows too large without losing its ends', () => {
  const archive = new FrontArchive(1, 2, [2, 2], undefined, 20);
  for (let i = 0; i < 1000; i++) {
    const x = ((i * 617) % 1000) / 999;
    archive.add([x], [x, (1 - x) ** 2]);
  }
  const { values, size, hypervolume } = archive.front();
  expect(size).toBe(20);
  expect([values[0], values[1]]).toEqual([0, 1]);
  expect([values[38], values[39]]).toEqual([1, 0]);
  // All points: 4 - 1/3; twenty of them miss little.
  expect(hypervolume).toBeGreaterThan(3.62);
});

it('goes on from a snapshot with the same bits, before and after its reference is fixed', () => {
  const point = (i: number): number[] => [((i * 37) % 101) / 7, ((i * 53) % 97) / 3, ((i * 71) % 89) / 11];
  for (const cut of [0, 3, 49, 50, 120]) {
    const whole = new FrontArchive(1, 3);
    for (let i = 0; i < 200; i++) whole.add([i], point(i));
    const first = new FrontArchive(1, 3);
    for (let i = 0; i < cut; i++) first.add([i], point(i));
    const rest = new FrontArchive(1, 3, null, JSON.parse(JSON.stringify(first.snapshot())));
    expect(rest.hypervolume()).toBe(first.hypervolume());
    for (let i = cut; i < 200; i++) rest.add([i], point(i));
    expect(rest.front()).toEqual(whole.front());
  }
});

it('measures against the worst of the first fifty values, a tenth of their extent beyond', () => {
  const archive = new FrontArchive(1, 2);
  for (let i = 0; i < 50; i++) archive.add([i], [i, 100 - 2 * i]);
  archive.add([50], [-1000, 5000]);
  expect(archive.front().reference).toEqual(Float64Array.of(49 + 4.9, 100 + 9.8));
});

it('has room for fewer points of more coordinates', () => {
  expect(frontCapacity(10)).toBe(500);
  expect(frontCapacity(1000)).toBe(100);
  expect(frontCapacity(10_000)).toBe(20);
});

it('takes the point farthest below the plane through the ends as knee, and the middle where none is', () => {
  const knee = (f: (x: number) => number): number => {
    const rows = Array.from({ length: 101 }, (_, i) => [i / 100, f(i / 100)]);
    return kneeOf(Float64Array.from(rows.flat()), rows.length, 2) / 100;
  };
  // x + (1 - sqrt x) is smallest at 1/4; the concave 1 - x^2 meets x at the golden section.
  expect(knee((x) => 1 - Math.sqrt(x))).toBe(0.25);
  expect(knee((x) => 1 - x * x)).toBe(0.62);
  // A bend near one of the ends; and objectives of other sizes do not matter.
  expect(knee((x) => (x < 0.05 ? 1 - 14 * x : 0.3 * (1 - (x - 0.05) / 0.95)))).toBe(0.05);
  expect(knee((x) => 1e6 * (1 - Math.sqrt(x)) - 5)).toBe(0.25);
});
