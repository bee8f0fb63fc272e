/** The course of a run in a few numbers. */
import type { Convergence } from '../model/experiment.js';
import type { HistoryPoint } from '../model/run-task.js';

const SHARES = [0.5, 0.9, 0.99, 0.999];

/** Undefined where no value was finite; a hypervolume need not be. `course`: oldest first. */
export function convergenceOf(course: readonly HistoryPoint[]): Convergence | undefined {
  const history = course.filter(({ bestFitness }) => Number.isFinite(bestFitness));
  const first = history[0];
  const last = history.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const point = ({ evaluations, bestFitness }: HistoryPoint): Convergence['first'] => ({ evaluations, bestFitness });
  // Of halves, because the difference of two numbers may be too large for one.
  const whole = last.bestFitness / 2 - first.bestFitness / 2;
  const milestones = SHARES.flatMap((share) => {
    if (whole === 0) return [];
    const at = history.find(({ bestFitness }) => (bestFitness / 2 - first.bestFitness / 2) / whole >= share);
    return at === undefined ? [] : [{ share, ...point(at) }];
  });
  const waits = history.map(({ evaluations }, i) => evaluations - (history[i - 1]?.evaluations ?? 0));
  const longestWait = waits.reduce((longest, wait) => Math.max(longest, wait), 0);
  return { first: point(first), milestones, lastImprovement: last.evaluations, longestWait };
}
