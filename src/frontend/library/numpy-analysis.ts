/** NumPy: order statistics, sums along axes, calculus on samples, small tensor products, piecewise functions. */
import { LaneStatus } from '../../ir/types.js';
import { copySign, nextAfter, npfloat, type Elementwise } from '../arrays/floats.js';
import {
  bool,
  int,
  isBoolKind,
  isIntKind,
  known,
  NONE,
  toNumPyKind,
  tuple,
  Unsupported,
  type ArrayKind,
  type Call,
  type Scalar,
  type Value,
} from '../values/values.js';
import { flag, named, required, scalar } from './arguments.js';
import type { LibraryMachine } from './library-machine.js';
import { applyAlongAxis, piecewise, vectorize } from './numpy-applying.js';
import { range, vectorOf } from './numpy-axes.js';
import { convolve, cross, cumulative, diff, einsum, gradient, tensordot, trapezoid } from './numpy-calculus.js';
import { argwhere, bincount, digitize, isIn, nonzero, searchsorted, unique } from './numpy-places.js';
import { arrayOf } from './numpy-shape.js';
import {
  argpartition,
  argsort,
  average,
  covariance,
  median,
  nanExtremum,
  nanMean,
  nanVariance,
  partition,
  quantiles,
  sort,
  withoutNaN,
} from './numpy-statistics.js';
import { reasonForMember } from './reasons.js';
import { typeObjectName } from './types.js';
import { METHOD, RAISES, TAKES_OUT, row, type NumPyFunction, type Implementation } from './numpy-row.js';

function elementwise(name: string, arity: number, fn: Elementwise, kind?: ArrayKind): Implementation {
  return (ev, call) => {
    const names = ['x1', 'x2'].slice(0, arity);
    const args = named(`numpy.${name}`, call, names);
    return ev.arrays.map(
      names.map((n) => required(`numpy.${name}`, args[n], call)),
      (...s) => fn(ev, call, ...s),
      call.position,
      kind,
    );
  };
}

function isClose(ev: LibraryMachine, call: Call): Value {
  const args = named('numpy.isclose', call, ['a', 'b', 'rtol', 'atol', 'equal_nan']);
  const operands = [args.a, args.b, args.rtol ?? npfloat(1e-5), args.atol ?? npfloat(1e-8)];
  const equalNaN = flag(args.equal_nan, false, call);
  const { ops } = ev;
  return ev.arrays.map(
    operands.map((v) => required('numpy.isclose', v, call)),
    (a, b, rtol, atol) => {
      const distance = ops.abs(ops.binary('-', ops.retag(a, 'npfloat'), b, call.position));
      const slack = ops.binary('+', atol, ops.binary('*', rtol, ops.abs(b), call.position), call.position);
      const finite = ops.and(ops.isFinite(a), ops.isFinite(b));
      const close = ops.select(finite, ops.compare('<=', distance, slack), ops.compare('==', a, b));
      const both = ops.and(ops.isNaN(a), ops.isNaN(b));
      return ops.retag(equalNaN ? ops.or(close, both) : close, 'npbool');
    },
    call.position,
    'npbool',
  );
}

const logAddExp: Elementwise = (ev, { position }, x, y) => {
  const { ops } = ev;
  const difference = ops.binary('-', ops.retag(x, 'npfloat'), y, position);
  const far = (d: Scalar, s: Scalar): Scalar =>
    ops.binary('+', s, ops.math('log1p', 'npfloat', ops.math('exp', 'npfloat', d)), position);
  const below = far(difference, y);
  const above = far(ops.negate(difference), x);
  const apart = ops.select(
    ops.compare('>', difference, int(0)),
    above,
    ops.select(ops.isNaN(difference), difference, below),
  );
  const equal = ops.binary('+', ops.retag(x, 'npfloat'), npfloat(Math.LN2), position);
  return ops.retag(ops.select(ops.compare('==', x, y), equal, apart), 'npfloat');
};

const sinc: Elementwise = (ev, { position }, x) => {
  const { ops } = ev;
  const shifted = ops.select(ops.isZero(x), npfloat(1e-20), ops.retag(x, 'npfloat'));
  const y = ops.binary('*', npfloat(Math.PI), shifted, position);
  return ops.binary('/', ops.math('sin', 'npfloat', y), y, position);
};

/** The distance to the next number away from zero, with the sign of x. */
const spacing: Elementwise = (ev, call, x) => {
  const { ops } = ev;
  const s = ops.retag(x, 'npfloat');
  const away = nextAfter(ev, call, s, copySign(ev, npfloat(Infinity), s));
  const distance = ops.binary('-', away, s, call.position);
  const finite = ops.select(ops.isZero(s), npfloat(5e-324), distance);
  return ops.retag(ops.select(ops.isInf(s), npfloat(NaN), finite), 'npfloat');
};

/** Both parts with the sign of x. */
function modf(ev: LibraryMachine, call: Call): Value {
  const { x } = named('numpy.modf', call, ['x']);
  const value = required('numpy.modf', x, call);
  const { ops } = ev;
  const sign = (magnitude: Scalar, s: Scalar): Scalar => copySign(ev, magnitude, s);
  const fraction = ev.arrays.map(
    [value],
    (v) => {
      const s = ops.retag(v, 'npfloat');
      const rest = ops.binary('-', s, ops.rounding('trunc', s, 'npfloat'), call.position);
      return sign(ops.select(ops.isInf(s), npfloat(0), rest), s);
    },
    call.position,
    'npfloat',
  );
  const whole = ev.arrays.map(
    [value],
    (v) => ops.rounding('trunc', ops.retag(v, 'npfloat'), 'npfloat'),
    call.position,
    'npfloat',
  );
  return tuple([fraction, whole]);
}

function polyder(ev: LibraryMachine, call: Call): Value {
  const { p } = named('numpy.polyder', call, ['p']);
  const items = ev.arrays.items(vectorOf(ev, 'polyder', p, call));
  const n = items.length - 1;
  const derived = items.slice(0, n).map((c, k) => ev.ops.binary('*', c, known('npint', n - k), call.position));
  return ev.arrays.make([derived.length], toNumPyKind(derived[0]?.kind ?? 'npfloat'), derived);
}

function polyint(ev: LibraryMachine, call: Call): Value {
  const { p } = named('numpy.polyint', call, ['p']);
  const items = ev.arrays.items(vectorOf(ev, 'polyint', p, call));
  const n = items.length;
  const whole = items.map((c, k) =>
    ev.ops.binary('/', ev.ops.retag(c, 'npfloat'), known('npint', n - k), call.position),
  );
  return ev.arrays.make([n + 1], 'npfloat', [...whole, npfloat(0)]);
}

function logspace(ev: LibraryMachine, call: Call): Value {
  const base = call.keywords.get('base') ?? npfloat(10);
  const keywords = new Map([...call.keywords].filter(([key]) => key !== 'base'));
  const exponents = ev.calls.numpy('linspace', { ...call, keywords });
  return ev.calls.numpy('power', {
    ...call,
    args: [ev.ops.retag(scalar(ev, 'numpy.logspace', base, call), 'npfloat'), exponents],
    keywords: new Map(),
  });
}

function matrixPower(ev: LibraryMachine, call: Call): Value {
  const [a, n] = call.args;
  const array = arrayOf(ev, 'linalg.matrix_power', a, call);
  const power = ev.items.staticInt(required('numpy.linalg.matrix_power', n, call), call.position, 'a power');
  if (array.shape.length !== 2 || array.shape[0] !== array.shape[1])
    return ev.ops.raise(LaneStatus.Raised, 'numpy.linalg.LinAlgError');
  if (power < 0 || power > 64) throw new Unsupported('a power of a matrix below 0 or above 64', call.position);
  if (power === 0) return ev.calls.numpy('eye', { ...call, args: [int(array.shape[0])], keywords: new Map() });
  let result: Value = array;
  for (let k = 1; k < power; k++) result = ev.arrays.dot(result, array, call.position);
  return power === 1 ? ev.arrays.copy(array) : result;
}

/** Lower triangle L with L Lᵀ = A, reading the lower triangle only. */
function cholesky(ev: LibraryMachine, call: Call): Value {
  const matrix = ev.arrays.ofKind(arrayOf(ev, 'linalg.cholesky', call.args[0], call), 'npfloat', call.position);
  const [n, m] = matrix.shape;
  if (matrix.shape.length !== 2 || n !== m) return ev.ops.raise(LaneStatus.Raised, 'numpy.linalg.LinAlgError');
  if (n > 12) throw new Unsupported('linear algebra beyond 12 x 12', call.position);
  const { ops } = ev;
  const a = ev.arrays.items(matrix);
  const lower: Scalar[][] = [];
  ev.work.step(call.position, n * n * n);
  for (let i = 0; i < n; i++) {
    lower.push([]);
    for (let j = 0; j <= i; j++) {
      let sum = a[i * n + j];
      for (let k = 0; k < j; k++) {
        sum = ops.binary('-', sum, ops.binary('*', lower[i][k], lower[j][k], call.position), call.position);
      }
      if (i === j) {
        // Not positive definite: LinAlgError; near zero, rounding decides, and NaN is none.
        ops.check(ops.not(ops.compare('>', sum, npfloat(0))), LaneStatus.Untranslated);
        lower[i].push(ops.sqrt(sum, 'npfloat'));
      } else lower[i].push(ops.binary('/', sum, lower[j][j], call.position));
    }
  }
  const items = range(n * n).map((k) => lower[Math.floor(k / n)][k % n] ?? npfloat(0));
  return ev.arrays.make([n, n], 'npfloat', items);
}

const refused =
  (reason: string): Implementation =>
  (_ev, call) => {
    throw new Unsupported(reason, call.position);
  };

export const NUMPY_ANALYSIS: Readonly<Record<string, NumPyFunction>> = {
  cumsum: row(cumulative('cumsum', '+'), { method: true, raises: true }),
  cumprod: row(cumulative('cumprod', '*'), { method: true, raises: true }),
  diff,
  ediff1d: (ev, call) => {
    const { ary } = named('numpy.ediff1d', call, ['ary']);
    return diff(ev, { ...call, args: [ev.arrays.flat(arrayOf(ev, 'ediff1d', ary, call))], keywords: new Map() });
  },
  sort: row(sort, { orderless: 'always' }),
  argsort: row(argsort, METHOD),
  median: row(median, { orderless: 'always' }),
  quantile: quantiles('quantile', 1),
  percentile: quantiles('percentile', 100),
  partition,
  argpartition: row(argpartition, METHOD),
  average,
  trapz: trapezoid,
  gradient,
  convolve,
  cross,
  einsum,
  tensordot,
  nonzero: row((ev, call) => nonzero(ev, required('numpy.nonzero', call.args[0], call), call), METHOD),
  flatnonzero: (ev, call) => {
    const flat = ev.arrays.flat(arrayOf(ev, 'flatnonzero', call.args[0], call));
    return ev.sequences.iterate(nonzero(ev, flat, call), call.position)[0];
  },
  argwhere,
  searchsorted: row(searchsorted, METHOD),
  digitize,
  unique: row(unique, { orderless: 'always' }),
  bincount,
  isin: isIn,
  // One dimension, whatever the shape.
  in1d: (ev, call) => {
    const [element, ...rest] = call.args;
    const flat = ev.arrays.flat(ev.arrays.toArray(required('numpy.in1d', element, call), call.position));
    return isIn(ev, { ...call, args: [flat, ...rest] });
  },
  vectorize,
  apply_along_axis: applyAlongAxis,
  piecewise,
  isclose: isClose,
  allclose: (ev, call) => {
    const close = ev.arrays.toArray(isClose(ev, call), call.position);
    return ev.ops.retag(ev.arrays.all(ev.arrays.items(close)), 'bool');
  },
  logaddexp: row(elementwise('logaddexp', 2, logAddExp, 'npfloat'), { elementwise: true, narrow: true }),
  sinc: elementwise('sinc', 1, sinc, 'npfloat'),
  nextafter: row(elementwise('nextafter', 2, nextAfter, 'npfloat'), { elementwise: true, narrow: true }),
  modf: row(modf, { elementwise: true, pair: true, narrow: true }),
  divmod: (ev, call) => tuple([ev.calls.numpy('floor_divide', call), ev.calls.numpy('mod', call)]),
  nansum: withoutNaN('nansum', 0, 'sum'),
  nanprod: withoutNaN('nanprod', 1, 'prod'),
  nanmax: nanExtremum('max'),
  nanmin: nanExtremum('min'),
  nanmean: nanMean,
  nanvar: (ev, call) => nanVariance(ev, 'nanvar', call),
  nanstd: (ev, call) =>
    ev.calls.numpy('sqrt', { ...call, args: [nanVariance(ev, 'nanstd', call)], keywords: new Map() }),
  spacing: row(elementwise('spacing', 1, spacing, 'npfloat'), { elementwise: true, narrow: true }),
  nan_to_num: (ev, call) => {
    const args = named('numpy.nan_to_num', call, ['x', 'copy', 'nan', 'posinf', 'neginf']);
    const { ops } = ev;
    const part = (v: Value | undefined, fallback: number): Scalar =>
      v === undefined || v.tag === 'none'
        ? npfloat(fallback)
        : ops.retag(scalar(ev, 'numpy.nan_to_num', v, call), 'npfloat');
    const [nan, top, bottom] = [
      part(args.nan, 0),
      part(args.posinf, Number.MAX_VALUE),
      part(args.neginf, -Number.MAX_VALUE),
    ];
    return ev.arrays.map(
      [required('numpy.nan_to_num', args.x, call)],
      (s) => {
        if (isIntKind(s.kind) || isBoolKind(s.kind)) return s;
        const finite = ops.select(ops.compare('==', s, npfloat(-Infinity)), bottom, s);
        return ops.retag(
          ops.select(ops.isNaN(s), nan, ops.select(ops.compare('==', s, npfloat(Infinity)), top, finite)),
          'npfloat',
        );
      },
      call.position,
    );
  },
  logical_xor: row(
    elementwise(
      'logical_xor',
      2,
      (ev, call, a, b) =>
        ev.ops.binary(
          '^',
          ev.ops.retag(ev.ops.truthScalar(a), 'npbool'),
          ev.ops.retag(ev.ops.truthScalar(b), 'npbool'),
          call.position,
        ),
      'npbool',
    ),
    TAKES_OUT,
  ),
  bitwise_and: elementwise('bitwise_and', 2, (ev, call, a, b) => ev.ops.binary('&', a, b, call.position)),
  bitwise_or: elementwise('bitwise_or', 2, (ev, call, a, b) => ev.ops.binary('|', a, b, call.position)),
  isneginf: elementwise('isneginf', 1, (ev, _call, s) => ev.ops.compare('==', s, npfloat(-Infinity)), 'npbool'),
  isposinf: elementwise('isposinf', 1, (ev, _call, s) => ev.ops.compare('==', s, npfloat(Infinity)), 'npbool'),
  real: (ev, call) => {
    const value = required('numpy.real', call.args[0], call);
    if (value.tag === 'scalar')
      return ev.choices.plain(ev.calls.attribute(value, 'real', call.position), call.position);
    return arrayOf(ev, 'real', value, call);
  },
  imag: (ev, call) => {
    const value = required('numpy.imag', call.args[0], call);
    if (value.tag === 'scalar')
      return ev.choices.plain(ev.calls.attribute(value, 'imag', call.position), call.position);
    const array = arrayOf(ev, 'imag', value, call);
    if (array.kind !== 'npfloat') throw new Unsupported('numpy.imag() of what is no array of floats', call.position);
    return ev.arrays.filled(array.shape, 'npfloat', npfloat(0), call.position);
  },
  angle: elementwise('angle', 1, (ev, _call, s) => ev.ops.math('atan2', 'npfloat', npfloat(0), s), 'npfloat'),
  iscomplexobj: () => bool(false),
  conj: row(
    elementwise('conj', 1, (_ev, call, s) => {
      // np.int8, which is not translated.
      if (isBoolKind(s.kind)) throw new Unsupported('numpy.conj() of truth values', call.position);
      return s;
    }),
    { method: true, elementwise: true, narrow: true },
  ),
  polyder,
  polyint,
  cov: covariance,
  logspace,
  ndenumerate: (ev, call) => {
    const array = arrayOf(ev, 'ndenumerate', call.args[0], call);
    let places: number[][] = [[]];
    for (const n of array.shape) places = places.flatMap((p) => range(n).map((k) => [...p, k]));
    const items = ev.arrays.items(array);
    return ev.cells.list(places.map((p, k) => tuple([tuple(p.map(int)), items[k]])));
  },
  ndindex: (ev, call) => {
    const [first] = call.args;
    const shape =
      call.args.length === 1 && first.tag === 'tuple' ? ev.sequences.iterate(first, call.position) : call.args;
    if (shape.some((v) => v.tag === 'list')) return ev.ops.raise(LaneStatus.Raised, 'TypeError');
    let places: number[][] = [[]];
    for (const v of shape) {
      const n = ev.items.staticInt(v, call.position, 'a size');
      ev.work.step(call.position, places.length * n);
      places = places.flatMap((p) => range(n).map((k) => [...p, k]));
    }
    return ev.cells.list(places.map((p) => tuple(p.map(int))));
  },
  seterr: (_ev, call) => {
    const raises = [...call.args, ...call.keywords.values()].some(
      (v) => v.tag !== 'string' || !['ignore', 'warn', 'print'].includes(v.value),
    );
    if (raises) throw new Unsupported(reasonForMember('numpy.seterr'), call.position);
    return NONE;
  },
  finfo: (_ev, call) => {
    const [type] = call.args;
    const name = type === undefined ? null : typeObjectName(type);
    if ((name !== 'float' && name !== 'float64') || call.args.length > 1 || call.keywords.size > 0)
      throw new Unsupported('numpy.finfo() of another type than float', call.position);
    return { tag: 'module', path: 'numpy.finfo' };
  },
  polyfit: refused('numpy.polyfit() solves by LAPACK, whose steps are not known'),
  histogram: refused('numpy.histogram() of what depends on x'),
  roots: refused('numpy.roots() finds eigenvalues by LAPACK, and they may be complex'),
};

export const NUMPY_LINALG_MORE: Readonly<Record<string, NumPyFunction>> = {
  matrix_power: matrixPower,
  cholesky: row((ev, call) => ev.ops.loosely(8, () => cholesky(ev, call)), RAISES),
};
