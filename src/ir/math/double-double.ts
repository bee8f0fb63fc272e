/** Error-free transformations (Dekker 1971; Knuth, TAOCP 2, 4.2.2): value + error equals the exact result. */
import type { MathBuilder, Value } from './math-builder.js';

export interface Pair {
  readonly value: Value;
  readonly error: Value;
}

/** a + b where |a| >= |b| or a = 0. */
export function fastTwoSum(m: MathBuilder, a: Value, b: Value): Pair {
  const value = m.add(a, b);
  return { value, error: m.sub(b, m.sub(value, a)) };
}

/** a * b; exact unless a partial product under- or overflows. */
export function twoProduct(m: MathBuilder, a: Value, b: Value): Pair {
  const value = m.mul(a, b);
  const aHigh = m.high(a);
  const aLow = m.sub(a, aHigh);
  const bHigh = m.high(b);
  const bLow = m.sub(b, bHigh);
  const cross = m.add(m.mul(aHigh, bLow), m.mul(aLow, bHigh));
  const error = m.add(m.add(m.sub(m.mul(aHigh, bHigh), value), cross), m.mul(aLow, bLow));
  return { value, error };
}
