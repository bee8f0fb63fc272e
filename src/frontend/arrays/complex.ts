/**
 * Complex numbers: pairs of real ones, each operation in the steps of CPython (Objects/complexobject.c) or of NumPy,
 * which divide and raise to powers differently. Formulas are written once, on pairs of scalars; arrays map them over
 * their elements. Up to Python 3.13, where a real operand counts as one with the imaginary part +0.
 */
import { LaneStatus, type ValueId } from '../../ir/types.js';
import type { BinaryOperator, ComparisonOperator, Position } from '../syntax/ast.js';
import { sizeOf } from './shapes.js';
import type { ArrayMachine } from './array-machine.js';
import { isIndexed } from '../values/indexed.js';
import { log as logarithm, exp as raised } from './complex-formulas.js';
import {
  Unsupported,
  isNumPyKind,
  known,
  tuple,
  typeName,
  type ComplexArray,
  type ComplexValue,
  type NdArray,
  type Scalar,
  type Held,
  type Value,
} from '../values/values.js';

/** Real and imaginary part, both of NumPy's type, whose arithmetic never raises. */
export interface Pair {
  readonly re: Scalar;
  readonly im: Scalar;
}

const real = (value: number): Scalar => known('npfloat', value);
const ZERO = real(0);
export const ONE: Pair = { re: real(1), im: ZERO };
const isKnownZero = (s: Scalar): boolean => s.known === 0;

/** NumPy fuses products with sums where the processor can, and functions have formulas of their own. */
const COMPLEX_ULP = 4;
/** Exponents up to here are products in CPython, those below it in NumPy. */
const MAX_INTEGER_EXPONENT = 100;

export class ComplexOps {
  /** Numbers that are a zero of either sign, or NaN: products of zero. */
  private readonly zeros = new Set<ValueId>();

  constructor(private readonly ev: ArrayMachine) {}

  restart(): void {
    this.zeros.clear();
  }

  // ---- values ----

  make({ re, im }: Pair, isNumPy: boolean): ComplexValue {
    if (this.ev.pythonMinor >= 14) {
      throw new Unsupported('complex numbers, whose arithmetic is another one from Python 3.14 on', this.ev.ops.here);
    }
    const kind = isNumPy ? 'npfloat' : 'float';
    return { tag: 'complex', isNumPy, re: this.ev.ops.retag(re, kind), im: this.ev.ops.retag(im, kind) };
  }

  /** The complex number or array that two results make. */
  combine(re: Value, im: Value): Value {
    if (re.tag === 'scalar' && im.tag === 'scalar') return this.make({ re, im }, true);
    if (re.tag === 'ndarray' && im.tag === 'ndarray') return this.array(re, im);
    throw new Unsupported(`complex numbers as ${typeName(re)}`, this.ev.ops.here);
  }

  array(re: NdArray, im: NdArray): ComplexArray {
    const { ev } = this;
    // Refused for the Pythons that `make` refuses.
    this.make(ONE, true);
    const { here } = ev.ops;
    return {
      tag: 'complexarray',
      re: ev.arrays.ofKind(re, 'npfloat', here),
      im: ev.arrays.ofKind(im, 'npfloat', here),
    };
  }

  /** A real or complex number as a pair. */
  pair(value: Scalar | ComplexValue): Pair {
    const { ops } = this.ev;
    const raw = (s: Scalar): Scalar => {
      const kinds = ops.possibleKinds(s);
      if (kinds.some(isNumPyKind) && !kinds.every(isNumPyKind)) {
        throw new Unsupported("complex arithmetic on a number of Python's or NumPy's type depending on x", ops.here);
      }
      return ops.retag(s, 'npfloat');
    };
    return value.tag === 'complex' ? { re: raw(value.re), im: raw(value.im) } : { re: raw(value), im: ZERO };
  }

  /** A part of a number or array; real ones have an imaginary part of zeros. */
  partOf(value: Value, part: 're' | 'im'): Value {
    if (value.tag === 'complex' || value.tag === 'complexarray') return value[part];
    if (part === 're') return value;
    if (value.tag === 'scalar') return ZERO;
    if (value.tag === 'ndarray') return this.ev.arrays.filled(value.shape, 'npfloat', ZERO, this.ev.ops.here);
    throw new Unsupported(`the imaginary part of ${typeName(value)}`, this.ev.ops.here);
  }

  /** A value as an operand beside a complex array: a number or an array. */
  operand(value: Value, position: Position): Value {
    if (isNumber(value) || value.tag === 'ndarray' || value.tag === 'complexarray') return value;
    return hasComplex(value) ? this.toArray(value, position) : this.ev.arrays.toArray(value, position);
  }

  /** Array that `np.asarray` makes of a value in which something is complex. */
  toArray(value: Value, position: Position): ComplexArray {
    if (value.tag === 'complexarray') return value;
    const part = (v: Value, name: 're' | 'im'): Value => {
      if (isNumber(v) || v.tag === 'ndarray' || v.tag === 'complexarray') return this.partOf(v, name);
      if (v.tag === 'list' || v.tag === 'tuple')
        return tuple(this.ev.sequences.iterate(v, position).map((item) => part(item, name)));
      throw new Unsupported(`an array of complex numbers and ${typeName(v)}`, position);
    };
    const [re, im] = [part(value, 're'), part(value, 'im')].map((v) => this.ev.arrays.toArray(v, position));
    return this.array(re, im);
  }

  /** Stores a result of the same shape, or one that is broadcast, into every element. */
  assignInPlace(target: ComplexArray, value: Value, position: Position): void {
    const source = this.operand(value, position);
    // Both are read before either is written.
    const [re, im] = [this.partOf(source, 're'), this.partOf(source, 'im')];
    this.ev.arrays.assignAll(target.re, re, position);
    this.ev.arrays.assignAll(target.im, im, position);
  }

  // ---- real arithmetic ----

  private isZeroOrNaN(s: Scalar): boolean {
    if (s.known !== undefined) return s.known === 0;
    return !isIndexed(s) && this.zeros.has(s.id);
  }

  /** The number, or the zero that it can only be: on lanes where it is NaN, CPython decides. */
  settled(s: Scalar): Scalar {
    if (s.known !== undefined || !this.isZeroOrNaN(s)) return s;
    const { ops } = this.ev;
    ops.check(ops.isNaN(s), LaneStatus.Untranslated);
    return ZERO;
  }

  private note(result: Scalar, isZero: boolean): Scalar {
    if (isZero && result.known === undefined && !isIndexed(result)) this.zeros.add(result.id);
    return result;
  }

  add(a: Scalar, b: Scalar): Scalar {
    const { ops } = this.ev;
    return this.note(
      ops.loosely(COMPLEX_ULP, () => ops.binary('+', a, b, ops.here)),
      this.isZeroOrNaN(a) && this.isZeroOrNaN(b),
    );
  }

  sub(a: Scalar, b: Scalar): Scalar {
    const { ops } = this.ev;
    return this.note(
      ops.loosely(COMPLEX_ULP, () => ops.binary('-', a, b, ops.here)),
      this.isZeroOrNaN(a) && this.isZeroOrNaN(b),
    );
  }

  mul(a: Scalar, b: Scalar): Scalar {
    const { ops } = this.ev;
    return this.note(
      ops.loosely(COMPLEX_ULP, () => ops.binary('*', a, b, ops.here)),
      this.isZeroOrNaN(a) || this.isZeroOrNaN(b),
    );
  }

  div(a: Scalar, b: Scalar): Scalar {
    const { ops } = this.ev;
    return ops.loosely(COMPLEX_ULP, () => ops.binary('/', a, b, ops.here));
  }

  // ---- arithmetic on pairs ----

  negated({ re, im }: Pair): Pair {
    const { ops } = this.ev;
    return {
      re: this.note(ops.negate(re), this.isZeroOrNaN(re)),
      im: this.note(ops.negate(im), this.isZeroOrNaN(im)),
    };
  }

  conjugate({ re, im }: Pair): Pair {
    return { re, im: this.note(this.ev.ops.negate(im), this.isZeroOrNaN(im)) };
  }

  sum(a: Pair, b: Pair): Pair {
    return { re: this.add(a.re, b.re), im: this.add(a.im, b.im) };
  }

  difference(a: Pair, b: Pair): Pair {
    return { re: this.sub(a.re, b.re), im: this.sub(a.im, b.im) };
  }

  product(a: Pair, b: Pair): Pair {
    return {
      re: this.sub(this.mul(a.re, b.re), this.mul(a.im, b.im)),
      im: this.add(this.mul(a.re, b.im), this.mul(a.im, b.re)),
    };
  }

  /** Smith's division; CPython divides by the denominator, NumPy multiplies by its reciprocal. */
  quotient(a: Pair, b: Pair, isNumPy: boolean): Pair {
    const { ops } = this.ev;
    const isRealLarger = ops.compare('>=', ops.abs(b.re), ops.abs(b.im));
    const pick = (p: Scalar, q: Scalar): Scalar => ops.select(isRealLarger, p, q);
    const larger = pick(b.re, b.im);
    const ratio = this.div(pick(b.im, b.re), larger);
    const denominator = this.add(larger, this.mul(pick(b.im, b.re), ratio));
    const [u, v] = [pick(a.re, a.im), pick(a.im, a.re)];
    const re = this.add(u, this.mul(v, ratio));
    const cross = this.mul(u, ratio);
    const im = pick(this.sub(v, cross), this.sub(cross, v));
    if (!isNumPy) return { re: this.div(re, denominator), im: this.div(im, denominator) };
    const scale = this.div(real(1), denominator);
    const isZero = this.isZero(b);
    const none = ops.abs(b.re);
    return {
      re: ops.select(isZero, this.div(a.re, none), this.mul(re, scale)),
      im: ops.select(isZero, this.div(a.im, none), this.mul(im, scale)),
    };
  }

  isZero({ re, im }: Pair): Scalar {
    const { ops } = this.ev;
    return ops.and(ops.isZero(re), ops.isZero(im));
  }

  isFinite({ re, im }: Pair): Scalar {
    const { ops } = this.ev;
    return ops.and(ops.isFinite(re), ops.isFinite(im));
  }

  select(condition: Scalar, a: Pair, b: Pair): Pair {
    const { ops } = this.ev;
    return { re: ops.select(condition, a.re, b.re), im: ops.select(condition, a.im, b.im) };
  }

  /** Its length; Python raises where that overflows. */
  magnitude({ re, im }: Pair, isNumPy: boolean): Scalar {
    const { ops } = this.ev;
    const [x, y] = [this.settled(re), this.settled(im)];
    const length =
      isKnownZero(x) || isKnownZero(y) ? ops.abs(isKnownZero(x) ? y : x) : ops.math('hypot', 'npfloat', x, y);
    if (isNumPy) return length;
    ops.check(ops.and(ops.isInf(length), this.isFinite({ re, im })), LaneStatus.Overflow);
    return ops.retag(length, 'float');
  }

  phase({ re, im }: Pair): Scalar {
    return this.ev.ops.math('atan2', 'npfloat', im, re);
  }

  /** The product of the powers base^(2^k) that make up the exponent, from the lowest bit on. */
  private repeatedProduct(base: Pair, exponent: number): Pair {
    let result = ONE;
    let power = base;
    for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
      if (rest % 2 === 1) result = this.product(result, power);
      if (rest > 1) power = this.product(power, power);
    }
    return result;
  }

  power(a: Pair, b: Pair, isNumPy: boolean): Pair {
    if (isNumPy) return this.numpyPower(a, b);
    const { ops } = this.ev;
    const result = this.pythonPower(a, b);
    ops.check(ops.or(ops.isInf(result.re), ops.isInf(result.im)), LaneStatus.Overflow);
    return result;
  }

  private pythonPower(a: Pair, b: Pair): Pair {
    const { ops } = this.ev;
    const exponent = isKnownZero(b.im) ? b.re.known : undefined;
    if (exponent !== undefined && Number.isInteger(exponent) && Math.abs(exponent) <= MAX_INTEGER_EXPONENT) {
      const product = this.repeatedProduct(a, Math.abs(exponent));
      if (exponent >= 0) return product;
      ops.check(this.isZero(product), LaneStatus.ZeroDivision);
      return this.quotient(ONE, product, false);
    }
    if (exponent === undefined) this.leaveSmallIntegers(b);
    this.requireOrdinary(a);
    this.requireOrdinary(b);
    const isZero = this.isZero(a);
    ops.check(
      ops.and(isZero, ops.or(ops.not(ops.isZero(b.im)), ops.compare('<', b.re, ZERO))),
      LaneStatus.ZeroDivision,
    );
    const length = ops.select(isZero, real(1), ops.math('hypot', 'npfloat', a.re, a.im));
    const angle = this.phase(a);
    let size = ops.math('pow', 'npfloat', length, b.re);
    let phase = this.mul(angle, b.re);
    // Beyond these the steps overflow one by one, which CPython sorts out.
    ops.check(ops.isInf(size), LaneStatus.Untranslated);
    if (!isKnownZero(b.im)) {
      const isReal = ops.isZero(b.im);
      const turn = this.mul(angle, b.im);
      ops.check(ops.compare('>', ops.abs(turn), real(700)), LaneStatus.Untranslated);
      size = ops.select(isReal, size, this.div(size, ops.math('exp', 'npfloat', turn)));
      const shift = this.mul(b.im, ops.math('log', 'npfloat', length));
      phase = ops.select(isReal, phase, this.add(phase, shift));
    }
    const result: Pair = {
      re: this.mul(size, ops.math('cos', 'npfloat', phase)),
      im: this.mul(size, ops.math('sin', 'npfloat', phase)),
    };
    return this.select(isZero, { re: ZERO, im: ZERO }, result);
  }

  private numpyPower(a: Pair, b: Pair): Pair {
    const { ops } = this.ev;
    const exponent = isKnownZero(b.im) ? b.re.known : undefined;
    if (exponent === 0) return ONE;
    const isZero = this.isZero(a);
    if (exponent !== undefined && Number.isInteger(exponent) && Math.abs(exponent) < MAX_INTEGER_EXPONENT) {
      const zero = exponent > 0 ? ZERO : real(NaN);
      return this.select(isZero, { re: zero, im: zero }, this.wholePower(a, exponent));
    }
    if (exponent === undefined) this.leaveSmallIntegers(b);
    // The power of the C library.
    const ordinary = this.select(isZero, ONE, a);
    const power = raised(this.ev, this.product(b, logarithm(this.ev, ordinary)));
    const isPositive = ops.and(ops.compare('>', b.re, ZERO), ops.isZero(b.im));
    const zero = ops.select(isPositive, ZERO, real(NaN));
    return this.select(isZero, { re: zero, im: zero }, power);
  }

  private wholePower(a: Pair, exponent: number): Pair {
    switch (exponent) {
      case 1:
        return a;
      case 2:
        return this.product(a, a);
      case 3:
        return this.product(a, this.product(a, a));
    }
    const product = this.repeatedProduct(a, Math.abs(exponent));
    return exponent > 0 ? product : this.quotient(ONE, product, true);
  }

  /** An exponent that turns out to be a small integer goes another way. */
  private leaveSmallIntegers(exponent: Pair): void {
    const { ops } = this.ev;
    const isWhole = ops.and(ops.isZero(exponent.im), ops.compare('==', ops.floor(exponent.re), exponent.re));
    const isSmall = ops.compare('<=', ops.abs(exponent.re), real(MAX_INTEGER_EXPONENT));
    ops.check(ops.and(isWhole, isSmall), LaneStatus.Untranslated);
  }

  /** Infinities, NaN and numbers near the ends of the range have rules of their own: CPython. */
  requireOrdinary({ re, im }: Pair): void {
    const { ops } = this.ev;
    for (const s of [re, im]) {
      ops.check(ops.not(ops.compare('<', ops.abs(s), real(1e300))), LaneStatus.Untranslated);
    }
  }

  // ---- operators ----

  /** Whether the result of an operation is NumPy's. A np.float64 is a float to Python's complex on its left. */
  private givesNumPy(a: Value, b: Value): boolean {
    const isNumPy = (v: Value): boolean => v.tag === 'complex' && v.isNumPy;
    if (isNumPy(a) || isNumPy(b)) return true;
    if (a.tag === 'scalar') return isNumPyKind(a.kind);
    return b.tag === 'scalar' && isNumPyKind(b.kind) && b.kind !== 'npfloat';
  }

  /** Applies an operator to numbers and arrays of which one is complex. */
  binary(operator: BinaryOperator, a: Value, b: Value, position: Position): Value {
    const { ops } = this.ev;
    if (operator === '@') return this.matmul(a, b, position);
    if (isNumber(a) && isNumber(b)) {
      const isNumPy = this.givesNumPy(a, b);
      return this.make(this.operate(operator, this.pair(a), this.pair(b), isNumPy), isNumPy);
    }
    if (operator === '**') return this.arrayPower(a, b, position);
    // Complex numbers have no remainder, and no bits, whatever the shapes are.
    if (!['+', '-', '*', '/'].includes(operator)) return ops.raise(LaneStatus.Raised, 'TypeError');
    const [p, q] = [this.parts(a), this.parts(b)];
    return this.map(
      [...p, ...q],
      (ar, ai, br, bi) => {
        ops.locate(position);
        return this.operate(operator, { re: ar, im: ai }, { re: br, im: bi }, true);
      },
      position,
    );
  }

  private operate(operator: BinaryOperator, a: Pair, b: Pair, isNumPy: boolean): Pair {
    switch (operator) {
      case '+':
        return this.sum(a, b);
      case '-':
        return this.difference(a, b);
      case '*':
        return this.product(a, b);
      case '/':
        if (!isNumPy) this.ev.ops.check(this.isZero(b), LaneStatus.ZeroDivision);
        return this.quotient(a, b, isNumPy);
      case '**':
        return this.power(a, b, isNumPy);
      default:
        return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
    }
  }

  /** Some known exponents of arrays have ways of their own in NumPy. */
  private arrayPower(a: Value, b: Value, position: Position): Value {
    const exponent = b.tag === 'scalar' ? b.known : undefined;
    if (exponent === 0.5) return this.ev.calls.numpy('sqrt', { args: [a], keywords: new Map(), position });
    if (exponent === 1) return this.map(this.parts(a), pairOf, position);
    if (exponent === -1) return this.map(this.parts(a), (re, im) => this.reciprocal({ re, im }), position);
    const power = (ar: Scalar, ai: Scalar, br: Scalar, bi: Scalar): Pair =>
      this.numpyPower({ re: ar, im: ai }, { re: br, im: bi });
    return this.map([...this.parts(a), ...this.parts(b)], power, position);
  }

  /** NumPy's reciprocal, which is not its quotient. */
  reciprocal({ re, im }: Pair): Pair {
    const { ops } = this.ev;
    const isRealLarger = ops.compare('<=', ops.abs(im), ops.abs(re));
    const pick = (p: Scalar, q: Scalar): Scalar => ops.select(isRealLarger, p, q);
    const ratio = this.div(pick(im, re), pick(re, im));
    const denominator = this.add(pick(re, im), this.mul(pick(im, re), ratio));
    const one = this.div(real(1), denominator);
    const part = this.div(ratio, denominator);
    const negative = this.div(ops.negate(ratio), denominator);
    return { re: pick(one, part), im: pick(negative, this.div(real(-1), denominator)) };
  }

  unary(operator: '+' | '-' | '~', value: ComplexValue | ComplexArray, position: Position): Value {
    if (operator === '~') return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
    if (operator === '+') return value.tag === 'complex' ? value : this.map(this.parts(value), pairOf, position);
    if (value.tag === 'complex') return this.make(this.negated(this.pair(value)), value.isNumPy);
    return this.map(this.parts(value), (re, im) => this.negated({ re, im }), position);
  }

  /** Compares numbers and arrays of which one is complex; ordering Python's complex numbers raises. */
  compare(operator: ComparisonOperator, a: Value, b: Value, position: Position): Value {
    const { ops } = this.ev;
    if (operator !== '==' && operator !== '!=') {
      const isPython = (v: Value): boolean =>
        v.tag === 'complex' ? !v.isNumPy : v.tag === 'scalar' && !ops.possibleKinds(v).some(isNumPyKind);
      if (isPython(a) && isPython(b)) return ops.raise(LaneStatus.Raised, 'TypeError');
      throw new Unsupported("an order of NumPy's complex numbers", position);
    }
    const equal = (ar: Scalar, ai: Scalar, br: Scalar, bi: Scalar): Scalar => {
      const both = ops.and(ops.compare('==', ar, br), ops.compare('==', ai, bi));
      return operator === '==' ? both : ops.not(both);
    };
    if (isNumber(a) && isNumber(b)) {
      const [p, q] = [this.pair(a), this.pair(b)];
      return ops.retag(equal(p.re, p.im, q.re, q.im), this.givesNumPy(a, b) ? 'npbool' : 'bool');
    }
    const [p, q] = [this.parts(a), this.parts(b)];
    this.ev.arrays.refuseMisfits(p[0], q[0], position);
    return this.ev.arrays.map([...p, ...q], equal, position, 'npbool');
  }

  truth({ re, im }: Pair): Scalar {
    const { ops } = this.ev;
    return ops.or(ops.truthScalar(re), ops.truthScalar(im));
  }

  isNaN({ re, im }: Pair): Scalar {
    const { ops } = this.ev;
    return ops.or(ops.isNaN(re), ops.isNaN(im));
  }

  // ---- arrays ----

  /** Real and imaginary part as operands of an element-wise operation. */
  parts(value: Value): readonly [Value, Value] {
    return value.tag === 'complex' || value.tag === 'complexarray' ? [value.re, value.im] : [value, ZERO];
  }

  /** Element-wise, with a pair as the result. */
  map(values: readonly Value[], fn: (...s: Scalar[]) => Pair, position: Position): Value {
    const { ev } = this;
    const raw = (s: readonly Scalar[]): Scalar[] => s.map((v) => ev.ops.retag(v, 'npfloat'));
    const imaginary: Scalar[] = [];
    const re = ev.arrays.map(
      values,
      (...s) => {
        const result = fn(...raw(s));
        imaginary.push(result.im);
        return result.re;
      },
      position,
      'npfloat',
    );
    if (re.tag === 'scalar') return this.make({ re, im: imaginary[imaginary.length - 1] }, true);
    if (re.tag !== 'ndarray') throw new Unsupported('complex numbers chosen by a mask that depends on x', position);
    if (re.bulk === undefined) {
      const size = sizeOf(re.shape);
      const im = ev.arrays.make(re.shape, 'npfloat', size === 0 ? [] : imaginary.slice(-size), re.strides);
      return this.array(re, im);
    }
    return this.combine(
      re,
      ev.arrays.map(values, (...s) => fn(...raw(s)).im, position, 'npfloat'),
    );
  }

  /**
   * Applies, part by part, a function that is linear in each of two arrays. NumPy leaves the order of these sums to its
   * libraries, which treat infinities in ways of their own: those are for CPython.
   */
  bilinear(fn: (a: Value, b: Value) => Value, a: Value, b: Value, position: Position): Value {
    const { ev } = this;
    const isReal = (v: Value): boolean => v.tag !== 'complex' && v.tag !== 'complexarray';
    const [p, q] = [this.parts(a), this.parts(b)];
    const term = (j: 0 | 1, k: 0 | 1): Value | null =>
      (j === 1 && isReal(a)) || (k === 1 && isReal(b)) ? null : fn(p[j], q[k]);
    const both = (operator: '+' | '-', left: Value | null, right: Value | null): Value => {
      if (left === null || right === null) return (left ?? right) as Value;
      return ev.operators.binary(operator, left, right, position);
    };
    const re = both('-', term(0, 0), term(1, 1));
    const im = both('+', term(0, 1), term(1, 0));
    for (const part of [re, im]) {
      const items = part.tag === 'scalar' ? [part] : ev.arrays.items(ev.arrays.toArray(part, position));
      for (const s of items) ev.ops.check(ev.ops.not(ev.ops.isFinite(s)), LaneStatus.Untranslated);
    }
    return this.combine(re, im);
  }

  /** `a @ b`: of arrays only. */
  matmul(a: Value, b: Value, position: Position): Value {
    if (isNumber(a) || isNumber(b)) throw new Unsupported("'@' with a number", position);
    return this.dot(a, b, position);
  }

  dot(a: Value, b: Value, position: Position): Value {
    const isZeroDimensional = (v: Value): boolean =>
      (v.tag === 'ndarray' && v.shape.length === 0) || (v.tag === 'complexarray' && v.re.shape.length === 0);
    if (isZeroDimensional(a) || isZeroDimensional(b))
      throw new Unsupported('a product with an array of no axes', position);
    return this.bilinear((p, q) => this.ev.arrays.dot(p, q, position), a, b, position);
  }
}

const pairOf = (re: Scalar, im: Scalar): Pair => ({ re, im });

export const isNumber = (value: Value): value is Scalar | ComplexValue =>
  value.tag === 'scalar' || value.tag === 'complex';

export const isComplex = (value: Value): value is ComplexValue | ComplexArray =>
  value.tag === 'complex' || value.tag === 'complexarray';

/** Whether a value is complex, or a list or tuple with something complex inside. Looks into each list once. */
export function hasComplex(value: Value): boolean {
  const seen = new Set<Held>();
  const waiting: Held[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.tag === 'complex' || next.tag === 'complexarray') return true;
    if (next.tag === 'maybe') waiting.push(next.value);
    if (next.tag === 'choice') waiting.push(...next.alternatives.map((alternative) => alternative.value));
    const isWalked = next.tag === 'tuple' ? next.range === undefined : next.tag === 'list' && next.bulk === undefined;
    if (!isWalked || seen.has(next)) continue;
    seen.add(next);
    if (next.tag === 'tuple') for (const item of next.items) waiting.push(item);
    else if (next.tag === 'list') for (const cell of next.cells) if (cell.value !== undefined) waiting.push(cell.value);
  }
  return false;
}

/** Whether an operator on both is one of this file. */
export const isComplexOperation = (a: Value, b: Value): boolean => {
  const isOperand = (v: Value): boolean =>
    isNumber(v) || v.tag === 'complexarray' || v.tag === 'ndarray' || v.tag === 'masked';
  return (isComplex(a) && isOperand(b)) || (isComplex(b) && isOperand(a));
};
