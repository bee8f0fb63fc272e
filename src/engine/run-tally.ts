/**
 * What a run has found and counted so far: evaluations, failures, the best candidate or the front, improvements.
 *
 * Fitness: an evaluation that fails or gives NaN has fitness +Infinity and is counted in `failedEvaluations`. An
 * infinite value is no failure, but it never becomes the best, because a record cannot show it; -inf when minimising
 * (+inf when maximising) therefore ranks last like its opposite, so that the search leaves the place where the
 * objective has no finite value.
 *
 * With several objectives a candidate counts when all of its values are finite. The front of them (`front-run.ts`)
 * takes the place of the best candidate, its hypervolume that of the best fitness: an improvement is a larger
 * hypervolume.
 */
import { decodeFloats, encodeFloats } from '../common/float64-codec.js';
import { BestSoFar } from '../model/best-so-far.js';
import type { CandidateBatch, Placed } from '../model/candidate-batch.js';
import type { RunProgress, RunTask } from '../model/run-task.js';
import type { EvaluationFailure } from '../model/objective.js';
import type { EndPoint } from '../verification/checks.js';
import { FrontRun } from './front-run.js';
import { ImprovementHistory } from './history.js';
import { Improvements } from './improvements.js';
import type { RunSnapshot } from './snapshot.js';
import type { ExperimentSnapshot } from './experiment-snapshot.js';

/** A run in which every one of so many first evaluations failed is hopeless. */
const HOPELESS_EVALUATIONS = 50;
const KEPT_FAILURES = 3;
/** At most so many points of a front are confirmed: of a larger front, every k-th. */
const CHECKED_FRONT = 64;

export class RunTally {
  /** Turns values of the objective into fitness, and back. */
  readonly sign: 1 | -1;
  evaluations = 0;
  failedEvaluations = 0;
  readonly failures: EvaluationFailure[] = [];
  readonly best: BestSoFar;
  /** Null: one objective. */
  readonly front: FrontRun | null;
  /** Evaluations when the latest improvement came. */
  lastImprovement = 0;
  readonly history: ImprovementHistory;
  /** Null: nobody draws them. */
  readonly improvements: Improvements | null;
  private leadingFailures = 0;

  constructor(
    task: RunTask,
    private readonly elapsedSeconds: () => number,
    snapshot: RunSnapshot | undefined,
  ) {
    const { bounds, direction, objectives = 1 } = task;
    this.sign = direction === 'maximize' ? -1 : 1;
    this.best = new BestSoFar(bounds.length);
    this.front = objectives === 1 ? null : new FrontRun(task, objectives, this.sign, snapshot?.front);
    this.history = new ImprovementHistory([...(snapshot?.history ?? [])]);
    this.improvements = Improvements.of(task, snapshot);
    if (snapshot === undefined) return;
    this.evaluations = snapshot.evaluations;
    this.failedEvaluations = snapshot.failedEvaluations;
    this.leadingFailures = snapshot.leadingFailures;
    this.failures.push(...snapshot.failures);
    this.lastImprovement = snapshot.lastImprovement;
    if (snapshot.best === null) return;
    this.best.offer(this.sign * snapshot.best.value, decodeFloats(snapshot.best.solution, bounds.length));
  }

  /** Turns the result of an evaluation into fitness; counts evaluations and failures and keeps the best. */
  judge(batch: CandidateBatch, row: number, own: number | EvaluationFailure): number {
    const fitness = this.count(own);
    this.offer(batch, row, fitness, this.evaluations);
    return fitness;
  }

  /** Counts an evaluation, and turns its result into fitness. */
  count(own: number | EvaluationFailure): number {
    this.evaluations++;
    if (typeof own !== 'number') {
      this.noteFailure(own);
      return Infinity;
    }
    return own === -Infinity ? Infinity : own;
  }

  /** Counts a generation, of which only `failures` are known by their rows, in order. */
  countGeneration(count: number, failures: readonly (readonly [row: number, failure: EvaluationFailure])[]): void {
    const before = this.evaluations;
    for (const [row, failure] of failures) {
      this.evaluations = before + row + 1;
      this.noteFailure(failure);
    }
    this.evaluations = before + count;
  }

  /** Keeps the candidate of evaluation `number` where it is the best. */
  offer(batch: Placed, row: number, fitness: number, number: number): void {
    if (!this.best.offerOf(fitness, batch, row)) return;
    const value = this.sign * fitness;
    this.noteImprovement(number, value);
    this.improvements?.add({ evaluations: number, value, solution: Array.from(this.best.solution) });
  }

  /** The same with several objectives: `own` [objectives], minimised, becomes +Infinity where not all are finite. */
  judgeSeveral(
    front: FrontRun,
    batch: CandidateBatch,
    row: number,
    own: Float64Array,
    failure: EvaluationFailure | null,
  ): void {
    this.evaluations++;
    if (failure !== null) this.noteFailure(failure);
    if (failure === null && own.every(Number.isFinite)) front.add(batch, row, own, this.evaluations);
    else own.fill(Infinity);
  }

  /** Measures the front, after all rows of a batch were judged. */
  measure(front: FrontRun): void {
    if (front.measure(this.evaluations)) this.noteImprovement(front.improvedAt, front.hypervolume);
  }

  /** Whether all of the first evaluations failed, `most` being all that there are. */
  isHopeless(most: number): boolean {
    return this.leadingFailures >= Math.min(HOPELESS_EVALUATIONS, most);
  }

  hopelessMessage(): string {
    const first = this.failures[0];
    const place = first.line > 0 ? ` (line ${first.line})` : '';
    return `${first.type}: ${first.message}${place}; all of the first ${this.leadingFailures} evaluations failed`;
  }

  /** The best candidate in the objective's own direction, or the knee of the front. */
  found(): Pick<RunProgress, 'bestSolution' | 'bestFitness'> {
    const { best, front, sign } = this;
    if (front !== null) return { bestSolution: front.knee(), bestFitness: null };
    return best.isKnown
      ? { bestSolution: Array.from(best.solution), bestFitness: sign * best.fitness }
      : { bestSolution: null, bestFitness: null };
  }

  progress(): RunProgress {
    const { front } = this;
    return {
      evaluations: this.evaluations,
      ...this.found(),
      hypervolume: front?.isMeasured === true ? front.hypervolume : undefined,
      elapsedSeconds: this.elapsedSeconds(),
    };
  }

  /** The best point, or those of the front. */
  endPoints(): readonly EndPoint[] {
    const { best, front, sign } = this;
    if (front === null) {
      if (!best.isKnown) return [];
      return [{ order: this.lastImprovement, x: best.solution, values: [sign * best.fitness] }];
    }
    const { points = [] } = front.result() ?? {};
    const step = Math.max(1, points.length / CHECKED_FRONT);
    return Array.from({ length: Math.min(points.length, CHECKED_FRONT) }, (_, k) => {
      const { solution, values } = points[Math.floor(k * step)];
      return { order: this.evaluations + 1 + k, x: Float64Array.from(solution), values };
    });
  }

  /** Where an experiment is to be; null where no finite value is known. */
  beginExperiment(): Pick<ExperimentSnapshot, 'centre' | 'centreValue' | 'several'> | null {
    const { best, front, sign } = this;
    if (front !== null) return front.beginExperiment();
    if (!best.isKnown) return null;
    return { centre: encodeFloats(best.solution), centreValue: sign * best.fitness };
  }

  snapshot(): Pick<
    RunSnapshot,
    | 'evaluations'
    | 'failedEvaluations'
    | 'leadingFailures'
    | 'failures'
    | 'best'
    | 'front'
    | 'lastImprovement'
    | 'improvements'
  > {
    const { best, front } = this;
    const { bestFitness } = this.found();
    return {
      evaluations: this.evaluations,
      failedEvaluations: this.failedEvaluations,
      leadingFailures: this.leadingFailures,
      failures: this.failures.slice(),
      best: bestFitness === null ? null : { solution: encodeFloats(best.solution), value: bestFitness },
      front: front?.snapshot(),
      lastImprovement: this.lastImprovement,
      improvements: this.improvements?.toArray(),
    };
  }

  private noteFailure(failure: EvaluationFailure): void {
    if (this.failedEvaluations === this.evaluations - 1) this.leadingFailures++;
    this.failedEvaluations++;
    if (this.failures.length < KEPT_FAILURES) this.failures.push(failure);
  }

  private noteImprovement(evaluations: number, bestFitness: number): void {
    this.lastImprovement = evaluations;
    this.history.add({ evaluations, bestFitness, elapsedSeconds: this.elapsedSeconds() });
  }
}
