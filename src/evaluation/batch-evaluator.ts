/**
 * Evaluates a batch on the primary kernel, and the candidates that it flags once more on the fallback. When too many
 * are flagged, the run moves to the fallback altogether. Decisions depend on counts only, never on time, so that the
 * same seed takes the same way.
 */
import { createOutput, EVALUATION_FAILED, type EvaluationOutput, type Kernel } from '../backends/backend.js';
import { ExtremumError } from '../common/errors.js';
import { candidateOf, type CandidateBatch } from '../model/candidate-batch.js';
import { lackedPackage } from '../model/interpreter-facts.js';
import type { EvaluationUse } from '../model/run-task.js';
import type { EvaluationFailure } from '../model/objective.js';
import { laneFailure, laneName } from './lane-errors.js';
import { MOVED_TO_NOWHERE, movedFromFlagged, movedFromLost } from './placement-words.js';

/** Flagged candidates are judged over windows of at least this many evaluations. */
const FLAG_WINDOW = 200;
/**
 * Above this share of flagged candidates the run moves to the fallback. Evaluating only those again costs the flagged
 * part of what evaluating all there would cost, and the round trip only where there is one; so staying pays as long as
 * compiled code takes less than the rest of it. Measured: `reevaluation` in bench/results/cpython.json.
 */
const FLAG_LIMIT = 0.9;

export interface EvaluatorState {
  readonly windowEvaluations: number;
  readonly windowFlagged: number;
  /** Why the run moved to the fallback; null while the primary is in use. */
  readonly moveReason: string | null;
  /** Absent in snapshots of earlier versions. */
  readonly use?: EvaluationUse;
}

export class BatchEvaluator {
  private output: EvaluationOutput;
  private retryOutput: EvaluationOutput;
  private retryCandidates = new Float64Array(0);
  private retryRows = new Int32Array(64);
  private readonly failureOfRow = new Map<number, EvaluationFailure>();
  private windowEvaluations = 0;
  private windowFlagged = 0;
  private moveReason: string | null = null;
  private tiers: Record<string, number> = {};
  private flags: Record<string, number> = {};
  private reevaluated = 0;
  /** Of the primary's, those that are in `tiers`. */
  private countedOnGpu: number;
  /** Whether the primary kernel evaluated the last batch. */
  private isOfPrimary = false;
  /** Why the fallback can value no candidate at all; null: it can, as far as is known. */
  private lack: EvaluationFailure | null = null;

  constructor(
    private readonly primary: Kernel,
    private readonly fallback: Kernel | null,
    state: EvaluatorState = { windowEvaluations: 0, windowFlagged: 0, moveReason: null },
    /** Values of a candidate. */
    private readonly width = 1,
  ) {
    this.output = createOutput(64, width);
    this.retryOutput = createOutput(64, width);
    this.restore(state);
    // The kernel of a run that is carried out in parts has counted the parts before.
    this.countedOnGpu = primary.gpu?.evaluations ?? 0;
    if (this.moveReason !== null && fallback === null) {
      throw new ExtremumError('backend_unavailable', MOVED_TO_NOWHERE);
    }
  }

  get kernel(): Kernel {
    return this.moveReason !== null && this.fallback !== null ? this.fallback : this.primary;
  }

  state(): EvaluatorState {
    return {
      windowEvaluations: this.windowEvaluations,
      windowFlagged: this.windowFlagged,
      moveReason: this.moveReason,
      use: this.use(),
    };
  }

  /** As it was when this was its state. */
  restore(state: EvaluatorState): void {
    this.windowEvaluations = state.windowEvaluations;
    this.windowFlagged = state.windowFlagged;
    this.moveReason = state.moveReason;
    this.tiers = { ...state.use?.tiers };
    this.flags = { ...state.use?.flagged };
    this.reevaluated = state.use?.reevaluated ?? 0;
  }

  /** Counts of what was evaluated where, and of what was flagged, since the first evaluation of the run. */
  use(): EvaluationUse {
    return { tiers: { ...this.tiers }, flagged: { ...this.flags }, reevaluated: this.reevaluated };
  }

  /**
   * Evaluates all rows of `batch`. The result, [count, width], is valid until the next call: row i where `failure(i)`
   * is null; NaN where it is not.
   */
  async evaluate(batch: CandidateBatch, signal: AbortSignal): Promise<Float64Array> {
    this.begin(batch.count);
    const kernel = await this.evaluateFirst(batch, signal);
    return this.complete(batch, kernel, batch.count, signal);
  }

  /**
   * The same for a generation of `count` candidates, of which the primary's device has told those that are odd:
   * `batch`, with their values and status. Rows and failures are those of `batch`. The others are counted by
   * `countGeneration`.
   */
  evaluateOdd(
    batch: CandidateBatch,
    values: Float64Array,
    status: Uint8Array,
    count: number,
    signal: AbortSignal,
  ): Promise<Float64Array> {
    this.begin(batch.count);
    this.output.values.set(values);
    this.output.status.set(status);
    this.output.failures.length = 0;
    return this.complete(batch, this.primary, count, signal);
  }

  /** Candidates that the primary's device has valued by itself. */
  countGeneration(count: number): void {
    this.count(this.primary, count);
  }

  private begin(count: number): void {
    if (this.output.status.length < count) {
      this.output = createOutput(count, this.width);
      this.retryOutput = createOutput(count, this.width);
      this.retryRows = new Int32Array(count);
    }
    if (this.failureOfRow.size > 0) this.failureOfRow.clear();
  }

  /** `count`: candidates that flagged ones are judged against. */
  private async complete(
    batch: CandidateBatch,
    kernel: Kernel,
    count: number,
    signal: AbortSignal,
  ): Promise<Float64Array> {
    this.isOfPrimary = kernel === this.primary;
    const flagged = this.collectFlagged(batch.count);
    if (flagged > 0) {
      if (kernel === this.primary && this.fallback !== null && this.lack === null) {
        await this.evaluateAgain(batch, flagged, signal);
      } else this.noteFailures(flagged);
    }
    this.noteNaN(batch.count);
    if (kernel === this.primary && this.fallback !== null && this.lack === null) this.judgeFlags(count, flagged);
    return this.output.values;
  }

  /** Returns the kernel that did it: the fallback also when the primary was lost on the way. */
  private async evaluateFirst(batch: CandidateBatch, signal: AbortSignal): Promise<Kernel> {
    const kernel = this.kernel;
    try {
      await kernel.evaluate(batch, this.output, signal);
      this.count(kernel, batch.count);
      return kernel;
    } catch (error) {
      const isLost = error instanceof ExtremumError && error.code === 'backend_lost';
      if (!isLost || this.fallback === null || kernel === this.fallback) throw error;
      this.moveReason = movedFromLost(kernel.backend, this.fallback.backend, error.message);
      await this.fallback.evaluate(batch, this.output, signal);
      this.count(this.fallback, batch.count);
      return this.fallback;
    }
  }

  /** Why row `i` of the last batch gave no number; null when it gave one. */
  failure(i: number): EvaluationFailure | null {
    return this.failureOfRow.get(i) ?? null;
  }

  /** Whether the primary itself has valued row `i` of the last batch. */
  isOfPrimaryAlone(i: number): boolean {
    return this.isOfPrimary && this.output.status[i] === 0;
  }

  get failedRows(): number {
    return this.failureOfRow.size;
  }

  /** Writes the rows with a status other than 0 to `retryRows`. */
  private collectFlagged(count: number): number {
    const { status } = this.output;
    let flagged = 0;
    for (let i = 0; i < count; i++) {
      if (status[i] === 0) continue;
      this.retryRows[flagged++] = i;
      if (status[i] === EVALUATION_FAILED) continue;
      const name = laneName(status[i]);
      this.flags[name] = (this.flags[name] ?? 0) + 1;
    }
    return flagged;
  }

  private count(kernel: Kernel, evaluations: number): void {
    let rest = evaluations;
    const { gpu } = kernel;
    if (gpu !== undefined && gpu.evaluations > this.countedOnGpu) {
      const there = gpu.evaluations - this.countedOnGpu;
      this.countedOnGpu = gpu.evaluations;
      this.countOn(gpu.backend, there);
      rest -= there;
    }
    if (rest > 0) this.countOn(kernel.tier ?? kernel.backend, rest);
  }

  private countOn(tier: string, evaluations: number): void {
    this.tiers[tier] = (this.tiers[tier] ?? 0) + evaluations;
  }

  private async evaluateAgain(batch: CandidateBatch, flagged: number, signal: AbortSignal): Promise<void> {
    const n = batch.dimension;
    if (this.retryCandidates.length < flagged * n) this.retryCandidates = new Float64Array(flagged * n);
    for (let k = 0; k < flagged; k++) {
      this.retryCandidates.set(candidateOf(batch, this.retryRows[k]), k * n);
    }
    const retry = { candidates: this.retryCandidates, count: flagged, dimension: n };
    try {
      await this.fallback!.evaluate(retry, this.retryOutput, signal);
    } catch (error) {
      this.lack = lackIn(error);
      if (this.lack === null) throw error;
      this.noteFailures(flagged);
      return;
    }
    this.count(this.fallback!, flagged);
    this.reevaluated += flagged;
    for (let k = 0; k < flagged; k++) {
      const row = this.retryRows[k];
      const { width } = this;
      this.output.values.set(this.retryOutput.values.subarray(k * width, (k + 1) * width), row * width);
      if (this.retryOutput.status[k] !== 0) {
        this.failureOfRow.set(row, failureAt(this.retryOutput, k));
      }
    }
  }

  private noteFailures(flagged: number): void {
    for (let k = 0; k < flagged; k++) {
      const row = this.retryRows[k];
      this.failureOfRow.set(row, this.lack ?? failureAt(this.output, row));
    }
  }

  private noteNaN(count: number): void {
    const { width } = this;
    const { values } = this.output;
    const end = count * width;
    for (let k = 0; k < end; k++) {
      if (values[k] === values[k]) continue;
      const row = Math.floor(k / width);
      if (this.failureOfRow.has(row)) continue;
      this.failureOfRow.set(row, { type: 'NaNResult', message: 'the objective returned NaN', line: 0 });
    }
  }

  private judgeFlags(count: number, flagged: number): void {
    this.windowEvaluations += count;
    this.windowFlagged += flagged;
    if (this.windowEvaluations < FLAG_WINDOW) return;
    const share = this.windowFlagged / this.windowEvaluations;
    if (share > FLAG_LIMIT) {
      const { primary, fallback, windowEvaluations } = this;
      this.moveReason = movedFromFlagged(primary.backend, fallback!.backend, share, windowEvaluations);
    }
    this.windowEvaluations = 0;
    this.windowFlagged = 0;
  }
}

function failureAt(output: EvaluationOutput, index: number): EvaluationFailure {
  const status = output.status[index];
  const known = output.failures.find((failure) => failure.index === index);
  if (known !== undefined) return { type: known.type, message: known.message, line: known.line };
  if (status === EVALUATION_FAILED) return { type: 'RuntimeError', message: 'the evaluation failed', line: 0 };
  return laneFailure(status);
}

/** Lack in CPython for which it cannot load the objective, although compiled code can value it. */
function lackIn(error: unknown): EvaluationFailure | null {
  if (!(error instanceof ExtremumError) || error.code !== 'objective_rejected') return null;
  const { type = '', message = error.message, line = 0 } = error.facts as Partial<EvaluationFailure>;
  return lackedPackage({ type, message }) === null ? null : { type, message, line };
}
