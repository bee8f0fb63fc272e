/** Which exceptions a `try` statement catches, by class name. */
import { LaneStatus } from '../ir/types.js';
import type { Expression, StatementOf } from './ast.js';
import { Unsupported, type Cell } from './values.js';

/** Classes above each built-in exception that objectives meet; `Exception` and `BaseException` are above all. */
const PARENTS: Readonly<Record<string, readonly string[] | undefined>> = {
  ZeroDivisionError: ['ArithmeticError'],
  OverflowError: ['ArithmeticError'],
  FloatingPointError: ['ArithmeticError'],
  IndexError: ['LookupError'],
  KeyError: ['LookupError'],
  UnboundLocalError: ['NameError'],
  RecursionError: ['RuntimeError'],
  NotImplementedError: ['RuntimeError'],
};

/**
 * What CPython raises where a lane gets this status. Several names: one of them, which one depends on the lane. Empty:
 * no exception at all, or one that the compiler does not know; then only CPython can tell.
 */
const RAISED: Readonly<Partial<Record<LaneStatus, readonly string[]>>> = {
  [LaneStatus.ZeroDivision]: ['ZeroDivisionError'],
  [LaneStatus.MathDomain]: ['ValueError'],
  [LaneStatus.Overflow]: ['OverflowError'],
  [LaneStatus.IndexRange]: ['IndexError'],
  [LaneStatus.IntegerConversion]: ['ValueError', 'OverflowError'],
};

export interface Handler {
  /** Null catches everything. */
  readonly names: readonly string[] | null;
  /** Truth value: the lanes that this handler takes. */
  readonly raised: Cell;
}

/** Class names of an `except` clause. */
export function handlerNames(type: Expression | null): readonly string[] | null {
  if (type === null) return null;
  const parts = type.kind === 'Tuple' ? type.elements : [type];
  const names = parts.map(className);
  return names.some((n) => n === 'Exception' || n === 'BaseException') ? null : names;
}

function className(node: Expression): string {
  if (node.kind === 'Name') return node.name;
  if (node.kind === 'Attribute') return node.name;
  throw new Unsupported('an exception class that is computed', node);
}

/** Class name of the exception that a `raise` statement raises; null where it raises again or computes it. */
export function raisedName(node: StatementOf<'Raise'>): string | null {
  const exception = node.exception?.kind === 'Call' ? node.exception.callee : node.exception;
  return exception?.kind === 'Name' || exception?.kind === 'Attribute' ? exception.name : null;
}

/** Whether `handler` catches for certain what a check of this status raises. */
export function catches(handler: Handler, status: LaneStatus, exception: string | null): boolean {
  const possible = exception === null ? (RAISED[status] ?? []) : [exception];
  if (handler.names === null) return possible.length > 0 || status === LaneStatus.Raised;
  const { names } = handler;
  const isCaught = (name: string): boolean =>
    names.includes(name) || (PARENTS[name] ?? []).some((parent) => names.includes(parent));
  return possible.length > 0 && possible.every(isCaught);
}
