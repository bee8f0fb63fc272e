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

export interface WorkerLimits {
  /** Address space of the process. */
  readonly memoryBytes: number;
  /** Processor time of one process over its whole life; a run that needs more goes on in a fresh one. */
  readonly cpuSeconds: number;
  readonly evaluationTimeoutMs: number;
  readonly loadTimeoutMs: number;
}

export interface WorkerSpec {
  readonly launcher: string;
  readonly interpreter: Interpreter;
  readonly limits: WorkerLimits;
}

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
  readonly #spec: WorkerSpec;
  readonly #child: ChildProcess;
  readonly #progress: number;
  readonly #reader = new FrameReader();
  readonly #nonce = newNonce();
  #waiting: Waiting | null = null;
  #lossReason: { type: Loss['type']; message: string } | null = null;
  #isAlive = true;
  #diagnostics = '';
  #sequence = 0;
  #evaluationsSent = 0;

  constructor(spec: WorkerSpec) {
    this.#spec = spec;
    this.#progress = openProgressPage();
    this.#child = spawn(spec.launcher, launcherArguments(spec), {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'pipe', 'pipe', this.#progress],
    });
    this.pid = this.#child.pid;
    this.gone = this.#watch();
    this.ready = this.#greet();
    this.ready.catch(() => undefined); // a spare may fail before anyone asks for it
    this.release();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Keeps the event loop alive while someone waits for this process. */
  hold(): void {
    this.#child.ref();
    for (const stream of this.#streams()) stream.ref();
  }

  release(): void {
    this.#child.unref();
    for (const stream of this.#streams()) stream.unref();
  }

  /**
   * Loads the objective. Not to be called twice.
   * @throws {ExtremumError} `objective_rejected` with the Python error, or when loading ended the process.
   */
  async load(source: ObjectiveSource, dimension: number): Promise<void> {
    const { loadTimeoutMs } = this.#spec.limits;
    const timer = setTimeout(
      () => this.#end('TimeLimit', `loading took longer than ${seconds(loadTimeoutMs)} and was stopped`),
      loadTimeoutMs,
    );
    try {
      this.#child.stdin!.write(loadRequest(this.#nonce, source, dimension));
      const frame = await this.#nextFrame();
      const problem = frame === null ? null : this.#checked(() => parseLoaded(frame, this.#nonce));
      if (frame === null || problem === undefined) throw rejected({ ...this.#loss(), line: 0 });
      if (problem !== null) throw rejected(problem);
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
    this.#reader.limitBytes = resultsLimit(count);
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

  kill(): Promise<void> {
    this.#end('ProcessLost', 'the Python process was stopped');
    return this.gone;
  }

  async #greet(): Promise<Hello> {
    const timer = setTimeout(() => this.#end('TimeLimit', 'it did not start in time'), START_TIMEOUT_MS).unref();
    const frame = await this.#nextFrame();
    clearTimeout(timer);
    const hello = frame === null ? undefined : this.#checked(() => parseHello(frame));
    if (hello !== undefined) return hello;
    await this.gone;
    const reason = this.#diagnostics.trim().split('\n').at(-1) || this.#loss().message;
    throw new ExtremumError('backend_unavailable', `the Python worker cannot start: ${reason}`);
  }

  /** Those still open: `ref` on a closed socket would wait for it to connect. */
  #streams(): net.Socket[] {
    const { stdin, stdout, stderr } = this.#child;
    // Child pipes are sockets; the declared type only promises streams.
    return ([stdin, stdout, stderr] as (net.Socket | null)[]).filter(
      (stream) => stream?.destroyed === false,
    ) as net.Socket[];
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
        if (child.pid === undefined) closed(null, null);
      });
      const closed = (code: number | null, signal: string | null): void => {
        if (!this.#isAlive) return;
        this.#isAlive = false;
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
      this.#end('ProcessLost', `the Python process broke the protocol: ${error.message}`);
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
        this.#end('TimeLimit', `the evaluation took longer than ${seconds(evaluationTimeoutMs)} and was stopped`);
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

  #end(type: Loss['type'], message: string): void {
    if (!this.#isAlive) return;
    this.#lossReason ??= { type, message };
    this.#child.ref(); // whoever waits for `gone` must live to see it
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

function launcherArguments({ interpreter, limits }: WorkerSpec): string[] {
  return [
    ['--parent', String(process.pid)],
    ['--python', interpreter.executable],
    ['--script', pythonFile('worker.py')],
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
