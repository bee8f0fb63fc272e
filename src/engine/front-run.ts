/** The front of a run of several objectives, in place of its best candidate, and when it is measured. */
import { decodeFloats, encodeFloats } from '../common/float64-codec.js';
import type { CandidateBatch } from '../model/candidate-batch.js';
import type { Front } from '../model/front.js';
import type { RunTask } from '../model/run-task.js';
import { FrontArchive, type FrontArchiveSnapshot } from '../pareto/front-archive.js';

/** Every generation's front is measured up to so many evaluations; then when a fiftieth more has been made. */
const MEASURED_ALWAYS = 1000;
const MEASURED_AFTER = 1.02;

export interface FrontRunSnapshot {
  readonly archive: FrontArchiveSnapshot;
  /** Base64 of f64: [largest hypervolume so far, evaluations at which it is measured next, of the latest point]. */
  readonly course: string;
}

export class FrontRun {
  /** The largest that was measured, against the reference once it is fixed. */
  hypervolume = 0;
  /** Evaluations after the latest point that entered the front. */
  improvedAt = 0;
  private nextMeasure = 0;
  private readonly archive: FrontArchive;
  private readonly n: number;

  constructor(
    task: RunTask,
    readonly objectives: number,
    private readonly sign: 1 | -1,
    snapshot?: FrontRunSnapshot,
  ) {
    this.n = task.bounds.length;
    const reference = task.referencePoint?.map((value) => sign * value) ?? null;
    this.archive = new FrontArchive(this.n, objectives, reference, snapshot?.archive);
    if (snapshot === undefined) return;
    [this.hypervolume, this.nextMeasure, this.improvedAt] = decodeFloats(snapshot.course, 3) as unknown as [
      number,
      number,
      number,
    ];
  }

  /** Whether there is a hypervolume to speak of. */
  get isMeasured(): boolean {
    return this.archive.isReferenceFixed;
  }

  /** `values` [objectives], minimised and finite. */
  add({ candidates, dimension }: CandidateBatch, row: number, values: Float64Array, evaluations: number): void {
    if (this.archive.add(candidates.subarray(row * dimension, (row + 1) * dimension), values)) {
      this.improvedAt = evaluations;
    }
  }

  /**
   * Whether the front dominates more than ever measured. Depends on the evaluations alone, so that a resumed run is measured at
   * the same times. Before the reference is fixed there is nothing to compare.
   */
  measure(evaluations: number): boolean {
    const { archive } = this;
    if (!archive.isReferenceFixed || evaluations < this.nextMeasure) return false;
    this.nextMeasure = evaluations < MEASURED_ALWAYS ? evaluations : Math.ceil(evaluations * MEASURED_AFTER);
    const hypervolume = archive.hypervolume();
    if (!(hypervolume > this.hypervolume)) return false;
    this.hypervolume = hypervolume;
    return true;
  }

  /** Null while it is empty. */
  knee(): number[] | null {
    const { solutions, knee } = this.archive.front();
    return knee < 0 ? null : Array.from(solutions.subarray(knee * this.n, (knee + 1) * this.n));
  }

  /** In the objectives' own direction; null where no candidate had finite values. */
  result(): Front | null {
    const { n, sign, objectives: k } = this;
    const { solutions, values, size, knee, hypervolume, reference } = this.archive.front();
    if (reference === null) return null;
    const points = Array.from({ length: size }, (_, row) => ({
      solution: Array.from(solutions.subarray(row * n, (row + 1) * n)),
      values: Array.from(values.subarray(row * k, (row + 1) * k), (value) => sign * value),
    }));
    return { points, knee, hypervolume, reference: Array.from(reference, (value) => sign * value) };
  }

  snapshot(): FrontRunSnapshot {
    const course = encodeFloats(Float64Array.of(this.hypervolume, this.nextMeasure, this.improvedAt));
    return { archive: this.archive.snapshot(), course };
  }
}
