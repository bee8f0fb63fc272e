/** Jobs woken by timers of this process. */
import type { Clock } from '../common/ids.js';
import type { Logger } from '../common/logger.js';
import type { JobHandler, JobMetrics, JobName, Jobs } from './jobs.js';

export interface TimerJobsParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: JobMetrics;
}

interface Job {
  readonly name: JobName;
  readonly handler: JobHandler;
  readonly everyMs: number;
  timer: NodeJS.Timeout | null;
  running: Promise<void> | null;
  /** Somebody asked for it while it ran. */
  again: boolean;
  failures: number;
}

const FIRST_RETRY_MS = 250;
/** What a handler that ignores its signal may still take. */
const STOP_GRACE_MS = 5_000;

export class TimerJobs implements Jobs {
  readonly #parts: TimerJobsParts;
  readonly #jobs = new Map<JobName, Job>();
  readonly #stopping = new AbortController();
  #started = false;

  constructor(parts: TimerJobsParts) {
    this.#parts = parts;
  }

  define(name: JobName, handler: JobHandler, { everyMs }: { readonly everyMs: number }): void {
    if (this.#started || this.#jobs.has(name)) throw new Error(`the job ${name} is defined twice or too late`);
    this.#jobs.set(name, { name, handler, everyMs, timer: null, running: null, again: false, failures: 0 });
  }

  nudge(name: JobName): void {
    const job = this.#jobs.get(name);
    if (job !== undefined) this.#wake(job);
  }

  async start(): Promise<void> {
    this.#started = true;
    for (const job of this.#jobs.values()) this.#wake(job);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const jobs = [...this.#jobs.values()];
    for (const { timer } of jobs) if (timer !== null) clearTimeout(timer);
    let grace: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (grace = setTimeout(resolve, STOP_GRACE_MS)));
    const running = jobs.flatMap((job) => job.running ?? []);
    await Promise.race([Promise.all(running), late]);
    clearTimeout(grace);
  }

  #wake(job: Job): void {
    if (!this.#started || this.#stopping.signal.aborted) return;
    if (job.running !== null) {
      job.again = true;
      return;
    }
    if (job.timer !== null) clearTimeout(job.timer);
    job.running = this.#run(job).then((delayMs) => {
      job.running = null;
      if (this.#stopping.signal.aborted) return;
      job.timer = setTimeout(() => this.#wake(job), job.again ? 0 : delayMs);
      job.timer.unref();
      job.again = false;
    });
  }

  /** Returns after how long to run it again. */
  async #run(job: Job): Promise<number> {
    const { clock, logger, metrics } = this.#parts;
    const startedAt = performance.now();
    const took = (): number => (performance.now() - startedAt) / 1000;
    try {
      // A handler that throws at once is to be like one that rejects.
      const next = await (async () => job.handler(this.#stopping.signal))();
      job.failures = 0;
      metrics.jobRan(job.name, 'ok', took());
      return next === null ? job.everyMs : Math.min(job.everyMs, Math.max(0, next - clock()));
    } catch (error) {
      metrics.jobRan(job.name, 'failed', took());
      logger.warn({ err: error, job: job.name, failures: ++job.failures }, 'a job failed; it will be run again');
      return Math.min(job.everyMs, FIRST_RETRY_MS * 2 ** (job.failures - 1));
    }
  }
}
