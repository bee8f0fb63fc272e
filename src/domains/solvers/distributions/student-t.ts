/**
 * Student's t distribution, central and noncentral, for any degrees of freedom nu >= 1.
 *
 * T = (Z + delta) / W with W^2 = chi^2_nu / nu, so P(T > t) is the mean of Q(t W - delta). With W = e^x the density of
 * x is proportional to exp(nu (x - (e^2x - 1) / 2)): the trapezoidal rule converges faster than any power, and dividing
 * by its own sum of the density leaves no gamma function to be computed.
 */
import { exp } from '../../../common/float.js';
import { rootOf } from '../root.js';
import { quantile, tail } from './normal.js';

/** Exponent of the density at the ends of the sum: what is left out is below 1e-18. */
const LEAST_EXPONENT = -46;
/** Q is 1 below the one and 0 above the other, to the last bit. */
const [ALWAYS, NEVER] = [-9, 40];
/** Noncentralities of a larger square cost no more steps: such probabilities are nearly always 0 or 1. */
const MOST_RESOLVED = 1e5;

/** nu (x - (e^2x - 1) / 2); near 0 by its series, which has no cancellation. */
function exponent(x: number, nu: number): number {
  if (Math.abs(x) > 0.25) return nu * (x - (exp(2 * x) - 1) / 2);
  let term = x;
  let sum = 0;
  for (let k = 2; k <= 18; k++) {
    term *= (2 * x) / k;
    sum += term;
  }
  return -nu * sum;
}

/** Where the exponent falls to LEAST_EXPONENT, on either side of its maximum at 0. */
function end(nu: number, side: -1 | 1): number {
  let far = side * 0.1;
  while (exponent(far, nu) > LEAST_EXPONENT) far *= 2;
  return rootOf((x) => exponent(x, nu) - LEAST_EXPONENT, 0, far, 1e-6);
}

/**
 * P(T > t), T with `nu` degrees of freedom and noncentrality `delta`. Absolute error below 1e-13 for |delta| up to 50;
 * `nu` need not be an integer. About 100 to 2,000 values of Q.
 */
export function upperTailT(t: number, nu: number, delta = 0): number {
  const low = end(nu, -1);
  const high = end(nu, 1);
  const [least, most] = t > 0 ? [low, high] : [high, low];
  if (t * exp(most) - delta < ALWAYS) return 1;
  if (t * exp(least) - delta > NEVER) return 0;
  const steps = Math.ceil((high - low) * 5 * Math.sqrt(nu + Math.min(delta * delta, MOST_RESOLVED) + 8));
  const h = (high - low) / steps;
  let mass = 0;
  let sum = 0;
  for (let i = 0; i <= steps; i++) {
    const x = low + i * h;
    const weight = exp(exponent(x, nu));
    mass += weight;
    sum += weight * tail(t * exp(x) - delta);
  }
  return sum / mass;
}

/** t with P(T > t) = p for the central distribution, p in (0, 0.5]; error of the probability below 1e-13. */
export function upperQuantileT(p: number, nu: number): number {
  let low = 0;
  let high = Math.max(1, -quantile(p));
  while (upperTailT(high, nu) > p) [low, high] = [high, 2 * high];
  return rootOf((t) => upperTailT(t, nu) - p, low, high);
}
