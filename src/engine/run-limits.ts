/** Time and cancellation of one run: what ends it from outside, also in the middle of an evaluation. */
import type { RunTask } from '../model/run-task.js';
import type { RunPorts } from './ports.js';

/** Seconds that a run whose time was up before its first evaluation may still take for it. */
const FIRST_EVALUATION_SECONDS = 1;

export class RunLimits {
  private readonly abort = new AbortController();
  private request: 'cancelled' | 'timeout' | null = null;
  /** By how much the time limit may be passed. */
  private graceSeconds = 0;

  /**
   * @param startedAt in the terms of `ports.now`
   * @param earlierSeconds that earlier attempts of a resumed run took
   */
  constructor(
    private readonly task: RunTask,
    private readonly ports: RunPorts,
    private readonly startedAt: number,
    private readonly earlierSeconds: number,
  ) {}

  /** Aborts the evaluation under way. */
  get signal(): AbortSignal {
    return this.abort.signal;
  }

  elapsedSeconds(): number {
    return this.earlierSeconds + (this.ports.now() - this.startedAt) / 1000;
  }

  /** Whether the time is up, and nobody has cancelled the run. */
  isLate(): boolean {
    const { timeoutSeconds = Infinity } = this.task;
    return this.elapsedSeconds() >= timeoutSeconds && !this.ports.isCancelled();
  }

  /** Carries out the first evaluation of a run that is late. */
  async withGrace(work: () => Promise<unknown>): Promise<void> {
    this.graceSeconds = FIRST_EVALUATION_SECONDS + this.elapsedSeconds();
    await work();
    this.graceSeconds = 0;
  }

  /** Reason to end the run now, asked for from outside; once there is one, it stays. */
  stopRequest(): 'cancelled' | 'timeout' | null {
    if (this.request !== null) return this.request;
    const { timeoutSeconds } = this.task;
    if (this.ports.isCancelled()) this.request = 'cancelled';
    else if (timeoutSeconds !== undefined && this.elapsedSeconds() >= timeoutSeconds + this.graceSeconds) {
      this.request = 'timeout';
    }
    const isMisread = (this.ports.checks?.misreading ?? null) !== null;
    if (this.request !== null || isMisread) this.abort.abort();
    return this.request;
  }
}
