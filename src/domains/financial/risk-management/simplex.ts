/**
 * Linear functions over weights that add up to 1 within limits: the best corner, found by filling up one after another.
 */

interface Corner {
  readonly value: number;
  readonly weights: readonly number[];
}

/** `lower` adds up to 1 at most, `upper` to 1 at least, both but for rounding. */
export function leastOver(cost: readonly number[], lower: readonly number[], upper: readonly number[]): Corner {
  const weights = [...lower];
  let left = 1 - lower.reduce((sum, least) => sum + least, 0);
  const order = cost.map((_, j) => j).sort((a, b) => cost[a] - cost[b] || a - b);
  for (const j of order) {
    if (left <= 0) break;
    const added = Math.min(left, upper[j] - lower[j]);
    weights[j] += added;
    left -= added;
  }
  return { weights, value: weights.reduce((sum, weight, j) => sum + weight * cost[j], 0) };
}

export function mostOver(gain: readonly number[], lower: readonly number[], upper: readonly number[]): Corner {
  const { value, weights } = leastOver(gain.map((one) => 0 - one), lower, upper); // prettier-ignore
  return { value: 0 - value, weights };
}
