import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomCandidates, randomIr, smoothIr } from '../../../test/support/random-ir.js';
import { analyzeUpload, compileObjective } from '../../frontend/compile.js';
import { interpret } from '../../ir/interpreter.js';
import { LaneStatus, type IrFunction } from '../../ir/types.js';
import { verifyIr } from '../../ir/verifier.js';
import { switchCount } from '../../model/reading.js';
import { optimizeIr } from '../pipeline.js';
import { switchProgram } from './switch-program.js';

function compiled(code: string, dimension: number, roll?: 'always'): IrFunction {
  const { source } = analyzeUpload(code, 'f');
  const { ir, reasons } = compileObjective(source!, { dimension, pythonMinor: 11, roll });
  if (ir === null) throw new Error(reasons[0].message);
  return optimizeIr(ir);
}

interface Told {
  readonly value: number;
  readonly gradient: readonly number[];
  readonly bends: readonly number[];
  readonly z: readonly number[];
  /** By switch. */
  readonly normals: readonly (readonly number[])[];
}

function told(fn: IrFunction, x: readonly number[]): Told {
  const raw = switchProgram(fn);
  if (raw === null) throw new Error('it has no switches');
  expect(verifyIr(raw)).toEqual([]);
  const program = optimizeIr(raw);
  expect(verifyIr(program)).toEqual([]);
  const n = fn.dimension;
  const m = switchCount(n, program.dimension);
  const row = (wanted: number): number[] => [
    ...x,
    ...new Array<number>(m).fill(0),
    ...Array.from({ length: m + 1 }, (_, j) => +(j === wanted)),
  ];
  const whole = interpret(program, row(m));
  // Zero has no sign here.
  const results = Array.from(whole.outputs!, (value) => value + 0);
  return {
    value: whole.value,
    gradient: results.slice(0, n),
    bends: results.slice(n, n + m),
    z: results.slice(n + m, n + 2 * m),
    normals: Array.from({ length: m }, (_, j) => Array.from(interpret(program, row(j)).outputs!).slice(0, n)),
  };
}

describe('the switches of a program', () => {
  it('are none where it is smooth, or rounds', () => {
    expect(switchProgram(compiled('def f(x):\n    return x[0] * 2 + x[1] ** 2\n', 2))).toBeNull();
    expect(switchProgram(compiled('def f(x):\n    return round(x[0]) + x[1] ** 2\n', 2))).toBeNull();
  });

  it('tell how it goes on beyond a penalty, from either side', () => {
    const fn = compiled('def f(x):\n    return x[0] ** 2 + 30 * max(0, 2 * x[1] - x[0] - 1)\n', 2);
    const inside = told(fn, [3, 1]);
    expect(inside).toEqual({ value: 9, gradient: [6, 0], bends: [30], z: [-2], normals: [[-1, 2]] });
    const beyond = told(fn, [1, 4]);
    expect(beyond).toEqual({ value: 181, gradient: [-28, 60], bends: [30], z: [6], normals: [[-1, 2]] });
  });

  it('have the sign of what bends: `min` bends down, `abs` by twice its slope', () => {
    const { gradient, bends, z } = told(
      compiled('def f(x):\n    return min(x[0], x[1]) + 5 * abs(x[2])\n', 3),
      [1, 3, -2],
    );
    expect(gradient).toEqual([1, 0, -5]);
    expect(z.map(Math.abs)).toEqual([2, 2]);
    expect([...bends].sort((a, b) => a - b)).toEqual([-1, 10]);
  });

  it('are the comparisons that a branch depends on, too, without a bend', () => {
    const fn = compiled('def f(x):\n    if x[0] * x[1] > 6:\n        return 100.0\n    return x[0] + x[1]\n', 2);
    const { gradient, bends, z, normals } = told(fn, [1, 2]);
    expect(gradient).toEqual([1, 1]);
    expect(bends).toEqual([0]);
    expect(z.map(Math.abs)).toEqual([4]);
    expect(normals[0].map(Math.abs)).toEqual([2, 1]);
  });

  it('are 0 where a branch was not taken', () => {
    const code = 'import math\n\ndef f(x):\n    if x[0] > 0:\n        return 7 * abs(math.log(x[0]) - x[1])\n';
    const fn = compiled(`${code}    return x[0] ** 2\n`, 2);
    const reached = told(fn, [1, 4]);
    expect(reached.z.map(Math.abs)).toEqual([1, 4]);
    expect(reached.bends).toEqual([0, 14]);
    const other = told(fn, [-3, 4]);
    expect(other.gradient).toEqual([-6, 0]);
    expect(other.bends).toEqual([0, 0]);
    expect(other.z.map(Math.abs)).toEqual([3, 0]);
  });

  it.each([undefined, 'always'] as const)('have one for each turn of a loop, roll %s', (roll) => {
    const fn = compiled('def f(x):\n    s = 0.0\n    for v in x:\n        s += 2 * max(v, 1)\n    return s\n', 4, roll);
    const { bends, z, gradient } = told(fn, [3, -1, 0.5, 2]);
    expect(gradient).toEqual([2, 0, 0, 2]);
    expect(bends.map(Math.abs)).toEqual([2, 2, 2, 2]);
    expect(z.map(Math.abs)).toEqual([2, 2, 0.5, 1]);
  });

  it('are found in truths that are used again and again, in long chains', () => {
    const code = `
def f(x):
    ok = x[0] < 3
    for i in range(200):
        ok = (ok and x[i % 2] < i) or (ok and x[i % 2] > 300 - i)
    return x[0] ** 2 if ok else 5 * x[1]
`;
    const sites = switchProgram(compiled(code, 2));
    expect(sites === null || switchCount(2, sites.dimension) > 1).toBe(true);
  });

  it('leave value and gradient as they are, in random programs', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), fc.boolean(), (seed, isSmooth) => {
        const fn = isSmooth ? smoothIr(seed) : randomIr(seed);
        if (switchProgram(fn) === null) return;
        const candidates = randomCandidates(seed, 4, fn.dimension);
        for (let k = 0; k < 4; k++) {
          const x = Array.from(candidates.subarray(k * fn.dimension, (k + 1) * fn.dimension));
          const plain = interpret(fn, x);
          if (plain.status !== LaneStatus.Ok || !Number.isFinite(plain.value)) continue;
          found++;
          const { value, z } = told(fn, x);
          // An infinite z times a weight of 0 is no number; values of rows are not used.
          if (z.every(Number.isFinite)) expect(value === plain.value).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
    expect(found).toBeGreaterThan(20);
  });
});
