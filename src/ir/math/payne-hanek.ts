/**
 * x = k*pi/2 + r for any |x| of at least 1 (Payne and Hanek, Radian reduction for trigonometric functions, 1983).
 *
 * Let |x| = y 2^e with 1 <= y < 2. Multiples of 4 in |x| * 2/pi do not count, so that only the digits of 2/pi from
 * about the e-th bit on are needed. The digits have 25 bits and a sign. e = 25 q + s, and the window begins three
 * digits before number q; nine are enough: the rest is below 2^-125, and no double is nearer to a multiple of pi/2 than
 * 2^-62.
 *
 * y in two parts (26 bits, and 26 with a sign) times a digit is exact, and so is what two such products of neighbouring
 * digits add up to. From the last digit on, each sum hands what is above its own 25 bits to the one before. So all is
 * exact until fraction times pi/2.
 */
import type { MathBuilder, Truth, Value } from './math-builder.js';

const DIGIT_BITS = 25;
const WINDOW = 9;
/** Digits of the window before number q. */
const BEFORE = 3;
/** e = 25 q + s, up to e = 1024, the exponent of an infinity. */
const MOST_SKIPPED = 40;

/**
 * 2/pi = sum of digit[k] 2^(25 (2 - k)), |digit| <= 2^24 (scripts/numerics/derive_polynomials.py prints them).
 */
const TWO_OVER_PI = [
  0, 0, 1, -12193017, -4638448, 11096033, 7699743, 10918840, 3594405, 13409826, -7323138, 10667864, -8720618, -15877853,
  14918693, -4563967, -7189573, -16455479, 1900062, -2737822, 10919164, -12316240, -11342924, 9477428, -14939731,
  3129121, -13004330, 7538342, 15192690, 2292830, -2125180, -10223853, -2175, 13371384, -13692533, 11801818, 8238298,
  -624322, 11574133, -1521683, -5793797, -15287660, -4536340, -3415306, 15998184, -4435307, -13719872, -9701852,
  -1878206,
];

/** pi/2 in two parts, the first one in two of 26 and 27 bits. */
const HALF_PI = [1.5707963267948966, 6.123233995736766e-17];
const HALF_PI_HIGH = 1.5707963109016418;
const HALF_PI_LOW = 1.5893254712295857e-8;

/** `a` rounded to a multiple of `unit`, a power of two, for |a| < 2^51 units. */
function toMultiple(m: MathBuilder, a: Value, unit: number): Value {
  const shift = 1.5 * 2 ** 52 * unit;
  return m.sub(m.add(a, shift), shift);
}

/** Digits q to q + 8 of the table: q's bits, the highest first, decide by how many places it moves. */
function digits(m: MathBuilder, q: Value): Value[] {
  let all: (Value | number)[] = TWO_OVER_PI;
  let rest = q;
  let most = MOST_SKIPPED;
  for (let step = 32; step >= 1; step /= 2) {
    const moves: Truth = m.le(step, rest);
    if (step > 1) rest = m.select(moves, m.sub(rest, step), rest);
    // Places that q can still move by once this step is done, without it and with it.
    const [without, withIt] = [Math.min(most, step - 1), most - step];
    const before = all;
    all = Array.from({ length: without + WINDOW }, (_, k) =>
      k < withIt + WINDOW ? m.select(moves, before[k + step], before[k]) : before[k],
    );
    most = Math.max(without, withIt);
  }
  return all as Value[];
}

/** |x| = k pi/2 + hi - low, |low| at most half a unit in the last place of hi; of k only its last two bits count. */
export function reduceFar(m: MathBuilder, x: Value): { k: Value; hi: Value; low: Value } {
  const e = m.exponent(x);
  const q = m.floor(m.mul(m.add(e, 0.5), 1 / DIGIT_BITS));
  const s = m.sub(e, m.mul(q, DIGIT_BITS));
  const y = m.mantissa(x);
  const yHigh = toMultiple(m, y, 2 ** -DIGIT_BITS);
  const yLow = m.sub(y, yHigh);
  const weighted = digits(m, q).map((digit, k) => m.mul(digit, 2 ** (-DIGIT_BITS * (k - BEFORE + 1))));

  // sums[k] is at most 1.25 weights of digit k, and a multiple of 2^-52 of it. What is in front of them is a multiple
  // of 4.
  const sums = weighted.slice(0, -1).map((digit, k) => m.add(m.mul(yLow, digit), m.mul(yHigh, weighted[k + 1])));
  for (let k = sums.length - 1; k > 0; k--) {
    const carried = toMultiple(m, sums[k], 2 ** (-52 - DIGIT_BITS * (k - BEFORE)));
    sums[k] = m.sub(sums[k], carried);
    sums[k - 1] = m.add(sums[k - 1], carried);
  }
  const scale = (a: Value): Value => m.scale(a, s);
  const inQuadrants = m.sub(sums[0], toMultiple(m, sums[0], 4));
  const first = scale(m.add(inQuadrants, sums[1]));
  const whole = m.nearest(first);
  const second = m.add(m.sub(first, whole), scale(sums[2]));
  const correction = m.nearest(second);
  const head = m.sub(second, correction);
  const middle = scale(m.add(sums[3], sums[4]));
  const last = scale(m.add(sums[5], sums[6]));
  const fraction = m.add(head, middle);
  const below = m.add(m.add(m.sub(head, fraction), middle), last);

  const product = m.mul(fraction, HALF_PI[0]);
  const high = m.high(fraction);
  const low = m.sub(fraction, high);
  const lost = m.add(
    m.add(m.add(m.sub(m.mul(high, HALF_PI_HIGH), product), m.mul(high, HALF_PI_LOW)), m.mul(low, HALF_PI_HIGH)),
    m.mul(low, HALF_PI_LOW),
  );
  const rest = m.add(lost, m.add(m.mul(fraction, HALF_PI[1]), m.mul(below, HALF_PI[0])));
  const hi = m.add(product, rest);
  return { k: m.add(whole, correction), hi, low: m.sub(m.sub(hi, product), rest) };
}
