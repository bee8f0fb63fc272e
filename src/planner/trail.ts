/** The best value by evaluations, thinned: about as many points in each doubling of the evaluations. */

/** [evaluations, best value so far], oldest first. */
export type Trail = readonly (readonly [number, number])[];

const MAX_POINTS = 24;

/** With one point more; of too many, the one goes that is nearest to its neighbours in the logarithm of evaluations. */
export function extendTrail(trail: Trail, evaluations: number, value: number): Trail {
  const points = [...trail, [evaluations, value] as const];
  if (points.length <= MAX_POINTS) return points;
  let closest = 1;
  let smallest = Infinity;
  for (let k = 1; k + 1 < points.length; k++) {
    const ratio = points[k + 1][0] / Math.max(1, points[k - 1][0]);
    if (ratio < smallest) [closest, smallest] = [k, ratio];
  }
  return points.filter((_, k) => k !== closest);
}
