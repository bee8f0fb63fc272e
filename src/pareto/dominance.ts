/** Pareto dominance; all objectives are minimised. Values lie in matrices, row-major [count, k]. */

/** Whether row `a` is nowhere worse than row `b` and better somewhere. */
export function dominates(values: Float64Array, a: number, b: number, k: number): boolean {
  let isBetter = false;
  for (let i = 0, p = a * k, q = b * k; i < k; i++, p++, q++) {
    const x = values[p];
    const y = values[q];
    if (x > y) return false;
    if (x < y) isBetter = true;
  }
  return isBetter;
}

/**
 * The front of each row, counted from 0: those that nothing dominates, those that only the first front dominates, and
 * so on.
 *
 * Cost: O(k count^2). Source: Deb et al., A fast and elitist multiobjective genetic algorithm, IEEE TEC 6(2), 2002.
 */
export function frontsOf(values: Float64Array, count: number, k: number): Int32Array {
  const fronts = new Int32Array(count).fill(-1);
  const dominators = new Int32Array(count);
  const dominated: number[][] = Array.from({ length: count }, () => []);
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      if (dominates(values, a, b, k)) {
        dominated[a].push(b);
        dominators[b]++;
      } else if (dominates(values, b, a, k)) {
        dominated[b].push(a);
        dominators[a]++;
      }
    }
  }
  let current = [...dominators.keys()].filter((row) => dominators[row] === 0);
  for (let front = 0; current.length > 0; front++) {
    const next: number[] = [];
    for (const row of current) {
      fronts[row] = front;
      for (const below of dominated[row]) if (--dominators[below] === 0) next.push(below);
    }
    current = next;
  }
  return fronts;
}
