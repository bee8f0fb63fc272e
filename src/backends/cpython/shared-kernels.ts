/**
 * Kernels that stay for the next one who asks for the same objective: a process that checks values of runs of a few
 * milliseconds must not be started for each. Whoever leases a key gets the kernel of that key or none; keys are never
 * mixed, so the caller puts into the key whatever must not meet in a process.
 *
 * Calls of one kernel go one after the other. A kernel whose call fails in any way, or loses its process, is ended; the
 * next call opens another. Kernels that nobody calls end after a while, the least recently used first where there are
 * many.
 */
import { ExtremumError } from '../../common/errors.js';
import type { CandidateBatch } from '../../model/candidate-batch.js';
import type { EvaluationOutput, Kernel } from '../backend.js';

const IDLE_MS = 30_000;
const MOST_IDLE = 4;

interface SharedKernelOptions {
  readonly idleMs?: number;
  readonly mostIdle?: number;
}

interface Entry {
  readonly key: string;
  readonly kernel: Promise<Kernel>;
  /** Settles when those who came before have done. */
  turn: Promise<void>;
  callers: number;
  timer: NodeJS.Timeout | null;
  isEnded: boolean;
}

interface Lease extends Kernel {
  /** Seconds that its calls took, without waiting for others. */
  readonly seconds: number;
}

export class SharedKernels {
  /** The least recently used first. */
  private readonly entries = new Map<string, Entry>();
  private readonly ending = new Set<Promise<void>>();
  private readonly idleMs: number;
  private readonly mostIdle: number;
  private isClosed = false;

  constructor({ idleMs = IDLE_MS, mostIdle = MOST_IDLE }: SharedKernelOptions = {}) {
    this.idleMs = idleMs;
    this.mostIdle = mostIdle;
  }

  /** Kernels at this moment. */
  get size(): number {
    return this.entries.size;
  }

  /** `open` is called when one is needed. Closing the lease leaves the kernel to others. */
  lease(key: string, open: () => Promise<Kernel>): Lease {
    let milliseconds = 0;
    return {
      backend: 'cpython',
      device: 'shared',
      get seconds() {
        return milliseconds / 1000;
      },
      evaluate: (batch, output, signal) =>
        this.evaluate(key, open, { batch, output, signal }, (ms) => (milliseconds += ms)),
      close: async () => {},
    };
  }

  /** Ends all. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const entry of [...this.entries.values()]) this.end(entry);
    await Promise.all(this.ending);
  }

  private async evaluate(
    key: string,
    open: () => Promise<Kernel>,
    { batch, output, signal }: { batch: CandidateBatch; output: EvaluationOutput; signal: AbortSignal | undefined },
    took: (ms: number) => void,
  ): Promise<void> {
    for (;;) {
      if (this.isClosed) throw new ExtremumError('backend_lost', 'the Python backend is closed');
      const entry = this.enter(key, open);
      const before = entry.turn;
      let done = (): void => {};
      entry.turn = new Promise((resolve) => (done = resolve));
      try {
        await before;
        if (signal?.aborted === true) throw new ExtremumError('cancelled', 'the evaluation was cancelled');
        if (entry.isEnded) continue;
        const startedAt = performance.now();
        try {
          const kernel = await entry.kernel;
          await kernel.evaluate(batch, output, signal);
          if (output.failures.some(({ type }) => LOSSES.has(type))) this.end(entry);
        } catch (error) {
          this.end(entry);
          throw error;
        } finally {
          took(performance.now() - startedAt);
        }
        return;
      } finally {
        done();
        this.leave(entry);
      }
    }
  }

  private enter(key: string, open: () => Promise<Kernel>): Entry {
    let entry = this.entries.get(key);
    if (entry === undefined) {
      const kernel = open();
      // Whoever waits for it hears of it.
      kernel.catch(() => {});
      entry = { key, kernel, turn: Promise.resolve(), callers: 0, timer: null, isEnded: false };
    }
    this.entries.delete(key);
    this.entries.set(key, entry);
    entry.callers++;
    if (entry.timer !== null) clearTimeout(entry.timer);
    entry.timer = null;
    return entry;
  }

  private leave(entry: Entry): void {
    entry.callers--;
    if (entry.callers > 0 || entry.isEnded) return;
    entry.timer = setTimeout(() => this.end(entry), this.idleMs).unref();
    const idle = [...this.entries.values()].filter(({ callers }) => callers === 0);
    for (const oldest of idle.slice(0, Math.max(0, idle.length - this.mostIdle))) this.end(oldest);
  }

  private end(entry: Entry): void {
    if (entry.isEnded) return;
    entry.isEnded = true;
    if (entry.timer !== null) clearTimeout(entry.timer);
    if (this.entries.get(entry.key) === entry) this.entries.delete(entry.key);
    const ended = entry.kernel
      .then((kernel) => kernel.close())
      .catch(() => {})
      .finally(() => this.ending.delete(ended));
    this.ending.add(ended);
  }
}

/** Failures that end a process. */
const LOSSES: ReadonlySet<string> = new Set(['TimeLimit', 'ProcessLost', 'MemoryLimit']);
