/** Error-free transformations (Dekker, A floating-point technique for extending the available
 * precision, 1971): value + error equals the exact result. */
import type { MathBuilder, Value } from './math-builder.js';

interface Pair {
  readonly value: Value;
  readonly error: Value;
}

/**
 * a * b, exact unless a part of it overflows, or underflows below the least denormal. `high` leaves 27 bits in the low
 * part, so the product of the two low parts needs 54: one of them is cut once more.
 */
export function twoProduct(m: MathBuilder, a: Value, b: Value): Pair {
  const value = m.mul(a, b);
  const aHigh = m.high(a);
  const aLow = m.sub(a, aHigh);
  const aMiddle = m.high(aLow);
  const aLast = m.sub(aLow, aMiddle);
  const bHigh = m.high(b);
  const bLow = m.sub(b, bHigh);
  const withHigh = m.add(m.sub(m.mul(aHigh, bHigh), value), m.mul(aHigh, bLow));
  const withMiddle = m.add(m.add(withHigh, m.mul(aLow, bHigh)), m.mul(aMiddle, bLow));
  return { value, error: m.add(withMiddle, m.mul(aLast, bLow)) };
}
