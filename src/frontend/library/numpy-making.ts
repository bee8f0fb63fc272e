/**
 * Arrays that are made: of a shape, of values, of a range.
 */
import { LaneStatus } from '../../ir/types.js';
import { frontAxis } from '../arrays/axes.js';
import {
  int,
  isBoolKind,
  isIntKind,
  known,
  tuple,
  Unsupported,
  type Call,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';
import { axisOf, flag, named, plainOrder, required, scalar } from './arguments.js';
import { astype, dtypeOf } from './dtypes.js';
import type { LibraryMachine } from './library-machine.js';
import { without } from './numpy-elementwise.js';
import { sequenceOfArrays } from './numpy-shape.js';
import type { Implementation } from './numpy-row.js';

export function shapeOf(ev: LibraryMachine, value: Value, call: Call): number[] {
  if (value.tag === 'none') throw new Unsupported('a shape that is None', call.position);
  const sizes = value.tag === 'scalar' ? [value] : ev.sequences.iterate(value, call.position);
  return sizes.map((v) => staticCount(ev, v, call));
}

/** A number of elements; NumPy refuses a negative one (ValueError). */
function staticCount(ev: LibraryMachine, value: Value, call: Call): number {
  const count = ev.items.staticInt(value, call.position, 'a size');
  if (count < 0) {
    ev.ops.line = call.position.line;
    ev.ops.raise(LaneStatus.Raised, 'ValueError');
  }
  return count;
}

export function filled(value: number): Implementation {
  return (ev, call) => {
    const { shape, dtype, order } = named('numpy', call, ['shape', 'dtype', 'order']);
    plainOrder(order, call);
    const kind = dtypeOf(dtype, call) ?? 'npfloat';
    return ev.arrays.filled(shapeOf(ev, required('numpy', shape, call), call), kind, known(kind, value), call.position);
  };
}

export function filledLike(value: number): Implementation {
  return (ev, call) => {
    const { a, dtype, order, subok } = named('numpy', call, ['a', 'dtype', 'order', 'subok']);
    plainOrder(order, call);
    flag(subok, true, call);
    const array = ev.arrays.toArray(required('numpy', a, call), call.position);
    const given = dtypeOf(dtype, call);
    if (given === null) ev.arrays.refuseSometimesInt(array, call.position);
    const kind = given ?? array.kind;
    return ev.arrays.filled(array.shape, kind, known(kind, value), call.position);
  };
}

/** np.array copies; asarray and friends keep an array that already fits. */
export function makeArray(copies: boolean): Implementation {
  return (ev, call) => {
    const args = named('numpy.array', call, ['object', 'dtype', 'copy', 'order', 'ndmin']);
    if (args.ndmin !== undefined) {
      const made = makeArray(copies)(ev, { ...call, keywords: without(call.keywords, ['ndmin']) });
      return atLeast(ev, made, ev.items.staticInt(args.ndmin, call.position, 'a number of axes'), call);
    }
    plainOrder(args.order, call);
    const value = required('numpy.array', args.object, call);
    const array = ev.arrays.toArray(value, call.position);
    const kind = dtypeOf(args.dtype, call) ?? array.kind;
    const isOfKind = kind === array.kind && (args.dtype === undefined || array.isSometimesInt !== true);
    const keeps =
      value.tag === 'ndarray' && isOfKind && (!copies || (args.copy !== undefined && !flag(args.copy, true, call)));
    if (keeps) return array;
    return isOfKind ? ev.arrays.copy(array) : astype(ev, array, kind, call);
  };
}

export function arange(ev: LibraryMachine, call: Call): Value {
  const { start, stop, step, dtype } = named('numpy.arange', call, ['start', 'stop', 'step', 'dtype']);
  const numbers = [start, stop, step].map((v) =>
    v === undefined || v.tag === 'none' ? null : scalar(ev, 'numpy.arange', v, call),
  );
  if (numbers.some((s) => s !== null && s.known === undefined))
    throw new Unsupported('a range that depends on x', call.position);
  const isFloat = numbers.some((s) => s !== null && !isIntKind(s.kind) && !isBoolKind(s.kind));
  const [first, last] =
    numbers[1] === null
      ? [0, scalar(ev, 'numpy.arange', start, call).known as number]
      : [numbers[0]?.known ?? 0, numbers[1].known as number];
  const by = numbers[2]?.known ?? 1;
  if (by === 0) return ev.ops.raise(LaneStatus.Raised, 'ZeroDivisionError');
  const count = Math.max(0, Math.ceil((last - first) / by));
  ev.work.step(call.position, count);
  // NumPy fills with start + k * delta, delta taken from the first two elements.
  const delta = first + by - first;
  const kind = dtypeOf(dtype, call) ?? (isFloat ? 'npfloat' : 'npint');
  const items = Array.from({ length: count }, (_, k) =>
    known(kind, k === 0 ? first : k === 1 ? first + by : first + k * delta),
  );
  return ev.arrays.make([count], kind, items);
}

export function linspace(ev: LibraryMachine, call: Call): Value {
  const args = named('numpy.linspace', call, ['start', 'stop', 'num', 'endpoint', 'retstep', 'dtype', 'axis']);
  const { position } = call;
  const { ops } = ev;
  const count = args.num === undefined ? 50 : staticCount(ev, args.num, call);
  const closed = flag(args.endpoint, true, call);
  const divisions = closed ? count - 1 : count;
  const ends = [args.start, args.stop].map((v) => ev.arrays.toArray(required('numpy.linspace', v, call), position));
  const element = (k: number, a: Scalar, b: Scalar): Scalar => {
    if (closed && count > 1 && k === count - 1) return b;
    // start + k * step, as NumPy computes it where the step is not zero.
    const from = divisions > 0 ? ops.binary('*', known('npfloat', k), stepOf(a, b), position) : known('npfloat', 0);
    return ops.binary('+', from, a, position);
  };
  const stepOf = (a: Scalar, b: Scalar): Scalar => {
    if (divisions <= 0) return known('npfloat', NaN);
    return ops.binary('/', ops.binary('-', b, a, position), known('npfloat', divisions), position);
  };
  const floats = (s: Scalar): Scalar => ops.retag(s, 'npfloat');
  const between = (fn: (a: Scalar, b: Scalar) => Scalar): Value =>
    ev.arrays.map(ends, (a, b) => fn(floats(a), floats(b)), position, 'npfloat');
  ev.work.step(position, count);
  const rows = Array.from({ length: count }, (_, k) => between((a, b) => element(k, a, b)));
  const shape = ev.arrays.broadcastShape(ends[0].shape, ends[1].shape);
  const items = rows.flatMap((row) => ev.arrays.items(ev.arrays.toArray(row, position)));
  let result = ev.arrays.make([count, ...shape], 'npfloat', items);
  const kind = dtypeOf(args.dtype, call);
  if (kind === 'npint') {
    const whole = items.map((s) => ops.rounding('floor', s, 'npfloat'));
    result = astype(ev, ev.arrays.make([count, ...shape], 'npfloat', whole), kind, call);
  } else if (kind !== null) result = astype(ev, result, kind, call);
  const axis = axisOf(ev, args.axis, call) ?? 0;
  const moved =
    axis === 0
      ? result
      : ev.calls.numpy('moveaxis', { ...call, args: [result, int(0), int(axis)], keywords: new Map() });
  return flag(args.retstep, false, call) ? tuple([moved, between(stepOf)]) : moved;
}

export function eye(ev: LibraryMachine, call: Call): Value {
  const { N, M, k, dtype, order } = named('numpy.eye', call, ['N', 'M', 'k', 'dtype', 'order']);
  plainOrder(order, call);
  const rows = staticCount(ev, required('numpy.eye', N, call), call);
  const columns = M === undefined || M.tag === 'none' ? rows : staticCount(ev, M, call);
  const offset = k === undefined ? 0 : ev.items.staticInt(k, call.position, 'a diagonal');
  const kind = dtypeOf(dtype, call) ?? 'npfloat';
  ev.work.step(call.position, rows * columns);
  const items = Array.from({ length: rows * columns }, (_, j) =>
    known(kind, (j % columns) - Math.floor(j / columns) === offset ? 1 : 0),
  );
  return ev.arrays.make([rows, columns], kind, items);
}

export function stack(ev: LibraryMachine, call: Call): Value {
  const args = named('numpy.stack', call, ['arrays', 'axis']);
  const axis = args.axis === undefined ? 0 : ev.items.staticInt(args.axis, call.position, 'an axis');
  const arrays = sequenceOfArrays(ev, args.arrays, call, 'numpy.stack');
  const [first] = arrays;
  const isAlike = arrays.every(
    (a) => a.shape.length === first.shape.length && a.shape.every((n, j) => n === first.shape[j]),
  );
  if (!isAlike) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  const k = frontAxis(ev, axis, first.shape.length + 1);
  const expanded = arrays.map((a) =>
    ev.arrays.reshape(a, [...a.shape.slice(0, k), 1, ...a.shape.slice(k)], call.position),
  );
  return ev.arrays.concatenate(expanded, k, call.position);
}

export function atLeast(ev: LibraryMachine, value: Value, rank: number, call: Call): NdArray {
  const array = ev.arrays.toArray(value, call.position);
  const missing = rank - array.shape.length;
  if (missing <= 0) return array;
  return ev.arrays.reshape(array, [...new Array<number>(missing).fill(1), ...array.shape], call.position);
}

export function triangle(keeps: (row: number, column: number, k: number) => boolean): Implementation {
  return (ev, call) => {
    const { m, k } = named('numpy.tril', call, ['m', 'k']);
    const array = ev.arrays.toArray(required('numpy.tril', m, call), call.position);
    if (array.shape.length !== 2) throw new Unsupported('a triangle of something that is no matrix', call.position);
    const offset = k === undefined ? 0 : ev.items.staticInt(k, call.position, 'a diagonal');
    const [, columns] = array.shape;
    const items = ev.arrays
      .items(array)
      .map((s, j) => (keeps(Math.floor(j / columns), j % columns, offset) ? s : int(0)));
    return ev.arrays.make(array.shape, array.kind, items);
  };
}
