/**
 * The standard normal distribution, with equal bits on every machine: series and continued fractions over our own exp.
 *
 * Errors: `cdf` and `tail` below 1e-15 absolute, `tail` below 1e-12 relative as far as it is a normal number;
 * `quantile` below 1e-14 (1 + |z|). NaN gives NaN.
 */
import { exp, log } from '../../../common/float.js';

const INVERSE_ROOT_TWO_PI = 0.3989422804014327;
/** From here on the continued fraction is the more exact of the two. */
const FAR = 3;
const RATIO_TERMS = 120;
/** Enough for 1e-16 at FAR, more than enough beyond: the fraction converges faster the larger z is. */
const fractionTerms = (z: number): number => 12 + Math.ceil(600 / (z * z));

export const density = (z: number): number => INVERSE_ROOT_TWO_PI * exp(-0.5 * z * z);

/** P(Z <= z) - 1/2 for 0 <= z < FAR: density times z + z^3/3 + z^5/15 + ... (Abramowitz and Stegun 26.2.11). */
function centre(z: number): number {
  let term = z;
  let sum = z;
  for (let k = 3; term > sum * 1e-17; k += 2) {
    term *= (z * z) / k;
    sum += term;
  }
  return density(z) * sum;
}

/** P(Z > z) for z >= FAR (Abramowitz and Stegun 26.2.14). */
function farTail(z: number): number {
  if (z > 40) return 0;
  let fraction = z;
  for (let k = fractionTerms(z); k >= 1; k--) fraction = z + k / fraction;
  return density(z) / fraction;
}

/** P(Z > z). */
export function tail(z: number): number {
  if (z !== z) return NaN;
  if (z < 0) return z > -FAR ? 0.5 + centre(-z) : 1 - farTail(-z);
  return z < FAR ? 0.5 - centre(z) : farTail(z);
}

/** P(Z <= z). */
export const cdf = (z: number): number => tail(-z);

/** The z with P(Z <= z) = p; -Infinity at 0, Infinity at 1. */
export function quantile(p: number): number {
  if (!(p > 0)) return p === 0 ? -Infinity : NaN;
  if (!(p < 1)) return p === 1 ? Infinity : NaN;
  if (p === 0.5) return 0;
  if (p > 0.5) return -lowerQuantile(1 - p);
  return lowerQuantile(p);
}

/** For p < 1/2: Abramowitz and Stegun 26.2.23, error 4.5e-4, then steps of Halley's method. */
function lowerQuantile(p: number): number {
  const t = Math.sqrt(-2 * log(p));
  const rough = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  let z = -rough;
  for (let step = 0; step < 4; step++) {
    const slope = density(z);
    if (slope === 0) break;
    const shift = (cdf(z) - p) / slope;
    z -= shift / (1 + (z * shift) / 2);
  }
  return z;
}

/** E[(Z - z)+]. */
export const loss = (z: number): number => (z > FAR ? farLoss(z) : density(z) - z * tail(z));

/** E[((Z - z)+)^2] / 2: what `loss` adds up to from z on. */
export function secondLoss(z: number): number {
  return z > FAR ? farSecondLoss(z) : ((z * z + 1) * tail(z) - z * density(z)) / 2;
}

/**
 * Ratios of the repeated integrals of the tail by their recurrence from above: I_n = (I_{n-2} - z I_{n-1}) / n, with
 * I_{-1} the density, I_0 the tail, I_1 the loss. Nothing cancels that way.
 */
function integralRatio(z: number, order: number): number {
  let ratio = 1 / (z + RATIO_TERMS);
  for (let n = RATIO_TERMS; n > order; n--) ratio = 1 / (z + n * ratio);
  return ratio;
}

/** I_1 = I_{-1} r_0 r_1, with r_n = I_n / I_{n-1} = 1 / (z + (n + 1) r_{n+1}). */
const farLoss = (z: number): number => farTail(z) * integralRatio(z, 1);

const farSecondLoss = (z: number): number => farLoss(z) * integralRatio(z, 2);
