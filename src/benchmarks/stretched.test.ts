import { expect, test } from 'vitest';
import { createBbobProblem } from './bbob/index.js';
import { stretched } from './stretched.js';

test('every side moves outwards by its own distance up to 15, the same every time', () => {
  const plain = createBbobProblem(4, 40, 3);
  const wide = stretched(plain);
  const moved = [...wide.bounds.lower].map((low) => -5 - low).concat([...wide.bounds.upper].map((high) => high - 5));
  expect(Math.min(...moved)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...moved)).toBeLessThan(15);
  expect(new Set(moved).size).toBe(80);
  const mean = moved.reduce((sum, v) => sum + v, 0) / 80;
  expect(mean).toBeGreaterThan(5);
  expect(mean).toBeLessThan(10);
  expect(stretched(createBbobProblem(4, 40, 3)).bounds).toEqual(wide.bounds);
  expect(stretched(createBbobProblem(4, 40, 4)).bounds).not.toEqual(wide.bounds);
  expect(plain.bounds.lower[0]).toBe(-5);
});

test('the function is the same', () => {
  const plain = createBbobProblem(21, 3, 1);
  const wide = stretched(plain);
  const x = Float64Array.of(7, -12, 0);
  expect(wide.evaluate(x, 0)).toBe(plain.evaluate(x, 0));
  expect(wide.evaluate(wide.optimum, 0)).toBe(wide.optimalValue);
});
