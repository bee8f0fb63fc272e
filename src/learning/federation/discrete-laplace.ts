/**
 * Noise on a grid of integers, exactly distributed: additions of floating-point noise leave marks of what they were
 * added to (Mironov, On significance of the least significant bits for differential privacy, CCS 2012).
 *
 * Source: Canonne, Kamath, Steinke, The discrete Gaussian for differential privacy, arXiv:2004.00010, algorithms 1 and
 * 2.
 */

/** A whole number from 0 up to, but not, `below`, all equally likely; `below` < 2^48. */
export type Uniform = (below: number) => number;

/**
 * A whole number `x` with probability proportional to `exp(-|x| * rate)`, `rate = numerator / denominator`, both whole
 * and positive. Added to a sum that one run changes by at most `s`, it makes it `s * rate`-differentially private.
 *
 * Cost: about a dozen draws, however large the result.
 */
export function discreteLaplace(numerator: number, denominator: number, uniform: Uniform): number {
  for (;;) {
    const u = uniform(denominator);
    if (!bernoulliExp(u, denominator, uniform)) continue;
    let v = 0;
    while (bernoulliExp(1, 1, uniform)) v++;
    const y = Math.floor((u + denominator * v) / numerator);
    const isNegative = uniform(2) === 1;
    // Else 0 would be twice as likely as it should.
    if (!(isNegative && y === 0)) return isNegative ? -y : y;
  }
}

/** True with probability `exp(-a / b)`; 0 <= a <= b. */
function bernoulliExp(a: number, b: number, uniform: Uniform): boolean {
  let k = 1;
  while (uniform(b * k) < a) k++;
  return k % 2 === 1;
}
