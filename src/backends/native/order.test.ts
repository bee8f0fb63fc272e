import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomIr } from '../../../test/support/random-ir.js';
import { expectSameProgram } from '../../../test/support/same-program.js';
import { IrBuilder } from '../../ir/builder.js';
import { constantForm } from '../../ir/index-form.js';
import type { IrFunction, ValueId } from '../../ir/types.js';
import { encodeProgram } from './encode.js';
import { orderNodes } from './order.js';

/** Registers for numbers that the program takes. */
const registersOf = (fn: IrFunction): number => encodeProgram(fn).words[3];

function build(dimension: number, value: (b: IrBuilder, x: readonly ValueId[]) => ValueId): IrFunction {
  const b = new IrBuilder('f', dimension);
  return b.finish(
    value(
      b,
      Array.from({ length: dimension }, (_, k) => b.x(k)),
    ),
  );
}

const sum = (b: IrBuilder, terms: readonly ValueId[]): ValueId => terms.reduce((a, term) => b.op('add', a, term));

describe('the order of operations', () => {
  it('adds the elements of a list as they come', () => {
    const list = build(30, (b, x) => {
      const terms = x.map((each) => b.op('sub', b.op('mul', each, each), b.op('mul', b.const(10), b.op('cos', each))));
      return sum(b, terms);
    });
    expect(registersOf(list)).toBeGreaterThanOrEqual(30);
    expect(registersOf(orderNodes(list))).toBeLessThan(5);
  });

  it('takes whole arrays element by element', () => {
    const arrays = build(30, (b, x) => {
      const differences = x.slice(1).map((each, k) => b.op('sub', each, b.op('mul', x[k], x[k])));
      const squares = differences.map((each) => b.op('mul', each, each));
      const ones = x.slice(1).map((each) => b.op('sub', b.const(1), each));
      return sum(
        b,
        ones.map((each, k) => b.op('add', b.op('mul', b.const(100), squares[k]), b.op('mul', each, each))),
      );
    });
    expect(registersOf(arrays)).toBeGreaterThan(28);
    expect(registersOf(orderNodes(arrays))).toBeLessThan(7);
  });

  it('leaves calls on results of calls beside each other, and what it would not shorten', () => {
    const nested = build(12, (b, x) => {
      const inner = x.map((each) => b.op('exp', each));
      const outer = inner.map((each) => b.op('log', b.op('add', each, b.const(1))));
      return b.op('mul', sum(b, outer), sum(b, outer));
    });
    const body = orderNodes(nested).body.body.flatMap((node) => (node.kind === 'op' ? [node.op] : []));
    expect(body.lastIndexOf('exp')).toBeLessThan(body.indexOf('log'));
    const short = build(3, (b, x) => sum(b, x));
    expect(orderNodes(short)).toEqual(short);
  });

  it('keeps the first check that fires, and loads between their stores', () => {
    const b = new IrBuilder('f', 8);
    const x = Array.from({ length: 8 }, (_, k) => b.x(k));
    const array = b.localArray(1);
    const squares = x.map((each) => b.op('mul', each, each));
    const loaded = squares.map((each) => {
      b.store(array, constantForm(0), each);
      return b.load(array, constantForm(0));
    });
    squares.forEach((each, k) => b.check(b.op('lt', b.const(k), each), k % 2 === 0 ? 1 : 2, k + 1));
    const before = b.finish(sum(b, [...loaded, ...squares]));
    expectSameProgram(before, orderNodes(before), 1);
  });

  it('keeps loads before the store that changes their element, where operations move', () => {
    const before = build(30, (b, x) => {
      const array = b.localArray(1);
      const loaded = x.map((each) => {
        b.store(array, constantForm(0), each);
        return b.load(array, constantForm(0));
      });
      const wholeArrays = [2, 3].map((factor) => loaded.map((each) => b.op('mul', each, b.const(factor))));
      const squares = wholeArrays.map((array) => array.map((each) => b.op('mul', each, each)));
      return sum(
        b,
        squares[0].map((each, k) => b.op('div', each, squares[1][k])),
      );
    });
    expect(orderNodes(before)).not.toEqual(before);
    expectSameProgram(before, orderNodes(before), 2);
  });

  it('changes nothing of random programs', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        for (const shape of [{}, { control: false, statements: 200 }]) {
          const before = randomIr(seed, { counted: true, ...shape });
          expectSameProgram(before, orderNodes(before), seed);
        }
      }),
      { numRuns: 60 },
    );
  });
});
