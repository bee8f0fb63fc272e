/** Methods of lists, and those of tuples that are the same. */
import { LaneStatus } from '../../ir/types.js';
import type { Position } from '../syntax/ast.js';
import { sliceIndices } from '../values/slices.js';
import { table, type Table } from '../values/table.js';
import {
  bool,
  int,
  NONE,
  string,
  tuple,
  typeName,
  Unsupported,
  type AnyValue,
  type Call,
  type ListValue,
  type Scalar,
  type TupleValue,
  type Value,
} from '../values/values.js';
import { builtin, exactly, flag, named } from './arguments.js';
import type { LibraryMachine } from './library-machine.js';
import { methodOf, passingMethodOf, type MethodRow } from './python-row.js';
import { sortValues } from './sorting.js';

/**
 * The position of the first element that equals a value, between the bounds that follow it; ValueError where there is
 * none.
 */
function placeOf(ev: LibraryMachine, list: ListValue, value: Value, call: Call): Scalar {
  if (call.args.length > 3) throw new Unsupported('index() with more than three arguments', call.position);
  const items = ev.sequences.iterate(list, call.position);
  const bounds = call.args.slice(1).map((v) => ev.items.staticInt(v, call.position, 'a bound of index()'));
  const inside = new Set(
    sliceIndices({ lower: bounds[0] ?? null, upper: bounds[1] ?? null, step: null }, items.length, call.position),
  );
  const equal = items.map((v, k) => (inside.has(k) ? ev.equality.isItem(v, value, call.position) : bool(false)));
  const found = equal.reduce<Scalar>((a, e) => ev.ops.or(a, e), bool(false));
  ev.ops.check(ev.ops.not(found), LaneStatus.Raised, 'ValueError');
  return equal.reduceRight<Scalar>((rest, e, k) => ev.ops.select(e, int(k), rest), int(0));
}

const method = methodOf<ListValue>();
const passing = passingMethodOf<ListValue>();

const LIST_METHODS: Table<MethodRow<ListValue>> = table({
  append: passing('object, /', (ev, list, call) => {
    const [value] = exactly('list.append', call, 1);
    ev.cells.append(list, value, call.position);
    return NONE;
  }),
  extend: method('iterable, /', (ev, list, call) => {
    const [items] = exactly('list.extend', call, 1);
    for (const value of ev.sequences.addedTo(list, items, call.position)) ev.cells.append(list, value, call.position);
    return NONE;
  }),
  insert: method('index, object, /', (ev, list, call) => {
    const [place, value] = exactly('list.insert', call, 2);
    const at = ev.items.staticInt(place, call.position, 'a position');
    const cells = [...list.cells];
    cells.splice(at, 0, ev.cells.cell(value));
    ev.cells.restructure(list, cells, call.position);
    return NONE;
  }),
  pop: method('index=, /', (ev, list, call) => {
    if (list.cells.length === 0) return ev.ops.raise(LaneStatus.IndexRange);
    const [index = int(-1)] = call.args;
    if (index.tag !== 'scalar') throw new Unsupported(`a list index of type ${typeName(index)}`, call.position);
    return ev.deletion.removeAt(list, index, call.position);
  }),
  remove: method('value, /', (ev, list, call) => {
    const [value] = exactly('list.remove', call, 1);
    ev.deletion.removeAt(list, placeOf(ev, list, value, call), call.position);
    return NONE;
  }),
  clear: method('', (ev, list, call) => {
    ev.cells.restructure(list, [], call.position);
    return NONE;
  }),
  sort: method('*, key=, reverse=', (ev, list, call) => {
    const { reverse, key } = named('list.sort', call, [], ['key', 'reverse']);
    const by = key === undefined || key.tag === 'none' ? null : key;
    // CPython empties the list while it sorts.
    if (by !== null && ev.sequences.reaches([by], list))
      throw new Unsupported('a list that is sorted by a key which may read it', call.position);
    const order = sortValues(ev, ev.sequences.iterate(list, call.position), by, flag(reverse, false, call), call);
    ev.exits.guarded(
      () =>
        ev.cells.restructure(
          list,
          order.map((s) => ev.cells.cell(s)),
          call.position,
        ),
      call.position,
    );
    return NONE;
  }),
  index: method('value, start=, stop=, /', (ev, list, call) => placeOf(ev, list, call.args[0], call)),
  copy: method('', (ev, list, call) => ev.cells.list(ev.sequences.iterate(list, call.position))),
  reverse: method('', (ev, list, call) => {
    ev.cells.restructure(list, [...list.cells].reverse(), call.position);
    return NONE;
  }),
  count: method('value, /', (ev, list, call) => {
    const [value] = exactly('list.count', call, 1);
    return ev.sequences.iterate(list, call.position).reduce<Value>((n, v) => {
      const equal = ev.equality.isItem(v, value, call.position);
      return ev.operators.binary('+', n, ev.ops.retag(equal, 'int'), call.position);
    }, int(0));
  }),
});

export function listMethod(ev: LibraryMachine, list: ListValue, name: string, position: Position): Value {
  const made = LIST_METHODS[name]?.(ev, `list.${name}`, list);
  if (made === undefined) throw new Unsupported(`the list method '${name}'`, position);
  return made;
}

const asList = (name: string, parameters: string): MethodRow<TupleValue> =>
  methodOf<TupleValue>()(parameters, (ev, { items }, call) =>
    ev.calls.call(listMethod(ev, ev.cells.list(items), name, call.position), call),
  );

const TUPLE_METHODS: Table<MethodRow<TupleValue>> = table({
  index: asList('index', 'value, start=, stop=, /'),
  count: asList('count', 'value, /'),
});

/** Methods of tuples, and the names of a named tuple. */
export function tupleAttribute(ev: LibraryMachine, value: TupleValue, name: string, position: Position): AnyValue {
  const { fields, items } = value;
  const at = fields?.names.indexOf(name) ?? -1;
  if (at >= 0) return items[at];
  // With no bounds in a range.
  const plain = value.range === undefined ? TUPLE_METHODS[name]?.(ev, `tuple.${name}`, value) : undefined;
  if (plain !== undefined) return plain;
  if (fields !== undefined) {
    switch (name) {
      case '_replace':
        return builtin('_replace', (call) => ({
          ...value,
          items: items.map((item, k) => call.keywords.get(fields.names[k]) ?? item),
        }));
      case '_asdict':
        return builtin('_asdict', (call) =>
          ev.cells.dict(
            fields.names.map((field, k) => [string(field), items[k]]),
            call.position,
          ),
        );
      case '_fields':
        return tuple(fields.names.map(string));
    }
  }
  throw new Unsupported(`the attribute '${name}' of a tuple`, position);
}
