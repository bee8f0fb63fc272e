/**
 * The experiment at the end of a run (`experiment-design.ts`): what the search leaves it of the budget, how it is
 * carried out, and how it goes on after an interruption.
 */
import { decodeFloats, encodeFloats } from '../common/float64-codec.js';
import type { CandidateBatch } from '../model/candidate-batch.js';
import type { Experiment } from '../model/experiment.js';
import type { RunTask, TerminationReason } from '../model/run-task.js';
import { experimentAround, plainCentre, planExperiment } from './experiment-design.js';
import type { RunSnapshot } from './snapshot.js';
import type { ExperimentSnapshot } from './experiment-snapshot.js';
import type { RunTally } from './run-tally.js';

/** What the experiment needs of its run. */
interface ExplorationPorts {
  /** As `Evaluations.evaluate`; throws where a misreading was found. */
  evaluate(batch: CandidateBatch): Promise<Float64Array | null>;
  /** Reason to end the run now, asked for from outside. */
  stopRequest(): TerminationReason | null;
  /** Called after every step. */
  report(): Promise<void>;
}

export class Exploration {
  /** Evaluations by which the search ends: the budget without what the experiment needs. */
  readonly searchEnd: number;
  /** Evaluations of experiments in earlier parts of an extended run. */
  private readonly experimented: number = 0;
  /** The experiment under way, or done. */
  private begun: ExperimentSnapshot | null = null;
  result: Experiment | null = null;

  constructor(
    private readonly task: RunTask,
    private readonly tally: RunTally,
    from: RunSnapshot | undefined,
  ) {
    const { maxEvaluations } = task;
    this.searchEnd = maxEvaluations - planExperiment(task).evaluations;
    if (from === undefined) return;
    const { experiment, evaluations } = from;
    this.experimented = from.experimented ?? 0;
    if (experiment?.maxEvaluations === maxEvaluations) {
      this.begun = experiment;
      return;
    }
    // What goes on with little more than it has used searches to its end.
    if (evaluations > this.searchEnd) this.searchEnd = maxEvaluations;
    if (experiment !== undefined) this.experimented += evaluations - experiment.fromEvaluation;
  }

  /** Evaluations that the search may plan with. */
  get searchBudget(): number {
    return Math.max(1, this.searchEnd - this.experimented);
  }

  /** Reason why the search ended, where the experiment has begun. */
  get endOfSearch(): TerminationReason | null {
    return this.begun?.reason ?? null;
  }

  /** Evaluations of the run when the search ended, so far. */
  get searched(): number {
    return this.begun?.fromEvaluation ?? this.tally.evaluations;
  }

  /**
   * The experiment around the best point, where the task wants one and there is such a point. Returns what ended the
   * run: `reason`, or what ended the experiment.
   */
  async explore(reason: TerminationReason, ports: ExplorationPorts): Promise<TerminationReason> {
    const { task, tally } = this;
    const isDone = reason === 'cancelled' || reason === 'timeout' || reason === 'error';
    const isPlanned = this.searchEnd < task.maxEvaluations;
    const begun = this.begun ?? tally.beginExperiment();
    if (isDone || !isPlanned || begun === null) return reason;
    const n = task.bounds.length;
    const first: ExperimentSnapshot = {
      maxEvaluations: task.maxEvaluations,
      fromEvaluation: tally.evaluations,
      reason,
      answers: encodeFloats(new Float64Array(0)),
      ...begun,
    };
    const answers = Array.from(decodeFloats(first.answers, Buffer.from(first.answers, 'base64').byteLength / 8));
    this.begun = first;
    const centre = tally.front?.centre(first) ?? plainCentre(decodeFloats(first.centre, n), first.centreValue);
    const course = experimentAround(centre, task, first.fromEvaluation);
    const width = tally.front?.objectives ?? 1;
    let told = 0;
    let step = course.next();
    while (step.done !== true) {
      const rows = step.value;
      const count = rows.length / n;
      if (told + count * width > answers.length) {
        const request = ports.stopRequest();
        if (request !== null) return request;
        const values = await ports.evaluate({ candidates: rows, count, dimension: n, isPrecise: true });
        if (values === null) return ports.stopRequest() ?? reason;
        answers.push(...values.map((fitness) => tally.sign * fitness));
        this.begun = { ...first, answers: encodeFloats(Float64Array.from(answers)) };
        await ports.report();
      }
      step = course.next(Float64Array.from(answers.slice(told, told + count * width)));
      told += count * width;
    }
    this.result = step.value;
    return reason;
  }

  snapshot(): Pick<RunSnapshot, 'experimented' | 'experiment'> {
    return {
      experimented: this.experimented === 0 ? undefined : this.experimented,
      experiment: this.begun ?? undefined,
    };
  }
}
