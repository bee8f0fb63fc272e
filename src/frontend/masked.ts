/**
 * What `x[x > 0]` gives: elements of an array of which some are there on some lanes only. As many items as the array has
 * elements, each with the truth value of its being there.
 */
import { LaneStatus } from '../ir/types.js';
import type { Position } from './ast.js';
import type { Evaluator } from './evaluator.js';
import {
  NONE,
  Unsupported,
  int,
  isBoolKind,
  known,
  toNumPyKind,
  type ArrayKind,
  type Call,
  type FilteredValue,
  type MaskedValue,
  type Scalar,
  type Value,
} from './values.js';

export function masked(kind: ArrayKind, values: readonly Scalar[], mask: readonly Scalar[]): MaskedValue {
  return { tag: 'masked', kind, items: values.map((value, k) => ({ value, present: mask[k] })) };
}

export const isSameScalar = (a: Scalar, b: Scalar): boolean =>
  a === b || (a.known === undefined ? b.known === undefined && a.id === b.id : a.known === b.known);

export const isSameMask = (mask: readonly Scalar[], value: MaskedValue): boolean =>
  mask.length === value.items.length && mask.every((m, k) => isSameScalar(m, value.items[k].present));

/** Element-wise, computed where the element is there. */
export function mapMasked(
  ev: Evaluator,
  values: readonly Value[],
  fn: (...s: Scalar[]) => Scalar,
  position: Position,
  kind?: ArrayKind,
): MaskedValue {
  const first = values.find((v): v is MaskedValue => v.tag === 'masked') as MaskedValue;
  const mask = first.items.map((item) => item.present);
  const columns = values.map((value): readonly Scalar[] => {
    if (value.tag === 'masked') {
      // Of two masks that hold for different elements the results have different lengths.
      if (!isSameMask(mask, value)) throw new Unsupported('arrays chosen by two masks that depend on x', position);
      return value.items.map((item) => item.value);
    }
    const array = ev.arrays.toArray(value, position);
    if (array.cells.length !== 1) throw new Unsupported('an array beside one that is chosen by a mask', position);
    const [only] = ev.arrays.items(array);
    return mask.map(() => ev.ops.retag(only, array.kind));
  });
  ev.step(position, mask.length);
  const results = mask.map((present, k): Scalar => {
    if (present.known === 0) return known('npfloat', 0);
    const held = ev.cell(undefined);
    ev.branch(
      present,
      () => {
        ev.ops.line = position.line;
        ev.write(held, fn(...columns.map((column) => column[k])));
        return NONE;
      },
      () => NONE,
      position,
    );
    const value = held.value as Value;
    return (value.tag === 'maybe' ? value.value : value) as Scalar;
  });
  const there = results.filter((_, k) => mask[k].known !== 0);
  const resultKind =
    kind ??
    there
      .map((r) => toNumPyKind(r.kind))
      .reduce<ArrayKind>((a, b) => (a === b ? a : 'npfloat'), toNumPyKind(there[0]?.kind ?? 'npfloat'));
  if (kind === undefined && there.some((r) => toNumPyKind(r.kind) !== resultKind)) {
    throw new Unsupported('elements of several types chosen by a mask', position);
  }
  return masked(
    resultKind,
    results.map((r) => ev.ops.retag(r, resultKind)),
    mask,
  );
}

/** How many elements there are. */
export function maskedCount(ev: Evaluator, value: MaskedValue, position: Position): Scalar {
  return value.items.reduce<Scalar>(
    (n, { present }) => ev.ops.binary('+', n, ev.ops.retag(present, 'int'), position),
    int(0),
  );
}

/** As a list whose items are there on some lanes. */
export const filteredOf = (value: MaskedValue): FilteredValue => ({
  tag: 'filtered',
  isGenerator: false,
  items: value.items.filter(({ present }) => present.known !== 0),
});

/** NumPy adds up to seven numbers from left to right; from eight on the order depends on how many there are. */
function sum(ev: Evaluator, value: MaskedValue, position: Position): Scalar {
  const { ops } = ev;
  if (value.kind === 'npfloat') {
    const count = value.items.filter(({ present }) => present.known !== 0).length;
    if (count >= 8) ops.check(ops.compare('>=', maskedCount(ev, value, position), int(8)), LaneStatus.Untranslated);
  }
  const kind = isBoolKind(value.kind) ? 'npint' : value.kind;
  return fold(ev, value, known(kind, kind === 'npfloat' ? -0 : 0), (total, s) =>
    ops.retag(ops.binary('+', total, ops.retag(s, kind), position), kind),
  );
}

/** The first element there is starts: adding to -0 and multiplying by 1 change nothing. */
function fold(ev: Evaluator, value: MaskedValue, start: Scalar, add: (total: Scalar, s: Scalar) => Scalar): Scalar {
  return value.items.reduce(
    (total, { value: s, present }) =>
      present.known === 0 ? total : ev.ops.retag(ev.ops.select(present, add(total, s), total), start.kind),
    start,
  );
}

function extremum(ev: Evaluator, which: 'max' | 'min', value: MaskedValue, position: Position): Scalar {
  const { ops } = ev;
  ops.check(ops.isZero(maskedCount(ev, value, position)), LaneStatus.Raised, 'ValueError');
  const start = known(value.kind, value.kind === 'npfloat' ? (which === 'max' ? -Infinity : Infinity) : 0);
  if (value.kind !== 'npfloat') throw new Unsupported(`the ${which} of integers chosen by a mask`, position);
  return fold(ev, value, start, (best, s) => ops.npExtremum(which, best, s));
}

type Reduction = (ev: Evaluator, value: MaskedValue, position: Position, ddof: number) => Scalar;

function mean(ev: Evaluator, value: MaskedValue, position: Position): Scalar {
  const { ops } = ev;
  const floats: MaskedValue = {
    ...value,
    kind: 'npfloat',
    items: value.items.map(({ value: s, present }) => ({ value: ops.retag(s, 'npfloat'), present })),
  };
  const count = ops.retag(maskedCount(ev, value, position), 'npfloat');
  const total = ops.binary('+', sum(ev, floats, position), known('npfloat', 0), position);
  return ops.binary('/', total, count, position);
}

function variance(ev: Evaluator, value: MaskedValue, position: Position, ddof: number): Scalar {
  const { ops } = ev;
  const center = mean(ev, value, position);
  const squares = mapMasked(
    ev,
    [value],
    (s) => {
      const d = ops.binary('-', s, center, position);
      return ops.binary('*', d, d, position);
    },
    position,
    'npfloat',
  );
  const count = ops.retag(maskedCount(ev, value, position), 'npfloat');
  const rest = ops.npExtremum('max', ops.binary('-', count, known('npfloat', ddof), position), known('npfloat', 0));
  return ops.binary('/', ops.binary('+', sum(ev, squares, position), known('npfloat', 0), position), rest, position);
}

const REDUCTIONS: Readonly<Record<string, Reduction | undefined>> = Object.assign(Object.create(null), {
  sum: (ev: Evaluator, v: MaskedValue, p: Position) =>
    ev.ops.binary('+', sum(ev, v, p), known(v.kind === 'npfloat' ? 'npfloat' : 'npint', 0), p),
  prod: (ev: Evaluator, v: MaskedValue, p: Position) => {
    const kind = isBoolKind(v.kind) ? 'npint' : v.kind;
    return fold(ev, v, known(kind, 1), (total, s) =>
      ev.ops.retag(ev.ops.binary('*', total, ev.ops.retag(s, kind), p), kind),
    );
  },
  mean,
  var: variance,
  std: (ev: Evaluator, v: MaskedValue, p: Position, ddof: number) => ev.ops.sqrt(variance(ev, v, p, ddof), 'npfloat'),
  max: (ev: Evaluator, v: MaskedValue, p: Position) => extremum(ev, 'max', v, p),
  min: (ev: Evaluator, v: MaskedValue, p: Position) => extremum(ev, 'min', v, p),
  any: (ev: Evaluator, v: MaskedValue) =>
    ev.ops.retag(
      v.items.reduce<Scalar>(
        (a, { value, present }) => ev.ops.or(a, ev.ops.and(present, ev.ops.truthScalar(value))),
        known('bool', 0),
      ),
      'npbool',
    ),
  all: (ev: Evaluator, v: MaskedValue) =>
    ev.ops.retag(
      v.items.reduce<Scalar>(
        (a, { value, present }) => ev.ops.and(a, ev.ops.or(ev.ops.not(present), ev.ops.truthScalar(value))),
        known('bool', 1),
      ),
      'npbool',
    ),
  count_nonzero: (ev: Evaluator, v: MaskedValue, p: Position) =>
    v.items.reduce<Scalar>(
      (n, { value, present }) =>
        ev.ops.binary('+', n, ev.ops.retag(ev.ops.and(present, ev.ops.truthScalar(value)), 'int'), p),
      int(0),
    ),
  size: (ev: Evaluator, v: MaskedValue, p: Position) => maskedCount(ev, v, p),
});

const ALIASES: Readonly<Record<string, string | undefined>> = { amax: 'max', amin: 'min' };

/** A reduction of NumPy of which the argument is chosen by a mask; null for any other function. */
export function reduceMasked(ev: Evaluator, name: string, value: MaskedValue, call: Call): Value | null {
  const reduction = REDUCTIONS[ALIASES[name] ?? name];
  if (reduction === undefined) return null;
  const ddof = call.keywords.get('ddof');
  for (const key of call.keywords.keys()) {
    if (key !== 'ddof')
      throw new Unsupported(`the argument '${key}' of numpy.${name}() of elements chosen by a mask`, call.position);
  }
  if (call.args.length > 1)
    throw new Unsupported(`numpy.${name}() along an axis of elements chosen by a mask`, call.position);
  return reduction(ev, value, call.position, ddof === undefined ? 0 : ev.staticInt(ddof, call.position, 'ddof'));
}
