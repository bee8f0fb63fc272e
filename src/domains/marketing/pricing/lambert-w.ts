import { exp, log } from '../../../common/float.js';

const MAX_STEPS = 64;

/**
 * W(e^x): the w > 0 with w + ln w = x. Relative error below 1e-14 for |x| <= 1e6; never overflows, where W(exp(x))
 * would.
 * Source: Corless, Gonnet, Hare, Jeffrey and Knuth 1996, On the Lambert W function; Newton's method on w + ln w - x.
 */
export function lambertWOfExp(x: number): number {
  // Below, w = e^x (1 - e^x + ...), and the second term is lost in rounding.
  if (x < -37) return exp(x);
  // Both start below the root of a concave function, so that Newton's steps stay positive.
  let w = x > 1 ? x - log(x) : exp(x) / (1 + exp(x));
  for (let step = 0; step < MAX_STEPS; step++) {
    const next = (w * (1 + x - log(w))) / (1 + w);
    if (Math.abs(next - w) <= 2e-16 * next) return next;
    w = next;
  }
  return w;
}
