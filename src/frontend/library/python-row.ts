/**
 * Rows of the tables of Python's own functions and methods: the parameters, as Python writes them, and what a call
 * gives. A call that does not fit the parameters raises `TypeError` before anything else happens.
 */
import { LaneStatus } from '../../ir/types.js';
import { signatureOf } from '../values/signatures.js';
import { Unsupported, type AnyCall, type AnyValue, type BuiltinValue, type Call } from '../values/values.js';
import { builtin, handingOn } from './arguments.js';
import type { LibraryMachine } from './library-machine.js';

export type Implementation = (ev: LibraryMachine, call: Call) => AnyValue;

/** Makes the value that a program calls. */
export type PythonRow = (ev: LibraryMachine, name: string) => BuiltinValue;

/** A function. `parameters`: null where the function looks at its arguments itself. */
export function python(parameters: string | null, call: Implementation): PythonRow {
  const signature = parameters === null ? undefined : signatureOf(parameters);
  return (ev, name) => builtin(name, (given) => call(ev, given), signature);
}

/** A function that looks at each item of its argument once, and at nothing else of it. */
export function consuming(parameters: string, call: Implementation): PythonRow {
  const made = python(parameters, call);
  return (ev, name) => ({ ...made(ev, name), isConsumer: true });
}

/** A function that hands its arguments on without looking into them. */
export function passing(parameters: string, call: (ev: LibraryMachine, call: AnyCall) => AnyValue): PythonRow {
  const signature = signatureOf(parameters);
  return (ev, name) => handingOn(name, (given) => call(ev, given), signature);
}

/** Makes the method of a value. */
export type MethodRow<Self> = (ev: LibraryMachine, name: string, self: Self) => BuiltinValue;

export const methodOf =
  <Self>() =>
  (parameters: string, call: (ev: LibraryMachine, self: Self, call: Call) => AnyValue): MethodRow<Self> => {
    const signature = signatureOf(parameters);
    return (ev, name, self) => builtin(name, (given) => call(ev, self, given), signature);
  };

/** A method that hands its arguments on without looking into them. */
export const passingMethodOf =
  <Self>() =>
  (parameters: string, call: (ev: LibraryMachine, self: Self, call: AnyCall) => AnyValue): MethodRow<Self> => {
    const signature = signatureOf(parameters);
    return (ev, name, self) => handingOn(name, (given) => call(ev, self, given), signature);
  };

/** The call with every argument that may stand in its place there, in place of its name. */
export function fitted(ev: LibraryMachine, { name, signature }: BuiltinValue, call: AnyCall): AnyCall {
  if (signature === undefined) return call;
  const { parameters, isVariadic, takesNames } = signature;
  const misfit = (): never => ev.ops.raise(LaneStatus.Raised, 'TypeError');
  const places = parameters.filter(({ kind }) => kind !== 'keyword');
  const args: AnyValue[] = [...call.args];
  const keywords = new Map(call.keywords);
  if (args.length > places.length && !isVariadic) return misfit();
  const given = new Set(places.slice(0, args.length));
  for (const key of keywords.keys()) {
    const parameter = parameters.find((p) => p.name === key && p.kind !== 'positional');
    if (parameter === undefined ? !takesNames : given.has(parameter)) return misfit();
    if (parameter !== undefined) given.add(parameter);
  }
  if (parameters.some((p) => !p.isOptional && !given.has(p) && p.kind !== 'keyword')) return misfit();
  const strange = [...given].find(({ isTranslated }) => !isTranslated);
  if (strange !== undefined) throw new Unsupported(`the argument '${strange.name}' of ${name}()`, call.position);
  for (const parameter of places.slice(args.length)) {
    const value = keywords.get(parameter.name);
    if (value === undefined || parameter.kind !== 'either') break;
    keywords.delete(parameter.name);
    args.push(value);
  }
  return { ...call, args, keywords };
}
