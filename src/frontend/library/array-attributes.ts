/** Attributes and methods of arrays and of NumPy's numbers. */
import { LaneStatus } from '../../ir/types.js';
import { filteredOf, maskedCount, maskedLength } from '../arrays/masked.js';
import { sizeOf } from '../arrays/shapes.js';
import type { Position } from '../syntax/ast.js';
import { table, type Table } from '../values/table.js';
import {
  int,
  known,
  NONE,
  tuple,
  typeName,
  Unsupported,
  type Call,
  type MaskedValue,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';
import { builtin, exactly, flag, named, plainOrder } from './arguments.js';
import { astype, dtypeOf } from './dtypes.js';
import type { LibraryMachine } from './library-machine.js';
import { isComplexType } from './numpy-complex.js';
import { NUMPY, reshapeSizes } from './numpy-module.js';
import { transposed } from './numpy-shape.js';
import { python } from './python-row.js';

const ATTRIBUTES: Table<(ev: LibraryMachine, array: NdArray, position: Position) => Value> = table({
  shape: (_ev, array) => tuple(array.shape.map(int)),
  size: (_ev, array) => int(sizeOf(array.shape)),
  ndim: (_ev, array) => int(array.shape.length),
  T: (ev, array) => ev.arrays.transpose(array),
  flat: (ev, array) => ev.arrays.flat(array),
  real: (_ev, array) => array,
  imag: (ev, array, position) => {
    ev.arrays.refuseSometimesInt(array, position);
    return { ...ev.arrays.filled(array.shape, array.kind, known(array.kind, 0), position), frozen: true };
  },
});

/** NumPy's function takes `out=` and `where=`; the method takes no argument by name. */
function refuseNames(numpyName: 'conj' | 'conjugate', call: Call): void {
  const [name] = call.keywords.keys();
  if (name !== undefined) throw new Unsupported(`the argument '${name}' of numpy.${numpyName}()`, call.position);
}

/** How NumPy's function of the same name is called for the method. */
function forwarded(ev: LibraryMachine, array: NdArray, name: string, call: Call): Value {
  if (name === 'conj') refuseNames(name, call);
  if (name === 'compress') return ev.calls.numpy(name, { ...call, args: [...exactly(name, call, 1), array] });
  if (name === 'clip' && call.args.length === 1)
    return ev.calls.numpy(name, { ...call, args: [array, call.args[0], NONE] });
  return ev.calls.numpy(name, { ...call, args: [array, ...call.args] });
}

function changedType(ev: LibraryMachine, array: NdArray, call: Call): Value {
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
}

const METHODS: Table<(ev: LibraryMachine, array: NdArray, call: Call) => Value> = table({
  conjugate: (ev, array, call) => {
    refuseNames('conj', call);
    return ev.calls.numpy('conj', { ...call, args: [array] });
  },
  copy: (ev, array, call) => {
    if (call.args.length > 0 || call.keywords.size > 0) throw new Unsupported('copy() with an order', call.position);
    return ev.arrays.copyRowMajor(array);
  },
  flatten: (ev, array, call) => {
    if (call.args.length > 0 || call.keywords.size > 0) throw new Unsupported('flatten() in an order', call.position);
    return ev.arrays.copyRowMajor(ev.arrays.flat(array));
  },
  reshape: (ev, array, call) => {
    if (call.args.length === 0) throw new Unsupported('reshape() without a shape', call.position);
    const shape = call.args.length === 1 ? call.args[0] : tuple([...call.args]);
    return ev.arrays.reshape(array, reshapeSizes(ev, shape, call), call.position);
  },
  transpose: (ev, array, call) => {
    const axes = call.args.length > 1 ? tuple([...call.args]) : call.args[0];
    return transposed(ev, array, axes, call);
  },
  view: (ev, array, call) => ev.arrays.reshape(array, array.shape, call.position),
  sort: (ev, array, call) => {
    const { axis = int(-1) } = named('ndarray.sort', call, ['axis']);
    if (axis.tag === 'none') throw new Unsupported('sort() along no axis', call.position);
    const sorted = ev.calls.numpy('sort', { ...call, args: [array, axis], keywords: new Map() });
    ev.arrays.assignAll(array, sorted, call.position);
    return NONE;
  },
  partition: (ev, array, call) => {
    const made = ev.calls.numpy('partition', { ...call, args: [array, ...call.args] }) as NdArray;
    array.cells.forEach((cell, k) => ev.cells.store(cell, array.frozen, made.cells[k].value as Value, call.position));
    return NONE;
  },
  astype: changedType,
  tolist: (ev, array, call) => toList(ev, array, call.position),
  item: (ev, array, call) => {
    if (call.args.length > 0) {
      const at = ev.items.staticInt(call.args[0], call.position, 'a position');
      if (call.args.length > 1) throw new Unsupported('item() at several indices', call.position);
      return ev.ops.toPython(ev.items.subscript(ev.arrays.flat(array), int(at), call.position) as Scalar);
    }
    if (array.cells.length !== 1) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
    return ev.ops.toPython(ev.arrays.items(array)[0]);
  },
  fill: (ev, array, call) => {
    const [value] = call.args;
    if (value?.tag !== 'scalar') throw new Unsupported('fill() with anything but a number', call.position);
    ev.arrays.assignAll(array, value, call.position);
    return NONE;
  },
});

export function arrayAttribute(ev: LibraryMachine, array: NdArray, name: string, position: Position): Value {
  const attribute = ATTRIBUTES[name];
  if (attribute !== undefined) return attribute(ev, array, position);
  if (NUMPY[name]?.traits?.method === true)
    return builtin(`ndarray.${name}`, (call) => forwarded(ev, array, name, call));
  const method = METHODS[name];
  if (method === undefined) throw new Unsupported(`the attribute '${name}' of an array`, position);
  return builtin(`ndarray.${name}`, (call) => method(ev, array, call));
}

function toList(ev: LibraryMachine, array: NdArray, position: Position): Value {
  if (array.shape.length === 0) return ev.ops.toPython(ev.arrays.items(array)[0]);
  return ev.cells.list(
    ev.arrays
      .rows(array, position)
      .map((row) => (row.tag === 'ndarray' ? toList(ev, row, position) : ev.ops.toPython(row as Scalar))),
  );
}

/** Attribute of an array that a mask has chosen, such as `x[x > 0]`. */
export function maskedAttribute(ev: LibraryMachine, value: MaskedValue, name: string, position: Position): Value {
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
  return builtin(`ndarray.${name}`, (call) => {
    if (name === 'conj' || name === 'conjugate') refuseNames(name, call);
    return ev.calls.numpy(name, { ...call, args: [value, ...call.args] });
  });
}

/** Attribute of a number. */
export function scalarAttribute(ev: LibraryMachine, s: Scalar, name: string, position: Position): Value {
  // Of a truth value, int's.
  const plain = s.kind === 'bool' ? ev.ops.retag(s, 'int') : s;
  if (s.kind !== 'npbool' && !ev.ops.isNotCertain(s)) {
    if (name === 'real') return plain;
    if (name === 'imag') return known(plain.kind, 0);
    if (name === 'conjugate') return python('', () => plain)(ev, 'conjugate');
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
