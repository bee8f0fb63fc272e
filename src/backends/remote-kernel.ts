/**
 * A kernel on the other side of a MessagePort. Engines run in worker threads, but Python processes must belong to the
 * main thread (they die with the thread that started them): the main thread serves, the engine's thread connects.
 *
 * `serveKernel` opens its kernel at the first `evaluate`, so a run that never needs it costs nothing. Either side may
 * close; a port that closes because its thread died closes the kernel too. Failures keep all their fields
 * (`common/thread-call.ts`).
 */
import type { MessagePort } from 'node:worker_threads';
import { ExtremumError } from '../common/errors.js';
import { asFailure, serveCalls, ThreadCaller, type Answered, type ServedCalls } from '../common/thread-call.js';
import type { CandidateBatch } from '../model/candidate-batch.js';
import type { Sharing } from '../model/objective.js';
import { tiledLength } from '../model/tiles.js';
import type { EvaluationOutput, Kernel } from './backend.js';

/** `given` of the one call that there is, `evaluate`, which is answered by an `EvaluationOutput`. */
interface Evaluation {
  readonly batch: CandidateBatch;
  readonly isCheck: boolean;
}

/** Beside the calls: to the server, that it is to close; from it, that its kernel was opened, or that all is closed. */
type Note =
  | { readonly note: 'close' }
  | { readonly note: 'opened'; readonly backend: string; readonly device: string; readonly sharing?: Sharing }
  | { readonly note: 'closed' };

interface KernelServer {
  /** Settles when the kernel, if it was ever opened, is closed. */
  readonly closed: Promise<void>;
  /** Seconds in which values were asked for and not yet given; checks do not count. */
  waitedSeconds(): number;
  close(): Promise<void>;
}

/**
 * Main thread: answers `connectKernel` on the other end of `port`. `open` is called at most once. `results`: values of
 * a candidate. `checks`: what its `checks` asks; the caller closes it. A port of its own would cost more than most
 * checks.
 */
export function serveKernel(
  port: MessagePort,
  open: () => Promise<Kernel>,
  results = 1,
  checks?: Kernel,
): KernelServer {
  return new Server(port, open, results, checks ?? null);
}

/** A kernel and, at the same port, the one that checks its values. Where none is served, a check throws. */
interface ConnectedKernel extends Kernel {
  readonly checks: Kernel;
}

/**
 * Engine's thread: a kernel whose work is done on the other end of `port`. The first `evaluate` also reports a failure
 * to open (`objective_rejected`, `backend_unavailable`). `device` is known after the first successful `evaluate`.
 */
export function connectKernel(port: MessagePort): ConnectedKernel {
  return new RemoteKernel(port);
}

class Server implements KernelServer {
  readonly closed: Promise<void>;
  private readonly port: MessagePort;
  private readonly open: () => Promise<Kernel>;
  private readonly results: number;
  private readonly checks: Kernel | null;
  private readonly calls: ServedCalls;
  private kernel: Promise<Kernel> | null = null;
  private settleClosed: () => void = () => undefined;
  private isClosing = false;
  private waitedMs = 0;
  /** Requests for values under way, and since when there is one. */
  private asked = 0;
  private askedSince = 0;

  constructor(port: MessagePort, open: () => Promise<Kernel>, results: number, checks: Kernel | null) {
    this.checks = checks;
    this.port = port;
    this.open = open;
    this.results = results;
    this.closed = new Promise((resolve) => (this.settleClosed = resolve));
    this.calls = serveCalls(port, (_verb, given, signal) => this.evaluate(given as Evaluation, signal()));
    port.on('message', (message: Partial<Note>) => {
      if (message.note === 'close') void this.close();
    });
    port.on('close', () => void this.close());
    port.unref(); // a server that only waits does not keep the process alive
  }

  waitedSeconds(): number {
    return (this.waitedMs + (this.asked > 0 ? performance.now() - this.askedSince : 0)) / 1_000;
  }

  async close(): Promise<void> {
    if (this.isClosing) return this.closed;
    this.isClosing = true;
    this.calls.abortAll();
    const kernel = await this.kernel?.catch(() => null);
    await kernel?.close();
    this.port.postMessage({ note: 'closed' } satisfies Note);
    this.port.close();
    this.settleClosed();
  }

  private async evaluate(evaluation: Evaluation, signal: AbortSignal): Promise<Answered> {
    if (evaluation.isCheck) return this.answer(evaluation, signal);
    if (this.asked++ === 0) this.askedSince = performance.now();
    try {
      return await this.answer(evaluation, signal);
    } finally {
      if (--this.asked === 0) this.waitedMs += performance.now() - this.askedSince;
    }
  }

  private async answer({ batch, isCheck }: Evaluation, signal: AbortSignal): Promise<Answered> {
    const kernel = isCheck ? this.checks : await this.opened();
    if (kernel === null) throw new ExtremumError('backend_unavailable', 'nobody checks values here');
    const output: EvaluationOutput = {
      values: new Float64Array(batch.count * this.results),
      status: new Uint8Array(batch.count),
      failures: [],
    };
    await kernel.evaluate(batch, output, signal);
    return { value: output, moved: [output.values.buffer, output.status.buffer] as ArrayBuffer[] };
  }

  private async opened(): Promise<Kernel> {
    if (this.isClosing) throw new ExtremumError('backend_lost', 'the kernel is closed');
    if (this.kernel === null) {
      this.kernel = this.open();
      const { backend, device, sharing } = await this.kernel;
      this.port.postMessage({ note: 'opened', backend, device, sharing } satisfies Note);
    }
    return this.kernel;
  }
}

class RemoteKernel implements ConnectedKernel {
  readonly checks: Kernel = {
    backend: 'remote',
    device: 'shared',
    evaluate: (batch, output, signal) => this.evaluateThere(batch, output, signal, true),
    close: async () => {},
  };
  private readonly port: MessagePort;
  private readonly caller: ThreadCaller;
  private readonly closed: Promise<void>;
  private backendName = 'remote';
  private deviceName = 'not opened yet';
  private shared: Sharing | undefined;
  private isClosed = false;

  constructor(port: MessagePort) {
    this.port = port;
    this.caller = new ThreadCaller(port);
    this.closed = new Promise((resolve) => {
      port.on('close', () => {
        this.lose();
        resolve();
      });
    });
    port.on('message', (message: Partial<Note>) => this.receive(message));
    port.unref();
  }

  get backend(): string {
    return this.backendName;
  }

  get device(): string {
    return this.deviceName;
  }

  get sharing(): Sharing | undefined {
    return this.shared;
  }

  evaluate(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void> {
    return this.evaluateThere(batch, output, signal, false);
  }

  private async evaluateThere(
    batch: CandidateBatch,
    output: EvaluationOutput,
    signal: AbortSignal | undefined,
    isCheck: boolean,
  ): Promise<void> {
    if (this.isClosed) throw new ExtremumError('backend_lost', 'the kernel is closed');
    if (signal?.aborted === true) throw new ExtremumError('cancelled', 'the evaluation was cancelled');
    const { candidates, count, dimension, layout } = batch;
    const length = layout === 'tiles' ? tiledLength(count, dimension) : count * dimension;
    const copy = candidates.slice(0, length); // the caller keeps its array
    const given: Evaluation = { batch: { candidates: copy, layout, count, dimension }, isCheck };
    const { values, status, failures } = await this.ask(given, signal);
    output.values.set(values);
    output.status.set(status);
    output.failures.length = 0;
    for (const failure of failures) output.failures.push(failure);
  }

  /** A defect at the other end is an `internal_error` here. */
  private async ask(given: Evaluation, signal: AbortSignal | undefined): Promise<EvaluationOutput> {
    const moved = [given.batch.candidates.buffer as ArrayBuffer];
    try {
      return (await this.caller.call('evaluate', given, { moved, signal })) as EvaluationOutput;
    } catch (error) {
      throw asFailure(error);
    }
  }

  async close(): Promise<void> {
    if (!this.isClosed) {
      this.isClosed = true;
      this.port.ref();
      this.port.postMessage({ note: 'close' } satisfies Note);
    }
    await this.closed;
  }

  private receive(message: Partial<Note>): void {
    if (message.note === 'opened') {
      const { backend = '', device = '' } = message;
      this.backendName = backend;
      this.deviceName = device;
      this.shared = message.sharing;
    } else if (message.note === 'closed') {
      this.lose();
      this.port.close();
    }
  }

  private lose(): void {
    this.isClosed = true;
    this.caller.endAll(() => new ExtremumError('backend_lost', 'the kernel is closed'));
  }
}
