import { describe, expect, it } from 'vitest';
import { IrBuilder } from '../../ir/builder.js';
import { evaluateOp, interpret } from '../../ir/interpreter.js';
import type { IrFunction, ValueId } from '../../ir/types.js';
import { verifyIr } from '../../ir/verifier.js';
import { walk } from '../../ir/walk.js';
import { ITSELF_AT_ZERO, ONE_AT_ZERO, settleZeroArguments } from './zero-arguments.js';

type Computing = Parameters<typeof evaluateOp>[0];
const ALL = [...ONE_AT_ZERO, ...ITSELF_AT_ZERO] as Computing[];
const SPECIAL = [0, -0, 1, -1, 1e308, 5e-324, NaN, Infinity, -Infinity];

function calls(fn: IrFunction): number {
  let count = 0;
  walk(fn.body, (node) => (count += node.kind === 'op' && ALL.includes(node.op as Computing) ? 1 : 0));
  return count;
}

/** Functions that are left; the same values and status, checked at special numbers. */
function left(build: (b: IrBuilder, x: ValueId) => ValueId): number {
  const b = new IrBuilder('f', 1);
  const fn = b.finish(build(b, b.x(0)));
  const after = settleZeroArguments(fn);
  expect(verifyIr(after)).toEqual([]);
  for (const x of SPECIAL) expect(interpret(after, Float64Array.of(x)), `at ${x}`).toEqual(interpret(fn, Float64Array.of(x)));
  return calls(after);
}

/** Where -0 and 0 are told apart. */
const reciprocal = (b: IrBuilder, value: ValueId): ValueId => b.op('div', b.const(1), value);

describe('functions of a * 0', () => {
  it.each(ALL)('%s is settled, on either side of the product and for either zero', (op) => {
    for (const zero of [0, -0]) {
      expect(left((b, x) => reciprocal(b, b.op(op, b.op('mul', x, b.const(zero)))))).toBe(0);
      expect(left((b, x) => reciprocal(b, b.op(op, b.op('mul', b.const(zero), x))))).toBe(0);
    }
  });

  it('is settled in branches and loops', () => {
    const wave = (b: IrBuilder, x: ValueId) => b.op('cos', b.op('mul', x, b.const(0)));
    const twice = { offset: 2, terms: [] };
    expect(left((b, x) => b.if(b.op('lt', x, b.const(1)), () => [wave(b, x)], () => [x])[0])).toBe(0);
    expect(left((b, x) => b.for(twice, [x], (_, [sum]) => [b.op('add', sum, wave(b, sum))])[0])).toBe(0);
  });

  it('stays where the argument is another one', () => {
    expect(left((b, x) => b.op('exp', b.op('mul', x, b.const(1))))).toBe(1);
    expect(left((b, x) => b.op('exp', b.op('add', x, b.const(0))))).toBe(1);
    expect(left((b, x) => b.op('exp', x))).toBe(1);
  });
});

describe('operations that are said', () => {
  it('to be 1 at zero, are', () => {
    for (const op of ONE_AT_ZERO as ReadonlySet<Computing>)
      for (const zero of [0, -0]) expect(evaluateOp(op, [zero]), op).toBe(1);
  });

  it('to be zero itself at zero, are', () => {
    for (const op of ITSELF_AT_ZERO as ReadonlySet<Computing>)
      for (const zero of [0, -0]) expect(evaluateOp(op, [zero]), op).toBe(zero);
  });
});
