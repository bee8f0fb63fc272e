/**
 * sin, cos, tan for |x| <= TRIG_MAX_ARGUMENT, NaN beyond.
 *
 * Reduction (Cody and Waite): x = k*pi/2 + r with |r| <= pi/4. pi/2 is cut into three parts of 33 bits and a rest; k has
 * at most 20 bits (2^20 itself has one), so that k times a part is exact. r = hi - low holds about 2^-110 absolutely,
 * which is below 2^-52 relative also for the arguments closest to a multiple of pi/2 (2^-60.5).
 * Then sin r or cos r by polynomial (scripts/numerics/derive_polynomials.py), and the sign by quadrant.
 */
import { TRIG_MAX_ARGUMENT } from '../ops.js';
import type { MathBuilder, Truth, Value } from './math-builder.js';

const TWO_OVER_PI = 0.6366197723675814;
/** pi/2 = sum of the parts; the first three have 33 bits. */
const HALF_PI_PARTS = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32];

/** sin r = r - r^3 p(r^2); error 2^-57.5 relative on |r| <= pi/4. */
const SIN = [
  0.16666666666666652, -0.008333333333326368, 0.00019841269832492281, -2.7557314508464774e-6, 2.5050872737272667e-8,
  -1.5902848026010293e-10,
];
/** cos r = 1 - r^2/2 + r^4 p(r^2); error 2^-63 on |r| <= pi/4. */
const COS = [
  0.04166666666666666, -0.0013888888888883852, 2.4801587295315267e-5, -2.7557315966071127e-7, 2.0875933380472634e-9,
  -1.1370081841363548e-11,
];

interface Reduced {
  /** Nearest multiple of pi/2, an integer. */
  readonly k: Value;
  /** r = hi - low, |low| below a unit in the last place of hi. */
  readonly hi: Value;
  readonly low: Value;
}

/** For a zero `low` is +0 and `hi` keeps the sign. */
function reduce(m: MathBuilder, x: Value): Reduced {
  const [part1, part2, part3, part4] = HALF_PI_PARTS;
  const k = m.nearest(m.mul(x, TWO_OVER_PI));
  const r0 = m.sub(x, m.mul(k, part1));
  const t = m.mul(k, part2);
  const r1 = m.sub(r0, t);
  const e1 = m.sub(m.sub(r0, r1), t);
  const u = m.mul(k, part3);
  const hi = m.sub(r1, u);
  const e2 = m.sub(m.sub(r1, hi), u);
  const low = m.sub(m.mul(k, part4), m.add(e1, e2));
  return { k, hi, low };
}

/** head - rest, not yet rounded to one number. */
interface Difference {
  readonly head: Value;
  readonly rest: Value;
}

interface Kernel {
  readonly sin: () => Difference;
  readonly cos: () => Difference;
}

/** sine and cosine of the reduced argument; what both need is built once. */
function kernel(m: MathBuilder, { hi, low }: Reduced): Kernel {
  const z = m.mul(hi, hi);
  const half = m.mul(z, 0.5);
  const w = m.sub(1, half);
  return {
    // hi - (hi^3 p + low cos hi): the order keeps the sign of zero.
    sin: () => ({ head: hi, rest: m.add(m.mul(m.mul(z, hi), m.polynomial(z, SIN)), m.mul(low, w)) }),
    cos: () => {
      const lost = m.sub(half, m.sub(1, w));
      return { head: w, rest: m.sub(lost, m.add(m.mul(m.mul(z, z), m.polynomial(z, COS)), m.mul(hi, low))) };
    },
  };
}

function value(m: MathBuilder, { head, rest }: Difference): Value {
  return m.sub(head, rest);
}

/** `k` is odd, and floor(k/2) is odd. `native/jit/operations.cpp` knows this form by sight and has a shorter one. */
function quadrant(m: MathBuilder, k: Value): { odd: Truth; upper: Truth } {
  const half = m.mul(k, 0.5);
  const pair = m.floor(half);
  const quarter = m.mul(pair, 0.5);
  return { odd: m.ne(half, pair), upper: m.ne(quarter, m.floor(quarter)) };
}

function inRange(m: MathBuilder, x: Value, result: Value): Value {
  return m.select(m.lt(TRIG_MAX_ARGUMENT, m.abs(x)), NaN, result);
}

export function sin(m: MathBuilder, x: Value): Value {
  const reduced = reduce(m, x);
  const { odd, upper } = quadrant(m, reduced.k);
  const parts = kernel(m, reduced);
  const magnitude = m.select(odd, value(m, parts.cos()), value(m, parts.sin()));
  return inRange(m, x, m.select(upper, m.neg(magnitude), magnitude));
}

/** cos x = sin(x + pi/2): the quadrant is one further. */
export function cos(m: MathBuilder, x: Value): Value {
  const reduced = reduce(m, x);
  const { odd, upper } = quadrant(m, m.add(reduced.k, 1));
  const parts = kernel(m, reduced);
  const magnitude = m.select(odd, value(m, parts.cos()), value(m, parts.sin()));
  return inRange(m, x, m.select(upper, m.neg(magnitude), magnitude));
}

/** sin/cos or -cos/sin, the quotient corrected by what rounding both lost. */
export function tan(m: MathBuilder, x: Value): Value {
  const reduced = reduce(m, x);
  const { odd } = quadrant(m, reduced.k);
  const parts = kernel(m, reduced);
  const [s, c] = [parts.sin(), parts.cos()];
  const [sine, cosine] = [value(m, s), value(m, c)];
  const sineLost = m.sub(m.sub(s.head, sine), s.rest);
  const cosineLost = m.sub(m.sub(c.head, cosine), c.rest);
  const numerator = m.select(odd, m.neg(cosine), sine);
  const numeratorLost = m.select(odd, m.neg(cosineLost), sineLost);
  const denominator = m.select(odd, sine, cosine);
  const quotient = m.div(numerator, denominator);
  const lost = m.sub(numeratorLost, m.mul(quotient, m.select(odd, sineLost, cosineLost)));
  // The correction is a +0 at zero, and would lose the sign.
  return inRange(m, x, m.select(m.eq(x, 0), x, m.add(quotient, m.div(lost, denominator))));
}
