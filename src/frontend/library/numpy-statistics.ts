/**
 * Order and statistics: sorting, quantiles, averages, and what leaves NaN out.
 */
import { LaneStatus } from '../../ir/types.js';
import { frontAxis } from '../arrays/axes.js';
import { npfloat } from '../arrays/floats.js';
import {
  int,
  isBoolKind,
  isIntKind,
  Unsupported,
  type Call,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';
import { axisOf, flag, named, required } from './arguments.js';
import type { LibraryMachine } from './library-machine.js';
import { alongAxis, lastAxis } from './numpy-axes.js';
import { arrayOf } from './numpy-shape.js';
import { sortScalars } from './sorting.js';
import type { Implementation } from './numpy-row.js';

export function sort(ev: LibraryMachine, call: Call): Value {
  const { a, axis } = named('numpy.sort', call, ['a', 'axis']);
  const source = arrayOf(ev, 'sort', a, call);
  if (source.shape.length === 0) throw new Unsupported('numpy.sort() of a number', call.position);
  const isFlat = axis?.tag === 'none';
  const array = isFlat ? ev.arrays.flat(source) : source;
  return alongAxis(
    ev,
    array,
    isFlat ? 0 : lastAxis(ev, axis, array, call),
    // Which of two zeros comes first is NumPy's own.
    (line) => sortScalars(ev, line, call).map((s) => ev.ops.eitherZero(s)),
    array.kind,
  );
}

/** Positions counted from the start, of which each element of a line is as in a sorted one. */
function sortedPlaces(ev: LibraryMachine, name: string, kth: Value | undefined, length: number, call: Call): number[] {
  const wanted = ev.arrays.toArray(required(`numpy.${name}`, kth, call), call.position);
  if (wanted.kind !== 'npint') throw new Unsupported('a position that is no whole number', call.position);
  return ev.arrays.items(wanted).map((s) => {
    const k = ev.items.staticInt(s, call.position, 'a position');
    if (k < -length || k >= length) ev.ops.raise(LaneStatus.Raised, 'ValueError');
    return k < 0 ? k + length : k;
  });
}

/**
 * The elements at the positions asked for are as in a sorted array. Between them lie the others in an order of NumPy's
 * own: only all of a part together can be used, where their order does not matter (`withoutOrder`).
 */
export function partition(ev: LibraryMachine, call: Call): Value {
  const { a, kth, axis } = named('numpy.partition', call, ['a', 'kth', 'axis']);
  const array = arrayOf(ev, 'partition', a, call);
  if (array.shape.length !== 1) throw new Unsupported('numpy.partition() of anything but a vector', call.position);
  lastAxis(ev, axis, array, call);
  const items = sortScalars(ev, ev.arrays.items(array), call).map((s) => ev.ops.retag(s, array.kind));
  const places = sortedPlaces(ev, 'partition', kth, items.length, call);
  const result = ev.arrays.make([items.length], array.kind, items);
  const ends = [-1, ...[...new Set(places)].sort((p, q) => p - q), items.length];
  ends.slice(1).forEach((end, j) => {
    const from = ends[j] + 1;
    // A single element has no order.
    if (end - from < 2) return;
    const group = { members: items.slice(from, end) };
    const reason =
      "numpy.partition() leaves the other elements in an order of NumPy's own (numpy.sort() is compiled, and so are " +
      'max, min and len of a whole part)';
    for (let k = from; k < end; k++) {
      ev.cells.write(result.cells[k], { tag: 'opaque', reason, position: call.position, group });
    }
  });
  return result;
}

/** Which position comes first among those of equal elements is NumPy's own. */
export function argpartition(ev: LibraryMachine, call: Call): Value {
  const { a, kth, axis } = named('numpy.argpartition', call, ['a', 'kth', 'axis']);
  const array = arrayOf(ev, 'argpartition', a, call);
  if (array.shape.length !== 1) throw new Unsupported('numpy.argpartition() of anything but a vector', call.position);
  lastAxis(ev, axis, array, call);
  const places = sortedPlaces(ev, 'argpartition', kth, array.cells.length, call);
  const sorted = argsort(ev, { ...call, args: [array], keywords: new Map() }) as NdArray;
  const reason =
    "numpy.argpartition() gives the other positions in an order of NumPy's own (numpy.argsort() is compiled)";
  sorted.cells.forEach((cell, k) => {
    if (!places.includes(k)) ev.cells.write(cell, { tag: 'opaque', reason, position: call.position });
  });
  return sorted;
}

/**
 * Positions in the order of their elements. Equal ones keep their order in a stable sort only: else CPython decides.
 */
export function argsort(ev: LibraryMachine, call: Call): Value {
  const { a, axis, kind } = named('numpy.argsort', call, ['a', 'axis', 'kind']);
  const array = arrayOf(ev, 'argsort', a, call);
  const isStable = kind?.tag === 'string' && (kind.value === 'stable' || kind.value === 'mergesort');
  const { ops } = ev;
  const order = (line: readonly Scalar[]): Scalar[] => {
    const pairs = line.map((value, k) => ({ value, index: int(k) }));
    for (const s of line) ops.check(ops.isNaN(s), LaneStatus.Untranslated);
    ev.work.step(call.position, line.length * line.length);
    for (let i = 1; i < pairs.length; i++) {
      for (let j = i; j > 0; j--) {
        const [p, q] = [pairs[j - 1], pairs[j]];
        const swap = ops.compare('<', q.value, p.value);
        if (swap.known === 0) break;
        pairs[j - 1] = { value: ops.select(swap, q.value, p.value), index: ops.select(swap, q.index, p.index) };
        pairs[j] = { value: ops.select(swap, p.value, q.value), index: ops.select(swap, p.index, q.index) };
      }
    }
    if (!isStable) {
      pairs.slice(1).forEach((p, k) => ops.check(ops.compare('==', p.value, pairs[k].value), LaneStatus.Untranslated));
    }
    return pairs.map((p) => ops.retag(p.index, 'npint'));
  };
  return alongAxis(ev, array, lastAxis(ev, axis, array, call), order, 'npint');
}

export function median(ev: LibraryMachine, call: Call): Value {
  const { a, axis, keepdims } = named('numpy.median', call, ['a', 'axis'], ['keepdims']);
  const value = ev.arrays.ofKind(arrayOf(ev, 'median', a, call), 'npfloat', call.position);
  const middle = (line: readonly Scalar[]): Scalar => {
    if (line.length === 0) return npfloat(NaN);
    const sorted = sortScalars(ev, line, call);
    const half = sorted.length >> 1;
    // It is the mean of the elements in the middle, be there one or two.
    if (sorted.length % 2 === 1) return ev.ops.fromZero(ev.ops.retag(sorted[half], 'npfloat'));
    const sum = ev.ops.binary('+', sorted[half - 1], sorted[half], call.position);
    return ev.ops.binary('/', ev.ops.fromZero(sum), npfloat(2), call.position);
  };
  return ev.arrays.reduce(value, axisOf(ev, axis, call), flag(keepdims, false, call), middle, call.position);
}

/** Linear interpolation between the sorted elements, in the steps of NumPy's own. */
export function quantiles(name: string, scale: number): Implementation {
  return (ev, call) => {
    const parameters = ['a', 'q', 'axis', 'out', 'overwrite_input', 'method', 'keepdims', 'interpolation'];
    const { a, q, axis, out, method, interpolation, keepdims } = named(`numpy.${name}`, call, parameters);
    if (out !== undefined && out.tag !== 'none')
      throw new Unsupported(`the argument 'out' of numpy.${name}()`, call.position);
    if (interpolation !== undefined)
      throw new Unsupported(
        `the argument 'interpolation' of numpy.${name}(), which newer versions refuse`,
        call.position,
      );
    const rule = method === undefined ? 'linear' : method.tag === 'string' ? method.value : '';
    if (!['linear', 'lower', 'higher', 'midpoint', 'nearest'].includes(rule))
      throw new Unsupported(`this method of numpy.${name}()`, call.position);
    const value = ev.arrays.ofKind(arrayOf(ev, name, a, call), 'npfloat', call.position);
    const asked = arrayOf(ev, name, q, call);
    const { ops } = ev;
    const { position } = call;
    const halfway = (low: Scalar, high: Scalar): Scalar => {
      const difference = ops.binary('-', high, low, position);
      return ops.binary('-', high, ops.binary('*', difference, npfloat(0.5), position), position);
    };
    const at = (fraction: Scalar): Value => {
      if (fraction.known === undefined)
        throw new Unsupported(`a fraction of numpy.${name}() that depends on x`, position);
      if (value.cells.length === 0) throw new Unsupported(`numpy.${name}() of nothing`, position);
      const share = fraction.known / scale;
      if (!(share >= 0 && share <= 1)) return ops.raise(LaneStatus.Raised, 'ValueError');
      const pick = (line: readonly Scalar[]): Scalar => {
        if (line.length === 0) return npfloat(NaN);
        const sorted = sortScalars(ev, line, call).map((s) => ops.retag(s, 'npfloat'));
        const virtual = (line.length - 1) * share;
        const below = Math.floor(virtual);
        const [low, high] = [sorted[below], sorted[Math.min(below + 1, line.length - 1)]];
        const t = virtual - below;
        if (rule === 'lower') return low;
        if (rule === 'higher') return t === 0 ? low : high;
        // Half to even.
        if (rule === 'nearest') return t < 0.5 || (t === 0.5 && below % 2 === 0) ? low : high;
        if (rule === 'midpoint' && t !== 0) return halfway(low, high);
        const difference = ops.binary('-', high, low, position);
        return t >= 0.5
          ? ops.binary('-', high, ops.binary('*', difference, npfloat(1 - t), position), position)
          : ops.binary('+', low, ops.binary('*', difference, npfloat(t), position), position);
      };
      return ev.arrays.reduce(value, axisOf(ev, axis, call), flag(keepdims, false, call), pick, position);
    };
    const results = ev.arrays.items(asked).map(at);
    if (asked.shape.length === 0) return results[0];
    return ev.arrays.toArray(ev.cells.list(results), position);
  };
}

export function average(ev: LibraryMachine, call: Call): Value {
  const { a, axis, weights } = named('numpy.average', call, ['a', 'axis', 'weights']);
  const array = arrayOf(ev, 'average', a, call);
  const along = axisOf(ev, axis, call);
  const { position } = call;
  const add = (value: Value): Value =>
    ev.arrays.reduce(value, along, false, (l, i) => ev.arrays.sumLine(l, i, position), position);
  if (weights === undefined || weights.tag === 'none') {
    return ev.arrays.reduce(array, along, false, (l, i) => ev.arrays.mean(l, i, position), position);
  }
  let w = ev.arrays.toArray(weights, position);
  const isAlike = w.shape.length === array.shape.length && w.shape.every((n, k) => n === array.shape[k]);
  if (!isAlike && along === null) return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  if (!isAlike && (w.shape.length !== 1 || array.shape.length === 1))
    throw new Unsupported('numpy.average() with weights of this shape', position);
  if (!isAlike && along !== null) {
    const k = frontAxis(ev, along, array.shape.length);
    w = ev.arrays.reshape(
      w,
      array.shape.map((_, j) => (j === k ? -1 : 1)),
      position,
    );
    w = ev.arrays.toArray(
      ev.arrays.map([w, array], (p) => p, position, w.kind),
      position,
    );
  }
  const total = add(w);
  const totals = ev.arrays.items(ev.arrays.toArray(total, position));
  for (const s of totals) ev.ops.check(ev.ops.isZero(s), LaneStatus.Raised, 'ZeroDivisionError');
  return ev.operators.binary('/', add(ev.arrays.binary('*', array, w, position)), total, position);
}

/** A reduction of what is not NaN: NaN counts as `neutral`. */
export function withoutNaN(name: string, neutral: number, reduced: string): Implementation {
  return (ev, call) => {
    const [value, ...rest] = call.args;
    const cleaned = ev.arrays.map(
      [required(`numpy.${name}`, value, call)],
      (s) => (isIntKind(s.kind) || isBoolKind(s.kind) ? s : ev.ops.select(ev.ops.isNaN(s), npfloat(neutral), s)),
      call.position,
    );
    return ev.calls.numpy(reduced, { ...call, args: [cleaned, ...rest] });
  };
}

export function nanExtremum(which: 'max' | 'min'): Implementation {
  return (ev, call) => {
    const { a, axis } = named(`numpy.nan${which}`, call, ['a', 'axis']);
    const { ops } = ev;
    const best = (line: readonly Scalar[]): Scalar => {
      if (line.length === 0) return ops.raise(LaneStatus.Raised, 'ValueError');
      return line.reduce((p, q) => {
        const keeps = ops.or(ops.compare(which === 'max' ? '>=' : '<=', p, q), ops.isNaN(q));
        const kept = ops.select(keeps, p, q);
        return isIntKind(kept.kind) || isBoolKind(kept.kind) ? kept : ops.retag(kept, 'npfloat');
      });
    };
    return ev.arrays.reduce(arrayOf(ev, `nan${which}`, a, call), axisOf(ev, axis, call), false, best, call.position);
  };
}

export function nanMean(ev: LibraryMachine, call: Call): Value {
  const { a, axis } = named('numpy.nanmean', call, ['a', 'axis']);
  const array = ev.arrays.ofKind(arrayOf(ev, 'nanmean', a, call), 'npfloat', call.position);
  const along = axis === undefined ? new Map<string, Value>() : new Map([['axis', axis]]);
  const total = ev.calls.numpy('nansum', { ...call, args: [array], keywords: along });
  const there = ev.arrays.map([array], (s) => ev.ops.not(ev.ops.isNaN(s)), call.position, 'npbool');
  return ev.operators.binary(
    '/',
    total,
    ev.calls.numpy('sum', { ...call, args: [there], keywords: along }),
    call.position,
  );
}

/** The mean of squared distances, of what is not NaN. */
export function nanVariance(ev: LibraryMachine, name: string, call: Call): Value {
  const { a, axis, ddof } = named(`numpy.${name}`, call, ['a', 'axis', 'ddof']);
  const { position } = call;
  const array = ev.arrays.ofKind(arrayOf(ev, name, a, call), 'npfloat', position);
  const along = axisOf(ev, axis, call);
  const { ops } = ev;
  const freedom = ddof === undefined ? 0 : ev.items.staticInt(ddof, position, 'ddof');
  const variance = (line: readonly Scalar[], inner: boolean): Scalar => {
    const there = line.map((s) => ops.not(ops.isNaN(s)));
    const add = (items: readonly Scalar[]): Scalar => ev.arrays.sumLine(items, inner, position);
    const count = add(there.map((s) => ops.retag(s, 'npfloat')));
    const clean = line.map((s, k) => ops.retag(ops.select(there[k], s, npfloat(0)), 'npfloat'));
    const mean = ops.binary('/', add(clean), count, position);
    const squares = clean.map((s, k) => {
      const d = ops.retag(ops.select(there[k], ops.binary('-', s, mean, position), npfloat(0)), 'npfloat');
      return ops.binary('*', d, d, position);
    });
    const rest = ops.binary('-', count, npfloat(freedom), position);
    const isEnough = ops.compare('>', rest, npfloat(0));
    const divisor = ops.retag(ops.select(isEnough, rest, npfloat(1)), 'npfloat');
    const result = ops.binary('/', add(squares), divisor, position);
    return ops.retag(ops.select(isEnough, result, npfloat(NaN)), 'npfloat');
  };
  return ev.arrays.reduce(array, along, false, variance, position);
}

/** Covariance of rows; NumPy leaves the order of the sums to its inner products. */
export function covariance(ev: LibraryMachine, call: Call): Value {
  const { m, ddof } = named('numpy.cov', call, ['m'], ['ddof']);
  const { position } = call;
  const source = ev.arrays.ofKind(arrayOf(ev, 'cov', m, call), 'npfloat', position);
  const isVector = source.shape.length < 2;
  const x = isVector ? ev.arrays.reshape(source, [1, source.cells.length], position) : source;
  const count =
    x.shape[1] - (ddof === undefined || ddof.tag === 'none' ? 1 : ev.items.staticInt(ddof, position, 'ddof'));
  const center = ev.arrays.reduce(x, 1, true, (l, i) => ev.arrays.mean(l, i, position), position);
  const rows = ev.arrays.toArray(ev.operators.binary('-', x, center, position), position);
  const products = ev.arrays.dot(rows, ev.arrays.transpose(rows), position);
  const result = ev.operators.binary('*', products, npfloat(1 / Math.max(count, 0)), position);
  return isVector ? ev.arrays.reshape(ev.arrays.toArray(result, position), [], position) : result;
}
