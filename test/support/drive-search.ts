import type { Points, Search } from '../../src/strategies/search/search.js';

/** Carries out the search's next step: `evaluate` gives the fitness of what it asks for. */
export function driveStep(search: Search, evaluate: (asked: Points) => Float64Array): void {
  const step = search.step();
  for (let next = step.next(new Float64Array(0)); next.done !== true; next = step.next(evaluate(next.value)));
}

/** The fitness of every point, in their order; `points` [count, n]. */
export function fitnessOf(
  { points, count }: Points,
  objective: (x: Float64Array) => number,
): Float64Array<ArrayBuffer> {
  const n = points.length / count;
  return Float64Array.from({ length: count }, (_, k) => objective(points.slice(k * n, (k + 1) * n)));
}
