/**
 * Measurements on a run: the evaluation at which each precision target was first reached. Judged on values without
 * noise. The rules are those of the protocol in docs/guides/benchmarks.md.
 */

export const TARGET_COUNT = 51;

/** A run ends here: f - fopt <= 1e-8. */
const FINAL_TARGET = 1e-8;

/** Precisions 10^(2 - 0.2 k), k = 0 .. 50: 1e2 down to 1e-8, the same for all functions. */
export const TARGETS: Float64Array = Float64Array.from({ length: TARGET_COUNT }, (_, k) =>
  k === TARGET_COUNT - 1 ? FINAL_TARGET : Math.pow(10, (10 - k) / 5),
);

/** Takes the values of a run one by one, in the order of evaluation. */
export class TargetHits {
  /** `hits[k]`: evaluations when target k was reached; stops at the last target reached. */
  readonly hits: number[] = [];
  /** Best f - fopt so far, never below 0. */
  bestDelta = Infinity;
  evaluations = 0;

  /** Whether nothing is left to reach; further values are not counted. */
  get isFinished(): boolean {
    return this.hits.length === TARGET_COUNT;
  }

  /** `delta`: f - fopt of the next evaluation. Rounding below 0 counts as 0. */
  add(delta: number): void {
    if (this.isFinished) return;
    this.evaluations++;
    if (!(delta < this.bestDelta)) return;
    this.bestDelta = Math.max(0, delta);
    while (this.hits.length < TARGET_COUNT && this.bestDelta <= TARGETS[this.hits.length]) {
      this.hits.push(this.evaluations);
    }
  }
}
