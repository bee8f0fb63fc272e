/**
 * `isinstance` and `issubclass`.
 */
import { LaneStatus } from '../../ir/types.js';
import { methodOrder } from '../values/classes.js';
import { catches, exceptionClassOf, raisedClasses, type Raised } from '../values/exceptions.js';
import {
  bool,
  isNumPyKind,
  Unsupported,
  type AnyValue,
  type Call,
  type ClassValue,
  type ScalarKind,
  type Value,
} from '../values/values.js';
import type { LibraryMachine } from './library-machine.js';
import { isTypeName } from './types.js';

const isCollection = (value: Value): boolean =>
  ['list', 'tuple', 'dict', 'set', 'string', 'text', 'ndarray', 'masked', 'filtered'].includes(value.tag);

export function isInstance(ev: LibraryMachine, call: Call): Value {
  const [value, types] = call.args;
  if (value === undefined || types === undefined) return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  const listed = types.tag === 'tuple' ? types.items : [types];
  if (value.tag === 'exception') return isException(value.raised, listed, call);
  const classes = listed.filter((t): t is ClassValue => t.tag === 'class');
  if (classes.some((c) => value.tag === 'instance' && isSubclass(value.cls, c))) return bool(true);
  const names = listed.flatMap((t) => {
    if (t.tag === 'class') return [];
    if (t.tag === 'type') return t.name;
    if (t.tag === 'builtin' && isTypeName(t.name)) return t.name;
    throw new Unsupported(
      'isinstance() with a type other than numbers, text, containers, arrays and classes of this source',
      call.position,
    );
  });
  const { tag } = value;
  const isFilteredList = value.tag === 'filtered' && !value.isGenerator;
  const kinds = value.tag === 'scalar' ? ev.ops.possibleKinds(value) : [null];
  const is = (name: string, kind: ScalarKind | null): boolean => {
    switch (name) {
      case 'float':
        return kind === 'float' || kind === 'npfloat';
      case 'int':
        return kind === 'int' || kind === 'bool';
      case 'bool':
        return kind === 'bool';
      case 'float64':
      case 'floating':
        return kind === 'npfloat';
      case 'generic':
        return kind !== null && isNumPyKind(kind);
      case 'number':
        return kind === 'npfloat' || kind === 'npint';
      case 'Iterable':
      case 'Collection':
      case 'Sequence':
      case 'Mapping':
        // Of a class of the source, its methods decide.
        if (value.tag === 'instance')
          throw new Unsupported(`isinstance() of an object of this source with ${name}`, call.position);
        if (name === 'Mapping') return tag === 'dict';
        if (name === 'Sequence')
          return tag === 'list' || tag === 'tuple' || tag === 'string' || tag === 'text' || isFilteredList;
        return tag === 'iterator' ? name === 'Iterable' : isCollection(value);
      case 'int64':
      case 'integer':
        return kind === 'npint';
      case 'bool_':
        return kind === 'npbool';
      case 'Number':
        return tag === 'complex' || (kind !== null && kind !== 'npbool');
      case 'Real':
        return kind !== null && kind !== 'npbool';
      case 'Integral':
        return kind === 'int' || kind === 'npint' || kind === 'bool';
      case 'set':
        return value.tag === 'set' && !value.isFrozenSet;
      case 'frozenset':
        return value.tag === 'set' && value.isFrozenSet;
      case 'list':
      case 'tuple':
      case 'dict':
        return tag === name || (name === 'list' && isFilteredList);
      case 'ndarray':
        return tag === 'ndarray' || tag === 'complexarray' || tag === 'masked';
      case 'str':
        return tag === 'string' || tag === 'text';
      case 'complex':
      case 'slice':
        return tag === name;
      case 'complex128':
      case 'complexfloating':
        return value.tag === 'complex' && value.isNumPy;
      case 'object':
        return true;
      default:
        throw new Unsupported(
          'isinstance() with a type other than numbers, text, containers, arrays and classes of this source',
          call.position,
        );
    }
  };
  const answers = kinds.map((kind) => names.some((name) => is(name, kind)));
  if (answers.some((answer) => answer !== answers[0])) {
    throw new Unsupported('isinstance() of what has one type or another depending on x', call.position);
  }
  return bool(answers[0]);
}

/** Whether a caught exception is of one of some classes: as an `except` clause that names them would say. */
function isException(raised: Raised, types: readonly AnyValue[], call: Call): Value {
  const classes = types.flatMap((t) => {
    const cls = t.tag === 'choice' || t.tag === 'opaque' ? undefined : exceptionClassOf(t);
    return cls === undefined ? [] : [cls];
  });
  const verdict = raisedClasses(raised).length > 0 ? catches({ classes }, raised) : 'open';
  if (verdict === 'open' || classes.length < types.length)
    throw new Unsupported('isinstance() of an exception of one class or another', call.position);
  return bool(verdict === 'yes');
}

const isSubclass = (cls: ClassValue, base: ClassValue): boolean => methodOrder(cls).includes(base);
