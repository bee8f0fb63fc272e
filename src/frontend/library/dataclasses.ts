/**
 * `@dataclass` and `field(...)`.
 */
import { LaneStatus } from '../../ir/types.js';
import type { LibraryMachine } from './library-machine.js';
import { classMember } from '../values/classes.js';
import {
  NONE,
  string,
  tuple,
  Unsupported,
  type AnyCall,
  type AnyValue,
  type Call,
  type ClassValue,
  type InstanceValue,
  type Value,
} from '../values/values.js';
import { builtin, takeAny } from './arguments.js';

// ---- dataclasses

interface Field {
  readonly default?: Value;
  readonly factory?: Value;
}

const described = new WeakMap<Value, Field>();

/** `field(default=..., default_factory=...)`. */
export function fieldDescription(_ev: LibraryMachine, call: Call): Value {
  const marker = builtin('dataclasses.field', () => {
    throw new Unsupported('a dataclass field used as a value', call.position);
  });
  for (const key of call.keywords.keys()) {
    if (!['default', 'default_factory', 'repr', 'compare', 'hash', 'metadata'].includes(key)) {
      throw new Unsupported(`the argument '${key}' of field()`, call.position);
    }
  }
  takeAny(call);
  described.set(marker, { default: call.keywords.get('default'), factory: call.keywords.get('default_factory') });
  return marker;
}

/** `@dataclass`, also with arguments. */
export function dataclassDecorator(ev: LibraryMachine, call: Call): Value {
  const make = (value: Value | undefined, options: ReadonlyMap<string, Value>): Value => {
    if (value?.tag !== 'class') throw new Unsupported('dataclass() of something that is no class', call.position);
    for (const key of options.keys()) {
      if (!['frozen', 'eq', 'repr', 'slots', 'unsafe_hash', 'order'].includes(key)) {
        throw new Unsupported(`the argument '${key}' of dataclass()`, call.position);
      }
    }
    const isSet = (name: string): boolean => {
      const option = options.get(name);
      return option !== undefined && ev.operators.truthOf(option, call.position).known === 1;
    };
    const fields = [...new Set([...value.bases.flatMap((b) => b.dataclass?.fields ?? []), ...value.annotated])];
    checkDefaults(ev, value, fields);
    if (isSet('slots')) value.members.set('__slots__', ev.cells.cell(tuple(value.annotated.map(string))));
    return { ...value, dataclass: { fields, isFrozen: isSet('frozen') } };
  };
  const given = new Map(call.keywords);
  const [first] = call.args;
  if (first !== undefined) return make(first, given);
  return builtin('dataclasses.dataclass', (inner) => make(inner.args[0], given));
}

/** A default that could be changed is refused, and a field without one behind one that has. */
function checkDefaults(ev: LibraryMachine, cls: ClassValue, fields: readonly string[]): void {
  let hasDefaults = false;
  for (const name of fields) {
    const value = classMember(cls, name);
    const field = value === undefined ? undefined : described.get(value);
    if (field?.default !== undefined && field.factory !== undefined) ev.ops.raise(LaneStatus.Raised, 'ValueError');
    const fallback = field === undefined ? value : (field.default ?? field.factory);
    if (fallback === undefined && hasDefaults) ev.ops.raise(LaneStatus.Raised, 'TypeError');
    const { tag } = (field === undefined ? value : field.default) ?? NONE;
    if (tag === 'list' || tag === 'dict' || tag === 'set') ev.ops.raise(LaneStatus.Raised, 'ValueError');
    hasDefaults = fallback !== undefined;
  }
}

/** Defaults are those of the dataclass, whatever a class below it calls by the same name. */
export function initializeFields(
  ev: LibraryMachine,
  instance: InstanceValue,
  cls: ClassValue,
  fields: readonly string[],
  call: AnyCall,
): void {
  const given = new Map<string, AnyValue>(call.keywords);
  call.args.forEach((value, k) => {
    if (k >= fields.length || given.has(fields[k])) ev.ops.raise(LaneStatus.Raised, 'TypeError');
    given.set(fields[k], value);
  });
  for (const name of given.keys()) if (!fields.includes(name)) ev.ops.raise(LaneStatus.Raised, 'TypeError');
  for (const name of fields) {
    let value = given.get(name);
    if (value === undefined) {
      const fallback = classMember(cls, name);
      const field = fallback === undefined ? undefined : described.get(fallback);
      if (field?.factory !== undefined) {
        value = ev.calls.call(field.factory, { args: [], keywords: new Map(), position: call.position });
      } else value = field === undefined ? fallback : field.default;
    }
    if (value === undefined) ev.ops.raise(LaneStatus.Raised, 'TypeError');
    else instance.attributes.set(name, ev.cells.cell(value));
  }
}
