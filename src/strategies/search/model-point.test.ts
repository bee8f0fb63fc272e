import { describe, expect, it } from 'vitest';
import { Rng } from '../../common/rng.js';
import { Archive } from './archive.js';
import { modelPoint } from './model-point.js';

/** Random points of the unit box with their values. */
function archiveOf(n: number, count: number, value: (x: Float64Array) => number): Archive {
  const archive = new Archive(n);
  const rng = Rng.create(5).split(`${n} ${count}`);
  for (let k = 0; k < count; k++) {
    const x = Float64Array.from({ length: n }, () => rng.uniform());
    archive.add(x, 0, value(x), false);
  }
  return archive;
}

const proposals = (archive: Archive, count: number): (Float64Array | null)[] => {
  const rng = Rng.create(1);
  return Array.from({ length: count }, (_, serial) => modelPoint(archive, rng.split(`extra ${serial}`)));
};

const bent = (x: Float64Array): number =>
  x.reduce((sum, v, i) => sum + (i + 1) * (v - 0.3) ** 2, 0) + (x[0] - 0.3) * (x[1] - 0.3);

describe('a candidate from a model', () => {
  it.each([
    [2, 12],
    [5, 40],
    [12, 130],
  ])('lies close to the minimum of a quadratic of %i variables, most often', (n, count) => {
    const archive = archiveOf(n, count, bent);
    const found = proposals(archive, 40).filter((x) => x !== null);
    expect(found.length).toBeGreaterThan(25);
    const better = found.filter((x) => bent(x) < 0.05 * archive.bestFitness);
    expect(better.length).toBeGreaterThan(found.length / 3);
    expect(new Set(found.map(String)).size).toBe(found.length);
  });

  it('follows from the points and the random numbers, and changes neither points nor values', () => {
    const archive = archiveOf(3, 30, bent);
    const before = JSON.stringify(archive.snapshot(archive.size, archive.evaluations));
    expect(proposals(archive, 10)).toEqual(proposals(archive, 10));
    expect(JSON.stringify(archive.snapshot(archive.size, archive.evaluations))).toBe(before);
  });

  it('stays inside the box where the minimum lies beyond it', () => {
    const archive = archiveOf(3, 30, (x) => x.reduce((sum, v) => sum + (v - 1.4) ** 2, 0));
    for (const x of proposals(archive, 40)) x?.forEach((v) => expect(v >= 0 && v <= 1).toBe(true));
    expect(proposals(archive, 40).some((x) => x?.some((v) => v === 1) === true)).toBe(true);
  });

  it('is not made from too few points, from failures, from equal values or from one place', () => {
    expect(proposals(archiveOf(2, 3, bent), 20)).toEqual(new Array(20).fill(null));
    expect(proposals(archiveOf(2, 0, bent), 20)).toEqual(new Array(20).fill(null));
    expect(
      proposals(
        archiveOf(2, 30, () => Infinity),
        20,
      ),
    ).toEqual(new Array(20).fill(null));
    expect(
      proposals(
        archiveOf(2, 30, () => 1),
        20,
      ),
    ).toEqual(new Array(20).fill(null));
    const archive = new Archive(2);
    for (let k = 0; k < 20; k++) archive.add(Float64Array.of(0.5, 0.5), 0, k, false);
    expect(proposals(archive, 20)).toEqual(new Array(20).fill(null));
  });

  it('takes values of any size', () => {
    for (const scale of [1e-300, 1e300]) {
      for (const x of proposals(
        archiveOf(2, 30, (u) => scale * bent(u)),
        20,
      )) {
        x?.forEach((v) => expect(Number.isFinite(v)).toBe(true));
      }
    }
    for (const x of proposals(
      archiveOf(2, 30, (u) => (u[0] < 0.5 ? -1.7e308 : 1.7e308)),
      20,
    )) {
      x?.forEach((v) => expect(Number.isFinite(v)).toBe(true));
    }
  });
});
