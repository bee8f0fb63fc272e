/** How searches by a population begin: a Latin hypercube over the box with the start in it. */
import type { Rng } from '../../common/rng.js';
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import type { Points, SearchContext } from './search.js';

/** A member of the first population; evaluated unless its fitness is known. */
export interface PopulationStart {
  readonly x: Float64Array;
  readonly fitness?: number;
}

/** Asks for the first `size` candidates, writes them to `population` [size, n] and what they are worth to `fitness`. */
export function* firstPopulation(
  { n, rng }: SearchContext,
  start: PopulationStart | null,
  size: number,
  population: Float64Array,
  fitness: Float64Array,
): Generator<Points, void, Float64Array> {
  const points = new Float64Array(size * n);
  latinHypercube(points, size, n, rng);
  if (start !== null) points.set(start.x);
  const known = start?.fitness;
  const skipped = known === undefined ? 0 : 1;
  const answer = yield { points: points.subarray(skipped * n), count: size - skipped, bearsGaps: true };
  population.set(points);
  fitness.set(answer, skipped);
  if (known !== undefined) fitness[0] = known;
}

/**
 * Writes `count` points to `points` [count, n]: along every coordinate one in each of `count` equal intervals, paired
 * at random. Source: McKay, Beckman and Conover, "A comparison of three methods for selecting values of input variables
 * in the analysis of output from a computer code", Technometrics 21(2), 1979.
 */
export function latinHypercube(points: Float64Array, count: number, n: number, rng: Rng): void {
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < count; k++) points[k * n + i] = (k + rng.uniform()) / count;
    for (let k = count - 1; k > 0; k--) {
      const other = rng.below(k + 1) * n + i;
      const value = points[k * n + i];
      points[k * n + i] = points[other]!;
      points[other] = value;
    }
  }
}

/** For snapshots of a search that has not begun: [fitness or NaN, ...x]. */
export function encodeStart(start: PopulationStart | null): string | null {
  return start === null ? null : encodeFloats(Float64Array.of(start.fitness ?? NaN, ...start.x));
}

export function decodeStart(text: string | null, n: number): PopulationStart | null {
  if (text === null) return null;
  const values = decodeFloats(text, n + 1);
  const fitness = values[0];
  return { x: values.slice(1), fitness: Number.isNaN(fitness) ? undefined : fitness };
}
