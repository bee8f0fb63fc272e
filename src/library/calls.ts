/**
 * Calls an objective of the user's for each row of a matrix: in the calling thread, or in a worker thread for a module.
 * An exception, or a result that is no number, is a failure of that row; the order of calls never shows in the result.
 */
import { ExtremumError } from '../common/errors.js';
import type { BatchObjectiveFunction, ObjectiveFunction } from './types.js';

/** A synchronous objective lets the event loop turn this often. */
const TURN_MS = 25;

export interface Rows {
  /** Row-major `[count, dimension]`; not kept. */
  readonly points: Float64Array;
  readonly count: number;
  readonly dimension: number;
}

export interface RowFailure {
  readonly index: number;
  readonly type: string;
  readonly message: string;
}

/** Where results go. Nothing is written once `isOver` says so. */
export interface RowSink {
  /** [count]. */
  readonly values: Float64Array;
  fail(index: number, error: unknown): void;
  isOver(): boolean;
}

/** Thrown for a row whose result is no number. */
export class NonNumericResult extends Error {
  constructor(value: unknown) {
    super(`the objective returned ${value === null ? 'null' : `a value of type ${typeof value}`}, not a number`);
    this.name = 'NonNumericResult';
  }
}

/** A thrown value as a failure. */
export function failureOf(index: number, error: unknown): RowFailure {
  try {
    if (error instanceof Error) return { index, type: String(error.name), message: String(error.message) };
    return { index, type: 'Error', message: String(error) };
  } catch {
    // It has no text, or throws where it is asked for one.
    return { index, type: 'Error', message: 'a value that cannot be shown' };
  }
}

/** `concurrency`: calls whose promises are awaited at a time. */
export async function callEach(call: ObjectiveFunction, rows: Rows, sink: RowSink, concurrency: number): Promise<void> {
  const { points, count, dimension: n } = rows;
  let next = 0;
  let turnedAt = performance.now();
  const lane = async (): Promise<void> => {
    while (next < count && !sink.isOver()) {
      const row = next++;
      try {
        const returned: unknown = call(points.slice(row * n, (row + 1) * n));
        const value = isPromiseLike(returned) ? await returned : returned;
        if (sink.isOver()) return;
        if (typeof value !== 'number') throw new NonNumericResult(value);
        sink.values[row] = value;
      } catch (error) {
        if (sink.isOver()) return;
        sink.fail(row, error);
      }
      if (performance.now() - turnedAt < TURN_MS) continue;
      await new Promise<void>((resolve) => setImmediate(resolve));
      turnedAt = performance.now();
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, lane));
}

/** @throws {ExtremumError} `objective_rejected` where it does not return a number for each point. */
export async function callBatch(call: BatchObjectiveFunction, rows: Rows, sink: RowSink): Promise<void> {
  const { points, count, dimension: n } = rows;
  let returned: unknown;
  try {
    returned = await call(points.slice(0, count * n), count);
  } catch (error) {
    if (sink.isOver()) return;
    if (count === 1) return sink.fail(0, error);
    // Which of them it was shows one by one.
    const one: ObjectiveFunction = async (x) => numbersOf(await call(x, 1), 1)[0] as number;
    return callEach(one, rows, sink, 1);
  }
  if (sink.isOver()) return;
  const values = numbersOf(returned, count);
  for (let row = 0; row < count; row++) {
    const value = values[row];
    if (typeof value === 'number') sink.values[row] = value;
    else sink.fail(row, new NonNumericResult(value));
  }
}

function numbersOf(returned: unknown, count: number): ArrayLike<unknown> {
  const isList = Array.isArray(returned) || ArrayBuffer.isView(returned);
  const length = isList ? (returned as ArrayLike<unknown> & ArrayBufferView).length : null;
  if (length === count) return returned as ArrayLike<unknown>;
  const what = length === null ? `a value of type ${typeof returned}` : `${length} numbers`;
  throw new ExtremumError('objective_rejected', `The objective was given ${count} points and returned ${what}.`);
}

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
