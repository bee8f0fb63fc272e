/**
 * One confined Python process. Life: constructed (starts at once) -> `ready` -> `load` once -> `evaluate`, one call at a
 * time -> `kill`. A process that ends by itself, breaks the protocol or takes too long is killed and stays dead; the
 * caller learns why and starts another. Must live in the main thread: the process dies with the thread that started it.
 *
 * Which candidate is being evaluated is read from the progress page, a shared file of one page into which the worker
 * writes how many evaluations it has begun. So time limits hold per evaluation, however large the batch, and the
 * candidate that ended a process is known without a message per candidate.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import type net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { ExtremumError } from '../../common/errors.js';
import type { ObjectiveSource } from '../../model/objective.js';
import type { EvaluationFailure } from '../../model/run-task.js';
import { pythonFile, type Interpreter } from './interpreter.js';
import {
  evaluateRequest,
  FrameReader,
  loadRequest,
  newNonce,
  parseHello,
  parseLoaded,
  parseResults,
  PROGRESS_BYTES,
  ProtocolBreach,
  resultsLimit,
  type Frame,
  type Hello,
  type Results,
} from './protocol.js';

const DIAGNOSTICS_BYTES = 4096;
const START_TIMEOUT_MS = 30_000;

/** All of them hold for one process. */
export interface WorkerLimits {
  /** Address space. */
  readonly memoryBytes: number;
  /** Processor time over its whole life; a run that needs more goes on in a fresh one. */
  readonly cpuSeconds: number;
  /** Of one call of the objective. */
  readonly evaluationTimeoutMs: number;
  /** Of the imports and the module level of a source. */
  readonly loadTimeoutMs: number;
  /** Texts (error messages) in one answer, beyond the numbers. */
  readonly outputBytes: number;
}

export interface WorkerSpec {
  readonly launcher: string;
  readonly interpreter: Interpreter;
  readonly limits: WorkerLimits;
}

/** Modules that a process imports while it waits: NumPy's, or SciPy's as well, which takes longer and more memory. */
export type WarmUp = 'numpy' | 'scipy';

/**
 * Why a process ended. `finished`: its kernel was closed; `time_limit`: load or evaluation took too long; `protocol`: it sent
 * what nobody asked for; `killed`: by the kernel, for its processor time or a host out of memory; `crashed`: by a signal of
 * its own; `exited`: of its own accord; `failed_start`; `shutdown`: with the backend.
 */
export const PROCESS_ENDS = [
  'finished',
  'time_limit',
  'protocol',
  'killed',
  'crashed',
  'exited',
  'failed_start',
  'shutdown',
] as const;
export type ProcessEnd = (typeof PROCESS_ENDS)[number];

/** Why a process is gone; `current` is the row that was being evaluated, as far as known. */
export interface Loss {
  readonly type: 'TimeLimit' | 'ProcessLost';
  readonly message: string;
  readonly current: number;
}

interface Waiting {
  readonly onFrame: (frame: Frame) => void;
  readonly onLost: () => void;
}

export class WorkerProcess {
  readonly ready: Promise<Hello>;
  /** Settles when the process is gone and its descriptors are closed. */
  readonly gone: Promise<void>;
  readonly pid: number | undefined;
  readonly warmUp: WarmUp;
  readonly #spec: WorkerSpec;
  readonly #child: ChildProcess;
  readonly #progress: number;
  readonly #reader = new FrameReader();
  readonly #nonce = newNonce();
  #waiting: Waiting | null = null;
  #lossReason: { type: Loss['type']; message: string } | null = null;
  #isAlive = true;
  #isReady = false;
  #end: ProcessEnd | null = null;
  /** Runs while someone waits for this process. Pipes and process alone keep no event loop alive. */
  #keepAlive: NodeJS.Timeout | null = null;
  #diagnostics = '';
  #sequence = 0;
  #evaluationsSent = 0;

  constructor(spec: WorkerSpec, warmUp: WarmUp = 'numpy') {
    this.#spec = spec;
    this.warmUp = warmUp;
    this.#progress = openProgressPage();
    this.#child = spawn(spec.launcher, launcherArguments(spec, warmUp), {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'pipe', 'pipe', this.#progress],
    });
    this.pid = this.#child.pid;
    this.gone = this.#watch();
    this.ready = this.#greet();
    this.ready.catch(() => undefined); // a spare may fail before anyone asks for it
    this.#child.unref();
    // Child pipes are sockets; the declared type only promises streams.
    for (const pipe of this.#child.stdio.slice(0, 3) as (net.Socket | null)[]) pipe?.unref();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Keeps the event loop alive while someone waits for this process. */
  hold(): void {
    this.#keepAlive ??= setInterval(() => undefined, 2 ** 31 - 1);
  }

  release(): void {
    if (this.#keepAlive !== null) clearInterval(this.#keepAlive);
    this.#keepAlive = null;
  }

  /** Whether it has greeted, so that `load` is answered at once. */
  get isReady(): boolean {
    return this.#isAlive && this.#isReady;
  }

  /** Null while it lives. */
  get end(): ProcessEnd | null {
    return this.#isAlive ? null : this.#end;
  }

  /**
   * Loads the objective. Not to be called twice.
   * Resolves to whether the source keeps nothing from one call to the next, as far as its text shows.
   * @throws {ExtremumError} `objective_rejected` with the Python error, or when loading ended the process.
   */
  async load(source: ObjectiveSource, dimension: number, withinMs = Infinity): Promise<boolean> {
    const { outputBytes } = this.#spec.limits;
    const loadTimeoutMs = Math.min(withinMs, this.#spec.limits.loadTimeoutMs);
    const timer = setTimeout(
      () => this.#stop('time_limit', 'TimeLimit', `loading took longer than ${seconds(loadTimeoutMs)} and was stopped`),
      loadTimeoutMs,
    );
    try {
      this.#child.stdin!.write(loadRequest(this.#nonce, source, dimension, outputBytes));
      const frame = await this.#nextFrame();
      const answer = frame === null ? undefined : this.#checked(() => parseLoaded(frame, this.#nonce));
      if (answer === undefined) throw rejected({ ...this.#loss(), line: 0 });
      if ('problem' in answer) throw rejected(answer.problem);
      return answer.isStateless;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Evaluates `count` rows. `onResults` gets consecutive stretches of them as they come in.
   * Resolves to null when all were answered, else to why the process is gone; rows not yet reported are then open.
   */
  evaluate(rows: Float64Array, count: number, onResults: (results: Results) => void): Promise<Loss | null> {
    if (!this.#isAlive) return Promise.resolve({ ...this.#loss(), current: 0 });
    const sequence = ++this.#sequence;
    const sentBefore = this.#evaluationsSent;
    this.#evaluationsSent += count;
    this.#reader.limitBytes = resultsLimit(count, this.#spec.limits.outputBytes);
    let received = 0;
    return new Promise((resolve) => {
      const stopWatchdog = this.#watchProgress();
      const finish = (loss: Loss | null): void => {
        stopWatchdog();
        this.#waiting = null;
        resolve(loss);
      };
      const onFrame = (frame: Frame): void => {
        const expected = { nonce: this.#nonce, sequence, start: received, count };
        const results = this.#checked(() => parseResults(frame, expected));
        if (results === undefined) return;
        received += results.count;
        onResults(results);
        if (received === count) finish(null);
      };
      const onLost = (): void => {
        const current = this.#evaluationsBegun() - sentBefore - 1;
        finish({ ...this.#loss(), current: Math.min(Math.max(current, received), count - 1) });
      };
      this.#waiting = { onFrame, onLost };
      this.#child.stdin!.write(evaluateRequest(sequence, count, rows));
    });
  }

  async kill(why: ProcessEnd = 'finished'): Promise<void> {
    this.hold(); // whoever waits must live to see it
    this.#stop(why, 'ProcessLost', 'the Python process was stopped');
    await this.gone;
    this.release();
  }

  async #greet(): Promise<Hello> {
    const timer = setTimeout(() => {
      this.#stop('failed_start', 'TimeLimit', 'it did not start in time');
    }, START_TIMEOUT_MS).unref();
    const frame = await this.#nextFrame();
    clearTimeout(timer);
    const hello = frame === null ? undefined : this.#checked(() => parseHello(frame));
    if (hello !== undefined) {
      this.#isReady = true;
      return hello;
    }
    await this.gone;
    const reason = this.#diagnostics.trim().split('\n').at(-1) || this.#loss().message;
    throw new ExtremumError('backend_unavailable', `the Python worker cannot start: ${reason}`);
  }

  #watch(): Promise<void> {
    const child = this.#child;
    child.stdin?.on('error', () => undefined); // the pipe of a process that just died; 'close' tells why
    child.stdout?.on('data', (chunk: Buffer) => this.#receive(chunk));
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#diagnostics = (this.#diagnostics + chunk.toString('latin1')).slice(-DIAGNOSTICS_BYTES);
    });
    return new Promise((resolve) => {
      child.on('error', (error) => {
        this.#lossReason ??= { type: 'ProcessLost', message: `the launcher cannot be started: ${error.message}` };
        this.#end ??= 'failed_start';
        if (child.pid === undefined) closed(null, null);
      });
      const closed = (code: number | null, signal: string | null): void => {
        if (!this.#isAlive) return;
        this.#isAlive = false;
        this.#end ??= signal === 'SIGKILL' ? 'killed' : signal === null ? 'exited' : 'crashed';
        this.#lossReason ??= { type: 'ProcessLost', message: this.#describeExit(code, signal) };
        const waiting = this.#waiting;
        this.#waiting = null;
        waiting?.onLost();
        fs.closeSync(this.#progress);
        resolve();
      };
      child.on('close', closed);
    });
  }

  #describeExit(code: number | null, signal: string | null): string {
    if (signal === 'SIGKILL')
      return `the Python process was killed (${this.#spec.limits.cpuSeconds} s of processor time used up, or the host is out of memory)`;
    if (signal !== null) return `the Python process died of ${signal} (stack overflow or a crash in native code)`;
    return `the Python process exited with status ${code}`;
  }

  #receive(chunk: Buffer): void {
    this.#checked(() => {
      for (const frame of this.#reader.read(chunk)) {
        if (this.#lossReason !== null) return;
        if (this.#waiting === null) throw new ProtocolBreach('a frame that nobody asked for');
        this.#waiting.onFrame(frame);
      }
    });
  }

  /** Runs a check of hostile data; a breach ends the process and gives undefined. */
  #checked<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ProtocolBreach)) throw error;
      this.#stop('protocol', 'ProcessLost', `the Python process broke the protocol: ${error.message}`);
      return undefined;
    }
  }

  #nextFrame(): Promise<Frame | null> {
    if (!this.#isAlive) return Promise.resolve(null);
    return new Promise((resolve) => {
      const settle = (frame: Frame | null): void => {
        this.#waiting = null;
        resolve(frame);
      };
      this.#waiting = { onFrame: settle, onLost: () => settle(null) };
    });
  }

  /** Kills the process once one evaluation has lasted longer than its limit. Returns how to stop watching. */
  #watchProgress(): () => void {
    const { evaluationTimeoutMs } = this.#spec.limits;
    let last = -1;
    let since = performance.now();
    const look = (): void => {
      const begun = this.#evaluationsBegun();
      if (begun > last) {
        last = begun;
        since = performance.now();
      } else if (performance.now() - since > evaluationTimeoutMs) {
        this.#stop(
          'time_limit',
          'TimeLimit',
          `the evaluation took longer than ${seconds(evaluationTimeoutMs)} and was stopped`,
        );
      }
    };
    const timer = setInterval(look, Math.max(5, Math.min(250, evaluationTimeoutMs / 8))).unref();
    return () => clearInterval(timer);
  }

  /** Clamped to what was sent, so that code which writes into the page cannot postpone its limit for ever. */
  #evaluationsBegun(): number {
    const page = Buffer.alloc(8);
    fs.readSync(this.#progress, page, 0, 8, 0);
    return Math.min(Number(page.readBigUInt64LE(0)), this.#evaluationsSent);
  }

  #loss(): { type: Loss['type']; message: string } {
    return this.#lossReason ?? { type: 'ProcessLost', message: 'the Python process is gone' };
  }

  #stop(end: ProcessEnd, type: Loss['type'], message: string): void {
    if (!this.#isAlive) return;
    this.#end ??= end;
    this.#lossReason ??= { type, message };
    this.#child.kill('SIGKILL');
    // A process may fill the pipe faster than it dies: stop reading.
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#child.stdin?.destroy();
  }
}

const seconds = (ms: number): string => `${ms / 1000} s`;

function rejected(problem: EvaluationFailure): ExtremumError {
  const place = problem.line > 0 ? ` (line ${problem.line})` : '';
  return new ExtremumError('objective_rejected', `${problem.type}: ${problem.message}${place}`, {
    facts: { ...problem },
  });
}

function launcherArguments({ interpreter, limits }: WorkerSpec, warmUp: WarmUp): string[] {
  return [
    ['--parent', String(process.pid)],
    ['--python', interpreter.executable],
    ['--script', pythonFile('stateless.py')],
    ['--script', pythonFile('worker.py')],
    ['--warm-up', warmUp],
    ['--memory', String(limits.memoryBytes)],
    ['--cpu', String(limits.cpuSeconds)],
    ...interpreter.readable.map((file) => ['--read', file]),
    ...interpreter.executables.map((file) => ['--exec', file]),
  ].flat();
}

/** A page that both sides map or read, without a name: gone when the last of them closes it. */
function openProgressPage(): number {
  for (const folder of ['/dev/shm', os.tmpdir()]) {
    const file = path.join(folder, `extremum-${randomUUID()}`);
    try {
      const descriptor = fs.openSync(file, 'wx+', 0o600);
      fs.unlinkSync(file);
      fs.ftruncateSync(descriptor, PROGRESS_BYTES);
      return descriptor;
    } catch (error) {
      if (folder !== '/dev/shm')
        throw new ExtremumError('backend_unavailable', `no temporary file in ${folder}`, { cause: error });
    }
  }
  throw new Error('unreachable: the last folder either returns or throws');
}
