/**
 * One confined Python process, forked from a template. Life: constructed (forked at once) -> `ready` -> `load` once ->
 * `evaluate`, one call at a time -> `kill`. A process that ends by itself, breaks the protocol or takes too long is
 * killed and stays dead; the caller learns why and starts another.
 *
 * Which candidate is being evaluated is read from the progress page, a shared file of one page into which the worker
 * writes how many evaluations it has begun. So time limits hold per evaluation, however large the batch, and the
 * candidate that ended a process is known without a message per candidate.
 */
import fs from 'node:fs';
import { ExtremumError } from '../../common/errors.js';
import { resultsIn, type ObjectiveSource } from '../../model/objective.js';
import type { EvaluationFailure } from '../../model/objective.js';
import { NO_USE, type ProcessUse } from '../../model/run-usage.js';
import {
  askRequest,
  evaluateRequest,
  FACTS_BYTES,
  FrameReader,
  judgeRequest,
  loadRequest,
  newNonce,
  parseFacts,
  parseHello,
  parseJudgement,
  parseLoaded,
  parseResults,
  ProtocolBreach,
  resultsLimit,
  type ArgumentChoice,
  type Frame,
  type Hello,
  type ModuleAnswer,
  type ModuleQuestions,
  type Results,
} from './protocol.js';
import type { Ending, Seat, Template } from './template.js';
import { limitsFor, type WorkerLimits } from './worker-spec.js';

const START_TIMEOUT_MS = 30_000;

/**
 * Why a process ended. `finished`: its kernel was closed; `time_limit`: load or evaluation took too long; `protocol`:
 * it sent what nobody asked for; `killed`: by the kernel, for its processor time or a host out of memory; `crashed`: by
 * a signal of its own; `exited`: of its own accord; `failed_start`; `shutdown`: with the backend.
 */
export type ProcessEnd =
  'finished' | 'time_limit' | 'protocol' | 'killed' | 'crashed' | 'exited' | 'failed_start' | 'shutdown';

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
  private readonly limits: WorkerLimits;
  private readonly template: Template;
  private readonly seat: Seat;
  private readonly reader = new FrameReader();
  private readonly nonce = newNonce();
  private waiting: Waiting | null = null;
  private lossReason: { type: Loss['type']; message: string } | null = null;
  private lives = true;
  private hasGreeted = false;
  private lostTemplate = false;
  private ending: ProcessEnd | null = null;
  private used = NO_USE;
  /** Runs while someone waits for this process. Sockets and processes alone keep no event loop alive. */
  private keepAlive: NodeJS.Timeout | null = null;
  private sequence = 0;
  /** Values of a candidate, as the objective that is loaded gives them. */
  private width = 1;
  /** Of the objective that is loaded. */
  private evaluationTimeoutMs: number;
  private evaluationsSent = 0;

  /** `template` has a seat left. */
  constructor(limits: WorkerLimits, template: Template) {
    this.limits = limits;
    this.evaluationTimeoutMs = limits.evaluationTimeoutMs;
    this.template = template;
    this.seat = template.fork();
    this.gone = this.watch();
    this.ready = this.greet();
    this.ready.catch(() => undefined); // a spare may fail before anyone asks for it
  }

  get isAlive(): boolean {
    return this.lives;
  }

  /** Keeps the event loop alive while someone waits for this process. */
  hold(): void {
    this.keepAlive ??= setInterval(() => undefined, 2 ** 31 - 1);
  }

  release(): void {
    if (this.keepAlive !== null) clearInterval(this.keepAlive);
    this.keepAlive = null;
  }

  /** Whether it has greeted, so that `load` is answered at once. */
  get isReady(): boolean {
    return this.lives && this.hasGreeted;
  }

  /** Whether it ended because its template did, or could not fork. */
  get wentWithTemplate(): boolean {
    return this.lostTemplate;
  }

  get lossMessage(): string {
    return this.loss().message;
  }

  /** Use over its whole life, once it is gone. */
  get use(): ProcessUse {
    return this.used;
  }

  /** Null while it lives. */
  get end(): ProcessEnd | null {
    return this.lives ? null : this.ending;
  }

  /**
   * Loads the objective. Not to be called twice.
   * Resolves to words on what the source may keep from one call to the next; null: nothing, as far as its text shows.
   * @throws {ExtremumError} `objective_rejected` with the Python error, or when loading ended the process.
   */
  async load(
    source: ObjectiveSource,
    dimension: number,
    kind: ArgumentChoice,
    withinMs = Infinity,
  ): Promise<string | null> {
    const { outputBytes } = this.limits;
    const { evaluationTimeoutMs, memoryBytes } = limitsFor(source, this.limits);
    this.evaluationTimeoutMs = evaluationTimeoutMs;
    const loadTimeoutMs = Math.min(withinMs, this.limits.loadTimeoutMs);
    const timer = setTimeout(
      () => this.stop('time_limit', 'TimeLimit', `loading took longer than ${seconds(loadTimeoutMs)} and was stopped`),
      loadTimeoutMs,
    );
    try {
      this.width = resultsIn(source);
      this.seat.socket.write(loadRequest(this.nonce, source, dimension, { outputBytes, memoryBytes }, kind));
      const frame = await this.nextFrame();
      const answer = frame === null ? undefined : this.checked(() => parseLoaded(frame, this.nonce));
      if (answer === undefined) throw rejected({ ...this.loss(), line: 0 });
      if ('problem' in answer) throw rejected(answer.problem);
      return answer.stateful;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Asks about modules, with the names that are wanted of each; instead of `load`. A module about which nothing can be
   * said is missing in the answer.
   * @throws {ExtremumError} `objective_rejected` when that ended the process.
   */
  async ask(wanted: ModuleQuestions, withinMs: number): Promise<ReadonlyMap<string, ModuleAnswer>> {
    const message = `its imports took longer than ${seconds(withinMs)} and were stopped`;
    const timer = setTimeout(() => this.stop('time_limit', 'TimeLimit', message), withinMs);
    try {
      this.reader.limitBytes = FACTS_BYTES;
      this.seat.socket.write(askRequest(this.nonce, wanted));
      const frame = await this.nextFrame();
      const facts = frame === null ? undefined : this.checked(() => parseFacts(frame, this.nonce));
      if (facts === undefined) throw rejected({ ...this.loss(), line: 0 });
      return facts;
    } finally {
      clearTimeout(timer);
    }
  }

  /** As `load` resolves, without running anything of the source. Instead of `load`. */
  async judge(source: ObjectiveSource, withinMs: number): Promise<string | null> {
    const message = `to judge the source took longer than ${seconds(withinMs)}`;
    const timer = setTimeout(() => this.stop('time_limit', 'TimeLimit', message), withinMs);
    try {
      this.seat.socket.write(judgeRequest(this.nonce, source));
      const frame = await this.nextFrame();
      const stateful = frame === null ? undefined : this.checked(() => parseJudgement(frame, this.nonce));
      if (stateful === undefined) throw rejected({ ...this.loss(), line: 0 });
      return stateful;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Evaluates `count` rows. `onResults` gets consecutive stretches of them as they come in.
   * Resolves to null when all were answered, else to why the process is gone; rows not yet reported are then open.
   */
  evaluate(rows: Float64Array, count: number, onResults: (results: Results) => void): Promise<Loss | null> {
    if (!this.lives) return Promise.resolve({ ...this.loss(), current: 0 });
    const sequence = ++this.sequence;
    const sentBefore = this.evaluationsSent;
    this.evaluationsSent += count;
    this.reader.limitBytes = resultsLimit(count, this.width, this.limits.outputBytes);
    let received = 0;
    return new Promise((resolve) => {
      const stopWatchdog = this.watchProgress();
      const finish = (loss: Loss | null): void => {
        stopWatchdog();
        this.waiting = null;
        resolve(loss);
      };
      const onFrame = (frame: Frame): void => {
        const expected = { nonce: this.nonce, sequence, start: received, count, width: this.width };
        const results = this.checked(() => parseResults(frame, expected));
        if (results === undefined) return;
        received += results.count;
        onResults(results);
        if (received === count) finish(null);
      };
      const onLost = (): void => {
        const current = this.evaluationsBegun() - sentBefore - 1;
        finish({ ...this.loss(), current: Math.min(Math.max(current, received), count - 1) });
      };
      this.waiting = { onFrame, onLost };
      this.seat.socket.write(evaluateRequest(sequence, count, rows));
    });
  }

  async kill(why: ProcessEnd = 'finished'): Promise<void> {
    this.hold(); // whoever waits must live to see it
    this.stop(why, 'ProcessLost', 'the Python process was stopped');
    await this.gone;
    this.release();
  }

  private async greet(): Promise<Hello> {
    const timer = setTimeout(() => {
      this.stop('failed_start', 'TimeLimit', 'it did not start in time');
    }, START_TIMEOUT_MS).unref();
    const frame = await this.nextFrame();
    clearTimeout(timer);
    const hello = frame === null ? undefined : this.checked(() => parseHello(frame));
    if (hello !== undefined) {
      this.hasGreeted = true;
      return hello;
    }
    await this.gone;
    const reason = this.template.lastWords || this.loss().message;
    throw new ExtremumError('backend_unavailable', `the Python worker cannot start: ${reason}`);
  }

  private async watch(): Promise<void> {
    const { socket, progress, ended } = this.seat;
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    // Those of a template that has just died may be closed before they are used.
    const closed = socket.closed ? null : new Promise((resolve) => socket.once('close', resolve));
    const [ending] = await Promise.all([ended, closed]);
    this.lives = false;
    this.used = ending.use;
    this.lostTemplate = this.ending === null && ending.reason !== null;
    this.ending ??= endOf(ending);
    this.lossReason ??= { type: 'ProcessLost', message: this.describe(ending) };
    const waiting = this.waiting;
    this.waiting = null;
    waiting?.onLost();
    fs.closeSync(progress);
  }

  private describe({ code, signal, reason }: Ending): string {
    if (reason !== null) return `the Python process was lost: ${reason}`;
    if (signal === 'SIGKILL') {
      const cpu = `${this.limits.cpuSeconds} s of processor time used up`;
      return `the Python process was killed (${cpu}, or the host is out of memory)`;
    }
    if (signal !== null) return `the Python process died of ${signal} (stack overflow or a crash in native code)`;
    return `the Python process exited with status ${code}`;
  }

  private receive(chunk: Buffer): void {
    this.checked(() => {
      for (const frame of this.reader.read(chunk)) {
        if (this.lossReason !== null) return;
        if (this.waiting === null) throw new ProtocolBreach('a frame that nobody asked for');
        this.waiting.onFrame(frame);
      }
    });
  }

  /** Runs a check of hostile data; a breach ends the process and gives undefined. */
  private checked<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ProtocolBreach)) throw error;
      this.stop('protocol', 'ProcessLost', `the Python process broke the protocol: ${error.message}`);
      return undefined;
    }
  }

  private nextFrame(): Promise<Frame | null> {
    if (!this.lives) return Promise.resolve(null);
    return new Promise((resolve) => {
      const settle = (frame: Frame | null): void => {
        this.waiting = null;
        resolve(frame);
      };
      this.waiting = { onFrame: settle, onLost: () => settle(null) };
    });
  }

  /** Kills the process once one evaluation has lasted longer than its limit. Returns how to stop watching. */
  private watchProgress(): () => void {
    const { evaluationTimeoutMs } = this;
    let last = -1;
    let since = performance.now();
    const look = (): void => {
      const begun = this.evaluationsBegun();
      if (begun > last) {
        last = begun;
        since = performance.now();
      } else if (performance.now() - since > evaluationTimeoutMs) {
        this.stop(
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
  private evaluationsBegun(): number {
    const page = Buffer.alloc(8);
    fs.readSync(this.seat.progress, page, 0, 8, 0);
    return Math.min(Number(page.readBigUInt64LE(0)), this.evaluationsSent);
  }

  private loss(): { type: Loss['type']; message: string } {
    return this.lossReason ?? { type: 'ProcessLost', message: 'the Python process is gone' };
  }

  private stop(end: ProcessEnd, type: Loss['type'], message: string): void {
    if (!this.lives) return;
    this.ending ??= end;
    this.lossReason ??= { type, message };
    this.seat.kill();
    // A process may fill the socket faster than it dies: stop reading.
    this.seat.socket.destroy();
  }
}

function endOf({ signal, reason }: Ending): ProcessEnd {
  if (reason !== null || signal === 'SIGKILL') return 'killed';
  return signal === null ? 'exited' : 'crashed';
}

const seconds = (ms: number): string => `${ms / 1000} s`;

function rejected(problem: EvaluationFailure): ExtremumError {
  const place = problem.line > 0 ? ` (line ${problem.line})` : '';
  return new ExtremumError('objective_rejected', `${problem.type}: ${problem.message}${place}`, {
    facts: { ...problem },
  });
}
