/** Some of the points that were the best in their turn, for a picture of how the best point came about. */
import type { Improvement, RunTask } from '../model/run-task.js';
import { withPoint } from './history.js';
import type { RunSnapshot } from './snapshot.js';

const MOST = 64;
/** A picture has room for so many coordinates. */
const MOST_DIMENSIONS = 64;

/** Thinned as a history is: it depends on the sequence alone, so a resumed run has the points of an undisturbed one. */
export class Improvements {
  private constructor(private points: Improvement[]) {}

  /** Null: no picture of them is wanted, or there can be none. */
  static of({ isPictured, objectives = 1, bounds }: RunTask, snapshot: RunSnapshot | undefined): Improvements | null {
    if (isPictured !== true || objectives > 1 || bounds.length > MOST_DIMENSIONS) return null;
    // The points of a run that began without them would show its end alone.
    if (snapshot !== undefined && snapshot.improvements === undefined) return null;
    return new Improvements([...(snapshot?.improvements ?? [])]);
  }

  add(point: Improvement): void {
    this.points = withPoint(this.points, point, MOST);
  }

  toArray(): readonly Improvement[] {
    return this.points.slice();
  }
}
