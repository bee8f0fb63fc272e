/**
 * Ranking of one generation: `order` becomes the indices of `fitness` from best to worst. Stable, so equal fitness
 * keeps the order of asking and the result is deterministic; +Infinity comes last. Merge sort on the index array,
 * because large restart populations have tens of thousands of rows; runs of 16 by insertion, because most have about
 * ten.
 */
const RUN = 16;

/** Shapes: `fitness` [>= count] without NaN, `order` and `scratch` [>= count]. */
export function rankByFitness(fitness: Float64Array, order: Int32Array, scratch: Int32Array, count: number): void {
  for (let start = 0; start < count; start += RUN) {
    const end = Math.min(start + RUN, count);
    for (let i = start; i < end; i++) {
      const value = fitness[i];
      let j = i - 1;
      for (; j >= start && fitness[order[j]] > value; j--) order[j + 1] = order[j]!;
      order[j + 1] = i;
    }
  }
  let from = order;
  let to = scratch;
  for (let width = RUN; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      const middle = Math.min(start + width, count);
      const end = Math.min(start + 2 * width, count);
      let left = start;
      let right = middle;
      for (let k = start; k < end; k++) {
        const takeLeft = left < middle && (right >= end || !(fitness[from[left]] > fitness[from[right]]));
        to[k] = takeLeft ? from[left++] : from[right++];
      }
    }
    [from, to] = [to, from];
  }
  if (from !== order) order.set(from.subarray(0, count));
}
