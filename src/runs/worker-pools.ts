/**
 * The threads that do the CPU-bound work. Runs have a pool of their own, so that an upload or an evaluation never waits
 * behind a run of an hour.
 */
import type { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { distEntry } from '../common/dist-entry.js';
import { ExtremumError } from '../common/errors.js';
import { FairLimit } from '../common/fair-limit.js';
import type { Logger } from '../common/logger.js';
import { movable } from '../common/movable.js';
import { workerExecArgv } from '../common/worker-threads.js';
import { newProfiles } from '../evaluation/device-profiles.js';
import type { DeviceReport } from '../evaluation/devices.js';
import type { PythonAccess } from '../evaluation/kernels.js';
import type { BackendProbe } from '../evaluation/placement.js';
import type { ObjectiveSource } from '../model/objective.js';
import type {
  AnalysisJob,
  AnalysisResult,
  CompilesJob,
  EvaluationJob,
  EvaluationResult,
  PictureJob,
  ProblemJob,
  RunJob,
  RunResult,
  SolveResult,
  WorkerFunction,
} from './worker-protocol.js';

/** One more than an account may have at work, so that its long evaluations leave a thread to the others. */
const QUICK_THREADS = 3;
const QUICK_TIMEOUT_MS = 30_000;
/** So long a thread for runs waits for the next one. */
const RUN_IDLE_MS = 900_000;
const WAKE_MS = 1_000;
/** Short jobs at a time, and how many may wait. */
export const QUICK_LIMITS = {
  atOnce: QUICK_THREADS,
  perOwner: QUICK_THREADS - 1,
  waiting: 384,
  waitingPerOwner: 256,
  waitingBytes: 96 * 1024 ** 2,
  waitingBytesPerOwner: 32 * 1024 ** 2,
  patienceMs: 30_000,
};

/** For tests of what happens when compiled code is wrong. */
export interface ThreadFaults {
  /** URL of a module whose default export takes the program of each compiled objective and gives another. */
  readonly programs?: string;
  /** Kind of argument that every upload is found to take. */
  readonly argument?: ObjectiveSource['argument'];
  /** Checks of values wait for CPython, however long it takes. */
  readonly checksWait?: boolean;
}

/** What a thread is given when it starts. */
export interface ThreadData extends ThreadFaults {
  /** `DeviceProfiles` of the process. */
  readonly profiles: SharedArrayBuffer;
}

export class WorkerPools {
  /** Null: this process carries out no runs. */
  private readonly runs: Piscina | null;
  private readonly quick: Piscina;
  private readonly quickTurns = new FairLimit(QUICK_LIMITS);
  private closed = false;

  constructor(
    readonly runThreads: number,
    logger: Logger,
    faults: ThreadFaults = {},
  ) {
    const filename = distEntry('runs/run-worker');
    const execArgv = workerExecArgv();
    const workerData: ThreadData = { ...faults, profiles: newProfiles() };
    // Threads stay for long: starting one and loading the program costs more than most runs. None is there before the
    // first run, for each takes some 35 MB.
    this.runs =
      runThreads === 0
        ? null
        : new Piscina({
            filename,
            execArgv,
            workerData,
            minThreads: 0,
            maxThreads: runThreads,
            idleTimeout: RUN_IDLE_MS,
          });
    this.quick = new Piscina({
      filename,
      execArgv,
      workerData,
      minThreads: 0,
      maxThreads: QUICK_THREADS,
      idleTimeout: 60_000,
    });
    for (const pool of [this.runs, this.quick]) {
      if (pool === null) continue;
      // What a thread was working on hears of its death by itself; this is for threads that die idle.
      pool.on('error', (error: unknown) => {
        logger.warn({ err: error }, 'a worker thread died');
        // One that dies before it is ready leaves what waits for it, and only another job brings up the next.
        setTimeout(() => this.wake(pool), WAKE_MS).unref();
      });
    }
  }

  private wake(pool: Piscina): void {
    const name: WorkerFunction = 'probe';
    if (!this.closed) void pool.run(null, { name }).catch(() => {});
  }

  /** Rejects when the thread dies or `signal` ends it; every other failure is in the result. */
  async carryOut(job: RunJob, signal: AbortSignal): Promise<RunResult> {
    if (this.runs === null) throw new Error('a run was begun in a process without threads for runs');
    const name: WorkerFunction = 'carryOut';
    const transferList = [job.reports, ...portsOf(job.python), ...movable(job.checkpoint)];
    return this.runs.run(job, { name, signal, transferList }) as Promise<RunResult>;
  }

  /** The same of a run that solves a problem. */
  async solve(job: ProblemJob, signal: AbortSignal): Promise<SolveResult> {
    if (this.runs === null) throw new Error('a run was begun in a process without threads for runs');
    const name: WorkerFunction = 'solve';
    return this.runs.run(job, { name, signal, transferList: [job.reports] }) as Promise<SolveResult>;
  }

  /** Short jobs that wait for a thread. */
  get quickQueue(): number {
    return this.quickTurns.waiting;
  }

  /** `accountId`, here and below: whose turn it takes. What takes too long to compile is accepted without. */
  async analyze(accountId: string, job: AnalysisJob): Promise<AnalysisResult> {
    const analyzed = (how: AnalysisJob): Promise<AnalysisResult> =>
      this.quickly(accountId, 'analyze', how, [], ['Checking the source', 'code']);
    try {
      return await analyzed(job);
    } catch (error) {
      const isTooMuch = error instanceof ExtremumError && error.facts['tookTooLong'] === true;
      if (!isTooMuch) throw error;
      return analyzed({ ...job, isTooMuch });
    }
  }

  async evaluate(accountId: string, job: Omit<EvaluationJob, 'stop'>): Promise<EvaluationResult> {
    const stop = new Int32Array(new SharedArrayBuffer(4));
    try {
      const what = ['Evaluating these points', 'points'] as const;
      const { byteLength } = job.candidates;
      return await this.quickly(accountId, 'evaluate', { ...job, stop }, portsOf(job.python), what, byteLength);
    } finally {
      Atomics.store(stop, 0, 1);
    }
  }

  compiles(accountId: string, job: CompilesJob): Promise<boolean> {
    return this.quickly(accountId, 'compiles', job, [], ['Compiling the function', 'objective_function_id']);
  }

  /** SVG to PNG. */
  rasterize(accountId: string, svg: string): Promise<Uint8Array> {
    return this.quickly(accountId, 'rasterize', svg, [], ['Drawing the picture']);
  }

  /** A picture of a solved problem, as SVG; null: it has none of that kind. */
  draw(accountId: string, job: PictureJob): Promise<string | null> {
    return this.quickly(accountId, 'draw', job, [], ['Drawing the picture']);
  }

  probe(): Promise<readonly BackendProbe[]> {
    return this.quickly('', 'probe', null, [], ['Looking at the backends']);
  }

  /** The devices beside the processor. `measures`: also how fast they are, which takes a moment once. */
  devices(measures: boolean): Promise<readonly DeviceReport[]> {
    return this.quickly('', 'devices', measures, [], ['Looking at the devices']);
  }

  /**
   * `what`: for an error that it took too long, and the request's field that made it so; what waits for its turn takes
   * no time. `bytes`: of the job, where they are many.
   */
  private quickly<T>(
    owner: string,
    name: WorkerFunction,
    job: unknown,
    transferList: MessagePort[],
    [what, field]: readonly [what: string, field?: string],
    bytes = 0,
  ): Promise<T> {
    const work = async (): Promise<T> => {
      const signal = AbortSignal.timeout(QUICK_TIMEOUT_MS);
      try {
        return (await this.quick.run(job, { name, signal, transferList })) as T;
      } catch (cause) {
        if (this.closed) throw new ExtremumError('unavailable', 'The service is stopping.', { cause });
        if (!signal.aborted) throw cause;
        const message = `${what} took longer than ${QUICK_TIMEOUT_MS / 1000} s and was ended.`;
        const facts = { tookTooLong: true };
        throw new ExtremumError('invalid_request', message, {
          cause,
          facts,
          field,
        });
      }
    };
    return this.quickTurns.run(owner, work, bytes);
  }

  /** Ends all threads at once, with whatever they are doing. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([this.runs?.destroy(), this.quick.destroy()]);
  }
}

const portsOf = (python: PythonAccess): MessagePort[] => (python.port === null ? [] : [python.port]);
