import { describe, expect, it } from 'vitest';
import { minimize, type Differentiable } from './lbfgs.js';

const rosenbrock: Differentiable = (x, gradient) => {
  const [a, b] = [x[0], x[1]];
  gradient[0] = -400 * a * (b - a * a) - 2 * (1 - a);
  gradient[1] = 200 * (b - a * a);
  return 100 * (b - a * a) ** 2 + (1 - a) ** 2;
};
const box = (low: number, high: number) => ({
  lower: new Float64Array(2).fill(low),
  upper: new Float64Array(2).fill(high),
});
const settings = { iterations: 200, firstStep: 0.1, tolerance: 0 };

describe('limited-memory BFGS in a box', () => {
  it('finds the bottom of a curved valley', () => {
    const x = Float64Array.of(-1.2, 1);
    expect(minimize(rosenbrock, x, { ...box(-5, 5), ...settings })).toBeLessThan(1e-12);
    expect(x[0]).toBeCloseTo(1, 5);
  });

  it('stays in the box and finds the minimum on its boundary', () => {
    const x = Float64Array.of(-1.2, 1);
    const seen: number[] = [];
    const watched: Differentiable = (point, gradient) => {
      seen.push(...point);
      return rosenbrock(point, gradient);
    };
    minimize(watched, x, { lower: Float64Array.of(-2, -2), upper: Float64Array.of(0.5, 2), ...settings });
    expect(seen.every((value) => value >= -2 && value <= 2)).toBe(true);
    expect(x[0]).toBe(0.5);
    expect(x[1]).toBeCloseTo(0.25, 6);
  });

  it('turns back where the function is not finite', () => {
    const x = Float64Array.of(2, 2);
    const walled: Differentiable = (point, gradient) => {
      gradient.set(point.map((value) => 2 * value));
      return point[0] < 1 ? Infinity : point[0] ** 2 + point[1] ** 2;
    };
    const value = minimize(walled, x, { ...box(-5, 5), ...settings });
    expect(value).toBeLessThan(8);
    expect(x[0]).toBeGreaterThanOrEqual(1);
  });
});
