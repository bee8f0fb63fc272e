/**
 * A kernel of which a device values the candidates in single precision, and the processor the best ones again, in
 * double: every value that is the best of its batch so far, in the order of the batch. So the best of a run, its
 * history and whether a target is reached rest on values of double precision alone.
 *
 * Where a candidate is valued depends on its batch and nothing else: the same run on the same device has the same bits.
 */
import { createOutputWithLines, type EvaluationOutput, type GpuUse, type Kernel } from '../backends/backend.js';
import { ExtremumError } from '../common/errors.js';
import { candidateOf, type CandidateBatch } from '../model/candidate-batch.js';
import type { Direction } from '../model/objective.js';
import { singleLeft, singleReason } from './placement-words.js';

/** Of smaller batches the best ones are too large a part. */
const SMALLEST_BATCH = 32;
/** After so many rounds in which others became the best, all are valued again. */
const ROUNDS = 4;

export class SinglePrecisionKernel implements Kernel {
  private readonly sign: number;
  /** Why the device is not used any more; null: it is. */
  private refusal: string | null = null;
  private done = 0;
  private single = 0;
  private again: Float64Array = new Float64Array(0);
  private againOutput: EvaluationOutput = createOutputWithLines(0);

  /** Owns both kernels. */
  constructor(
    private readonly processor: Kernel,
    private readonly on: Kernel,
    direction: Direction,
  ) {
    this.sign = direction === 'maximize' ? -1 : 1;
  }

  get backend(): string {
    return this.isMostlyOnDevice ? this.on.backend : this.processor.backend;
  }

  get device(): string {
    return this.isMostlyOnDevice ? this.on.device : this.processor.device;
  }

  get tier(): string | undefined {
    return this.processor.tier;
  }

  get nativeCode(): Kernel['nativeCode'] {
    return this.processor.nativeCode;
  }

  get gpu(): GpuUse {
    const { on, single } = this;
    return { backend: on.tier ?? on.backend, evaluations: single, seconds: on.gpu?.seconds ?? 0 };
  }

  get reason(): string {
    const { done, single, refusal } = this;
    return refusal === null
      ? singleReason(this.on.backend, single, done)
      : singleLeft(this.on.backend, refusal, single);
  }

  async evaluate(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void> {
    const { count, isPrecise = false } = batch;
    const isSingle = !isPrecise && count >= SMALLEST_BATCH && this.refusal === null;
    if (isSingle && (await this.evaluateThere(batch, output, signal))) {
      this.single += count - (await this.valueAgain(batch, output, signal));
    } else await this.processor.evaluate(batch, output, signal);
    this.done += count;
  }

  async close(): Promise<void> {
    await Promise.all([this.on.close(), this.processor.close()]);
  }

  private get isMostlyOnDevice(): boolean {
    return this.single * 2 > this.done;
  }

  /** False: it failed, and the batch is to be evaluated on the processor. Too little memory passes. */
  private async evaluateThere(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<boolean> {
    try {
      await this.on.evaluate(batch, output, signal);
      return true;
    } catch (error) {
      if (!(error instanceof ExtremumError)) throw error;
      const { code, retryable, message } = error;
      if (code !== 'backend_lost' && code !== 'backend_unavailable') throw error;
      if (code === 'backend_lost' || !retryable) this.refusal = message;
      return false;
    }
  }

  /** Returns how many candidates were valued again: those that failed, and those that are the best so far. */
  private async valueAgain(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<number> {
    const { count } = batch;
    const { values, status } = output;
    const isDouble = new Uint8Array(count);
    const failed = (row: number): boolean => status[row] !== 0 || !Number.isFinite(values[row]);
    let total = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      const rows: number[] = [];
      let best = Infinity;
      for (let row = 0; row < count; row++) {
        const hasFailed = failed(row);
        const fitness = hasFailed ? Infinity : this.sign * values[row];
        if (isDouble[row] === 0 && (hasFailed || fitness <= best || round === ROUNDS)) rows.push(row);
        if (fitness < best) best = fitness;
      }
      if (rows.length === 0) break;
      await this.evaluateHere(batch, output, rows, signal);
      for (const row of rows) isDouble[row] = 1;
      total += rows.length;
    }
    return total;
  }

  private async evaluateHere(
    batch: CandidateBatch,
    output: EvaluationOutput,
    rows: readonly number[],
    signal?: AbortSignal,
  ): Promise<void> {
    const { dimension } = batch;
    const count = rows.length;
    if (this.againOutput.status.length < count) {
      this.again = new Float64Array(count * dimension);
      this.againOutput = createOutputWithLines(count);
    }
    const { again, againOutput } = this;
    rows.forEach((row, k) => again.set(candidateOf(batch, row), k * dimension));
    await this.processor.evaluate({ candidates: again, count, dimension }, againOutput, signal);
    rows.forEach((row, k) => {
      output.values[row] = againOutput.values[k];
      output.status[row] = againOutput.status[k];
      if (output.lines !== undefined) output.lines[row] = againOutput.lines![k];
    });
  }
}
