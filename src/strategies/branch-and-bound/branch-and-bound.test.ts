import { describe, expect, it } from 'vitest';
import { Rng } from '../../common/rng.js';
import { isProven } from '../../model/certificate.js';
import { driveStep } from '../../../test/support/drive-search.js';
import { Archive } from '../search/archive.js';
import type { Points, SearchContext } from '../search/search.js';
import { BranchAndBound } from './branch-and-bound.js';

const n = 2;
const MINIMIZER = [0.37, 0.61];

/** Least value of (x - c)^2 over an interval. */
const leastSquare = (low: number, high: number, c: number): number => Math.max(0, low - c, c - high) ** 2;

/**
 * `scale` times the squared distance from the minimizer. Its bounds are those of a box `slack` times as wide, and never
 * more than that; NaN where the box is wider than `known`.
 */
function drive(search: BranchAndBound, archive: Archive, { scale = 1, slack = 1, known = 1 }): void {
  driveStep(search, ({ points, count, reading = 'value' }: Points) => {
    const at = (k: number): number => points[k];
    const width = reading === 'value' ? 1 : reading === 'bounds' ? 2 : 1 + n;
    const results = new Float64Array(count * width);
    for (let k = 0; k < count; k++) {
      if (reading === 'bounds') {
        let bound = 0;
        let widest = 0;
        for (let i = 0; i < n; i++) {
          const [low, high] = [at(2 * k * n + i), at((2 * k + 1) * n + i)];
          const [middle, half] = [0.5 * (low + high), 0.5 * slack * (high - low)];
          bound += scale * leastSquare(middle - half, middle + half, MINIMIZER[i]);
          widest = Math.max(widest, high - low);
        }
        results.set(widest > known ? [NaN, NaN] : [bound, Infinity], k * width);
        continue;
      }
      const offsets = MINIMIZER.map((c, i) => at(k * n + i) - c);
      results[k * width] = scale * offsets.reduce((sum, d) => sum + d * d, 0);
      if (reading === 'gradient')
        results.set(
          offsets.map((d) => 2 * scale * d),
          k * width + 1,
        );
    }
    if (reading === 'value') {
      for (let k = 0; k < count; k++) archive.add(points, k * n, results[k], false);
    } else archive.count(count);
    return results;
  });
}

function open(budget: number) {
  const archive = new Archive(n);
  const context: SearchContext = {
    n,
    rng: Rng.create(7),
    archive,
    budget,
    program: {
      structure: null,
      resultLength: (reading) => (reading === 'bounds' ? 1 : reading === 'gradient' ? n : null),
    },
  };
  return { archive, search: new BranchAndBound(context) };
}

describe('branch and bound', () => {
  it('never claims a bound above a value of a box that is left, however little they differ', () => {
    for (const scale of [1, 1e-7, 1e-9]) {
      const { archive, search } = open(400);
      for (let steps = 0; steps < 60 && search.end() === null; steps++) {
        drive(search, archive, { scale, slack: 1.5 });
        // The least value is 0; the best one is above it.
        const certificate = search.certificate();
        if (certificate !== null) expect(certificate.bound).toBeLessThanOrEqual(0);
      }
      expect(archive.bestFitness).toBeGreaterThanOrEqual(0);
    }
  });

  it('finds its way where many boxes have the same bound', () => {
    for (const budget of [100, 1000]) {
      const { archive, search } = open(budget);
      while (search.end() === null) {
        expect(archive.evaluations).toBeLessThan(budget);
        drive(search, archive, { slack: 3 });
      }
      expect(isProven(archive.bestFitness, search.certificate()!.bound)).toBe(true);
      expect(archive.bestFitness).toBeLessThan(1e-8);
    }
  });

  it('splits the oldest boxes first while nothing bounds them', () => {
    const { archive, search } = open(1000);
    while (search.end() === null) {
      expect(archive.evaluations).toBeLessThan(1000);
      drive(search, archive, { known: 0.3 });
    }
    expect(archive.bestFitness).toBeLessThan(1e-8);
  });
});
