/**
 * Warm spares: processes that have started and imported NumPy but have seen no uploaded code. One is handed out per
 * run and never comes back, so no state can pass from one run, or one account, to another.
 */
import { ExtremumError } from '../../common/errors.js';
import type { Hello } from './protocol.js';
import { WorkerProcess, type WorkerSpec } from './worker-process.js';

/** A refill waits this long, so that it does not take the processor from the run that emptied the pool. */
const REFILL_DELAY_MS = 50;

export class WorkerPool {
  readonly #spec: WorkerSpec;
  readonly #size: number;
  readonly #spares: WorkerProcess[] = [];
  readonly #all = new Set<WorkerProcess>();
  #refillTimer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(spec: WorkerSpec, size: number) {
    this.#spec = spec;
    this.#size = size;
  }

  /**
   * A process that nobody has used, held (it keeps the event loop alive) and ready. The caller kills it in the end.
   * @throws {ExtremumError} `backend_unavailable` when none can be started.
   */
  async take(): Promise<WorkerProcess> {
    if (this.#isClosed) throw new ExtremumError('backend_lost', 'the Python backend is closed');
    const worker = this.#nextSpare() ?? this.#start();
    worker.hold();
    try {
      await worker.ready;
    } catch (error) {
      await worker.kill();
      throw error;
    }
    this.#refillSoon();
    return worker;
  }

  /** Starts spares now instead of after the first run. Resolves when the first is ready. */
  async warmUp(): Promise<Hello> {
    const worker = this.#nextSpare() ?? this.#start();
    this.#spares.unshift(worker);
    worker.hold();
    const hello = await worker.ready;
    worker.release();
    this.#refillSoon();
    return hello;
  }

  /** Kills every process that was ever handed out or is waiting. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#refillTimer !== null) clearTimeout(this.#refillTimer);
    await Promise.all([...this.#all].map((worker) => worker.kill()));
  }

  #nextSpare(): WorkerProcess | undefined {
    let spare = this.#spares.shift();
    while (spare !== undefined && !spare.isAlive) spare = this.#spares.shift();
    return spare;
  }

  #start(): WorkerProcess {
    const worker = new WorkerProcess(this.#spec);
    this.#all.add(worker);
    void worker.gone.then(() => this.#all.delete(worker));
    return worker;
  }

  #refillSoon(): void {
    if (this.#isClosed || this.#refillTimer !== null || this.#spares.length >= this.#size) return;
    this.#refillTimer = setTimeout(() => {
      this.#refillTimer = null;
      while (this.#spares.length < this.#size) this.#spares.push(this.#start());
    }, REFILL_DELAY_MS).unref();
  }
}
