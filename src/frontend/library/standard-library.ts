/** Parts of the standard library that shape a computation: functools, itertools, operator, collections, copy, ... */
import { LaneStatus } from '../../ir/types.js';
import type { BinaryOperator, ComparisonOperator } from '../syntax/ast.js';
import { COPIES_PER_STEP } from '../machine/work.js';
import { classMember, methodOrder } from '../values/classes.js';
import { dataclassDecorator, fieldDescription } from './dataclasses.js';
import type { LibraryMachine } from './library-machine.js';
import {
  NONE,
  Unsupported,
  bool,
  int,
  string,
  tuple,
  typeName,
  type Call,
  type ClassValue,
  type FunctionValue,
  type InstanceValue,
  type Scalar,
  type AnyValue,
  type Value,
} from '../values/values.js';
import { cached } from './cached-functions.js';
import { builtin, named, notRaising, required, scalar, takeAny } from './arguments.js';
import { writtenInPython } from './written-in-python.js';
import { combinedInLoop } from './folds.js';
import { sortValues } from './sorting.js';
import { table, type Table } from '../values/table.js';

type Implementation = (ev: LibraryMachine, call: Call) => AnyValue;

const apply = (ev: LibraryMachine, fn: Value, args: readonly AnyValue[], call: Call): AnyValue =>
  ev.calls.call(fn, { args, keywords: new Map(), position: call.position });

// ---- functools

const isFunction = (value: Value | undefined): value is FunctionValue =>
  value?.tag === 'function' || value?.tag === 'builtin';

const FUNCTOOLS: Table<Implementation> = table({
  reduce: (ev, call) => {
    const [fn, iterable, initial] = call.args;
    const source = required('functools.reduce', iterable, call);
    ev.sequences.inTurns(source, call.position);
    const step = (a: Value, b: Value): Value => ev.choices.plain(apply(ev, fn, [a, b], call), call.position);
    const rolled = initial === undefined ? null : combinedInLoop(ev, source, initial, step, call.position);
    if (rolled !== null) return rolled;
    const items = ev.sequences.iterate(source, call.position);
    const all = initial === undefined ? items : [initial, ...items];
    if (all.length === 0) return ev.ops.raise(LaneStatus.Raised, 'TypeError');
    const check = ev.sequences.watched(source, call.position);
    return all.slice(1).reduce((a, b) => {
      const next = step(a, b);
      check();
      return next;
    }, all[0]);
  },
  partial: (ev, call) => {
    const [fn, ...first] = call.args;
    const keywords = [...call.keywords];
    if (!isFunction(fn)) throw new Unsupported('functools.partial() of this', call.position);
    return builtin('functools.partial', (inner) =>
      ev.calls.call(fn, {
        args: [...first, ...inner.args],
        keywords: new Map([...keywords, ...inner.keywords]),
        position: inner.position,
      }),
    );
  },
  lru_cache: (ev, call) => {
    const [first] = call.args;
    if (isFunction(first)) return cached(ev, first, call.position);
    // How much it keeps has no effect.
    takeAny(call);
    return builtin('functools.lru_cache', (inner) => cached(ev, inner.args[0], inner.position));
  },
  cache: (ev, call) => cached(ev, required('functools.cache', call.args[0], call), call.position),
  wraps: (_ev, call) => {
    takeAny(call);
    return builtin('functools.wraps', (inner) => required('functools.wraps', inner.args[0], inner));
  },
});

// ---- itertools

function known(ev: LibraryMachine, value: Value | undefined, call: Call, what: string): number {
  return ev.items.staticInt(required(what, value, call), call.position, what);
}

/** Index tuples in the order that itertools gives them; counted before they are made. */
function indexTuples(
  ev: LibraryMachine,
  call: Call,
  r: number,
  n: number,
  next: (prefix: readonly number[], n: number) => readonly number[],
): number[][] {
  let rows: number[][] = [[]];
  for (let level = 0; level < r; level++) {
    const longer: number[][] = [];
    for (const prefix of rows) {
      ev.work.step(call.position, 1 + (n * (1 + level)) / COPIES_PER_STEP);
      const choices = next(prefix, n);
      ev.work.step(call.position, choices.length * (1 + level / COPIES_PER_STEP));
      for (const k of choices) longer.push([...prefix, k]);
    }
    rows = longer;
  }
  return rows;
}

function selections(
  name: string,
  next: (prefix: readonly number[], n: number) => readonly number[],
  defaultsToAll: boolean,
): Implementation {
  return (ev, call) => {
    const args = named(`itertools.${name}`, call, ['iterable', 'r']);
    const items = ev.sequences.iterate(required(`itertools.${name}`, args.iterable, call), call.position);
    const r =
      defaultsToAll && (args.r === undefined || args.r.tag === 'none')
        ? items.length
        : known(ev, args.r, call, `the length for itertools.${name}()`);
    if (r < 0) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
    const rows = indexTuples(ev, call, r, items.length, next);
    return ev.sequences.iterator(
      name,
      rows.map((row) => tuple(row.map((k) => items[k]))),
      () => true,
      false,
    );
  };
}

const from = (start: number, end: number): number[] =>
  Array.from({ length: Math.max(0, end - start) }, (_, k) => start + k);

const ITERTOOLS: Table<Implementation> = table({
  product: (ev, call) => {
    const repeat = call.keywords.has('repeat') ? known(ev, call.keywords.get('repeat'), call, 'a repeat count') : 1;
    const pools = call.args.map((v) => ev.sequences.iterate(v, call.position));
    if (repeat < 0) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
    const all = ev.work.array(call.position, pools.length === 0 ? 0 : repeat, () => pools).flat();
    let rows: Value[][] = [[]];
    for (const [level, pool] of all.entries()) {
      ev.work.step(call.position, 1 + rows.length * pool.length * (1 + level / COPIES_PER_STEP));
      rows = rows.flatMap((row) => pool.map((v) => [...row, v]));
    }
    return ev.sequences.iterator(
      'product',
      rows.map((row) => tuple(row)),
      () => true,
      false,
    );
  },
  combinations: selections('combinations', (p, n) => from(p.length === 0 ? 0 : p[p.length - 1] + 1, n), false),
  combinations_with_replacement: selections(
    'combinations_with_replacement',
    (p, n) => from(p.length === 0 ? 0 : p[p.length - 1], n),
    false,
  ),
  permutations: selections('permutations', (p, n) => from(0, n).filter((k) => !p.includes(k)), true),
  accumulate: (ev, call) => {
    const { iterable, func, initial } = named('itertools.accumulate', call, ['iterable', 'func'], ['initial']);
    const stream = ev.sequences.stream(required('itertools.accumulate', iterable, call), call.position);
    const hasInitial = initial !== undefined && initial.tag !== 'none';
    ev.sequences.inTurns(stream, call.position);
    const results: AnyValue[] = hasInitial ? [initial] : [];
    const { hasEffects } = notRaising('itertools.accumulate', call, () =>
      ev.cells.withEffects(() => {
        for (const item of stream.items) {
          const last = results[results.length - 1] as AnyValue | undefined;
          if (last === undefined) results.push(item);
          else if (func === undefined || func.tag === 'none')
            results.push(ev.operators.binary('+', last, item, call.position));
          else results.push(apply(ev, func, [last, item], call));
        }
      }),
    );
    const offset = hasInitial ? 1 : 0;
    const isSame =
      func === undefined || func.tag === 'none' ? (): boolean => true : ev.sequences.watchFunction(func, stream.items);
    return ev.sequences.iterator(
      'accumulate',
      results,
      (k) => isSame() && stream.isCurrent(Math.max(0, k - offset)),
      hasEffects || stream.hasEffects,
    );
  },
  chain: (ev, call) => chained(ev, call.args, call),
  repeat: (ev, call) => {
    const { object, times } = named('itertools.repeat', call, ['object', 'times']);
    if (times === undefined) throw new Unsupported('itertools.repeat() without an end', call.position);
    const n = Math.max(0, known(ev, times, call, 'a repeat count'));
    const item = required('itertools.repeat', object, call);
    return ev.sequences.iterator(
      'repeat',
      ev.work.array(call.position, n, () => item),
      () => true,
      false,
    );
  },
  islice: (ev, call) => {
    const [iterable, ...bounds] = call.args;
    const numbers = bounds.map((v) => {
      if (v.tag === 'none') return null;
      const isWhole = v.tag === 'scalar' && v.kind === 'int' && v.known !== undefined && v.known >= 0;
      if (!isWhole) throw new Unsupported('a bound of islice() that is no whole number', call.position);
      return v.known;
    });
    if (numbers.length === 0 || numbers.length > 3 || numbers[2] === 0)
      throw new Unsupported('itertools.islice() called so', call.position);
    const stream = ev.sequences.stream(required('itertools.islice', iterable, call), call.position);
    const [start, stop, step] =
      numbers.length === 1 ? [0, numbers[0], 1] : [numbers[0] ?? 0, numbers[1], numbers[2] ?? 1];
    const picks = from(0, stream.items.length).filter(
      (k) => k >= start && (stop === null || k < stop) && (k - start) % step === 0,
    );
    const end = Math.min(stop ?? stream.items.length, stream.items.length);
    if (end < stream.items.length) ev.sequences.inTurns(stream, call.position);
    return ev.sequences.iterator(
      'islice',
      picks.map((k) => stream.items[k]),
      (k) => stream.isCurrent(picks[k] ?? end),
      stream.hasEffects,
    );
  },
  starmap: (ev, call) => {
    const [fn, iterable] = call.args;
    const stream = ev.sequences.stream(required('itertools.starmap', iterable, call), call.position);
    ev.sequences.inTurns(stream, call.position);
    const { result, hasEffects } = notRaising('itertools.starmap', call, () =>
      ev.cells.withEffects(() =>
        stream.items.map((item) =>
          apply(ev, fn, ev.sequences.iterateAny(ev.choices.plain(item, call.position), call.position), call),
        ),
      ),
    );
    const isSame = ev.sequences.watchFunction(fn, stream.items);
    return ev.sequences.iterator(
      'starmap',
      result,
      (k) => isSame() && stream.isCurrent(k),
      hasEffects || stream.hasEffects,
    );
  },
  pairwise: (ev, call) => {
    const stream = ev.sequences.stream(required('itertools.pairwise', call.args[0], call), call.position);
    const pairs = stream.items.slice(1).map((item, k) => tuple([stream.items[k], item]));
    return ev.sequences.iterator(
      'pairwise',
      pairs,
      (k) => stream.isCurrent(Math.min(k + 1, stream.items.length)),
      stream.hasEffects,
    );
  },
  zip_longest: (ev, call) => {
    const streams = call.args.map((v) => ev.sequences.stream(v, call.position));
    const fill = call.keywords.get('fillvalue') ?? NONE;
    const lengths = streams.map((s) => s.items.length);
    const count = Math.max(0, ...lengths);
    ev.sequences.inStep(streams, lengths);
    const rows = from(0, count).map((k) => tuple(streams.map((s) => s.items[k] ?? fill)));
    const isCurrent = (k: number): boolean => streams.every((s) => s.isCurrent(Math.min(k, s.items.length)));
    return ev.sequences.iterator(
      'zip_longest',
      rows,
      isCurrent,
      streams.some((s) => s.hasEffects),
    );
  },
});

function chained(ev: LibraryMachine, iterables: readonly Value[], call: Call): Value {
  // It asks for them one after the other.
  const streams = notRaising('itertools.chain', call, () =>
    iterables.map((v) => ev.sequences.stream(v, call.position)),
  );
  const places = streams.flatMap((s) => s.items.map((_, k) => ({ s, k })));
  const isCurrent = (k: number): boolean => {
    const place = places[k];
    if (place !== undefined) return place.s.isCurrent(place.k);
    return streams.every((s) => s.isCurrent(s.items.length));
  };
  return ev.sequences.iterator(
    'chain',
    places.map(({ s, k }) => s.items[k]),
    isCurrent,
    streams.some((s) => s.hasEffects),
  );
}

// ---- operator

const binary =
  (op: BinaryOperator): Implementation =>
  (ev, call) =>
    ev.operators.binary(op, call.args[0], required('operator', call.args[1], call), call.position);
const comparison =
  (op: ComparisonOperator): Implementation =>
  (ev, call) =>
    ev.operators.compare(op, call.args[0], required('operator', call.args[1], call), call.position);

const OPERATOR: Table<Implementation> = table({
  add: binary('+'),
  sub: binary('-'),
  mul: binary('*'),
  truediv: binary('/'),
  floordiv: binary('//'),
  mod: binary('%'),
  pow: binary('**'),
  matmul: binary('@'),
  and_: binary('&'),
  or_: binary('|'),
  xor: binary('^'),
  lt: comparison('<'),
  le: comparison('<='),
  gt: comparison('>'),
  ge: comparison('>='),
  eq: comparison('=='),
  ne: comparison('!='),
  neg: (ev, call) => ev.operators.unary('-', call.args[0], call.position),
  pos: (ev, call) => ev.operators.unary('+', call.args[0], call.position),
  abs: (ev, call) => ev.ops.abs(scalar(ev, 'operator.abs', call.args[0], call)),
  not_: (ev, call) => ev.operators.unary('not', call.args[0], call.position),
  getitem: (ev, call) => ev.items.subscript(call.args[0], call.args[1], call.position),
  itemgetter: (ev, call) => {
    required('operator.itemgetter', call.args[0], call);
    const keys = [...call.args];
    return builtin('operator.itemgetter', (inner) => {
      const parts = keys.map((key) => ev.items.subscript(inner.args[0], key, inner.position));
      return parts.length === 1 ? parts[0] : tuple(parts);
    });
  },
  attrgetter: (ev, call) => {
    required('operator.attrgetter', call.args[0], call);
    const names = call.args.map((name) => {
      if (name.tag !== 'string') throw new Unsupported('an attribute whose name is computed', call.position);
      return name.value;
    });
    return builtin('operator.attrgetter', (inner) => {
      const parts = names.map((name) => ev.calls.attribute(inner.args[0], name, inner.position));
      return parts.length === 1 ? parts[0] : tuple(parts);
    });
  },
});

// ---- collections, copy, statistics

/** A tuple with names for its items. */
function namedTuple(ev: LibraryMachine, call: Call): Value {
  const {
    typename,
    field_names: fieldNames,
    defaults,
  } = named('collections.namedtuple', call, ['typename', 'field_names', 'defaults']);
  if (typename?.tag !== 'string' || fieldNames === undefined)
    throw new Unsupported('a namedtuple whose name or fields are computed', call.position);
  const names =
    fieldNames.tag === 'string'
      ? fieldNames.value.split(/[\s,]+/).filter((n) => n !== '')
      : ev.sequences.iterate(fieldNames, call.position).map((v) => (v.tag === 'string' ? v.value : ''));
  const fallback =
    defaults === undefined || defaults.tag === 'none' ? [] : ev.sequences.iterate(defaults, call.position);
  return namedTupleType(ev, typename.value, names, fallback);
}

export function namedTupleType(
  ev: LibraryMachine,
  typename: string,
  names: readonly string[],
  defaults: readonly Value[],
): Value {
  return builtin(typename, (call) => {
    const values = new Map<string, Value>();
    defaults.forEach((value, k) => values.set(names[names.length - defaults.length + k], value));
    call.args.forEach((value, k) => values.set(names[k], value));
    for (const [name, value] of call.keywords) values.set(name, value);
    if (call.args.length > names.length || values.size !== names.length || names.some((n) => !values.has(n))) {
      return ev.ops.raise(LaneStatus.Raised, 'TypeError');
    }
    return { tag: 'tuple', items: names.map((n) => values.get(n) as Value), fields: { typename, names } };
  });
}

/** A copy; `deep` copies what is inside as well. */
function copied(ev: LibraryMachine, value: Value, deep: boolean, call: Call): Value {
  ev.work.step(call.position, value.tag === 'tuple' ? 1 + value.items.length : 1);
  const own = value.tag === 'instance' ? classMember(value.cls, deep ? '__deepcopy__' : '__copy__') : undefined;
  if (own !== undefined && deep) throw new Unsupported('a copy by __deepcopy__()', call.position);
  if (own !== undefined) return ev.calls.called(own, { args: [value], keywords: new Map(), position: call.position });
  const inner = (v: Value): Value => (deep ? copied(ev, v, true, call) : v);
  switch (value.tag) {
    case 'list':
      return ev.cells.list(ev.sequences.iterate(value, call.position).map(inner));
    case 'tuple':
      return { ...value, items: value.items.map((item) => inner(ev.choices.plain(item, call.position))) };
    case 'ndarray':
      return ev.arrays.copy(value);
    case 'complexarray':
      return ev.complex.array(ev.arrays.copy(value.re), ev.arrays.copy(value.im));
    case 'dict':
      return {
        ...ev.cells.dict(
          [...value.entries.values()].map(({ key, cell }) => [key, inner(ev.cells.readCell(cell, call.position))]),
          call.position,
        ),
        factory: value.factory,
      };
    case 'instance': {
      const copy = ev.cells.instance(value.cls);
      for (const [name, cell] of value.attributes)
        copy.attributes.set(name, ev.cells.cell(inner(ev.cells.readCell(cell, call.position))));
      return copy;
    }
    case 'scalar':
    case 'complex':
    case 'string':
    case 'text':
    case 'none':
    case 'function':
    case 'builtin':
    case 'class':
      return value;
    default:
      throw new Unsupported(`a copy of ${typeName(value)}`, call.position);
  }
}

const exactMean: Implementation = (_ev, call) => {
  throw new Unsupported(
    'the statistics module adds exact fractions; sum(v) / len(v) or statistics.fmean(v) are compiled',
    call.position,
  );
};

function middleOf(ev: LibraryMachine, call: Call, place: (n: number) => number): Value {
  const items = ev.sequences.iterate(required('statistics', call.args[0], call), call.position);
  if (items.length === 0) return ev.ops.raise(LaneStatus.Raised, 'statistics.StatisticsError');
  return sortValues(ev, items, null, false, call)[place(items.length)];
}

const STATISTICS: Table<Implementation> = table({
  fmean: (ev, call) => {
    const items = ev.sequences.iterate(required('statistics.fmean', call.args[0], call), call.position);
    if (items.length === 0 || call.args.length > 1 || call.keywords.size > 0) {
      throw new Unsupported('statistics.fmean() of nothing or with weights', call.position);
    }
    const fsum = ev.calls.attribute({ tag: 'module', path: 'math' }, 'fsum', call.position);
    const total = ev.calls.call(fsum, { args: [ev.cells.list(items)], keywords: new Map(), position: call.position });
    return ev.operators.binary('/', total, int(items.length), call.position);
  },
  median: (ev, call) => {
    const items = sortValues(
      ev,
      ev.sequences.iterate(required('statistics.median', call.args[0], call), call.position),
      null,
      false,
      call,
    );
    const n = items.length;
    if (n === 0) return ev.ops.raise(LaneStatus.Raised, 'statistics.StatisticsError');
    if (n % 2 === 1) return items[n >> 1];
    return ev.operators.binary(
      '/',
      ev.operators.binary('+', items[n / 2 - 1], items[n / 2], call.position),
      int(2),
      call.position,
    );
  },
  median_low: (ev, call) => middleOf(ev, call, (n) => (n - 1) >> 1),
  median_high: (ev, call) => middleOf(ev, call, (n) => n >> 1),
  mean: exactMean,
  stdev: exactMean,
  pstdev: exactMean,
  variance: exactMean,
  pvariance: exactMean,
});

/** The position at which a number goes into a known table that is sorted. */
function bisected(ev: LibraryMachine, call: Call, isBelow: (item: Scalar, value: Scalar) => Scalar): Value {
  const { a, x } = named('bisect', call, ['a', 'x']);
  const { position } = call;
  const table = ev.sequences.iterate(required('bisect', a, call), position);
  const value = scalar(ev, 'bisect', x, call);
  const isTable = table.every(
    (s, k): s is Scalar =>
      s.tag === 'scalar' &&
      s.known !== undefined &&
      (k === 0 ? !Number.isNaN(s.known) : ((table[k - 1] as Scalar).known as number) <= s.known),
  );
  if (!isTable) throw new Unsupported('bisect in a table that depends on x or is not sorted', position);
  return table.reduce<Scalar>(
    (n, s) => ev.ops.binary('+', n, ev.ops.retag(ev.ops.truthScalar(isBelow(s, value)), 'int'), position),
    int(0),
  );
}

function extremes(ev: LibraryMachine, call: Call, isReverse: boolean): Value {
  const { n, iterable, key } = named('heapq', call, ['n', 'iterable', 'key']);
  const count = ev.items.staticInt(required('heapq', n, call), call.position, 'a number of items');
  const items = ev.sequences.iterate(required('heapq', iterable, call), call.position);
  const by = key === undefined || key.tag === 'none' ? null : key;
  return ev.cells.list(sortValues(ev, items, by, isReverse, call).slice(0, Math.max(0, count)));
}

// ---- dataclasses

/** Traits that make a class, or that of an object, a dataclass; null: it is none. */
function dataclassOf(value: Value): NonNullable<ClassValue['dataclass']> | null {
  const cls = value.tag === 'instance' ? value.cls : value;
  if (cls.tag !== 'class') return null;
  return methodOrder(cls).find((above) => above.dataclass !== undefined)?.dataclass ?? null;
}

function dataInstance(ev: LibraryMachine, name: string, call: Call): InstanceValue {
  const value = required(`dataclasses.${name}`, call.args[0], call);
  if (value.tag !== 'instance' || dataclassOf(value) === null) return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  if (call.args.length > 1 || (name !== 'replace' && call.keywords.size > 0))
    throw new Unsupported(`dataclasses.${name}() with these arguments`, call.position);
  return value;
}

const fieldsOf = (ev: LibraryMachine, instance: InstanceValue, call: Call): [string, AnyValue][] =>
  (dataclassOf(instance)?.fields ?? []).map((name) => [name, ev.calls.attribute(instance, name, call.position)]);

/** Dataclasses in it become dicts or tuples, all else is copied. */
function asPlain(ev: LibraryMachine, value: AnyValue, as: 'dict' | 'tuple', call: Call): Value {
  const plain = ev.choices.plain(value, call.position);
  const inner = (v: AnyValue): Value => asPlain(ev, v, as, call);
  switch (plain.tag) {
    case 'instance': {
      if (dataclassOf(plain) === null) return copied(ev, plain, true, call);
      const fields = fieldsOf(ev, plain, call).map(([name, v]) => [string(name), inner(v)] as const);
      return as === 'dict' ? ev.cells.dict(fields, call.position) : tuple(fields.map(([, v]) => v));
    }
    case 'list':
      return ev.cells.list(ev.sequences.iterateAny(plain, call.position).map(inner));
    case 'tuple':
      return { ...plain, items: plain.items.map(inner) };
    case 'dict': {
      if (plain.factory !== undefined) throw new Unsupported('a defaultdict in a dataclass', call.position);
      const entries = [...plain.entries.values()];
      return ev.cells.dict(
        entries.map(({ key, cell }) => [key, inner(ev.cells.readCell(cell, call.position))]),
        call.position,
      );
    }
    default:
      return copied(ev, plain, true, call);
  }
}

const nothing: Implementation = (_ev, call) => (takeAny(call), NONE);
const LOG = Object.fromEntries(
  ['debug', 'info', 'warning', 'error', 'critical', 'exception', 'setLevel'].map((name) => [name, nothing]),
);

const TABLES: Table<Table<Implementation>> = table({
  functools: FUNCTOOLS,
  itertools: ITERTOOLS,
  'itertools.chain': table({
    from_iterable: (ev, call) =>
      chained(ev, ev.sequences.iterate(required('itertools.chain', call.args[0], call), call.position), call),
  }),
  operator: OPERATOR,
  collections: table({
    namedtuple: namedTuple,
    OrderedDict: (ev, call) => ev.calls.call(ev.calls.builtin('dict', call.position), call),
    defaultdict: (ev, call) => {
      const [factory = NONE, ...args] = call.args;
      const made = ev.calls.called(ev.calls.builtin('dict', call.position), { ...call, args });
      if (made.tag !== 'dict') throw new Unsupported('defaultdict() of this', call.position);
      return { ...made, factory: factory.tag === 'none' ? undefined : factory };
    },
  }),
  copy: table({
    copy: (ev, call) => copied(ev, required('copy.copy', call.args[0], call), false, call),
    deepcopy: (ev, call) => copied(ev, required('copy.deepcopy', call.args[0], call), true, call),
  }),
  statistics: STATISTICS,
  bisect: table({
    bisect_left: (ev, call) => bisected(ev, call, (below, v) => ev.ops.compare('<', below, v)),
    bisect: (ev, call) => bisected(ev, call, (below, v) => ev.ops.not(ev.ops.compare('<', v, below))),
    bisect_right: (ev, call) => bisected(ev, call, (below, v) => ev.ops.not(ev.ops.compare('<', v, below))),
  }),
  heapq: table({
    nsmallest: (ev, call) => extremes(ev, call, false),
    nlargest: (ev, call) => extremes(ev, call, true),
  }),
  dataclasses: table({
    dataclass: dataclassDecorator,
    field: fieldDescription,
    is_dataclass: (_ev, call) => bool(dataclassOf(required('dataclasses.is_dataclass', call.args[0], call)) !== null),
    asdict: (ev, call) => asPlain(ev, dataInstance(ev, 'asdict', call), 'dict', call),
    astuple: (ev, call) => asPlain(ev, dataInstance(ev, 'astuple', call), 'tuple', call),
    replace: (ev, call) => {
      const instance = dataInstance(ev, 'replace', call);
      const keywords = new Map<string, AnyValue>(fieldsOf(ev, instance, call));
      for (const [name, value] of call.keywords) keywords.set(name, value);
      return ev.calls.call(instance.cls, { args: [], keywords, position: call.position });
    },
    fields: (ev, call) => {
      const data = dataclassOf(required('dataclasses.fields', call.args[0], call));
      if (data === null) return ev.ops.raise(LaneStatus.Raised, 'TypeError');
      const field = writtenInPython(ev, 'dataclasses.Field') as Value;
      const { position } = call;
      return tuple(
        data.fields.map((name) => ev.calls.call(field, { args: [string(name)], keywords: new Map(), position })),
      );
    },
  }),
  // What is warned about or logged is no part of the result.
  warnings: table({ warn: nothing }),
  time: table({ sleep: pause }),
  logging: table({
    ...LOG,
    getLogger: (_ev, call) => {
      takeAny(call);
      return { tag: 'module', path: 'logging.Logger' };
    },
  }),
  'logging.Logger': table(LOG),
  typing: table({
    cast: (_ev, call) => {
      takeAny(call);
      return required('typing.cast', call.args[1], call);
    },
  }),
  abc: table({ abstractmethod: (_ev, call) => required('abc.abstractmethod', call.args[0], call) }),
});

/** `time.sleep` of a known time: the result does not depend on it. */
function pause(_ev: LibraryMachine, call: Call): Value {
  const [seconds] = call.args;
  if (call.args.length !== 1 || call.keywords.size > 0 || seconds.tag !== 'scalar' || seconds.known === undefined)
    throw new Unsupported('time.sleep() of a time that depends on x', call.position);
  if (!(seconds.known >= 0 && seconds.known < 1e9)) throw new Unsupported('time.sleep() of this time', call.position);
  return NONE;
}

export const isStandardModule = (path: string): boolean => TABLES[path] !== undefined;

export function standardMember(path: string, name: string, ev: LibraryMachine): Value | undefined {
  const written = writtenInPython(ev, `${path}.${name}`);
  if (written !== undefined) return written;
  const implementation = TABLES[path]?.[name];
  if (implementation !== undefined) return builtin(`${path}.${name}`, (call) => implementation(ev, call));
  return typeOf(path, name);
}

/** Names that are only bases of classes, annotations, or types for isinstance(). */
const TYPES: Table<readonly string[]> = table({
  abc: ['ABC'],
  typing: ['Protocol', 'Generic', 'NamedTuple', 'Iterable', 'Collection', 'Sequence', 'Mapping'],
  'collections.abc': ['Iterable', 'Collection', 'Sequence', 'Mapping'],
  numbers: ['Number', 'Real', 'Integral'],
});

function typeOf(path: string, name: string): Value | undefined {
  return TYPES[path]?.includes(name) === true ? { tag: 'type', name } : undefined;
}
