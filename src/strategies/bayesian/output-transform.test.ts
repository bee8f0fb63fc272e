import { describe, expect, it } from 'vitest';
import { transformed } from './output-transform.js';

const of = (...values: number[]): number[] => [...transformed(Float64Array.from(values))];

describe('output transform', () => {
  it('is standardised and increasing, for any range of values', () => {
    const ranges = [
      [1, 2, 3, 4, 5],
      [-1e308, -1, 0, 1, 1e308],
      [0, 5e-324, 1e-300, 1, 1e300],
      [-1e300, 1, 2, 3, 4, 5, 6, 7],
      [1, 1, 1, 1, 1 + 2e-16, 2, 1e9],
    ];
    for (const range of ranges) {
      const values = of(...range);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      expect(Math.abs(mean)).toBeLessThan(1e-12);
      expect(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length).toBeCloseTo(1, 9);
      for (let k = 1; k < values.length; k++) {
        if (range[k] === range[k - 1]) expect(values[k]).toBe(values[k - 1]);
        else expect(values[k]).toBeGreaterThanOrEqual(values[k - 1]);
      }
    }
  });

  it('keeps the shape below the median and compresses what is above', () => {
    const values = of(0, 1, 2, 3, 4, 1e6, 1e12);
    expect(values[1] - values[0]).toBeCloseTo(values[3] - values[2], 12);
    expect((values[6] - values[3]) / (values[3] - values[0])).toBeLessThan(20);
  });

  it('ranks failed evaluations with the worst of the others', () => {
    const values = of(1, Infinity, 2, 3);
    expect(values[1]).toBe(values[3]);
    expect(of(Infinity, Infinity)).toEqual([0, 0]);
    expect(of(7, 7, 7)).toEqual([0, 0, 0]);
  });
});
