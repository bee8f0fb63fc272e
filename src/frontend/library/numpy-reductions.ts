/**
 * Reductions of NumPy, along an axis or over all elements, in NumPy's own order.
 */
import { LaneStatus } from '../../ir/types.js';
import type { LineReduction } from '../arrays/bulk-arrays.js';
import {
  isBoolKind,
  known,
  toNumPyKind,
  Unsupported,
  type Call,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';
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

/** Facts about a line that is reduced, besides its items. */
interface Line {
  /** Whether NumPy's inner loop runs along it. */
  readonly inner: boolean;
  readonly ddof: number;
  readonly initial: Scalar | null;
  readonly call: Call;
}

interface ReductionRow {
  /** Behind the array and the axis, in NumPy's order; `out` and `keepdims` are among them. */
  readonly parameters: readonly string[];
  /** How a large vector is reduced in a rolled loop; absent: it never is. */
  readonly rolled?: LineReduction;
  readonly line: (ev: LibraryMachine, items: readonly Scalar[], line: Line) => Scalar;
}

/** A reduction along an axis, or over all elements. */
export function reduction(name: string, { parameters, rolled, line }: ReductionRow): Implementation {
  return (ev, call) => {
    const args = named(name, call, ['a', 'axis', ...parameters]);
    if (args.out !== undefined && args.out.tag !== 'none')
      throw new Unsupported(`the argument 'out' of ${name}()`, call.position);
    const dtype = dtypeOf(args.dtype, call);
    const value = required(name, args.a, call);
    const source = dtype === null ? value : astype(ev, ev.arrays.toArray(value, call.position), dtype, call);
    const initial = args.initial === undefined ? null : initialOf(ev, name, args.initial, source, call);
    const ddof = args.ddof === undefined ? 0 : ev.items.staticInt(args.ddof, call.position, 'ddof');
    if (rolled !== undefined && initial === null && args.keepdims === undefined && source.tag === 'ndarray') {
      const found = reduceLarge(ev, rolled, source, args.axis, ddof, call);
      if (found !== null) return found;
    }
    return ev.arrays.reduce(
      source,
      axisOf(ev, args.axis, call),
      flag(args.keepdims, false, call),
      (items, inner) => line(ev, items, { inner, ddof, initial, call }),
      call.position,
    );
  };
}

/** NumPy starts a sum or a product with `initial`, or joins it in between. */
function startedWith(
  ev: LibraryMachine,
  operator: '+' | '*',
  { initial, call }: Line,
  items: readonly Scalar[],
  result: Scalar,
): Scalar {
  if (initial === null) return result;
  const joined = ev.ops.binary(operator, initial, result, call.position);
  if (operator === '*') return ev.ops.loose(joined, items.length + 1);
  // It is what the sum is begun with.
  if (!isOffMinusZero(initial))
    ev.ops.check(ev.ops.and(ev.ops.signBit(initial), ev.ops.isZero(joined)), LaneStatus.Untranslated);
  return ev.ops.anyOrder(joined, [initial, ...items.map((s) => ev.ops.retag(s, toNumPyKind(s.kind)))]);
}

const isOffMinusZero = (s: Scalar): boolean => s.known !== undefined && !Object.is(s.known, -0);

/** A reduction of a large vector in a rolled loop; null where there is none. */
function reduceLarge(
  ev: LibraryMachine,
  rolled: LineReduction,
  array: NdArray,
  axis: Value | undefined,
  ddof: number,
  call: Call,
): Scalar | null {
  if (array.shape.length !== 1) return null;
  const along = axisOf(ev, axis, call);
  if (along !== null && along !== 0 && along !== -1) return null;
  return ev.bulkArrays.reduce(rolled, array, ddof, call.position);
}

export const sumReduction = reduction('numpy.sum', {
  parameters: ['dtype', 'out', 'keepdims', 'initial'],
  rolled: 'sum',
  line: (ev, items, line) =>
    startedWith(ev, '+', line, items, ev.arrays.sumLine(items, line.inner, line.call.position)),
});

export const productReduction = reduction('numpy.prod', {
  parameters: ['dtype', 'out', 'keepdims', 'initial'],
  rolled: 'prod',
  line: (ev, items, line) => {
    const one = known(items.length === 0 ? 'npfloat' : 'npint', 1);
    const product = items
      .map((s) => (isBoolKind(s.kind) ? ev.ops.retag(s, 'npint') : ev.ops.retag(s, toNumPyKind(s.kind))))
      .reduce((a, b) => ev.ops.binary('*', a, b, line.call.position), one);
    return startedWith(ev, '*', line, items, product);
  },
});

/** Largest or smallest. Methods of arrays take the axis second, too, but no type. */
export const extremumReduction = (which: 'max' | 'min'): Implementation =>
  reduction(`numpy.${which}`, {
    parameters: ['out', 'keepdims', 'initial'],
    rolled: which,
    line: (ev, items, { initial }) => ev.arrays.extremum(which, initial === null ? items : [initial, ...items]),
  });

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

export const countNonzero = reduction('numpy.count_nonzero', {
  parameters: ['out', 'keepdims'],
  line: (ev, items, { call }) =>
    items
      .map((s) => ev.ops.retag(ev.ops.truthScalar(s), 'npint'))
      .reduce((a, b) => ev.ops.binary('+', a, b, call.position), known('npint', 0)),
});
