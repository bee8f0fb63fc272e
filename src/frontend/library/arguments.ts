import { LaneStatus } from '../../ir/types.js';
import type { Evaluator } from '../evaluator.js';
import {
  Unsupported,
  typeName,
  type AnyCall,
  type AnyValue,
  type BuiltinValue,
  type Call,
  type Scalar,
  type Value,
} from '../values.js';

export function builtin(name: string, call: (call: Call) => AnyValue): BuiltinValue {
  return { tag: 'builtin', name, call };
}

/** One that hands its arguments on without looking into them. */
export function handingOn(name: string, callAny: (call: AnyCall) => AnyValue): BuiltinValue {
  return { tag: 'builtin', name, call: callAny, callAny };
}

/** Arguments by parameter name; unknown keywords and surplus arguments are not translated. */
export function named(name: string, call: Call, parameters: readonly string[]): Record<string, Value | undefined> {
  const result: Record<string, Value | undefined> = {};
  if (call.args.length > parameters.length) {
    throw new Unsupported(`${name}() with ${call.args.length} arguments`, call.position);
  }
  call.args.forEach((value, k) => (result[parameters[k]] = value));
  for (const [key, value] of call.keywords) {
    if (!parameters.includes(key) || key in result)
      throw new Unsupported(`the argument '${key}' of ${name}()`, call.position);
    result[key] = value;
  }
  return result;
}

export function required(name: string, value: Value | undefined, call: Call): Value {
  if (value === undefined) throw new Unsupported(`${name}() called without a required argument`, call.position);
  return value;
}

/** A scalar argument; a one-element array counts as its number, as float() and math functions take it. */
export function scalar(ev: Evaluator, name: string, value: Value | undefined, call: Call): Scalar {
  const v = required(name, value, call);
  if (v.tag === 'scalar') return v;
  if (v.tag === 'ndarray' && v.cells.length === 1) return ev.readCell(v.cells[0], call.position) as Scalar;
  // No number of Python's functions of real numbers; NumPy's drops its imaginary part there.
  if (v.tag === 'complex' && !v.isNumPy && !name.startsWith('numpy'))
    return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  throw new Unsupported(`${name}() of ${typeName(v)}`, call.position);
}

/** An `axis` argument: null for None. */
export function axisOf(ev: Evaluator, value: Value | undefined, call: Call): number | null {
  if (value === undefined || value.tag === 'none') return null;
  return ev.staticInt(value, call.position, 'an axis');
}

export function flag(value: Value | undefined, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  return value.tag === 'scalar' && value.known !== undefined && value.known !== 0;
}
