/**
 * Values chosen by conditions, or looked up in tables.
 */
import { LaneStatus } from '../../ir/types.js';
import { int, known, Unsupported, type ArrayKind, type Call, type Scalar, type Value } from '../values/values.js';
import { named, required, scalar } from './arguments.js';
import { astype } from './dtypes.js';
import type { LibraryMachine } from './library-machine.js';
import { nonzero } from './numpy-places.js';

export function where(ev: LibraryMachine, call: Call): Value {
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

export function polyval(ev: LibraryMachine, call: Call): Value {
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
export function select(ev: LibraryMachine, call: Call): Value {
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
export function interp(ev: LibraryMachine, call: Call): Value {
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
