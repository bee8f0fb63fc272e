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

/** e^r = 1 + r + r^2 p(r); error 2^-57.6 on |r| <= ln2/2. */
const EXP = [
  0.5000000000000007, 0.1666666666666668, 0.04166666666655825, 0.008333333333319318, 0.0013888888937166138,
  0.00019841269891672695, 2.480149910776554e-5, 2.755723890991987e-6, 2.762829262423029e-7, 2.5110795526714054e-8,
];

/** x = k*ln2 + r + tail. */
function reduce(m: MathBuilder, x: Value): { k: Value; r: Value; tail: Value } {
  const k = m.nearest(m.mul(x, LOG2_E));
  const hi = m.sub(x, m.mul(k, LN2_HIGH));
  const lo = m.mul(k, LN2_LOW);
  const r = m.sub(hi, lo);
  const tail = m.sub(m.sub(hi, r), lo);
  return { k, r, tail };
}

/** e^(r + tail) - 1 - r for a reduced argument. */
function afterLinear(m: MathBuilder, r: Value, tail: Value): Value {
  return m.add(tail, m.mul(m.mul(r, r), m.polynomial(r, EXP)));
}

/** 2^k e^(r + tail). */
function assemble(m: MathBuilder, k: Value, r: Value, tail: Value): Value {
  const sum = m.add(1, r);
  const lost = m.add(m.sub(1, sum), r);
  return m.scale(m.add(sum, m.add(lost, afterLinear(m, r, tail))), k);
}

function saturate(m: MathBuilder, x: Value, result: Value, below: number, above: number): Value {
  return m.select(m.lt(x, below), 0, m.select(m.lt(above, x), Infinity, result));
}

export function exp(m: MathBuilder, x: Value): Value {
  const { k, r, tail } = reduce(m, x);
  return saturate(m, x, assemble(m, k, r, tail), EXP_MIN, EXP_MAX);
}

/** 2^x = 2^k e^(f ln2) with f = x - k exact. */
export function exp2(m: MathBuilder, x: Value): Value {
  const k = m.nearest(x);
  const f = m.sub(x, k);
  const fHigh = m.high(f);
  // f*ln2 as r + tail: the two leading products are exact.
  const product = m.mul(fHigh, LN2_HIGH_26);
  const rest = m.add(m.mul(m.sub(f, fHigh), LN2_HIGH_26), m.mul(f, LN2_LOW_26));
  const r = m.add(product, rest);
  const tail = m.add(m.sub(product, r), rest);
  return saturate(m, x, assemble(m, k, r, tail), -1075, 1023.9999999999999);
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

export function sinh(m: MathBuilder, x: Value): Value {
  const a = m.abs(x);
  const t = expm1(m, a);
  const quotient = m.div(t, m.add(t, 1));
  const moderate = m.mul(0.5, m.add(t, quotient));
  const h = exp(m, m.mul(a, 0.5));
  const large = m.mul(m.mul(h, 0.5), h);
  return m.withSign(m.select(m.lt(22, a), large, moderate), x);
}

export function cosh(m: MathBuilder, x: Value): Value {
  const a = m.abs(x);
  const h = exp(m, m.mul(a, 0.5));
  const e = exp(m, a);
  const moderate = m.mul(0.5, m.add(e, m.div(1, e)));
  return m.select(m.lt(22, a), m.mul(m.mul(h, 0.5), h), moderate);
}

export function tanh(m: MathBuilder, x: Value): Value {
  const a = m.abs(x);
  const t = expm1(m, m.mul(2, a));
  const small = m.div(t, m.add(t, 2));
  const large = m.sub(1, m.div(2, m.add(t, 2)));
  return m.withSign(m.select(m.lt(a, 1), small, large), x);
}
