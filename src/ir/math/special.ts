/**
 * erf, erfc, gamma, lgamma.
 *
 * erfc x = e^(-x^2) q / (1 + 2x) for x >= 0, where q varies by a quarter only (M. M. Shepherd and J. G. Laframboise,
 * Chebyshev approximation of (1 + 2x) exp(x^2) erfc x, 1981) and x^2 is formed in two parts. Near 0, erf has a
 * polynomial of its own.
 *
 * gamma z = (z/e)^(z - 1/2) G(1/z) for z >= 5/2: G is smooth, and the power is formed as 2^(y log2 ...) with the
 * logarithm in two parts, as `pow` does. Below, z = x + 3 and a division by x (x + 1) (x + 2), with what the sums lost
 * carried along.
 */
import { twoProduct } from './double-double.js';
import { expParts } from './exp.js';
import { logWithin } from './log.js';
import type { MathBuilder, Truth, Value } from './math-builder.js';
import { exp2Split, log2Split, type Split } from './power.js';

/** erf x = x + x p(x^2), |x| <= 0.85; error 2^-56. */
const ERF = [
  0.1283791670955126, -0.3761263890318393, 0.11283791670962756, -0.02686617064663958, 0.005223977642134937,
  -0.0008548328165210727, 0.00012055383984936687, -1.4927181030713709e-5, 1.6493205309304976e-6, -1.6787263480100068e-7,
  1.8453226337212087e-8, -3.0428337296249697e-9, 4.808205684790274e-10,
];
/** (1 + 2x) e^(x^2) erfc x = 5/4 + p(t), t = (x - 15/4)/(x + 15/4), 0 <= x <= 27.3; error 2^-59. */
const ERFC = [
  -0.012487369162172418, -0.140240598585547, 0.0035854154854635598, 0.08227673849014845, -0.10880393014169981,
  0.09230432116029028, -0.058693398590724574, 0.028362277419893164, -0.00974657954558154, 0.0017556258489951505,
  0.0002937135820670539, -0.00029015408574592765, 5.1649449382116235e-5, 2.2384360980592997e-5, -1.1445088964636669e-5,
  -9.74113439478987e-7, 1.7532437124685544e-6, -5.5904164098204935e-8, -2.6028777218561195e-7, 2.1475055395901482e-8,
  3.944025299048611e-8, -2.4197961826102815e-9, -5.134969516149713e-9, -1.0421602517875386e-10, 2.934608174883633e-10,
];
/** Above this erfc is below half the least denormal. */
const ERFC_MAX = 27.3;

/** erfc of a number that is not negative: 0 from 27.3 on. */
function complement(m: MathBuilder, x: Value): Value {
  const a = m.select(m.lt(x, ERFC_MAX), x, ERFC_MAX);
  const t = m.div(m.sub(a, 3.75), m.add(a, 3.75));
  const divisor = m.add(1, m.add(a, a));
  const lost = m.sub(m.add(a, a), m.sub(divisor, 1));
  const numerator = m.add(1.25, m.polynomial(t, ERFC));
  const quotient = m.div(numerator, divisor);
  // a^2 = square + rest, both without error; `square` has 52 bits.
  const leading = m.high(a);
  const square = m.mul(leading, leading);
  const rest = m.mul(m.sub(a, leading), m.add(a, leading));
  const { k, sum, rest: small } = expParts(m, m.neg(square), m.neg(rest));
  const correction = m.sub(small, m.mul(m.div(lost, divisor), sum));
  const product = m.add(m.mul(sum, quotient), m.mul(correction, quotient));
  return m.select(m.lt(x, ERFC_MAX), m.scale(product, k), m.select(m.isNaN(x), x, 0));
}

function near(m: MathBuilder, x: Value): Value {
  return m.add(x, m.mul(x, m.polynomial(m.mul(x, x), ERF)));
}

export function erfc(m: MathBuilder, x: Value): Value {
  const tail = complement(m, m.abs(x));
  const far = m.select(m.lt(x, 0), m.sub(2, tail), tail);
  return m.select(m.and(m.lt(-0.85, x), m.lt(x, 0.5)), m.sub(1, near(m, x)), far);
}

export function erf(m: MathBuilder, x: Value): Value {
  const a = m.abs(x);
  return m.withSign(m.select(m.lt(a, 0.85), near(m, a), m.sub(1, complement(m, a))), x);
}

/** gamma z = (z/e)^(z - 1/2) (3/2 + p(1/z)), 5/2 <= z; error 2^-61. */
const GAMMA = [
  0.02034690106628081, 0.12669557508885462, 0.005278982295659896, -0.004076547459518174, -0.00034887635030953645,
  0.0011919894059801257, 0.00010641412036351392, -0.0009055106972071637, -2.9437937749400348e-5, 0.0009328286178415311,
  0.0018864367702438594, -0.00961103540328278, 0.017274473867100366, -0.017591904807006762, 0.010184073098030507,
  -0.0026370701854201016,
];
/** sin(pi r) = r (pi + r^2 p(r^2)), |r| <= 1/2; error 2^-59. */
const SIN_PI = [
  -5.16771278004997, 2.5501640398773553, -0.5992645293206424, 0.0821458865988429, -0.00737043071847082,
  0.0004663007923677607, -2.1905840134183594e-5, 7.720746788975411e-7,
];
const PI_LOW = 1.2246467991473532e-16;
const LOG2_E_HIGH = 1.4426950216293335;
const LOG2_E_LOW = 1.9259629911266175e-8;

/** (z - 1/2) log2(z/e), times `scale`, a power of two; z >= 5/2, so that z - 1/2 is exact. */
function stirling(m: MathBuilder, z: Value, scale?: Value): Split {
  const log2 = log2Split(m, z);
  const difference = m.sub(log2.high, LOG2_E_HIGH);
  const high = m.high(difference);
  const low = m.add(m.sub(difference, high), m.sub(log2.low, LOG2_E_LOW));
  const y = scale === undefined ? m.sub(z, 0.5) : m.mul(m.sub(z, 0.5), scale);
  const yHigh = m.high(y);
  return { high: m.mul(yHigh, high), low: m.add(m.mul(m.sub(y, yHigh), high), m.mul(y, low)) };
}

/** sin(pi x); 0 at integers. */
function sinPi(m: MathBuilder, x: Value): Value {
  // The nearest integer; beyond 2^52 all numbers are.
  const n = m.floor(m.add(x, 0.5));
  const r = m.sub(x, n);
  const z = m.mul(r, r);
  const half = m.mul(n, 0.5);
  const sine = m.mul(r, m.add(Math.PI, m.add(PI_LOW, m.mul(z, m.polynomial(z, SIN_PI)))));
  return m.select(m.ne(half, m.floor(half)), m.neg(sine), sine);
}

export function gamma(m: MathBuilder, x: Value): Value {
  // gamma x = pi / (a sin(pi x) gamma a) with a = -x; -1/2 is where both ways end.
  const reflected = m.lt(x, -0.5);
  const a = m.select(reflected, m.neg(x), x);
  const small = m.lt(a, 3);
  const bounded = m.select(m.lt(200, a), 200, a);
  const z = m.select(small, m.add(a, 3), bounded);
  const zLost = m.select(small, m.sub(a, m.sub(z, 3)), 0);
  const inverse = m.div(1, z);

  // a (a + 1) (a + 2) in two parts.
  const next = m.add(a, 1);
  const nextLost = m.sub(a, m.sub(next, 1));
  const last = m.add(a, 2);
  const lastLost = m.sub(a, m.sub(last, 2));
  const pair = twoProduct(m, next, last);
  const pairLost = m.add(pair.error, m.add(m.mul(next, lastLost), m.mul(last, nextLost)));
  const triple = twoProduct(m, a, pair.value);
  const tripleLost = m.add(triple.error, m.mul(a, pairLost));
  const divisor = m.select(small, triple.value, 1);
  const divisorLost = m.select(m.and(small, m.ne(a, 0)), m.div(tripleLost, triple.value), 0);

  const exponent = stirling(m, z);
  // The derivative of log gamma brings in what z lost, and the divisor's rest is a factor like it.
  const slope = m.sub(m.mul(exponent.high, m.div(Math.LN2, m.sub(z, 0.5))), m.sub(m.mul(inverse, 0.5), 1));
  const correction = m.mul(m.sub(m.mul(slope, zLost), divisorLost), Math.LOG2E);
  const low = m.add(exponent.low, correction);
  // A power near the least denormal would lose its bits before a sine near 0 makes it large again.
  const isTiny = m.and(reflected, m.lt(900, exponent.high));
  const signed = m.select(reflected, m.neg(exponent.high), exponent.high);
  const high = m.add(signed, m.select(isTiny, 300, 0));
  const power = exp2Split(m, high, m.select(reflected, m.neg(low), low));
  const factor = m.add(1.5, m.polynomial(inverse, GAMMA));
  const sine = sinPi(m, x);
  const numerator = m.select(reflected, m.mul(Math.PI, divisor), factor);
  const denominator = m.select(reflected, m.mul(m.mul(a, sine), factor), divisor);
  const quotient = m.div(m.mul(power, numerator), denominator);
  const result = m.scale(quotient, m.select(isTiny, -300, 0));

  const infinite = m.select(m.lt(x, 0), NaN, Infinity);
  const isPole: Truth = m.and(reflected, m.eq(sine, 0));
  const ordinary = m.select(isPole, NaN, m.select(m.lt(171.7, x), Infinity, result));
  return m.select(m.eq(m.abs(x), Infinity), infinite, ordinary);
}

/** log gamma z = (z - 1/2) (log z - 1) + 27/64 + p(1/z), 3 <= z; error 2^-62. */
const LOG_GAMMA = [
  -0.0029364667953272585, 0.08333333333333347, -1.6901645564862816e-14, -0.0027777777770724844, 9.196407130242977e-13,
  0.0007936497714551491, 3.95271528889363e-8, -0.0005960479457444141, 1.0641852710334597e-5, 0.0007459357666518928,
  0.0006053956785471895, -0.004587118533931868, 0.007835037791906807, -0.006536094346043788, 0.0023123399307527106,
];
/** log gamma x = (x - 1) (x - 2) (1/2 + p(t)), t = (x - 3/2)/(x + 3/2), 3/4 <= x <= 3; error 2^-57.6. */
const LOG_GAMMA_NEAR = [
  -0.01687104945901911, -0.437879687742918, 0.12832292192816488, -0.15080363092819812, 0.08530564281504788,
  -0.09321052266629334, 0.06382812032264118, -0.06769490717809104, 0.05091575760688585, -0.05319455691660541,
  0.042326641590490495, -0.043830413099361816, 0.03621487190208896, -0.037203129656986474, 0.031554331788244065,
  -0.0331938102572544, 0.028926448623976926, -0.023460550792345575, 0.01989975260220167, -0.04468913525902687,
  0.041166057116028124,
];
const LN2_HIGH = 0.6931471675634384;
const LN2_LOW = 1.2996506893889889e-8;

/** NaN below zero, where the function is near zero too often to be held in relative terms. */
export function lgamma(m: MathBuilder, x: Value): Value {
  const isSmall = m.lt(x, 0.75);
  const isNear = m.lt(x, 3);
  // log gamma x = log gamma(x + 1) - log x.
  const u = m.select(isSmall, m.add(x, 1), x);
  const t = m.div(m.sub(u, 1.5), m.add(u, 1.5));
  const first = m.select(isSmall, x, m.sub(x, 1));
  const second = m.select(isSmall, m.sub(x, 1), m.sub(x, 2));
  const shape = m.add(0.5, m.polynomial(t, LOG_GAMMA_NEAR));
  const product = m.mul(m.mul(first, second), shape);
  // The sum makes the zero at 1 a positive one.
  const near = m.select(isSmall, m.sub(product, logWithin(m, x)), m.add(product, 0));

  const z = m.select(isNear, 3, x);
  // Near the end of the range the product would overflow in units of log2.
  const isHuge = m.lt(2 ** 900, z);
  const exponent = stirling(m, z, m.select(isHuge, 2 ** -30, 1));
  const high = m.high(m.add(exponent.high, exponent.low));
  const low = m.add(m.sub(exponent.high, high), exponent.low);
  const rest = m.add(m.mul(high, LN2_LOW), m.mul(low, Math.LN2));
  const inverse = m.div(1, z);
  const constant = m.add(0.421875, m.polynomial(inverse, LOG_GAMMA));
  const far = m.add(m.mul(high, LN2_HIGH), m.add(rest, constant));
  const scaled = m.select(isHuge, m.mul(far, 2 ** 30), far);

  const result = m.select(isNear, near, scaled);
  const finite = m.select(m.lt(x, Infinity), result, x);
  return m.select(m.lt(0, x), finite, m.select(m.eq(x, 0), Infinity, m.select(m.eq(x, -Infinity), Infinity, NaN)));
}
