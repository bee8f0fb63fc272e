/** Where searches begin. */
import type { SearchSettings } from './search-kind.js';
import type { SearchContext } from './search.js';

/** Random points of which the farthest from all evaluations is taken. */
const FAR_CANDIDATES = 10;
/** Evaluations that they are compared with, spread over all: a long run has too many. */
const MAX_COMPARED = 1000;
/** Random starts stay out of the margin of the box. */
export const MARGIN = 0.1;

/** The best point so far; the request's own start or the centre of the box before there is one. */
export const bestPoint = ({ n, archive, start }: SearchContext): Float64Array =>
  archive.bestPoint() ?? start?.slice() ?? new Float64Array(n).fill(0.5);

/** The best point with its fitness, where there is one. */
export function fromBest(context: SearchContext): { x: Float64Array; fitness?: number } {
  const { bestFitness } = context.archive;
  return { x: bestPoint(context), fitness: bestFitness < Infinity ? bestFitness : undefined };
}

/** Where a search begins anew: far from everything evaluated, unless it is told to begin at the centre. */
export const restartPoint = (context: SearchContext, settings: SearchSettings | undefined): Float64Array =>
  settings?.isFromCentre === true ? new Float64Array(context.n).fill(0.5) : distantPoint(context);

/** Uniform over the box less a margin on every side. */
export const randomPoint = ({ n, rng }: SearchContext, margin = 0): Float64Array =>
  Float64Array.from({ length: n }, () => margin + (1 - 2 * margin) * rng.uniform());

/** The one of some random points that is farthest from everything evaluated. */
export function distantPoint(context: SearchContext): Float64Array {
  const { archive } = context;
  const stride = Math.ceil(archive.size / MAX_COMPARED);
  let farthest = randomPoint(context, MARGIN);
  let distance = -1;
  for (let k = 0; k < FAR_CANDIDATES; k++) {
    const point = k === 0 ? farthest : randomPoint(context, MARGIN);
    let nearest = Infinity;
    for (let entry = 0; entry < archive.size; entry += stride)
      nearest = Math.min(nearest, archive.squaredDistance(entry, point));
    if (nearest > distance) [farthest, distance] = [point, nearest];
  }
  return farthest;
}

/** Into [0, 1], as by mirrors at the bounds. */
export function reflect(value: number): number {
  const folded = Math.abs(value) % 2;
  return folded > 1 ? 2 - folded : folded;
}
