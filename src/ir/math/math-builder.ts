/**
 * Writes expansions of the mathematics library: IrBuilder with plain numbers as operands, restricted to primitives. The
 * code is straight-line, without a check, and so can run under any mask; but a function may end in one `rarely`.
 */
import { IrBuilder } from '../builder.js';
import type { PrimitiveOpName } from '../ops.js';
import type { IrFunction, ValueId } from '../types.js';

export interface Value {
  readonly f64: ValueId;
}
export interface Truth {
  readonly bool: ValueId;
}
export type Operand = Value | number;

export class MathBuilder {
  private readonly builder: IrBuilder;

  constructor(name: string, arity: number) {
    this.builder = new IrBuilder(name, arity);
  }

  argument(index: number): Value {
    return { f64: this.builder.x(index) };
  }

  finish(result: Value): IrFunction {
    return this.builder.finish(result.f64);
  }

  add = (a: Operand, b: Operand): Value => this.f64('add', a, b);
  sub = (a: Operand, b: Operand): Value => this.f64('sub', a, b);
  mul = (a: Operand, b: Operand): Value => this.f64('mul', a, b);
  div = (a: Operand, b: Operand): Value => this.f64('div', a, b);
  sqrt = (a: Operand): Value => this.f64('sqrt', a);
  neg = (a: Operand): Value => this.f64('neg', a);
  abs = (a: Operand): Value => this.f64('abs', a);
  floor = (a: Operand): Value => this.f64('floor', a);
  trunc = (a: Operand): Value => this.f64('trunc', a);
  exponent = (a: Operand): Value => this.f64('exponent', a);
  mantissa = (a: Operand): Value => this.f64('mantissa', a);
  scale = (a: Operand, b: Operand): Value => this.f64('scale', a, b);
  high = (a: Operand): Value => this.f64('high', a);

  lt = (a: Operand, b: Operand): Truth => this.bool('lt', a, b);
  le = (a: Operand, b: Operand): Truth => this.bool('le', a, b);
  eq = (a: Operand, b: Operand): Truth => this.bool('eq', a, b);
  ne = (a: Operand, b: Operand): Truth => this.bool('ne', a, b);
  signbit = (a: Operand): Truth => this.bool('signbit', a);
  isNaN = (a: Operand): Truth => this.ne(a, a);

  and = (a: Truth, b: Truth): Truth => ({ bool: this.builder.op('and', a.bool, b.bool) });
  or = (a: Truth, b: Truth): Truth => ({ bool: this.builder.op('or', a.bool, b.bool) });
  xor = (a: Truth, b: Truth): Truth => ({ bool: this.builder.op('xor', a.bool, b.bool) });
  not = (a: Truth): Truth => ({ bool: this.builder.op('not', a.bool) });

  select = (condition: Truth, a: Operand, b: Operand): Value => ({
    f64: this.builder.op('select', condition.bool, this.id(a), this.id(b)),
  });

  /**
   * `then` where `condition` holds, else `otherwise`: the steps of `then` are skipped where no lane needs them. Native
   * code relies on this: where `condition` does not hold, what `scale` gives is a normal number or NaN, and, angles
   * excepted, `then` has the bits of `otherwise`.
   */
  rarely(condition: Truth, then: () => Value, otherwise: Value): Value {
    const [result] = this.builder.if(
      condition.bool,
      () => [then().f64],
      () => [otherwise.f64],
    );
    return { f64: result };
  }

  /** `coefficients[0] + t * (coefficients[1] + t * (...))`, Horner's rule. */
  polynomial(t: Value, coefficients: readonly Operand[]): Value {
    let sum: Operand = coefficients[coefficients.length - 1];
    for (let k = coefficients.length - 2; k >= 0; k--) sum = this.add(coefficients[k], this.mul(t, sum));
    return typeof sum === 'number' ? { f64: this.builder.const(sum) } : sum;
  }

  /**
   * Nearest integer for |a| < 2^51; +0 for a zero of either sign. Two additions are cheaper than `rint` in JavaScript.
   */
  nearest(a: Operand): Value {
    const shift = 1.5 * 2 ** 52;
    return this.sub(this.add(a, shift), shift);
  }

  /** The magnitude of `a` (not below zero, no NaN sign promised) with the sign of `b`. */
  withSign(a: Value, b: Value): Value {
    return this.select(this.signbit(b), this.neg(a), a);
  }

  private id(operand: Operand): ValueId {
    return typeof operand === 'number' ? this.builder.const(operand) : operand.f64;
  }

  private f64(op: PrimitiveOpName, ...args: Operand[]): Value {
    return { f64: this.builder.op(op, ...args.map((a) => this.id(a))) };
  }

  private bool(op: PrimitiveOpName, ...args: Operand[]): Truth {
    return { bool: this.builder.op(op, ...args.map((a) => this.id(a))) };
  }
}
