/**
 * A job in this process: its handler, run once at a time, again when somebody asks while it runs, again soon where it
 * failed, and again when it said that something will be due. Needs no database; nothing that a handler does (throw,
 * hang, return nonsense) gets out of here.
 */
import type { Clock } from '../common/ids.js';
import type { Logger } from '../common/logger.js';
import type { JobHandler, JobMetrics, JobName } from './jobs.js';

export interface LocalJobParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: JobMetrics;
  /** A handler that takes longer is told to stop; it has a grace as long as `stop` gives, and is then given up. */
  readonly longestMs?: number;
  readonly graceMs?: number;
}

const LONGEST_MS = 300_000;
const GRACE_MS = 5_000;
const FIRST_RETRY_MS = 250;
/** One that always names a time in the past leaves the thread to others for so long. */
const LEAST_MS = 10;

export class LocalJob {
  private readonly parts: LocalJobParts;
  private readonly handler: JobHandler;
  private running: Promise<void> | null = null;
  private abort = new AbortController();
  private stopping = false;
  /** Somebody asked for it while it ran. */
  private again = false;
  private timer: NodeJS.Timeout | null = null;
  private failures = 0;

  constructor(
    readonly name: JobName,
    handler: JobHandler,
    readonly everyMs: number,
    parts: LocalJobParts,
  ) {
    this.handler = handler;
    this.parts = parts;
  }

  /** Runs it, once more where it is running. */
  wake(): void {
    if (this.running === null) void this.begin();
    else this.again = true;
  }

  /** Runs it, or waits for the run that is on its way. Rejects where the handler failed. */
  run(): Promise<void> {
    return this.running ?? this.begin();
  }

  /** Nothing is started any more. Resolves when what ran has ended, or has had its grace. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.sleep(null);
    this.abort.abort();
    await this.running?.catch(() => {});
  }

  private begin(): Promise<void> {
    if (this.stopping) return Promise.resolve();
    this.sleep(null);
    const run = this.carryOut();
    this.running = run;
    // Whoever called `run` hears of the failure; it is logged and counted in any case.
    run.catch(() => {});
    return run;
  }

  private async carryOut(): Promise<void> {
    const { name, everyMs } = this;
    const { clock, logger, metrics } = this.parts;
    const startedAt = performance.now();
    let delayMs: number | null = null;
    try {
      const next = await this.handle();
      this.failures = 0;
      metrics.jobRan(name, 'ok', (performance.now() - startedAt) / 1000);
      if (next !== null && next - clock() < everyMs) delayMs = Math.max(LEAST_MS, next - clock());
    } catch (error) {
      metrics.jobRan(name, 'failed', (performance.now() - startedAt) / 1000);
      const failures = ++this.failures;
      logger.warn({ err: error, job: name, failures }, 'a job failed; it will be run again');
      delayMs = Math.min(everyMs, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 30));
      throw error instanceof Error ? error : new Error(String(error));
    } finally {
      this.running = null;
      if (this.again && this.failures === 0) delayMs = 0;
      this.again = false;
      this.sleep(delayMs);
    }
  }

  /** The handler's answer, or why there is none. */
  private async handle(): Promise<number | null> {
    const { longestMs = LONGEST_MS, graceMs = GRACE_MS } = this.parts;
    const abort = (this.abort = new AbortController());
    const timers: NodeJS.Timeout[] = [];
    const givenUp = new Promise<never>((_resolve, reject) => {
      timers.push(setTimeout(() => abort.abort(), longestMs));
      abort.signal.addEventListener('abort', () => {
        timers.push(setTimeout(() => reject(new Error('the handler does not end')), graceMs));
      });
    });
    try {
      // One that throws at once is to be like one that rejects.
      const answer = (async () => this.handler(abort.signal))();
      const next = await Promise.race([answer, givenUp]);
      if (next !== null && !Number.isFinite(next)) throw new Error(`the handler returned no time, but ${String(next)}`);
      return next;
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }

  private sleep(delayMs: number | null): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (delayMs === null || this.stopping) return;
    this.timer = setTimeout(() => this.wake(), delayMs);
    this.timer.unref();
  }
}
