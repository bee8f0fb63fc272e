/**
 * Common part of the kernels of all IR backends: checks of each call, cancellation between slices of a long batch, and
 * the end of life. A backend brings only the function that evaluates candidates.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ExtremumError } from '../common/errors.js';
import { resultsOf, type IrFunction } from '../ir/types.js';
import type { CandidateBatch } from '../model/candidate-batch.js';
import { TILE_LANES, tiledLength } from '../model/tiles.js';
import type { NativeCodeVerdict } from '../model/run-task.js';
import type { EvaluationOutput, Kernel, Objective } from './backend.js';

/**
 * Evaluates candidates into arrays of `count` entries. `candidates`: whole tiles where `isTiled`, else rows. `values`:
 * rows [count, results] (`resultsOf` the program; the value comes first). `lines` is null when nobody asked for them.
 */
export type CandidateEvaluator = (
  candidates: Float64Array,
  count: number,
  values: Float64Array,
  status: Uint8Array,
  lines: Int32Array | null,
  isTiled: boolean,
) => void | Promise<void>;

/** After this long in one go, the event loop of the calling thread gets a turn and cancellation is looked at. */
const SLICE_MS = 20;
/** Rows of the very first slice, when nothing is known about the cost. Whole tiles, as all slices but the last. */
const FIRST_SLICE_ROWS = 4 * TILE_LANES;

/** @throws {ExtremumError} `objective_rejected` where there is no IR. */
export function requireIr(objective: Objective, backend: string): IrFunction {
  if (objective.ir === null) {
    throw new ExtremumError('objective_rejected', `the ${backend} backend runs compiled objectives only`);
  }
  return objective.ir;
}

/** Tiers of a backend that has more than one way to run a program. */
interface KernelTiers {
  current(): string;
  nativeCode(): NativeCodeVerdict;
}

/** Writes what one candidate has given to its row of `values` [count, 1 + outputs]; a NaN becomes the canonical one. */
export function deliver(
  values: Float64Array,
  row: number,
  value: number,
  outputs: ArrayLike<number> | null,
  width: number,
): void {
  const at = row * width;
  values[at] = value === value ? value : NaN;
  for (let k = 1; k < width; k++) {
    const output = outputs === null ? NaN : outputs[k - 1];
    values[at + k] = output === output ? output : NaN;
  }
}

export class IrKernel implements Kernel {
  private closed = false;
  private rowsPerMs = 0;
  private readonly dimension: number;
  private readonly results: number;

  constructor(
    readonly backend: string,
    private readonly describeDevice: string | (() => string),
    program: IrFunction,
    private readonly evaluateCandidates: CandidateEvaluator,
    private readonly release: () => void | Promise<void> = () => {},
    private readonly tiers?: KernelTiers,
    /**
     * Rows of a slice, whole tiles, for an evaluator that works in pieces itself; absent: as many as take `SLICE_MS`.
     */
    private readonly sliceRows?: number,
  ) {
    this.dimension = program.dimension;
    this.results = resultsOf(program);
  }

  /** May change as the kernel moves to a faster tier. */
  get device(): string {
    return typeof this.describeDevice === 'string' ? this.describeDevice : this.describeDevice();
  }

  get tier(): string {
    return this.tiers?.current() ?? this.backend;
  }

  get nativeCode(): NativeCodeVerdict | undefined {
    return this.tiers?.nativeCode();
  }

  async evaluate(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void> {
    this.check(batch, output);
    output.failures.length = 0;
    for (let first = 0; first < batch.count;) {
      throwIfAborted(signal);
      const rows = Math.min(batch.count - first, this.sliceRows ?? this.timedSlice());
      const started = performance.now();
      // Waiting for what is done already costs as much as tens of candidates.
      const pending = this.slice(batch, output, first, rows);
      if (pending !== undefined) await pending;
      const elapsedMs = performance.now() - started;
      this.rowsPerMs = rows / Math.max(elapsedMs, 1e-3);
      first += rows;
      if (first < batch.count && elapsedMs >= SLICE_MS / 2) await nextTurn();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.release();
  }

  private timedSlice(): number {
    const rows = Math.max(FIRST_SLICE_ROWS, this.rowsPerMs * SLICE_MS);
    return Math.floor(rows / TILE_LANES) * TILE_LANES;
  }

  private slice(batch: CandidateBatch, output: EvaluationOutput, first: number, rows: number): void | Promise<void> {
    const lines = output.lines ?? null;
    const { candidates, dimension } = batch;
    const isTiled = batch.layout === 'tiles';
    if (rows === batch.count) {
      return this.evaluateCandidates(candidates, rows, output.values, output.status, lines, isTiled);
    }
    const end = first + rows;
    return this.evaluateCandidates(
      candidates.subarray(first * dimension, isTiled ? tiledLength(end, dimension) : end * dimension),
      rows,
      output.values.subarray(first * this.results, end * this.results),
      output.status.subarray(first, end),
      lines && lines.subarray(first, end),
      isTiled,
    );
  }

  private check(batch: CandidateBatch, output: EvaluationOutput): void {
    if (this.closed) throw new ExtremumError('backend_unavailable', `this ${this.backend} kernel is closed`);
    const { count, dimension, candidates, layout } = batch;
    if (dimension !== this.dimension) {
      throw new ExtremumError('invalid_request', `candidates have ${dimension} coordinates, not ${this.dimension}`);
    }
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new ExtremumError('invalid_request', `count = ${count} must be a whole number`);
    }
    const shortest = Math.min(
      output.values.length / this.results,
      output.status.length,
      output.lines?.length ?? Infinity,
    );
    const length = layout === 'tiles' ? tiledLength(count, dimension) : count * dimension;
    if (candidates.length < length || shortest < count) {
      throw new ExtremumError('invalid_request', `an array is too short for ${count} candidates`);
    }
  }
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new ExtremumError('cancelled', 'the evaluation was cancelled', { cause: signal.reason });
}
