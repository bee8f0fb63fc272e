/** Attributes and methods of values: `x.shape`, `x.sum()`, `items.append(v)`, `math.sin`. */
import { LaneStatus } from '../../ir/types.js';
import type { Position } from '../syntax/ast.js';
import type { LibraryMachine } from './library-machine.js';
import { dictKey, isOpenKey } from '../values/keys.js';
import { sliceIndices } from '../values/slices.js';
import {
  NONE,
  Unsupported,
  bool,
  int,
  known,
  string,
  tuple,
  typeName,
  type Call,
  type DictValue,
  type ListValue,
  type MaskedValue,
  type SetValue,
  type TupleValue,
  type NdArray,
  type Scalar,
  type AnyCall,
  type AnyValue,
  type Value,
} from '../values/values.js';
import { lacksAttribute } from './attribute-names.js';
import { builtin, exactly, flag, handingOn, named, plainOrder } from './arguments.js';
import { sortValues } from './sorting.js';
import { stringMethod } from './strings.js';
import { sizeOf } from '../arrays/shapes.js';
import { classAttribute, instanceAttribute, superAttribute } from './instances.js';
import { moduleAttribute } from './modules.js';
import { filteredOf, maskedCount, maskedLength } from '../arrays/masked.js';
import { astype, dtypeOf } from './dtypes.js';
import { complexArrayAttribute, complexAttribute, isComplexType } from './numpy-complex.js';
import { NUMPY, reshapeSizes, ufuncMethod } from './numpy-module.js';
import { transposed } from './numpy-shape.js';

export function attributeOf(ev: LibraryMachine, object: Value, name: string, position: Position): AnyValue {
  if (lacksAttribute(ev, object, name)) return ev.ops.raise(LaneStatus.Raised, 'AttributeError');
  switch (object.tag) {
    case 'module':
      return moduleAttribute(ev, object.path, name, position);
    case 'ndarray':
      return arrayAttribute(ev, object, name, position);
    case 'list':
      return listMethod(ev, object, name, position);
    case 'dict':
      return dictMethod(ev, object, name, position);
    case 'instance':
      return instanceAttribute(ev, object, name, position);
    case 'class': {
      const member = classAttribute(ev, object, name, position);
      if (member !== undefined) return member;
      throw new Unsupported(`the attribute '${name}' of class ${object.name}`, position);
    }
    case 'scalar':
      return scalarAttribute(ev, object, name, position);
    case 'complex':
    case 'complexarray': {
      const attribute =
        object.tag === 'complex' ? complexAttribute(ev, object, name) : complexArrayAttribute(ev, object, name);
      if (attribute !== undefined) return attribute;
      if (object.tag === 'complexarray' && ['shape', 'size', 'ndim'].includes(name))
        return arrayAttribute(ev, object.re, name, position);
      throw new Unsupported(`the attribute '${name}' of ${typeName(object)}`, position);
    }
    case 'masked':
      return maskedAttribute(ev, object, name, position);
    case 'tuple':
      return tupleAttribute(ev, object, name, position);
    case 'set':
      return setMethod(ev, object, name, position);
    case 'string':
      return stringMethod(ev, object.value, name, position);
    case 'slice': {
      const part = { start: object.lower, stop: object.upper, step: object.step }[name];
      if (part === undefined) throw new Unsupported(`the attribute '${name}' of a slice`, position);
      return part === null ? NONE : int(part);
    }
    case 'super':
      return superAttribute(ev, object, name, position);
    case 'builtin': {
      const ufunc = object.name.startsWith('numpy.') ? ufuncMethod(ev, object.name, name) : undefined;
      if (ufunc !== undefined) return ufunc;
      if (object.name === 'itertools.chain') return moduleAttribute(ev, object.name, name, position);
      if (name === '__name__') return string(object.name);
      throw new Unsupported(`the attribute '${name}' of a function`, position);
    }
    case 'function': {
      const cell = object.attributes.get(name);
      if (cell?.value !== undefined) return ev.cells.readAny(cell, position);
      if (name === '__name__') return string(object.name);
      throw new Unsupported(`the attribute '${name}' of a function`, position);
    }
    default:
      throw new Unsupported(`the attribute '${name}' of ${typeName(object)}`, position);
  }
}

/** Methods that are functions of the module with the array as first argument. */
const FORWARDED = new Set([
  ...['sum', 'prod', 'mean', 'std', 'var', 'max', 'min', 'argmax', 'argmin', 'any', 'all', 'dot', 'ravel'],
  ...['cumsum', 'cumprod', 'clip', 'round', 'squeeze', 'repeat', 'ptp', 'trace', 'take', 'argsort', 'nonzero'],
  ...['diagonal', 'searchsorted', 'swapaxes', 'compress', 'conj', 'argpartition'],
]);

function arrayAttribute(ev: LibraryMachine, array: NdArray, name: string, position: Position): Value {
  switch (name) {
    case 'shape':
      return tuple(array.shape.map(int));
    case 'size':
      return int(sizeOf(array.shape));
    case 'ndim':
      return int(array.shape.length);
    case 'T':
      return ev.arrays.transpose(array);
    case 'flat':
      return ev.arrays.flat(array);
    case 'real':
      return array;
    case 'imag':
      ev.arrays.refuseSometimesInt(array, position);
      return { ...ev.arrays.filled(array.shape, array.kind, known(array.kind, 0), position), frozen: true };
    case 'conjugate':
      return builtin('ndarray.conjugate', (call) => ev.calls.numpy('conj', { ...call, args: [array] }));
  }
  const method = (call: (call: Call) => Value): Value => builtin(`ndarray.${name}`, call);
  if (FORWARDED.has(name)) {
    return method((call) => {
      if (name === 'compress') return ev.calls.numpy(name, { ...call, args: [...exactly(name, call, 1), array] });
      if (name === 'clip' && call.args.length === 1)
        return ev.calls.numpy(name, { ...call, args: [array, call.args[0], NONE] });
      if (NUMPY[name] === undefined) throw new Unsupported(`the method '${name}' of an array`, call.position);
      return ev.calls.numpy(name, { ...call, args: [array, ...call.args] });
    });
  }
  switch (name) {
    case 'copy':
      return method((call) => {
        if (call.args.length > 0 || call.keywords.size > 0)
          throw new Unsupported('copy() with an order', call.position);
        return ev.arrays.copyRowMajor(array);
      });
    case 'flatten':
      return method((call) => {
        if (call.args.length > 0 || call.keywords.size > 0)
          throw new Unsupported('flatten() in an order', call.position);
        return ev.arrays.copyRowMajor(ev.arrays.flat(array));
      });
    case 'reshape':
      return method((call) => {
        if (call.args.length === 0) throw new Unsupported('reshape() without a shape', call.position);
        const shape = call.args.length === 1 ? call.args[0] : tuple([...call.args]);
        return ev.arrays.reshape(array, reshapeSizes(ev, shape, call), call.position);
      });
    case 'transpose':
      return method((call) => {
        const axes = call.args.length > 1 ? tuple([...call.args]) : call.args[0];
        return transposed(ev, array, axes, call);
      });
    case 'view':
      return method(() => ev.arrays.reshape(array, array.shape, position));
    case 'sort':
      return method((call) => {
        const { axis = int(-1) } = named('ndarray.sort', call, ['axis']);
        if (axis.tag === 'none') throw new Unsupported('sort() along no axis', call.position);
        const sorted = ev.calls.numpy('sort', { ...call, args: [array, axis], keywords: new Map() });
        ev.arrays.assignAll(array, sorted, call.position);
        return NONE;
      });
    case 'partition':
      return method((call) => {
        const made = ev.calls.numpy('partition', { ...call, args: [array, ...call.args] }) as NdArray;
        array.cells.forEach((cell, k) =>
          ev.cells.store(cell, array.frozen, made.cells[k].value as Value, call.position),
        );
        return NONE;
      });
    case 'astype':
      return method((call) => {
        const args = named('ndarray.astype', call, ['dtype', 'order', 'casting', 'subok', 'copy']);
        const { dtype } = args;
        plainOrder(args.order, call);
        flag(args.subok, true, call);
        const copies = flag(args.copy, true, call);
        if (args.casting !== undefined && (args.casting.tag !== 'string' || args.casting.value !== 'unsafe'))
          throw new Unsupported('astype() with a rule for casting', call.position);
        if (dtype !== undefined && isComplexType(dtype))
          return ev.calls.numpy('array', { ...call, args: [array, dtype], keywords: new Map() });
        const kind = dtypeOf(dtype, call);
        if (kind === null) throw new Unsupported('astype() to this type', call.position);
        return kind === array.kind && !copies ? array : astype(ev, array, kind, call);
      });
    case 'tolist':
      return method((call) => toList(ev, array, call.position));
    case 'item':
      return method((call) => {
        if (call.args.length > 0) {
          const at = ev.items.staticInt(call.args[0], call.position, 'a position');
          if (call.args.length > 1) throw new Unsupported('item() at several indices', call.position);
          return ev.ops.toPython(ev.items.subscript(ev.arrays.flat(array), int(at), call.position) as Scalar);
        }
        if (array.cells.length !== 1) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
        return ev.ops.toPython(ev.arrays.items(array)[0]);
      });
    case 'fill':
      return method((call) => {
        const [value] = call.args;
        if (value?.tag !== 'scalar') throw new Unsupported('fill() with anything but a number', call.position);
        ev.arrays.assignAll(array, value, call.position);
        return NONE;
      });
  }
  throw new Unsupported(`the attribute '${name}' of an array`, position);
}

function toList(ev: LibraryMachine, array: NdArray, position: Position): Value {
  if (array.shape.length === 0) return ev.ops.toPython(ev.arrays.items(array)[0]);
  return ev.cells.list(
    ev.arrays
      .rows(array, position)
      .map((row) => (row.tag === 'ndarray' ? toList(ev, row, position) : ev.ops.toPython(row as Scalar))),
  );
}

/** The position of the first element that equals a value, between the bounds that follow it; ValueError where there is none. */
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

function listMethod(ev: LibraryMachine, list: ListValue, name: string, position: Position): Value {
  const method = (call: (call: Call) => AnyValue): Value => builtin(`list.${name}`, call);
  const moving = (call: (call: AnyCall) => AnyValue): Value => handingOn(`list.${name}`, call);
  const values = (at: Position): Value[] => ev.sequences.iterate(list, at);
  switch (name) {
    case 'append':
      return moving((call) => {
        const [value] = exactly('list.append', call, 1);
        ev.cells.append(list, value, call.position);
        return NONE;
      });
    case 'extend':
      return method((call) => {
        const [items] = exactly('list.extend', call, 1);
        for (const value of ev.sequences.addedTo(list, items, call.position))
          ev.cells.append(list, value, call.position);
        return NONE;
      });
    case 'insert':
      return method((call) => {
        const [place, value] = exactly('list.insert', call, 2);
        const at = ev.items.staticInt(place, call.position, 'a position');
        const cells = [...list.cells];
        cells.splice(at, 0, ev.cells.cell(value));
        ev.cells.restructure(list, cells, call.position);
        return NONE;
      });
    case 'pop':
      return method((call) => {
        if (list.cells.length === 0) return ev.ops.raise(LaneStatus.IndexRange);
        const [index = int(-1)] = call.args;
        if (index.tag !== 'scalar') throw new Unsupported(`a list index of type ${typeName(index)}`, call.position);
        return ev.deletion.removeAt(list, index, call.position);
      });
    case 'remove':
      return method((call) => {
        const [value] = exactly('list.remove', call, 1);
        ev.deletion.removeAt(list, placeOf(ev, list, value, call), call.position);
        return NONE;
      });
    case 'clear':
      return method((call) => {
        ev.cells.restructure(list, [], call.position);
        return NONE;
      });
    case 'sort':
      return method((call) => {
        const { reverse, key } = named('list.sort', call, [], ['key', 'reverse']);
        const by = key === undefined || key.tag === 'none' ? null : key;
        // CPython empties the list while it sorts.
        if (by !== null && ev.sequences.reaches([by], list))
          throw new Unsupported('a list that is sorted by a key which may read it', call.position);
        const order = sortValues(ev, values(call.position), by, flag(reverse, false, call), call);
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
      });
    case 'index':
      return method((call) => placeOf(ev, list, call.args[0], call));
    case 'copy':
      return method((call) => ev.cells.list(values(call.position)));
    case 'reverse':
      return method((call) => {
        ev.cells.restructure(list, [...list.cells].reverse(), call.position);
        return NONE;
      });
    case 'count':
      return method((call) => {
        const [value] = exactly('list.count', call, 1);
        return values(call.position).reduce<Value>((n, v) => {
          const equal = ev.equality.isItem(v, value, call.position);
          return ev.operators.binary('+', n, ev.ops.retag(equal, 'int'), call.position);
        }, int(0));
      });
  }
  throw new Unsupported(`the list method '${name}'`, position);
}

/** Attribute of an array that a mask has chosen, such as `x[x > 0]`. */
function maskedAttribute(ev: LibraryMachine, value: MaskedValue, name: string, position: Position): Value {
  if (name === 'size') return maskedCount(ev, value, position);
  if (name === 'ndim') return int(value.width === undefined ? 1 : 2);
  if (name === 'shape') {
    return tuple([maskedLength(ev, value, position), ...(value.width === undefined ? [] : [int(value.width)])]);
  }
  if (name === 'astype') {
    return builtin('ndarray.astype', (call) => {
      const kind = dtypeOf(call.args[0], call);
      if (kind === null) throw new Unsupported('astype() to this type', call.position);
      return ev.arrays.map([value], (s) => ev.arrays.cast(s, kind, call.position), call.position, kind);
    });
  }
  if (name === 'tolist') {
    return builtin('ndarray.tolist', () => {
      if (value.width !== undefined) throw new Unsupported('tolist() of rows chosen by a mask', position);
      const { items } = filteredOf(ev, value);
      return {
        tag: 'filtered',
        isGenerator: false,
        hasEffects: false,
        items: items.map((item) => ({ ...item, value: ev.ops.toPython(item.value as Scalar) })),
      };
    });
  }
  return builtin(`ndarray.${name}`, (call) => ev.calls.numpy(name, { ...call, args: [value, ...call.args] }));
}

/** Methods of tuples, and the names of a named tuple. */
function tupleAttribute(ev: LibraryMachine, value: TupleValue, name: string, position: Position): AnyValue {
  const { fields, items } = value;
  const at = fields?.names.indexOf(name) ?? -1;
  if (at >= 0) return items[at];
  switch (name) {
    case 'index':
    case 'count':
      // With no bounds in a range.
      if (value.range !== undefined) break;
      return builtin(`tuple.${name}`, (call) =>
        ev.calls.call(listMethod(ev, ev.cells.list(items), name, call.position), call),
      );
    case '_replace':
      if (fields === undefined) break;
      return builtin('_replace', (call) => ({
        ...value,
        items: items.map((item, k) => call.keywords.get(fields.names[k]) ?? item),
      }));
    case '_asdict':
      if (fields === undefined) break;
      return builtin('_asdict', (call) =>
        ev.cells.dict(
          fields.names.map((field, k) => [string(field), items[k]]),
          call.position,
        ),
      );
    case '_fields':
      if (fields === undefined) break;
      return tuple(fields.names.map(string));
  }
  throw new Unsupported(`the attribute '${name}' of a tuple`, position);
}

const CHANGING_SET_METHODS: ReadonlySet<string> = new Set([
  ...['add', 'clear', 'discard', 'pop', 'remove', 'update'],
  ...['difference_update', 'intersection_update', 'symmetric_difference_update'],
]);

function setMethod(ev: LibraryMachine, value: SetValue, name: string, position: Position): Value {
  const combined = (operator: '|' | '&' | '-' | '^'): Value =>
    builtin(`set.${name}`, (call) =>
      call.args.reduce<Value>((result, other) => {
        const right =
          other.tag === 'set' ? other : ev.cells.set(ev.sequences.iterate(other, call.position), call.position);
        return ev.operators.binary(operator, result, right, call.position);
      }, value),
    );
  const changing = (change: (item: Value, call: Call) => void): Value =>
    builtin(`set.${name}`, (call) => {
      if (!ev.cells.mayRestructure(value)) {
        throw new Unsupported('changing a set that lasts, or in a branch that depends on x', call.position);
      }
      change(call.args[0], call);
      return NONE;
    });
  if (value.isFrozenSet && CHANGING_SET_METHODS.has(name)) return ev.ops.raise(LaneStatus.Raised, 'AttributeError');
  switch (name) {
    case 'union':
      return combined('|');
    case 'intersection':
      return combined('&');
    case 'difference':
      return combined('-');
    case 'symmetric_difference':
      return combined('^');
    case 'copy':
      return builtin('set.copy', (call) => ev.cells.set([...value.entries.values()], call.position, value.isFrozenSet));
    case 'add':
      return changing((item, call) => {
        const key = dictKey(item, call.position);
        if (!value.entries.has(key)) value.entries.set(key, item);
      });
    case 'discard':
      return changing((item, call) => void value.entries.delete(dictKey(item, call.position)));
  }
  throw new Unsupported(`the set method '${name}'`, position);
}

function dictMethod(ev: LibraryMachine, dict: DictValue, name: string, position: Position): Value {
  switch (name) {
    case 'keys':
      return builtin('dict.keys', (call) => ev.sequences.viewOf(dict, (e) => e.key, call.position));
    case 'values':
      return builtin('dict.values', (call) =>
        ev.sequences.viewOf(dict, (e) => ev.cells.readCell(e.cell, call.position), call.position),
      );
    case 'items':
      return builtin('dict.items', (call) =>
        ev.sequences.viewOf(dict, (e) => tuple([e.key, ev.cells.readCell(e.cell, call.position)]), call.position),
      );
    case 'get':
      return builtin('dict.get', (call) => {
        const [key, fallback = NONE] = call.args;
        if (isOpenKey(key)) {
          return ev.branches.branch(
            ev.equality.hasKey(dict, key, call.position),
            () => ev.items.subscript(dict, key, call.position),
            () => fallback,
            call.position,
          );
        }
        const entry = dict.entries.get(dictKey(key, call.position));
        return entry === undefined ? fallback : ev.cells.readCell(entry.cell, call.position);
      });
    case 'copy':
      return builtin('dict.copy', (call) => ({
        ...ev.cells.dict(
          [...dict.entries.values()].map((e) => [e.key, ev.cells.readCell(e.cell, call.position)]),
          call.position,
        ),
        factory: dict.factory,
      }));
    case 'update':
      return builtin('dict.update', (call) => {
        const args = call.args.map((arg) =>
          arg.tag === 'iterator' ? ev.cells.list(ev.sequences.addedTo(dict, arg, call.position)) : arg,
        );
        const made = ev.calls.call(ev.calls.builtin('dict', call.position), { ...call, args });
        if (made.tag === 'dict') {
          for (const { key, cell } of made.entries.values()) {
            ev.stores.storeItem(dict, key, ev.cells.readCell(cell, call.position), call.position);
          }
        }
        return NONE;
      });
    case 'setdefault':
      return builtin('dict.setdefault', (call) => {
        const [key, fallback = NONE] = call.args;
        const entry = dict.entries.get(dictKey(key, call.position));
        if (entry !== undefined) return ev.cells.readCell(entry.cell, call.position);
        ev.stores.storeItem(dict, key, fallback, call.position);
        return fallback;
      });
    case 'pop':
      return builtin('dict.pop', (call) => {
        const [key, fallback] = call.args;
        const isThere = dict.entries.has(dictKey(key, call.position));
        return isThere || fallback === undefined ? ev.deletion.removeEntry(dict, key, call.position) : fallback;
      });
    case 'popitem':
      return builtin('dict.popitem', (call) => {
        const last = [...dict.entries.values()].at(-1);
        if (last === undefined) return ev.ops.raise(LaneStatus.Raised, 'KeyError');
        return tuple([last.key, ev.deletion.removeEntry(dict, last.key, call.position)]);
      });
    case 'clear':
      return builtin('dict.clear', (call) => {
        for (const { key } of [...dict.entries.values()]) ev.deletion.removeEntry(dict, key, call.position);
        return NONE;
      });
  }
  throw new Unsupported(`the dict method '${name}'`, position);
}

function scalarAttribute(ev: LibraryMachine, s: Scalar, name: string, position: Position): Value {
  // Of a truth value, int's.
  const plain = s.kind === 'bool' ? ev.ops.retag(s, 'int') : s;
  if (s.kind !== 'npbool' && !ev.ops.isNotCertain(s)) {
    if (name === 'real') return plain;
    if (name === 'imag') return known(plain.kind, 0);
    if (name === 'conjugate') return builtin('conjugate', () => plain);
  }
  if (s.kind.startsWith('np')) {
    if (name === 'item') return builtin('item', () => ev.ops.toPython(s));
    if (name === 'shape') return tuple([]);
    if (name === 'ndim') return int(0);
    if (name === 'size') return int(1);
    if (['dot', 'partition', 'argpartition'].includes(name)) return ev.ops.raise(LaneStatus.Raised, 'AttributeError');
    return arrayAttribute(ev, ev.arrays.toArray(s, position), name, position);
  }
  throw new Unsupported(`the attribute '${name}' of ${typeName(s)}`, position);
}
