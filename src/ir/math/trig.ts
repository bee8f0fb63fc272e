/**
 * sin, cos, tan. Angles beyond TRIG_QUICK_ARGUMENT are rare, and have a reduction of their own (payne-hanek.ts), which
 * is skipped where no lane needs it.
 *
 * Reduction (Cody and Waite) up to there: x = k*pi/2 + r with |r| <= pi/4. pi/2 is cut into two parts of 35 bits and a
 * rest; k has at most 18 bits (2^18 itself has one), so that k times a part is exact. r = hi - low holds about 2^-105
 * absolutely, which is below 2^-53 relative for the double closest to each of the 2^18 multiples of pi/2 (all were
 * tried). Then sin r or cos r by polynomial (scripts/numerics/derive_polynomials.py), and the sign by quadrant. Both
 * polynomials have six coefficients, so one of them is evaluated, with the coefficients of the quadrant.
 */
import type { MathBuilder, Operand, Truth, Value } from './math-builder.js';
import { TRIG_QUICK_ARGUMENT } from '../ops.js';
import { reduceFar } from './payne-hanek.js';

const TWO_OVER_PI = 0.6366197723675814;
const ONE_OVER_PI = TWO_OVER_PI / 2;
/** pi/2 = sum of the parts; the first two have 35 bits. */
const HALF_PI_PARTS = [1.5707963267923333, 2.5633441515839558e-12, 1.0562999066987428e-23];
/** Added and subtracted, it rounds to an integer, which the low bits of the sum hold as well. */
const ROUNDING_SHIFT = 1.5 * 2 ** 52;

/** sin r = r - r^3 p(r^2); error 2^-57.5 relative on |r| <= pi/4. */
const SIN = [
  0.16666666666666652, -0.008333333333326368, 0.00019841269832492281, -2.7557314508464774e-6, 2.5050872737272667e-8,
  -1.5902848026010293e-10,
];
/**
 * The same on |r| <= pi/2; error 2^-55 relative. The last coefficient is 4e-6 of itself smaller than it was derived, so
 * that rounding hardly ever makes the sine of nearly pi/2 larger than 1; that of pi/2 itself is 1.
 */
const SIN_HALF_TURN = [
  0.16666666666666666, -0.008333333333333207, 0.000198412698412125, -2.7557319211579282e-6, 2.5052106905970468e-8,
  -1.605894111399158e-10, 7.643023145764624e-13, -2.721457156975874e-15,
];
/** cos r = 1 - r^2/2 - r^4 p(r^2); error 2^-63 on |r| <= pi/4. */
const COS = [
  -0.04166666666666666, 0.0013888888888883852, -2.4801587295315267e-5, 2.7557315966071127e-7, -2.0875933380472634e-9,
  1.1370081841363548e-11,
];

interface Reduced {
  /** Nearest multiple of pi/2, an integer, plus `ahead`; only its last two bits count. */
  readonly quadrant: Value;
  /** r = hi - low, |low| below a unit in the last place of hi. */
  readonly hi: Value;
  readonly low: Value;
}

function nearestMultiple(m: MathBuilder, x: Value, ahead: 0 | 1): { shifted: Value; k: Value } {
  const shifted = m.add(m.mul(x, TWO_OVER_PI), ROUNDING_SHIFT + ahead);
  return { shifted, k: m.sub(shifted, ROUNDING_SHIFT + ahead) };
}

/** For a zero `low` is +0 and `hi` keeps the sign. */
function reduce(m: MathBuilder, x: Value, ahead: 0 | 1): Reduced {
  const [part1, part2, part3] = HALF_PI_PARTS;
  const { shifted, k } = nearestMultiple(m, x, ahead);
  const r = m.sub(x, m.mul(k, part1));
  const t = m.mul(k, part2);
  const hi = m.sub(r, t);
  const lost = m.sub(m.sub(r, hi), t);
  const low = m.sub(m.mul(k, part3), lost);
  return { quadrant: ahead === 0 ? k : m.sub(shifted, ROUNDING_SHIFT), hi, low };
}

/** Values that sine and cosine of the reduced argument share. */
interface Common extends Reduced {
  readonly z: Value;
  /** 1 - z/2, and what its rounding lost. */
  readonly w: Value;
  readonly lost: Value;
}

function common(m: MathBuilder, reduced: Reduced): Common {
  const z = m.mul(reduced.hi, reduced.hi);
  const half = m.mul(z, 0.5);
  const w = m.sub(1, half);
  return { ...reduced, z, w, lost: m.sub(half, m.sub(1, w)) };
}

/** head - rest, not yet rounded to one number. */
interface Difference {
  readonly head: Value;
  readonly rest: Value;
}

/** hi - (hi^3 p + low cos hi): the order keeps the sign of zero. */
function sine(m: MathBuilder, { z, hi, low, w }: Common): Difference {
  return { head: hi, rest: m.add(m.mul(m.mul(z, hi), m.polynomial(z, SIN)), m.mul(low, w)) };
}

/** w - (z^2 p + lost - hi low). */
function cosine(m: MathBuilder, { z, hi, low, w, lost }: Common): Difference {
  return { head: w, rest: m.add(m.mul(m.mul(z, z), m.polynomial(z, COS)), m.sub(lost, m.mul(low, hi))) };
}

function coefficients(m: MathBuilder, odd: Truth): Operand[] {
  return SIN.map((coefficient, k) => m.select(odd, COS[k], coefficient));
}

/** The cosine where `odd` holds, else the sine: both have the form head - (factor p + cross). */
function either(m: MathBuilder, odd: Truth, { z, hi, low, w, lost }: Common): Value {
  const p = m.polynomial(z, coefficients(m, odd));
  const factor = m.mul(z, m.select(odd, z, hi));
  const product = m.mul(low, m.select(odd, hi, w));
  const cross = m.select(odd, m.sub(lost, product), product);
  return m.sub(m.select(odd, w, hi), m.add(m.mul(factor, p), cross));
}

function value(m: MathBuilder, { head, rest }: Difference): Value {
  return m.sub(head, rest);
}

/**
 * `k` is odd, and floor(k/2) is odd. `native/jit/operations.cpp` and `scripts/generate-native.mjs` know this form by
 * sight and have a shorter one.
 */
function quadrant(m: MathBuilder, k: Value): { odd: Truth; upper: Truth } {
  const half = m.mul(k, 0.5);
  const pair = m.floor(half);
  const quarter = m.mul(pair, 0.5);
  return { odd: m.ne(half, pair), upper: m.ne(quarter, m.floor(quarter)) };
}

function wave(m: MathBuilder, reduced: Reduced): Value {
  const { odd, upper } = quadrant(m, reduced.quadrant);
  const magnitude = either(m, odd, common(m, reduced));
  return m.select(upper, m.neg(magnitude), magnitude);
}

/** `near` where Cody and Waite's reduction holds, else `far` of |x|, with x's sign where the function is `odd`. */
function ofAnyAngle(m: MathBuilder, x: Value, near: () => Value, far: () => Value, isOdd: boolean): Value {
  const beyond = m.lt(TRIG_QUICK_ARGUMENT, m.abs(x));
  return m.rarely(
    beyond,
    () => {
      const value = far();
      const signed = isOdd ? m.select(m.lt(x, 0), m.neg(value), value) : value;
      // NaN for an infinity; no result is zero here.
      return m.add(signed, m.sub(x, x));
    },
    near(),
  );
}

function farWave(m: MathBuilder, x: Value, ahead: 0 | 1): Value {
  const { k, hi, low } = reduceFar(m, x);
  return wave(m, { quadrant: ahead === 0 ? k : m.add(k, 1), hi, low });
}

/** Sine of angles up to TRIG_QUICK_ARGUMENT, of infinities and of NaN. For other angles the result is unspecified. */
export function quickSin(m: MathBuilder, x: Value): Value {
  return wave(m, reduce(m, x, 0));
}

/** cos x = sin(x + pi/2): the quadrant is one further. */
export function quickCos(m: MathBuilder, x: Value): Value {
  return wave(m, reduce(m, x, 1));
}

export function quickTan(m: MathBuilder, x: Value): Value {
  // The correction is a +0 at zero, and would lose the sign.
  return m.select(m.eq(x, 0), x, slope(m, reduce(m, x, 0)));
}

export function sin(m: MathBuilder, x: Value): Value {
  return ofAnyAngle(
    m,
    x,
    () => quickSin(m, x),
    () => farWave(m, x, 0),
    true,
  );
}

export function cos(m: MathBuilder, x: Value): Value {
  return ofAnyAngle(
    m,
    x,
    () => quickCos(m, x),
    () => farWave(m, x, 1),
    false,
  );
}

export function tan(m: MathBuilder, x: Value): Value {
  const far = (): Value => {
    const { k, hi, low } = reduceFar(m, x);
    return slope(m, { quadrant: k, hi, low });
  };
  return ofAnyAngle(m, x, () => quickTan(m, x), far, true);
}

/**
 * Sine (`ahead` 0) or cosine (1) of a quick angle for `fast` mathematics, by half turns: x = n pi + r with |r| <= pi/2,
 * and n a half more than an integer for the cosine, so that either is sin r but for its sign. No coefficient depends on
 * the quadrant. r is in one part. Within 2 ULP; a zero may change its sign.
 */
export function fastQuickWave(m: MathBuilder, x: Value, ahead: 0 | 1): Value {
  const turns = m.mul(x, ONE_OVER_PI);
  const shifted = m.add(ahead === 0 ? turns : m.sub(turns, 0.5), ROUNDING_SHIFT + ahead);
  const whole = m.sub(shifted, ROUNDING_SHIFT + ahead);
  const n = ahead === 0 ? whole : m.add(whole, 0.5);
  const r = HALF_PI_PARTS.reduce((rest, part) => m.sub(rest, m.mul(n, 2 * part)), x);
  const z = m.mul(r, r);
  const magnitude = m.sub(r, m.mul(m.mul(r, z), m.polynomial(z, SIN_HALF_TURN)));
  const { odd } = quadrant(m, ahead === 0 ? whole : m.sub(shifted, ROUNDING_SHIFT));
  return m.select(odd, m.neg(magnitude), magnitude);
}

/** The same of any angle. Others than quick ones are rare enough to be exact. */
export function fastWave(m: MathBuilder, x: Value, ahead: 0 | 1): Value {
  return ofAnyAngle(
    m,
    x,
    () => fastQuickWave(m, x, ahead),
    () => farWave(m, x, ahead),
    ahead === 0,
  );
}

/** sin/cos or -cos/sin, the quotient corrected by the rounding losses of both. */
function slope(m: MathBuilder, reduced: Reduced): Value {
  const { odd } = quadrant(m, reduced.quadrant);
  const parts = common(m, reduced);
  const [s, c] = [sine(m, parts), cosine(m, parts)];
  const [sineValue, cosineValue] = [value(m, s), value(m, c)];
  const sineLost = m.sub(m.sub(s.head, sineValue), s.rest);
  const cosineLost = m.sub(m.sub(c.head, cosineValue), c.rest);
  const numerator = m.select(odd, m.neg(cosineValue), sineValue);
  const numeratorLost = m.select(odd, m.neg(cosineLost), sineLost);
  const denominator = m.select(odd, sineValue, cosineValue);
  const quotient = m.div(numerator, denominator);
  const lost = m.sub(numeratorLost, m.mul(quotient, m.select(odd, sineLost, cosineLost)));
  return m.add(quotient, m.div(lost, denominator));
}
