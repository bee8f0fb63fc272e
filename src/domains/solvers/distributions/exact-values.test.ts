/**
 * Expected values: mpmath 1.4.1 with 40 digits: erfc; findroot of log Q; quad of the noncentral t's mixture over W;
 * betainc; sums of binomial(n, i) p^i (1 - p)^(n - i).
 */
import { describe, expect, it } from 'vitest';
import { rootOf } from '../root.js';
import { Binomial } from './binomial.js';
import { panels } from '../gauss-legendre.js';
import { cdf, quantile, tail } from './normal.js';
import { upperQuantileT, upperTailT } from './student-t.js';

const relative = (value: number, exact: number): number => Math.abs(value - exact) / Math.abs(exact);

describe('the normal distribution', () => {
  it.each([
    [-12, 1],
    [-6.5, 0.99999999995983999],
    [-3, 0.99865010196836991],
    [-2.999, 0.99864566346627289],
    [-1.5, 0.93319279873114193],
    [-0.1, 0.53982783727702898],
    [0, 0.5],
    [0.25, 0.40129367431707628],
    [1, 0.15865525393145705],
    [1.96, 0.024997895148220436],
    [2.999, 0.0013543365337271062],
    [3, 0.0013498980316300945],
    [3.5, 0.00023262907903552504],
    [4.75, 1.0170832425687032e-6],
    [6, 9.8658764503769814e-10],
    [8.25, 7.9197263146424773e-17],
    [10, 7.6198530241605261e-24],
  ])('has the tail above %d', (z, exact) => {
    expect(relative(tail(z), exact)).toBeLessThan(1e-13);
    expect(cdf(-z)).toBe(tail(z));
  });

  it.each([
    [15, 3.6709661993127509e-51],
    [24, 1.3903921185497031e-127],
    [37, 5.7255712225245768e-300],
  ])('has the far tail above %d', (z, exact) => {
    expect(relative(tail(z), exact)).toBeLessThan(z * z * 3e-16);
  });

  it.each([
    [0.4, 0.2533471031357998],
    [0.1, 1.2815515655446005],
    [0.05, 1.6448536269514727],
    [0.025, 1.9599639845400542],
    [0.0125, 2.2414027276049454],
    [0.0005, 3.2905267314918948],
    [1e-6, 4.7534243088228989],
    [1e-12, 7.0344838253011319],
    [1e-30, 11.464024688443616],
    [1e-100, 21.273453560965324],
  ])('has the quantile of %d', (p, exact) => {
    expect(relative(-quantile(p), exact)).toBeLessThan(2e-14);
  });

  it('has quantiles of large probabilities', () => {
    expect(Math.abs(quantile(0.5))).toBeLessThan(1e-15);
    expect(relative(quantile(0.95), 1.6448536269514727)).toBeLessThan(1e-14);
  });
});

describe("Student's t", () => {
  it.each([
    [2, 1, 0, 0.14758361765043327],
    [12.7, 1, 0, 0.02501216384467208],
    [63, 1, 3, 0.037980208313522133],
    [-1.5, 2, 1, 0.9755783336804344],
    [4.3, 2, 2.5, 0.29973037541433922],
    [2.1, 18, 0, 0.025045202854784176],
    [2.1, 18, 2.8, 0.754618242628211],
    [1.98, 126, 2.83, 0.80160759689897602],
    [1.96, 786, 2.8, 0.79943323557599439],
    [-1.98, 126, 2.83, 0.99999907716837738],
    [2.5, 7.5, -1, 0.0016301788637347472],
    [30, 4, 20, 0.22444219822088935],
    [1.96, 1e6, 2.8, 0.79954571794482036],
    [5, 50, 0, 3.716606123616287e-6],
    [8, 200, 0, 4.9396004546653196e-14],
  ])('has the tail above %d for %d degrees of freedom, noncentrality %d', (t, nu, delta, exact) => {
    expect(Math.abs(upperTailT(t, nu, delta) - exact)).toBeLessThan(1e-13);
  });
  it('of a noncentrality beyond all values is 1 or 0', () => {
    expect(upperTailT(127.3, 1, 5e5)).toBe(1);
    expect(upperTailT(-127.3, 1, 5e5)).toBe(1);
    expect(upperTailT(14.1, 2, -1e6)).toBe(0);
    expect(upperTailT(-14.1, 2, -1e6)).toBe(0);
  });

  it.each([
    [0.025, 1, 12.706204736174705],
    [0.005, 1, 63.656741162871581],
    [0.025, 2, 4.3026527297494639],
    [0.05, 5, 2.0150483733330242],
    [0.025, 10, 2.2281388519862747],
    [0.025, 126, 1.9789706019906287],
    [0.0005, 30, 3.6459586350420218],
    [0.025, 100_000, 1.9599877075346096],
  ])('has the quantile of %d for %d degrees of freedom', (p, nu, exact) => {
    expect(relative(upperQuantileT(p, nu), exact)).toBeLessThan(1e-11);
  });
});

describe('the binomial distribution', () => {
  it.each([
    [1, 5, 0.05, 0.2262190625],
    [6, 29, 0.1, 0.063717444452285854],
    [20, 72, 0.2, 0.070438413747867444],
    [300, 1000, 0.25, 0.00019359032194907896],
    [500, 1000, 0.25, 1.281428543621348e-64],
    [40, 40, 0.7, 6.366805760909028e-7],
    [3, 426, 0.001, 0.0093469812524042034],
  ])('has the probability of at least %d of %d', (least, size, p, exact) => {
    const binomial = new Binomial(p);
    expect(relative(binomial.above(least - 1, size), exact)).toBeLessThan(size * 3e-16 + 1e-15);
    expect(binomial.atMost(least - 1, size) + binomial.above(least - 1, size)).toBeCloseTo(1, 13);
  });

  it('has values beyond its ends', () => {
    const binomial = new Binomial(0.3);
    expect([binomial.above(-1, 4), binomial.above(4, 4), binomial.above(9, 4)]).toEqual([1, 0, 0]);
    expect([binomial.atMost(-1, 4), binomial.above(-1, 0), binomial.above(0, 0)]).toEqual([0, 1, 0]);
  });
});

describe('quadrature and roots', () => {
  it('integrates polynomials of degree 23 exactly', () => {
    const { nodes, weights } = panels(0, 2, 2);
    const integral = nodes.reduce((sum, x, i) => sum + weights[i] * x ** 23, 0);
    expect(relative(integral, 2 ** 24 / 24)).toBeLessThan(1e-14);
    expect(panels(1, 1, 0.5).nodes).toHaveLength(0);
  });

  it.each([
    ['a line', (x: number) => x - 0.3, 0.3],
    ['a steep function', (x: number) => Math.exp(40 * x) - Math.exp(8), 0.2],
    ['a flat one', (x: number) => (x - 0.7) ** 9, 0.7],
    ['an infinite value at an end', (x: number) => Math.log(x) + 1, Math.exp(-1)],
  ])('finds the root of %s', (_, f, exact) => {
    expect(Math.abs(rootOf(f, 0, 1) - exact)).toBeLessThan(1e-9);
  });

  it('refuses ends of like signs', () => {
    expect(() => rootOf((x) => x + 1, 0, 1)).toThrow(/no change of sign/);
  });
});
