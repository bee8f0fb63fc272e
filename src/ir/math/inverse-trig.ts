/** asin, acos, atan, atan2. */
import type { MathBuilder, Value } from './math-builder.js';

const HALF_PI = 1.5707963267948966;
const HALF_PI_LOW = 6.123233995736766e-17;
const QUARTER_PI = 0.7853981633974483;

/** atan s = s - s^3 p(s^2), |s| <= tan(pi/8); error 2^-59 relative. */
const ATAN = [
  0.3333333333333331, -0.19999999999982268, 0.14285714282796322, -0.11111110901906537, 0.09090900893095268,
  -0.07692111979658388, 0.06663653904779342, -0.05851649349402665, 0.05055304223460702, -0.038450047093578056,
  0.018308990467909153,
];
/** asin s = s + s^3 p(s^2), |s| <= 1/2; error 2^-55.3 relative. */
const ASIN = [
  0.16666666666666505, 0.07500000000103656, 0.04464285700361697, 0.03038195249061073, 0.022371905858603932,
  0.017357622530913237, 0.013904564233015447, 0.01204933234052903, 0.00701989125661729, 0.018246092814773858,
  -0.014301521447271252, 0.030649083424728236,
];

/** atan(numerator/denominator) for a pair not below zero, in [0, pi/2]; `low` is an exact addend of the numerator. */
function atanQuotient(m: MathBuilder, a: Value): Value {
  // Reduced by pi/2 above tan(3 pi/8), by pi/4 above tan(pi/8).
  const steep = m.lt(2.414213562373095, a);
  const middle = m.lt(0.41421356237309503, a);
  const numerator = m.select(steep, -1, m.select(middle, m.sub(a, 1), a));
  const denominator = m.select(steep, a, m.select(middle, m.add(a, 1), 1));
  const s = m.div(numerator, denominator);
  const base = m.select(steep, HALF_PI, m.select(middle, QUARTER_PI, 0));
  const low = m.select(steep, HALF_PI_LOW, m.select(middle, HALF_PI_LOW / 2, 0));
  const z = m.mul(s, s);
  const cubic = m.mul(m.mul(z, s), m.polynomial(z, ATAN));
  return m.add(base, m.sub(s, m.sub(cubic, low)));
}

export function atan(m: MathBuilder, x: Value): Value {
  return m.withSign(atanQuotient(m, m.abs(x)), x);
}

export function atan2(m: MathBuilder, y: Value, x: Value): Value {
  const ay = m.abs(y);
  const ax = m.abs(x);
  const bothZero = m.eq(m.add(ay, ax), 0);
  const equal = m.eq(ay, ax);
  // 0/0 and inf/inf: the angle is 0 and pi/4.
  const quotient = m.select(bothZero, 0, m.select(equal, 1, m.div(ay, ax)));
  const angle = atanQuotient(m, quotient);
  const left = m.sub(Math.PI, m.sub(angle, 2 * HALF_PI_LOW));
  const result = m.withSign(m.select(m.signbit(x), left, angle), y);
  return m.select(m.or(m.isNaN(x), m.isNaN(y)), NaN, result);
}

/** s + s^3 p(s^2), |s| <= 1/2. */
function asinKernel(m: MathBuilder, s: Value, z: Value): Value {
  return m.add(s, m.mul(m.mul(z, s), m.polynomial(z, ASIN)));
}

/** |x| <= 1/2 directly; above asin a = pi/2 - 2 asin(sqrt((1-a)/2)). */
export function asin(m: MathBuilder, x: Value): Value {
  const a = m.abs(x);
  const large = m.lt(0.5, a);
  const z = m.select(large, m.mul(0.5, m.sub(1, a)), m.mul(a, a));
  const s = m.select(large, m.sqrt(z), a);
  const kernel = asinKernel(m, s, z);
  const upper = m.sub(HALF_PI, m.sub(m.mul(2, kernel), HALF_PI_LOW));
  return m.withSign(m.select(large, upper, kernel), x);
}

/** |x| <= 1/2: pi/2 - asin x; above: 2 asin(sqrt((1-a)/2)), or pi minus it for a negative x. */
export function acos(m: MathBuilder, x: Value): Value {
  const a = m.abs(x);
  const large = m.lt(0.5, a);
  const z = m.select(large, m.mul(0.5, m.sub(1, a)), m.mul(a, a));
  const s = m.select(large, m.sqrt(z), x);
  const kernel = asinKernel(m, s, z);
  const twice = m.mul(2, kernel);
  const upper = m.select(m.lt(x, 0), m.sub(Math.PI, m.sub(twice, 2 * HALF_PI_LOW)), twice);
  return m.select(large, upper, m.sub(HALF_PI, m.sub(kernel, HALF_PI_LOW)));
}
