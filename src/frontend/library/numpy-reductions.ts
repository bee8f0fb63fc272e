/**
 * Reductions of NumPy, along an axis or over all elements, in NumPy's own order.
 */
import { LaneStatus } from '../../ir/types.js';
import type { LineReduction } from '../arrays/bulk-arrays.js';
import { known, toNumPyKind, Unsupported, type Call, type NdArray, type Scalar, type Value } from '../values/values.js';
import { axisOf, flag, named, required, scalar } from './arguments.js';
import { astype, dtypeOf } from './dtypes.js';
import type { LibraryMachine } from './library-machine.js';
import type { Implementation } from './numpy-row.js';

/** `initial=`: a number of the array's type; NumPy makes others one. */
function initialOf(ev: LibraryMachine, name: string, value: Value, source: Value, call: Call): Scalar {
  const array = ev.arrays.toArray(source, call.position);
  ev.arrays.refuseSometimesInt(array, call.position);
  if (array.kind !== 'npfloat')
    throw new Unsupported(`the argument 'initial' of ${name}() of whole numbers`, call.position);
  return ev.ops.retag(scalar(ev, name, value, call), 'npfloat');
}

/** Reductions: `line` gets the scalars of one line and whether NumPy's inner loop runs along it. */
export function reduction(
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
export const extremumReduction = (which: 'max' | 'min'): Implementation => {
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

export const argReduction = (which: 'max' | 'min'): Implementation => {
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

export const countNonzero = reduction('numpy.count_nonzero', (ev, items, _inner, call) =>
  items
    .map((s) => ev.ops.retag(ev.ops.truthScalar(s), 'npint'))
    .reduce((a, b) => ev.ops.binary('+', a, b, call.position), known('npint', 0)),
);

export const sumReduction = reduction(
  'numpy.sum',
  (ev, items, inner, call) => ev.arrays.sumLine(items, inner, call.position),
  ['initial'],
);
