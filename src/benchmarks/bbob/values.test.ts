import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../common/dist-entry.js';
import type { BenchmarkProblem } from '../problem.js';
import { createBbobProblem } from './index.js';

/** Allowed for another implementation: relative to max(1, |f|). */
const TOLERANCE = 1e-9;

/** Checks every row; returns how many there were. */
function compare(file: string): number {
  const problems = new Map<string, BenchmarkProblem>();
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(1);
  const wrong: string[] = [];
  for (const line of lines) {
    const [functionId, dimension, instance, fopt, x, f, kind] = line.split(',');
    const key = `${functionId} ${dimension} ${instance}`;
    const problem = problems.get(key) ?? createBbobProblem(Number(functionId), Number(dimension), Number(instance));
    problems.set(key, problem);
    const value = problem.evaluate(Float64Array.from(x.split(';'), Number), 0);
    const [expected, allowed] =
      kind === 'optimum' ? [Number(fopt), TOLERANCE] : [Number(f), TOLERANCE * Math.max(1, Math.abs(Number(f)))];
    if (!(Math.abs(value - expected) <= allowed)) wrong.push(`${line}: ${value}`);
    if (!(Math.abs(problem.optimalValue - Number(fopt)) <= TOLERANCE)) wrong.push(`${line}: ${problem.optimalValue}`);
  }
  expect(wrong).toEqual([]);
  return lines.length;
}

describe('values of the BBOB functions', () => {
  test('equal the golden values of the reference implementation', () => {
    expect(compare(path.join(packageRoot(), 'test/golden/bbob/values.csv'))).toBeGreaterThanOrEqual(24 * 10);
  });

  test('equal the whole reference table', ({ skip }) => {
    const reference = path.join(packageRoot(), '../shared/reference/bbob');
    skip(!existsSync(reference), '../shared/reference/bbob is not there');
    expect(compare(path.join(reference, 'values.csv'))).toBeGreaterThan(0);
    expect(compare(path.join(reference, 'values-outside.csv'))).toBeGreaterThan(0);
  });

  test.each(Array.from({ length: 24 }, (_, i) => i + 1))('f%i has its optimal value at its optimum', (functionId) => {
    for (const dimension of [2, 7, 40]) {
      const problem = createBbobProblem(functionId, dimension, 77);
      expect(problem.evaluate(problem.optimum, 0) - problem.optimalValue).toBeCloseTo(0, 9);
      const beside = problem.optimum.map((v, i) => v + 0.01 * (i % 2 === 0 ? 1 : -1));
      expect(problem.evaluate(beside, 0)).toBeGreaterThanOrEqual(problem.optimalValue);
    }
  });

  test('an instance at an offset of a batch is the instance at its start', () => {
    const problem = createBbobProblem(15, 3, 1);
    const batch = Float64Array.of(9, 9, 9, 1, 2, 3);
    expect(problem.evaluate(batch, 3)).toBe(problem.evaluate(Float64Array.of(1, 2, 3), 0));
  });

  test.each([
    [0, 2, 1, 'function 0 is not in the suite: 1 to 24'],
    [1, 1, 1, 'dimension 1 is not in the suite: 2 to 640'],
    [1, 641, 1, 'dimension 641'],
    [1, 2, 0, 'instance 0'],
    [1.5, 2, 1, 'function 1.5'],
  ])('f%d in %d-D, instance %d is refused', (functionId, dimension, instance, message) => {
    expect(() => createBbobProblem(functionId, dimension, instance)).toThrow(message);
  });
});
