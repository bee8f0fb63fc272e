/** A replay beside the run that it repeats. */
import type { Front } from '../model/front.js';
import { type Comparison } from '../model/run-record.js';
import type { HistoryPoint } from '../model/run-task.js';
import type { Direction } from '../model/objective.js';
import { hypervolume } from '../pareto/hypervolume.js';

/** `history`: of the replay. */
export function compare(
  direction: Direction,
  original: number | null,
  replay: number | null,
  history: readonly HistoryPoint[],
): Comparison {
  const sign = direction === 'maximize' ? -1 : 1;
  const fitness = (value: number | null): number => (value === null ? Infinity : sign * value);
  const matching = history.find(({ bestFitness }) => fitness(bestFitness) <= fitness(original));
  return {
    bestFitnessDifference: original === null || replay === null ? null : replay - original,
    evaluationsToMatch: matching?.evaluations ?? null,
    isBetter: fitness(replay) < fitness(original),
  };
}

/** By the hypervolumes, both measured from the original's reference point. */
export function compareFronts(
  direction: Direction,
  original: Front | undefined,
  replay: Front | undefined,
): Comparison {
  const sign = direction === 'maximize' ? -1 : 1;
  const reference = (original ?? replay)?.reference.map((value) => sign * value) ?? [];
  const measure = (front: Front | undefined): number => {
    const points = front?.points ?? [];
    const values = Float64Array.from(points.flatMap((point) => point.values.map((value) => sign * value)));
    return points.length === 0 ? 0 : hypervolume(values, points.length, reference.length, reference);
  };
  return {
    bestFitnessDifference: null,
    evaluationsToMatch: null,
    isBetter: measure(replay) > measure(original),
  };
}
