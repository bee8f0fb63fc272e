/**
 * A kernel on the other side of a MessagePort. Engines run in worker threads, but Python processes must belong to the
 * main thread (they die with the thread that started them): the main thread serves, the engine's thread connects.
 *
 * `serveKernel` opens its kernel at the first `evaluate`, so a run that never needs it costs nothing. Either side may
 * close; a port that closes because its thread died closes the kernel too. Failures keep their `code`, message and
 * facts.
 */
import type { MessagePort } from 'node:worker_threads';
import { ExtremumError, type ErrorCode } from '../common/errors.js';
import type { CandidateBatch } from '../model/candidate-batch.js';
import type { EvaluationOutput, Kernel } from './backend.js';

type Request =
  | { readonly kind: 'evaluate'; readonly id: number; readonly batch: CandidateBatch; readonly isCheck: boolean }
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'close' };

type Reply =
  | { readonly kind: 'opened'; readonly backend: string; readonly device: string }
  | { readonly kind: 'evaluated'; readonly id: number; readonly output: EvaluationOutput }
  | { readonly kind: 'failed'; readonly id: number; readonly error: PlainError }
  | { readonly kind: 'closed' };

interface PlainError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly retryable: boolean;
}

export interface KernelServer {
  /** Settles when the kernel, if it was ever opened, is closed. */
  readonly closed: Promise<void>;
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

/** A kernel and, at the same port, the one that checks values; the second does nothing where none is served. */
export interface ConnectedKernel extends Kernel {
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
  readonly #port: MessagePort;
  readonly #open: () => Promise<Kernel>;
  readonly #results: number;
  readonly #checks: Kernel | null;
  readonly #running = new Map<number, AbortController>();
  #kernel: Promise<Kernel> | null = null;
  #settleClosed: () => void = () => undefined;
  #isClosing = false;

  constructor(port: MessagePort, open: () => Promise<Kernel>, results: number, checks: Kernel | null) {
    this.#checks = checks;
    this.#port = port;
    this.#open = open;
    this.#results = results;
    this.closed = new Promise((resolve) => (this.#settleClosed = resolve));
    port.on('message', (request: Request) => this.#receive(request));
    port.on('close', () => void this.close());
    port.unref(); // a server that only waits does not keep the process alive
  }

  async close(): Promise<void> {
    if (this.#isClosing) return this.closed;
    this.#isClosing = true;
    for (const controller of this.#running.values()) controller.abort();
    const kernel = await this.#kernel?.catch(() => null);
    await kernel?.close();
    this.#reply({ kind: 'closed' });
    this.#port.close();
    this.#settleClosed();
  }

  #receive(request: Request): void {
    switch (request.kind) {
      case 'evaluate':
        void this.#evaluate(request.id, request.batch, request.isCheck);
        return;
      case 'abort':
        this.#running.get(request.id)?.abort();
        return;
      case 'close':
        void this.close();
        return;
    }
  }

  async #evaluate(id: number, batch: CandidateBatch, isCheck: boolean): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const kernel = isCheck ? this.#checks : await this.#opened();
      if (kernel === null) throw new ExtremumError('backend_unavailable', 'nobody checks values here');
      const output: EvaluationOutput = {
        values: new Float64Array(batch.count * this.#results),
        status: new Uint8Array(batch.count),
        failures: [],
      };
      await kernel.evaluate(batch, output, controller.signal);
      this.#reply({ kind: 'evaluated', id, output }, [output.values.buffer, output.status.buffer] as ArrayBuffer[]);
    } catch (error) {
      this.#reply({ kind: 'failed', id, error: toPlain(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  async #opened(): Promise<Kernel> {
    if (this.#isClosing) throw new ExtremumError('backend_lost', 'the kernel is closed');
    if (this.#kernel === null) {
      this.#kernel = this.#open();
      const { backend, device } = await this.#kernel;
      this.#reply({ kind: 'opened', backend, device });
    }
    return this.#kernel;
  }

  #reply(reply: Reply, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(reply, transfer);
  }
}

interface Pending {
  readonly output: EvaluationOutput;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

class RemoteKernel implements ConnectedKernel {
  readonly checks: Kernel = {
    backend: 'remote',
    device: 'shared',
    evaluate: (batch, output, signal) => this.#evaluate(batch, output, signal, true),
    close: async () => {},
  };
  readonly #port: MessagePort;
  readonly #pending = new Map<number, Pending>();
  readonly #closed: Promise<void>;
  #backend = 'remote';
  #device = 'not opened yet';
  #lastId = 0;
  #isClosed = false;

  constructor(port: MessagePort) {
    this.#port = port;
    this.#closed = new Promise((resolve) => {
      port.on('close', () => {
        this.#lose();
        resolve();
      });
    });
    port.on('message', (reply: Reply) => this.#receive(reply));
    port.unref();
  }

  get backend(): string {
    return this.#backend;
  }

  get device(): string {
    return this.#device;
  }

  evaluate(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void> {
    return this.#evaluate(batch, output, signal, false);
  }

  async #evaluate(
    batch: CandidateBatch,
    output: EvaluationOutput,
    signal: AbortSignal | undefined,
    isCheck: boolean,
  ): Promise<void> {
    if (this.#isClosed) throw new ExtremumError('backend_lost', 'the kernel is closed');
    if (signal?.aborted === true) throw new ExtremumError('cancelled', 'the evaluation was cancelled');
    const id = ++this.#lastId;
    const abort = (): void => this.#send({ kind: 'abort', id });
    signal?.addEventListener('abort', abort, { once: true });
    this.#port.ref();
    try {
      await new Promise<void>((resolve, reject) => {
        this.#pending.set(id, { output, resolve, reject });
        const { candidates, count, dimension } = batch;
        const copy = candidates.slice(0, count * dimension); // the caller keeps its array
        this.#send({ kind: 'evaluate', id, batch: { candidates: copy, count, dimension }, isCheck }, [copy.buffer]);
      });
    } finally {
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#port.unref();
      signal?.removeEventListener('abort', abort);
    }
  }

  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#port.ref();
      this.#send({ kind: 'close' });
    }
    await this.#closed;
  }

  #receive(reply: Reply): void {
    switch (reply.kind) {
      case 'opened':
        this.#backend = reply.backend;
        this.#device = reply.device;
        return;
      case 'evaluated': {
        const pending = this.#pending.get(reply.id);
        if (pending === undefined) return;
        pending.output.values.set(reply.output.values);
        pending.output.status.set(reply.output.status);
        pending.output.failures.length = 0;
        for (const failure of reply.output.failures) pending.output.failures.push(failure);
        pending.resolve();
        return;
      }
      case 'failed': {
        const { code, message, facts, retryable } = reply.error;
        this.#pending.get(reply.id)?.reject(new ExtremumError(code, message, { facts, retryable }));
        return;
      }
      case 'closed':
        this.#lose();
        this.#port.close();
        return;
    }
  }

  #lose(): void {
    this.#isClosed = true;
    for (const { reject } of this.#pending.values()) reject(new ExtremumError('backend_lost', 'the kernel is closed'));
  }

  #send(request: Request, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(request, transfer);
  }
}

function toPlain(error: unknown): PlainError {
  if (error instanceof ExtremumError) {
    const { code, message, facts, retryable } = error;
    return { code, message, facts, retryable };
  }
  return {
    code: 'internal_error',
    message: error instanceof Error ? error.message : String(error),
    facts: {},
    retryable: false,
  };
}
