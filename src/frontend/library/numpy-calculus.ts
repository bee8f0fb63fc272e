/**
 * Calculus on samples, and products of arrays.
 */
import { LaneStatus } from '../../ir/types.js';
import { npfloat } from '../arrays/floats.js';
import { isBoolKind, toNumPyKind, tuple, Unsupported, type Call, type Scalar, type Value } from '../values/values.js';
import { named } from './arguments.js';
import type { LibraryMachine } from './library-machine.js';
import { alongAxis, flattening, isKnown, lastAxis, range } from './numpy-axes.js';
import { arrayOf } from './numpy-shape.js';
import type { Implementation } from './numpy-row.js';

export function cumulative(name: string, operator: '+' | '*'): Implementation {
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

export function diff(ev: LibraryMachine, call: Call): Value {
  const { a, n, axis } = named('numpy.diff', call, ['a', 'n', 'axis']);
  let array = arrayOf(ev, 'diff', a, call);
  const order = n === undefined ? 1 : ev.items.staticInt(n, call.position, 'an order');
  if (order < 0 || array.shape.length === 0) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  if (array.kind === 'npbool') throw new Unsupported('numpy.diff() of truth values', call.position);
  const along = lastAxis(ev, axis, array, call);
  for (let k = 0; k < order && array.shape[along] > 0; k++) {
    ev.work.step(call.position, 1 + array.cells.length);
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

// ---- calculus on samples

const part = (lower: number | null, upper: number | null): Value => ({ tag: 'slice', lower, upper, step: null });

const lastPart = (lower: number | null, upper: number | null): Value =>
  tuple([{ tag: 'ellipsis' }, part(lower, upper)]);

export function trapezoid(ev: LibraryMachine, call: Call): Value {
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

export function gradient(ev: LibraryMachine, call: Call): Value {
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
export function convolve(ev: LibraryMachine, call: Call): Value {
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

export function cross(ev: LibraryMachine, call: Call): Value {
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
export function einsum(ev: LibraryMachine, call: Call): Value {
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

export function tensordot(ev: LibraryMachine, call: Call): Value {
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
