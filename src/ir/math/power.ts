/** pow, cbrt, hypot. */
import { exp } from './exp.js';
import { log } from './log.js';
import type { MathBuilder, Value } from './math-builder.js';

export function pow(m: MathBuilder, x: Value, y: Value): Value {
  const a = m.abs(x);
  const magnitude = exp(m, m.mul(y, log(m, a)));
  const integer = m.eq(m.floor(y), y);
  const half = m.mul(y, 0.5);
  const odd = m.and(integer, m.ne(m.floor(half), half));
  const signed = m.select(m.and(odd, m.signbit(x)), m.neg(magnitude), magnitude);
  const complex = m.and(m.and(m.lt(x, 0), m.lt(-Infinity, x)), m.not(integer));
  const real = m.select(complex, NaN, signed);
  const unit = m.and(m.eq(a, 1), m.eq(m.abs(y), Infinity));
  const one = m.or(m.or(m.eq(y, 0), m.eq(x, 1)), unit);
  return m.select(one, 1, real);
}

export function cbrt(m: MathBuilder, x: Value): Value {
  const a = m.abs(x);
  const estimate = exp(m, m.div(log(m, a), 3));
  const square = m.mul(estimate, estimate);
  const step = m.div(m.sub(estimate, m.div(a, square)), 3);
  const finite = m.and(m.lt(0, a), m.lt(a, Infinity));
  return m.withSign(m.select(finite, m.sub(estimate, step), a), x);
}

export function hypot(m: MathBuilder, x: Value, y: Value): Value {
  const a = m.abs(x);
  const b = m.abs(y);
  const swap = m.lt(a, b);
  const big = m.select(swap, b, a);
  const small = m.select(swap, a, b);
  const ratio = m.div(small, big);
  const result = m.mul(big, m.sqrt(m.add(1, m.mul(ratio, ratio))));
  const infinite = m.or(m.eq(a, Infinity), m.eq(b, Infinity));
  return m.select(infinite, Infinity, m.select(m.eq(m.add(a, b), 0), 0, result));
}
