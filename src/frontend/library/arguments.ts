import { LaneStatus } from '../../ir/types.js';
import type { LibraryMachine } from './library-machine.js';
import type { Position } from '../syntax/ast.js';
import type { Signature } from '../values/signatures.js';
import {
  isBoolKind,
  PathCaught,
  typeName,
  Unsupported,
  type AnyCall,
  type AnyValue,
  type BuiltinValue,
  type Call,
  type Scalar,
  type Value,
} from '../values/values.js';

/** Keyword arguments that say which of their values have been looked at. */
class NotedKeywords<V> extends Map<string, V> {
  readonly seen = new Set<string>();

  override get(name: string): V | undefined {
    this.seen.add(name);
    return super.get(name);
  }

  override *entries(): MapIterator<[string, V]> {
    for (const name of this.keys()) yield [name, this.get(name) as V];
  }

  override *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  override [Symbol.iterator](): MapIterator<[string, V]> {
    return this.entries();
  }
}

interface Given<V> {
  readonly args: readonly V[];
  readonly keywords: ReadonlyMap<string, V>;
  readonly position: Position;
}

/**
 * A call of a function of a library. What the function has not looked at it does not know: then the call is refused,
 * whatever the function gives, or raises for the source to catch, as it is where an argument is missing that the
 * function needs.
 */
export function lookingAtAll<V, R>(name: string, call: Given<V>, run: (call: Given<V>) => R): R {
  const { args, keywords, position } = call;
  const seen = new Set<string>();
  let isAnyMissing = false;
  const notedArgs = new Proxy(args, {
    get(target, key): unknown {
      if (typeof key === 'string') seen.add(key);
      // Taken apart, or asked for one that is not there.
      isAnyMissing ||= key === Symbol.iterator || !(key in target);
      return Reflect.get(target, key);
    },
  });
  const notedKeywords = new NotedKeywords<V>();
  for (const [key, value] of keywords) notedKeywords.set(key, value);
  const refuse = (): void => {
    const unseen = args.findIndex((_, k) => !seen.has(String(k)));
    if (unseen >= 0) throw new Unsupported(`argument ${unseen + 1} of ${name}()`, position);
    for (const key of keywords.keys()) {
      if (!notedKeywords.seen.has(key)) throw new Unsupported(`the argument '${key}' of ${name}()`, position);
    }
  };
  try {
    const result = run({ args: notedArgs, keywords: notedKeywords, position });
    refuse();
    return result;
  } catch (error) {
    if (error instanceof PathCaught) refuse();
    if (error instanceof TypeError && isAnyMissing)
      throw new Unsupported(`${name}() called without a required argument`, position);
    throw error;
  }
}

export function builtin(name: string, call: (call: Call) => AnyValue, signature?: Signature): BuiltinValue {
  return { tag: 'builtin', name, signature, call: (given) => lookingAtAll(name, given, call) };
}

/** One that hands its arguments on without looking into them. */
export function handingOn(name: string, call: (call: AnyCall) => AnyValue, signature?: Signature): BuiltinValue {
  const callAny = (given: AnyCall): AnyValue => lookingAtAll(name, given, call);
  return { tag: 'builtin', name, signature, call: callAny, callAny };
}

/** To be said where the arguments do not matter, however many there are. */
export function takeAny({ args, keywords }: AnyCall): void {
  void [...args, ...keywords.values()];
}

/** Runs a call where it is not known when, or which exception, CPython raises: none is for the source to catch. */
export function notRaising<T>(name: string, call: AnyCall, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PathCaught)) throw error;
    throw new Unsupported(`an exception in ${name}()`, call.position);
  }
}

/**
 * Arguments by parameter name; unknown keywords and surplus arguments are not translated. Reading one is looking at it.
 */
export function named(
  name: string,
  call: Call,
  parameters: readonly string[],
  keywordOnly: readonly string[] = [],
): Record<string, Value | undefined> {
  const result: Record<string, Value | undefined> = {};
  if (call.args.length > parameters.length) {
    throw new Unsupported(`${name}() with ${call.args.length} arguments`, call.position);
  }
  const define = (key: string, get: () => Value | undefined): void =>
    void Object.defineProperty(result, key, { get, enumerable: true });
  for (let k = 0; k < call.args.length; k++) define(parameters[k], () => call.args[k]);
  for (const key of call.keywords.keys()) {
    if (!(parameters.includes(key) || keywordOnly.includes(key)) || key in result)
      throw new Unsupported(`the argument '${key}' of ${name}()`, call.position);
    define(key, () => call.keywords.get(key));
  }
  return result;
}

/** The arguments of a function that takes this many, by position. */
export function exactly<V>(name: string, call: Given<V>, count: number): readonly V[] {
  if (call.args.length !== count) throw new Unsupported(`${name}() with ${call.args.length} arguments`, call.position);
  return [...call.args];
}

export function required(name: string, value: Value | undefined, call: Call): Value {
  if (value === undefined) throw new Unsupported(`${name}() called without a required argument`, call.position);
  return value;
}

/** A scalar argument; a one-element array counts as its number, as float() and math functions take it. */
export function scalar(ev: LibraryMachine, name: string, value: Value | undefined, call: Call): Scalar {
  const v = required(name, value, call);
  if (v.tag === 'scalar') return v;
  if (v.tag === 'ndarray' && v.cells.length === 1) return ev.cells.readCell(v.cells[0], call.position) as Scalar;
  // No number of Python's functions of real numbers; NumPy's drops its imaginary part there.
  if (v.tag === 'complex' && !v.isNumPy && !name.startsWith('numpy'))
    return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  throw new Unsupported(`${name}() of ${typeName(v)}`, call.position);
}

/** An `axis` argument: null for None. */
export function axisOf(ev: LibraryMachine, value: Value | undefined, call: Call): number | null {
  if (value === undefined || value.tag === 'none') return null;
  return ev.items.staticInt(value, call.position, 'an axis');
}

/** A truth value that is known. */
export function flag(value: Value | undefined, fallback: boolean, call: Call): boolean {
  if (value === undefined) return fallback;
  if (value.tag !== 'scalar' || value.known === undefined || !(isBoolKind(value.kind) || value.kind === 'int'))
    throw new Unsupported(`a switch that is ${typeName(value)}, or depends on x`, call.position);
  return value.known !== 0;
}

/** How the elements lie in memory: as they always do here. */
export function plainOrder(order: Value | undefined, call: Call): void {
  const isPlain = order === undefined || (order.tag === 'string' && 'CKA'.includes(order.value) && order.value !== '');
  if (!isPlain) throw new Unsupported('an order of elements in memory', call.position);
}
