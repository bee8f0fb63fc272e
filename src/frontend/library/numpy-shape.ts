/** NumPy: choosing and rearranging elements. What is a view in NumPy is one here. */
import { LaneStatus } from '../../ir/types.js';
import { extent, rowMajor, widerKind } from '../arrays/shapes.js';
import type { LibraryMachine } from './library-machine.js';
import {
  NONE,
  Unsupported,
  int,
  isNumPyKind,
  known,
  tuple,
  type ArrayKind,
  type Call,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';
import { frontAxis } from '../arrays/axes.js';
import { axisOf, flag, named, required } from './arguments.js';
import { astype, dtypeOf } from './dtypes.js';
import { METHOD, RAISES, row, type NumPyFunction, type Implementation } from './numpy-row.js';
import { table, type Table } from '../values/table.js';

const sizeOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
const range = (n: number): number[] => Array.from({ length: Math.max(0, n) }, (_, k) => k);

/** Arrays to be joined, of which there is at least one. */
export function sequenceOfArrays(ev: LibraryMachine, value: Value | undefined, call: Call, name: string): NdArray[] {
  const parts = ev.sequences.iterate(required(name, value, call), call.position);
  if (parts.length === 0) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  return parts.map((v) => ev.arrays.toArray(v, call.position));
}

export function arrayOf(ev: LibraryMachine, name: string, value: Value | undefined, call: Call): NdArray {
  return ev.arrays.toArray(required(`numpy.${name}`, value, call), call.position);
}

/** Whole numbers, one or a row of them; what else NumPy takes for some differs from function to function. */
function knownInts(ev: LibraryMachine, value: Value | undefined, call: Call, what: string): number[] {
  const array = ev.arrays.toArray(required(what, value, call), call.position);
  const isEmpty = array.cells.length === 0;
  if (array.shape.length > 1 || (array.kind !== 'npint' && !isEmpty))
    throw new Unsupported(`${what} that is no whole number`, call.position);
  return ev.arrays.items(array).map((s) => ev.items.staticInt(s, call.position, what));
}

/** The same elements with axis `order[k]` as axis k: a view. */
function permuted(ev: LibraryMachine, array: NdArray, order: readonly number[]): NdArray {
  const steps = rowMajor(array.shape);
  const shape = order.map((k) => array.shape[k]);
  const positions = positionsOf(
    shape,
    order.map((k) => steps[k]),
    0,
  );
  return ev.arrays.viewAt(
    array,
    shape,
    positions,
    order.map((k) => array.strides[k]),
  );
}

/** Positions start + sum of index * step, in row-major order of `shape`. */
function positionsOf(shape: readonly number[], steps: readonly number[], start: number): number[] {
  let positions = [start];
  shape.forEach((n, axis) => {
    positions = positions.flatMap((base) => range(n).map((k) => base + k * steps[axis]));
  });
  return positions;
}

/** The elements in reverse along some axes: a view. */
function reversedAlong(ev: LibraryMachine, array: NdArray, axes: readonly number[]): NdArray {
  const steps = rowMajor(array.shape);
  const isReversed = (k: number): boolean => axes.includes(k);
  const start = steps.reduce((sum, step, k) => sum + (isReversed(k) ? step * (array.shape[k] - 1) : 0), 0);
  if (array.cells.length === 0) return array;
  const positions = positionsOf(
    array.shape,
    steps.map((step, k) => (isReversed(k) ? -step : step)),
    start,
  );
  return ev.arrays.viewAt(
    array,
    array.shape,
    positions,
    array.strides.map((s, k) => (isReversed(k) ? -s : s)),
  );
}

/** Slices along an axis, chosen by number: a copy. */
function picked(ev: LibraryMachine, array: NdArray, axis: number, picks: readonly number[], call: Call): NdArray {
  const { shape } = array;
  const items = ev.arrays.items(array);
  const inner = sizeOf(shape.slice(axis + 1));
  const outer = sizeOf(shape.slice(0, axis));
  ev.work.step(call.position, outer * inner * picks.length);
  const chosen = range(outer).flatMap((o) =>
    picks.flatMap((k) => range(inner).map((i) => items[(o * shape[axis] + k) * inner + i])),
  );
  return ev.arrays.make([...shape.slice(0, axis), picks.length, ...shape.slice(axis + 1)], array.kind, chosen);
}

/** The array and the axis of a function that flattens where no axis is given. */
function flatOrAlong(ev: LibraryMachine, array: NdArray, axis: Value | undefined, call: Call): [NdArray, number] {
  const along = axisOf(ev, axis, call);
  if (along !== null) return [array, frontAxis(ev, along, array.shape.length)];
  return [ev.arrays.flat(array), 0];
}

const wrap = (ev: LibraryMachine, k: number, n: number): number => {
  const index = k < 0 ? k + n : k;
  if (index < 0 || index >= n) ev.ops.raise(LaneStatus.IndexRange);
  return index;
};

function take(ev: LibraryMachine, call: Call): Value {
  const { a, indices, axis } = named('numpy.take', call, ['a', 'indices', 'axis']);
  const [array, along] = flatOrAlong(ev, arrayOf(ev, 'take', a, call), axis, call);
  const where = required('numpy.take', indices, call);
  if (ev.arrays.toArray(where, call.position).kind !== 'npint')
    throw new Unsupported('numpy.take() at positions that are no whole numbers', call.position);
  if (array.shape.length === 1) return ev.items.subscript(array, where, call.position);
  const isSingle = where.tag === 'scalar';
  const picks = knownInts(ev, where, call, 'an index').map((k) => wrap(ev, k, array.shape[along]));
  const result = picked(ev, array, along, picks, call);
  if (!isSingle) return result;
  return ev.arrays.reshape(
    result,
    array.shape.filter((_, k) => k !== along),
    call.position,
  );
}

function insert(ev: LibraryMachine, call: Call): Value {
  const { arr, obj, values } = named('numpy.insert', call, ['arr', 'obj', 'values']);
  const array = ev.arrays.flat(arrayOf(ev, 'insert', arr, call));
  ev.arrays.refuseSometimesInt(array, call.position);
  const position = required('numpy.insert', obj, call);
  const at = ev.items.staticInt(position, call.position, 'a position');
  const n = array.cells.length;
  const k = at < 0 ? at + n : at;
  if (k < 0 || k > n) return ev.ops.raise(LaneStatus.IndexRange);
  const added = ev.arrays.flat(arrayOf(ev, 'insert', values, call));
  const items = ev.arrays.items(array);
  const inserted = ev.arrays.items(added).map((s) => ev.arrays.convert(s, array.kind, call.position));
  const all = [...items.slice(0, k), ...inserted, ...items.slice(k)];
  return ev.arrays.make([all.length], array.kind, all);
}

function remove(ev: LibraryMachine, call: Call): Value {
  const { arr, obj, axis } = named('numpy.delete', call, ['arr', 'obj', 'axis']);
  const [array, along] = flatOrAlong(ev, arrayOf(ev, 'delete', arr, call), axis, call);
  const n = array.shape[along];
  const value = required('numpy.delete', obj, call);
  if (value.tag === 'slice') throw new Unsupported('numpy.delete() of a slice', call.position);
  const gone = new Set(knownInts(ev, value, call, 'a position').map((k) => wrap(ev, k, n)));
  return picked(
    ev,
    array,
    along,
    range(n).filter((k) => !gone.has(k)),
    call,
  );
}

/** Views of consecutive parts along an axis. */
function splitAt(ev: LibraryMachine, array: NdArray, axis: number, ends: readonly number[], call: Call): Value {
  const full: Value = { tag: 'slice', lower: null, upper: null, step: null };
  const bounds = [0, ...ends, array.shape[axis]];
  return ev.cells.list(
    range(bounds.length - 1).map((k) => {
      const part: Value = { tag: 'slice', lower: bounds[k], upper: bounds[k + 1], step: null };
      return ev.items.subscript(array, tuple(range(axis + 1).map((j) => (j === axis ? part : full))), call.position);
    }),
  );
}

function split(name: string, isEven: boolean, least = 0, fixedAxis?: (rank: number) => number): Implementation {
  return (ev, call) => {
    const args = named(`numpy.${name}`, call, ['ary', 'indices_or_sections', 'axis']);
    const array = arrayOf(ev, name, args.ary, call);
    const rank = array.shape.length;
    if (fixedAxis !== undefined && args.axis !== undefined)
      throw new Unsupported(`the argument 'axis' of numpy.${name}()`, call.position);
    if (rank < least) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
    const axis = fixedAxis?.(rank) ?? axisOf(ev, args.axis, call) ?? 0;
    const along = frontAxis(ev, axis, array.shape.length);
    const where = required(`numpy.${name}`, args.indices_or_sections, call);
    if (where.tag !== 'scalar') return splitAt(ev, array, along, knownInts(ev, where, call, 'a position'), call);
    const count = ev.items.staticInt(where, call.position, 'a number of parts');
    const n = array.shape[along];
    if (count === 0 && isEven) return ev.ops.raise(LaneStatus.ZeroDivision);
    if (count <= 0 || (isEven && n % count !== 0)) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
    const extra = n % count;
    const size = Math.floor(n / count);
    const ends = ev.work.array(call.position, count - 1, (k) => (k + 1) * size + Math.min(k + 1, extra));
    return splitAt(ev, array, along, ends, call);
  };
}

function moveAxis(ev: LibraryMachine, call: Call): Value {
  const { a, source, destination } = named('numpy.moveaxis', call, ['a', 'source', 'destination']);
  const array = arrayOf(ev, 'moveaxis', a, call);
  const rank = array.shape.length;
  const from = knownInts(ev, source, call, 'an axis').map((k) => frontAxis(ev, k, rank));
  const to = knownInts(ev, destination, call, 'an axis').map((k) => frontAxis(ev, k, rank));
  const order = range(rank).filter((k) => !from.includes(k));
  const moves = to.map((target, k) => ({ target, axis: from[k] })).sort((p, q) => p.target - q.target);
  for (const { target, axis } of moves) order.splice(target, 0, axis);
  return permuted(ev, array, order);
}

/** `transpose(a, axes)`, `a.transpose(...)`. */
export function transposed(ev: LibraryMachine, array: NdArray, axes: Value | undefined, call: Call): NdArray {
  if (axes === undefined || axes.tag === 'none') return ev.arrays.transpose(array);
  const given = knownInts(ev, axes, call, 'an axis');
  if (given.length !== array.shape.length) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  const order = given.map((k) => frontAxis(ev, k, array.shape.length));
  if (new Set(order).size !== array.shape.length) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  return permuted(ev, array, order);
}

function roll(ev: LibraryMachine, call: Call): Value {
  const { a, shift, axis } = named('numpy.roll', call, ['a', 'shift', 'axis']);
  const array = arrayOf(ev, 'roll', a, call);
  const along = axisOf(ev, axis, call);
  const by = ev.items.staticInt(required('numpy.roll', shift, call), call.position, 'a shift');
  const [source, k] = flatOrAlong(ev, array, axis, call);
  const n = source.shape[k];
  const result = picked(
    ev,
    source,
    k,
    range(n).map((j) => (((j - by) % n) + n) % n),
    call,
  );
  return along === null ? ev.arrays.reshape(result, array.shape, call.position) : result;
}

function flip(name: string, fixedAxes?: readonly number[]): Implementation {
  return (ev, call) => {
    const { m, axis } = named(`numpy.${name}`, call, fixedAxes === undefined ? ['m', 'axis'] : ['m']);
    const array = arrayOf(ev, name, m, call);
    const rank = array.shape.length;
    if (fixedAxes?.some((k) => k >= rank)) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
    const chosen =
      fixedAxes ?? (axis === undefined || axis.tag === 'none' ? range(rank) : knownInts(ev, axis, call, 'an axis'));
    if (rank === 0) return ev.arrays.items(array)[0];
    return reversedAlong(
      ev,
      array,
      chosen.map((k) => frontAxis(ev, k, rank)),
    );
  };
}

function rotate(ev: LibraryMachine, call: Call): Value {
  const { m, k } = named('numpy.rot90', call, ['m', 'k']);
  const array = arrayOf(ev, 'rot90', m, call);
  const turns = (((k === undefined ? 1 : ev.items.staticInt(k, call.position, 'a number of turns')) % 4) + 4) % 4;
  if (array.shape.length !== 2) throw new Unsupported('numpy.rot90() of what is no matrix', call.position);
  if (turns === 0) return reversedAlong(ev, array, []);
  if (turns === 2) return reversedAlong(ev, array, [0, 1]);
  return turns === 1
    ? permuted(ev, reversedAlong(ev, array, [1]), [1, 0])
    : reversedAlong(ev, permuted(ev, array, [1, 0]), [1]);
}

function repeat(ev: LibraryMachine, call: Call): Value {
  const { a, repeats, axis } = named('numpy.repeat', call, ['a', 'repeats', 'axis']);
  const counts = knownInts(ev, repeats, call, 'a repeat count');
  const [array, along] = flatOrAlong(ev, arrayOf(ev, 'repeat', a, call), axis, call);
  const n = array.shape[along];
  if (counts.some((c) => c < 0) || (counts.length !== 1 && counts.length !== n)) {
    return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  }
  const countOf = (k: number): number => (counts.length === 1 ? counts[0] : counts[k]);
  ev.work.step(
    call.position,
    range(n).reduce((sum, k) => sum + countOf(k), 0) * Math.max(1, array.cells.length / Math.max(1, n)),
  );
  return picked(
    ev,
    array,
    along,
    range(n).flatMap((k) => new Array<number>(countOf(k)).fill(k)),
    call,
  );
}

function tile(ev: LibraryMachine, call: Call): Value {
  const { A, reps } = named('numpy.tile', call, ['A', 'reps']);
  let array = arrayOf(ev, 'tile', A, call);
  let counts = knownInts(ev, reps, call, 'a repeat count');
  if (counts.some((c) => c < 0)) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  const rank = Math.max(array.shape.length, counts.length);
  counts = [...new Array<number>(rank - counts.length).fill(1), ...counts];
  ev.work.step(call.position, extent(counts) * Math.max(1, array.cells.length));
  array = ev.arrays.reshape(
    array,
    [...new Array<number>(rank - array.shape.length).fill(1), ...array.shape],
    call.position,
  );
  counts.forEach((count, axis) => {
    const n = array.shape[axis];
    array = picked(
      ev,
      array,
      axis,
      range(count * n).map((k) => k % n),
      call,
    );
  });
  return array;
}

/** Matrix with a vector on a diagonal, or a diagonal of a matrix. */
function diag(ev: LibraryMachine, call: Call): Value {
  const { v, k } = named('numpy.diag', call, ['v', 'k']);
  const array = arrayOf(ev, 'diag', v, call);
  const offset = k === undefined ? 0 : ev.items.staticInt(k, call.position, 'a diagonal');
  if (array.shape.length === 2) return diagonalOf(ev, array, offset);
  if (array.shape.length !== 1) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  const items = ev.arrays.items(array);
  const n = items.length + Math.abs(offset);
  ev.work.step(call.position, n * n);
  const zero = int(0);
  const at = (row: number, column: number): Scalar =>
    column - row === offset ? items[offset >= 0 ? row : column] : zero;
  return ev.arrays.make(
    [n, n],
    array.kind,
    range(n * n).map((j) => at(Math.floor(j / n), j % n)),
  );
}

/** A view that cannot be written to. */
export function diagonalOf(ev: LibraryMachine, array: NdArray, offset: number): NdArray {
  if (offset === 0) return ev.arrays.diagonal(array);
  const [rows, columns] = array.shape;
  const count = Math.max(0, offset >= 0 ? Math.min(rows, columns - offset) : Math.min(rows + offset, columns));
  const start = offset >= 0 ? offset : -offset * columns;
  const positions = range(count).map((k) => start + k * (columns + 1));
  const step = array.strides[0] + array.strides[1];
  return { ...ev.arrays.viewAt(array, [count], positions, [step]), frozen: true };
}

function fillDiagonal(ev: LibraryMachine, call: Call): Value {
  const { a, val } = named('numpy.fill_diagonal', call, ['a', 'val']);
  const array = required('numpy.fill_diagonal', a, call);
  const value = required('numpy.fill_diagonal', val, call);
  if (array.tag !== 'ndarray' || array.shape.length !== 2) {
    throw new Unsupported('numpy.fill_diagonal() of anything but a matrix', call.position);
  }
  const count = Math.min(...array.shape);
  const store = (k: number, item: Value): void =>
    ev.stores.storeItem(array, tuple([int(k), int(k)]), item, call.position);
  if (value.tag === 'scalar') {
    for (const k of range(count)) store(k, value);
    return NONE;
  }
  const given = ev.arrays.toArray(value, call.position);
  const items = ev.arrays.items(given);
  const own = new Set(array.cells);
  if (items.length === 0 || given.cells.some((cell) => own.has(cell))) {
    throw new Unsupported('numpy.fill_diagonal() with nothing, or with elements of the matrix itself', call.position);
  }
  // As assignments to `flat`: begun again where the values are too few, cut where they are too many.
  for (const k of range(count)) store(k, items[k % items.length]);
  return NONE;
}

const ints = (ev: LibraryMachine, shape: readonly number[], values: readonly number[]): NdArray =>
  ev.arrays.make(
    shape,
    'npint',
    values.map((v) => known('npint', v)),
  );

function triangleIndices(name: string, keeps: (row: number, column: number, k: number) => boolean): Implementation {
  return (ev, call) => {
    const { n, k, m } = named(`numpy.${name}`, call, ['n', 'k', 'm']);
    const rows = ev.items.staticInt(required(name, n, call), call.position, 'a size');
    const columns = m === undefined || m.tag === 'none' ? rows : ev.items.staticInt(m, call.position, 'a size');
    const offset = k === undefined ? 0 : ev.items.staticInt(k, call.position, 'a diagonal');
    ev.work.step(call.position, rows * columns);
    const kept = range(rows * columns).filter((j) => keeps(Math.floor(j / columns), j % columns, offset));
    return tuple([
      ints(
        ev,
        [kept.length],
        kept.map((j) => Math.floor(j / columns)),
      ),
      ints(
        ev,
        [kept.length],
        kept.map((j) => j % columns),
      ),
    ]);
  };
}

function tri(ev: LibraryMachine, call: Call): Value {
  const { N, M, k } = named('numpy.tri', call, ['N', 'M', 'k', 'dtype']);
  if (call.keywords.has('dtype')) throw new Unsupported("the argument 'dtype' of numpy.tri()", call.position);
  const rows = ev.items.staticInt(required('numpy.tri', N, call), call.position, 'a size');
  const columns = M === undefined || M.tag === 'none' ? rows : ev.items.staticInt(M, call.position, 'a size');
  const offset = k === undefined ? 0 : ev.items.staticInt(k, call.position, 'a diagonal');
  ev.work.step(call.position, rows * columns);
  const items = range(rows * columns).map((j) =>
    known('npfloat', (j % columns) - Math.floor(j / columns) <= offset ? 1 : 0),
  );
  return ev.arrays.make([rows, columns], 'npfloat', items);
}

function indices(ev: LibraryMachine, call: Call): Value {
  const { dimensions, dtype, sparse } = named('numpy.indices', call, ['dimensions', 'dtype', 'sparse']);
  if (dimensions?.tag === 'scalar') return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  const shape = knownInts(ev, dimensions, call, 'a size');
  const size = sizeOf(shape);
  ev.work.step(call.position, size * shape.length);
  const steps = rowMajor(shape);
  const values = shape.flatMap((n, axis) => range(size).map((k) => Math.floor(k / steps[axis]) % n));
  const kind = dtypeOf(dtype, call) ?? 'npint';
  if (flag(sparse, false, call)) {
    return tuple(
      shape.map((n, axis) => {
        const along = shape.map((_, k) => (k === axis ? n : 1));
        return astype(ev, ints(ev, along, range(n)), kind, call);
      }),
    );
  }
  return astype(ev, ints(ev, [shape.length, ...shape], values), kind, call);
}

function openMesh(ev: LibraryMachine, call: Call): Value {
  const rank = call.args.length;
  return tuple(
    call.args.map((value, axis) => {
      const array = ev.arrays.toArray(value, call.position);
      if (array.shape.length !== 1) throw new Unsupported('numpy.ix_() of what is no vector', call.position);
      return ev.arrays.reshape(
        array,
        range(rank).map((k) => (k === axis ? array.cells.length : 1)),
        call.position,
      );
    }),
  );
}

function meshgrid(ev: LibraryMachine, call: Call): Value {
  const indexing = call.keywords.get('indexing');
  for (const key of call.keywords.keys()) {
    if (key !== 'indexing' && key !== 'sparse' && key !== 'copy')
      throw new Unsupported(`the argument '${key}' of numpy.meshgrid()`, call.position);
  }
  const isMatrix = indexing?.tag === 'string' && indexing.value === 'ij';
  if (!isMatrix && indexing !== undefined && (indexing.tag !== 'string' || indexing.value !== 'xy'))
    throw new Unsupported("this argument 'indexing' of numpy.meshgrid()", call.position);
  const axes = call.args.map((v) => ev.arrays.flat(ev.arrays.toArray(v, call.position)));
  const order = range(axes.length);
  if (!isMatrix && axes.length > 1) [order[0], order[1]] = [1, 0];
  const shape = order.map((k) => axes[k].cells.length);
  if (flag(call.keywords.get('copy'), true, call) === false)
    throw new Unsupported("the argument 'copy' of numpy.meshgrid()", call.position);
  if (flag(call.keywords.get('sparse'), false, call)) {
    return ev.cells.list(
      axes.map((array, k) => {
        const along = shape.map((n, axis) => (axis === order.indexOf(k) ? n : 1));
        return ev.arrays.make(along, array.kind, ev.arrays.items(array));
      }),
    );
  }
  ev.work.step(call.position, sizeOf(shape) * axes.length);
  const steps = rowMajor(shape);
  return ev.cells.list(
    axes.map((array, k) => {
      const axis = order.indexOf(k);
      const items = ev.arrays.items(array);
      const grid = range(sizeOf(shape)).map((j) => items[Math.floor(j / steps[axis]) % items.length]);
      return ev.arrays.make(shape, array.kind, grid);
    }),
  );
}

function broadcastTo(ev: LibraryMachine, call: Call): Value {
  const { array, shape } = named('numpy.broadcast_to', call, ['array', 'shape']);
  const source = arrayOf(ev, 'broadcast_to', array, call);
  const target = knownInts(ev, shape, call, 'a size');
  ev.work.step(call.position, extent(target));
  const full = ev.arrays.broadcastShape(source.shape, target);
  if (full.length !== target.length || full.some((n, k) => n !== target[k])) {
    return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  }
  const own = rowMajor(source.shape);
  const offset = target.length - source.shape.length;
  const along = (steps: readonly number[]): number[] =>
    target.map((_, k) => (k < offset || source.shape[k - offset] === 1 ? 0 : steps[k - offset]));
  const positions = positionsOf(target, along(own), 0);
  // It cannot be written to.
  return { ...ev.arrays.viewAt(source, target, positions, along(source.strides)), frozen: true };
}

function kron(ev: LibraryMachine, call: Call): Value {
  const [a, b] = [arrayOf(ev, 'kron', call.args[0], call), arrayOf(ev, 'kron', call.args[1], call)];
  const rank = Math.max(a.shape.length, b.shape.length);
  const padded = (x: NdArray): number[] => [...new Array<number>(rank - x.shape.length).fill(1), ...x.shape];
  const [p, q] = [padded(a), padded(b)];
  const left = ev.arrays.reshape(
    a,
    p.flatMap((n) => [n, 1]),
    call.position,
  );
  const right = ev.arrays.reshape(
    b,
    q.flatMap((n) => [1, n]),
    call.position,
  );
  const products = ev.arrays.binary('*', left, right, call.position);
  return ev.arrays.reshape(
    ev.arrays.toArray(products, call.position),
    p.map((n, k) => n * q[k]),
    call.position,
  );
}

/** Joins as `np.block` does: innermost lists along the last axis, the next along the one before. */
function block(ev: LibraryMachine, call: Call): Value {
  const depthOf = (v: Value): number =>
    v.tag === 'list' ? 1 + Math.max(0, ...ev.sequences.iterate(v, call.position).map(depthOf)) : 0;
  const source = required('numpy.block', call.args[0], call);
  const depth = depthOf(source);
  const rankOf = (v: Value): number =>
    v.tag === 'list'
      ? Math.max(0, ...ev.sequences.iterate(v, call.position).map(rankOf))
      : ev.arrays.toArray(v, call.position).shape.length;
  const rank = Math.max(depth, rankOf(source));
  const join = (v: Value, level: number): NdArray => {
    if (v.tag !== 'list') {
      const array = ev.arrays.toArray(v, call.position);
      return ev.arrays.reshape(
        array,
        [...new Array<number>(rank - array.shape.length).fill(1), ...array.shape],
        call.position,
      );
    }
    const items = ev.sequences.iterate(v, call.position);
    // Lists of one depth, none of them empty.
    if (items.length === 0 || items.some((item) => (item.tag === 'list') !== level > 1))
      return ev.ops.raise(LaneStatus.Raised, 'ValueError');
    const parts = items.map((item) => join(item, level - 1));
    return ev.arrays.concatenate(parts, rank - level, call.position);
  };
  return join(source, depth);
}

function choose(ev: LibraryMachine, call: Call): Value {
  const { a, choices } = named('numpy.choose', call, ['a', 'choices']);
  const index = arrayOf(ev, 'choose', a, call);
  const options = ev.sequences.iterate(required('numpy.choose', choices, call), call.position);
  const picks = knownInts(ev, index, call, 'a choice');
  if (options.length === 0 || picks.some((k) => k < 0 || k >= options.length))
    return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  const { ops, arrays } = ev;
  const all = options.map((option) => arrays.toArray(option, call.position));
  const kind = all.map((option) => option.kind).reduce(widerKind);
  // The type of the result is that of all, whichever are chosen.
  if (!all.some((option) => option.kind === 'npfloat' && option.isSometimesInt !== true))
    for (const option of all) arrays.refuseSometimesInt(option, call.position);
  // In a rolled loop the pick of an element is not known.
  const chosen = (pick: Scalar, ...columns: Scalar[]): Scalar => {
    const values = columns.map((value) => arrays.convert(value, kind, call.position));
    if (pick.known !== undefined) return values[pick.known];
    return values.reduce((rest, value, k) => ops.select(ops.compare('==', pick, int(k)), value, rest));
  };
  return arrays.map([index, ...options], chosen, call.position, kind);
}

function compress(name: string, byVector: boolean): Implementation {
  return (ev, call) => {
    const { condition, a } = named(`numpy.${name}`, call, ['condition', 'a']);
    const array = ev.arrays.flat(arrayOf(ev, name, a, call));
    const mask = arrayOf(ev, name, condition, call);
    if (byVector && mask.shape.length !== 1)
      throw new Unsupported(`numpy.${name}() by what is no vector`, call.position);
    const truths = ev.arrays.items(mask).map((s) => ev.ops.retag(ev.ops.truthScalar(s), 'npbool'));
    if (truths.length !== array.cells.length) throw new Unsupported(`numpy.${name}() of other sizes`, call.position);
    return ev.items.subscript(array, ev.arrays.make([truths.length], 'npbool', truths), call.position);
  };
}

const stackOf =
  (name: string, shape: (array: NdArray) => number[], axis: number): Implementation =>
  (ev, call) => {
    const parts = sequenceOfArrays(ev, call.args[0], call, `numpy.${name}`);
    const shaped = parts.map((p) => ev.arrays.reshape(p, shape(p), call.position));
    return ev.arrays.concatenate(shaped, axis, call.position);
  };

function fromIterable(ev: LibraryMachine, call: Call): Value {
  const args = named('numpy.fromiter', call, ['iter', 'dtype', 'count']);
  const items = ev.sequences.iterate(required('numpy.fromiter', args.iter, call), call.position);
  const count = args.count === undefined ? items.length : ev.items.staticInt(args.count, call.position, 'a count');
  if (count > items.length) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  const name =
    args.dtype?.tag === 'type' || args.dtype?.tag === 'builtin'
      ? args.dtype.name
      : args.dtype?.tag === 'string'
        ? args.dtype.value
        : '';
  const kind = ITEM_KINDS[name];
  if (kind === undefined)
    throw new Unsupported('numpy.fromiter() with a dtype other than float and int', call.position);
  const chosen = items.slice(0, count < 0 ? items.length : count).map((v) => {
    if (v.tag !== 'scalar') throw new Unsupported('numpy.fromiter() of what are no numbers', call.position);
    return ev.arrays.convert(v, kind, call.position);
  });
  return ev.arrays.make([chosen.length], kind, chosen);
}

const ITEM_KINDS: Table<ArrayKind> = table({ float: 'npfloat', float64: 'npfloat', int: 'npint', int64: 'npint' });

export const NUMPY_SHAPE: Readonly<Record<string, NumPyFunction>> = {
  take: row(take, METHOD),
  insert,
  delete: remove,
  split: split('split', true),
  array_split: split('array_split', false),
  vsplit: split('vsplit', true, 2, () => 0),
  hsplit: split('hsplit', true, 1, (rank) => (rank === 1 ? 0 : 1)),
  swapaxes: row((ev, call) => {
    const array = arrayOf(ev, 'swapaxes', call.args[0], call);
    const order = range(array.shape.length);
    const [p, q] = [1, 2].map((k) =>
      frontAxis(
        ev,
        ev.items.staticInt(required('numpy.swapaxes', call.args[k], call), call.position, 'an axis'),
        order.length,
      ),
    );
    [order[p], order[q]] = [order[q], order[p]];
    return permuted(ev, array, order);
  }, METHOD),
  moveaxis: moveAxis,
  transpose: row((ev, call) => {
    const { a, axes } = named('numpy.transpose', call, ['a', 'axes']);
    if (a?.tag === 'scalar' && ev.ops.possibleKinds(a).every(isNumPyKind)) return a;
    return transposed(ev, arrayOf(ev, 'transpose', a, call), axes, call);
  }, RAISES),
  roll,
  flip: flip('flip'),
  flipud: flip('flipud', [0]),
  fliplr: flip('fliplr', [1]),
  rot90: rotate,
  repeat: row(repeat, METHOD),
  tile,
  diag,
  diagonal: row((ev, call) => {
    const { a, offset } = named('numpy.diagonal', call, ['a', 'offset']);
    const array = arrayOf(ev, 'diagonal', a, call);
    if (array.shape.length !== 2) throw new Unsupported('numpy.diagonal() of what is no matrix', call.position);
    return diagonalOf(ev, array, offset === undefined ? 0 : ev.items.staticInt(offset, call.position, 'a diagonal'));
  }, METHOD),
  fill_diagonal: fillDiagonal,
  triu_indices: triangleIndices('triu_indices', (r, c, k) => c - r >= k),
  tril_indices: triangleIndices('tril_indices', (r, c, k) => c - r <= k),
  tri,
  indices,
  ix_: openMesh,
  meshgrid,
  broadcast_to: broadcastTo,
  kron,
  block,
  choose,
  compress: row(compress('compress', true), METHOD),
  extract: compress('extract', false),
  row_stack: (ev, call) => ev.calls.numpy('vstack', call),
  dstack: stackOf(
    'dstack',
    ({ shape }) => (shape.length < 2 ? [1, shape[0] ?? 1, 1] : shape.length === 2 ? [...shape, 1] : [...shape]),
    2,
  ),
  fromiter: fromIterable,
  append: (ev, call) => {
    const { arr, values, axis } = named('numpy.append', call, ['arr', 'values', 'axis']);
    const parts = [arrayOf(ev, 'append', arr, call), arrayOf(ev, 'append', values, call)];
    const along = axisOf(ev, axis, call);
    const shaped = along === null ? parts.map((p) => ev.arrays.flat(p)) : parts;
    return ev.arrays.concatenate(shaped, along ?? 0, call.position);
  },
};
