/**
 * pow, cbrt, hypot.
 *
 * pow: x^y = 2^(y log2 x). log2 x is needed to about 2^-65, since y may multiply its error by 1024 and more: s = f/(2 +
 * f) in two parts, log(1 + f) = (2/3) s (3 + s^2 + s^4 p(s^2)) with the two leading terms in two parts, and all leading
 * parts cut to 26 bits, so that their products are exact (the arrangement of Sun's fdlibm; coefficients our own).
 */
import { assemble } from './exp.js';
import { isNormal, reduceLog, reduceNormal, type ReducedLog } from './log.js';
import type { MathBuilder, Truth, Value } from './math-builder.js';

/** log((1+s)/(1-s)) = (2/3) s (3 + t + t^2 p(t)), t = s^2; error 2^-72 relative. */
const POW_LOG = [
  0.6, 0.4285714285714776, 0.33333333330949755, 0.27272727763283816, 0.2307687037997443, 0.20003197398124153,
  0.1753684456730732, 0.17788819573622705,
];
/** 2/3 log2 e and ln 2, each with a leading part of 26 bits. */
const FACTOR_HIGH = 0.9617966860532761;
const FACTOR_LOW = 7.872699542894897e-9;
const FACTOR = 0.9617966939259756;
const LN2_HIGH = 0.6931471675634384;
const LN2_LOW = 1.2996506893889889e-8;

/** A number as high + low, `high` of 26 bits. */
export interface Split {
  readonly high: Value;
  readonly low: Value;
}

/** log2 a for a positive finite a; error about 2^-65 relative to max(1, |result|), and exact at a = 1. */
export function log2Split(m: MathBuilder, a: Value, { k, f }: ReducedLog = reduceLog(m, a)): Split {
  const divisor = m.add(2, f);
  const s = m.div(f, divisor);
  const sHigh = m.high(s);
  const divisorHigh = m.high(divisor);
  const divisorLow = m.sub(f, m.sub(divisorHigh, 2));
  const sLow = m.div(m.sub(m.sub(f, m.mul(sHigh, divisorHigh)), m.mul(sHigh, divisorLow)), divisor);

  const z = m.mul(s, s);
  const squareHigh = m.mul(sHigh, sHigh);
  const rest = m.add(m.mul(sLow, m.add(sHigh, s)), m.mul(m.mul(z, z), m.polynomial(z, POW_LOG)));
  const leading = m.add(3, squareHigh);
  const factorHigh = m.high(m.add(leading, rest));
  const factorLow = m.sub(rest, m.sub(m.sub(factorHigh, 3), squareHigh));

  // 1.5 log(1 + f) = s * factor
  const product = m.mul(sHigh, factorHigh);
  const productRest = m.add(m.mul(sLow, factorHigh), m.mul(s, factorLow));
  const logHigh = m.high(m.add(product, productRest));
  const logLow = m.sub(productRest, m.sub(logHigh, product));

  const log2High = m.mul(FACTOR_HIGH, logHigh);
  const log2Low = m.add(m.mul(FACTOR_LOW, logHigh), m.mul(FACTOR, logLow));
  const high = m.high(m.add(m.add(log2High, log2Low), k));
  const low = m.sub(log2Low, m.sub(m.sub(high, k), log2High));
  return { high, low };
}

/** 2^(high + low), |high| below 1100. */
export function exp2Split(m: MathBuilder, high: Value, low: Value): Value {
  const k = m.nearest(high);
  const f = m.sub(high, k);
  const leading = m.high(m.add(f, low));
  const rest = m.sub(low, m.sub(leading, f));
  const product = m.mul(leading, LN2_HIGH);
  const productRest = m.add(m.mul(rest, Math.LN2), m.mul(leading, LN2_LOW));
  const r = m.add(product, productRest);
  const tail = m.sub(productRest, m.sub(r, product));
  return assemble(m, k, r, tail);
}

/** |x|^y but for y = 0 and |x| = 1 with an infinite y. */
function powMagnitude(m: MathBuilder, a: Value, y: Value): Value {
  const { high, low } = log2Split(m, a);
  // At 0, infinity and NaN the leading part alone decides.
  const logHigh = m.select(m.eq(a, 0), -Infinity, m.select(m.lt(a, Infinity), high, a));
  // A denormal y would lose everything but its sign: 0 * infinity is NaN.
  const yHigh = m.select(m.lt(m.abs(y), 2 ** -1022), y, m.high(y));
  const { exponent, result } = raised(m, { high: logHigh, low }, y, yHigh);
  return m.select(m.lt(1030, exponent), Infinity, m.select(m.lt(exponent, -1080), 0, result));
}

/** 2^(y * log), and the leading part of its exponent. */
function raised(m: MathBuilder, log: Split, y: Value, yHigh: Value): { exponent: Value; result: Value } {
  const exponent = m.mul(yHigh, log.high);
  const rest = m.add(m.mul(m.sub(y, yHigh), log.high), m.mul(y, log.low));
  return { exponent, result: exp2Split(m, exponent, rest) };
}

/** Exponents of two below this in magnitude have normal numbers as their powers. */
const QUICK_EXPONENT = 1000;

/** Positive bases whose power is a normal number for certain are usual. */
export function pow(m: MathBuilder, x: Value, y: Value): Value {
  const exponent = m.exponent(x);
  // |log2 x| is at most one more.
  const isQuick = m.lt(m.mul(m.add(m.abs(exponent), 1), m.abs(y)), QUICK_EXPONENT);
  const rare = m.not(m.and(isNormal(m, x), isQuick));
  const usual = raised(m, log2Split(m, x, reduceNormal(m, x, exponent)), y, m.high(y)).result;
  return m.rarely(rare, () => powOfAny(m, x, y), usual);
}

function powOfAny(m: MathBuilder, x: Value, y: Value): Value {
  const a = m.abs(x);
  const magnitude = powMagnitude(m, a, y);
  const integer = m.eq(m.floor(y), y);
  const half = m.mul(y, 0.5);
  const odd = m.and(integer, m.ne(m.floor(half), half));
  const signed = m.select(m.and(odd, m.signbit(x)), m.neg(magnitude), magnitude);
  // A finite negative base: `a` is not infinite.
  const complex: Truth = m.and(m.and(m.lt(x, 0), m.lt(a, Infinity)), m.not(integer));
  const real = m.select(complex, NaN, signed);
  const unit = m.and(m.eq(a, 1), m.eq(m.abs(y), Infinity));
  return m.select(m.or(m.or(m.eq(y, 0), m.eq(x, 1)), unit), 1, real);
}

/** cbrt on [1, 8]; error 2^-7. */
const CBRT = [0.6936461508197236, 0.35122469030991305, -0.03962679860136229, 0.0020297954101371187];

/**
 * a = 8^q t with t in [1, 8); an estimate of cbrt t by polynomial and one step of Halley (2^-20), cut to 26 bits so
 * that its square is exact, and a last step of Halley that adds a small correction.
 */
export function cbrt(m: MathBuilder, x: Value): Value {
  const a = m.abs(x);
  const tiny = m.lt(a, 2 ** -1022);
  const normal = m.select(tiny, m.mul(a, 2 ** 54), a);
  const e = m.exponent(normal);
  const q = m.floor(m.mul(m.add(e, 0.5), 1 / 3));
  const t = m.scale(m.mantissa(normal), m.sub(e, m.mul(3, q)));
  const estimate = m.polynomial(t, CBRT);
  const cube = m.mul(m.mul(estimate, estimate), estimate);
  const halley = m.div(m.add(cube, m.add(t, t)), m.add(m.add(cube, cube), t));
  const root = m.high(m.mul(estimate, halley));
  const quotient = m.div(t, m.mul(root, root));
  const correction = m.div(m.sub(quotient, root), m.add(m.add(root, root), quotient));
  const result = m.scale(m.add(root, m.mul(root, correction)), m.add(q, m.select(tiny, -18, 0)));
  const ordinary = m.and(m.lt(0, a), m.lt(a, Infinity));
  return m.withSign(m.select(ordinary, result, a), x);
}

/** Both arguments are scaled by the power of two that brings the larger near 1. */
export function hypot(m: MathBuilder, x: Value, y: Value): Value {
  const a = m.abs(x);
  const b = m.abs(y);
  const e = m.exponent(m.select(m.lt(a, b), b, a));
  const down = m.neg(e);
  const u = m.scale(a, down);
  const v = m.scale(b, down);
  const result = m.scale(m.sqrt(m.add(m.mul(u, u), m.mul(v, v))), e);
  const infinite = m.or(m.eq(a, Infinity), m.eq(b, Infinity));
  return m.select(infinite, Infinity, result);
}
