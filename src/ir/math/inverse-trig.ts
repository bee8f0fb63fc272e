/** asin, acos, atan, atan2. */
import type { MathBuilder, Truth, Value } from './math-builder.js';

const HALF_PI = 1.5707963267948966;
const HALF_PI_LOW = 6.123233995736766e-17;
const QUARTER_PI = 0.7853981633974483;

/** atan s = s - s^3 p(s^2), |s| <= 1/2; error 2^-57 relative. */
const ATAN = [
  0.3333333333333328, -0.1999999999996669, 0.14285714281142758, -0.11111110839338838, 0.0909090022778712,
  -0.07692129853770834, 0.0666432848278671, -0.05861502812616042, 0.051351230794789364, -0.04220623945951504,
  0.027945639185141674, -0.01045177696911174,
];
/** asin s = s + s^3 p(s^2), |s| <= 1/2; error 2^-55.3 relative. */
const ASIN = [
  0.16666666666666505, 0.07500000000103656, 0.04464285700361697, 0.03038195249061073, 0.022371905858603932,
  0.017357622530913237, 0.013904564233015447, 0.01204933234052903, 0.00701989125661729, 0.018246092814773858,
  -0.014301521447271252, 0.030649083424728236,
];

/** Share of a multiple of pi/4 that is lost by rounding; the double nearest to pi ends in three zero bits. */
const LOST_SHARE = HALF_PI_LOW / HALF_PI;

/**
 * The angle in [0, pi] of (x, y), or of (-x, y) where `left`; y, x >= 0, not both 0 or infinite. Reduced by pi/2 where
 * y > 2x and by pi/4 where y > x/2: then y - x is exact and the tangent that is left, -x/y or (y - x)/(y + x) or y/x,
 * at most 1/2.
 */
function angle(m: MathBuilder, y: Value, x: Value | 1, left?: Truth): Value {
  const twice = x === 1 ? 2 : m.add(x, x);
  const half = x === 1 ? 0.5 : m.mul(x, 0.5);
  const steep = m.lt(twice, y);
  const middle = m.lt(half, y);
  const numerator = m.select(steep, x === 1 ? -1 : m.neg(x), m.select(middle, m.sub(y, x), y));
  const denominator = m.select(steep, y, m.select(middle, m.add(y, x), x));
  let s = m.div(numerator, denominator);
  let base = m.select(steep, HALF_PI, m.select(middle, QUARTER_PI, 0));
  if (left !== undefined) {
    // pi - (base + atan s); pi - base is exact.
    s = m.select(left, m.neg(s), s);
    base = m.select(left, m.sub(Math.PI, base), base);
  }
  const z = m.mul(s, s);
  const cubic = m.mul(m.mul(z, s), m.polynomial(z, ATAN));
  return m.add(base, m.sub(s, m.sub(cubic, m.mul(base, LOST_SHARE))));
}

export function atan(m: MathBuilder, x: Value): Value {
  return m.withSign(angle(m, m.abs(x), 1), x);
}

export function atan2(m: MathBuilder, y: Value, x: Value): Value {
  const ay = m.abs(y);
  const ax = m.abs(x);
  // 0/0 counts as 0/1 and inf/inf as 1/1. Sums and doubles of the largest numbers would overflow.
  const equal = m.eq(ay, ax);
  const shrink = m.select(m.lt(2 ** 1021, m.add(ay, ax)), 0.25, 1);
  const scaledY = m.select(equal, m.select(m.eq(ay, 0), 0, 1), m.mul(ay, shrink));
  const scaledX = m.select(equal, 1, m.mul(ax, shrink));
  const result = m.withSign(angle(m, scaledY, scaledX, m.signbit(x)), y);
  return m.select(m.or(m.isNaN(x), m.isNaN(y)), NaN, result);
}

interface AsinParts {
  readonly a: Value;
  readonly large: Truth;
  /** asin s = s + cubic; s = |x|, or sqrt((1 - |x|)/2) where `large`. */
  readonly s: Value;
  readonly cubic: Value;
  /** Where `large`: the root is s + lost. */
  readonly lost: Value;
}

/** |x| <= 1/2 directly; above by asin a = pi/2 - 2 asin(sqrt((1-a)/2)), where 1 - a is exact. */
function asinParts(m: MathBuilder, x: Value): AsinParts {
  const a = m.abs(x);
  const large = m.lt(0.5, a);
  const z = m.select(large, m.mul(0.5, m.sub(1, a)), m.mul(a, a));
  const root = m.sqrt(z);
  const s = m.select(large, m.high(root), a);
  // At |x| = 1 all of it is 0; the smallest other sum is about 2^-26.
  const lost = m.div(m.sub(z, m.mul(s, s)), m.add(m.add(root, s), 2 ** -1000));
  const cubic = m.mul(m.mul(z, m.select(large, root, a)), m.polynomial(z, ASIN));
  return { a, large, s, cubic, lost };
}

export function asin(m: MathBuilder, x: Value): Value {
  const { large, s, cubic, lost } = asinParts(m, x);
  // pi/2 - 2(s + lost + cubic), the leading parts pi/4 - 2s without loss.
  const rest = m.sub(m.mul(2, m.add(cubic, lost)), HALF_PI_LOW);
  const upper = m.sub(QUARTER_PI, m.sub(rest, m.sub(QUARTER_PI, m.mul(2, s))));
  return m.withSign(m.select(large, upper, m.add(s, cubic)), x);
}

/** |x| <= 1/2: pi/2 - asin x; above: 2 asin(sqrt((1-a)/2)), or pi minus it for a negative x. */
export function acos(m: MathBuilder, x: Value): Value {
  const { large, s, cubic, lost } = asinParts(m, x);
  const negative = m.signbit(x);
  const twice = m.mul(2, m.add(s, m.add(cubic, lost)));
  const upper = m.select(negative, m.sub(Math.PI, m.sub(twice, 2 * HALF_PI_LOW)), twice);
  const signed = m.select(negative, m.neg(cubic), cubic);
  const lower = m.sub(HALF_PI, m.sub(x, m.sub(HALF_PI_LOW, signed)));
  return m.select(large, upper, lower);
}
