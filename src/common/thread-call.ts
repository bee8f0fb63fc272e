/**
 * The one door between threads: errors as data, and calls with a request, a reply and a way to abort. An error that is
 * posted as it is loses its class and its fields; as `ErrorData` it keeps them.
 *
 * A pool that calls functions by name carries requests itself: its functions return a `Reply`, or put `errorData` into
 * a result of their own. Over a port, `ThreadCaller` and `serveCalls` are the two ends; a port may have both at each
 * end, since either side can call. Messages of other kinds may share the port: both ends pass over what is not theirs.
 */
import type { Transferable } from 'node:worker_threads';
import { ExtremumError, type ErrorCode } from './errors.js';

// --- errors as data

export interface ErrorData {
  /** Name of the class. */
  readonly class: string;
  /** Null: not an `ExtremumError`, hence a defect. */
  readonly code: ErrorCode | null;
  readonly message: string;
  /** Where it was thrown, in its own thread. */
  readonly stack?: string;
  readonly cause?: { readonly error: ErrorData } | { readonly value: unknown };
  /** All other fields of its own. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Causes of causes that are carried; a chain that bites its tail ends here. */
const MAX_CAUSES = 8;

/** Never throws: a field that cannot be copied becomes its text. */
export function errorData(thrown: unknown, depth = 0): ErrorData {
  const error = thrown instanceof Error ? thrown : new Error(textOf(thrown));
  const { message: _message, stack: _stack, cause: _cause, ...fields } = error as Error & Record<string, unknown>;
  return {
    class: error.constructor.name,
    code: error instanceof ExtremumError ? error.code : null,
    message: error.message,
    stack: typeof error.stack === 'string' ? error.stack : undefined,
    cause: error.cause === undefined || depth >= MAX_CAUSES ? undefined : causeData(error.cause, depth),
    fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, copyOf(value)])),
  };
}

const causeData = (cause: unknown, depth: number): NonNullable<ErrorData['cause']> =>
  cause instanceof Error ? { error: errorData(cause, depth + 1) } : { value: copyOf(cause) };

function copyOf(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return textOf(value);
  }
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'a value without a text';
  }
}

const BUILT_IN: Readonly<Record<string, ErrorConstructor>> = {
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

/**
 * The error that `errorData` was given: an `ExtremumError` or a built-in one of the same class. Any other is an `Error`
 * that bears the name of its class. Fields, causes and stack are those of the original.
 */
export function errorFrom(data: ErrorData): Error {
  const { code, message, stack, fields } = data;
  const cause =
    data.cause === undefined ? {} : { cause: 'error' in data.cause ? errorFrom(data.cause.error) : data.cause.value };
  const error =
    code === null ? new (BUILT_IN[data.class] ?? Error)(message, cause) : new ExtremumError(code, message, cause);
  if (error.name === 'Error' && data.class !== 'Error' && !('name' in fields)) {
    Object.defineProperty(error, 'name', { value: data.class, configurable: true, writable: true });
  }
  Object.assign(error, fields);
  // Here there is only a message that came.
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** For callers that match `code`: a defect is an `internal_error`, and its cause is the error that it was. */
export function asFailure(error: unknown): ExtremumError {
  if (error instanceof ExtremumError) return error;
  const message = error instanceof Error ? error.message : textOf(error);
  return new ExtremumError('internal_error', message, { cause: error });
}

export const failureFrom = (data: ErrorData): ExtremumError => asFailure(errorFrom(data));

// --- replies

export type Reply<T> = { readonly value: T } | { readonly error: ErrorData };

export async function replyOf<T>(work: () => Promise<T>): Promise<Reply<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error: errorData(error) };
  }
}

// --- calls over a port

/** A `MessagePort`, or the `Worker` at whose other end is one. */
interface ThreadPort {
  postMessage(message: unknown, moved?: readonly Transferable[]): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  ref(): void;
  unref(): void;
}

interface Call {
  readonly call: number;
  readonly verb: string;
  readonly given: unknown;
}

interface Abort {
  readonly abort: number;
}

type Answer = { readonly answer: number } & Reply<unknown>;

const has = <K extends string>(message: unknown, key: K): message is Record<K, unknown> =>
  typeof message === 'object' && message !== null && key in message;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface CallOptions {
  /** Handed over, not copied. */
  readonly moved?: readonly Transferable[];
  /** Tells the other side, whose answer is waited for all the same. */
  readonly signal?: AbortSignal | undefined;
}

/** The end of a port that asks. Somebody who waits for an answer keeps the process alive, the port itself does not. */
export class ThreadCaller {
  private readonly port: ThreadPort;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;

  constructor(port: ThreadPort) {
    this.port = port;
    port.on('message', (message) => {
      if (has(message, 'answer')) this.settle(message as unknown as Answer);
    });
  }

  /** Rejects with what the other side threw, or with what `endAll` was given. */
  async call(verb: string, given: unknown, { moved, signal }: CallOptions = {}): Promise<unknown> {
    const id = ++this.lastId;
    const abort = (): void => this.port.postMessage({ abort: id } satisfies Abort);
    signal?.addEventListener('abort', abort, { once: true });
    this.port.ref();
    try {
      return await new Promise((resolve, reject) => {
        this.waiting.set(id, { resolve, reject });
        this.port.postMessage({ call: id, verb, given } satisfies Call, moved);
      });
    } finally {
      this.waiting.delete(id);
      if (this.waiting.size === 0) this.port.unref();
      signal?.removeEventListener('abort', abort);
    }
  }

  /** The other side will not answer any more: whatever waits is rejected. */
  endAll(why: () => Error): void {
    for (const { reject } of this.waiting.values()) reject(why());
  }

  private settle(answer: Answer): void {
    const waiting = this.waiting.get(answer.answer);
    if (waiting === undefined) return;
    if ('error' in answer) waiting.reject(errorFrom(answer.error));
    else waiting.resolve(answer.value);
  }
}

export interface Answered {
  readonly value: unknown;
  /** Handed over, not copied. */
  readonly moved?: readonly Transferable[];
}

/**
 * The end of a port that answers. `answer` is begun for every call that has arrived, in their order. `signal()`: of
 * this call, aborted when its caller aborts.
 */
export function serveCalls(
  port: ThreadPort,
  answer: (verb: string, given: unknown, signal: () => AbortSignal) => Promise<Answered>,
): ServedCalls {
  /** Null: nobody has asked for its signal yet. */
  const running = new Map<number, AbortController | null>();
  const controllerOf = (id: number): AbortController => {
    const controller = running.get(id) ?? new AbortController();
    running.set(id, controller);
    return controller;
  };
  const fail = (id: number, thrown: unknown): void =>
    port.postMessage({ answer: id, error: errorData(thrown) } satisfies Answer);
  const serve = async ({ call: id, verb, given }: Call): Promise<void> => {
    running.set(id, null);
    try {
      const { value, moved } = await answer(verb, given, () => controllerOf(id).signal);
      port.postMessage({ answer: id, value } satisfies Answer, moved);
    } catch (error) {
      fail(id, error);
    } finally {
      running.delete(id);
    }
  };
  port.on('message', (message) => {
    if (has(message, 'call')) void serve(message as unknown as Call);
    else if (has(message, 'abort')) {
      const { abort: id } = message as unknown as Abort;
      if (running.has(id)) controllerOf(id).abort();
    }
  });
  return {
    abortAll() {
      for (const id of running.keys()) controllerOf(id).abort();
    },
  };
}

export interface ServedCalls {
  /** Nobody waits for the answers any more. */
  abortAll(): void;
}
