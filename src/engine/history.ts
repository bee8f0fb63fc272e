/** Improvements of the best fitness over a run, thinned to a fixed number of points. */
import { type HistoryPoint, MAX_HISTORY_POINTS } from '../model/run-task.js';

/** `points`, which it may change, and `point`; where that is more than `most`, every second one and the newest. */
export function withPoint<T>(points: T[], point: T, most: number): T[] {
  points.push(point);
  const last = points.length - 1;
  return points.length <= most ? points : points.filter((_, i) => i % 2 === 0 || i === last);
}

/**
 * Keeps every improvement until there are too many; then every second one and the newest. Depends on the sequence of
 * improvements only, so a resumed run has the points of an undisturbed one.
 */
export class ImprovementHistory {
  constructor(private points: HistoryPoint[] = []) {}

  add(point: HistoryPoint): void {
    this.points = withPoint(this.points, point, MAX_HISTORY_POINTS);
  }

  toArray(): readonly HistoryPoint[] {
    return this.points.slice();
  }
}
