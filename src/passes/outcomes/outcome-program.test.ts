import { describe, expect, test } from 'vitest';
import { analyzeUpload, compileObjective } from '../../frontend/compile.js';
import { interpret } from '../../ir/interpreter.js';
import { LaneStatus, type IrFunction } from '../../ir/types.js';
import { verifyIr } from '../../ir/verifier.js';
import { optimizeIr } from '../pipeline.js';
import { outcomeProgram } from './outcome-program.js';

function compiled(code: string, dimension: number, roll?: 'always'): IrFunction {
  const { source } = analyzeUpload(code, 'f');
  const { ir, reasons } = compileObjective(source!, { dimension, pythonMinor: 11, roll });
  if (ir === null) throw new Error(reasons[0].message);
  return optimizeIr(ir);
}

function patterns(code: string, points: readonly (readonly number[])[], roll?: 'always'): number[] {
  const outcomes = outcomeProgram(compiled(code, points[0].length, roll));
  if (outcomes === null) throw new Error('it has no branch');
  expect(verifyIr(outcomes)).toEqual([]);
  return points.map((point) => interpret(outcomes, point).value);
}

const different = (values: readonly number[]): number => new Set(values).size;

describe('the pattern of outcomes', () => {
  test('is none without a branch', () => {
    expect(outcomeProgram(compiled('def f(x):\n    return x[0] * 2 + x[1]\n', 2))).toBeNull();
  });

  test('tells the sides of a branch apart, and nothing else', () => {
    const code = 'def f(x):\n    if x[0] > 1:\n        return x[1] * 7\n    return 3.0 if x[1] < 0 else 4.0\n';
    const found = patterns(code, [
      [2, 1],
      [3, 5],
      [0, 1],
      [0.5, 9],
      [0, -1],
    ]);
    expect(found[0]).toBe(found[1]);
    expect(found[2]).toBe(found[3]);
    expect(different(found)).toBe(3);
    for (const value of found) expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
  });

  test('counts the copies of an unrolled branch as one: none, some or all', () => {
    const code = 'def f(x):\n    s = 0.0\n    for v in x:\n        s += v if v > 0 else 0.5\n    return s\n';
    const points = [
      [1, 1, 1],
      [2, 3, 4],
      [-1, -1, -1],
      [1, -1, -1],
      [-1, 1, 1],
    ];
    for (const roll of [undefined, 'always'] as const) {
      const found = patterns(code, points, roll);
      expect(found[0]).toBe(found[1]);
      expect(found[3]).toBe(found[4]);
      expect(different(found)).toBe(3);
    }
  });

  test('tells two conditions of one line apart', () => {
    const code = 'def f(x):\n    return 1.0 if x[0] > 1 else (2.0 if x[0] * x[1] > 0 else 3.0)\n';
    expect(
      different(
        patterns(code, [
          [2, 1],
          [0.5, 1],
          [0.5, -1],
        ]),
      ),
    ).toBe(3);
  });

  test('sees whether a loop goes on, and the branches in it', () => {
    const code =
      'def f(x):\n    y = x[0]\n    while y > 1:\n        if y > 50:\n            y /= 3\n        else:\n            y /= 2\n    return y\n';
    const found = patterns(code, [[0], [1.5], [1.7], [30], [100]]);
    expect(found[1]).toBe(found[2]);
    expect(different([found[0], found[1], found[3], found[4]])).toBeGreaterThanOrEqual(3);
  });

  test('keeps flags', () => {
    const outcomes = outcomeProgram(
      compiled('import math\ndef f(x):\n    return math.log(x[0]) if x[1] > 0 else 1.0\n', 2),
    );
    expect(interpret(outcomes!, [-1, 1]).status).toBe(LaneStatus.MathDomain);
    expect(interpret(outcomes!, [-1, -1]).status).toBe(LaneStatus.Ok);
  });

  test('leaves out what only the value needs', () => {
    const code =
      'import math\ndef f(x):\n    s = sum(math.sin(v) * math.exp(v) for v in x)\n    return s if x[0] > 0 else -s\n';
    const program = compiled(code, 6);
    expect(outcomeProgram(program)!.types.length).toBeLessThan(program.types.length);
  });
});
