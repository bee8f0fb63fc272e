import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../common/dist-entry.js';
import { createBbobProblem } from '../bbob/index.js';
import { createLargeScaleProblem } from './index.js';
import { nearPermutation, permutedBlocks } from './permuted-blocks.js';

describe('the large-scale suite', () => {
  test('has the values of the reference implementation', () => {
    const file = path.join(packageRoot(), 'test/golden/bbob/large-scale-values.csv');
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(1);
    expect(lines).toHaveLength(48);
    const wrong = lines.filter((line) => {
      const [functionId, dimension, instance, x, f] = line.split(',');
      const problem = createLargeScaleProblem(Number(functionId), Number(dimension), Number(instance));
      const value = problem.evaluate(Float64Array.from(x.split(';'), Number), 0);
      return !(Math.abs(value - Number(f)) <= 1e-9 * Math.max(1, Math.abs(Number(f))));
    });
    expect(wrong).toEqual([]);
  });

  test.each(Array.from({ length: 24 }, (_, i) => i + 1))('f%i has its optimal value at its optimum', (functionId) => {
    const problem = createLargeScaleProblem(functionId, 100, 7);
    expect(problem.evaluate(problem.optimum, 0) - problem.optimalValue).toBeCloseTo(0, 9);
  });

  test('is the usual suite in 40-D, but for the rotated Rosenbrock function', () => {
    const x = Float64Array.from({ length: 40 }, (_, i) => 4 * Math.sin(i));
    for (let functionId = 1; functionId <= 24; functionId++) {
      const [large, usual] = [createLargeScaleProblem(functionId, 40, 3), createBbobProblem(functionId, 40, 3)];
      const ratio = large.evaluate(x, 0) / usual.evaluate(x, 0);
      if (functionId === 9) expect(ratio).not.toBeCloseTo(1, 3);
      else expect(ratio).toBeCloseTo(1, 9);
    }
  });
});

describe('permuted blocks', () => {
  test('are orthogonal, and the transpose is the inverse', () => {
    const n = 95;
    const map = permutedBlocks(n, { blocks: 5, before: 6, after: 7 });
    const x = Float64Array.from({ length: n }, (_, i) => Math.cos(3 * i));
    const [there, back] = [new Float64Array(n), new Float64Array(n)];
    map.apply(x, there);
    map.applyTransposed(there, back);
    const squares = (v: Float64Array): number => v.reduce((sum, c) => sum + c * c, 0);
    expect(squares(there)).toBeCloseTo(squares(x), 10);
    back.forEach((v, i) => expect(v).toBeCloseTo(x[i], 12));
  });

  test('a permutation holds every coordinate once, and none with a single block', () => {
    const p = nearPermutation(90, 11);
    expect([...p].sort((a, b) => a - b)).toEqual(Array.from({ length: 90 }, (_, i) => i));
    expect(p.filter((v, i) => v !== i).length).toBeGreaterThan(60);
    expect([...nearPermutation(40, 11)]).toEqual(Array.from({ length: 40 }, (_, i) => i));
  });
});
