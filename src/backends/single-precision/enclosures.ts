/**
 * Running error analysis: numbers in single precision, each with a bound of its distance from the number that the
 * interpreter has in double precision. The bounds hold by induction over the program: every rule covers the errors of
 * its operands, its own rounding in single and in double precision, and the roundings of the bound itself. A bound that
 * is infinite or NaN says that single precision cannot tell.
 *
 * Wilkinson, Rounding Errors in Algebraic Processes (1963); Higham, Accuracy and Stability of Numerical Algorithms,
 * section 3.3.
 */
import { evaluateOp } from '../../ir/interpreter.js';
import type { BinaryName, Flag, Lanes, Num, UnaryName } from './lanes.js';

export interface Enclosure<V> {
  readonly value: Num<V>;
  readonly error: Num<V>;
  /** A whole number in both precisions. The analysis knows it from the program. */
  readonly whole: boolean;
}

/** A truth value of the program in double precision: certainly true, certainly false, or neither. */
export interface Truth<V> {
  readonly yes: Flag<V>;
  readonly no: Flag<V>;
}

/** Half a unit in the last place of single precision, and a little for double precision's own. */
const UNIT = 2 ** -24 * (1 + 2 ** -20);
/** Below it, some places take a number for 0. */
export const SMALLEST_NORMAL = 2 ** -126;
/** Covers what is lost there. */
export const TINY = 2 ** -120;
/** Covers the roundings in the computation of one bound, which has fewer than 12. */
export const SLACK = 1 + 2 ** -20;
/** Whole numbers up to here are exact. */
export const WHOLE = 2 ** 24;
/**
 * Relative errors of functions, absolute ones of sine, cosine, arc sine and cosine: twice of what `self-test.ts` lets
 * pass at the arguments that it looks at.
 */
export const FUNCTION_ERROR = 16 * 2 ** -24;
/**
 * Relative error of a quotient or root: some places make them from an approximation of 1 / b or 1 / sqrt(a). WebGPU
 * allows 5 * 2^-24 for a quotient.
 */
export const QUOTIENT_ERROR = 8 * UNIT;
/** Places make quotients of larger divisors from a 1 / b that they may take for 0 (WGSL and Vulkan promise nothing). */
const LARGEST_DIVISOR = 2 ** 126;
/**
 * Of a divisor of which less of its size is certain, the quotient is not: there an error of the divisor may weigh more
 * than `TINY` allows for in a quotient that a place took for 0.
 */
const LEAST_DIVISOR = 2 ** -4;
/** Absolute error of `erf`, which some places have from a short polynomial. */
export const ERF_ERROR = 1.2e-6;
/** Sines of larger angles are not trusted. */
export const LARGEST_ANGLE = 1024;

export class Enclosures<V> {
  constructor(private readonly lanes: Lanes<V>) {}

  constant(number: number): Enclosure<V> {
    const value = singleOf(number);
    const isExact = value === number || Number.isNaN(number);
    return { value, error: isExact ? 0 : bound(Math.abs(number - value)), whole: Number.isInteger(number) };
  }

  coordinate(index: number): Enclosure<V> {
    return { ...this.lanes.coordinate(index), whole: false };
  }

  neg(a: Enclosure<V>): Enclosure<V> {
    return { ...a, value: this.unary('neg', a.value) };
  }

  abs(a: Enclosure<V>): Enclosure<V> {
    return { ...a, value: this.unary('abs', a.value) };
  }

  add(a: Enclosure<V>, b: Enclosure<V>): Enclosure<V> {
    return this.sum('add', a, b);
  }

  sub(a: Enclosure<V>, b: Enclosure<V>): Enclosure<V> {
    return this.sum('sub', a, b);
  }

  mul(a: Enclosure<V>, b: Enclosure<V>): Enclosure<V> {
    const value = this.binary('mul', a.value, b.value);
    const whole = a.whole && b.whole;
    const propagated = [
      this.scaled(b.error, this.size(a.value)),
      this.scaled(a.error, this.size(b.value)),
      b.error === 0 ? 0 : this.scaled(a.error, b.error),
    ];
    return { value, error: this.total(...propagated, this.rounding(value, whole), whole ? 0 : TINY), whole };
  }

  div(a: Enclosure<V>, b: Enclosure<V>): Enclosure<V> {
    const value = this.binary('div', a.value, b.value);
    const least = b.error === 0 ? this.size(b.value) : this.minus(this.size(b.value), b.error);
    const moved = this.total(a.error, this.scaled(b.error, this.size(value)));
    const isFar = this.above(least, this.times(LEAST_DIVISOR, this.size(b.value)));
    const propagated = moved === 0 ? 0 : this.where(isFar, this.binary('div', moved, least), Infinity);
    const rounding = this.times(QUOTIENT_ERROR, this.size(value));
    const isLarge = this.above(this.size(b.value), LARGEST_DIVISOR);
    const error = this.where(isLarge, Infinity, this.total(propagated, rounding, TINY));
    return { value, error, whole: false };
  }

  sqrt(a: Enclosure<V>): Enclosure<V> {
    const value = this.unary('sqrt', a.value);
    const isNumber = this.atLeast(a.value, a.error);
    const propagated = a.error === 0 ? 0 : this.binary('div', a.error, value);
    // The root of an exact zero is exact: 0 / 0 is not looked at.
    const moved = this.where(this.above(a.error, 0), propagated, 0);
    const error = this.total(moved, this.times(QUOTIENT_ERROR, value), TINY);
    return { value, error: this.where(isNumber, error, Infinity), whole: false };
  }

  /** Where the number may lie on either side of a jump, the bound is as large as the jump. */
  floor(a: Enclosure<V>): Enclosure<V> {
    return this.steps(a, (at) => this.unary('floor', at));
  }

  ceil(a: Enclosure<V>): Enclosure<V> {
    return this.steps(a, (at) => this.ceiling(at));
  }

  trunc(a: Enclosure<V>): Enclosure<V> {
    return this.steps(a, (at) => this.where(this.above(0, at), this.ceiling(at), this.unary('floor', at)));
  }

  /** A tie is a place where the number may lie on either side. */
  rint(a: Enclosure<V>): Enclosure<V> {
    if (a.whole) return a;
    const reach = this.reachOf(a);
    const most = this.unary('floor', this.plus(this.plus(a.value, reach), 0.5));
    const least = this.ceiling(this.minus(this.minus(a.value, reach), 0.5));
    return this.stepped(a, most, least, most);
  }

  /** `b` or `c`. Where nobody knows which, the bound reaches to the other one. */
  select({ yes, no }: Truth<V>, b: Enclosure<V>, c: Enclosure<V>): Enclosure<V> {
    if (b === c || yes === true) return b;
    if (no === true) return c;
    const whole = b.whole && c.whole;
    // A sum, because the larger one of a number and a NaN is the number in some places.
    const either = this.total(this.size(this.minus(b.value, c.value)), b.error, c.error, whole ? 0 : TINY);
    return {
      value: this.where(no, c.value, b.value),
      error: this.where(yes, b.error, this.where(no, c.error, either)),
      whole,
    };
  }

  exp(a: Enclosure<V>): Enclosure<V> {
    const value = this.unary('exp', a.value);
    // e^d - 1 < 1.3 d for d < 1/2.
    const moved =
      a.error === 0 ? 0 : this.where(this.above(0.5, a.error), this.times(1.3, this.scaled(a.error, value)), Infinity);
    return { value, error: this.total(moved, this.times(FUNCTION_ERROR, value), TINY), whole: false };
  }

  log(a: Enclosure<V>): Enclosure<V> {
    const value = this.unary('log', a.value);
    const least = this.minus(a.value, a.error);
    const moved = a.error === 0 ? 0 : this.binary('div', a.error, least);
    const error = this.total(moved, this.times(FUNCTION_ERROR, this.size(value)), TINY);
    const isFine = this.both(this.above(least, 0), this.atLeast(LARGEST_DIVISOR, least));
    return { value, error: this.where(isFine, error, Infinity), whole: false };
  }

  wave(op: 'sin' | 'cos', a: Enclosure<V>): Enclosure<V> {
    const value = this.unary(op, a.value);
    const isSmall = this.atLeast(LARGEST_ANGLE, this.size(a.value));
    return { value, error: this.where(isSmall, this.total(a.error, FUNCTION_ERROR), Infinity), whole: false };
  }

  /** Functions whose slope is between -1 and 1. */
  gentle(op: 'tanh' | 'atan', a: Enclosure<V>): Enclosure<V> {
    const value = this.unary(op, a.value);
    return { value, error: this.total(a.error, this.times(FUNCTION_ERROR, this.size(value)), TINY), whole: false };
  }

  erf(a: Enclosure<V>): Enclosure<V> {
    const value = this.unary('erf', a.value);
    return { value, error: this.total(this.times(1.13, a.error), ERF_ERROR), whole: false };
  }

  arc(op: 'asin' | 'acos', a: Enclosure<V>): Enclosure<V> {
    const value = this.unary(op, a.value);
    const most = this.plus(this.size(a.value), a.error);
    const slope = this.unary('sqrt', this.binary('mul', this.minus(1, most), this.plus(1, most)));
    const moved = a.error === 0 ? 0 : this.binary('div', a.error, slope);
    // `1 - most` is exact near 1, but `most` itself may be off by one rounding.
    const isInside = this.above(1 - 2 ** -16, most);
    return {
      value,
      error: this.where(isInside, this.total(this.times(1.01, moved), FUNCTION_ERROR), Infinity),
      whole: false,
    };
  }

  /**
   * From the arc tangent of y / x, turned by pi to the left of the y axis; unknown where it jumps, and on that axis.
   */
  atan2(y: Enclosure<V>, x: Enclosure<V>): Enclosure<V> {
    const angle = this.gentle('atan', this.div(y, x));
    const half = this.constant(Math.PI);
    const turn = this.select(this.signbit(y), this.neg(half), half);
    return this.select(this.signbit(x), this.add(angle, turn), angle);
  }

  /** Differences decide, and the numbers themselves where the place takes a small difference for 0. */
  less(a: Enclosure<V>, b: Enclosure<V>): Truth<V> {
    const { difference, reach } = this.compared(a, b);
    // An infinite difference is not beyond a bound that is infinite.
    const isBehind = this.both(this.atLeast(this.unary('neg', difference), reach), this.above(Infinity, reach));
    return { yes: this.above(difference, reach), no: this.both(isBehind, this.atLeast(a.value, b.value)) };
  }

  lessOrEqual(a: Enclosure<V>, b: Enclosure<V>): Truth<V> {
    const { yes, no } = this.less(b, a);
    return { yes: no, no: yes };
  }

  equal(a: Enclosure<V>, b: Enclosure<V>): Truth<V> {
    const { difference, reach } = this.compared(a, b);
    const areSame = this.both(this.atLeast(a.value, b.value), this.atLeast(b.value, a.value));
    return { yes: this.both(areSame, this.atLeast(0, reach)), no: this.above(this.size(difference), reach) };
  }

  /** Within a bound that is finite there are numbers alone; beyond one there may be anything. */
  isNumber(a: Enclosure<V>): Truth<V> {
    return { yes: this.both(this.above(Infinity, a.error), this.atLeast(this.size(a.value), 0)), no: false };
  }

  /** A zero has a sign that single precision may have lost. */
  signbit(a: Enclosure<V>): Truth<V> {
    return {
      yes: this.above(this.unary('neg', a.value), a.error),
      no: this.above(a.value, a.error),
    };
  }

  truth(value: boolean): Truth<V> {
    return { yes: value, no: !value };
  }

  not({ yes, no }: Truth<V>): Truth<V> {
    return { yes: no, no: yes };
  }

  and(a: Truth<V>, b: Truth<V>): Truth<V> {
    return { yes: this.both(a.yes, b.yes), no: this.either(a.no, b.no) };
  }

  or(a: Truth<V>, b: Truth<V>): Truth<V> {
    return { yes: this.either(a.yes, b.yes), no: this.both(a.no, b.no) };
  }

  both(a: Flag<V>, b: Flag<V>): Flag<V> {
    if (typeof a === 'boolean') return a ? b : false;
    if (typeof b === 'boolean') return b ? a : false;
    return this.lanes.and(a, b);
  }

  either(a: Flag<V>, b: Flag<V>): Flag<V> {
    return this.invert(this.both(this.invert(a), this.invert(b)));
  }

  invert(a: Flag<V>): Flag<V> {
    return typeof a === 'boolean' ? !a : this.lanes.not(a);
  }

  where(condition: Flag<V>, a: Num<V>, b: Num<V>): Num<V> {
    if (typeof condition === 'boolean') return condition ? a : b;
    return this.lanes.select(condition, a, b);
  }

  private sum(op: 'add' | 'sub', a: Enclosure<V>, b: Enclosure<V>): Enclosure<V> {
    const value = this.binary(op, a.value, b.value);
    const whole = a.whole && b.whole;
    return { value, error: this.total(a.error, b.error, this.rounding(value, whole), whole ? 0 : TINY), whole };
  }

  private rounding(value: Num<V>, whole: boolean): Num<V> {
    const rounding = this.times(UNIT, this.size(value));
    return whole ? this.where(this.above(WHOLE, this.size(value)), 0, rounding) : rounding;
  }

  private steps(a: Enclosure<V>, step: (at: Num<V>) => Num<V>): Enclosure<V> {
    if (a.whole) return a;
    const value = step(a.value);
    if (a.error === 0) return { value, error: 0, whole: true };
    const reach = this.reachOf(a);
    return this.stepped(a, step(this.plus(a.value, reach)), step(this.minus(a.value, reach)), value);
  }

  /**
   * `value`, between the whole numbers `most` and `least`. From 2^23 on numbers are whole, and ends say nothing; a
   * little below, ends may be rounded too coarsely.
   */
  private stepped(a: Enclosure<V>, most: Num<V>, least: Num<V>, value: Num<V>): Enclosure<V> {
    const size = this.size(a.value);
    const isSmall = this.above(2 ** 22, size);
    const isExact = this.both(this.atLeast(size, 2 ** 23), this.atLeast(0, a.error));
    const apart = this.times(SLACK, this.size(this.minus(most, least)));
    return {
      value: this.where(isExact, a.value, value),
      error: this.where(isSmall, apart, this.where(isExact, 0, Infinity)),
      whole: true,
    };
  }

  /**
   * How far it may be off, and two units in its last place more: the ends, which are rounded to nearest, must not come
   * back to a number that it may be below or above. An exact number has none; one whose bound is NaN is not exact.
   */
  private reachOf(a: Enclosure<V>): Num<V> {
    return this.where(this.atLeast(0, a.error), 0, this.total(a.error, this.times(2 ** -22, this.size(a.value)), TINY));
  }

  private ceiling(a: Num<V>): Num<V> {
    return this.unary('neg', this.unary('floor', this.unary('neg', a)));
  }

  /** `b - a`, and up to where its sign may be another one. */
  private compared(a: Enclosure<V>, b: Enclosure<V>): { readonly difference: Num<V>; readonly reach: Num<V> } {
    return { difference: this.minus(b.value, a.value), reach: this.total(a.error, b.error) };
  }

  /** Upper bound of a sum of bounds. */
  private total(...bounds: readonly Num<V>[]): Num<V> {
    const known = bounds.reduce<number>((sum, each) => (typeof each === 'number' ? sum + each : sum), 0);
    const others = bounds.filter((each) => typeof each !== 'number');
    if (others.length === 0) return bound(known * SLACK);
    const sum = others.reduce((all, each) => this.lanes.binary('add', all, each));
    return this.times(SLACK, this.plus(sum, bound(known)));
  }

  private size(a: Num<V>): Num<V> {
    return this.unary('abs', a);
  }

  private plus(a: Num<V>, b: Num<V>): Num<V> {
    return a === 0 ? b : b === 0 ? a : this.binary('add', a, b);
  }

  private minus(a: Num<V>, b: Num<V>): Num<V> {
    return b === 0 ? a : this.binary('sub', a, b);
  }

  private times(factor: number, a: Num<V>): Num<V> {
    return this.binary('mul', factor, a);
  }

  /** An error that is 0 stays 0 whatever the factor: an infinite one has made the result infinite, or no number. */
  private scaled(error: Num<V>, factor: Num<V>): Num<V> {
    return error === 0 ? 0 : this.binary('mul', factor, error);
  }

  private above(a: Num<V>, b: Num<V>): Flag<V> {
    return typeof a === 'number' && typeof b === 'number' ? a > b : this.lanes.compare('gt', a, b);
  }

  private atLeast(a: Num<V>, b: Num<V>): Flag<V> {
    return typeof a === 'number' && typeof b === 'number' ? a >= b : this.lanes.compare('ge', a, b);
  }

  private unary(op: UnaryName, a: Num<V>): Num<V> {
    return typeof a === 'number' ? Math.fround(evaluateOp(op, [a])) : this.lanes.unary(op, a);
  }

  private binary(op: BinaryName, a: Num<V>, b: Num<V>): Num<V> {
    if (typeof a !== 'number' || typeof b !== 'number') return this.lanes.binary(op, a, b);
    return Math.fround(evaluateOp(op, [a, b]));
  }
}

/** A bound that single precision holds: not rounded to 0. */
function bound(number: number): number {
  return number === 0 ? 0 : Math.fround(Math.max(number, TINY) * SLACK);
}

/** A number in single precision, as places have it that know none below the normal ones. */
export function singleOf(number: number): number {
  const single = Math.fround(number);
  return Math.abs(single) < SMALLEST_NORMAL ? 0 : single;
}

/** Not below the distance of a number from `singleOf` it; NaN and infinities have none that counts. */
export function distanceOf(number: number): number {
  return bound(Math.abs(number - singleOf(number)));
}
