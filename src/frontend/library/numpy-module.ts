/** NumPy: functions of the module; `attributes.ts` maps array methods to the same implementations. */
import { LaneStatus } from '../../ir/types.js';
import { frontAxis } from '../arrays/axes.js';
import { copySign, signed } from '../arrays/floats.js';
import { maskedOf, ofMasked } from '../arrays/masked.js';
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
  type Value,
} from '../values/values.js';
import { axisOf, builtin, lookingAtAll, named, notRaising, required, scalar } from './arguments.js';
import { astype, dtypeOf } from './dtypes.js';
import type { LibraryMachine } from './library-machine.js';
import { NUMPY_ANALYSIS } from './numpy-analysis.js';
import { runningExtremum } from './numpy-calculus.js';
import { interp, polyval, select, where } from './numpy-choosing.js';
import { isComplexCall, numpyComplex } from './numpy-complex.js';
import {
  binary,
  clip,
  comparison,
  extremum,
  intoOut,
  intoPair,
  mathematics,
  nanExtremum,
  operator,
  round,
  rounding,
  sign,
  unary,
} from './numpy-elementwise.js';
import { LINALG } from './numpy-linalg.js';
import {
  arange,
  atLeast,
  eye,
  filled,
  filledLike,
  linspace,
  makeArray,
  shapeOf,
  stack,
  triangle,
} from './numpy-making.js';
import {
  argReduction,
  countNonzero,
  extremumReduction,
  productReduction,
  reduction,
  sumReduction,
} from './numpy-reductions.js';
import {
  METHOD,
  NARROW,
  NARROW_UFUNC,
  RAISES,
  row,
  TAKES_OUT,
  UFUNC,
  type Implementation,
  type NumPyFunction,
  type Traits,
} from './numpy-row.js';
import { diagonalOf, NUMPY_SHAPE, sequenceOfArrays } from './numpy-shape.js';
import { table, type Table } from '../values/table.js';

export const NUMPY: Table<NumPyFunction> = table({
  ...NUMPY_SHAPE,
  ...NUMPY_ANALYSIS,
  sin: mathematics('sin'),
  cos: mathematics('cos'),
  tan: mathematics('tan'),
  arcsin: mathematics('asin'),
  arccos: mathematics('acos'),
  arctan: mathematics('atan'),
  arctan2: row(
    binary((ev, a, b) => ev.ops.math('atan2', 'npfloat', a, b), 'npfloat'),
    NARROW_UFUNC,
  ),
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
  hypot: row(
    binary((ev, a, b) => ev.ops.math('hypot', 'npfloat', a, b), 'npfloat'),
    NARROW_UFUNC,
  ),
  sqrt: row(
    unary((ev, s) => ev.ops.sqrt(ev.ops.retag(s, 'npfloat'), 'npfloat'), 'npfloat'),
    NARROW_UFUNC,
  ),
  square: row(
    unary((ev, s, call) => ev.ops.binary('*', s, s, call.position)),
    NARROW_UFUNC,
  ),
  abs: row(
    unary((ev, s) => ev.ops.abs(s)),
    UFUNC,
  ),
  fabs: row(
    unary((ev, s) => ev.ops.abs(ev.ops.retag(s, 'npfloat')), 'npfloat'),
    NARROW_UFUNC,
  ),
  negative: row(
    unary((ev, s) => ev.ops.negate(s)),
    UFUNC,
  ),
  positive: row(
    unary((ev, s) => (s.kind === 'npbool' ? ev.ops.raise(LaneStatus.Raised, 'TypeError') : s)),
    TAKES_OUT,
  ),
  reciprocal: row(
    unary((ev, s, call) => {
      if (isIntKind(s.kind)) throw new Unsupported('numpy.reciprocal() of integers', call.position);
      return ev.ops.binary('/', known('npfloat', 1), s, call.position);
    }),
    NARROW_UFUNC,
  ),
  floor: row(rounding('floor'), NARROW_UFUNC),
  ceil: row(rounding('ceil'), NARROW_UFUNC),
  trunc: row(rounding('trunc'), NARROW_UFUNC),
  fix: row(rounding('trunc'), NARROW),
  rint: row(rounding('rint'), NARROW_UFUNC),
  round: row(round, { method: true, narrow: true }),
  around: row(round, NARROW),
  sign: row(
    unary((ev, s) => sign(ev, s)),
    UFUNC,
  ),
  deg2rad: row(
    unary((ev, s, call) => ev.ops.binary('*', s, known('npfloat', Math.PI / 180), call.position), 'npfloat'),
    { elementwise: true, narrow: true },
  ),
  radians: row(
    unary((ev, s, call) => ev.ops.binary('*', s, known('npfloat', Math.PI / 180), call.position), 'npfloat'),
    { elementwise: true, narrow: true },
  ),
  rad2deg: row(
    unary((ev, s, call) => ev.ops.binary('*', s, known('npfloat', 180 / Math.PI), call.position), 'npfloat'),
    { elementwise: true, narrow: true },
  ),
  degrees: row(
    unary((ev, s, call) => ev.ops.binary('*', s, known('npfloat', 180 / Math.PI), call.position), 'npfloat'),
    { elementwise: true, narrow: true },
  ),
  add: row(operator('+'), UFUNC),
  subtract: row(operator('-'), UFUNC),
  multiply: row(operator('*'), UFUNC),
  divide: row(operator('/'), UFUNC),
  true_divide: row(operator('/'), UFUNC),
  floor_divide: row(operator('//'), UFUNC),
  power: row(operator('**'), UFUNC),
  float_power: row(
    binary((ev, a, b, call) => ev.ops.binary('**', ev.ops.retag(a, 'npfloat'), b, call.position), 'npfloat'),
    TAKES_OUT,
  ),
  mod: row(operator('%'), UFUNC),
  remainder: row(operator('%'), UFUNC),
  fmod: row(
    binary((ev, a, b) => {
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
    NARROW_UFUNC,
  ),
  maximum: row(extremum('max'), UFUNC),
  minimum: row(extremum('min'), UFUNC),
  fmax: row(nanExtremum('max'), UFUNC),
  fmin: row(nanExtremum('min'), UFUNC),
  copysign: row(
    binary((ev, a, b) => copySign(ev, ev.ops.retag(a, 'npfloat'), signed(ev, b)), 'npfloat'),
    NARROW_UFUNC,
  ),
  heaviside: row(
    binary((ev, a, b) => {
      const { ops } = ev;
      const step = ops.select(ops.compare('<', a, int(0)), known('npfloat', 0), known('npfloat', 1));
      const value = ops.select(ops.isZero(a), ops.retag(b, 'npfloat'), step);
      return ops.select(ops.isNaN(a), ops.retag(a, 'npfloat'), value);
    }, 'npfloat'),
    { elementwise: true, narrow: true },
  ),
  isnan: row(
    unary((ev, s) => ev.ops.isNaN(s), 'npbool'),
    TAKES_OUT,
  ),
  isinf: row(
    unary((ev, s) => ev.ops.isInf(s), 'npbool'),
    TAKES_OUT,
  ),
  isfinite: row(
    unary((ev, s) => ev.ops.isFinite(s), 'npbool'),
    TAKES_OUT,
  ),
  signbit: row(
    unary((ev, s) => ev.ops.signBit(signed(ev, s)), 'npbool'),
    TAKES_OUT,
  ),
  equal: row(comparison('=='), TAKES_OUT),
  not_equal: row(comparison('!='), TAKES_OUT),
  less: row(comparison('<'), TAKES_OUT),
  less_equal: row(comparison('<='), TAKES_OUT),
  greater: row(comparison('>'), TAKES_OUT),
  greater_equal: row(comparison('>='), TAKES_OUT),
  logical_and: row(
    binary((ev, a, b) => ev.ops.and(ev.ops.truthScalar(a), ev.ops.truthScalar(b)), 'npbool'),
    TAKES_OUT,
  ),
  logical_or: row(
    binary((ev, a, b) => ev.ops.or(ev.ops.truthScalar(a), ev.ops.truthScalar(b)), 'npbool'),
    TAKES_OUT,
  ),
  logical_not: row(
    unary((ev, s) => ev.ops.not(s), 'npbool'),
    TAKES_OUT,
  ),
  where: row(where, RAISES),
  select,
  interp,
  clip: row(clip, { method: true, elementwise: true }),
  sum: row(sumReduction, { method: true, raises: true, orderless: 'of pairs' }),
  prod: row(productReduction, { method: true, raises: true, orderless: 'of pairs' }),
  mean: row(
    reduction('numpy.mean', {
      parameters: ['dtype', 'out', 'keepdims'],
      rolled: 'mean',
      line: (ev, items, { inner, call }) => ev.arrays.mean(items, inner, call.position),
    }),
    { method: true, raises: true, orderless: 'of pairs' },
  ),
  var: row(
    reduction('numpy.var', {
      parameters: ['dtype', 'out', 'keepdims', 'ddof'],
      rolled: 'var',
      line: (ev, items, { inner, ddof, call }) => ev.arrays.variance(items, inner, ddof, call.position),
    }),
    { method: true, raises: true },
  ),
  std: row(
    reduction('numpy.std', {
      parameters: ['dtype', 'out', 'keepdims', 'ddof'],
      rolled: 'std',
      line: (ev, items, { inner, ddof, call }) =>
        ev.ops.sqrt(ev.arrays.variance(items, inner, ddof, call.position), 'npfloat'),
    }),
    { method: true, raises: true },
  ),
  any: row(
    reduction('numpy.any', {
      parameters: ['out', 'keepdims'],
      rolled: 'any',
      line: (ev, items) => ev.arrays.any(items),
    }),
    { method: true, raises: true, orderless: 'always' },
  ),
  all: row(
    reduction('numpy.all', {
      parameters: ['out', 'keepdims'],
      rolled: 'all',
      line: (ev, items) => ev.arrays.all(items),
    }),
    { method: true, raises: true, orderless: 'always' },
  ),
  count_nonzero: row(
    (ev, call) => {
      const count = countNonzero(ev, call);
      // Of the whole array an int of Python in older versions, one of NumPy in newer ones.
      return count.tag === 'scalar' ? ev.ops.joined(ev.ops.retag(count, 'int'), count, count) : count;
    },
    { orderless: 'always' },
  ),
  ptp: row(
    reduction('numpy.ptp', {
      parameters: ['out', 'keepdims'],
      line: (ev, items, { call }) =>
        ev.ops.binary('-', ev.arrays.extremum('max', items), ev.arrays.extremum('min', items), call.position),
    }),
    { method: true, orderless: 'always' },
  ),
  max: row(extremumReduction('max'), { method: true, raises: true, orderless: 'always' }),
  min: row(extremumReduction('min'), { method: true, raises: true, orderless: 'always' }),
  amax: row(extremumReduction('max'), { raises: true, orderless: 'always' }),
  amin: row(extremumReduction('min'), { raises: true, orderless: 'always' }),
  argmax: row(argReduction('max'), { method: true, raises: true }),
  argmin: row(argReduction('min'), { method: true, raises: true }),
  dot: row((ev, call) => ev.arrays.dot(call.args[0], required('numpy.dot', call.args[1], call), call.position), {
    method: true,
    raises: true,
  }),
  vdot: (ev, call) => {
    const flat = (v: Value): NdArray => {
      const a = ev.arrays.toArray(v, call.position);
      return ev.arrays.reshape(a, [-1], call.position);
    };
    return ev.arrays.dot(flat(call.args[0]), flat(required('numpy.vdot', call.args[1], call)), call.position);
  },
  inner: row((ev, call) => {
    const b = ev.arrays.toArray(required('numpy.inner', call.args[1], call), call.position);
    return ev.arrays.dot(call.args[0], ev.arrays.transpose(b), call.position);
  }, RAISES),
  matmul: row(
    (ev, call) => ev.arrays.matmul(call.args[0], required('numpy.matmul', call.args[1], call), call.position),
    RAISES,
  ),
  outer: (ev, call) => {
    const args = named('numpy.outer', call, ['a', 'b']);
    const [a, b] = [args.a, args.b].map((v) => ev.arrays.toArray(required('numpy.outer', v, call), call.position));
    const column = ev.arrays.reshape(a, [a.cells.length, 1], call.position);
    return ev.arrays.binary('*', column, ev.arrays.reshape(b, [b.cells.length], call.position), call.position);
  },
  array: makeArray(true),
  asarray: makeArray(false),
  asfarray: (ev, call) =>
    astype(ev, ev.arrays.toArray(required('numpy.asfarray', call.args[0], call), call.position), 'npfloat', call),
  ascontiguousarray: makeArray(false),
  copy: makeArray(true),
  zeros: row(filled(0), RAISES),
  ones: row(filled(1), RAISES),
  empty: filled(0),
  zeros_like: filledLike(0),
  ones_like: filledLike(1),
  empty_like: filledLike(0),
  full: row((ev, call) => {
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
  }, RAISES),
  full_like: (ev, call) => {
    const { a, fill_value: fill, dtype } = named('numpy.full_like', call, ['a', 'fill_value', 'dtype']);
    const array = ev.arrays.toArray(required('numpy.full_like', a, call), call.position);
    const given = dtypeOf(dtype, call);
    if (given === null) ev.arrays.refuseSometimesInt(array, call.position);
    const kind = given ?? array.kind;
    const value = ev.arrays.convert(scalar(ev, 'numpy.full_like', fill, call), kind, call.position);
    return ev.arrays.filled(array.shape, kind, value, call.position);
  },
  eye: row(eye, RAISES),
  identity: (ev, call) => {
    const { n, dtype } = named('numpy.identity', call, ['n', 'dtype']);
    const keywords = new Map(dtype === undefined ? [] : [['dtype', dtype] as const]);
    return eye(ev, { ...call, args: [required('numpy.identity', n, call)], keywords });
  },
  arange: row(arange, RAISES),
  linspace: row(linspace, RAISES),
  concatenate: row((ev, call) => {
    const args = named('numpy.concatenate', call, ['arrays', 'axis']);
    const arrays = sequenceOfArrays(ev, args.arrays, call, 'numpy.concatenate');
    if (args.axis?.tag === 'none')
      return ev.arrays.concatenate(
        arrays.map((a) => ev.arrays.flat(a)),
        0,
        call.position,
      );
    return ev.arrays.concatenate(arrays, axisOf(ev, args.axis, call) ?? 0, call.position);
  }, RAISES),
  hstack: row((ev, call) => {
    const arrays = sequenceOfArrays(ev, call.args[0], call, 'numpy.hstack').map((a) => atLeast(ev, a, 1, call));
    return ev.arrays.concatenate(arrays, arrays[0].shape.length === 1 ? 0 : 1, call.position);
  }, RAISES),
  vstack: row(
    (ev, call) =>
      ev.arrays.concatenate(
        sequenceOfArrays(ev, call.args[0], call, 'numpy.vstack').map((a) => atLeast(ev, a, 2, call)),
        0,
        call.position,
      ),
    RAISES,
  ),
  column_stack: row(
    (ev, call) =>
      ev.arrays.concatenate(
        sequenceOfArrays(ev, call.args[0], call, 'numpy.column_stack').map((a) =>
          a.shape.length < 2 ? ev.arrays.reshape(a, [a.cells.length, 1], call.position) : a,
        ),
        1,
        call.position,
      ),
    RAISES,
  ),
  stack: row(stack, RAISES),
  atleast_1d: (ev, call) => atLeast(ev, required('numpy.atleast_1d', call.args[0], call), 1, call),
  atleast_2d: (ev, call) => atLeast(ev, required('numpy.atleast_2d', call.args[0], call), 2, call),
  ravel: row((ev, call) => {
    const array = ev.arrays.toArray(required('numpy.ravel', call.args[0], call), call.position);
    return ev.arrays.ravel(array);
  }, METHOD),
  reshape: row((ev, call) => {
    const { a, shape } = named('numpy.reshape', call, ['a', 'shape']);
    const array = ev.arrays.toArray(required('numpy.reshape', a, call), call.position);
    return ev.arrays.reshape(array, reshapeSizes(ev, required('numpy.reshape', shape, call), call), call.position);
  }, RAISES),
  squeeze: row((ev, call) => {
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
  }, METHOD),
  expand_dims: row((ev, call) => {
    const { a, axis } = named('numpy.expand_dims', call, ['a', 'axis']);
    const array = ev.arrays.toArray(required('numpy.expand_dims', a, call), call.position);
    const k = ev.items.staticInt(required('numpy.expand_dims', axis, call), call.position, 'an axis');
    const at = frontAxis(ev, k, array.shape.length + 1);
    return ev.arrays.reshape(array, [...array.shape.slice(0, at), 1, ...array.shape.slice(at)], call.position);
  }, RAISES),
  tril: triangle((r, c, k) => c - r <= k),
  triu: triangle((r, c, k) => c - r >= k),
  trace: row((ev, call) => {
    const { a, offset } = named('numpy.trace', call, ['a', 'offset']);
    const array = ev.arrays.toArray(required('numpy.trace', a, call), call.position);
    if (array.shape.length !== 2) throw new Unsupported('numpy.trace() of what is no matrix', call.position);
    const k = offset === undefined ? 0 : ev.items.staticInt(offset, call.position, 'a diagonal');
    return ev.arrays.sumLine(ev.arrays.items(diagonalOf(ev, array, k)), true, call.position);
  }, METHOD),
  polyval,
  ndim: (ev, call) => int(ev.arrays.toArray(required('numpy.ndim', call.args[0], call), call.position).shape.length),
  size: (ev, call) => int(ev.arrays.toArray(required('numpy.size', call.args[0], call), call.position).cells.length),
  shape: (ev, call) =>
    tuple(ev.arrays.toArray(required('numpy.shape', call.args[0], call), call.position).shape.map(int)),
  array_equal: (ev, call) => {
    const [a, b] = call.args.map((v) => ev.arrays.toArray(v, call.position));
    if (call.args.length !== 2 || call.keywords.size > 0)
      throw new Unsupported('numpy.array_equal() with more arguments', call.position);
    const isSame = a.shape.length === b.shape.length && a.shape.every((n, k) => n === b.shape[k]);
    if (!isSame) return known('bool', 0);
    const equal = ev.arrays.toArray(ev.operators.compare('==', a, b, call.position), call.position);
    return ev.ops.retag(ev.arrays.all(ev.arrays.items(equal)), 'bool');
  },
  copyto: (ev, call) => {
    const { dst, src } = named('numpy.copyto', call, ['dst', 'src']);
    if (dst?.tag !== 'ndarray') throw new Unsupported('numpy.copyto() of anything but an array', call.position);
    ev.arrays.assignInPlace(dst, required('numpy.copyto', src, call), call.position);
    return NONE;
  },
  put: (ev, call) => {
    const { a, ind, v } = named('numpy.put', call, ['a', 'ind', 'v']);
    if (a?.tag !== 'ndarray') throw new Unsupported('numpy.put() of anything but an array', call.position);
    const places = ev.arrays.items(ev.arrays.toArray(required('numpy.put', ind, call), call.position));
    const values = ev.arrays.items(ev.arrays.toArray(required('numpy.put', v, call), call.position));
    const flat = ev.arrays.flat(a);
    // Too few values are used again.
    places.forEach((place, k) => ev.stores.storeItem(flat, place, values[k % values.length], call.position));
    return NONE;
  },
  isscalar: (_ev, call) => known('bool', required('numpy.isscalar', call.args[0], call).tag === 'scalar' ? 1 : 0),
});

/** Other names of the same functions. */
const ALIASES: Table<string> = table({
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

const CONSTANTS: Table<Value> = table({
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
  const found = NUMPY[plain];
  const traits = found?.traits ?? {};
  if (traits.narrow === true && call.args.length > 0 && call.args.every((value) => isOfTruth(ev, value, call))) {
    throw new Unsupported(
      `numpy.${name}() of truth values, which NumPy computes in numbers of fewer bits`,
      call.position,
    );
  }
  const made = first?.tag === 'masked' ? ofMasked(ev, plain, first, call) : null;
  if (made !== null) return made;
  const full = `numpy.${name}`;
  if (isComplexCall(call)) return lookingAtAll(full, call, (noted) => numpyComplex(ev, plain, noted));
  if (found === undefined) throw new Unsupported(`${full} is not translated`, call.position);
  const implementation: Implementation = (_, given) =>
    lookingAtAll(full, given, (noted) =>
      traits.raises === true ? found(ev, noted) : notRaising(full, noted, () => found(ev, noted)),
    );
  if (first?.tag === 'ndarray' && ignoresOrder(traits, first)) {
    return implementation(ev, { ...call, args: [ev.arrays.withoutOrder(first), ...call.args.slice(1)] });
  }
  if (traits.elementwise === true && (call.keywords.has('out') || call.keywords.has('where')))
    return traits.pair === true ? intoPair(ev, implementation, call) : intoOut(ev, implementation, call);
  return implementation(ev, call);
}

/** Whether a function of a vector gives the same in whatever order its elements are: a sum of two numbers does. */
const ignoresOrder = ({ orderless }: Traits, { shape }: NdArray): boolean =>
  shape.length === 1 && (orderless === 'always' || (orderless === 'of pairs' && shape[0] <= 2));

/** Whether it is one truth value, or many, on some lanes at least. */
export function isOfTruth(ev: LibraryMachine, value: Value, call: Call): boolean {
  if (value.tag === 'scalar') return ev.ops.isSometimesBool(value);
  if (value.tag === 'ndarray' || value.tag === 'masked') return value.kind === 'npbool';
  if (value.tag !== 'list' && value.tag !== 'tuple') return false;
  const items = ev.sequences.iterate(value, call.position);
  return items.length > 0 && items.every((item) => isOfTruth(ev, item, call));
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

const REDUCED: Table<string> = table({
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
      return implementation.traits?.raises === true ? run() : notRaising(full, noted, run);
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
