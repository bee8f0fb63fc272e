/**
 * Warm spares: processes that have started and imported NumPy but have seen no uploaded code. One is handed out per
 * run and never comes back, so no state can pass from one run, or one account, to another. Once a source that imports
 * SciPy was seen, one spare has SciPy imported as well, which takes longer.
 *
 * A burst of runs takes more spares than there are. Each one that was missing when asked for raises the number that is
 * kept, up to `MOST_EXTRA_SPARES` more; quiet times lower it again.
 */
import { ExtremumError } from '../../common/errors.js';
import type { ObjectiveSource } from '../../model/objective.js';
import type { Hello } from './protocol.js';
import { WorkerProcess, type ProcessEnd, type WarmUp, type WorkerSpec } from './worker-process.js';

/** A refill waits this long, so that it does not take the processor from the run that emptied the pool. */
const REFILL_DELAY_MS = 50;
const MOST_EXTRA_SPARES = 6;
/** Time after which a spare that a burst has asked for is no longer kept. */
const BURST_MEMORY_MS = 30_000;

const isOfSciPy = (source: ObjectiveSource): boolean => /^\s*(import|from)\s[^#\n]*\bscipy\b/m.test(source.code);

export interface PoolCounts {
  readonly busy: number;
  readonly spare: number;
}

export interface PoolObserver {
  /** A process was handed out; `warm` when it had been waiting. */
  taken?(warm: boolean): void;
  ended?(why: ProcessEnd): void;
}

export class WorkerPool {
  readonly #spec: WorkerSpec;
  readonly #size: number;
  readonly #observer: PoolObserver;
  readonly #mostHelpers: number;
  readonly #spares: Record<WarmUp, WorkerProcess[]> = { numpy: [], scipy: [] };
  readonly #all = new Set<WorkerProcess>();
  readonly #helpers = new Set<WorkerProcess>();
  /** When each spare beyond `size` was found to be missing. */
  #misses: number[] = [];
  #wantsSciPy = false;
  #refillTimer: NodeJS.Timeout | null = null;
  #isClosed = false;

  /** `mostHelpers`: processes beyond the first one of each run, for all runs together. */
  constructor(spec: WorkerSpec, size: number, mostHelpers: number, observer: PoolObserver = {}) {
    this.#spec = spec;
    this.#size = size;
    this.#mostHelpers = mostHelpers;
    this.#observer = observer;
  }

  /**
   * A process that nobody has used, held (it keeps the event loop alive) and ready. The caller kills it in the end.
   * @throws {ExtremumError} `backend_unavailable` when none can be started.
   */
  async take(source: ObjectiveSource): Promise<WorkerProcess> {
    if (this.#isClosed) throw new ExtremumError('backend_lost', 'the Python backend is closed');
    const spare = this.#nextSpare(source);
    if (spare === undefined && this.#size > 0) this.#misses.push(performance.now());
    const worker = spare ?? this.#start('numpy');
    this.#observer.taken?.(spare !== undefined);
    worker.hold();
    try {
      await worker.ready;
    } catch (error) {
      await worker.kill('failed_start');
      throw error;
    }
    this.#refillSoon();
    return worker;
  }

  /** As `take`, for a run that has a process already; null where the host has enough of them. */
  async takeHelper(source: ObjectiveSource): Promise<WorkerProcess | null> {
    if (this.#isClosed || this.#helpers.size >= this.#mostHelpers) return null;
    const worker = this.#nextSpare(source) ?? this.#start('numpy');
    this.#helpers.add(worker);
    void worker.gone.then(() => this.#helpers.delete(worker));
    this.#observer.taken?.(false);
    worker.hold();
    try {
      await worker.ready;
      return worker;
    } catch {
      await worker.kill('failed_start');
      return null;
    }
  }

  /** Starts spares now instead of after the first run. Resolves when the first is ready. */
  async warmUp(): Promise<Hello> {
    const worker = this.#spares.numpy[0] ?? this.#start('numpy');
    if (!this.#spares.numpy.includes(worker)) this.#spares.numpy.unshift(worker);
    worker.hold();
    const hello = await worker.ready;
    worker.release();
    this.#refillSoon();
    return hello;
  }

  counts(): PoolCounts {
    const spare = this.#spares.numpy.length + this.#spares.scipy.length;
    return { busy: this.#all.size - spare, spare };
  }

  /** Kills every process that was ever handed out or is waiting. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#refillTimer !== null) clearTimeout(this.#refillTimer);
    await Promise.all([...this.#all].map((worker) => worker.kill('shutdown')));
  }

  #nextSpare(source: ObjectiveSource): WorkerProcess | undefined {
    const ofSciPy = isOfSciPy(source);
    this.#wantsSciPy ||= ofSciPy && this.#spec.interpreter.scipy !== null;
    const kinds: readonly WarmUp[] = ofSciPy ? ['scipy', 'numpy'] : ['numpy'];
    for (const kind of kinds) {
      const spares = this.#spares[kind];
      const ready = spares.findIndex((worker) => worker.isReady);
      const [spare] = spares.splice(Math.max(ready, 0), 1);
      if (spare !== undefined) return spare;
    }
    return undefined;
  }

  #start(warmUp: WarmUp): WorkerProcess {
    const worker = new WorkerProcess(this.#spec, warmUp);
    this.#all.add(worker);
    void worker.gone.then(() => {
      this.#all.delete(worker);
      for (const spares of Object.values(this.#spares)) {
        if (spares.includes(worker)) spares.splice(spares.indexOf(worker), 1);
      }
      this.#observer.ended?.(worker.end ?? 'killed');
    });
    return worker;
  }

  #wanted(): Record<WarmUp, number> {
    const now = performance.now();
    this.#misses = this.#misses.filter((at) => now - at < BURST_MEMORY_MS).slice(-MOST_EXTRA_SPARES);
    return { numpy: this.#size + this.#misses.length, scipy: this.#wantsSciPy && this.#size > 0 ? 1 : 0 };
  }

  #refillSoon(): void {
    if (this.#isClosed || this.#refillTimer !== null) return;
    this.#refillTimer = setTimeout(() => {
      this.#refillTimer = null;
      const wanted = this.#wanted();
      for (const kind of ['numpy', 'scipy'] as const) {
        while (this.#spares[kind].length < wanted[kind]) this.#spares[kind].push(this.#start(kind));
      }
    }, REFILL_DELAY_MS).unref();
  }
}
