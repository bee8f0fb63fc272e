/** NumPy: order statistics, sums along axes, calculus on samples, small tensor products, piecewise functions. */
import { LaneStatus } from '../../ir/types.js';
import { frontAxis } from '../arrays/axes.js';
import { copySign, nextAfter, npfloat, type Elementwise } from '../arrays/floats.js';
import { distinct, masked } from '../arrays/masked.js';
import { rowMajor } from '../arrays/shapes.js';
import type { LibraryMachine } from './library-machine.js';
import {
  bool,
  int,
  isBoolKind,
  isIntKind,
  known,
  NONE,
  toNumPyKind,
  tuple,
  typeName,
  Unsupported,
  type ArrayKind,
  type Call,
  type MaskedValue,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';
import { axisOf, builtin, flag, named, required, scalar } from './arguments.js';
import { arrayOf } from './numpy-shape.js';
import { reasonForMember } from './reasons.js';
import { sortScalars } from './sorting.js';
import { typeObjectName } from './types.js';

type Implementation = (ev: LibraryMachine, call: Call) => Value;

const range = (n: number): number[] => Array.from({ length: Math.max(0, n) }, (_, k) => k);

const isKnown = (s: Scalar): boolean => s.known !== undefined;

/** Replaces each line along an axis by another of a common length. */
function alongAxis(
  ev: LibraryMachine,
  array: NdArray,
  axis: number,
  fn: (line: readonly Scalar[]) => readonly Scalar[],
  kind?: ArrayKind,
): NdArray {
  const items = ev.arrays.items(array);
  const { shape } = array;
  const n = shape[axis];
  const inner = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
  const outer = shape.slice(0, axis).reduce((a, b) => a * b, 1);
  const lines = range(outer).map((o) =>
    range(inner).map((i) => fn(range(n).map((j) => items[(o * n + j) * inner + i]))),
  );
  const length = lines[0]?.[0]?.length ?? 0;
  const results = lines.flatMap((row) => range(length).flatMap((j) => row.map((line) => line[j])));
  const made = kind ?? (results.length === 0 ? array.kind : toNumPyKind(results[0].kind));
  return ev.arrays.make([...shape.slice(0, axis), length, ...shape.slice(axis + 1)], made, results);
}

function lastAxis(ev: LibraryMachine, axis: Value | undefined, array: NdArray, call: Call): number {
  const along = axis === undefined ? -1 : ev.items.staticInt(axis, call.position, 'an axis');
  return frontAxis(ev, along, array.shape.length);
}

/** The array and axis of a function that flattens without an axis. */
function flattening(ev: LibraryMachine, array: NdArray, axis: Value | undefined, call: Call): [NdArray, number] {
  const along = axisOf(ev, axis, call);
  return along === null ? [ev.arrays.flat(array), 0] : [array, frontAxis(ev, along, array.shape.length)];
}

function cumulative(name: string, operator: '+' | '*'): Implementation {
  return (ev, call) => {
    const { a, axis } = named(`numpy.${name}`, call, ['a', 'axis']);
    const [array, along] = flattening(ev, arrayOf(ev, name, a, call), axis, call);
    return alongAxis(
      ev,
      array,
      along,
      (line) => {
        const sums: Scalar[] = [];
        for (const s of line) {
          const plain = isBoolKind(s.kind) ? ev.ops.retag(s, 'npint') : s;
          sums.push(sums.length === 0 ? plain : ev.ops.binary(operator, sums[sums.length - 1], plain, call.position));
        }
        return sums;
      },
      array.kind === 'npbool' ? 'npint' : array.kind,
    );
  };
}

/** `np.maximum.accumulate`, `np.minimum.accumulate`: along the first axis unless told otherwise. */
export function runningExtremum(ev: LibraryMachine, which: 'max' | 'min', call: Call): Value {
  const name = which === 'max' ? 'maximum.accumulate' : 'minimum.accumulate';
  const { array: given, axis } = named(`numpy.${name}`, call, ['array', 'axis']);
  const array = arrayOf(ev, name, given, call);
  if (array.shape.length === 0) return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  if (array.kind === 'npbool') throw new Unsupported(`numpy.${name}() of truth values`, call.position);
  const along = axis === undefined ? 0 : lastAxis(ev, axis, array, call);
  const running = (line: readonly Scalar[]): Scalar[] => {
    const extremes: Scalar[] = [];
    for (const s of line) extremes.push(extremes.length === 0 ? s : ev.ops.npExtremum(which, extremes.at(-1)!, s));
    return extremes;
  };
  return alongAxis(ev, array, along, running, array.kind);
}

function diff(ev: LibraryMachine, call: Call): Value {
  const { a, n, axis } = named('numpy.diff', call, ['a', 'n', 'axis']);
  let array = arrayOf(ev, 'diff', a, call);
  const order = n === undefined ? 1 : ev.items.staticInt(n, call.position, 'an order');
  if (order < 0 || array.shape.length === 0) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  if (array.kind === 'npbool') throw new Unsupported('numpy.diff() of truth values', call.position);
  const along = lastAxis(ev, axis, array, call);
  for (let k = 0; k < order; k++) {
    ev.work.step(call.position);
    const { kind } = array;
    array = alongAxis(
      ev,
      array,
      along,
      (line) => line.slice(1).map((s, j) => ev.ops.binary('-', s, line[j], call.position)),
      kind,
    );
  }
  return array;
}

function sort(ev: LibraryMachine, call: Call): Value {
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
 * The elements at the positions asked for are as in a sorted array. Between them lie the others in an order of NumPy's own: only
 * all of a part together can be used, where their order does not matter (`withoutOrder`).
 */
function partition(ev: LibraryMachine, call: Call): Value {
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

/** Of equal elements, which position comes first is NumPy's own. */
function argpartition(ev: LibraryMachine, call: Call): Value {
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

/** Positions in the order of their elements. Equal ones keep their order in a stable sort only: else CPython decides. */
function argsort(ev: LibraryMachine, call: Call): Value {
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

function median(ev: LibraryMachine, call: Call): Value {
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
function quantiles(name: string, scale: number): Implementation {
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

function average(ev: LibraryMachine, call: Call): Value {
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

// ---- calculus on samples

const part = (lower: number | null, upper: number | null): Value => ({ tag: 'slice', lower, upper, step: null });

const lastPart = (lower: number | null, upper: number | null): Value =>
  tuple([{ tag: 'ellipsis' }, part(lower, upper)]);

function trapezoid(ev: LibraryMachine, call: Call): Value {
  const { y, x, dx } = named('numpy.trapz', call, ['y', 'x', 'dx']);
  const { position } = call;
  const values = arrayOf(ev, 'trapz', y, call);
  const slices = (v: Value): [Value, Value] => [
    ev.items.subscript(v, lastPart(1, null), position),
    ev.items.subscript(v, lastPart(null, -1), position),
  ];
  let step: Value = dx ?? npfloat(1);
  if (x !== undefined && x.tag !== 'none') {
    const places = ev.arrays.toArray(x, position);
    if (places.kind === 'npbool') throw new Unsupported('numpy.trapz() over truth values', position);
    const [after, before] = slices(places);
    step = ev.operators.binary('-', after, before, position);
  }
  const [after, before] = slices(values);
  const areas = ev.operators.binary(
    '/',
    ev.operators.binary('*', step, ev.operators.binary('+', after, before, position), position),
    npfloat(2),
    position,
  );
  return ev.arrays.reduce(areas, -1, false, (l, i) => ev.arrays.sumLine(l, i, position), position);
}

function gradient(ev: LibraryMachine, call: Call): Value {
  const [value, spacing, ...more] = call.args;
  const given = arrayOf(ev, 'gradient', value, call);
  if (given.kind === 'npbool') throw new Unsupported('numpy.gradient() of truth values', call.position);
  const array = ev.arrays.ofKind(given, 'npfloat', call.position);
  if (array.shape.length !== 1 || more.length > 0 || call.keywords.size > 0) {
    throw new Unsupported('numpy.gradient() of anything but a vector', call.position);
  }
  const { ops } = ev;
  const { position } = call;
  const f = ev.arrays.items(array);
  const n = f.length;
  if (n < 2) return ops.raise(LaneStatus.Raised, 'ValueError');
  const sub = (p: Scalar, q: Scalar): Scalar => ops.binary('-', p, q, position);
  const div = (p: Scalar, q: Scalar): Scalar => ops.binary('/', p, q, position);
  const mul = (p: Scalar, q: Scalar): Scalar => ops.binary('*', p, q, position);
  const add = (p: Scalar, q: Scalar): Scalar => ops.binary('+', p, q, position);
  const places = spacing === undefined ? null : ev.arrays.toArray(spacing, position);
  let steps: Scalar[] | null = null;
  let h = npfloat(1);
  if (places !== null && places.shape.length === 0) h = ops.retag(ev.arrays.items(places)[0], 'npfloat');
  else if (places !== null) {
    const x = ev.arrays.items(places).map((s) => ops.retag(s, 'npfloat'));
    if (x.length !== n) return ops.raise(LaneStatus.Raised, 'ValueError');
    steps = x.slice(1).map((s, k) => sub(s, x[k]));
    if (!steps.every(isKnown)) throw new Unsupported('numpy.gradient() at places that depend on x', position);
    if (steps.every((s) => s.known === steps?.[0].known)) [h, steps] = [steps[0], null];
  }
  const inner = range(n - 2).map((k) => {
    if (steps === null) return div(sub(f[k + 2], f[k]), mul(npfloat(2), h));
    const [d1, d2] = [steps[k], steps[k + 1]];
    const left = div(ops.negate(d2), mul(d1, add(d1, d2)));
    const middle = div(sub(d2, d1), mul(d1, d2));
    const right = div(d1, mul(d2, add(d1, d2)));
    return add(add(mul(left, f[k]), mul(middle, f[k + 1])), mul(right, f[k + 2]));
  });
  const first = div(sub(f[1], f[0]), steps === null ? h : steps[0]);
  const last = div(sub(f[n - 1], f[n - 2]), steps === null ? h : steps[n - 2]);
  return ev.arrays.make([n], 'npfloat', [first, ...inner, last]);
}

/** Sums of products; NumPy leaves their order to its inner products. */
function convolve(ev: LibraryMachine, call: Call): Value {
  const { a, v, mode } = named('numpy.convolve', call, ['a', 'v', 'mode']);
  const arrays = [arrayOf(ev, 'convolve', a, call), arrayOf(ev, 'convolve', v, call)];
  if (arrays.some((p) => p.shape.length > 1 || p.cells.length === 0))
    return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  if (mode !== undefined && mode.tag !== 'string')
    throw new Unsupported('a mode of numpy.convolve() that is computed', call.position);
  const [long, short] = arrays[1].cells.length > arrays[0].cells.length ? [arrays[1], arrays[0]] : arrays;
  const [p, q] = [ev.arrays.items(long), ev.arrays.items(short)];
  const kind = long.kind === 'npfloat' || short.kind === 'npfloat' ? 'npfloat' : 'npint';
  const { ops } = ev;
  const number = (s: Scalar): Scalar => (isBoolKind(s.kind) ? ops.retag(s, kind) : s);
  ev.work.step(call.position, p.length * q.length);
  const full = range(p.length + q.length - 1).map((k) => {
    const terms = range(q.length)
      .filter((j) => k - j >= 0 && k - j < p.length)
      .map((j) => ops.binary('*', number(p[k - j]), number(q[j]), call.position));
    const sum = terms.reduce((x, y) => ops.binary('+', x, y, call.position));
    return ops.anyOrder(ops.fromZero(sum), terms);
  });
  const name = mode?.value ?? 'full';
  const cut = {
    full: [0, full.length],
    same: [(q.length - 1) >> 1, p.length],
    valid: [q.length - 1, p.length - q.length + 1],
  }[name];
  // Their first letters are modes, too, in some versions.
  if (cut === undefined) throw new Unsupported('this mode of numpy.convolve()', call.position);
  return ev.arrays.make([cut[1]], kind, full.slice(cut[0], cut[0] + cut[1]));
}

function cross(ev: LibraryMachine, call: Call): Value {
  if (call.args.length !== 2 || call.keywords.size > 0) throw new Unsupported('numpy.cross() with axes', call.position);
  const arrays = call.args.map((v) => ev.arrays.toArray(v, call.position));
  const [a, b] = arrays.map((array) => ev.arrays.items(array));
  if (arrays.some((p) => p.shape.length !== 1)) throw new Unsupported('numpy.cross() of matrices', call.position);
  const minor = (p: number, q: number): Scalar => {
    const left = ev.ops.binary('*', a[p], b[q], call.position);
    return ev.ops.binary('-', left, ev.ops.binary('*', a[q], b[p], call.position), call.position);
  };
  if (a.length === 2 && b.length === 2) return ev.arrays.withoutAxes(minor(0, 1));
  if (a.length !== 3 || b.length !== 3) throw new Unsupported('numpy.cross() of these lengths', call.position);
  const parts = [minor(1, 2), minor(2, 0), minor(0, 1)];
  return ev.arrays.make([3], toNumPyKind(parts[0].kind), parts);
}

/** Sums of products over the letters that the result leaves out; NumPy leaves their order open. */
function einsum(ev: LibraryMachine, call: Call): Value {
  const [formula, ...operands] = call.args;
  for (const key of call.keywords.keys()) {
    if (key !== 'optimize') throw new Unsupported(`the argument '${key}' of numpy.einsum()`, call.position);
  }
  if (formula?.tag !== 'string' || !/^[a-zA-Z, ]+(->[a-zA-Z ]*)?$/.test(formula.value)) {
    throw new Unsupported("numpy.einsum() in a form other than 'ij,jk->ik'", call.position);
  }
  const [left, right] = formula.value.replaceAll(' ', '').split('->');
  const inputs = left.split(',');
  const arrays = operands.map((v) => ev.arrays.toArray(v, call.position));
  const letters = [...new Set(inputs.join(''))].sort();
  const single = letters.filter((c) => inputs.join('').split(c).length === 2).join('');
  const output = right ?? single;
  const size = new Map<string, number>();
  const wrong = (): never => ev.ops.raise(LaneStatus.Raised, 'ValueError');
  if (inputs.length !== arrays.length) wrong();
  inputs.forEach((labels, k) => {
    if (labels.length !== arrays[k].shape.length) wrong();
    [...labels].forEach((c, axis) => {
      const n = arrays[k].shape[axis];
      const before = size.get(c) ?? n;
      if (before !== n && before !== 1 && n !== 1) wrong();
      size.set(c, Math.max(before, n));
    });
  });
  if ([...output].some((c, k) => !size.has(c) || output.indexOf(c) !== k)) wrong();
  const summed = letters.filter((c) => !output.includes(c));
  const shape = [...output].map((c) => size.get(c) ?? 1);
  const count = (labels: readonly string[]): number => labels.reduce((n, c) => n * (size.get(c) ?? 1), 1);
  ev.work.step(call.position, count(letters) * arrays.length);
  const items = arrays.map((array) => ev.arrays.items(array));
  const at = new Map<string, number>();
  const place = (labels: readonly string[], position: number): void => {
    let rest = position;
    for (const c of [...labels].reverse()) {
      const n = size.get(c) ?? 1;
      at.set(c, rest % n);
      rest = Math.floor(rest / n);
    }
  };
  const element = (k: number): Scalar => {
    let index = 0;
    [...inputs[k]].forEach((c, axis) => {
      const n = arrays[k].shape[axis];
      index = index * n + (n === 1 ? 0 : (at.get(c) ?? 0));
    });
    return items[k][index];
  };
  const results = range(count([...output])).map((o) => {
    place([...output], o);
    const terms = range(count(summed)).map((s) => {
      place(summed, s);
      return range(arrays.length)
        .map(element)
        .reduce((x, y) => ev.ops.binary('*', x, y, call.position));
    });
    if (terms.length === 0) return npfloat(0);
    const sum = terms.reduce((x, y) => ev.ops.binary('+', x, y, call.position));
    // The elements of one operand alone are not added to anything.
    return ev.ops.anyOrder(
      terms.length === 1 && arrays.length === 1 && summed.length === 0 ? sum : ev.ops.fromZero(sum),
      terms,
    );
  });
  const kind = arrays.some((p) => p.kind === 'npfloat') ? 'npfloat' : 'npint';
  const array = ev.arrays.make(
    shape,
    kind,
    results.map((s) => ev.ops.retag(s, kind)),
  );
  return shape.length === 0 ? ev.arrays.items(array)[0] : array;
}

function tensordot(ev: LibraryMachine, call: Call): Value {
  const { a, b, axes } = named('numpy.tensordot', call, ['a', 'b', 'axes']);
  const [p, q] = [arrayOf(ev, 'tensordot', a, call), arrayOf(ev, 'tensordot', b, call)];
  if (axes !== undefined && axes.tag !== 'scalar')
    throw new Unsupported('numpy.tensordot() with lists of axes', call.position);
  const n = axes === undefined ? 2 : ev.items.staticInt(axes, call.position, 'a number of axes');
  if (n > p.shape.length || n > q.shape.length || n < 0)
    throw new Unsupported('numpy.tensordot() over this many axes', call.position);
  const [rows, shared] = [p.shape.slice(0, p.shape.length - n), p.shape.slice(p.shape.length - n)];
  const columns = q.shape.slice(n);
  if (shared.some((m, k) => m !== q.shape[k])) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  const size = (shape: readonly number[]): number => shape.reduce((x, y) => x * y, 1);
  const left = ev.arrays.reshape(p, [size(rows), size(shared)], call.position);
  const right = ev.arrays.reshape(q, [size(shared), size(columns)], call.position);
  const product = ev.arrays.toArray(ev.arrays.dot(left, right, call.position), call.position);
  const shape = [...rows, ...columns];
  return ev.arrays.reshape(product, shape, call.position);
}

// ---- where things are

/** Positions of what is not zero, one array per axis. */
export function nonzero(ev: LibraryMachine, value: Value, call: Call): Value {
  const array = ev.arrays.toArray(value, call.position);
  if (array.shape.length === 0) throw new Unsupported('numpy.nonzero() of a single number', call.position);
  const truths = ev.arrays.items(array).map((s) => ev.ops.truthScalar(s));
  const { shape } = array;
  if (!truths.every(isKnown)) {
    const steps = rowMajor(shape);
    return tuple(
      shape.map((n, axis) => {
        const places = range(truths.length).map((k) => known('npint', Math.floor(k / steps[axis]) % n));
        return masked('npint', places, truths);
      }),
    );
  }
  const found = range(truths.length).filter((k) => truths[k].known !== 0);
  let step = truths.length;
  return tuple(
    shape.map((n) => {
      step = n === 0 ? 0 : step / n;
      const along = step;
      return ev.arrays.make(
        [found.length],
        'npint',
        found.map((k) => known('npint', Math.floor(k / along) % n)),
      );
    }),
  );
}

function argwhere(ev: LibraryMachine, call: Call): Value {
  const places = nonzero(ev, required('numpy.argwhere', call.args[0], call), call);
  const columns = ev.sequences.iterate(places, call.position);
  const chosen = columns.filter((c): c is MaskedValue => c.tag === 'masked');
  if (chosen.length > 0) {
    const items = chosen[0].items.flatMap((_, k) => chosen.map((c) => c.items[k]));
    return { tag: 'masked', kind: 'npint', items, width: chosen.length };
  }
  return ev.arrays.transpose(ev.arrays.toArray(ev.cells.list(columns), call.position));
}

/** How many elements of a known sorted table are below each number (`right`: not above). */
function searchTable(ev: LibraryMachine, table: NdArray, value: Value, right: boolean, call: Call): Value {
  const steps = ev.arrays.items(table);
  if (table.shape.length !== 1 || !steps.every(isKnown) || steps.some((s) => Number.isNaN(s.known))) {
    throw new Unsupported('searching in a table that depends on x', call.position);
  }
  if (steps.some((s, k) => k > 0 && (s.known as number) < (steps[k - 1].known as number))) {
    throw new Unsupported('searching in a table that is not sorted', call.position);
  }
  const { ops } = ev;
  return ev.arrays.map(
    [value],
    (v) => {
      const count = steps.reduce<Scalar>(
        (n, s) => {
          const isBelow = ops.compare(right ? '<=' : '<', s, v);
          return ops.binary('+', n, ops.retag(ops.truthScalar(isBelow), 'npint'), call.position);
        },
        known('npint', 0),
      );
      // NaN sorts to the end.
      return ops.retag(ops.select(ops.isNaN(v), known('npint', steps.length), count), 'npint');
    },
    call.position,
    'npint',
  );
}

function searchsorted(ev: LibraryMachine, call: Call): Value {
  const { a, v, side } = named('numpy.searchsorted', call, ['a', 'v', 'side']);
  const isRight = side?.tag === 'string' && side.value === 'right';
  if (!isRight && side !== undefined && (side.tag !== 'string' || side.value !== 'left'))
    throw new Unsupported('this side of numpy.searchsorted()', call.position);
  return searchTable(ev, arrayOf(ev, 'searchsorted', a, call), required('numpy.searchsorted', v, call), isRight, call);
}

function digitize(ev: LibraryMachine, call: Call): Value {
  const { x, bins, right } = named('numpy.digitize', call, ['x', 'bins', 'right']);
  return searchTable(
    ev,
    arrayOf(ev, 'digitize', bins, call),
    required('numpy.digitize', x, call),
    !flag(right, false, call),
    call,
  );
}

function unique(ev: LibraryMachine, call: Call): Value {
  const { ar } = named('numpy.unique', call, ['ar']);
  const array = arrayOf(ev, 'unique', ar, call);
  ev.arrays.refuseSometimesInt(array, call.position);
  const items = ev.arrays.items(array);
  if (!items.every(isKnown)) {
    const all = items.map((value) => ({ value: ev.ops.retag(value, array.kind), present: bool(true) }));
    return distinct(ev, array.kind, all, call.position);
  }
  const values = [...new Set(items.map((s) => (s.known as number) + 0))].sort((p, q) => p - q);
  if (values.some(Number.isNaN)) throw new Unsupported('numpy.unique() of NaN', call.position);
  return ev.arrays.make(
    [values.length],
    array.kind,
    values.map((v) => known(array.kind, v)),
  );
}

function bincount(ev: LibraryMachine, call: Call): Value {
  const { x, minlength } = named('numpy.bincount', call, ['x', 'minlength']);
  const array = vectorOf(ev, 'bincount', x, call);
  if (array.kind === 'npfloat') throw new Unsupported('numpy.bincount() of what are no whole numbers', call.position);
  const numbers = ev.arrays.items(array).map((s) => ev.items.staticInt(s, call.position, 'a number of bincount()'));
  if (numbers.some((v) => v < 0)) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  const least = minlength === undefined ? 0 : ev.items.staticInt(minlength, call.position, 'a length');
  const length = Math.max(least, ...numbers.map((v) => v + 1));
  ev.work.step(call.position, length);
  const counts = range(length).map((v) => known('npint', numbers.filter((w) => w === v).length));
  return ev.arrays.make([length], 'npint', counts);
}

function isIn(ev: LibraryMachine, call: Call): Value {
  const [element, test] = call.args;
  if (call.keywords.size > 0) throw new Unsupported('numpy.isin() with keywords', call.position);
  const values = ev.arrays.items(ev.arrays.toArray(required('numpy.isin', test, call), call.position));
  const found = ev.arrays.map(
    [required('numpy.isin', element, call)],
    (s) => values.reduce<Scalar>((any, v) => ev.ops.or(any, ev.ops.compare('==', s, v)), bool(false)),
    call.position,
    'npbool',
  );
  return ev.arrays.withoutAxes(found);
}

// ---- functions of functions

function callAt(ev: LibraryMachine, fn: Value, args: readonly Value[], call: Call): Value {
  return ev.calls.called(fn, { args, keywords: new Map(), position: call.position });
}

/** The function for each element; the type of the result is that of the first. */
function vectorize(ev: LibraryMachine, call: Call): Value {
  const { pyfunc, otypes } = named('numpy.vectorize', call, ['pyfunc', 'otypes']);
  const fn = required('numpy.vectorize', pyfunc, call);
  const wanted =
    otypes === undefined || otypes.tag === 'none' ? undefined : ev.sequences.iterate(otypes, call.position)[0];
  const isFloat = wanted !== undefined && 'name' in wanted && ['float', 'float64'].includes(wanted.name);
  if (wanted !== undefined && !isFloat) throw new Unsupported('numpy.vectorize() with these otypes', call.position);
  return builtin('numpy.vectorize', (inner) => {
    if (inner.keywords.size > 0 || inner.args.length === 0)
      throw new Unsupported('a vectorized function called so', inner.position);
    const { ops } = ev;
    let kind: ArrayKind | null = isFloat ? 'npfloat' : null;
    const { result, hasEffects } = ev.cells.withEffects(() =>
      ev.arrays.map(
        inner.args,
        (...elements) => {
          // The function gets Python's numbers.
          const numbers = elements.map((s) => ops.toPython(s));
          const value = callAt(ev, fn, numbers, inner);
          if (value.tag !== 'scalar')
            throw new Unsupported(`a vectorized function that gives ${typeName(value)}`, inner.position);
          const kinds = new Set(ops.possibleKinds(value).map(toNumPyKind));
          const [only] = kinds;
          kind ??= kinds.size === 1 ? only : null;
          if (kind === null || (kind !== 'npfloat' && (kinds.size > 1 || only !== kind))) {
            throw new Unsupported(
              'a vectorized function that gives numbers of several types (otypes=[float] settles it)',
              inner.position,
            );
          }
          return ops.retag(value, kind);
        },
        inner.position,
      ),
    );
    if (hasEffects) throw new Unsupported('a vectorized function with effects of its own', inner.position);
    return ev.arrays.withoutAxes(result);
  });
}

function applyAlongAxis(ev: LibraryMachine, call: Call): Value {
  const [fn, axis, source, ...more] = call.args;
  const array = arrayOf(ev, 'apply_along_axis', source, call);
  const along = frontAxis(
    ev,
    ev.items.staticInt(required('axis', axis, call), call.position, 'an axis'),
    array.shape.length,
  );
  let isScalar = false;
  const result = alongAxis(ev, array, along, (line) => {
    const value = callAt(ev, fn, [ev.arrays.make([line.length], array.kind, line), ...more], call);
    isScalar = value.tag === 'scalar';
    return value.tag === 'scalar' ? [value] : ev.arrays.items(ev.arrays.toArray(value, call.position));
  });
  if (!isScalar) return result;
  const shape = array.shape.filter((_, k) => k !== along);
  return shape.length === 0 ? ev.arrays.items(result)[0] : ev.arrays.reshape(result, shape, call.position);
}

/** Where several conditions hold the last one counts; functions get the chosen elements only. */
function piecewise(ev: LibraryMachine, call: Call): Value {
  const [x, conditions, functions] = call.args;
  if (call.args.length !== 3 || call.keywords.size > 0)
    throw new Unsupported('numpy.piecewise() with more arguments', call.position);
  const { position } = call;
  const array = ev.arrays.toArray(x, position);
  const flat = ev.arrays.flat(array);
  const items = ev.arrays.items(flat);
  const listed = ev.sequences.iterate(conditions, position);
  const masks = listed.map((c) =>
    ev.arrays.items(ev.arrays.flat(ev.arrays.toArray(c, position))).map((s) => ev.ops.truthScalar(s)),
  );
  const choices = ev.sequences.iterate(functions, position);
  if (masks.some((mask) => mask.length !== items.length))
    throw new Unsupported('numpy.piecewise() with these conditions', position);
  if (choices.length === masks.length + 1) {
    masks.push(
      items.map((_, k) => ev.ops.not(masks.reduce<Scalar>((any, mask) => ev.ops.or(any, mask[k]), bool(false)))),
    );
  }
  if (choices.length !== masks.length) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  let results: Scalar[] = items.map(() => known(flat.kind, 0));
  masks.forEach((mask, c) => {
    const choice = choices[c];
    ev.arrays.refuseSometimesInt(flat, position);
    const chosen = masked(flat.kind, items, mask);
    const value = ['function', 'builtin', 'instance'].includes(choice.tag)
      ? callAt(ev, choice, [chosen], call)
      : choice;
    const column =
      value.tag === 'masked'
        ? value.items.map((item) => item.value)
        : items.map(() => scalar(ev, 'numpy.piecewise', value, call));
    results = results.map((before, k) =>
      ev.ops.retag(ev.ops.select(mask[k], ev.arrays.convert(column[k], flat.kind, position), before), flat.kind),
    );
  });
  return ev.arrays.make(array.shape, flat.kind, results);
}

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

/** A reduction of what is not NaN: NaN counts as `neutral`. */
function withoutNaN(name: string, neutral: number, reduced: string): Implementation {
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

function nanExtremum(which: 'max' | 'min'): Implementation {
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

function nanMean(ev: LibraryMachine, call: Call): Value {
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
function nanVariance(ev: LibraryMachine, name: string, call: Call): Value {
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

function vectorOf(ev: LibraryMachine, name: string, value: Value | undefined, call: Call): NdArray {
  const array = arrayOf(ev, name, value, call);
  if (array.shape.length !== 1) throw new Unsupported(`numpy.${name}() of what is no vector`, call.position);
  return array;
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

/** Covariance of rows; NumPy leaves the order of the sums to its inner products. */
function covariance(ev: LibraryMachine, call: Call): Value {
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

export const NUMPY_ANALYSIS: Readonly<Record<string, Implementation>> = {
  cumsum: cumulative('cumsum', '+'),
  cumprod: cumulative('cumprod', '*'),
  diff,
  ediff1d: (ev, call) => {
    const { ary } = named('numpy.ediff1d', call, ['ary']);
    return diff(ev, { ...call, args: [ev.arrays.flat(arrayOf(ev, 'ediff1d', ary, call))], keywords: new Map() });
  },
  sort,
  argsort,
  median,
  quantile: quantiles('quantile', 1),
  percentile: quantiles('percentile', 100),
  partition,
  argpartition,
  average,
  trapz: trapezoid,
  gradient,
  convolve,
  cross,
  einsum,
  tensordot,
  nonzero: (ev, call) => nonzero(ev, required('numpy.nonzero', call.args[0], call), call),
  flatnonzero: (ev, call) => {
    const flat = ev.arrays.flat(arrayOf(ev, 'flatnonzero', call.args[0], call));
    return ev.sequences.iterate(nonzero(ev, flat, call), call.position)[0];
  },
  argwhere,
  searchsorted,
  digitize,
  unique,
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
  logaddexp: elementwise('logaddexp', 2, logAddExp, 'npfloat'),
  sinc: elementwise('sinc', 1, sinc, 'npfloat'),
  nextafter: elementwise('nextafter', 2, nextAfter, 'npfloat'),
  modf,
  divmod: (ev, call) => tuple([ev.calls.numpy('floor_divide', call), ev.calls.numpy('mod', call)]),
  nansum: withoutNaN('nansum', 0, 'sum'),
  nanprod: withoutNaN('nanprod', 1, 'prod'),
  nanmax: nanExtremum('max'),
  nanmin: nanExtremum('min'),
  nanmean: nanMean,
  nanvar: (ev, call) => nanVariance(ev, 'nanvar', call),
  nanstd: (ev, call) =>
    ev.calls.numpy('sqrt', { ...call, args: [nanVariance(ev, 'nanstd', call)], keywords: new Map() }),
  spacing: elementwise('spacing', 1, spacing, 'npfloat'),
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
  logical_xor: elementwise(
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
  conj: elementwise('conj', 1, (_ev, call, s) => {
    // np.int8, which is not translated.
    if (isBoolKind(s.kind)) throw new Unsupported('numpy.conj() of truth values', call.position);
    return s;
  }),
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

export const NUMPY_LINALG_MORE: Readonly<Record<string, Implementation>> = {
  matrix_power: matrixPower,
  cholesky: (ev, call) => ev.ops.loosely(8, () => cholesky(ev, call)),
};
