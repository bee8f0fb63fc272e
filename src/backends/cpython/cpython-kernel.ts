/**
 * Evaluates one run's candidates in one confined process, and in the next one when that is lost: the candidate that
 * was being evaluated fails with the reason, the others go on. Several losses without one success in between end the
 * batch: an objective that never answers must not cost a time limit per candidate.
 *
 * A batch of an objective that keeps no state is first tried by several processes at once: a large one as soon as that
 * pays, each where the uploader has said that calls are free of each other. Their answers are then gone through in
 * order of rows, as if one process had given them, so that the number of processes changes no value.
 */
import { ExtremumError } from '../../common/errors.js';
import { candidateOf, type CandidateBatch } from '../../model/candidate-batch.js';
import { resultsIn, type Sharing, type Statelessness } from '../../model/objective.js';
import { EVALUATION_FAILED, type EvaluationOutput, type Kernel, type Objective } from '../backend.js';
import { TEMPLATE_LOSSES, type WorkerPool } from './pool.js';
import type { ProcessMeter } from './process-meter.js';
import type { ArgumentChoice, Results } from './protocol.js';
import { statelessness } from './statelessness.js';
import type { Loss, WorkerProcess } from './worker-process.js';

/** Bounds what one request costs in memory on both sides. */
const REQUEST_BYTES = 1024 * 1024;
/**
 * Limit for objectives in population form, which are to see the whole batch in one call as long as that is possible at
 * all.
 */
const POPULATION_REQUEST_BYTES = 64 * 1024 * 1024;

/**
 * Several processes share a batch once evaluations took this long in all, and the batch is expected to take that long.
 */
const SHARING_AFTER_MS = 250;
const SHARED_BATCH_MS = 4;
/** Portions per process, so that rows of unequal cost even out. */
const PORTIONS = 4;

/** State of a row that several processes were asked for. */
const Row = { open: 0, answered: 1, lost: 2 } as const;

interface Step {
  readonly open: readonly number[];
  readonly lost: { readonly first: number; readonly last: number; readonly loss: Loss } | null;
}

interface Tried {
  readonly state: Uint8Array;
  readonly losses: ReadonlyMap<number, Loss>;
}

interface KernelOptions {
  readonly backend: string;
  readonly device: string;
  readonly maxLossesInRow: number;
  /** Processes that may work on one batch. */
  readonly processes: number;
  /** Time for loading, if less than the backend's limit. */
  readonly loadWithinMs: number;
  readonly meter?: ProcessMeter;
  readonly argument: ArgumentChoice;
}

export class CPythonKernel implements Kernel {
  readonly backend: string;
  readonly device: string;
  readonly tier = 'cpython';
  private readonly objective: Objective;
  private readonly pool: WorkerPool;
  private readonly options: KernelOptions;
  private worker: WorkerProcess;
  private stateless: Statelessness;
  /** Beside the first process. */
  private readonly helpers = new Set<WorkerProcess>();
  /** None was to be had. */
  private isAlone = false;
  private lossesInRow = 0;
  /** Number, over the life of the kernel, of the last candidate that was lost. */
  private lastLost = -1;
  private evaluations = 0;
  private evaluatingMs = 0;
  private isClosed = false;

  private constructor(
    objective: Objective,
    pool: WorkerPool,
    options: KernelOptions,
    worker: WorkerProcess,
    stateless: Statelessness,
  ) {
    this.backend = options.backend;
    this.device = options.device;
    this.objective = objective;
    this.pool = pool;
    this.options = options;
    this.worker = worker;
    this.stateless = stateless;
    worker.release();
  }

  /** @throws {ExtremumError} `objective_rejected` with the Python error; `backend_unavailable`. */
  static async open(objective: Objective, pool: WorkerPool, options: KernelOptions): Promise<CPythonKernel> {
    const { worker, stateless } = await takeLoaded(pool, objective, options);
    return new CPythonKernel(objective, pool, options, worker, stateless);
  }

  async evaluate(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void> {
    if (this.isClosed) throw new ExtremumError('backend_lost', 'the kernel is closed');
    if (batch.dimension !== this.objective.dimension)
      throw new Error(`a batch of dimension ${batch.dimension} for a kernel of dimension ${this.objective.dimension}`);
    output.failures.length = 0;
    const startedAt = performance.now();
    const abort = (): void => this.workers().forEach((worker) => void worker.kill());
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const helpers = this.helpersFor(batch.count);
      const gaveUp =
        helpers === 0
          ? await this.evaluateRows(batch, allRows(batch.count), output, signal)
          : await this.settle(await this.share(helpers, batch, output, signal), batch, output, signal);
      // The next batch needs no three losses again.
      if (gaveUp !== null) this.lastLost = this.evaluations + batch.count - 1;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
    output.failures.sort((a, b) => a.index - b.index);
    this.evaluations += batch.count;
    this.evaluatingMs += performance.now() - startedAt;
  }

  get sharing(): Sharing {
    const isShared = this.stateless.value === true && this.objective.source.vectorized !== true;
    return { stateless: this.stateless, processes: isShared ? this.options.processes : 1 };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.workers().map((worker) => worker.kill()));
  }

  /** Values of a row. */
  private get width(): number {
    return resultsIn(this.objective.source);
  }

  private workers(): readonly WorkerProcess[] {
    return [this.worker, ...this.helpers];
  }

  // --- one process

  /**
   * Evaluates `rows`, in their order, in the first process and its successors. Resolves to the loss after which the
   * rest was given up, if it was.
   */
  private async evaluateRows(
    batch: CandidateBatch,
    rows: readonly number[],
    output: EvaluationOutput,
    signal: AbortSignal | undefined,
  ): Promise<Loss | null> {
    let open = rows;
    let gaveUp: Loss | null = null;
    while (open.length > 0) {
      throwIfAborted(signal);
      const worker = await this.liveWorker();
      worker.hold();
      let step: Step;
      try {
        step = await this.evaluateSome(worker, batch, open, output);
      } finally {
        worker.release();
      }
      open = step.open;
      if (step.lost === null) continue;
      throwIfAborted(signal);
      if (this.isClosed) throw new ExtremumError('backend_lost', 'the kernel was closed');
      const { first, last, loss } = step.lost;
      if (!this.isHopelessAfter(first, last)) continue;
      gaveUp = loss;
      // Those before it went well already, but their answers died with the process.
      for (const row of open) if (row > last) fail(row, loss, output, this.width);
      open = open.filter((row) => row < first);
    }
    return gaveUp;
  }

  /** One request. */
  private async evaluateSome(
    worker: WorkerProcess,
    batch: CandidateBatch,
    open: readonly number[],
    output: EvaluationOutput,
  ): Promise<Step> {
    const { vectorized = false } = this.objective.source;
    const requestBytes = vectorized ? POPULATION_REQUEST_BYTES : REQUEST_BYTES;
    const limit = Math.max(1, Math.floor(requestBytes / (8 * batch.dimension)));
    const rows = open.slice(0, limit);
    let answered = 0;
    const loss = await worker.evaluate(gather(batch, rows), rows.length, (results) => {
      answered += results.count;
      store(results, rows, output);
    });
    if (loss === null) return { open: open.slice(rows.length), lost: null };
    // One call evaluates a whole population: nobody can tell which of its rows it was.
    const first = vectorized ? answered : loss.current;
    const last = vectorized ? rows.length - 1 : loss.current;
    for (let position = first; position <= last; position++) fail(rows[position], loss, output, this.width);
    return {
      open: open.filter((_row, position) => position >= answered && (position < first || position > last)),
      lost: { first: rows[first], last: rows[last], loss },
    };
  }

  /**
   * Counts lost candidates that follow each other without a success in between, by their place and not by their time:
   * what becomes of a batch must not depend on which answers had arrived when a process died.
   */
  private isHopelessAfter(first: number, last: number): boolean {
    const follows = this.evaluations + first === this.lastLost + 1;
    this.lossesInRow = follows ? this.lossesInRow + 1 : 1;
    this.lastLost = this.evaluations + last;
    return this.lossesInRow >= this.options.maxLossesInRow;
  }

  private async liveWorker(): Promise<WorkerProcess> {
    if (this.worker.isAlive) return this.worker;
    try {
      const { worker, stateless } = await takeLoaded(
        this.pool,
        this.objective,
        { ...this.options, loadWithinMs: Infinity },
        (taken) => {
          this.worker = taken;
          if (this.isClosed) void taken.kill();
        },
      );
      this.stateless = stateless;
      return worker;
    } catch (error) {
      if (this.isClosed) throw new ExtremumError('backend_lost', 'the kernel was closed');
      if (!(error instanceof ExtremumError) || error.code !== 'objective_rejected') throw error;
      // It loaded before: the source depends on something that changed, or the host is in trouble.
      throw new ExtremumError('backend_lost', `the objective cannot be loaded again: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  // --- several processes

  /**
   * Number of processes that are to work beside the first one on a batch of `count`; none before they begin to pay.
   */
  private helpersFor(count: number): number {
    const { processes } = this.sharing;
    if (this.isAlone) return 0;
    const isDeclared = this.objective.source.stateless === true;
    if (!isDeclared && this.evaluatingMs < SHARING_AFTER_MS) return 0;
    if (this.evaluations > 0 && (count * this.evaluatingMs) / this.evaluations < SHARED_BATCH_MS) return 0;
    return Math.min(processes, count) - 1;
  }

  /** As many processes beside the first one, each as soon as it is there. */
  private helpersThatCome(wanted: number): readonly Promise<WorkerProcess | null>[] {
    for (const worker of this.helpers) if (!worker.isAlive) this.helpers.delete(worker);
    const there = [...this.helpers].slice(0, wanted);
    return Array.from({ length: wanted }, (_, k) =>
      k < there.length ? Promise.resolve(there[k]) : this.startHelper(),
    );
  }

  private async startHelper(): Promise<WorkerProcess | null> {
    const worker = await this.pool.takeHelper(this.objective.source, this.options.meter);
    if (worker === null) return null;
    try {
      await worker.load(this.objective.source, this.objective.dimension, this.options.argument);
      worker.release();
      if (!this.isClosed) {
        this.helpers.add(worker);
        return worker;
      }
    } catch {
      // The first process loaded it: it goes on alone.
    }
    await worker.kill();
    return null;
  }

  /** All processes take portions of the batch until it is used up; one that is lost takes no more. */
  private async share(
    helpers: number,
    batch: CandidateBatch,
    output: EvaluationOutput,
    signal: AbortSignal | undefined,
  ): Promise<Tried> {
    throwIfAborted(signal);
    const first = await this.liveWorker();
    const state = new Uint8Array(batch.count);
    const losses = new Map<number, Loss>();
    const portion = Math.max(1, Math.ceil(batch.count / ((helpers + 1) * PORTIONS)));
    const most = Math.max(1, Math.floor(REQUEST_BYTES / (8 * batch.dimension)));
    let next = 0;
    const work = async (worker: WorkerProcess): Promise<void> => {
      worker.hold();
      while (next < batch.count && losses.size === 0 && signal?.aborted !== true) {
        const rows = allRows(batch.count).slice(next, next + Math.min(portion, most));
        next += rows.length;
        const loss = await worker.evaluate(gather(batch, rows), rows.length, (results) => {
          store(results, rows, output);
          state.fill(Row.answered, rows[results.start], rows[results.start] + results.count);
        });
        if (loss === null) continue;
        state[rows[loss.current]] = Row.lost;
        losses.set(rows[loss.current], loss);
      }
      worker.release();
    };
    const others = this.helpersThatCome(helpers).map(async (coming) => {
      const worker = await coming;
      if (worker !== null) await work(worker);
      return worker;
    });
    const [, ...came] = await Promise.all([work(first), ...others]);
    this.isAlone = came.every((worker) => worker === null);
    throwIfAborted(signal);
    if (this.isClosed) throw new ExtremumError('backend_lost', 'the kernel was closed');
    return { state, losses };
  }

  /** Goes through what was tried in order of rows, and evaluates what is still open, by the rules of one process. */
  private async settle(
    { state, losses }: Tried,
    batch: CandidateBatch,
    output: EvaluationOutput,
    signal: AbortSignal | undefined,
  ): Promise<Loss | null> {
    let row = 0;
    let gaveUp: Loss | null = null;
    while (row < batch.count && gaveUp === null) {
      let end = row + 1;
      if (state[row] === Row.lost) {
        const loss = losses.get(row)!;
        fail(row, loss, output, this.width);
        if (this.isHopelessAfter(row, row)) gaveUp = loss;
      } else if (state[row] === Row.open) {
        while (end < batch.count && state[end] === Row.open) end++;
        gaveUp = await this.evaluateRows(batch, allRows(end).slice(row), output, signal);
      }
      row = end;
    }
    if (gaveUp === null) return null;
    // One process would not have come to the rest.
    output.failures.splice(0, Infinity, ...output.failures.filter(({ index }) => index < row));
    for (const each of allRows(batch.count).slice(row)) fail(each, gaveUp, output, this.width);
    return gaveUp;
  }
}

/** A fresh process that has loaded the objective. One that its template takes with it is no fault of the objective. */
async function takeLoaded(
  pool: WorkerPool,
  { source, dimension }: Objective,
  { loadWithinMs, meter, argument }: Pick<KernelOptions, 'loadWithinMs' | 'meter' | 'argument'>,
  onTaken: (worker: WorkerProcess) => void = () => undefined,
): Promise<{ readonly worker: WorkerProcess; readonly stateless: Statelessness }> {
  for (let attempt = 1; ; attempt++) {
    const worker = await pool.take(source, meter);
    onTaken(worker);
    try {
      const stateful = await worker.load(source, dimension, argument, loadWithinMs);
      return { worker, stateless: statelessness(source, stateful) };
    } catch (error) {
      await worker.kill();
      if (!worker.wentWithTemplate) throw error;
      if (attempt === TEMPLATE_LOSSES)
        throw new ExtremumError('backend_unavailable', `no Python process lives long enough: ${worker.lossMessage}`);
    }
  }
}

const allRows = (count: number): number[] => Array.from({ length: count }, (_, row) => row);

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new ExtremumError('cancelled', 'the evaluation was cancelled');
}

function gather(batch: CandidateBatch, rows: readonly number[]): Float64Array {
  const { dimension } = batch;
  const matrix = new Float64Array(rows.length * dimension);
  rows.forEach((row, position) => matrix.set(candidateOf(batch, row), position * dimension));
  return matrix;
}

function store(results: Results, rows: readonly number[], output: EvaluationOutput): void {
  const width = results.values.length / results.count;
  for (let i = 0; i < results.count; i++) {
    const row = rows[results.start + i];
    for (let k = 0; k < width; k++) output.values[row * width + k] = results.values[i * width + k]!;
    output.status[row] = results.status[i]!;
  }
  for (const failure of results.failures) output.failures.push({ ...failure, index: rows[failure.index] });
}

function fail(index: number, { type, message }: Loss, output: EvaluationOutput, width: number): void {
  output.values.fill(NaN, index * width, (index + 1) * width);
  output.status[index] = EVALUATION_FAILED;
  output.failures.push({ index, type, message, line: 0 });
}
