import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomIr } from '../../../test/support/random-ir.js';
import { expectSameProgram } from '../../../test/support/same-program.js';
import { IrBuilder } from '../../ir/builder.js';
import { evaluateOp, interpret } from '../../ir/interpreter.js';
import type { Instruction, IrFunction, ValueId } from '../../ir/types.js';
import { verifyIr } from '../../ir/verifier.js';
import { walk } from '../../ir/walk.js';
import { Copier } from '../../passes/copier.js';
import { BLIND_TO_ZERO_SIGN, dropZeroAdditions, ZERO_TO_ZERO } from './zero-additions.js';
import { eliminateDeadCode as withoutGaps } from '../../passes/eliminate-dead-code.js';
import { optimizeIr } from '../../passes/pipeline.js';

const SPECIAL = [0, -0, 1, -1, 0.5, NaN, Infinity, -Infinity];

function additions(fn: IrFunction): number {
  let count = 0;
  walk(fn.body, (node) => (count += node.kind === 'op' && node.op === 'add' ? 1 : 0));
  return count;
}

/** Additions that are left; the same values and status, checked at all pairs of special numbers. */
function left(build: (b: IrBuilder, x: ValueId, y: ValueId) => ValueId): number {
  const b = new IrBuilder('f', 2);
  const fn = b.finish(build(b, b.x(0), b.x(1)));
  const after = withoutGaps(dropZeroAdditions(fn));
  expect(verifyIr(after)).toEqual([]);
  for (const x of SPECIAL) {
    for (const y of SPECIAL) {
      const at = Float64Array.of(x, y);
      expect(interpret(after, at), `at ${x}, ${y}`).toEqual(interpret(fn, at));
    }
  }
  return additions(after);
}

/** The program with 0 added to every result. */
class Adder extends Copier {
  protected override instruction(node: Instruction): void {
    super.instruction(node);
    if (node.result < 0 || this.fn.types[node.result] !== 'f64' || node.op === 'const') return;
    this.define([node.result], [this.b.op('add', this.of(node.result), this.b.const(0))]);
  }
}
function withZeros(fn: IrFunction): IrFunction {
  const b = new IrBuilder(fn.name, fn.dimension);
  const copier = new Adder(b, fn);
  copier.nodes(fn.body);
  return b.finish(copier.of(fn.body.yields[0]));
}

describe('additions of 0', () => {
  const plusZero = (b: IrBuilder, value: ValueId) => b.op('add', value, b.const(0));

  it('stay where the result can tell -0 from 0', () => {
    expect(left((b, x) => plusZero(b, x))).toBe(1);
    expect(left((b, x, y) => b.op('mul', plusZero(b, x), y))).toBe(1);
    expect(left((b, x) => b.op('div', b.const(1), plusZero(b, x)))).toBe(1);
    expect(left((b, x, y) => b.op('atan2', plusZero(b, x), y))).toBe(1);
    expect(left((b, x) => b.op('select', b.op('signbit', plusZero(b, x)), b.const(1), b.const(2)))).toBe(1);
  });

  it('go where their operand is never -0', () => {
    expect(left((b, x) => plusZero(b, b.op('mul', x, x)))).toBe(0);
    expect(left((b, x) => plusZero(b, b.op('abs', x)))).toBe(0);
    expect(left((b, x, y) => b.op('add', plusZero(b, b.op('mul', x, x)), b.op('mul', y, y)))).toBe(1);
  });

  it('go where nothing that stays can tell', () => {
    expect(left((b, x) => b.op('abs', plusZero(b, x)))).toBe(0);
    expect(left((b, x) => b.op('sub', b.const(3), b.op('sin', plusZero(b, x))))).toBe(0);
    expect(left((b, x, y) => b.op('select', b.op('lt', plusZero(b, x), y), x, y))).toBe(0);
    expect(left((b, x, y) => plusZero(b, b.op('mul', plusZero(b, x), plusZero(b, y))))).toBe(1);
  });

  it('of two in a row one stays', () => {
    expect(left((b, x) => plusZero(b, b.op('neg', b.op('neg', plusZero(b, plusZero(b, x))))))).toBe(1);
    expect(left((b, x) => b.op('add', b.const(0), plusZero(b, x)))).toBe(1);
  });

  it('stay where a loop carries them, or a branch hands them on to one that can tell', () => {
    const carried = (b: IrBuilder, x: ValueId) =>
      b.for({ offset: 3, terms: [] }, [plusZero(b, x)], (_, [sum]) => [b.op('mul', sum, b.const(2))])[0];
    expect(left(carried)).toBe(1);
    const handedOn = (b: IrBuilder, x: ValueId, y: ValueId) =>
      b.if(b.op('lt', x, y), () => [plusZero(b, x)], () => [y])[0];
    expect(left(handedOn)).toBe(1);
    expect(left((b, x, y) => b.op('abs', handedOn(b, x, y)))).toBe(0);
  });

  it('change nothing of random programs', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const fn = randomIr(seed, { counted: true });
        for (const before of [fn, withZeros(fn), optimizeIr(withZeros(fn))]) {
          expectSameProgram(before, dropZeroAdditions(before), seed);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('operations that are said', () => {
  type Computing = Parameters<typeof evaluateOp>[0];

  it('to be blind to the sign of zero, are', () => {
    for (const op of BLIND_TO_ZERO_SIGN as ReadonlySet<Computing>) {
      for (const other of SPECIAL) {
        expect(evaluateOp(op, [0, other]), op).toBe(evaluateOp(op, [-0, other]));
        expect(evaluateOp(op, [other, 0]), op).toBe(evaluateOp(op, [other, -0]));
      }
    }
  });

  it('to give a zero for each zero, do', () => {
    for (const op of ZERO_TO_ZERO as ReadonlySet<Computing>) {
      expect(Math.abs(evaluateOp(op, [0])), op).toBe(0);
      expect(Math.abs(evaluateOp(op, [-0])), op).toBe(0);
    }
  });
});
