/**
 * The function that a module exports as the engine's kernel: rows of a batch go to worker threads as these become free.
 * A value belongs to its row, so the number of threads never shows. A thread that dies takes its row with it: that row
 * is a failed evaluation, and another thread takes the place.
 */
import { Worker } from 'node:worker_threads';
import { EVALUATION_FAILED, type EvaluationOutput, type Kernel } from '../backends/backend.js';
import { distEntry } from '../common/dist-entry.js';
import { ExtremumError } from '../common/errors.js';
import { inRows, type CandidateBatch } from '../model/candidate-batch.js';
import { failureOf, type RowFailure } from './calls.js';
import { unlessAborted } from './function-kernel.js';
import type { ModuleReply, ModuleRequest, ModuleSetup } from './module-protocol.js';

/** Rows of one call of an objective that takes many: never more for fewer threads, for that would show. */
const BATCH_ROWS = 16;
/** Portions of a batch for each thread, with plain objectives: so many that no thread waits long for the slowest. */
const PORTIONS = 4;

interface Portion {
  readonly from: number;
  readonly count: number;
}

interface Job {
  readonly batch: CandidateBatch;
  readonly output: EvaluationOutput;
  readonly portions: Portion[];
  left: number;
  readonly done: () => void;
  readonly fail: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  /** Portion that it works on; null: idle. */
  portion: Portion | null;
  /** Message of an exception that nobody caught. */
  lastWords: string;
}

export class ModuleKernel implements Kernel {
  readonly backend = 'module';
  readonly device: string;
  private readonly threads = new Set<Thread>();
  private job: Job | null = null;

  constructor(
    private readonly setup: ModuleSetup,
    private readonly size: number,
  ) {
    this.device = `${size} worker thread${size === 1 ? '' : 's'}`;
  }

  async evaluate(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void> {
    output.status.fill(0, 0, batch.count);
    output.failures.length = 0;
    if (batch.count === 0) return;
    const work = new Promise<void>((resolve, reject) => {
      const portions = this.divide(batch.count);
      this.job = { batch: inRows(batch), output, portions, left: portions.length, done: resolve, fail: reject };
      while (this.threads.size < Math.min(this.size, portions.length)) this.startThread();
      for (const thread of this.threads) this.feed(thread);
    });
    try {
      await unlessAborted(work, signal);
    } catch (error) {
      // Whatever the threads are doing is of no use any more.
      this.job = null;
      await this.close();
      throw error;
    }
    this.job = null;
  }

  async close(): Promise<void> {
    const threads = [...this.threads];
    this.threads.clear();
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  private divide(count: number): Portion[] {
    const size = this.setup.isBatch ? BATCH_ROWS : Math.ceil(count / (this.size * PORTIONS));
    return Array.from({ length: Math.ceil(count / size) }, (_, i) => ({
      from: i * size,
      count: Math.min(size, count - i * size),
    }));
  }

  private startThread(): void {
    const worker = new Worker(distEntry('library/module-worker'), { workerData: this.setup });
    const thread: Thread = { worker, portion: null, lastWords: 'the thread ended' };
    this.threads.add(thread);
    worker.on('message', (message: ModuleReply) => this.receive(thread, message));
    worker.on('error', (error: unknown) => {
      const { type, message } = failureOf(0, error);
      thread.lastWords = `${type}: ${message}`;
    });
    worker.on('exit', () => this.lose(thread));
  }

  private feed(thread: Thread): void {
    const { job } = this;
    if (job === null || thread.portion !== null) return;
    const portion = job.portions.shift();
    if (portion === undefined) return;
    thread.portion = portion;
    const { dimension, candidates } = job.batch;
    const points = candidates.slice(portion.from * dimension, (portion.from + portion.count) * dimension);
    const request: ModuleRequest = { points, count: portion.count, dimension };
    thread.worker.postMessage(request, [points.buffer]);
  }

  private receive(thread: Thread, message: ModuleReply): void {
    const { portion } = thread;
    const { job } = this;
    thread.portion = null;
    if (job === null || portion === null) return;
    if (message.kind === 'refused') return job.fail(new ExtremumError('objective_rejected', message.message));
    job.output.values.set(message.values, portion.from);
    for (const failure of message.failures) this.note(job, portion, failure);
    this.settle(job);
    this.feed(thread);
  }

  private note({ output }: Job, { from }: Portion, { index, type, message }: RowFailure): void {
    output.values[from + index] = NaN;
    output.status[from + index] = EVALUATION_FAILED;
    output.failures.push({ index: from + index, type, message, line: 0 });
  }

  private settle(job: Job): void {
    job.left -= 1;
    if (job.left === 0) job.done();
  }

  /** A thread that was not ended by `close`. */
  private lose(thread: Thread): void {
    if (!this.threads.delete(thread)) return;
    const { job } = this;
    const { portion } = thread;
    if (job === null || portion === null) return;
    if (portion.count === 1) {
      this.note(job, portion, { index: 0, type: 'WorkerLost', message: thread.lastWords });
      this.settle(job);
    } else {
      // Which of them it was shows one by one.
      const single = Array.from({ length: portion.count }, (_, i) => ({ from: portion.from + i, count: 1 }));
      job.portions.unshift(...single);
      job.left += single.length - 1;
    }
    if (job.left === 0) return;
    this.startThread();
    for (const next of this.threads) this.feed(next);
  }
}
