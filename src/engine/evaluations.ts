/** Evaluates the batches of a run: values or derived programs, judged by the tally and reported to the checks. */
import { BatchEvaluator } from '../evaluation/batch-evaluator.js';
import { ProgramReader } from '../evaluation/program-reader.js';
import { candidateOf, type CandidateBatch } from '../model/candidate-batch.js';
import { isOfBox, isValued, type DerivedReading } from '../model/reading.js';
import type { EvaluationFailure } from '../model/objective.js';
import type { FrontRun } from './front-run.js';
import type { RunPorts } from './ports.js';
import type { RunSnapshot } from './snapshot.js';
import type { RunTally } from './run-tally.js';

export class Evaluations {
  readonly evaluator: BatchEvaluator;
  readonly reader: ProgramReader;
  /** Milliseconds that evaluations of this attempt took. */
  evaluatingMs = 0;
  private fitness = new Float64Array(0);

  constructor(
    private readonly ports: RunPorts,
    private readonly tally: RunTally,
    private readonly signal: AbortSignal,
    snapshot: RunSnapshot | undefined,
  ) {
    this.evaluator = new BatchEvaluator(
      ports.primary,
      ports.fallback,
      snapshot?.evaluator,
      tally.front?.objectives ?? 1,
    );
    this.reader = new ProgramReader(ports.program ?? null, snapshot?.readings);
  }

  /** Results of all rows, counted; null: the evaluation was interrupted. Valid until the next call. */
  async evaluate(batch: CandidateBatch): Promise<Float64Array | null> {
    const before = this.ports.now();
    const { front } = this.tally;
    const { reading = 'value' } = batch;
    let results: Float64Array;
    try {
      if (front !== null) results = await this.severalValues(batch, front);
      else results = reading === 'value' ? await this.values(batch) : await this.read(batch, reading);
    } catch (error) {
      if (!this.signal.aborted) throw error;
      return null;
    }
    this.evaluatingMs += this.ports.now() - before;
    return results;
  }

  /** The fitness of each row. */
  private async values(batch: CandidateBatch): Promise<Float64Array> {
    const { evaluator, tally } = this;
    const { count } = batch;
    const values = await evaluator.evaluate(batch, this.signal);
    if (this.fitness.length !== count) this.fitness = new Float64Array(count);
    const first = tally.evaluations + 1;
    const anyFailed = evaluator.failedRows > 0;
    let best = -1;
    for (let i = 0; i < count; i++) {
      const failure = anyFailed ? evaluator.failure(i) : null;
      const own = failure ?? tally.sign * values[i];
      if (batch.isGeneration === true) {
        const fitness = (this.fitness[i] = tally.count(own));
        if (fitness < (best < 0 ? Infinity : this.fitness[best])) best = i;
      } else this.fitness[i] = tally.judge(batch, i, own);
      this.write(batch, i, failure === null ? values : null, i);
    }
    if (best >= 0) tally.offer(batch, best, this.fitness[best], first + best);
    await this.note(batch, first, values);
    return this.fitness;
  }

  /** The evaluation that was counted last; `values` null: it failed. */
  private write(batch: CandidateBatch, row: number, values: Float64Array | null, at: number): void {
    const { reading = 'value' } = batch;
    this.ports.log?.add(this.tally.evaluations, reading, values === null, values, at, candidateOf(batch, row));
  }

  /** Tells the checks what the evaluator has just valued. */
  private note(batch: CandidateBatch, first: number, values: Float64Array): Promise<void> | null | undefined {
    return this.ports.checks?.note(batch, first, values, (row) => this.evaluator.isOfPrimaryAlone(row));
  }

  /** All values of each row, minimised, [count, objectives]. */
  private async severalValues(batch: CandidateBatch, front: FrontRun): Promise<Float64Array> {
    const { evaluator, tally } = this;
    const { count } = batch;
    const k = front.objectives;
    const values = await evaluator.evaluate(batch, this.signal);
    const told = new Float64Array(count * k);
    const first = tally.evaluations + 1;
    for (let i = 0; i < count; i++) {
      const own = told.subarray(i * k, (i + 1) * k);
      for (let j = 0; j < k; j++) own[j] = tally.sign * values[i * k + j];
      const failure = evaluator.failure(i);
      tally.judgeSeveral(front, batch, i, own, failure);
      this.write(batch, i, failure === null ? values : null, i * k);
    }
    await this.note(batch, first, values);
    tally.measure(front);
    return told;
  }

  /** All results of each row, of derived programs. A candidate that has none is evaluated as any other. */
  private async read(batch: CandidateBatch, reading: DerivedReading): Promise<Float64Array> {
    const { tally } = this;
    const { count } = batch;
    const results = await this.reader.read(batch, reading, this.signal);
    if (!isValued(reading)) {
      for (let i = 0; i < count; i++) {
        tally.evaluations++;
        const { log } = this.ports;
        log?.add(tally.evaluations, reading, false, null, 0, isOfBox(reading) ? null : candidateOf(batch, i));
      }
      if (reading === 'bounds') await this.ports.checks?.noteBoxes(batch, tally.evaluations - count + 1);
      return results;
    }
    const width = results.length / count;
    // Judged when all is there: an evaluation that is interrupted has not happened.
    const judged: (number | EvaluationFailure)[] = [];
    const own = new Float64Array(count);
    const isCompiled: boolean[] = [];
    for (let i = 0; i < count; i++) {
      let value: number | EvaluationFailure = results[i * width];
      const isAlone = value !== value;
      if (isAlone) value = await this.evaluateAlone(candidateOf(batch, i));
      judged.push(value);
      isCompiled.push(!isAlone || this.evaluator.isOfPrimaryAlone(0));
      own[i] = typeof value === 'number' ? tally.sign * value : NaN;
    }
    const first = tally.evaluations + 1;
    judged.forEach((value, i) => {
      results[i * width] = tally.judge(batch, i, value);
      this.write(batch, i, typeof value === 'number' ? own : null, i);
    });
    await this.ports.checks?.note(batch, first, own, (row) => isCompiled[row]);
    return results;
  }

  private async evaluateAlone(candidate: Float64Array): Promise<number | EvaluationFailure> {
    const batch = { candidates: candidate, count: 1, dimension: candidate.length };
    const values = await this.evaluator.evaluate(batch, this.signal);
    return this.evaluator.failure(0) ?? this.tally.sign * values[0];
  }
}
