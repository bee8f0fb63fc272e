/** Some of the points that were the best in their turn, for a picture of how the best point came about. */
import type { Improvement, RunTask } from '../model/run-task.js';
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
    // A run that begun without them would show its end alone.
    if (snapshot !== undefined && snapshot.improvements === undefined) return null;
    return new Improvements([...(snapshot?.improvements ?? [])]);
  }

  add(point: Improvement): void {
    this.points.push(point);
    if (this.points.length <= MOST) return;
    const last = this.points.length - 1;
    this.points = this.points.filter((_, i) => i % 2 === 0 || i === last);
  }

  toArray(): readonly Improvement[] {
    return this.points.slice();
  }
}
