/**
 * log, log2, log10, log1p and the inverse hyperbolic functions.
 *
 * x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)]; with s = f/(2 + f), log(1 + f) = 2s + s R(s^2), rewritten as
 * f - f^2/2 + s (f^2/2 + R) so that the leading part is exact (the form of Sun's fdlibm; coefficients our own).
 */
import type { MathBuilder, Truth, Value } from './math-builder.js';

const LN2_HIGH = 0.693147180559663;
const LN2_LOW = 2.8235290563031577e-13;
const SQRT_2 = Math.SQRT2;
const LEAST_NORMAL = 2 ** -1022;

/** log((1+s)/(1-s)) = 2s + s t p(t), t = s^2; error 2^-59 relative. */
const LOG = [
  0.666666666666669, 0.3999999999967286, 0.28571428690704903, 0.22222203447753175, 0.18183328199699017,
  0.15319738205406438, 0.14741964253115977,
];

export interface ReducedLog {
  readonly k: Value;
  readonly f: Value;
}

/** x = 2^k (1 + f) for a positive finite x, k an integer. */
export function reduceLog(m: MathBuilder, x: Value): ReducedLog {
  const tiny = m.lt(x, LEAST_NORMAL);
  const y = m.select(tiny, m.mul(x, 2 ** 54), x);
  return reduceNormal(m, y, m.add(m.exponent(y), m.select(tiny, -54, 0)));
}

/** The same for a normal number and its exponent. */
export function reduceNormal(m: MathBuilder, x: Value, exponent = m.exponent(x)): ReducedLog {
  const mantissa = m.mantissa(x);
  const large = m.lt(SQRT_2, mantissa);
  const k = m.add(exponent, m.select(large, 1, 0));
  const f = m.sub(m.select(large, m.mul(mantissa, 0.5), mantissa), 1);
  return { k, f };
}

/** `hfsq` = f^2/2 and `rest` with log(1 + f) = f - hfsq + rest. */
function kernel(m: MathBuilder, f: Value): { hfsq: Value; rest: Value } {
  const s = m.div(f, m.add(2, f));
  const z = m.mul(s, s);
  const hfsq = m.mul(m.mul(0.5, f), f);
  const rest = m.mul(s, m.add(hfsq, m.mul(z, m.polynomial(z, LOG))));
  return { hfsq, rest };
}

/** Whether x is a normal positive number. */
export function isNormal(m: MathBuilder, x: Value): Truth {
  return m.and(m.le(LEAST_NORMAL, x), m.lt(x, Infinity));
}

/** A logarithm that `of` reduces x to; others than normal positive numbers are rare. */
function logarithm(m: MathBuilder, x: Value, of: (reduced: ReducedLog) => Value): Value {
  const rare = m.not(isNormal(m, x));
  const usual = of(reduceNormal(m, x));
  return m.rarely(rare, () => special(m, x, of(reduceLog(m, x))), usual);
}

/** -inf at zero, NaN below, infinity and NaN passed on. */
function special(m: MathBuilder, x: Value, result: Value): Value {
  const finite = m.select(m.lt(x, Infinity), result, x);
  return m.select(m.lt(0, x), finite, m.select(m.eq(x, 0), -Infinity, NaN));
}

function natural(m: MathBuilder, { k, f }: ReducedLog): Value {
  const { hfsq, rest } = kernel(m, f);
  const inner = m.sub(m.sub(hfsq, m.add(rest, m.mul(k, LN2_LOW))), f);
  return m.sub(m.mul(k, LN2_HIGH), inner);
}

export function log(m: MathBuilder, x: Value): Value {
  return logarithm(m, x, (reduced) => natural(m, reduced));
}

/** log without a branch, for what goes on with it. */
export function logWithin(m: MathBuilder, x: Value): Value {
  return special(m, x, natural(m, reduceLog(m, x)));
}

/** log(1 + f) * scale in two parts; `high` exact, so that products with it are. */
function scaled(m: MathBuilder, f: Value, high: number, low: number): { head: Value; rest: Value } {
  const { hfsq, rest } = kernel(m, f);
  const hi = m.high(m.sub(f, hfsq));
  const lo = m.add(m.sub(m.sub(f, hi), hfsq), rest);
  return {
    head: m.mul(hi, high),
    rest: m.add(m.mul(m.add(lo, hi), low), m.mul(lo, high)),
  };
}

const LOG2_E_HIGH = 1.4426950216293335;
const LOG2_E_LOW = 1.9259629911266175e-8;

export function log2(m: MathBuilder, x: Value): Value {
  return logarithm(m, x, ({ k, f }) => {
    const { head, rest } = scaled(m, f, LOG2_E_HIGH, LOG2_E_LOW);
    const sum = m.add(k, head);
    const lost = m.add(m.sub(k, sum), head);
    return m.add(sum, m.add(lost, rest));
  });
}

const LOG10_E_HIGH = 0.4342944771051407;
const LOG10_E_LOW = 4.798111141615973e-9;
const LOG10_2_HIGH = 0.30102999566383914;
const LOG10_2_LOW = 1.42050232272661e-13;

export function log10(m: MathBuilder, x: Value): Value {
  return logarithm(m, x, ({ k, f }) => {
    const { head, rest } = scaled(m, f, LOG10_E_HIGH, LOG10_E_LOW);
    const base = m.mul(k, LOG10_2_HIGH);
    const sum = m.add(base, head);
    const lost = m.add(m.sub(base, sum), head);
    return m.add(sum, m.add(m.add(lost, m.mul(k, LOG10_2_LOW)), rest));
  });
}

/** log(1 + x + extra): log(u) of the rounded sum u = 1 + x, plus the first-order effect of the part that u lacks. */
function log1pSum(m: MathBuilder, x: Value, extra?: Value): Value {
  const u = m.add(1, x);
  const one = m.lt(m.abs(x), 1);
  const lost = m.select(one, m.sub(x, m.sub(u, 1)), m.sub(1, m.sub(u, x)));
  const { k, f } = reduceLog(m, u);
  const c = m.div(extra === undefined ? lost : m.add(lost, extra), u);
  const { hfsq, rest } = kernel(m, f);
  const inner = m.sub(m.sub(hfsq, m.add(rest, m.add(m.mul(k, LN2_LOW), c))), f);
  const result = special(m, u, m.sub(m.mul(k, LN2_HIGH), inner));
  return m.select(m.lt(m.abs(x), 2 ** -54), x, result);
}

export function log1p(m: MathBuilder, x: Value): Value {
  return log1pSum(m, x);
}

/** Above this 1 + x^2 is x^2; log x is taken as log1p(x - 1). */
const LARGE = 2 ** 28;

/** log1p(a + a^2/(1 + sqrt(1 + a^2))); for a large a log(a) + ln2. */
export function asinh(m: MathBuilder, x: Value): Value {
  const a = m.abs(x);
  const square = m.mul(a, a);
  const rest = m.div(square, m.add(1, m.sqrt(m.add(1, square))));
  const sum = m.add(a, rest);
  return m.withSign(logOfSum(m, a, m.sub(a, 1), sum, m.sub(rest, m.sub(sum, a))), x);
}

/** log1p(t + sqrt(2t + t^2)), t = x - 1; for a large x log(x) + ln2. */
export function acosh(m: MathBuilder, x: Value): Value {
  const t = m.sub(x, 1);
  const root = m.sqrt(m.add(m.mul(2, t), m.mul(t, t)));
  const sum = m.add(t, root);
  const result = logOfSum(m, x, t, sum, m.sub(t, m.sub(sum, root)));
  return m.select(m.lt(x, 1), NaN, result);
}

/** log1p(sum + lost), or where `a` is large log(a) + ln2 with `before` = a - 1. */
function logOfSum(m: MathBuilder, a: Value, before: Value, sum: Value, lost: Value): Value {
  const large = m.lt(LARGE, a);
  const log = log1pSum(m, m.select(large, before, sum), m.select(large, 0, lost));
  return m.add(log, m.select(large, Math.LN2, 0));
}

/** log1p(2a/(1 - a)) / 2. */
export function atanh(m: MathBuilder, x: Value): Value {
  const a = m.abs(x);
  const half = m.mul(0.5, log1p(m, m.div(m.add(a, a), m.sub(1, a))));
  const inside = m.select(m.lt(a, 2 ** -28), a, half);
  return m.withSign(m.select(m.le(a, 1), inside, NaN), x);
}
