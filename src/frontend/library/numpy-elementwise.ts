/**
 * Functions of NumPy that work element by element.
 */
import type { MathOpName } from '../../ir/ops.js';
import { LaneStatus } from '../../ir/types.js';
import type { BinaryOperator, ComparisonOperator, Position } from '../syntax/ast.js';
import {
  int,
  isBoolKind,
  isIntKind,
  known,
  tuple,
  Unsupported,
  type ArrayKind,
  type Call,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';
import { named, required } from './arguments.js';
import type { LibraryMachine } from './library-machine.js';
import { NARROW_UFUNC, row, type Implementation, type NumPyFunction } from './numpy-row.js';

export const without = (keywords: ReadonlyMap<string, Value>, names: readonly string[]): ReadonlyMap<string, Value> =>
  new Map([...keywords].filter(([key]) => !names.includes(key)));

/** Element-wise on one argument. */
export function unary(fn: (ev: LibraryMachine, s: Scalar, call: Call) => Scalar, kind?: ArrayKind): Implementation {
  return (ev, call) => {
    const { x } = named('numpy', call, ['x']);
    return ev.arrays.map([required('numpy', x, call)], (s) => fn(ev, s, call), call.position, kind);
  };
}

export function binary(
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
export const mathematics = (op: MathOpName): NumPyFunction =>
  row(
    unary((ev, s) => ev.ops.math(op, 'npfloat', ev.ops.retag(s, 'npfloat')), 'npfloat'),
    NARROW_UFUNC,
  );

export const operator = (op: BinaryOperator): Implementation =>
  binary((ev, a, b, call) => ev.ops.binary(op, a, b, call.position));

export const comparison = (op: ComparisonOperator): Implementation =>
  binary((ev, a, b) => ev.ops.compare(op, a, b), 'npbool');

/** Newer versions of NumPy round integers to integers, older ones to floats; `rint` makes floats. */
export function rounding(op: 'floor' | 'ceil' | 'trunc' | 'rint'): Implementation {
  return unary((ev, s) => {
    if (isBoolKind(s.kind)) throw new Unsupported(`numpy.${op}() of truth values`, ev.ops.here);
    const whole = ev.ops.rounding(op, s, 'npfloat');
    if (op === 'rint') return ev.ops.certain(whole, 'npfloat');
    return isIntKind(s.kind) || ev.ops.isSometimesInt(s) ? ev.ops.sometimesInt(whole) : whole;
  });
}

export const extremum = (which: 'max' | 'min'): Implementation => binary((ev, a, b) => ev.ops.npExtremum(which, a, b));

/** fmax/fmin: a NaN loses. */
export function nanExtremum(which: 'max' | 'min'): Implementation {
  return binary((ev, a, b) => {
    const { ops } = ev;
    const keep = ops.or(which === 'max' ? ops.compare('>=', a, b) : ops.compare('<=', a, b), ops.isNaN(b));
    return ops.promoted(ops.select(keep, a, b), a, b);
  });
}

export function clip(ev: LibraryMachine, call: Call): Value {
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

export function round(ev: LibraryMachine, call: Call): Value {
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

export function sign(ev: LibraryMachine, s: Scalar): Scalar {
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

/** `out=` and `where=`: the elements that are not chosen stay what they are. */
export function intoOut(ev: LibraryMachine, implementation: Implementation, call: Call): Value {
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
  storeChosen(ev, target, ev.arrays.toArray(implementation(ev, plain), position), mask, position);
  return target;
}

/** Stores the elements that the mask chooses; null: all of them. */
function storeChosen(
  ev: LibraryMachine,
  target: NdArray,
  result: NdArray,
  mask: NdArray | null,
  position: Position,
): void {
  if (mask === null) {
    ev.arrays.assignInPlace(target, result, position);
    return;
  }
  const chosen = ev.arrays.map(
    [mask, result, target],
    (m, p, q) => ev.ops.retag(ev.ops.select(ev.ops.truthScalar(m), p, q), target.kind),
    position,
    target.kind,
  );
  if (result.kind !== target.kind) throw new Unsupported("the argument 'out' of another type", position);
  ev.arrays.assignAll(target, chosen, position);
}

/**
 * The same of a function that gives two arrays of floats. Where NumPy refuses, or the arrays overlap, CPython decides:
 * the function itself takes neither argument.
 */
export function intoPair(ev: LibraryMachine, implementation: Implementation, call: Call): Value {
  const { position } = call;
  const out = call.keywords.get('out');
  const where = call.keywords.get('where');
  if (out?.tag !== 'tuple' || out.items.length !== 2) return implementation(ev, call);
  const mask = where === undefined ? null : ev.arrays.toArray(where, position);
  const results = implementation(ev, { ...call, keywords: without(call.keywords, ['out', 'where']) });
  if (results.tag !== 'tuple') return implementation(ev, call);
  const pairs = results.items.map((result, k) => ({ result: result as Value, target: out.items[k] as Value }));
  const isFine = pairs.every(({ result, target }) =>
    target.tag === 'none' ? mask === null : isPlaceFor(target, result),
  );
  const [first, second] = pairs.map(({ target }) => new Set(target.tag === 'ndarray' ? target.cells : []));
  if (!isFine || [...first].some((cell) => second.has(cell))) return implementation(ev, call);
  for (const { result, target } of pairs)
    if (target.tag === 'ndarray') storeChosen(ev, target, result as NdArray, mask, position);
  return tuple(pairs.map(({ result, target }) => (target.tag === 'none' ? result : target)));
}

const isPlaceFor = (target: Value, result: Value): boolean =>
  target.tag === 'ndarray' &&
  target.kind === 'npfloat' &&
  target.bulk === undefined &&
  result.tag === 'ndarray' &&
  target.shape.join() === result.shape.join();
