import { describe, expect, it } from 'vitest';
import { Rng } from '../../../common/rng.js';
import {
  latticeDistribution,
  latticeSum,
  leftover,
  lognormalDistribution,
  normalDistribution,
  onLattice,
  poissonDistribution,
  tableDistribution,
  uniformDistribution,
  type Distribution,
} from './distribution.js';
import * as normal from './normal.js';

/** Simpson's rule. */
function integral(of: (x: number) => number, from: number, to: number, panels = 20_000): number {
  const h = (to - from) / panels;
  let sum = of(from) + of(to);
  for (let i = 1; i < panels; i++) sum += of(from + i * h) * (i % 2 === 1 ? 4 : 2);
  return (sum * h) / 3;
}

describe('the standard normal distribution', () => {
  // Abramowitz and Stegun, tables 26.1 and 26.2.
  it('has the values of the tables', () => {
    expect(normal.cdf(1)).toBeCloseTo(0.841344746068543, 14);
    expect(normal.cdf(2)).toBeCloseTo(0.97724986805182, 14);
    expect(normal.cdf(0)).toBe(0.5);
    expect(normal.tail(5) / 2.866515718791939e-7).toBeCloseTo(1, 11);
    expect(normal.tail(10) / 7.619853024160527e-24).toBeCloseTo(1, 11);
    expect(normal.quantile(0.975)).toBeCloseTo(1.959963984540054, 13);
  });

  it('is what its density adds up to', () => {
    for (const z of [-6, -3.1, -2.9, -1, 0, 0.3, 2.99, 3.01, 6]) {
      const above = integral((x) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI), z, 14);
      expect(normal.tail(z) / above).toBeCloseTo(1, 9);
      const loss = integral((x) => (x - z) * normal.density(x), z, 14);
      expect(normal.loss(z) / loss).toBeCloseTo(1, 9);
      const second = integral((x) => ((x - z) ** 2 / 2) * normal.density(x), z, 14);
      expect(normal.secondLoss(z) / second).toBeCloseTo(1, 9);
    }
  });

  it('has quantiles that lead back', () => {
    for (let e = 1; e < 300; e += 7) {
      const p = 10 ** -e;
      expect(normal.cdf(normal.quantile(p)) / p).toBeCloseTo(1, 9);
    }
    for (let p = 0.01; p < 1; p += 0.01) expect(normal.cdf(normal.quantile(p))).toBeCloseTo(p, 14);
    expect([normal.quantile(0), normal.quantile(1), normal.quantile(2)]).toEqual([-Infinity, Infinity, NaN]);
  });
});

const KINDS: readonly [string, Distribution][] = [
  ['normal', normalDistribution(50, 8)],
  ['certain', normalDistribution(50, 0)],
  ['lognormal', lognormalDistribution(1, 0.5)],
  ['uniform', uniformDistribution(3, 17)],
  ['poisson', poissonDistribution(7.3)],
  ['rare', poissonDistribution(0.01)],
  ['table', tableDistribution([5, 1, 5, 2.5], [0.25, 0.25, 0.25, 0.25])],
];

describe.each(KINDS)('%s', (_, demand) => {
  it('has the expected shortage that its probabilities add up to', () => {
    const high = demand.quantile(1 - 1e-9);
    for (const p of [0.001, 0.1, 0.5, 0.8, 0.99]) {
      const x = demand.quantile(p);
      // Sums up 1 - F by the midpoints of many cells, which steps hurt by no more than a cell.
      const cells = 50_000;
      const width = (high - x) / cells;
      let sum = 0;
      for (let i = 0; i < cells; i++) sum += (1 - demand.cdf(x + (i + 0.5) * width)) * width;
      expect(Math.abs(demand.shortage(x) - sum)).toBeLessThanOrEqual(1e-4 * (demand.mean + demand.sd));
      expect(leftover(demand, x) - demand.shortage(x)).toBeCloseTo(x - demand.mean, 9);
    }
  });

  it('has the smallest quantile of at least a probability', () => {
    for (const p of [0.001, 0.1, 0.5, 0.8, 0.999]) {
      const x = demand.quantile(p);
      expect(demand.cdf(x)).toBeGreaterThanOrEqual(p - 1e-11);
      expect(demand.cdf(x - 1e-6 * (1 + Math.abs(x)))).toBeLessThanOrEqual(p + 1e-11);
    }
  });

  it('is drawn with its mean and deviation', () => {
    const rng = Rng.create(5).split('draws');
    const draws = Array.from({ length: 40_000 }, () => demand.draw(rng));
    const mean = draws.reduce((a, b) => a + b) / draws.length;
    const sd = Math.sqrt(draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws.length);
    expect(Math.abs(mean - demand.mean)).toBeLessThanOrEqual((5 * demand.sd) / 200 + 1e-12);
    expect(Math.abs(sd - demand.sd)).toBeLessThanOrEqual(0.15 * demand.sd);
  });
});

describe('sums', () => {
  it('of tables are what enumeration gives', () => {
    const one = { first: 2, chances: Float64Array.of(0.5, 0, 0.2, 0.3) };
    const sum = latticeSum(one, 3, () => undefined);
    const chances = new Map<number, number>();
    for (const a of [0, 2, 3]) {
      for (const b of [0, 2, 3]) {
        for (const c of [0, 2, 3]) {
          const chance = one.chances[a] * one.chances[b] * one.chances[c];
          chances.set(6 + a + b + c, (chances.get(6 + a + b + c) ?? 0) + chance);
        }
      }
    }
    sum.chances.forEach((chance, i) => expect(chance).toBeCloseTo(chances.get(sum.first + i) ?? 0, 15));
  });

  it('of two uniform amounts are nearly triangular on a fine grid', () => {
    const one = uniformDistribution(0, 1);
    const sum = latticeDistribution(
      latticeSum(onLattice(one, 0.005, 0, 1), 2, () => undefined),
      0.005,
    );
    expect(sum.mean).toBeCloseTo(1, 12);
    // E[(A + B - x)+] = (2 - x)^3 / 6 for x above 1.
    for (const x of [1, 1.25, 1.5, 1.9]) expect(sum.shortage(x)).toBeCloseTo((2 - x) ** 3 / 6, 5);
  });
});
