/** NumPy: functions of the module; `attributes.ts` maps array methods to the same implementations. */
import type { MathOpName } from '../../ir/ops.js';
import { LaneStatus } from '../../ir/types.js';
import { frontAxis } from '../arrays/axes.js';
import type { LineReduction } from '../arrays/bulk-arrays.js';
import { copySign, signed } from '../arrays/floats.js';
import { maskedOf, ofMasked } from '../arrays/masked.js';
import type { LibraryMachine } from './library-machine.js';
import type { BinaryOperator, ComparisonOperator } from '../syntax/ast.js';
import {
  float,
  int,
  isBoolKind,
  isIntKind,
  isNumPyKind,
  known,
  NONE,
  toNumPyKind,
  tuple,
  Unsupported,
  type ArrayKind,
  type Call,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';
import { axisOf, builtin, flag, lookingAtAll, named, notRaising, plainOrder, required, scalar } from './arguments.js';
import { astype, dtypeOf } from './dtypes.js';
import { nonzero, NUMPY_ANALYSIS, NUMPY_LINALG_MORE, runningExtremum } from './numpy-analysis.js';
import { isComplexCall, numpyComplex } from './numpy-complex.js';
import { DETERMINANT_ULP, LAPACK_ULP, MAX_SOLVE_SIZE } from './numpy-linalg.js';
import { diagonalOf, NUMPY_SHAPE, sequenceOfArrays } from './numpy-shape.js';

type Implementation = (ev: LibraryMachine, call: Call) => Value;

export const without = (keywords: ReadonlyMap<string, Value>, names: readonly string[]): ReadonlyMap<string, Value> =>
  new Map([...keywords].filter(([key]) => !names.includes(key)));

/** Element-wise on one argument. */
function unary(fn: (ev: LibraryMachine, s: Scalar, call: Call) => Scalar, kind?: ArrayKind): Implementation {
  return (ev, call) => {
    const { x } = named('numpy', call, ['x']);
    return ev.arrays.map([required('numpy', x, call)], (s) => fn(ev, s, call), call.position, kind);
  };
}

function binary(
  fn: (ev: LibraryMachine, a: Scalar, b: Scalar, call: Call) => Scalar,
  kind?: ArrayKind,
): Implementation {
  return (ev, call) => {
    const { x1, x2 } = named('numpy', call, ['x1', 'x2']);
    const operands = [required('numpy', x1, call), required('numpy', x2, call)];
    return ev.arrays.map(operands, (a, b) => fn(ev, a, b, call), call.position, kind);
  };
}

/** A function of the mathematics library: floats in and out, NaN and infinities instead of errors. */
const mathematics = (op: MathOpName): Implementation =>
  unary((ev, s) => ev.ops.math(op, 'npfloat', ev.ops.retag(s, 'npfloat')), 'npfloat');

const operator = (op: BinaryOperator): Implementation =>
  binary((ev, a, b, call) => ev.ops.binary(op, a, b, call.position));

const comparison = (op: ComparisonOperator): Implementation => binary((ev, a, b) => ev.ops.compare(op, a, b), 'npbool');

/** Of integers, newer versions of NumPy make integers, older ones floats; `rint` makes floats. */
function rounding(op: 'floor' | 'ceil' | 'trunc' | 'rint'): Implementation {
  return unary((ev, s) => {
    if (isBoolKind(s.kind)) throw new Unsupported(`numpy.${op}() of truth values`, ev.ops.here);
    const whole = ev.ops.rounding(op, s, 'npfloat');
    if (op === 'rint') return ev.ops.certain(whole, 'npfloat');
    return isIntKind(s.kind) || ev.ops.isSometimesInt(s) ? ev.ops.sometimesInt(whole) : whole;
  });
}

const extremum = (which: 'max' | 'min'): Implementation => binary((ev, a, b) => ev.ops.npExtremum(which, a, b));

/** fmax/fmin: a NaN loses. */
function nanExtremum(which: 'max' | 'min'): Implementation {
  return binary((ev, a, b) => {
    const { ops } = ev;
    const keep = ops.or(which === 'max' ? ops.compare('>=', a, b) : ops.compare('<=', a, b), ops.isNaN(b));
    return ops.promoted(ops.select(keep, a, b), a, b);
  });
}

/** `initial=`: a number of the array's type; NumPy makes others one. */
function initialOf(ev: LibraryMachine, name: string, value: Value, source: Value, call: Call): Scalar {
  const array = ev.arrays.toArray(source, call.position);
  ev.arrays.refuseSometimesInt(array, call.position);
  if (array.kind !== 'npfloat')
    throw new Unsupported(`the argument 'initial' of ${name}() of whole numbers`, call.position);
  return ev.ops.retag(scalar(ev, name, value, call), 'npfloat');
}

/** Reductions: `line` gets the scalars of one line and whether NumPy's inner loop runs along it. */
function reduction(
  name: string,
  line: (ev: LibraryMachine, items: readonly Scalar[], inner: boolean, call: Call, ddof: number) => Scalar,
  extra: readonly string[] = [],
): Implementation {
  return (ev, call) => {
    const dtypes = WITH_DTYPE.has(name) ? ['dtype'] : [];
    const args = named(name, call, ['a', 'axis', ...dtypes, 'out', 'keepdims', ...extra]);
    if (args.out !== undefined && args.out.tag !== 'none')
      throw new Unsupported(`the argument 'out' of ${name}()`, call.position);
    const dtype = dtypeOf(args.dtype, call);
    const value = required(name, args.a, call);
    const source = dtype === null ? value : astype(ev, ev.arrays.toArray(value, call.position), dtype, call);
    const initial = args.initial === undefined ? null : initialOf(ev, name, args.initial, source, call);
    const ddof = args.ddof === undefined ? 0 : ev.items.staticInt(args.ddof, call.position, 'ddof');
    const isPlain = initial === null && args.keepdims === undefined && source.tag === 'ndarray';
    const rolled = isPlain ? reduceLarge(ev, name.slice('numpy.'.length), source, args.axis, ddof, call) : null;
    if (rolled !== null) return rolled;
    return ev.arrays.reduce(
      source,
      axisOf(ev, args.axis, call),
      flag(args.keepdims, false, call),
      (items, inner) => {
        const result = line(ev, items, inner, call, ddof);
        if (initial === null) return result;
        // NumPy starts with it, or adds it in between.
        const joined = ev.ops.binary(name === 'numpy.prod' ? '*' : '+', initial, result, call.position);
        // It is what the sum is begun with.
        if (name === 'numpy.sum' && !isOffMinusZero(initial))
          ev.ops.check(ev.ops.and(ev.ops.signBit(initial), ev.ops.isZero(joined)), LaneStatus.Untranslated);
        return name === 'numpy.prod'
          ? ev.ops.loose(joined, items.length + 1)
          : ev.ops.anyOrder(joined, [initial, ...items.map((s) => ev.ops.retag(s, toNumPyKind(s.kind)))]);
      },
      call.position,
    );
  };
}

const isOffMinusZero = (s: Scalar): boolean => s.known !== undefined && !Object.is(s.known, -0);

const WITH_DTYPE = new Set(['numpy.sum', 'numpy.prod', 'numpy.mean', 'numpy.var', 'numpy.std']);

const LARGE_REDUCTIONS = new Set(['sum', 'prod', 'mean', 'max', 'min', 'any', 'all', 'var', 'std']);

/** A reduction of a large vector in a rolled loop; null where there is none. */
function reduceLarge(
  ev: LibraryMachine,
  name: string,
  array: NdArray,
  axis: Value | undefined,
  ddof: number,
  call: Call,
): Scalar | null {
  if (!LARGE_REDUCTIONS.has(name) || array.shape.length !== 1) return null;
  const along = axisOf(ev, axis, call);
  if (along !== null && along !== 0 && along !== -1) return null;
  return ev.bulkArrays.reduce(name as LineReduction, array, ddof, call.position);
}

/** `a.sum(axis)` and the like take axis second but skip dtype and out when extremes are meant. */
const extremumReduction = (which: 'max' | 'min'): Implementation => {
  return (ev, call) => {
    const args = named(which, call, ['a', 'axis', 'out', 'keepdims', 'initial']);
    if (args.out !== undefined && args.out.tag !== 'none') {
      throw new Unsupported(`the argument 'out' of numpy.${which}()`, call.position);
    }
    const source = required(which, args.a, call);
    const initial = args.initial === undefined ? [] : [initialOf(ev, which, args.initial, source, call)];
    const isPlain = initial.length === 0 && args.keepdims === undefined && source.tag === 'ndarray';
    const rolled = isPlain ? reduceLarge(ev, which, source, args.axis, 0, call) : null;
    if (rolled !== null) return rolled;
    return ev.arrays.reduce(
      source,
      axisOf(ev, args.axis, call),
      flag(args.keepdims, false, call),
      (items) => ev.arrays.extremum(which, [...initial, ...items]),
      call.position,
    );
  };
};

const argReduction = (which: 'max' | 'min'): Implementation => {
  return (ev, call) => {
    const { a, axis } = named(which, call, ['a', 'axis']);
    return ev.arrays.reduce(
      required(which, a, call),
      axisOf(ev, axis, call),
      false,
      (items) => ev.arrays.argExtremum(which, items),
      call.position,
      true,
    );
  };
};

function shapeOf(ev: LibraryMachine, value: Value, call: Call): number[] {
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

function filled(value: number): Implementation {
  return (ev, call) => {
    const { shape, dtype, order } = named('numpy', call, ['shape', 'dtype', 'order']);
    plainOrder(order, call);
    const kind = dtypeOf(dtype, call) ?? 'npfloat';
    return ev.arrays.filled(shapeOf(ev, required('numpy', shape, call), call), kind, known(kind, value), call.position);
  };
}

function filledLike(value: number): Implementation {
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
function makeArray(copies: boolean): Implementation {
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

function arange(ev: LibraryMachine, call: Call): Value {
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

function linspace(ev: LibraryMachine, call: Call): Value {
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

function eye(ev: LibraryMachine, call: Call): Value {
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

function stack(ev: LibraryMachine, call: Call): Value {
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

function atLeast(ev: LibraryMachine, value: Value, rank: number, call: Call): NdArray {
  const array = ev.arrays.toArray(value, call.position);
  const missing = rank - array.shape.length;
  if (missing <= 0) return array;
  return ev.arrays.reshape(array, [...new Array<number>(missing).fill(1), ...array.shape], call.position);
}

function norm(ev: LibraryMachine, call: Call): Value {
  const { x, ord, axis, keepdims } = named('numpy.linalg.norm', call, ['x', 'ord', 'axis', 'keepdims']);
  const array = ev.arrays.toArray(required('numpy.linalg.norm', x, call), call.position);
  const { ops } = ev;
  const position = call.position;
  // It takes whole numbers of any type.
  if (axis?.tag === 'scalar' && !isIntKind(axis.kind)) throw new Unsupported('an axis that is no integer', position);
  const along = axisOf(ev, axis, call);
  const isMatrix = array.shape.length > 1 && along === null;
  const isFrobenius = isMatrix && ord?.tag === 'string' && (ord.value === 'fro' || ord.value === 'f');
  const isPlain = ord === undefined || ord.tag === 'none' || isFrobenius;
  if (array.shape.length === 0 && !isPlain) return ops.raise(LaneStatus.Raised, 'ValueError');
  const order = isPlain ? 2 : (scalar(ev, 'numpy.linalg.norm', ord, call).known ?? NaN);
  if (isMatrix && !isPlain) return matrixNorm(ev, array, order, call);
  const add = (items: readonly Scalar[], inner: boolean): Scalar => ev.arrays.sumLine(items, inner, position);
  const floats = astype(ev, array, 'npfloat', call);
  if (!isMatrix && along === null && keepdims === undefined && (order === 2 || order === 1)) {
    const rolled = ev.bulkArrays.reduce(order === 2 ? 'norm' : 'norm1', floats, 0, position);
    if (rolled !== null) return rolled;
  }
  return ev.arrays.reduce(
    floats,
    along,
    flag(keepdims, false, call),
    (items, inner) => {
      const magnitudes = (): Scalar[] => items.map((s) => ops.abs(s));
      switch (order) {
        case 2: {
          const squares = items.map((s) => ops.binary('*', s, s, position));
          return ops.sqrt(ops.anyOrder(add(squares, inner), squares), 'npfloat');
        }
        case 1:
          return add(magnitudes(), inner);
        case Infinity:
          return ev.arrays.extremum('max', magnitudes());
        case -Infinity:
          return ev.arrays.extremum('min', magnitudes());
        case 0:
          return add(
            items.map((s) => ops.retag(ops.compare('!=', s, int(0)), 'npfloat')),
            inner,
          );
        default: {
          if (!Number.isFinite(order))
            throw new Unsupported('an order of numpy.linalg.norm() that depends on x', position);
          const powers = magnitudes().map((s) => ops.binary('**', s, known('npfloat', order), position));
          return ops.binary('**', add(powers, inner), known('npfloat', 1 / order), position);
        }
      }
    },
    position,
  );
}

/** The largest sum of magnitudes of a column or row; others need singular values. */
function matrixNorm(ev: LibraryMachine, array: NdArray, order: number, call: Call): Value {
  const axis = { 1: 0, [-1]: 0, Infinity: 1, [-Infinity]: 1 }[order];
  if (axis === undefined) throw new Unsupported('a norm of a matrix by its singular values', call.position);
  const { position } = call;
  const magnitudes = ev.arrays.map([array], (s) => ev.ops.abs(ev.ops.retag(s, 'npfloat')), position, 'npfloat');
  const sums = ev.arrays.reduce(magnitudes, axis, false, (l, i) => ev.arrays.sumLine(l, i, position), position);
  return ev.arrays.reduce(sums, null, false, (l) => ev.arrays.extremum(order > 0 ? 'max' : 'min', l), position);
}

const countNonzero = reduction('numpy.count_nonzero', (ev, items, _inner, call) =>
  items
    .map((s) => ev.ops.retag(ev.ops.truthScalar(s), 'npint'))
    .reduce((a, b) => ev.ops.binary('+', a, b, call.position), known('npint', 0)),
);

function where(ev: LibraryMachine, call: Call): Value {
  if (call.args.length === 1) return nonzero(ev, call.args[0], call);
  if (call.args.length === 2) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  if (call.args.length !== 3) throw new Unsupported('numpy.where() called so', call.position);
  const [condition, a, b] = call.args;
  const kind = kindOfBoth(ev, a, b, call);
  const chosen = ev.arrays.map(
    [condition, a, b],
    (c, p, q) => {
      const chosen = ev.ops.select(ev.ops.truthScalar(c), ev.ops.retag(p, kind), ev.ops.retag(q, kind));
      return ev.ops.promoted(chosen, p, q);
    },
    call.position,
    kind,
  );
  return ev.arrays.withoutAxes(chosen);
}

function kindOfBoth(ev: LibraryMachine, a: Value, b: Value, call: Call): ArrayKind {
  const kindOf = (v: Value): ArrayKind => (v.tag === 'masked' ? v.kind : ev.arrays.toArray(v, call.position).kind);
  const [p, q] = [kindOf(a), kindOf(b)];
  return p === 'npfloat' || q === 'npfloat' ? 'npfloat' : p === 'npint' || q === 'npint' ? 'npint' : 'npbool';
}

function clip(ev: LibraryMachine, call: Call): Value {
  const args = named('numpy.clip', call, ['a', 'a_min', 'a_max']);
  const low = required('numpy.clip', args.a_min, call);
  const high = required('numpy.clip', args.a_max, call);
  if (low.tag === 'none' && high.tag === 'none') throw new Unsupported('numpy.clip() without bounds', call.position);
  let value = required('numpy.clip', args.a, call);
  // A bound that is a number and NaN means no bound to some versions of NumPy.
  for (const bound of [low, high]) {
    if (bound.tag === 'scalar') ev.ops.check(ev.ops.isNaN(bound), LaneStatus.Untranslated);
  }
  // minimum(maximum(a, low), high), as NumPy defines it.
  if (low.tag !== 'none') value = ev.arrays.map([value, low], (s, l) => ev.ops.npExtremum('max', s, l), call.position);
  if (high.tag !== 'none')
    value = ev.arrays.map([value, high], (s, h) => ev.ops.npExtremum('min', s, h), call.position);
  return value;
}

function round(ev: LibraryMachine, call: Call): Value {
  const { a, decimals } = named('numpy.round', call, ['a', 'decimals']);
  const digits = decimals === undefined ? 0 : ev.items.staticInt(decimals, call.position, 'a digit count');
  const { ops } = ev;
  const position = call.position;
  return ev.arrays.map(
    [required('numpy.round', a, call)],
    (s) => {
      if (isBoolKind(s.kind)) throw new Unsupported('numpy.round() of truth values', position);
      if (isIntKind(s.kind)) return s;
      if (ops.isSometimesInt(s)) throw new Unsupported('numpy.round() of integers or floats, depending on x', position);
      if (digits === 0) return ops.rounding('rint', s, 'npfloat');
      // NumPy scales by a power of ten, rounds, and scales back.
      const scale = known('npfloat', 10 ** Math.abs(digits));
      const [up, down] = digits > 0 ? (['*', '/'] as const) : (['/', '*'] as const);
      return ops.binary(down, ops.rounding('rint', ops.binary(up, s, scale, position), 'npfloat'), scale, position);
    },
    position,
  );
}

function sign(ev: LibraryMachine, s: Scalar): Scalar {
  const { ops } = ev;
  if (isBoolKind(s.kind)) return ops.raise(LaneStatus.Raised, 'TypeError');
  const { kind } = s;
  const one = known(kind, 1);
  const positive = ops.compare('>', s, int(0));
  const negative = ops.compare('<', s, int(0));
  // +0 for zeros of either sign; NaN stays.
  const rest = ops.select(ops.isNaN(s), ops.retag(s, kind), known(kind, 0));
  return ops.retag(ops.select(positive, one, ops.select(negative, known(kind, -1), rest)), kind);
}

function triangle(keeps: (row: number, column: number, k: number) => boolean): Implementation {
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

function polyval(ev: LibraryMachine, call: Call): Value {
  const { p, x } = named('numpy.polyval', call, ['p', 'x']);
  const value = required('numpy.polyval', x, call);
  let result: Value = ev.arrays.map([value], () => known('npint', 0), call.position);
  for (const coefficient of ev.sequences.iterate(required('numpy.polyval', p, call), call.position)) {
    result = ev.operators.binary(
      '+',
      ev.operators.binary('*', result, value, call.position),
      coefficient,
      call.position,
    );
  }
  return result;
}

/** The first condition that holds chooses; nothing holds: the default. */
function select(ev: LibraryMachine, call: Call): Value {
  const args = named('numpy.select', call, ['condlist', 'choicelist', 'default']);
  const conditions = ev.sequences.iterate(required('numpy.select', args.condlist, call), call.position);
  const choices = ev.sequences.iterate(required('numpy.select', args.choicelist, call), call.position);
  if (conditions.length !== choices.length || conditions.length === 0)
    return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  if (conditions.some((c) => c.tag !== 'masked' && ev.arrays.toArray(c, call.position).kind !== 'npbool'))
    return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  let result: Value = args.default ?? int(0);
  for (let k = conditions.length - 1; k >= 0; k--) {
    result = where(ev, { ...call, args: [conditions[k], choices[k], result], keywords: new Map() });
  }
  return result;
}

/** Piecewise linear interpolation in a known table, constant outside, as NumPy computes it. */
function interp(ev: LibraryMachine, call: Call): Value {
  const args = named('numpy.interp', call, ['x', 'xp', 'fp', 'left', 'right']);
  const { ops } = ev;
  const position = call.position;
  const column = (v: Value | undefined): Scalar[] => {
    const array = ev.arrays.toArray(required('numpy.interp', v, call), position);
    if (array.shape.length !== 1) throw new Unsupported('numpy.interp() in a table that is no vector', position);
    return ev.arrays.items(astype(ev, array, 'npfloat', call));
  };
  const xp = column(args.xp);
  const fp = column(args.fp);
  const n = xp.length;
  const isRising = xp.every((s, k) => s.known !== undefined && (k === 0 || (xp[k - 1].known as number) < s.known));
  if (n !== fp.length || n === 0 || !isRising) throw new Unsupported('numpy.interp() in this table', position);
  const at = (x: Scalar): Scalar => {
    ev.work.step(position, 8 * n);
    const left = args.left === undefined ? fp[0] : scalar(ev, 'numpy.interp', args.left, call);
    const right = args.right === undefined ? fp[n - 1] : scalar(ev, 'numpy.interp', args.right, call);
    let result = ops.select(ops.compare('>', x, xp[n - 1]), right, fp[n - 1]);
    for (let k = n - 2; k >= 0; k--) {
      const rise = ops.binary('-', fp[k + 1], fp[k], position);
      const slope = ops.binary('/', rise, ops.binary('-', xp[k + 1], xp[k], position), position);
      const value = ops.binary(
        '+',
        ops.binary('*', slope, ops.binary('-', x, xp[k], position), position),
        fp[k],
        position,
      );
      result = ops.select(ops.compare('<', x, xp[k + 1]), value, result);
    }
    result = ops.select(ops.compare('<', x, xp[0]), left, result);
    return ops.retag(ops.select(ops.isNaN(x), x, result), 'npfloat');
  };
  return ev.arrays.map([required('numpy.interp', args.x, call)], at, position, 'npfloat');
}

/**
 * LU decomposition with partial pivoting of a small square matrix, applied to right-hand sides: rows are exchanged by
 * selection, so that every lane pivots for itself. Returns the pivots and the solved columns.
 */
function eliminate(
  ev: LibraryMachine,
  matrix: NdArray,
  rightSides: readonly Scalar[][],
  call: Call,
): { readonly determinant: Scalar; readonly solutions: Scalar[][] } {
  const [n, m] = matrix.shape;
  if (matrix.shape.length !== 2 || n !== m) ev.ops.raise(LaneStatus.Raised, 'numpy.linalg.LinAlgError');
  if (n > MAX_SOLVE_SIZE)
    throw new Unsupported(`linear algebra beyond ${MAX_SOLVE_SIZE} x ${MAX_SOLVE_SIZE}`, call.position);
  const { ops } = ev;
  const position = call.position;
  const width = n + rightSides.length;
  const items = ev.arrays.items(astype(ev, matrix, 'npfloat', call));
  const rows = Array.from({ length: n }, (_, r) => [
    ...items.slice(r * n, (r + 1) * n),
    ...rightSides.map((b) => b[r]),
  ]);
  ev.work.step(position, n * n * width);
  let determinant: Scalar = known('npfloat', 1);
  for (let k = 0; k < n; k++) {
    for (let r = k + 1; r < n; r++) {
      // The largest pivot wanders up; the first of equals stays.
      const larger = ops.compare('>', ops.abs(rows[r][k]), ops.abs(rows[k][k]));
      if (larger.known === 0) continue;
      for (let c = k; c < width; c++) {
        const [p, q] = [rows[k][c], rows[r][c]];
        rows[k][c] = ops.select(larger, q, p);
        rows[r][c] = ops.select(larger, p, q);
      }
      determinant = ops.select(larger, ops.negate(determinant), determinant);
    }
    const pivot = rows[k][k];
    determinant = ops.binary('*', determinant, pivot, position);
    for (let r = k + 1; r < n; r++) {
      const factor = ops.binary('/', rows[r][k], pivot, position);
      for (let c = k + 1; c < width; c++) {
        rows[r][c] = ops.binary('-', rows[r][c], ops.binary('*', factor, rows[k][c], position), position);
      }
    }
  }
  const solutions = rightSides.map((_, j) => {
    const x: Scalar[] = new Array<Scalar>(n);
    for (let r = n - 1; r >= 0; r--) {
      let sum = rows[r][n + j];
      for (let c = r + 1; c < n; c++) sum = ops.binary('-', sum, ops.binary('*', rows[r][c], x[c], position), position);
      x[r] = ops.eitherZero(ops.binary('/', sum, rows[r][r], position));
    }
    return x;
  });
  if (rightSides.length > 0) {
    // LinAlgError: Singular matrix.
    for (let k = 0; k < n; k++) ops.check(ops.isZero(rows[k][k]), LaneStatus.Raised, 'numpy.linalg.LinAlgError');
  }
  return { determinant, solutions };
}

function solve(ev: LibraryMachine, call: Call): Value {
  const { a, b } = named('numpy.linalg.solve', call, ['a', 'b']);
  const matrix = ev.arrays.toArray(required('numpy.linalg.solve', a, call), call.position);
  const right = astype(ev, ev.arrays.toArray(required('numpy.linalg.solve', b, call), call.position), 'npfloat', call);
  if (matrix.shape.length !== 2 || matrix.shape[0] !== matrix.shape[1])
    return ev.ops.raise(LaneStatus.Raised, 'numpy.linalg.LinAlgError');
  if (right.shape[0] !== matrix.shape[0] || right.shape.length > 2)
    return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  const columns = right.shape[1] ?? 1;
  const items = ev.arrays.items(right);
  const sides = Array.from({ length: columns }, (_, j) => items.filter((_, k) => k % columns === j));
  const { solutions } = ev.ops.loosely(LAPACK_ULP, () => eliminate(ev, matrix, sides, call));
  const flat = items.map((_, k) => solutions[k % columns][Math.floor(k / columns)]);
  return ev.arrays.make(right.shape, 'npfloat', flat);
}

function inverse(ev: LibraryMachine, call: Call): Value {
  const matrix = ev.arrays.toArray(required('numpy.linalg.inv', call.args[0], call), call.position);
  const n = matrix.shape[0] ?? 0;
  const unit = (j: number): Scalar[] => Array.from({ length: n }, (_, k) => known('npfloat', k === j ? 1 : 0));
  const sides = Array.from({ length: n }, (_, j) => unit(j));
  const { solutions } = ev.ops.loosely(LAPACK_ULP, () => eliminate(ev, matrix, sides, call));
  return ev.arrays.make(
    [n, n],
    'npfloat',
    Array.from({ length: n * n }, (_, k) => solutions[k % n][Math.floor(k / n)]),
  );
}

function determinant(ev: LibraryMachine, call: Call): Value {
  const matrix = ev.arrays.toArray(required('numpy.linalg.det', call.args[0], call), call.position);
  const eliminated = ev.ops.loosely(LAPACK_ULP, () => eliminate(ev, matrix, [], call));
  const result = ev.ops.loose(eliminated.determinant, DETERMINANT_ULP);
  // After a zero pivot nothing is sure: CPython decides.
  ev.ops.check(ev.ops.isNaN(result), LaneStatus.Untranslated);
  return result;
}

const LINALG: Readonly<Record<string, Implementation | undefined>> = Object.assign(Object.create(null), {
  ...NUMPY_LINALG_MORE,
  norm,
  solve,
  inv: inverse,
  det: determinant,
});

const sumReduction = reduction(
  'numpy.sum',
  (ev, items, inner, call) => ev.arrays.sumLine(items, inner, call.position),
  ['initial'],
);

export const NUMPY: Readonly<Record<string, Implementation | undefined>> = Object.assign(Object.create(null), {
  ...NUMPY_SHAPE,
  ...NUMPY_ANALYSIS,
  sin: mathematics('sin'),
  cos: mathematics('cos'),
  tan: mathematics('tan'),
  arcsin: mathematics('asin'),
  arccos: mathematics('acos'),
  arctan: mathematics('atan'),
  arctan2: binary((ev, a, b) => ev.ops.math('atan2', 'npfloat', a, b), 'npfloat'),
  sinh: mathematics('sinh'),
  cosh: mathematics('cosh'),
  tanh: mathematics('tanh'),
  arcsinh: mathematics('asinh'),
  arccosh: mathematics('acosh'),
  arctanh: mathematics('atanh'),
  exp: mathematics('exp'),
  exp2: mathematics('exp2'),
  expm1: mathematics('expm1'),
  log: mathematics('log'),
  log2: mathematics('log2'),
  log10: mathematics('log10'),
  log1p: mathematics('log1p'),
  cbrt: mathematics('cbrt'),
  hypot: binary((ev, a, b) => ev.ops.math('hypot', 'npfloat', a, b), 'npfloat'),
  sqrt: unary((ev, s) => ev.ops.sqrt(ev.ops.retag(s, 'npfloat'), 'npfloat'), 'npfloat'),
  square: unary((ev, s, call) => ev.ops.binary('*', s, s, call.position)),
  abs: unary((ev, s) => ev.ops.abs(s)),
  fabs: unary((ev, s) => ev.ops.abs(ev.ops.retag(s, 'npfloat')), 'npfloat'),
  negative: unary((ev, s) => ev.ops.negate(s)),
  positive: unary((ev, s) => (s.kind === 'npbool' ? ev.ops.raise(LaneStatus.Raised, 'TypeError') : s)),
  reciprocal: unary((ev, s, call) => {
    if (isIntKind(s.kind)) throw new Unsupported('numpy.reciprocal() of integers', call.position);
    return ev.ops.binary('/', known('npfloat', 1), s, call.position);
  }),
  floor: rounding('floor'),
  ceil: rounding('ceil'),
  trunc: rounding('trunc'),
  fix: rounding('trunc'),
  rint: rounding('rint'),
  round,
  around: round,
  sign: unary((ev, s) => sign(ev, s)),
  deg2rad: unary((ev, s, call) => ev.ops.binary('*', s, known('npfloat', Math.PI / 180), call.position), 'npfloat'),
  radians: unary((ev, s, call) => ev.ops.binary('*', s, known('npfloat', Math.PI / 180), call.position), 'npfloat'),
  rad2deg: unary((ev, s, call) => ev.ops.binary('*', s, known('npfloat', 180 / Math.PI), call.position), 'npfloat'),
  degrees: unary((ev, s, call) => ev.ops.binary('*', s, known('npfloat', 180 / Math.PI), call.position), 'npfloat'),
  add: operator('+'),
  subtract: operator('-'),
  multiply: operator('*'),
  divide: operator('/'),
  true_divide: operator('/'),
  floor_divide: operator('//'),
  power: operator('**'),
  float_power: binary((ev, a, b, call) => ev.ops.binary('**', ev.ops.retag(a, 'npfloat'), b, call.position), 'npfloat'),
  mod: operator('%'),
  remainder: operator('%'),
  fmod: binary((ev, a, b) => {
    const { ops } = ev;
    const kinds = [a, b].map((s) => (ops.isSometimesInt(s) ? 'either' : isIntKind(s.kind) ? 'int' : isBoolKind(s.kind) ? 'bool' : 'float')); // prettier-ignore
    const isWhole = !kinds.includes('float');
    if (isWhole && (kinds.includes('either') || !kinds.includes('int')))
      throw new Unsupported('numpy.fmod() of truth values, or of what is a whole number for some x', ops.here);
    const result = ops.math('fmod', 'npfloat', a, b);
    const expected = ops.or(ops.or(ops.isNaN(a), ops.isNaN(b)), ops.or(ops.isInf(a), ops.isZero(b)));
    ops.check(ops.and(ops.isNaN(result), ops.not(expected)), LaneStatus.ReductionRange);
    // Of whole numbers it is one, and 0 where NumPy divides by zero.
    if (isWhole)
      return ops.select(ops.or(ops.isZero(b), ops.isZero(result)), known('npint', 0), ops.retag(result, 'npint'));
    return result;
  }),
  maximum: extremum('max'),
  minimum: extremum('min'),
  fmax: nanExtremum('max'),
  fmin: nanExtremum('min'),
  copysign: binary((ev, a, b) => copySign(ev, ev.ops.retag(a, 'npfloat'), signed(ev, b)), 'npfloat'),
  heaviside: binary((ev, a, b) => {
    const { ops } = ev;
    const step = ops.select(ops.compare('<', a, int(0)), known('npfloat', 0), known('npfloat', 1));
    const value = ops.select(ops.isZero(a), ops.retag(b, 'npfloat'), step);
    return ops.select(ops.isNaN(a), ops.retag(a, 'npfloat'), value);
  }, 'npfloat'),
  isnan: unary((ev, s) => ev.ops.isNaN(s), 'npbool'),
  isinf: unary((ev, s) => ev.ops.isInf(s), 'npbool'),
  isfinite: unary((ev, s) => ev.ops.isFinite(s), 'npbool'),
  signbit: unary((ev, s) => ev.ops.signBit(signed(ev, s)), 'npbool'),
  equal: comparison('=='),
  not_equal: comparison('!='),
  less: comparison('<'),
  less_equal: comparison('<='),
  greater: comparison('>'),
  greater_equal: comparison('>='),
  logical_and: binary((ev, a, b) => ev.ops.and(ev.ops.truthScalar(a), ev.ops.truthScalar(b)), 'npbool'),
  logical_or: binary((ev, a, b) => ev.ops.or(ev.ops.truthScalar(a), ev.ops.truthScalar(b)), 'npbool'),
  logical_not: unary((ev, s) => ev.ops.not(s), 'npbool'),
  where,
  select,
  interp,
  clip,
  sum: sumReduction,
  prod: reduction(
    'numpy.prod',
    (ev, items, _inner, call) =>
      items
        .map((s) => (isBoolKind(s.kind) ? ev.ops.retag(s, 'npint') : ev.ops.retag(s, toNumPyKind(s.kind))))
        .reduce((a, b) => ev.ops.binary('*', a, b, call.position), known(items.length === 0 ? 'npfloat' : 'npint', 1)),
    ['initial'],
  ),
  mean: reduction('numpy.mean', (ev, items, inner, call) => ev.arrays.mean(items, inner, call.position)),
  var: reduction('numpy.var', (ev, items, inner, call, ddof) => ev.arrays.variance(items, inner, ddof, call.position), [
    'ddof',
  ]),
  std: reduction(
    'numpy.std',
    (ev, items, inner, call, ddof) => ev.ops.sqrt(ev.arrays.variance(items, inner, ddof, call.position), 'npfloat'),
    ['ddof'],
  ),
  any: reduction('numpy.any', (ev, items) => ev.arrays.any(items)),
  all: reduction('numpy.all', (ev, items) => ev.arrays.all(items)),
  count_nonzero: (ev: LibraryMachine, call: Call) => {
    const count = countNonzero(ev, call);
    // Of the whole array an int of Python in older versions, one of NumPy in newer ones.
    return count.tag === 'scalar' ? ev.ops.joined(ev.ops.retag(count, 'int'), count, count) : count;
  },
  ptp: reduction('numpy.ptp', (ev, items, _inner, call) =>
    ev.ops.binary('-', ev.arrays.extremum('max', items), ev.arrays.extremum('min', items), call.position),
  ),
  max: extremumReduction('max'),
  min: extremumReduction('min'),
  amax: extremumReduction('max'),
  amin: extremumReduction('min'),
  argmax: argReduction('max'),
  argmin: argReduction('min'),
  dot: (ev: LibraryMachine, call: Call) =>
    ev.arrays.dot(call.args[0], required('numpy.dot', call.args[1], call), call.position),
  vdot: (ev: LibraryMachine, call: Call) => {
    const flat = (v: Value): NdArray => {
      const a = ev.arrays.toArray(v, call.position);
      return ev.arrays.reshape(a, [-1], call.position);
    };
    return ev.arrays.dot(flat(call.args[0]), flat(required('numpy.vdot', call.args[1], call)), call.position);
  },
  inner: (ev: LibraryMachine, call: Call) => {
    const b = ev.arrays.toArray(required('numpy.inner', call.args[1], call), call.position);
    return ev.arrays.dot(call.args[0], ev.arrays.transpose(b), call.position);
  },
  matmul: (ev: LibraryMachine, call: Call) =>
    ev.arrays.matmul(call.args[0], required('numpy.matmul', call.args[1], call), call.position),
  outer: (ev: LibraryMachine, call: Call) => {
    const args = named('numpy.outer', call, ['a', 'b']);
    const [a, b] = [args.a, args.b].map((v) => ev.arrays.toArray(required('numpy.outer', v, call), call.position));
    const column = ev.arrays.reshape(a, [a.cells.length, 1], call.position);
    return ev.arrays.binary('*', column, ev.arrays.reshape(b, [b.cells.length], call.position), call.position);
  },
  array: makeArray(true),
  asarray: makeArray(false),
  asfarray: (ev: LibraryMachine, call: Call) =>
    astype(ev, ev.arrays.toArray(required('numpy.asfarray', call.args[0], call), call.position), 'npfloat', call),
  ascontiguousarray: makeArray(false),
  copy: makeArray(true),
  zeros: filled(0),
  ones: filled(1),
  empty: filled(0),
  zeros_like: filledLike(0),
  ones_like: filledLike(1),
  empty_like: filledLike(0),
  full: (ev: LibraryMachine, call: Call) => {
    const { shape, fill_value: fill, dtype } = named('numpy.full', call, ['shape', 'fill_value', 'dtype']);
    const value = scalar(ev, 'numpy.full', fill, call);
    const given = dtypeOf(dtype, call);
    const kind = given ?? toNumPyKind(value.kind);
    return ev.arrays.filled(
      shapeOf(ev, required('numpy.full', shape, call), call),
      kind,
      given === null ? value : ev.arrays.convert(value, kind, call.position),
      call.position,
    );
  },
  full_like: (ev: LibraryMachine, call: Call) => {
    const { a, fill_value: fill, dtype } = named('numpy.full_like', call, ['a', 'fill_value', 'dtype']);
    const array = ev.arrays.toArray(required('numpy.full_like', a, call), call.position);
    const given = dtypeOf(dtype, call);
    if (given === null) ev.arrays.refuseSometimesInt(array, call.position);
    const kind = given ?? array.kind;
    const value = ev.arrays.convert(scalar(ev, 'numpy.full_like', fill, call), kind, call.position);
    return ev.arrays.filled(array.shape, kind, value, call.position);
  },
  eye,
  identity: (ev: LibraryMachine, call: Call) => {
    const { n, dtype } = named('numpy.identity', call, ['n', 'dtype']);
    const keywords = new Map(dtype === undefined ? [] : [['dtype', dtype] as const]);
    return eye(ev, { ...call, args: [required('numpy.identity', n, call)], keywords });
  },
  arange,
  linspace,
  concatenate: (ev: LibraryMachine, call: Call) => {
    const args = named('numpy.concatenate', call, ['arrays', 'axis']);
    const arrays = sequenceOfArrays(ev, args.arrays, call, 'numpy.concatenate');
    if (args.axis?.tag === 'none')
      return ev.arrays.concatenate(
        arrays.map((a) => ev.arrays.flat(a)),
        0,
        call.position,
      );
    return ev.arrays.concatenate(arrays, axisOf(ev, args.axis, call) ?? 0, call.position);
  },
  hstack: (ev: LibraryMachine, call: Call) => {
    const arrays = sequenceOfArrays(ev, call.args[0], call, 'numpy.hstack').map((a) => atLeast(ev, a, 1, call));
    return ev.arrays.concatenate(arrays, arrays[0].shape.length === 1 ? 0 : 1, call.position);
  },
  vstack: (ev: LibraryMachine, call: Call) =>
    ev.arrays.concatenate(
      sequenceOfArrays(ev, call.args[0], call, 'numpy.vstack').map((a) => atLeast(ev, a, 2, call)),
      0,
      call.position,
    ),
  column_stack: (ev: LibraryMachine, call: Call) =>
    ev.arrays.concatenate(
      sequenceOfArrays(ev, call.args[0], call, 'numpy.column_stack').map((a) =>
        a.shape.length < 2 ? ev.arrays.reshape(a, [a.cells.length, 1], call.position) : a,
      ),
      1,
      call.position,
    ),
  stack,
  atleast_1d: (ev: LibraryMachine, call: Call) =>
    atLeast(ev, required('numpy.atleast_1d', call.args[0], call), 1, call),
  atleast_2d: (ev: LibraryMachine, call: Call) =>
    atLeast(ev, required('numpy.atleast_2d', call.args[0], call), 2, call),
  ravel: (ev: LibraryMachine, call: Call) => {
    const array = ev.arrays.toArray(required('numpy.ravel', call.args[0], call), call.position);
    return ev.arrays.ravel(array);
  },
  reshape: (ev: LibraryMachine, call: Call) => {
    const { a, shape } = named('numpy.reshape', call, ['a', 'shape']);
    const array = ev.arrays.toArray(required('numpy.reshape', a, call), call.position);
    return ev.arrays.reshape(array, reshapeSizes(ev, required('numpy.reshape', shape, call), call), call.position);
  },
  squeeze: (ev: LibraryMachine, call: Call) => {
    const { a } = named('numpy.squeeze', call, ['a']);
    const value = required('numpy.squeeze', a, call);
    // The method of a NumPy number gives the number.
    if (value.tag === 'scalar' && ev.ops.possibleKinds(value).every(isNumPyKind)) return value;
    const array = ev.arrays.toArray(value, call.position);
    return ev.arrays.reshape(
      array,
      array.shape.filter((n) => n !== 1),
      call.position,
    );
  },
  expand_dims: (ev: LibraryMachine, call: Call) => {
    const { a, axis } = named('numpy.expand_dims', call, ['a', 'axis']);
    const array = ev.arrays.toArray(required('numpy.expand_dims', a, call), call.position);
    const k = ev.items.staticInt(required('numpy.expand_dims', axis, call), call.position, 'an axis');
    const at = frontAxis(ev, k, array.shape.length + 1);
    return ev.arrays.reshape(array, [...array.shape.slice(0, at), 1, ...array.shape.slice(at)], call.position);
  },
  tril: triangle((r, c, k) => c - r <= k),
  triu: triangle((r, c, k) => c - r >= k),
  trace: (ev: LibraryMachine, call: Call) => {
    const { a, offset } = named('numpy.trace', call, ['a', 'offset']);
    const array = ev.arrays.toArray(required('numpy.trace', a, call), call.position);
    if (array.shape.length !== 2) throw new Unsupported('numpy.trace() of what is no matrix', call.position);
    const k = offset === undefined ? 0 : ev.items.staticInt(offset, call.position, 'a diagonal');
    return ev.arrays.sumLine(ev.arrays.items(diagonalOf(ev, array, k)), true, call.position);
  },
  polyval,
  ndim: (ev: LibraryMachine, call: Call) =>
    int(ev.arrays.toArray(required('numpy.ndim', call.args[0], call), call.position).shape.length),
  size: (ev: LibraryMachine, call: Call) =>
    int(ev.arrays.toArray(required('numpy.size', call.args[0], call), call.position).cells.length),
  shape: (ev: LibraryMachine, call: Call) =>
    tuple(ev.arrays.toArray(required('numpy.shape', call.args[0], call), call.position).shape.map(int)),
  array_equal: (ev: LibraryMachine, call: Call) => {
    const [a, b] = call.args.map((v) => ev.arrays.toArray(v, call.position));
    if (call.args.length !== 2 || call.keywords.size > 0)
      throw new Unsupported('numpy.array_equal() with more arguments', call.position);
    const isSame = a.shape.length === b.shape.length && a.shape.every((n, k) => n === b.shape[k]);
    if (!isSame) return known('bool', 0);
    const equal = ev.arrays.toArray(ev.operators.compare('==', a, b, call.position), call.position);
    return ev.ops.retag(ev.arrays.all(ev.arrays.items(equal)), 'bool');
  },
  copyto: (ev: LibraryMachine, call: Call) => {
    const { dst, src } = named('numpy.copyto', call, ['dst', 'src']);
    if (dst?.tag !== 'ndarray') throw new Unsupported('numpy.copyto() of anything but an array', call.position);
    ev.arrays.assignInPlace(dst, required('numpy.copyto', src, call), call.position);
    return NONE;
  },
  put: (ev: LibraryMachine, call: Call) => {
    const { a, ind, v } = named('numpy.put', call, ['a', 'ind', 'v']);
    if (a?.tag !== 'ndarray') throw new Unsupported('numpy.put() of anything but an array', call.position);
    const places = ev.arrays.items(ev.arrays.toArray(required('numpy.put', ind, call), call.position));
    const values = ev.arrays.items(ev.arrays.toArray(required('numpy.put', v, call), call.position));
    const flat = ev.arrays.flat(a);
    // Too few values are used again.
    places.forEach((place, k) => ev.stores.storeItem(flat, place, values[k % values.length], call.position));
    return NONE;
  },
  isscalar: (_ev: LibraryMachine, call: Call) =>
    known('bool', required('numpy.isscalar', call.args[0], call).tag === 'scalar' ? 1 : 0),
});

/** Other names of the same functions. */
const ALIASES: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  absolute: 'abs',
  asin: 'arcsin',
  acos: 'arccos',
  atan: 'arctan',
  atan2: 'arctan2',
  pow: 'power',
  conjugate: 'conj',
});

/** Sizes of a reshape, where -1 stands for the rest. */
export function reshapeSizes(ev: LibraryMachine, value: Value, call: Call): number[] {
  const sizes = shapeIn(ev, value, call);
  // Older versions take any negative size for the rest.
  if (sizes.some((n) => n < -1)) throw new Unsupported('a negative size', call.position);
  return sizes;
}

function shapeIn(ev: LibraryMachine, value: Value, call: Call): number[] {
  if (value.tag === 'none') throw new Unsupported('a shape that is None', call.position);
  if (value.tag === 'scalar') return [ev.items.staticInt(value, call.position, 'a shape')];
  return ev.sequences.iterate(value, call.position).map((v) => ev.items.staticInt(v, call.position, 'a shape'));
}

const CONSTANTS: Readonly<Record<string, Value | undefined>> = Object.assign(Object.create(null), {
  pi: float(Math.PI),
  e: float(Math.E),
  euler_gamma: float(0.5772156649015329),
  inf: float(Infinity),
  Inf: float(Infinity),
  infty: float(Infinity),
  nan: float(NaN),
  NaN: float(NaN),
  newaxis: NONE,
  // An object that gives back what it is indexed with.
  s_: { tag: 'module', path: 'numpy.s_' },
  ndarray: { tag: 'type', name: 'ndarray' },
  float64: { tag: 'type', name: 'float64' },
  double: { tag: 'type', name: 'float64' },
  complex128: { tag: 'type', name: 'complex128' },
  complex_: { tag: 'type', name: 'complex128' },
  cdouble: { tag: 'type', name: 'complex128' },
  complexfloating: { tag: 'type', name: 'complexfloating' },
  int64: { tag: 'type', name: 'int64' },
  int_: { tag: 'type', name: 'int64' },
  generic: { tag: 'type', name: 'generic' },
  number: { tag: 'type', name: 'number' },
  floating: { tag: 'type', name: 'floating' },
  integer: { tag: 'type', name: 'integer' },
  bool_: { tag: 'type', name: 'bool_' },
});

export function numpyMember(ev: LibraryMachine, name: string): Value | undefined {
  const constant = CONSTANTS[name];
  if (constant !== undefined) return constant;
  if (NUMPY[ALIASES[name] ?? name] === undefined) return undefined;
  return builtin(`numpy.${name}`, (call) => numpyCall(ev, name, call));
}

/** Calls a function of NumPy by its name. */
export function numpyCall(ev: LibraryMachine, name: string, call: Call): Value {
  const plain = ALIASES[name] ?? name;
  if (call.args.some((v) => v.tag === 'filtered' && !v.isGenerator)) {
    const args = call.args.map((v) => (v.tag === 'filtered' && !v.isGenerator ? maskedOf(ev, v, call.position) : v));
    return numpyCall(ev, name, { ...call, args });
  }
  const [first] = call.args;
  if (NARROW.has(plain) && call.args.length > 0 && call.args.every((value) => isOfTruth(ev, value, call))) {
    throw new Unsupported(
      `numpy.${name}() of truth values, which NumPy computes in numbers of fewer bits`,
      call.position,
    );
  }
  const made = first?.tag === 'masked' ? ofMasked(ev, plain, first, call) : null;
  if (made !== null) return made;
  const full = `numpy.${name}`;
  if (isComplexCall(call)) return lookingAtAll(full, call, (noted) => numpyComplex(ev, plain, noted));
  const found = NUMPY[plain];
  if (found === undefined) throw new Unsupported(`${full} is not translated`, call.position);
  const implementation: Implementation = (_, given) =>
    lookingAtAll(full, given, (noted) =>
      RAISING.has(plain) ? found(ev, noted) : notRaising(full, noted, () => found(ev, noted)),
    );
  if (first?.tag === 'ndarray' && ignoresOrder(plain, first)) {
    return implementation(ev, { ...call, args: [ev.arrays.withoutOrder(first), ...call.args.slice(1)] });
  }
  if (call.keywords.has('out') || call.keywords.has('where')) {
    const stored = ELEMENTWISE.has(plain) ? intoOut(ev, implementation, call) : null;
    if (stored !== null) return stored;
  }
  return implementation(ev, call);
}

const ORDERLESS = new Set([
  'max',
  'min',
  'amax',
  'amin',
  'ptp',
  'sort',
  'median',
  'any',
  'all',
  'count_nonzero',
  'unique',
]);

/** Whether a function of a vector gives the same in whatever order its elements are: a sum of two numbers does. */
const ignoresOrder = (name: string, { shape }: NdArray): boolean =>
  shape.length === 1 && (ORDERLESS.has(name) || (shape[0] <= 2 && ['sum', 'mean', 'prod'].includes(name)));

/** Functions of numbers that NumPy applies to each element. */
const ELEMENTWISE = new Set([
  ...['sin', 'cos', 'tan', 'arcsin', 'arccos', 'arctan', 'arctan2', 'sinh', 'cosh', 'tanh', 'exp', 'expm1', 'log'],
  ...['log2', 'log10', 'log1p', 'sqrt', 'square', 'abs', 'fabs', 'negative', 'floor', 'ceil', 'trunc', 'rint', 'sign'],
  ...['add', 'subtract', 'multiply', 'divide', 'true_divide', 'floor_divide', 'power', 'mod', 'remainder', 'fmod'],
  ...['maximum', 'minimum', 'fmax', 'fmin', 'hypot', 'copysign', 'reciprocal', 'clip'],
]);

/** What gives numbers: of truth values those of the smallest type, floats with eleven bits or integers with eight. */
const NARROW = new Set([
  ...['square', 'reciprocal', 'conjugate', 'conj', 'fmod'],
  ...['sin', 'cos', 'tan', 'arcsin', 'arccos', 'arctan', 'arctan2', 'sinh', 'cosh', 'tanh', 'arcsinh', 'arccosh'],
  ...['arctanh', 'exp', 'exp2', 'expm1', 'log', 'log2', 'log10', 'log1p', 'logaddexp', 'logaddexp2', 'sqrt', 'cbrt'],
  ...['fabs', 'floor', 'ceil', 'trunc', 'rint', 'round', 'round_', 'around', 'fix', 'deg2rad', 'rad2deg', 'degrees'],
  ...['radians', 'hypot', 'copysign', 'heaviside', 'nextafter', 'spacing', 'ldexp', 'frexp', 'modf'],
]);

/** Whether it is one truth value, or many, on some lanes at least. */
export function isOfTruth(ev: LibraryMachine, value: Value, call: Call): boolean {
  if (value.tag === 'scalar') return ev.ops.isSometimesBool(value);
  if (value.tag === 'ndarray' || value.tag === 'masked') return value.kind === 'npbool';
  if (value.tag !== 'list' && value.tag !== 'tuple') return false;
  const items = ev.sequences.iterate(value, call.position);
  return items.length > 0 && items.every((item) => isOfTruth(ev, item, call));
}

/** Functions of which it is known what they raise first where their arguments do not fit. */
const RAISING = new Set([
  ...[...ELEMENTWISE].filter((name) => name !== 'clip'),
  ...['sum', 'prod', 'mean', 'std', 'var', 'max', 'min', 'amax', 'amin', 'any', 'all', 'argmax', 'argmin', 'cumsum'],
  ...['dot', 'matmul', 'inner', 'concatenate', 'hstack', 'vstack', 'stack', 'column_stack', 'reshape', 'expand_dims'],
  ...['zeros', 'ones', 'full', 'eye', 'linspace', 'arange', 'where', 'transpose', 'cumprod'],
]);

const RAISING_LINALG = new Set(['cholesky', 'det', 'inv', 'slogdet', 'solve']);

/** `out=` and `where=`: the elements that are not chosen stay what they are. */
function intoOut(ev: LibraryMachine, implementation: Implementation, call: Call): Value | null {
  const { position } = call;
  const out = call.keywords.get('out');
  const where = call.keywords.get('where');
  const target = out?.tag === 'tuple' && out.items.length === 1 ? out.items[0] : out;
  const plain = { ...call, keywords: without(call.keywords, ['out', 'where']) };
  if (target?.tag !== 'ndarray') {
    if (where === undefined && (target === undefined || target.tag === 'none')) return implementation(ev, plain);
    // Elements that are not chosen are whatever was in memory.
    throw new Unsupported("the argument 'where' of a function of NumPy without 'out'", position);
  }
  const mask = where === undefined ? null : ev.arrays.toArray(where, position);
  const result = ev.arrays.toArray(implementation(ev, plain), position);
  if (mask === null) ev.arrays.assignInPlace(target, result, position);
  else {
    const chosen = ev.arrays.map(
      [mask, result, target],
      (m, p, q) => ev.ops.retag(ev.ops.select(ev.ops.truthScalar(m), p, q), target.kind),
      position,
      target.kind,
    );
    if (result.kind !== target.kind) throw new Unsupported("the argument 'out' of another type", position);
    ev.arrays.assignAll(target, chosen, position);
  }
  return target;
}

/** The method of an element-wise function: `np.add.reduce`. */
export function ufuncMethod(ev: LibraryMachine, path: string, name: string): Value | undefined {
  const ufunc = path.slice('numpy.'.length);
  const along = (reduced: string | undefined): Value | undefined =>
    reduced === undefined
      ? undefined
      : builtin(`${path}.${name}`, (call) => {
          required(`${path}.${name}`, call.args[0], call);
          const hasAxis = call.args.length > 1 || call.keywords.has('axis');
          const keywords = hasAxis ? call.keywords : new Map([...call.keywords, ['axis', int(0)]]);
          return numpyCall(ev, reduced, { ...call, keywords });
        });
  switch (name) {
    case 'reduce':
      return along(REDUCED[ufunc]);
    case 'accumulate':
      if (ufunc === 'maximum' || ufunc === 'minimum') {
        return builtin(`${path}.accumulate`, (call) => runningExtremum(ev, ufunc === 'maximum' ? 'max' : 'min', call));
      }
      return along({ add: 'cumsum', multiply: 'cumprod' }[ufunc]);
    case 'at':
      return builtin(`${path}.at`, (call) => {
        const [array, indices, value] = call.args;
        if (array?.tag !== 'ndarray' || array.shape.length !== 1 || indices === undefined || value === undefined)
          throw new Unsupported(`${path}.at() of anything but a vector`, call.position);
        const places = ev.arrays.items(ev.arrays.toArray(indices, call.position));
        const values = ev.arrays.toArray(value, call.position);
        const shape = ev.arrays.broadcastShape(values.shape, [places.length]);
        if (shape.length !== 1 || shape[0] !== places.length) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
        const items = ev.arrays.broadcastTo(values, shape);
        // One after the other: a place may occur more than once.
        places.forEach((place, k) => {
          const old = ev.items.subscript(array, place, call.position);
          const args = [old, ev.cells.readCell(items[k], call.position)];
          ev.stores.storeItem(array, place, numpyCall(ev, ufunc, { ...call, args }), call.position);
        });
        return NONE;
      });
    case 'outer':
      return builtin(`${path}.outer`, (call) => {
        const args = named(`${path}.outer`, call, ['A', 'B']);
        const [a, b] = [args.A, args.B].map((v) =>
          ev.arrays.toArray(required(`${path}.outer`, v, call), call.position),
        );
        const left = ev.arrays.reshape(a, [...a.shape, ...b.shape.map(() => 1)], call.position);
        return numpyCall(ev, ufunc, { ...call, args: [left, b] });
      });
    default:
      return undefined;
  }
}

const REDUCED: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  add: 'sum',
  multiply: 'prod',
  maximum: 'max',
  minimum: 'min',
  fmax: 'nanmax',
  fmin: 'nanmin',
  logical_and: 'all',
  logical_or: 'any',
});

export function numpyLinalgMember(ev: LibraryMachine, name: string): Value | undefined {
  const implementation = LINALG[name];
  if (implementation === undefined) return undefined;
  return builtin(`numpy.linalg.${name}`, (call) => {
    const [first] = call.args;
    const made = first?.tag === 'masked' ? ofMasked(ev, `linalg.${name}`, first, call) : null;
    if (made !== null) return made;
    const isOfComplex = isComplexCall(call);
    const full = `numpy.linalg.${name}`;
    return lookingAtAll(full, call, (noted) => {
      const run = (): Value => (isOfComplex ? numpyComplex(ev, `linalg.${name}`, noted) : implementation(ev, noted));
      return RAISING_LINALG.has(name) ? run() : notRaising(full, noted, run);
    });
  });
}

/** `np.float64(v)`, `np.int64(v)`: conversions. */
export function convertTo(ev: LibraryMachine, name: string, call: Call): Value {
  const kinds: Record<string, ArrayKind | undefined> = { float64: 'npfloat', int64: 'npint', bool_: 'npbool' };
  const kind = kinds[name];
  const [value] = call.args;
  if (name === 'complex128' && call.args.length > 0) {
    const made = ev.calls.called(ev.calls.builtin('complex', call.position), call);
    return made.tag === 'complex' ? ev.complex.make(ev.complex.pair(made), true) : made;
  }
  if (kind === undefined || value === undefined) throw new Unsupported(`calling ${name}`, call.position);
  if (value.tag === 'scalar') {
    // Of its own floats NumPy makes some integer where they are not finite; Python's raise.
    const isNumPys = value.kind === 'npfloat' || ev.ops.isUncertain(value);
    return isNumPys ? ev.arrays.cast(value, kind, call.position) : ev.arrays.convert(value, kind, call.position);
  }
  return astype(ev, ev.arrays.toArray(value, call.position), kind, call);
}
