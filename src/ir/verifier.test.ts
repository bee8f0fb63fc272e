import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomIr } from '../../test/support/random-ir.js';
import { parseIr } from './parser.js';
import type { IfNode, Instruction, IrFunction, IrNode, LoopNode } from './types.js';
import { verifyIr } from './verifier.js';

const VALID = `function "valid" dimension 2 {
  v0 = x 0
  v1 = x 1
  v2 = lt v0, v1
  check v2 ZeroDivision line 3
  v3 = if v2 {
    v4 = add v0, v1
    yield v4
  } else {
    yield v1
  }
  v5 = loop (v6 = v3) fuel 10 line 4 {
    v7 = mul v6, v6
    v8 = lt v7, v1
    yield v8, v7
  }
  v9 = bconst true
  yield v5
}`;

type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;

/** The valid program with one thing broken. Nodes: 0, 1 x; 2 lt; 3 check; 4 if; 5 loop; 6 bconst. */
function broken(change: (fn: Mutable<IrFunction>, nodes: Mutable<IrNode>[]) => void): IrFunction {
  const fn = structuredClone(parseIr(VALID)) as Mutable<IrFunction>;
  change(fn, fn.body.body);
  return fn as IrFunction;
}
const op = (node: Mutable<IrNode>): Mutable<Instruction> => node as Mutable<Instruction>;
const ifOf = (nodes: Mutable<IrNode>[]): Mutable<IfNode> => nodes[4] as Mutable<IfNode>;
const loopOf = (nodes: Mutable<IrNode>[]): Mutable<LoopNode> => nodes[5] as Mutable<LoopNode>;

describe('verifyIr', () => {
  it('accepts a valid program', () => {
    expect(verifyIr(parseIr(VALID))).toEqual([]);
  });

  it('accepts every random program', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        expect(verifyIr(randomIr(seed, { counted: true }))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  const cases: readonly (readonly [string, Parameters<typeof broken>[0], string])[] = [
    ['a negative dimension', (fn) => (fn.dimension = -1), 'dimension -1'],
    ['a fractional dimension', (fn) => (fn.dimension = 1.5), 'dimension 1.5'],
    ['two results', (fn) => fn.body.yields.push(0), 'must yield 1 values, yields 2'],
    ['no result', (fn) => fn.body.yields.pop(), 'must yield 1 values, yields 0'],
    ['a bool result', (fn) => (fn.body.yields = [2]), 'yield 0 of the function must be f64, v2 is bool'],
    ['an unknown operation', (_, n) => (op(n[2]).op = 'nope' as never), 'unknown operation nope'],
    ['an inherited name as operation', (_, n) => (op(n[2]).op = 'toString' as never), 'unknown operation toString'],
    ['an unknown node', (_, n) => (n[2].kind = 'jump' as never), 'unknown node kind jump'],
    ['too few arguments', (_, n) => op(n[2]).args.pop(), 'lt takes 2 arguments, has 1'],
    ['too many arguments', (_, n) => op(n[2]).args.push(0), 'lt takes 2 arguments, has 3'],
    ['an argument of the wrong type', (_, n) => (op(n[3]).args = [0]), 'argument 0 of check must be bool, v0 is f64'],
    ['a result of the wrong type', (fn) => (fn.types[0] = 'bool'), 'the result of x must be f64, v0 is bool'],
    ['an unknown type', (fn) => (fn.types[9] = 'i32' as never), 'v9 has the unknown type i32'],
    ['a use before the definition', (_, n) => (op(n[2]).args = [0, 5]), 'uses v5, which is not defined there'],
    ['a use outside the region', (fn) => (fn.body.yields = [4]), 'uses v4, which is not visible there'],
    ['a loop param outside the loop', (fn) => (fn.body.yields = [6]), 'uses v6, which is not visible there'],
    ['an id that is no number', (fn) => (fn.body.yields = [NaN]), 'uses vNaN'],
    ['a second definition', (_, n) => (op(n[1]).result = 0), 'v0 is defined twice'],
    ['a result without a type', (fn) => fn.types.pop(), 'bconst defines v9, which has no type'],
    ['a number that nothing defines', (fn) => fn.types.push('f64'), 'v10 is never defined'],
    ['a coordinate beyond the dimension', (_, n) => (op(n[1]).imm = 2), 'x 2 lies outside the dimension 2'],
    ['a fractional coordinate', (_, n) => (op(n[1]).imm = 0.5), 'x 0.5 lies outside'],
    ['a truth value of 2', (_, n) => (op(n[6]).imm = 2), 'bconst must be 0 or 1, is 2'],
    ['a check with an unknown status', (_, n) => (op(n[3]).imm = 99), 'check has the unknown status 99'],
    ['a check that flags Ok', (_, n) => (op(n[3]).imm = 0), 'check has the unknown status 0'],
    ['an immediate where none belongs', (_, n) => (op(n[2]).imm = 1), 'lt takes no immediate, has 1'],
    ['an immediate that is no number', (_, n) => (op(n[1]).imm = '1' as never), 'x has an immediate that is no number'],
    ['a negative line', (_, n) => (op(n[3]).line = -1), 'check has the line -1'],
    ['a check with a result', (_, n) => (op(n[3]).result = 9), 'check has no result but defines v9'],
    ['a condition that is a number', (_, n) => (ifOf(n).condition = 0), 'the condition of if must be bool, v0 is f64'],
    [
      'a region that yields too much',
      (_, n) => ifOf(n).then.yields.push(0),
      'the then region must yield 1 values, yields 2',
    ],
    [
      'a region that yields too little',
      (_, n) => ifOf(n).otherwise.yields.pop(),
      'the else region must yield 1 values',
    ],
    [
      'regions of different types',
      (_, n) => (ifOf(n).otherwise.yields = [2]),
      'yield 0 of the else region must be f64',
    ],
    ['a then value in the else region', (_, n) => (ifOf(n).otherwise.yields = [4]), 'v4, which is not visible there'],
    ['a loop without fuel', (_, n) => (loopOf(n).fuel = 0), 'loop has the fuel 0'],
    ['a loop with fractional fuel', (_, n) => (loopOf(n).fuel = 1.5), 'loop has the fuel 1.5'],
    ['a loop with a fractional line', (_, n) => (loopOf(n).line = 0.5), 'loop has the line 0.5'],
    ['a loop without initial values', (_, n) => loopOf(n).initial.pop(), 'loop has 1 params but 0 initial values'],
    ['a loop without results', (_, n) => loopOf(n).results.pop(), 'loop has 1 params but 0 results'],
    ['an initial value of another type', (_, n) => (loopOf(n).initial = [2]), 'initial value 0 of loop must be f64'],
    ['a loop that yields no condition', (_, n) => loopOf(n).body.yields.shift(), 'the loop body must yield 2 values'],
    [
      'a loop condition that is a number',
      (_, n) => (loopOf(n).body.yields[0] = 7),
      'yield 0 of the loop body must be bool',
    ],
    ['a next value of another type', (_, n) => (loopOf(n).body.yields[1] = 8), 'yield 1 of the loop body must be f64'],
    ['a loop result of another type', (fn) => (fn.types[5] = 'bool'), 'result 0 of loop must be f64, v5 is bool'],
  ];
  for (const [what, change, problem] of cases) {
    it(`refuses ${what}`, () => {
      expect(verifyIr(broken(change)).join('\n')).toContain(problem);
    });
  }
});

describe('index forms and arrays', () => {
  const nest = (count: string, inner: string, element: string): string[] =>
    verifyIr(
      parseIr(`function "f" dimension 4 {\narray a0 candidate\narray a1 table (1, 2)\narray a2 local 4
        v0 = const 0
        v1 = for v2 [${count}] (v3 = v0) {
          v4 = for v5 [${inner}] (v6 = v3) {\n${element}\nv8 = add v6, v7\nyield v8\n}
          yield v4
        }
        yield v1\n}`),
    );

  it.each([
    ['a triangle', '4', '4 -1*v2', 'v7 = load a0 [0 1*v2 1*v5]'],
    ['a triangle backward', '4', '1 1*v2', 'v7 = load a0 [0 1*v2 -1*v5]'],
    ['a loop without rounds', '4', '0', 'v7 = load a0 [0 1*v2]'],
    ['a store', '2', '2', 'store v6 a2 [1 2*v2 -1*v5]\nv7 = ordinal [-1000000 1*v2]'],
  ])('accepts %s inside its bounds', (_, count, inner, element) => {
    expect(nest(count, inner, element)).toEqual([]);
  });

  it.each([
    ['beyond the end', '4', '4', 'v7 = load a0 [0 1*v2 1*v5]', 'load reaches 0 to 6 of the 4 elements of array 0'],
    ['before the start', '4', '2', 'v7 = load a0 [0 1*v2 -1*v5]', 'load reaches -1 to 3'],
    ['beyond a table', '4', '4', 'v7 = load a1 [0 1*v2]', 'load reaches 0 to 3 of the 2 elements of array 1'],
    ['into the candidate', '4', '4', 'store v3 a0 [0]\nv7 = ordinal [0]', 'store writes to the read-only array 0'],
    ['an array that is not there', '4', '4', 'v7 = load a3 [0]', 'load has the unknown array 3'],
    ['two terms of one index', '1', '1', 'v7 = load a0 [0 1*v2 1*v2]', 'has two terms of v2'],
    ['a scale of 0', '1', '1', 'v7 = load a0 [0 0*v2]', 'has the scale 0'],
    ['a number as index', '1', '1', 'v7 = load a0 [0 1*v6]', 'must be index, v6 is f64'],
    ['an index as number', '1', '1', 'v7 = neg v5', 'argument 0 of neg must be f64, v5 is index'],
    ['an index outside its loop', '1', '1 1*v5', 'v7 = ordinal [0]', 'uses v5, which is not defined there'],
  ] as const)('refuses %s', (_, count, inner, element, problem) => {
    expect(nest(count, inner, element).join('\n')).toContain(problem);
  });

  it('refuses memory operations without a form and others with one', () => {
    const fn = structuredClone(parseIr('function "f" dimension 1 {\nv0 = x 0\nv1 = ordinal [0]\nyield v1\n}'));
    const [x, ordinal] = fn.body.body as unknown as { at?: unknown }[];
    x.at = ordinal.at;
    delete ordinal.at;
    expect(verifyIr(fn)).toEqual(['x takes no index form', 'ordinal has no index form']);
  });
});
