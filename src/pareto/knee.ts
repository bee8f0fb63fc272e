/**
 * The knee of a front, the compromise that a run of several objectives reports as its best solution.
 *
 * Each objective is scaled to 0 .. 1 over the front, from the best value to the worst. The plane through the ends of
 * the axes is where the scaled values add up to 1. Where the front bulges well below it, the knee is the point farthest
 * below: the smallest sum, from which any gain in one objective costs more in the others (Das, On characterizing the
 * "knee" of the Pareto curve, Structural Optimization 18, 1999). Where it does not, as on concave fronts, whose
 * smallest sums are at the ends, it is the point whose worst scaled value is the smallest.
 */

/** A front bulges where a sum is below that. */
const BULGE = 0.9;

/** Place of the knee among `count` > 0 rows of `values`, row-major [count, k], minimised. Of equals the first. */
export function kneeOf(values: Float64Array, count: number, k: number): number {
  const best = new Float64Array(k).fill(Infinity);
  const worst = new Float64Array(k).fill(-Infinity);
  for (let row = 0; row < count; row++) {
    for (let i = 0; i < k; i++) {
      best[i] = Math.min(best[i], values[row * k + i]);
      worst[i] = Math.max(worst[i], values[row * k + i]);
    }
  }
  let bySum = 0;
  let leastSum = Infinity;
  let byWorst = 0;
  let leastWorst = Infinity;
  for (let row = 0; row < count; row++) {
    let sum = 0;
    let largest = 0;
    for (let i = 0; i < k; i++) {
      // Of halves, because the difference of two numbers may be too large for one.
      const width = worst[i] / 2 - best[i] / 2;
      const scaled = width > 0 ? (values[row * k + i] / 2 - best[i] / 2) / width : 0;
      sum += scaled;
      largest = Math.max(largest, scaled);
    }
    if (sum < leastSum) [bySum, leastSum] = [row, sum];
    if (largest < leastWorst) [byWorst, leastWorst] = [row, largest];
  }
  return leastSum < BULGE ? bySum : byWorst;
}
