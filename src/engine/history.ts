/** Improvements of the best fitness over a run, thinned to a fixed number of points. */
import { type HistoryPoint, MAX_HISTORY_POINTS } from '../model/run-task.js';

/**
 * Keeps every improvement until there are too many; then every second one and the newest. Depends on the sequence of
 * improvements only, so a resumed run has the points of an undisturbed one.
 */
export class ImprovementHistory {
  constructor(private points: HistoryPoint[] = []) {}

  add(point: HistoryPoint): void {
    this.points.push(point);
    if (this.points.length <= MAX_HISTORY_POINTS) return;
    const last = this.points.length - 1;
    this.points = this.points.filter((_, i) => i % 2 === 0 || i === last);
  }

  toArray(): readonly HistoryPoint[] {
    return this.points.slice();
  }
}
