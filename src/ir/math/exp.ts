/**
 * exp, exp2, expm1 and the hyperbolic functions.
 *
 * Reduction: x = k*ln2 + r, |r| <= ln2/2. ln2 is cut into 41 bits and a rest, so that k times the first part is exact.
 * e^r = 1 + r + r^2 p(r); 1 + r is added without loss, which leaves the rounding of the final sum as the main error.
 * Results below 2^-1022 are rounded once, by `scale`.
 */
import type { MathBuilder, Value } from './math-builder.js';

const LOG2_E = 1.4426950408889634;
const LN2_HIGH = 0.693147180559663;
const LN2_LOW = 2.8235290563031577e-13;
/** Largest argument with a finite e^x, and the smallest with a result above half the least denormal. */
const EXP_MAX = 709.782712893384;
const EXP_MIN = -745.1332191019412;
/** The largest magnitudes of arguments of e^x and 2^x whose results are normal numbers for certain. */
const EXP_QUICK = 708;
const EXP2_QUICK = 1021;

/** e^r = 1 + r + r^2 p(r); error 2^-57.6 on |r| <= ln2/2. */
const EXP = [
  0.5000000000000007, 0.1666666666666668, 0.04166666666655825, 0.008333333333319318, 0.0013888888937166138,
  0.00019841269891672695, 2.480149910776554e-5, 2.755723890991987e-6, 2.762829262423029e-7, 2.5110795526714054e-8,
];

/** sinh r = r + r^3 p(r^2), error 2^-61; cosh r = 1 + r^2/2 + r^4 p(r^2), error 2^-69; on |r| <= ln2/2. */
const SINH = [
  0.1666666666666667, 0.008333333333325348, 0.00019841269877583483, 2.7557252156159685e-6, 2.510644674793601e-8,
];
const COSH = [
  0.04166666666666667, 0.00138888888888815, 2.4801587332473043e-5, 2.75572660405725e-7, 2.0917447679148282e-9,
];

/** x + low = k*ln2 + r + tail. */
function reduce(m: MathBuilder, x: Value, low?: Value): { k: Value; r: Value; tail: Value } {
  const k = m.nearest(m.mul(x, LOG2_E));
  const hi = m.sub(x, m.mul(k, LN2_HIGH));
  const lo = low === undefined ? m.mul(k, LN2_LOW) : m.sub(m.mul(k, LN2_LOW), low);
  const r = m.sub(hi, lo);
  const tail = m.sub(m.sub(hi, r), lo);
  return { k, r, tail };
}

/** e^(r + tail) - 1 - r for a reduced argument. */
function afterLinear(m: MathBuilder, r: Value, tail: Value): Value {
  return m.add(tail, m.mul(m.mul(r, r), m.polynomial(r, EXP)));
}

/** e^(r + tail) = sum + rest, |r| <= ln2/2. */
function unscaled(m: MathBuilder, r: Value, tail: Value): { sum: Value; rest: Value } {
  const sum = m.add(1, r);
  const lost = m.add(m.sub(1, sum), r);
  return { sum, rest: m.add(lost, afterLinear(m, r, tail)) };
}

/** 2^k e^(r + tail), |r| <= ln2/2. */
export function assemble(m: MathBuilder, k: Value, r: Value, tail: Value): Value {
  const { sum, rest } = unscaled(m, r, tail);
  return m.scale(m.add(sum, rest), k);
}

/** e^(x + low) = 2^k (sum + rest); `low` is small. */
export function expParts(m: MathBuilder, x: Value, low: Value): { k: Value; sum: Value; rest: Value } {
  const { k, r, tail } = reduce(m, x, low);
  return { k, ...unscaled(m, r, tail) };
}

/** `result`, or 0 and infinity beyond the limits; arguments whose magnitude is above `quick` are rare. */
function saturate(
  m: MathBuilder,
  x: Value,
  quick: number,
  [below, above]: readonly [number, number],
  result: () => Value,
): Value {
  const beyond = m.lt(quick, m.abs(x));
  const scaled = result();
  return m.rarely(beyond, () => m.select(m.lt(x, below), 0, m.select(m.lt(above, x), Infinity, scaled)), scaled);
}

export function exp(m: MathBuilder, x: Value): Value {
  return saturate(m, x, EXP_QUICK, [EXP_MIN, EXP_MAX], () => {
    const { k, r, tail } = reduce(m, x);
    return assemble(m, k, r, tail);
  });
}

/** 2^x = 2^k e^(f ln2) with f = x - k exact. */
export function exp2(m: MathBuilder, x: Value): Value {
  return saturate(m, x, EXP2_QUICK, [-1075, 1023.9999999999999], () => {
    const k = m.nearest(x);
    const f = m.sub(x, k);
    const fHigh = m.high(f);
    // f*ln2 as r + tail: the two leading products are exact.
    const product = m.mul(fHigh, LN2_HIGH_26);
    const rest = m.add(m.mul(m.sub(f, fHigh), LN2_HIGH_26), m.mul(f, LN2_LOW_26));
    const r = m.add(product, rest);
    const tail = m.add(m.sub(product, r), rest);
    return assemble(m, k, r, tail);
  });
}
const LN2_HIGH_26 = 0.6931471675634384;
const LN2_LOW_26 = 1.2996506893889889e-8;

/** In units of 2^k: e^x - 1 = 2^k ((1 - 2^-k) + r + rest), the first sum without loss. */
export function expm1(m: MathBuilder, x: Value): Value {
  const { k, r, tail } = reduce(m, x);
  const offset = m.sub(1, m.scale(1, m.neg(k)));
  const sum = m.add(offset, r);
  const lost = m.add(m.sub(offset, sum), r);
  const result = m.scale(m.add(sum, m.add(lost, afterLinear(m, r, tail))), k);
  const bounded = m.select(m.lt(x, -38), -1, m.select(m.lt(EXP_MAX, x), Infinity, result));
  return m.select(m.lt(m.abs(x), 2 ** -54), x, bounded);
}

interface Sum {
  readonly value: Value;
  /** Amount that the rounding of `value` lost. */
  readonly lost: () => Value;
}

/**
 * sinh and cosh of x = k*ln2 + r >= 0 in units of 2^(k-1): with v = 2^(-2k),
 * sinh x = (1 - v) cosh r + (1 + v) sinh r and cosh x = (1 + v) cosh r + (1 - v) sinh r, each as `first` cosh r +
 * `second` sinh r with the leading `first + second*r` added without loss. No cancellation: at k = 0 `first` of sinh is
 * 0.
 */
function hyperbolic(m: MathBuilder, a: Value): { k: Value; sinh: () => Sum; cosh: () => Sum } {
  const { k, r, tail } = reduce(m, a);
  const u = m.scale(1, m.neg(k));
  const v = m.mul(u, u);
  const minus = m.sub(1, v);
  const plus = m.add(1, v);
  const z = m.mul(r, r);
  const sinhRest = m.add(tail, m.mul(m.mul(z, r), m.polynomial(z, SINH)));
  const coshRest = m.add(m.mul(0.5, z), m.mul(m.mul(z, z), m.polynomial(z, COSH)));
  // What the sums with v lost, which counts where v is near 2^-53.
  const lostPlus = m.sub(v, m.sub(plus, 1));
  const lostMinus = m.sub(m.sub(1, minus), v);
  const combine = (first: Value, second: Value, lostFirst: Value, lostSecond: Value): Sum => {
    const linear = m.mul(second, r);
    const sum = m.add(first, linear);
    const lost = m.add(m.sub(first, sum), linear);
    const lostCoefficients = m.add(lostFirst, m.mul(lostSecond, r));
    const higher = m.add(m.mul(first, coshRest), m.mul(second, sinhRest));
    const rest = m.add(m.add(lost, lostCoefficients), higher);
    const value = m.add(sum, rest);
    return { value, lost: () => m.add(m.sub(sum, value), rest) };
  };
  return {
    k,
    sinh: () => combine(minus, plus, lostMinus, lostPlus),
    cosh: () => combine(plus, minus, lostPlus, lostMinus),
  };
}

/** Above this the results are infinite, and the reduction leaves the range of `scale` only far beyond. */
const HYPERBOLIC_MAX = 711;

export function sinh(m: MathBuilder, x: Value): Value {
  const a = m.abs(x);
  const parts = hyperbolic(m, a);
  const result = m.scale(parts.sinh().value, m.sub(parts.k, 1));
  return m.withSign(m.select(m.lt(HYPERBOLIC_MAX, a), Infinity, result), x);
}

export function cosh(m: MathBuilder, x: Value): Value {
  const a = m.abs(x);
  const parts = hyperbolic(m, a);
  return m.select(m.lt(HYPERBOLIC_MAX, a), Infinity, m.scale(parts.cosh().value, m.sub(parts.k, 1)));
}

/** sinh/cosh, the quotient corrected by the losses of both; 1 from 22 on. */
export function tanh(m: MathBuilder, x: Value): Value {
  const a = m.abs(x);
  const parts = hyperbolic(m, a);
  const s = parts.sinh();
  const c = parts.cosh();
  const quotient = m.div(s.value, c.value);
  const correction = m.div(m.sub(s.lost(), m.mul(quotient, c.lost())), c.value);
  return m.withSign(m.select(m.lt(22, a), 1, m.add(quotient, correction)), x);
}
