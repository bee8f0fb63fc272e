/**
 * Runs without a service: no store, no address, nothing left behind. What the command line and the library carry out,
 * in the worker threads and the sandboxed CPython that the service uses, too. A composition root.
 */
import { MessageChannel } from 'node:worker_threads';
import { ExtremumError } from './common/errors.js';
import { silentLogger } from './common/logger.js';
import { failureFrom } from './common/thread-call.js';
import type { CodeAccess } from './backends/cpython/worker-spec.js';
import type { PythonConfig } from './config.js';
import type { UploadAnalysis } from './frontend/compile.js';
import type { ObjectiveSource } from './model/objective.js';
import type { RunTask } from './model/run-task.js';
import { NO_USAGE } from './model/run-usage.js';
import type { Misreading } from './model/verification.js';
import type { LogWish } from './runs/evaluation-log/open-log.js';
import { isOfMisreadSource } from './runs/extension.js';
import type { PythonHost } from './runs/python-host.js';
import { WorkerPools, type ThreadFaults } from './runs/worker-pools.js';
import { CONTROL_CELLS, Control, type RunJob, type RunReport, type RunResult } from './runs/worker-protocol.js';
import { startPython } from './sandboxed-python.js';

/**
 * A thread looks at its control cell between generations and every 50 ms; one that does not react this long is ended.
 */
const STOP_GRACE_MS = 2_000;

interface LocalRunRequest {
  readonly task: RunTask;
  readonly source: ObjectiveSource;
  /** Absent: false. */
  readonly blackBox?: boolean;
  /** Whether a GPU may value candidates, where it is faster. Absent: true. */
  readonly gpu?: boolean;
  /** `f32`: a GPU is to value them, in single precision. Absent: `f64`. */
  readonly precision?: 'f64' | 'f32';
  /** Absent: the interpreter's. */
  readonly pythonMinor?: number;
  /** As a report or a suspended run gave it; moved to the thread. Absent: from the start. */
  readonly checkpoint?: Uint8Array;
  /** Whether a run that its time limit ended has a checkpoint (`extendable`). Absent: false. */
  readonly keepsTimeout?: boolean;
  /** Threads of one evaluation; absent: 1. */
  readonly threads?: number;
  /** Where all evaluations are written; absent: nowhere. */
  readonly log?: LogWish;
  /** About once a second. What it throws ends the run. */
  readonly onReport?: (report: RunReport) => void;
  /** Compiled code misread the source: what was reported is void, and the run begins again in CPython. */
  readonly onMisread?: (misreading: Misreading) => void;
}

export type LocalRunResult = Exclude<RunResult, { readonly kind: 'failed' | 'misread' | 'unbegun' }>;

interface LocalRun {
  /**
   * Rejects with {ExtremumError}, or with what `onReport` threw. Always `suspended` where the thread had to be ended,
   * with the latest report.
   */
  readonly result: Promise<LocalRunResult>;
  /** `suspend`: with a checkpoint; `cancel`: with an outcome. Takes 2 s at most. Again: nothing. */
  stop(how: 'suspend' | 'cancel'): void;
}

export class LocalRuns {
  private readonly pools: WorkerPools;
  private readonly python: PythonHost & { close(): Promise<void> };
  private readonly verify: boolean;

  private constructor(pools: WorkerPools, python: PythonHost & { close(): Promise<void> }, verify: boolean) {
    this.pools = pools;
    this.python = python;
    this.verify = verify;
  }

  /** `workers`: runs at a time. To be closed. */
  static async open(
    config: PythonConfig & { readonly access?: CodeAccess },
    workers: number,
    faults: ThreadFaults = {},
  ): Promise<LocalRuns> {
    const pools = new WorkerPools(workers, silentLogger, faults);
    try {
      return new LocalRuns(pools, await startPython(config, silentLogger), config.verify);
    } catch (error) {
      await pools.close();
      throw error;
    }
  }

  get pythonMinor(): number {
    return this.python.pythonMinor;
  }

  /** Findings that an upload of this source would have. `name` is preferred as the objective's. */
  async analyze(code: string, name: string): Promise<UploadAnalysis> {
    const { pythonMinor } = this;
    const result = await this.pools.analyze('', {
      code,
      name,
      pythonMinor,
      interpreter: await this.python.facts(code),
    });
    if (result.kind === 'failed') throw failureFrom(result.error);
    return result.analysis;
  }

  start(request: LocalRunRequest): LocalRun {
    const { task, source, checkpoint = null } = request;
    const control = new Int32Array(new SharedArrayBuffer(4 * CONTROL_CELLS.count));
    const abort = new AbortController();
    let grace: NodeJS.Timeout | undefined;
    const end = (): void => {
      Atomics.store(control, CONTROL_CELLS.Stop, 1);
      abort.abort();
    };
    const stop = (how: 'suspend' | 'cancel'): void => {
      const wanted = how === 'suspend' ? Control.Suspend : Control.Cancel;
      if (Atomics.compareExchange(control, CONTROL_CELLS.Control, Control.GoOn, wanted) !== Control.GoOn) return;
      grace = setTimeout(end, STOP_GRACE_MS);
    };
    let last: RunReport | null = null;
    let thrown: { readonly error: unknown } | null = null;
    const onReport = (report: RunReport): void => {
      // A report without a checkpoint is not what a run goes on from.
      if (report.checkpoint !== undefined || last === null) last = report;
      try {
        request.onReport?.(report);
      } catch (error) {
        thrown ??= { error };
        stop('cancel');
      }
    };
    const pythonMinor = request.pythonMinor ?? this.python.pythonMinor;
    const attempt = async (begun: Pick<RunJob, 'checkpoint' | 'misread' | 'earlierSeconds'>): Promise<RunResult> => {
      const interpreter = await this.python.facts(source.code);
      const { port1: reports, port2: remoteReports } = new MessageChannel();
      const isMisread = begun.misread !== null || (begun.checkpoint !== null && isOfMisreadSource(begun.checkpoint));
      const wanted = { owner: '', verify: this.verify, pythonMinor, isMisread };
      const offer = this.python.offer(source, task.bounds.length, wanted);
      reports.on('message', onReport);
      const job: RunJob = {
        task,
        source,
        pythonMinor,
        interpreter,
        math: 'exact',
        gpu: request.gpu ?? true,
        precision: request.precision ?? 'f64',
        blackBox: request.blackBox ?? false,
        knowledge: null,
        starts: null,
        extension: null,
        control,
        keepsTimeout: request.keepsTimeout ?? false,
        threads: request.threads ?? 1,
        reports: remoteReports,
        python: offer.access,
        unchecked: offer.unchecked,
        log: request.log,
        ...begun,
      };
      try {
        return await this.pools.carryOut(job, abort.signal);
      } finally {
        reports.close();
        void offer.withdraw();
      }
    };
    const carryOut = async (): Promise<LocalRunResult> => {
      try {
        let result = await attempt({ checkpoint, misread: null, earlierSeconds: 0 });
        if (result.kind === 'misread' && thrown === null) {
          const { misreading: misread, elapsedSeconds: earlierSeconds } = result;
          last = null;
          request.onMisread?.(misread);
          result = await attempt({ checkpoint: null, misread, earlierSeconds });
        }
        if (thrown !== null) throw thrown.error;
        if (result.kind === 'failed') throw failureFrom(result.error);
        if (result.kind === 'misread') throw new Error('CPython misreads nothing');
        if (result.kind !== 'unbegun') return result;
        if (result.why === 'cancelled') return { kind: 'suspended', report: null, usage: result.usage };
        throw new ExtremumError('invalid_request', 'The time limit was reached while the source was compiled.');
      } catch (error) {
        if (thrown !== null) throw thrown.error;
        if (Atomics.load(control, CONTROL_CELLS.Control) === Control.GoOn || !abort.signal.aborted) throw error;
        return { kind: 'suspended', report: last, usage: last?.usage ?? NO_USAGE };
      } finally {
        clearTimeout(grace);
      }
    };
    return { result: carryOut(), stop };
  }

  /** Ends all threads and processes at once. */
  async close(): Promise<void> {
    await this.pools.close();
    await this.python.close();
  }
}

/**
 * The objective of an analysed source. `wanted`: the function that must be it; absent: whichever an upload would take.
 * @throws {ExtremumError} `objective_rejected` with the first finding in `facts.diagnostic`, where there is one.
 */
export function objectiveOf({ errors, source, vectorized }: UploadAnalysis, wanted?: string): ObjectiveSource {
  const [first] = errors;
  if (first !== undefined) {
    throw new ExtremumError('objective_rejected', first.message, { facts: { diagnostic: first } });
  }
  if (source === null) throw new ExtremumError('objective_rejected', 'there is no objective');
  if (wanted !== undefined && source.entry !== wanted) {
    throw new ExtremumError('objective_rejected', `there is no function ${wanted} that takes one argument`);
  }
  return vectorized ? { ...source, vectorized } : source;
}
