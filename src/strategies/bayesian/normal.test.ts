import { describe, expect, it } from 'vitest';
import { distribution, logImprovement } from './normal.js';

const near = (found: number, expected: number, relative = 1e-13): void =>
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(relative * Math.abs(expected));

describe('normal distribution', () => {
  it('agrees with SciPy in the middle and far out', () => {
    const expected: [number, number][] = [
      [-30, 4.906713927147908e-198],
      [-8, 6.22096057427174e-16],
      [-2, 0.022750131948179195],
      [-1.999, 0.02280417693265888],
      [-0.5, 0.3085375387259869],
      [0, 0.5],
      [0.3, 0.6179114221889526],
      [1.7, 0.955434537241457],
      [2, 0.9772498680518208],
      [6, 0.9999999990134123],
    ];
    for (const [z, p] of expected) near(distribution(z), p, 1e-12);
  });

  it('has the logarithm of expected improvement right where improvement itself underflows', () => {
    // From 1,000-digit arithmetic.
    const expected: [number, number, number][] = [
      [-30, -457.724653760598, 30.06644615416242],
      [-8, -37.12236426169263, 8.239396506840066],
      [-3, -7.869686059603029, 3.5323375176251606],
      [-2, -4.768783523917114, 2.679416883955586],
      [-1.5, -3.52993592080571, 2.2795806941564463],
      [0, -0.9189385332046728, 1.2533141373155003],
      [2.5, 0.9170920655921645, 0.39719771838373846],
    ];
    for (const [z, value, slope] of expected) {
      near(logImprovement(z).value, value);
      near(logImprovement(z).slope, slope, 1e-12);
    }
    expect(logImprovement(-1e10).value).toBeLessThan(-1e19);
    expect(Number.isFinite(logImprovement(-1e10).slope)).toBe(true);
  });
});
