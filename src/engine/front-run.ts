/** The front of a run of several objectives, in place of its best candidate, and when it is measured. */
import { decodeFloats, encodeFloats } from '../common/float64-codec.js';
import { candidateOf, type CandidateBatch } from '../model/candidate-batch.js';
import type { Front } from '../model/front.js';
import type { RunTask } from '../model/run-task.js';
import { dominates } from '../pareto/dominance.js';
import { FrontArchive, type FrontArchiveSnapshot } from '../pareto/front-archive.js';
import { hypervolume } from '../pareto/hypervolume.js';
import type { Centre } from './experiment-design.js';
import type { ExperimentSnapshot } from './experiment-snapshot.js';

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
  add(batch: CandidateBatch, row: number, values: Float64Array, evaluations: number): void {
    if (this.archive.add(candidateOf(batch, row), values)) this.improvedAt = evaluations;
  }

  /**
   * Whether the front dominates more than ever measured. Depends on the evaluations alone, so that a resumed run is
   * measured at the same times. Before the reference is fixed there is nothing to compare.
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

  /** The experiment around the knee, before its first evaluation; null while the front is empty. */
  beginExperiment(): Required<Pick<ExperimentSnapshot, 'centre' | 'centreValue' | 'several'>> | null {
    const { n, objectives: k } = this;
    const { solutions, values, knee, reference } = this.archive.front();
    if (reference === null) return null;
    const own = values.slice(knee * k, (knee + 1) * k);
    return {
      centre: encodeFloats(solutions.slice(knee * n, (knee + 1) * n)),
      centreValue: hypervolume(own, 1, k, reference),
      several: { values: encodeFloats(own), reference: encodeFloats(reference), front: encodeFloats(values) },
    };
  }

  /** Centre that measures of a point: the objectives, what it dominates, and whether the search had found better. */
  centre({ centre, centreValue, several }: ExperimentSnapshot): Centre {
    const { n, sign, objectives: k } = this;
    if (several === undefined) throw new Error('an experiment of one objective');
    const reference = decodeFloats(several.reference, k);
    const front = floatsOf(several.front);
    const count = front.length / k;
    // The last row is the point that is measured.
    const rows = Float64Array.of(...front, ...new Float64Array(k));
    const turned = (values: Float64Array): number[] => Array.from(values, (value) => sign * value);
    return {
      solution: decodeFloats(centre, n),
      value: centreValue,
      several: { values: turned(decodeFloats(several.values, k)), reference: turned(reference) },
      measure(values) {
        if (!values.every(Number.isFinite)) return { value: null };
        const own = Float64Array.from(turned(values));
        rows.set(own, count * k);
        let isDominated = false;
        for (let row = 0; row < count && !isDominated; row++) isDominated = dominates(rows, row, count, k);
        return { value: hypervolume(own, 1, k, reference), values: Array.from(values), isDominated };
      },
    };
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

/** The front that a snapshot of a run of `task` holds; null: none. */
export function frontIn(task: RunTask, { front }: { readonly front?: FrontRunSnapshot }): Front | null {
  const { objectives = 1, direction } = task;
  if (objectives === 1 || front === undefined) return null;
  return new FrontRun(task, objectives, direction === 'maximize' ? -1 : 1, front).result();
}

const floatsOf = (text: string): Float64Array => decodeFloats(text, Buffer.from(text, 'base64').byteLength / 8);
