/**
 * Where a search of a function of one variable looks next beside its best sample: parabolic interpolation, made safe by
 * golden sections (R. P. Brent, "Algorithms for Minimization without Derivatives", 1973, chapter 5).
 */

/** (3 - sqrt(5)) / 2. */
const GOLDEN = 0.3819660112501051;

/** Minimum of the parabola through sample `k` and its neighbours; null where it does not lie between them. */
export function parabolaMinimum(t: readonly number[], value: readonly number[], k: number): number | null {
  const [a, b, c] = [t[k - 1], t[k], t[k + 1]];
  const p = (b - a) * (value[k] - value[k + 1]);
  const q = (b - c) * (value[k] - value[k - 1]);
  const next = b - (0.5 * ((b - a) * p - (b - c) * q)) / (p - q);
  return next > a && next < c ? next : null;
}

/**
 * A point between the neighbours of sample `k`, the best one, which has a sample on both sides. It is at least
 * `minimal` from sample `k`; where the parabola asks for more than half of `beforeLast`, the length of the step before
 * the last, the longer side is cut.
 */
export function brentStep(
  t: readonly number[],
  value: readonly number[],
  k: number,
  minimal: number,
  beforeLast: number,
): number {
  const [a, b, c] = [t[k - 1], t[k], t[k + 1]];
  const guess = parabolaMinimum(t, value, k);
  const isWide = c - b > b - a;
  let next: number;
  if (guess === null || Math.abs(guess - b) > 0.5 * beforeLast)
    next = isWide ? b + GOLDEN * (c - b) : b - GOLDEN * (b - a);
  else if (Math.abs(guess - b) < minimal) next = guess > b || (guess === b && isWide) ? b + minimal : b - minimal;
  else next = guess;
  if (next - a < minimal) next = a + 0.5 * (b - a);
  if (c - next < minimal) next = b + 0.5 * (c - b);
  return next;
}
