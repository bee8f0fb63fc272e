import { describe, expect, it } from 'vitest';
import { analyzeProgram } from '../analysis/analyze-program.js';
import { operationsOf } from '../analysis/operations.js';
import { watched } from '../common/watch.js';
import { interpret } from '../ir/interpreter.js';
import type { IrFunction } from '../ir/types.js';
import { verifyIr } from '../ir/verifier.js';
import { intervalProgram } from '../passes/interval/interval-program.js';
import { hasSearchableTerms, TermSearch } from '../strategies/term-search/term-search.js';
import { compilePython } from '../../test/support/open-runs.js';
import { openProgram } from './derived-programs.js';
import { readingAllowance, UNLIMITED } from './reading-allowance.js';

const box = (n: number): (readonly [number, number])[] => Array.from({ length: n }, () => [-5, 5] as const);
const bounds = (n: number) => ({ lower: new Float64Array(n).fill(-5), upper: new Float64Array(n).fill(5) });
const squares = 'def f(x):\n    return sum((v - 1.5) ** 2 for v in x)\n';
const prefixes =
  'def f(x):\n    s = 0.0\n    c = 0.0\n    for v in x:\n        c += v\n        s += c * c\n    return s\n';
const program = (code: string, n: number): IrFunction => compilePython(code, n, box(n));
const never = () => Promise.reject(new Error('nothing is opened here'));

describe('the work of reading a program', () => {
  it.each([
    ['a sum of squares', squares],
    ['a sum of squares of sums', prefixes],
    ['NumPy', 'import numpy as np\n\ndef f(x):\n    return np.sum((x - 1.5) ** 2)\n'],
  ])('grows with it, not with its square: %s', (_, code) => {
    const work = (n: number): number => analyzeProgram(program(code, n), bounds(n)).work;
    expect(work(3000) / work(1500)).toBeLessThan(2.2);
  });

  it('is done for ten thousand variables: the terms are found', () => {
    const { structure, work } = analyzeProgram(program(squares, 10_000), bounds(10_000));
    expect(structure.terms).toMatchObject({ count: 10_000, form: 'coordinates' });
    expect(structure.blocks).toHaveLength(10_000);
    expect(work).toBeLessThan(400_000);
  });

  it('ends at the limit, and the findings say so', () => {
    const whole = analyzeProgram(program(squares, 200), bounds(200));
    expect(whole.isCut).toBe(false);
    const same = analyzeProgram(program(squares, 200), bounds(200), whole.work);
    expect(same.structure).toEqual(whole.structure);
    const cut = analyzeProgram(program(squares, 200), bounds(200), whole.work - 1);
    expect(cut.isCut).toBe(true);
    expect(cut.structure.terms).toBeNull();
    expect(cut.structure.findings.map(({ topic }) => topic)).toEqual(['limits']);
  });

  it('can be ended from outside', () => {
    const ir = program(squares, 2000);
    let looks = 0;
    const look = (): void => {
      if (++looks === 5) throw new Error('enough');
    };
    expect(() => watched(look, () => analyzeProgram(ir, bounds(2000)))).toThrow('enough');
    expect(looks).toBe(5);
  });
});

describe('what a run may read', () => {
  it('is a tenth of what its evaluations are expected to take, of its time limit at most', () => {
    const ir = program(squares, 10_000);
    const perEvaluation = 60 + 0.15 * 10_000 + 0.001 * operationsOf(ir);
    expect(readingAllowance(ir, { maxEvaluations: 100_000 }).analysis).toBeCloseTo(0.1 * 100_000 * perEvaluation, 3);
    expect(readingAllowance(ir, { maxEvaluations: 100_000, timeoutSeconds: 60 }).analysis).toBe(6e6);
    expect(readingAllowance(ir, { maxEvaluations: 10 }).analysis).toBe(100_000);
  });

  it('counts the operations of an evaluation, loops by their turns', () => {
    expect(operationsOf(program(squares, 4000)) / operationsOf(program(squares, 2000))).toBeCloseTo(2, 1);
  });

  it('is the same whatever is known of the program already', () => {
    const ir = program(squares, 300);
    const open = (analysis: number, derived = Infinity) =>
      openProgram(ir, 'minimize', bounds(300), never, { analysis, derived });
    const { work } = analyzeProgram(ir, bounds(300));
    expect(open(work - 1).structure?.terms).toBeNull();
    expect(open(work - 1).resultLength('terms')).toBeNull();
    expect(open(work).structure?.terms?.count).toBe(300);
    expect(open(work).resultLength('terms')).toBe(300);
    expect(open(work - 1).structure?.terms).toBeNull();
    expect(open(work - 1).resultLength('terms')).toBeNull();
    expect(open(work - 1).resultLength('gradient')).toBe(300);
    expect(open(Infinity).structure?.terms?.count).toBe(300);
  });

  it('leaves out derived programs that are too large, the dearest last', () => {
    const ir = program(squares, 50);
    const size = ir.types.length;
    const opened = openProgram(ir, 'minimize', bounds(50), never, { analysis: Infinity, derived: 42 * size });
    expect(opened.resultLength('gradient')).toBe(50);
    expect(opened.resultLength('bounds')).toBeNull();
    expect(opened.resultLength('tangents')).toBeNull();
    expect(opened.resultLength('terms')).toBe(50);
    expect(opened.isRead).toBe(true);
    expect(opened.structure?.findings.at(-1)?.text).toMatch(
      /^To prepare bounds over boxes, Jacobians, slopes of bounds and slopes of bends would/,
    );
  });

  it('can be nothing at all: the program is only called', () => {
    const ir = program(squares, 50);
    const opened = openProgram(ir, 'minimize', bounds(50), never, { analysis: 10, derived: 10 });
    expect(opened.isRead).toBe(false);
    expect(opened.structure?.findings.map(({ text }) => text)).toEqual([
      'To read the program would take more than a tenth of the time of this run: it is only called.',
    ]);
  });

  it('is everything of ordinary programs, whatever the budget is', () => {
    const code =
      'import math\n\ndef f(x):\n    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))\n';
    const ir = program(code, 40);
    const opened = openProgram(ir, 'minimize', bounds(40), never, readingAllowance(ir, { maxEvaluations: 1 }));
    expect(opened.structure).toEqual(openProgram(ir, 'minimize', bounds(40), never, UNLIMITED).structure);
    for (const reading of ['gradient', 'bounds', 'terms', 'residuals', 'tangents', 'envelope'] as const) {
      expect(opened.resultLength(reading)).not.toBeNull();
    }
  });
});

describe('the search in terms', () => {
  it('is begun for ten thousand variables in steps that grow with them', () => {
    const n = 10_000;
    let looked = 0;
    const on = Array.from(
      { length: n },
      (_, k) => new Proxy([k], { get: (list, key) => (looked++, Reflect.get(list, key)) }),
    );
    const trait = { isSmooth: true, isConvex: true, isPeriodic: false, hasRounding: false };
    const structure = {
      ...analyzeProgram(program(squares, 2), bounds(2)).structure,
      dimension: n,
      terms: { count: n, form: 'coordinates' as const, dependsOn: on, traits: on.map(() => trait) },
    };
    const view = { structure, resultLength: () => n };
    expect(hasSearchableTerms(n, view)).toBe(true);
    const context = { n, program: view, start: new Float64Array(n), archive: { bestPoint: () => null } };
    new TermSearch(context as unknown as ConstructorParameters<typeof TermSearch>[0]);
    expect(looked).toBeLessThan(10 * n);
  });
});

describe('bounds over boxes', () => {
  it.each([
    ['a conditional', '    y = 0.0\n    if v > 0:\n        y = ROOT\n    return y + np.abs(x[1])\n'],
    ['a return', '    if v > 0:\n        return ROOT + np.abs(x[1])\n    return np.abs(x[1])\n'],
    ['a guard', '    if v <= 0:\n        return np.abs(x[1])\n    return ROOT + np.abs(x[1])\n'],
    [
      'two returns',
      '    if v <= 0:\n        return 7.0\n    if v > 3:\n        return 9.0\n    return ROOT + np.abs(x[1])\n',
    ],
  ])('know in a branch what was asked before it: %s', (_, body) => {
    // Where the box leaves the domain of the logarithm.
    const root = 'np.exp(np.log(v) + 0.5 * np.sin(np.log(v))) ** 0.1';
    const ir = program(`import numpy as np\n\ndef f(x):\n    v = 1 - x[0]\n${body.replace('ROOT', root)}`, 2);
    const interval = intervalProgram(ir);
    expect(verifyIr(interval)).toEqual([]);
    for (const [low, high] of [
      [0.5, 1.5],
      [-5, 5],
      [1.5, 2],
      [-1, 0],
    ]) {
      const { value: least, outputs } = interpret(interval, [low, 1, high, 2]);
      const most = outputs![0];
      expect(least).toBeGreaterThanOrEqual(1);
      expect(most).toBeLessThan(10);
      for (const at of [low, 0.5 * (low + high), high]) {
        expect(interpret(ir, [at, 1]).value).toBeGreaterThanOrEqual(least);
        expect(interpret(ir, [at, 2]).value).toBeLessThanOrEqual(most);
      }
    }
  });
});
