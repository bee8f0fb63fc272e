/**
 * Deterministic elementary functions. `Math.exp`, `Math.log` and `Math.pow` may differ between JavaScript engines and
 * their versions; these use only + - * / and bit operations, which IEEE 754 and ECMAScript fix, so a seeded search that
 * is built on them gives the same bits everywhere. They are for the search itself; objectives use `ir/math`.
 */

const f64 = new Float64Array(1);
const u32 = new Uint32Array(f64.buffer);
f64[0] = 1;
/** Index of the word that holds sign and exponent (1 on little-endian hosts). */
const HIGH = u32[1] === 0x3ff00000 ? 1 : 0;

/** ln 2 in two parts: the high one has 33 significant bits, so `k * LN2_HI` is exact for |k| < 2^20. */
const LN2_HI = 0.693147180369123816490173339844;
const LN2_LO = 1.90821492927058770002e-10;

/** 2^k for an integer k in [-1074, 1023], exact. */
export function powerOfTwo(k: number): number {
  if (k >= -1022) {
    u32[1 - HIGH] = 0;
    u32[HIGH] = (k + 1023) << 20;
    return f64[0];
  }
  return powerOfTwo(k + 54) * 5.551115123125783e-17; // 2^-54
}

/** The largest power of two that is not above the magnitude of a normal number. */
export function binade(x: number): number {
  f64[0] = x;
  u32[1 - HIGH] = 0;
  u32[HIGH] = u32[HIGH] & 0x7ff00000;
  return f64[0];
}

/** Reciprocals of k!, k = 13..0: the Taylor series of exp, truncation error below 1e-17 for |r| <= ln(2)/2. */
const EXP_SERIES = [
  1 / 6227020800,
  1 / 479001600,
  1 / 39916800,
  1 / 3628800,
  1 / 362880,
  1 / 40320,
  1 / 5040,
  1 / 720,
  1 / 120,
  1 / 24,
  1 / 6,
  0.5,
  1,
];

/**
 * e^x. Error below 2 ULP for normal results; NaN -> NaN, +inf -> +inf, -inf -> 0, overflow -> +inf, underflow -> 0
 * or a denormal.
 */
export function exp(x: number): number {
  if (x !== x) return NaN;
  if (x > 709.782712893384) return Infinity;
  if (x < -745.1332191019412) return 0;
  const k = Math.floor(x * 1.4426950408889634 + 0.5);
  const r = x - k * LN2_HI - k * LN2_LO;
  let p = EXP_SERIES[0];
  for (let i = 1; i < EXP_SERIES.length; i++) p = p * r + EXP_SERIES[i];
  p = p * r + 1;
  // Two factors, because 2^1024 does not exist and 2^k below -1022 is denormal.
  const half = k >> 1;
  return p * powerOfTwo(half) * powerOfTwo(k - half);
}

/**
 * Natural logarithm. Error below 2 ULP; NaN or x < 0 -> NaN, 0 -> -inf, +inf -> +inf.
 *
 * x = 2^k m with m in [sqrt(1/2), sqrt(2)); ln m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.1716.
 */
export function log(x: number): number {
  if (x !== x || x < 0) return NaN;
  if (x === 0) return -Infinity;
  if (x === Infinity) return Infinity;
  let k = 0;
  if (x < 2.2250738585072014e-308) {
    x *= 18014398509481984; // 2^54
    k = -54;
  }
  f64[0] = x;
  k += (u32[HIGH] >>> 20) - 1023;
  u32[HIGH] = (u32[HIGH] & 0x000fffff) | 0x3ff00000;
  let m = f64[0];
  if (m >= 1.4142135623730951) {
    m *= 0.5;
    k += 1;
  }
  const s = (m - 1) / (m + 1);
  const z = s * s;
  let series = 1 / 23;
  for (let d = 21; d >= 3; d -= 2) series = series * z + 1 / d;
  return k * LN2_HI + (2 * s + (2 * s * z * series + k * LN2_LO));
}

/** base^exponent for base > 0. Relative error grows with |exponent * ln(base)|: about 1e-16 times that. */
export function power(base: number, exponent: number): number {
  return exp(exponent * log(base));
}
