/** The normal distribution for expected improvement and normal scores, with the same bits everywhere. */
import { exp, log } from '../../common/float.js';

const LOG_SQRT_2PI = 0.9189385332046727;
/** From here on the continued fraction of the tail, before it the series. */
const TAIL = 3;
const TAIL_TERMS = 48;

/** Density of the standard normal distribution. */
const density = (z: number): number => exp(-0.5 * z * z - LOG_SQRT_2PI);

/** c with Q(x) = density(x) / (x + c), Q the upper tail; x >= TAIL. Laplace's continued fraction. */
function tailFraction(x: number): number {
  let c = 0;
  for (let k = TAIL_TERMS; k >= 1; k--) c = k / (x + c);
  return c;
}

/** Distribution function; relative error below 1e-12. */
export function distribution(z: number): number {
  if (z <= -TAIL) return density(z) / (-z + tailFraction(-z));
  if (z >= TAIL) return 1 - density(z) / (z + tailFraction(z));
  // Abramowitz and Stegun 26.2.11.
  let term = z;
  let sum = z;
  for (let k = 3; Math.abs(term) > 1e-17 * Math.abs(sum) && k < 99; k += 2) {
    term *= (z * z) / k;
    sum += term;
  }
  return 0.5 + density(z) * sum;
}

/**
 * log h(z) and its slope, h(z) = density(z) + z distribution(z): expected improvement is sigma h((best - mean) /
 * sigma). Accurate for any z, where h itself underflows. Source: Ament et al., "Unexpected improvements to expected
 * improvement for Bayesian optimization", NeurIPS 2023, section 4.1; here by the continued fraction instead of erfcx.
 */
export function logImprovement(z: number): { readonly value: number; readonly slope: number } {
  if (z <= -TAIL) {
    const c = tailFraction(-z);
    // h = density c / (x + c), x = -z: no cancellation.
    return { value: -0.5 * z * z - LOG_SQRT_2PI + log(c / (c - z)), slope: 1 / c };
  }
  const tail = distribution(z);
  const h = density(z) + z * tail;
  return { value: log(h), slope: tail / h };
}
