/**
 * fmod: a - q*b with q = trunc(a/b), without any rounding.
 *
 * The rounded quotient is at most one too large. q*b is formed exactly as p + e (Dekker's product; all parts are
 * multiples of the least denormal, so none underflows), a - p is exact, and so is the remainder.
 */
import { twoProduct } from './double-double.js';
import type { MathBuilder, Value } from './math-builder.js';

export function fmod(m: MathBuilder, x: Value, y: Value): Value {
  // Near the overflow threshold q*b could overflow; there b is above 2^947 and both can shrink without loss.
  const huge = m.lt(2 ** 1000, m.abs(x));
  const a = m.select(huge, m.mul(m.abs(x), 2 ** -60), m.abs(x));
  const b = m.select(huge, m.mul(m.abs(y), 2 ** -60), m.abs(y));
  const quotient = m.div(a, b);
  const q = m.trunc(quotient);
  const product = twoProduct(m, q, b);
  const r = m.sub(m.sub(a, product.value), product.error);
  const corrected = m.select(m.lt(r, 0), m.add(r, b), r);
  const restored = m.select(huge, m.mul(corrected, 2 ** 60), corrected);
  const remainder = m.select(m.lt(m.abs(x), m.abs(y)), m.abs(x), restored);
  const valid = m.lt(quotient, 2 ** 53);
  return m.withSign(m.select(valid, remainder, NaN), x);
}
