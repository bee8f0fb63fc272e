/** Python's built-in functions. */
import { addForms, constantForm, scaleForm } from '../../ir/index-form.js';
import { LaneStatus, type IndexForm } from '../../ir/types.js';
import { isNumber } from '../arrays/complex.js';
import { filteredOf, maskedLength, ranks } from '../arrays/masked.js';
import type { Position } from '../syntax/ast.js';
import { classMember, hasAttribute, refuseUnwritten } from '../values/classes.js';
import { exceptionNamed, madeException, type ExceptionName } from '../values/exceptions.js';
import {
  bool,
  float,
  int,
  isIntKind,
  isNumPyKind,
  NONE,
  RollFailure,
  string,
  TEXT,
  tuple,
  typeName,
  Unsupported,
  type AnyCall,
  type AnyValue,
  type Call,
  type ComplexValue,
  type Scalar,
  type Value,
} from '../values/values.js';
import { builtin, flag, named, notRaising, required, scalar, takeAny } from './arguments.js';
import { lacksAttribute } from './attribute-names.js';
import { isInstance } from './instance-checks.js';
import { classAttribute, lengthOfInstance } from './instances.js';
import type { LibraryMachine } from './library-machine.js';
import { consuming, passing, python, type PythonRow } from './python-row.js';
import { sortValues } from './sorting.js';
import { droppedText, formatted, intOfText, textOf, trimmed } from './strings.js';
import { extremum, firstOfFiltered, sum } from './sums-and-extremes.js';
import { table, type Table } from '../values/table.js';

export function builtinValue(ev: LibraryMachine, name: string): Value | undefined {
  const exception = exceptionNamed(name);
  if (exception !== undefined) return exceptionType(exception);
  return BUILTINS[name]?.(ev, name);
}

/** Drops the printed text. */
function print(ev: LibraryMachine, { args, keywords, position }: AnyCall): AnyValue {
  const { sep = NONE, end = NONE, file = NONE } = Object.fromEntries(keywords);
  return ev.choices.eachOf(
    [...args, sep, end, file],
    (shown) => {
      for (const value of shown.slice(0, args.length)) droppedText(value, position);
      const [between, last, stream] = shown.slice(args.length);
      for (const { tag } of [between, last])
        if (!['none', 'string', 'text'].includes(tag)) return ev.ops.raise(LaneStatus.Raised, 'TypeError');
      if (stream.tag !== 'none') throw new Unsupported('print() to a file', position);
      return NONE;
    },
    position,
  );
}

const exceptionTypes = new Map<ExceptionName, Value>();

/** A class of exceptions. One value for each: `E is ValueError`. */
export function exceptionType(name: ExceptionName): Value {
  const found = exceptionTypes.get(name);
  if (found !== undefined) return found;
  const made = builtin(name, (call) => {
    takeAny(call);
    const raised = call.keywords.size > 0 ? null : madeException(name, call.args.length);
    if (raised === null) throw new Unsupported(`${name}() with these arguments`, call.position);
    return { tag: 'exception', raised };
  });
  exceptionTypes.set(name, made);
  return made;
}

/** The type of a value where it is one on all lanes, and one that has a name here. */
function typeOf(ev: LibraryMachine, value: Value, call: Call): Value | null {
  const python = (name: string): Value => ev.calls.builtin(name, call.position);
  switch (value.tag) {
    case 'scalar': {
      const [kind, ...others] = ev.ops.possibleKinds(value);
      if (others.length > 0) return null;
      const numpy = { npfloat: 'float64', npint: 'int64', npbool: 'bool_' } as const;
      return kind === 'npfloat' || kind === 'npint' || kind === 'npbool'
        ? { tag: 'type', name: numpy[kind] }
        : python(kind);
    }
    case 'complex':
      return value.isNumPy ? { tag: 'type', name: 'complex128' } : python('complex');
    case 'ndarray':
    case 'complexarray':
    case 'masked':
      return { tag: 'type', name: 'ndarray' };
    case 'list':
      return python('list');
    case 'tuple': {
      const isPlain = value.fields === undefined && value.range === undefined && value.isCurrent === undefined;
      return isPlain ? python('tuple') : null;
    }
    case 'string':
    case 'text':
      return python('str');
    case 'instance':
      return value.cls;
    default:
      return null;
  }
}

function range(ev: LibraryMachine, call: Call): Value {
  const { ops } = ev;
  if (call.args.length === 0 || call.args.length > 3) return ops.raise(LaneStatus.Raised, 'TypeError');
  const isIndexed = call.args.some((v) => v.tag === 'scalar' && v.at !== undefined);
  const numbers = call.args.map((v) => {
    const form = isIndexed && v.tag === 'scalar' ? ops.formOf(v) : undefined;
    return form ?? constantForm(ev.items.staticInt(v, call.position, 'a range bound'));
  });
  const [start, stop, by] = numbers.length === 1 ? [constantForm(0), numbers[0], constantForm(1)] : numbers;
  const step = (by as IndexForm | undefined) ?? constantForm(1);
  if (step.terms.length > 0) throw new RollFailure('a range step that depends on an index', call.position);
  if (step.offset === 0) return ops.raise(LaneStatus.Raised, 'ValueError');
  const span = scaleForm(addForms(stop, scaleForm(start, -1)), Math.sign(step.offset));
  const width = Math.abs(step.offset);
  if (span.terms.length > 0 && width !== 1)
    throw new RollFailure('a stepped range that depends on an index', call.position);
  const count = span.terms.length > 0 ? span : constantForm(Math.max(0, Math.ceil(span.offset / width)));
  let items: Value[] | undefined;
  return {
    tag: 'tuple',
    get items() {
      if (items !== undefined) return items;
      if (count.terms.length > 0) throw new RollFailure('the items of a range that depends on an index', call.position);
      return (items = ev.work.array(call.position, count.offset, (k) =>
        ops.formScalar('int', addForms(start, constantForm(k * step.offset))),
      ));
    },
    range: ev.bulk.progression(start, step.offset, count),
  };
}

function length(ev: LibraryMachine, call: Call): Value {
  const [value] = call.args;
  switch (value?.tag) {
    case 'list':
      return int(ev.bulk.lengthOf(value));
    case 'tuple':
      if (value.range !== undefined) {
        const { count } = value.range;
        if (ev.builder.rangeOf(count).min < 0) throw new RollFailure('the length of a range', call.position);
        return ev.ops.formScalar('int', count);
      }
      if (value.isCurrent?.(value.items.length) === false)
        throw new Unsupported('a view of a dict that has changed since', call.position);
      return int(value.items.length);
    case 'dict':
    case 'set':
      return int(value.entries.size);
    case 'instance': {
      const method = classMember(value.cls, '__len__');
      if (method === undefined) return ev.ops.raise(LaneStatus.Raised, 'TypeError');
      return lengthOfInstance(ev, method, value, call.position);
    }
    case 'string':
      return int(ev.knownTexts.length(value.value, call.position));
    case 'masked':
      return maskedLength(ev, value, call.position);
    case 'filtered':
      if (value.isGenerator) return ev.ops.raise(LaneStatus.Raised, 'TypeError');
      return value.items.reduce<Scalar>(
        (n, { present }) => ev.ops.binary('+', n, ev.ops.retag(present, 'int'), call.position),
        int(0),
      );
    case 'ndarray':
      if (value.shape.length > 0) return int(value.shape[0]);
      return ev.ops.raise(LaneStatus.Raised, 'TypeError');
    case 'complexarray':
      return length(ev, { ...call, args: [value.re] });
    case 'complex':
    case 'scalar':
    case 'iterator':
      return ev.ops.raise(LaneStatus.Raised, 'TypeError');
    default:
      throw new Unsupported(`len() of ${value === undefined ? 'nothing' : typeName(value)}`, call.position);
  }
}

/** round(): half to even; with digits, only what is exact without decimal arithmetic is translated. */
function round(ev: LibraryMachine, call: Call): Value {
  const { number, ndigits } = named('round', call, ['number', 'ndigits']);
  if (number?.tag === 'ndarray') return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  const s = scalar(ev, 'round', number, call);
  ev.ops.refuseMixed(s, call.position);
  if (s.kind === 'npbool') return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  if (ndigits === undefined || ndigits.tag === 'none') return ev.ops.toInt(s, 'rint', call.position);
  if (isIntKind(s.kind) && ev.items.staticInt(ndigits, call.position, 'a digit count') >= 0) return s;
  throw new Unsupported(
    'round() to decimal digits, which needs exact decimal arithmetic (np.round() is compiled)',
    call.position,
  );
}

function sorted(ev: LibraryMachine, call: Call): Value {
  const { iterable, reverse, key } = named('sorted', call, ['iterable'], ['reverse', 'key']);
  const source = required('sorted', iterable, call);
  const items = source.tag === 'set' ? [...source.entries.values()] : ev.sequences.iterate(source, call.position);
  const backwards = flag(reverse, false, call);
  return ev.cells.list(sortValues(ev, items, key === undefined || key.tag === 'none' ? null : key, backwards, call));
}

/** The items that `any` or `all` asks for, until one decides. */
function untilDecided(ev: LibraryMachine, name: string, call: Call): readonly AnyValue[] {
  const source = required(name, call.args[0], call);
  ev.sequences.inTurns(source, call.position);
  return ev.sequences.iterateAny(source, call.position);
}

/** The attribute, or null where the object has none of that name. */
function attributeOrNull(ev: LibraryMachine, object: Value, name: Value | undefined, call: Call): AnyValue | null {
  if (name?.tag !== 'string') throw new Unsupported('an attribute whose name is computed', call.position);
  if (object.tag === 'instance') {
    const has = hasAttribute(object, name.value);
    if (has === null) throw new Unsupported(`whether there is an attribute '${name.value}'`, call.position);
    if (!has) refuseUnwritten(object.cls, name.value, call.position);
    return has ? ev.calls.attribute(object, name.value, call.position) : null;
  }
  if (object.tag === 'class') {
    if (/^__\w+__$/.test(name.value)) throw new Unsupported(`the attribute '${name.value}' of a class`, call.position);
    return classAttribute(ev, object, name.value, call.position) ?? null;
  }
  if (object.tag === 'module' && ev.modules.has(object.path, name.value) === false) return null;
  if (lacksAttribute(ev, object, name.value)) return null;
  if (object.tag === 'scalar' && !isNumPyKind(object.kind)) {
    if (['__len__', '__iter__'].includes(name.value)) return null;
  }
  if (name.value === '__len__' || name.value === '__iter__' || name.value === '__call__') {
    const hasLength = ['list', 'tuple', 'dict', 'set', 'string', 'ndarray'].includes(object.tag);
    if (name.value !== '__call__') return hasLength ? NONE : null;
  }
  return ev.calls.attribute(object, name.value, call.position);
}

/** A bound that `slice()` is given. CPython takes anything for one as long as the slice is not used. */
function sliceBound(ev: LibraryMachine, value: Value, position: Position): number {
  if (value.tag !== 'scalar' || !isIntKind(value.kind))
    throw new Unsupported(`a slice bound of ${typeName(value)}`, position);
  return ev.items.staticInt(value, position, 'a slice bound');
}

const BUILTINS: Table<PythonRow> = table({
  print: passing('*args, sep=, end=, file=, flush=', print),
  abs: python('x, /', (ev, call) => {
    const [value] = call.args;
    if (value?.tag === 'ndarray') return ev.arrays.map([value], (s) => ev.ops.abs(s), call.position);
    if (value?.tag === 'complex') return ev.complex.magnitude(ev.complex.pair(value), value.isNumPy);
    if (value?.tag === 'complexarray') return ev.calls.numpy('abs', call);
    return ev.ops.abs(scalar(ev, 'abs', value, call));
  }),
  max: consuming('first, /, *others, default=, key=', extremum('max')),
  min: consuming('first, /, *others, default=, key=', extremum('min')),
  sum: consuming('iterable, /, start=', sum),
  range: python('first, stop=, step=, /', range),
  len: python('obj, /', length),
  round: python('number, ndigits=', round),
  sorted: python('iterable, /, *, key=, reverse=', sorted),
  isinstance: python('obj, classes, /', isInstance),
  any: python('iterable, /', (ev, call) =>
    untilDecided(ev, 'any', call).reduce<Scalar>(
      (a, v) => ev.ops.or(a, ev.operators.truthOf(v, call.position)),
      bool(false),
    ),
  ),
  all: python('iterable, /', (ev, call) =>
    untilDecided(ev, 'all', call).reduce<Scalar>(
      (a, v) => ev.ops.and(a, ev.operators.truthOf(v, call.position)),
      bool(true),
    ),
  ),
  float: python('x=, /', (ev, call) => {
    const [value] = call.args;
    if (value === undefined) return float(0);
    if (value.tag === 'string') {
      const text = trimmed(ev, value.value, call.position).toLowerCase();
      if (/^[+-]?(inf|infinity)$/.test(text)) return float(text.startsWith('-') ? -Infinity : Infinity);
      if (/^[+-]?nan$/.test(text)) return float(NaN);
      // Underscores may stand between digits.
      const digits = text.replace(/(?<=\d)_(?=\d)/g, '');
      if (/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/.test(digits)) return float(Number(digits));
      return ev.ops.raise(LaneStatus.Raised, 'ValueError');
    }
    return ev.ops.certain(scalar(ev, 'float', value, call), 'float');
  }),
  complex: python('real=, imag=', (ev, call) => {
    const args = named('complex', call, ['real', 'imag']);
    const part = (value: Value): Scalar | ComplexValue => {
      if (isNumber(value)) return value;
      if (value.tag === 'ndarray') return scalar(ev, 'complex', value, call);
      throw new Unsupported(`complex() of ${typeName(value)}`, call.position);
    };
    const { complex } = ev;
    const re = complex.pair(part(args.real ?? int(0)));
    if (args.imag === undefined) return complex.make(re, false);
    const imag = part(args.imag);
    const im = complex.pair(imag);
    // Each may be complex: real + imag * 1j.
    return complex.make(
      {
        re: imag.tag === 'complex' ? complex.sub(re.re, im.im) : re.re,
        im: args.real?.tag === 'complex' ? complex.add(im.re, re.im) : im.re,
      },
      false,
    );
  }),
  int: python('x=, /, ~base=', (ev, call) => {
    const [value] = call.args;
    if (value === undefined) return int(0);
    if (call.args.length > 1) throw new Unsupported('int() of text in another base', call.position);
    if (value.tag === 'string') return intOfText(ev, value.value, call);
    return ev.ops.retag(ev.ops.toInt(scalar(ev, 'int', value, call), 'trunc', call.position), 'int');
  }),
  bool: python('x=, /', (ev, call) =>
    call.args.length === 0 ? bool(false) : ev.ops.retag(ev.operators.truthOf(call.args[0], call.position), 'bool'),
  ),
  list: python('iterable=, /', (ev, call) =>
    ev.cells.list(call.args.length === 0 ? [] : ev.sequences.iterateAny(call.args[0], call.position)),
  ),
  tuple: python('iterable=, /', (ev, call) =>
    tuple(call.args.length === 0 ? [] : ev.sequences.iterateAny(call.args[0], call.position)),
  ),
  str: python('object=, ~encoding=, ~errors=', (_ev, call) =>
    call.args.length === 0 ? string('') : textOf(call.args[0], call.position),
  ),
  repr: python('obj, /', (_ev, call) => {
    const value = required('repr', call.args[0], call);
    return value.tag === 'string' ? TEXT : textOf(value, call.position);
  }),
  format: python('value, spec=, /', (ev, call) =>
    formatted(ev, required('format', call.args[0], call), call.args[1] ?? string(''), call.position),
  ),
  dict: python('other=, /, **others', (ev, call) => {
    const [source] = call.args;
    const entries: (readonly [Value, AnyValue])[] = [];
    if (source?.tag === 'dict') {
      for (const { key, cell } of source.entries.values()) entries.push([key, ev.cells.readAny(cell, call.position)]);
    } else if (source !== undefined) {
      for (const pair of ev.sequences.iterate(source, call.position)) {
        const [key, value, ...more] = ev.sequences.iterate(pair, call.position);
        if (value === undefined || more.length > 0) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
        entries.push([key, value]);
      }
    }
    for (const [name, value] of call.keywords) entries.push([string(name), value]);
    return ev.cells.dict(entries, call.position);
  }),
  set: python('iterable=, /', (ev, call) => {
    const [source] = call.args;
    if (source?.tag === 'set') return ev.cells.set([...source.entries.values()], call.position);
    return ev.cells.set(source === undefined ? [] : ev.sequences.iterate(source, call.position), call.position);
  }),
  super: python('cls=, self=, /', (ev, call) => {
    if (call.args.length > 0 && call.args.length !== 2)
      throw new Unsupported('super() with arguments other than a class and an object', call.position);
    const [cls, self] = call.args;
    if (cls === undefined) return ev.functions.superOf(call.position);
    if (cls.tag !== 'class')
      throw new Unsupported('super() with arguments other than a class and an object', call.position);
    return { tag: 'super', cls, self };
  }),
  getattr: python('object, name, default=, /', (ev, call) => {
    const [object, name, fallback] = call.args;
    if (fallback === undefined && name.tag === 'string' && object.tag === 'instance')
      return ev.calls.attribute(object, name.value, call.position);
    const value = attributeOrNull(ev, required('getattr', object, call), name, call);
    return value ?? fallback ?? ev.ops.raise(LaneStatus.Raised, 'AttributeError');
  }),
  hasattr: python('obj, name, /', (ev, call) => {
    const [object, name] = call.args;
    if (object?.tag === 'module' && name?.tag === 'string') {
      if (ev.modules.has(object.path, name.value) === true) return bool(true);
      if (ev.modules.standsFor(object.path))
        throw new Unsupported(ev.modules.whyUnknown(object.path, name.value), call.position);
    }
    return bool(attributeOrNull(ev, required('hasattr', object, call), name, call) !== null);
  }),
  type: python(null, (ev, call) => {
    const [value] = call.args;
    if (call.args.length !== 1 || call.keywords.size > 0)
      throw new Unsupported('type() with other than one argument', call.position);
    const type = typeOf(ev, value, call);
    if (type === null) throw new Unsupported(`type() of ${typeName(value)}`, call.position);
    return type;
  }),
  filter: python('function, iterable, /', (ev, call) => {
    const [fn, iterable] = call.args;
    const position = call.position;
    const stream = ev.sequences.stream(required('filter', iterable, call), position);
    if (fn.tag !== 'none') ev.sequences.inTurns(stream, position);
    const picks: number[] = [];
    const { hasEffects } = notRaising('filter', call, () =>
      ev.cells.withEffects(() =>
        stream.items.forEach((item, k) => {
          const kept = fn.tag === 'none' ? item : ev.calls.call(fn, { args: [item], keywords: new Map(), position });
          const truth = ev.operators.truthOf(kept, position);
          if (truth.known === undefined) {
            throw new Unsupported('filter() by what depends on x ([v for v in ... if ...] is compiled)', position);
          }
          if (truth.known !== 0) picks.push(k);
        }),
      ),
    );
    const isSame = ev.sequences.watchFunction(fn, stream.items);
    const isCurrent = (k: number): boolean => isSame() && stream.isCurrent(picks[k] ?? stream.items.length);
    return ev.sequences.iterator(
      'filter',
      picks.map((k) => stream.items[k]),
      isCurrent,
      hasEffects || stream.hasEffects,
    );
  }),
  pow: python('base, exp, ~mod=', (ev, call) => {
    const { base, exp } = named('pow', call, ['base', 'exp']);
    return ev.operators.binary('**', required('pow', base, call), required('pow', exp, call), call.position);
  }),
  divmod: python('x, y, /', (ev, call) => {
    const [a, b] = call.args;
    return tuple([ev.operators.binary('//', a, b, call.position), ev.operators.binary('%', a, b, call.position)]);
  }),
  enumerate: python('iterable, start=', (ev, call) => {
    const { iterable, start } = named('enumerate', call, ['iterable', 'start']);
    const first = start === undefined ? 0 : ev.items.staticInt(start, call.position, 'a start');
    const chosen = iterable?.tag === 'masked' ? filteredOf(ev, iterable) : iterable;
    if (chosen?.tag === 'filtered' && !chosen.isGenerator) {
      const before = ranks(ev, chosen.items, call.position);
      const items = chosen.items.map(({ value, present }, k) => {
        const position = ev.ops.binary('+', int(first), before[k], call.position);
        return { value: tuple([position, value]), present };
      });
      return { ...chosen, items };
    }
    const source = ev.sequences.stream(required('enumerate', iterable, call), call.position);
    return ev.sequences.combine(
      'enumerate',
      [source],
      ([n]) => n,
      ([item], k) => tuple([ev.ops.binary('+', int(first), k, call.position), item]),
    );
  }),
  zip: python('*iterables, ~strict=', (ev, call) => {
    if (call.keywords.size > 0) throw new Unsupported('zip() with keywords', call.position);
    const columns = call.args.map((v) => ev.sequences.stream(v, call.position));
    return ev.sequences.combine(
      'zip',
      columns,
      (lengths) => (lengths.length === 0 ? 0 : Math.min(...lengths)),
      (items) => tuple(items),
    );
  }),
  map: python('function, first, /, *iterables', (ev, call) => {
    const [fn, ...iterables] = call.args;
    const columns = iterables.map((v) => ev.sequences.stream(v, call.position));
    const count = Math.min(...columns.map((c) => c.items.length));
    for (const column of columns) ev.sequences.inTurns(column, call.position);
    const { result, hasEffects } = notRaising('map', call, () =>
      ev.cells.withEffects(() =>
        Array.from({ length: count }, (_, k) =>
          ev.calls.call(fn, { args: columns.map((c) => c.items[k]), keywords: new Map(), position: call.position }),
        ),
      ),
    );
    const isSame = ev.sequences.watchFunction(
      fn,
      columns.flatMap((c) => c.items),
    );
    const late = hasEffects || columns.some((c) => c.hasEffects);
    return ev.sequences.iterator('map', result, (k) => isSame() && columns.every((c) => c.isCurrent(k)), late);
  }),
  reversed: python('sequence, /', (ev, call) => {
    const source = required('reversed', call.args[0], call);
    // TypeError: not reversible.
    if (source.tag === 'iterator') return ev.ops.raise(LaneStatus.Raised, 'TypeError');
    const stream = ev.sequences.stream(source, call.position);
    if (stream.elements !== undefined) {
      const reverse = (k: number, n: number): number => n - 1 - k;
      return ev.sequences.combine(
        'reversed',
        [stream],
        ([n]) => n,
        ([item]) => item,
        reverse,
      );
    }
    const { items, isCurrent } = stream;
    const count = items.length;
    return ev.sequences.iterator(
      'reversed',
      [...items].reverse(),
      (k) => isCurrent(k < count ? count - 1 - k : count),
      false,
    );
  }),
  callable: python('obj, /', (_ev, call) => {
    const value = required('callable', call.args[0], call);
    if (value.tag === 'instance') return bool(classMember(value.cls, '__call__') !== undefined);
    return bool(['function', 'builtin', 'type', 'class'].includes(value.tag));
  }),
  iter: python('object, ~sentinel=, /', (ev, call) => {
    const [value] = call.args;
    if (value.tag === 'iterator') return value;
    const stream = ev.sequences.stream(value, call.position);
    return ev.sequences.combine(
      'iterator',
      [stream],
      ([n]) => n,
      ([item]) => item,
    );
  }),
  next: python('iterator, default=, /', (ev, call) => {
    const [source, fallback] = call.args;
    const { position } = call;
    if (source.tag === 'filtered' && source.isGenerator) ev.sequences.inTurns(source, position);
    if (source.tag === 'filtered' && source.isGenerator) return firstOfFiltered(ev, source, fallback, call);
    if (source.tag !== 'iterator') throw new Unsupported(`next() of ${typeName(source)}`, position);
    const { items, isCurrent, hasEffects } = ev.sequences.stream(source, position);
    if (hasEffects || !isCurrent(0)) throw new Unsupported('next() of what has effects of its own', position);
    return items.length > 0 ? items[0] : (fallback ?? ev.ops.raise(LaneStatus.Raised, 'StopIteration'));
  }),
  slice: python('first, stop=, step=, /', (ev, call) => {
    const { args, position } = call;
    const [lower, upper, step] = (args.length === 1 ? [NONE, ...args] : args).map((v) =>
      v.tag === 'none' ? null : sliceBound(ev, v, position),
    );
    return { tag: 'slice', lower, upper, step: step ?? null };
  }),
  frozenset: python('iterable=, /', (ev, call) => {
    const made = ev.calls.call(ev.calls.builtin('set', call.position), call);
    return made.tag === 'set' ? { ...made, isFrozenSet: true } : made;
  }),
  object: python(null, () => {
    throw new Unsupported('object() as a value', { line: 1, column: 1 });
  }),
});
