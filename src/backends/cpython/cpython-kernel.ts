/**
 * Evaluates one run's candidates in one confined process, and in the next one when that is lost: the candidate that
 * was being evaluated fails with the reason, the others go on. Several losses without one success in between end the
 * batch: an objective that never answers must not cost a time limit per candidate.
 */
import { ExtremumError } from '../../common/errors.js';
import type { CandidateBatch } from '../../model/candidate-batch.js';
import { EVALUATION_FAILED, type EvaluationOutput, type Kernel, type Objective } from '../backend.js';
import type { WorkerPool } from './pool.js';
import type { Results } from './protocol.js';
import type { Loss, WorkerProcess } from './worker-process.js';

/** Bounds what one request costs in memory on both sides. */
const REQUEST_BYTES = 1024 * 1024;
/** For objectives in population form, which are to see the whole batch in one call as long as that is possible at all. */
const POPULATION_REQUEST_BYTES = 64 * 1024 * 1024;

export class CPythonKernel implements Kernel {
  readonly backend: string;
  readonly device: string;
  readonly #objective: Objective;
  readonly #pool: WorkerPool;
  readonly #maxLossesInRow: number;
  #worker: WorkerProcess | null;
  #lossesInRow = 0;
  #isClosed = false;

  /** `worker` has the objective loaded; the kernel owns it from here on. */
  constructor(
    names: { readonly backend: string; readonly device: string },
    objective: Objective,
    pool: WorkerPool,
    worker: WorkerProcess,
    maxLossesInRow: number,
  ) {
    this.backend = names.backend;
    this.device = names.device;
    this.#objective = objective;
    this.#pool = pool;
    this.#worker = worker;
    this.#maxLossesInRow = maxLossesInRow;
    worker.release();
  }

  async evaluate(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void> {
    if (this.#isClosed) throw new ExtremumError('backend_lost', 'the kernel is closed');
    if (batch.dimension !== this.#objective.dimension)
      throw new Error(`a batch of dimension ${batch.dimension} for a kernel of dimension ${this.#objective.dimension}`);
    output.failures.length = 0;
    let open = Array.from({ length: batch.count }, (_, row) => row);
    while (open.length > 0) {
      throwIfAborted(signal);
      const worker = await this.#liveWorker();
      const abort = (): void => void worker.kill();
      signal?.addEventListener('abort', abort, { once: true });
      worker.hold();
      try {
        open = await this.#evaluateSome(worker, batch, open, output, signal);
      } finally {
        worker.release();
        signal?.removeEventListener('abort', abort);
      }
    }
    output.failures.sort((a, b) => a.index - b.index);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.kill();
    this.#worker = null;
  }

  /** One request; returns the rows that are still open after it. */
  async #evaluateSome(
    worker: WorkerProcess,
    batch: CandidateBatch,
    open: readonly number[],
    output: EvaluationOutput,
    signal: AbortSignal | undefined,
  ): Promise<number[]> {
    const { vectorized = false } = this.#objective.source;
    const requestBytes = vectorized ? POPULATION_REQUEST_BYTES : REQUEST_BYTES;
    const limit = Math.max(1, Math.floor(requestBytes / (8 * batch.dimension)));
    const rows = open.slice(0, limit);
    let answered = 0;
    const loss = await worker.evaluate(gather(batch, rows), rows.length, (results) => {
      answered += results.count;
      this.#lossesInRow = 0;
      store(results, rows, output);
    });
    if (loss === null) return open.slice(rows.length);
    throwIfAborted(signal);
    if (this.#isClosed) throw new ExtremumError('backend_lost', 'the kernel was closed');
    // Rows that went well before this one count as a success although their results may have died with the process.
    this.#lossesInRow = loss.current > answered ? 1 : this.#lossesInRow + 1;
    // One call evaluates a whole population: nobody can tell which of its rows it was.
    const isLost = (position: number): boolean => (vectorized ? position < rows.length : position === loss.current);
    rows.forEach((row, position) => position >= answered && isLost(position) && fail(row, loss, output));
    const rest = open.filter((_row, position) => position >= answered && !isLost(position));
    if (this.#lossesInRow < this.#maxLossesInRow) return rest;
    for (const row of rest) fail(row, loss, output);
    return [];
  }

  async #liveWorker(): Promise<WorkerProcess> {
    if (this.#worker?.isAlive === true) return this.#worker;
    const worker = await this.#pool.take();
    if (this.#isClosed) {
      await worker.kill();
      throw new ExtremumError('backend_lost', 'the kernel was closed');
    }
    this.#worker = worker;
    try {
      await worker.load(this.#objective.source, this.#objective.dimension);
    } catch (error) {
      await worker.kill();
      // It loaded before: the source depends on something that changed, or the host is in trouble.
      throw new ExtremumError('backend_lost', `the objective cannot be loaded again: ${(error as Error).message}`, {
        cause: error,
      });
    }
    return worker;
  }
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new ExtremumError('cancelled', 'the evaluation was cancelled');
}

function gather({ candidates, dimension }: CandidateBatch, rows: readonly number[]): Float64Array {
  const matrix = new Float64Array(rows.length * dimension);
  rows.forEach((row, position) =>
    matrix.set(candidates.subarray(row * dimension, (row + 1) * dimension), position * dimension),
  );
  return matrix;
}

function store(results: Results, rows: readonly number[], output: EvaluationOutput): void {
  for (let i = 0; i < results.count; i++) {
    const row = rows[results.start + i]!;
    output.values[row] = results.values[i]!;
    output.status[row] = results.status[i]!;
  }
  for (const failure of results.failures) output.failures.push({ ...failure, index: rows[failure.index]! });
}

function fail(index: number, { type, message }: Loss, output: EvaluationOutput): void {
  output.values[index] = NaN;
  output.status[index] = EVALUATION_FAILED;
  output.failures.push({ index, type, message, line: 0 });
}
