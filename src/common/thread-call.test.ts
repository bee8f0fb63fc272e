import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import { ERROR_CODES, ExtremumError, type ErrorCode } from './errors.js';
import { asFailure, replyOf, serveCalls, ThreadCaller, type Answered } from './thread-call.js';

const open: MessageChannel[] = [];
afterEach(() => {
  for (const { port1 } of open.splice(0)) port1.close();
});

function channel(): MessageChannel {
  const made = new MessageChannel();
  open.push(made);
  return made;
}

type Handler = (verb: string, given: unknown, signal: () => AbortSignal) => Promise<Answered>;

function connected(handler: Handler) {
  const { port1, port2 } = channel();
  const served = serveCalls(port1, handler);
  return { served, caller: new ThreadCaller(port2), port1, port2 };
}

/** As it comes out at the other end of a port. */
async function through(error: unknown): Promise<Error> {
  const { caller } = connected(() => Promise.reject(error));
  return caller.call('fail', null).then(
    () => expect.fail('the call did not fail'),
    (received: Error) => received,
  );
}

/** Everything of an error that somebody could read; causes all the way down. */
function everythingOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  return { name, message, stack, cause: everythingOf(cause), fields: { ...error } };
}

const src = fileURLToPath(new URL('..', import.meta.url));

type ErrorClass = new (...given: readonly unknown[]) => Error;

/** The exported classes of errors in the whole tree; others cannot be told apart outside of their own file anyway. */
async function ourClasses(): Promise<ErrorClass[]> {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  const found: ErrorClass[] = [];
  for (const file of files) {
    const names = [
      ...readFileSync(path.join(src, file), 'utf8').matchAll(/^export class (\w+) extends (\w*Error)\b/gm),
    ];
    if (names.length === 0) continue;
    const module = (await import(path.join(src, file))) as Readonly<Record<string, ErrorClass>>;
    found.push(...names.map(([, name = '']) => module[name]));
  }
  return found;
}

describe('an error that goes through the door', () => {
  test('is the same in every field, whatever class of ours it has', async () => {
    const classes = await ourClasses();
    expect(classes.length).toBeGreaterThan(15);
    for (const Class of classes.filter((one) => one !== (ExtremumError as unknown))) {
      const error = new Class('a message', { line: 3, column: 5 }, ['first', 'second']);
      const received = await through(error);
      const name = error.name === 'Error' ? Class.name : error.name;
      expect(everythingOf(received)).toEqual({ ...(everythingOf(error) as object), name });
    }
  });

  test.each(Object.keys(ERROR_CODES) as ErrorCode[])('is an ExtremumError as before: %s', async (code) => {
    const details = { field: 'bounds[2][0]', retryable: true, facts: { line: 2, values: Float64Array.of(1, NaN) } };
    const error = new ExtremumError(code, 'a message', details);
    const received = await through(error);
    expect(received).toBeInstanceOf(ExtremumError);
    expect(everythingOf(received)).toEqual(everythingOf(error));
  });

  test('keeps what is undefined or false', async () => {
    const error = new ExtremumError('conflict', 'a message');
    const received = (await through(error)) as ExtremumError;
    expect([received.field, received.retryable, received.facts, received.cause]).toEqual([
      undefined,
      false,
      {},
      undefined,
    ]);
  });

  test('keeps its causes: ours, those of the language, those of the system, and other values', async () => {
    const system = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', errno: -2, path: '/nowhere' });
    const typed = new TypeError('x is not a function', { cause: system });
    const error = new ExtremumError('store_unavailable', 'away', { retryable: true, cause: typed });
    const received = await through(error);
    expect(everythingOf(received)).toEqual(everythingOf(error));
    expect(received.cause).toBeInstanceOf(TypeError);
    expect((await through(new Error('odd', { cause: { seconds: 3 } }))).cause).toEqual({ seconds: 3 });
  });

  test('is of the same class where the language has it', async () => {
    for (const Class of [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) {
      expect((await through(new Class('a message'))).constructor).toBe(Class);
    }
  });

  test('ends a chain of causes that bites its tail', async () => {
    const error = new Error('a message');
    error.cause = error;
    let depth = 0;
    for (let at: unknown = await through(error); at instanceof Error; at = at.cause) depth++;
    expect(depth).toBe(9);
  });

  test('keeps the text of a field that cannot be copied', async () => {
    const error = new ExtremumError('conflict', 'a message', { facts: { line: 2 } });
    const received = await through(Object.assign(error, { how: Symbol('by hand') }));
    expect(received).toMatchObject({ code: 'conflict', facts: { line: 2 }, how: 'Symbol(by hand)' });
  });

  test('may have been no error', async () => {
    expect((await through('a text')).message).toBe('a text');
    expect((await through(Object.create(null))).message).toBe('a value without a text');
  });
});

test('for who matches codes, a defect is an internal error that is caused by the defect', () => {
  const known = new ExtremumError('conflict', 'a message');
  expect(asFailure(known)).toBe(known);
  const defect = new TypeError('oops');
  expect(asFailure(defect)).toMatchObject({ code: 'internal_error', message: 'oops', cause: defect });
});

test('a reply has the value or the error', async () => {
  expect(await replyOf(async () => 3)).toEqual({ value: 3 });
  const failed = await replyOf(() => Promise.reject(new ExtremumError('conflict', 'a message', { field: 'id' })));
  expect(structuredClone(failed)).toMatchObject({
    error: { class: 'ExtremumError', code: 'conflict', fields: { field: 'id' } },
  });
});

describe('calls', () => {
  test('are begun in their order and answered each when it is done', async () => {
    const begun: unknown[] = [];
    const waiting = new Map<unknown, () => void>();
    const { caller } = connected(async (verb, given) => {
      begun.push(given);
      await new Promise<void>((resolve) => waiting.set(given, resolve));
      if (given === 2) for (const settle of waiting.values()) settle();
      return { value: `${verb} ${String(given)}` };
    });
    const all = [0, 1, 2].map((given) => caller.call('count', given));
    await expect.poll(() => begun).toEqual([0, 1, 2]);
    waiting.get(2)!();
    expect(await Promise.all(all)).toEqual(['count 0', 'count 1', 'count 2']);
  });

  test('hand buffers over, in both directions', async () => {
    const { caller } = connected(async (_verb, given) => {
      const bytes = given as Uint8Array<ArrayBuffer>;
      bytes[0]++;
      return { value: bytes, moved: [bytes.buffer] };
    });
    const bytes = Uint8Array.of(1, 2);
    expect(await caller.call('add', bytes, { moved: [bytes.buffer] })).toEqual(Uint8Array.of(2, 2));
    expect(bytes.byteLength).toBe(0);
  });

  test.each(['before its signal is asked for', 'after'])('are aborted by their caller, %s', async (when) => {
    const controller = new AbortController();
    const { caller } = connected(async (_verb, _given, signal) => {
      if (when === 'after') setTimeout(() => controller.abort(), 10);
      else {
        controller.abort();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      if (!signal().aborted)
        await new Promise((resolve) => signal().addEventListener('abort', resolve, { once: true }));
      throw new ExtremumError('cancelled', 'stopped');
    });
    await expect(caller.call('wait', null, { signal: controller.signal })).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('are all aborted where nobody waits any more, and rejected where nobody will answer', async () => {
    const { caller, served } = connected(async (_verb, _given, signal) => {
      await new Promise((resolve) => signal().addEventListener('abort', resolve, { once: true }));
      return { value: 'aborted' };
    });
    const first = caller.call('wait', null);
    await new Promise((resolve) => setTimeout(resolve, 10));
    served.abortAll();
    expect(await first).toBe('aborted');
    const second = caller.call('wait', null);
    caller.endAll(() => new ExtremumError('backend_lost', 'gone'));
    await expect(second).rejects.toMatchObject({ code: 'backend_lost' });
    served.abortAll();
  });

  test('fail where a request or an answer cannot be copied', async () => {
    const { caller } = connected(async () => ({ value: () => 3 }));
    await expect(caller.call('copy', null)).rejects.toThrow(/could not be cloned/);
    await expect(caller.call('copy', () => 3)).rejects.toThrow(/could not be cloned/);
  });

  test('go both ways on one port, beside messages of other kinds', async () => {
    const { port1, port2 } = channel();
    const callers = [port1, port2].map((port) => new ThreadCaller(port));
    for (const [i, port] of [port1, port2].entries()) serveCalls(port, async () => ({ value: `from ${i}` }));
    const notes: unknown[] = [];
    port2.on(
      'message',
      (message: { readonly note?: string } | null) => message?.note !== undefined && notes.push(message?.note),
    );
    port1.postMessage({ note: 'hello' });
    port1.postMessage('a text');
    port1.postMessage(null);
    expect(await Promise.all(callers.map((caller) => caller.call('ask', null)))).toEqual(['from 1', 'from 0']);
    expect(notes).toEqual(['hello']);
  });
});
