/**
 * Values that `x[x > 0]`, `np.where(x > 0)[0]` and the like give: elements of an array of which some are there on some
 * lanes only. There are as many items as the array has elements, each with the truth value of its being there. Where
 * rows of a matrix are chosen, the items are the elements of all rows, in order.
 */
import { LaneStatus } from '../../ir/types.js';
import type { Position } from '../syntax/ast.js';
import type { ArrayMachine } from './array-machine.js';
import {
  NONE,
  Unsupported,
  bool,
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
} from '../values/values.js';
import { table, type Table } from '../values/table.js';

export function masked(
  kind: ArrayKind,
  values: readonly Scalar[],
  mask: readonly Scalar[],
  width?: number,
): MaskedValue {
  const items = values.map((value, k) => ({ value, present: mask[k] }));
  return width === undefined ? { tag: 'masked', kind, items } : { tag: 'masked', kind, items, width };
}

type Item = MaskedValue['items'][number];

/** The items of each row, where it has rows. */
function rowsOf({ items, width = 1 }: MaskedValue): Item[][] {
  return Array.from({ length: items.length / width }, (_, k) => items.slice(k * width, (k + 1) * width));
}

function refuseRows(value: MaskedValue, what: string, position: Position): void {
  if (value.width !== undefined) throw new Unsupported(`${what} of rows chosen by a mask`, position);
}

const isSameScalar = (a: Scalar, b: Scalar): boolean =>
  a === b || (a.known === undefined ? b.known === undefined && a.id === b.id : a.known === b.known);

export const isSameMask = (mask: readonly Scalar[], value: MaskedValue): boolean =>
  mask.length === value.items.length && mask.every((m, k) => isSameScalar(m, value.items[k].present));

/** Element-wise, computed where the element is there. */
export function mapMasked(
  ev: ArrayMachine,
  values: readonly Value[],
  fn: (...s: Scalar[]) => Scalar,
  position: Position,
  kind?: ArrayKind,
): MaskedValue {
  const all = alike(ev, values, position);
  const first = all.find((v): v is MaskedValue => v.tag === 'masked') as MaskedValue;
  const { width } = first;
  const mask = first.items.map((item) => item.present);
  const columns = all.map((value): readonly Scalar[] => {
    if (value.tag === 'masked') return value.items.map((item) => item.value);
    const array = ev.arrays.toArray(value, position);
    const items = ev.arrays.items(array).map((s) => ev.ops.retag(s, array.kind));
    if (width !== undefined && array.shape.length === 1 && array.shape[0] === width) {
      return mask.map((_, k) => items[k % width]);
    }
    if (items.length !== 1 || array.shape.length > (width === undefined ? 1 : 2))
      throw new Unsupported('an array beside one that is chosen by a mask', position);
    return mask.map(() => items[0]);
  });
  ev.work.step(position, mask.length);
  const results = mask.map((present, k): Scalar => {
    if (present.known === 0) return known('npfloat', 0);
    const held = ev.cells.cell(undefined);
    ev.branches.branch(
      present,
      () => {
        ev.ops.line = position.line;
        ev.cells.write(held, fn(...columns.map((column) => column[k])));
        return NONE;
      },
      () => NONE,
      position,
    );
    const value = held.value;
    // Where it is there, it raises.
    if (value === undefined) return known('npfloat', 0);
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
  if (resultKind === 'npfloat') refuseIntegers(ev, there, position);
  return masked(
    resultKind,
    results.map((r) => ev.ops.retag(r, resultKind)),
    mask,
    width,
  );
}

/**
 * Elements that are floats on some lanes and integers on others: on which their array is one of integers, is not known.
 */
function refuseIntegers(ev: ArrayMachine, items: readonly Scalar[], position: Position): void {
  if (items.some((s) => ev.ops.isSometimesInt(s)))
    throw new Unsupported('chosen elements that are integers or floats, depending on x', position);
}

/** Operands of which all that are chosen are chosen by the same mask. */
function alike(ev: ArrayMachine, values: readonly Value[], position: Position): readonly Value[] {
  const chosen = values.filter((v): v is MaskedValue => v.tag === 'masked');
  const [first, ...others] = chosen;
  const mask = first.items.map((item) => item.present);
  if (others.every((v) => v.width === first.width && isSameMask(mask, v))) return values;
  for (const v of chosen) refuseRows(v, 'an operation on elements of several masks, one', position);
  // Moved to the front, the elements of two masks stand side by side; those of different numbers are CPython's.
  const counts = chosen.map((v) => maskedCount(ev, v, position));
  for (const n of counts) ev.ops.check(ev.ops.compare('!=', n, counts[0]), LaneStatus.Untranslated);
  const length = Math.min(...chosen.map((v) => v.items.length));
  const present = Array.from({ length }, (_, k) => ev.ops.compare('>', counts[0], int(k)));
  return values.map((v) =>
    v.tag === 'masked' ? masked(v.kind, inFront(ev, v, position).slice(0, length), present) : v,
  );
}

/** How many of the items before each are there. */
export function ranks(ev: ArrayMachine, items: readonly { readonly present: Scalar }[], position: Position): Scalar[] {
  let rank: Scalar = int(0);
  return items.map(({ present }) => {
    const before = rank;
    rank = ev.ops.binary('+', rank, ev.ops.retag(present, 'int'), position);
    return before;
  });
}

/** The element that has `rank` others before it; any number where there is none. */
function atRank(ev: ArrayMachine, value: MaskedValue, before: readonly Scalar[], rank: Scalar): Scalar {
  const { ops } = ev;
  const chosen = value.items.reduceRight<Scalar>(
    (rest, item, j) => {
      const isIt = ops.and(item.present, ops.compare('==', before[j], rank));
      return ops.retag(ops.select(isIt, item.value, rest), value.kind);
    },
    known(value.kind, 0),
  );
  return ops.retag(chosen, value.kind);
}

/** The elements that are there, without gaps; behind them anything. */
function inFront(ev: ArrayMachine, value: MaskedValue, position: Position): Scalar[] {
  const { items } = value;
  ev.work.step(position, (items.length * items.length) / 4);
  const before = ranks(ev, items, position);
  return items.map((_, k) => atRank(ev, { ...value, items: items.slice(k) }, before.slice(k), int(k)));
}

/** `v[k]`, `v[-1]`, `v[a:b]`, `v[::-1]`, and columns of chosen rows. */
export function maskedItem(ev: ArrayMachine, value: MaskedValue, index: Value, position: Position): Value {
  const { ops } = ev;
  const { items, width } = value;
  if (index.tag === 'tuple' && width !== undefined && index.items.length === 2) {
    const [rows, column] = index.items;
    const isAll = rows.tag === 'slice' && rows.lower === null && rows.upper === null && (rows.step ?? 1) === 1;
    if (isAll && column.tag === 'scalar') {
      const j = ev.items.staticIndex(column, width, position, 'IndexError');
      return { tag: 'masked', kind: value.kind, items: rowsOf(value).map((row) => row[j]) };
    }
  }
  refuseRows(value, 'an index', position);
  if (index.tag === 'slice') {
    const { lower, upper, step } = index;
    if (step === -1 && lower === null && upper === null) return { ...value, items: [...items].reverse() };
    if ((step ?? 1) !== 1) throw new Unsupported('a slice with a step of elements chosen by a mask', position);
    const before = ranks(ev, items, position);
    const after = ranks(ev, [...items].reverse(), position).reverse();
    const isWithin = (k: number): Scalar => {
      const from =
        lower === null
          ? bool(true)
          : lower >= 0
            ? ops.compare('>=', before[k], int(lower))
            : ops.compare('<', after[k], int(-lower));
      const to =
        upper === null
          ? bool(true)
          : upper >= 0
            ? ops.compare('<', before[k], int(upper))
            : ops.compare('>=', after[k], int(-upper));
      return ops.and(from, to);
    };
    return { ...value, items: items.map((item, k) => ({ ...item, present: ops.and(item.present, isWithin(k)) })) };
  }
  if (index.tag !== 'scalar' || isBoolKind(index.kind)) {
    throw new Unsupported('an index of elements chosen by a mask other than a number or a slice', position);
  }
  if (index.kind === 'float' || index.kind === 'npfloat') return ops.refuseIndex(index, 'IndexError');
  ev.work.step(position, items.length);
  const count = maskedCount(ev, value, position);
  const isLast = index.known === -1;
  if (index.known === 0 || isLast) {
    ops.check(ops.isZero(count), LaneStatus.IndexRange);
    const order = isLast ? [...items].reverse() : items;
    const first = order.reduceRight<Scalar>(
      (rest, item) => ops.retag(ops.select(item.present, item.value, rest), value.kind),
      known(value.kind, 0),
    );
    return ops.retag(first, value.kind);
  }
  const negative = ops.compare('<', index, int(0));
  const rank = ops.select(negative, ops.binary('+', index, count, position), index);
  const isOutside = ops.or(ops.compare('<', rank, int(0)), ops.compare('>=', rank, count));
  ops.check(isOutside, LaneStatus.IndexRange);
  return atRank(ev, value, ranks(ev, items, position), rank);
}

/** The elements from the smallest to the largest: in front, those that are not there behind. */
function sorted(ev: ArrayMachine, value: MaskedValue, position: Position): MaskedValue {
  const { ops } = ev;
  const a = [...value.items];
  // With NaN the order depends on the algorithm.
  for (const { value: s, present } of a) ops.check(ops.and(present, ops.isNaN(s)), LaneStatus.Untranslated);
  ev.work.step(position, a.length * a.length);
  for (let i = 1; i < a.length; i++) {
    for (let j = i; j > 0; j--) {
      const [p, q] = [a[j - 1], a[j]];
      const swap = ops.and(q.present, ops.or(ops.not(p.present), ops.compare('>', p.value, q.value)));
      const pick = (yes: Scalar, no: Scalar, kind: Scalar['kind']): Scalar =>
        ops.retag(ops.select(swap, yes, no), kind);
      a[j - 1] = { value: pick(q.value, p.value, value.kind), present: pick(q.present, p.present, 'bool') };
      a[j] = { value: pick(p.value, q.value, value.kind), present: pick(p.present, q.present, 'bool') };
    }
  }
  return { ...value, items: a };
}

/** The different numbers among some, in order. */
export function distinct(ev: ArrayMachine, kind: ArrayKind, items: readonly Item[], position: Position): MaskedValue {
  const { ops } = ev;
  for (const { value: s, present } of items) {
    // Of zeros of two signs one is left, which one depends on the order.
    const isOpen = ops.and(present, ops.and(ops.isZero(s), ops.signBit(s)));
    ops.check(isOpen, LaneStatus.Untranslated);
  }
  const order = sorted(ev, { tag: 'masked', kind, items }, position);
  return {
    ...order,
    items: order.items.map((item, k) => {
      if (k === 0) return item;
      const isNew = ops.compare('!=', item.value, order.items[k - 1].value);
      return { ...item, present: ops.and(item.present, isNew) };
    }),
  };
}

function median(ev: ArrayMachine, value: MaskedValue, position: Position): Scalar {
  const { ops } = ev;
  const { items } = sorted(ev, value, position);
  const floats = items.map((item) => ops.fromZero(ops.retag(item.value, 'npfloat')));
  const count = maskedCount(ev, value, position);
  return floats.reduce<Scalar>(
    (rest, _, k) => {
      const n = k + 1;
      const half = n >> 1;
      const sum = n % 2 === 1 ? floats[half] : ops.binary('+', floats[half - 1], floats[half], position);
      const middle = n % 2 === 1 ? sum : ops.binary('/', sum, known('npfloat', 2), position);
      return ops.retag(ops.select(ops.compare('==', count, int(n)), middle, rest), 'npfloat');
    },
    known('npfloat', NaN),
  );
}

function difference(ev: ArrayMachine, value: MaskedValue, position: Position): MaskedValue {
  if (isBoolKind(value.kind)) throw new Unsupported('numpy.diff() of truth values', position);
  const values = inFront(ev, value, position);
  const count = maskedCount(ev, value, position);
  return masked(
    value.kind,
    values.slice(1).map((s, k) => ev.ops.retag(ev.ops.binary('-', s, values[k], position), value.kind)),
    values.slice(1).map((_, k) => ev.ops.compare('>', count, int(k + 1))),
  );
}

function cumulativeSum(ev: ArrayMachine, value: MaskedValue, position: Position): MaskedValue {
  const kind = isBoolKind(value.kind) ? 'npint' : value.kind;
  let total: Scalar = known(kind, kind === 'npfloat' ? -0 : 0);
  const items = value.items.map(({ value: s, present }) => {
    const sum = ev.ops.binary('+', total, ev.ops.retag(s, kind), position);
    total = ev.ops.retag(ev.ops.select(present, sum, total), kind);
    return { value: total, present };
  });
  return { tag: 'masked', kind, items };
}

/** The position of the first extreme element; NaN counts as the extreme. */
function argExtremum(ev: ArrayMachine, which: 'max' | 'min', value: MaskedValue, position: Position): Scalar {
  const { ops } = ev;
  ops.check(ops.isZero(maskedCount(ev, value, position)), LaneStatus.Raised, 'ValueError');
  const before = ranks(ev, value.items, position);
  let best: Scalar = known(value.kind, 0);
  let index: Scalar = int(0);
  let found: Scalar = bool(false);
  value.items.forEach(({ value: s, present }, k) => {
    const beats = ops.or(ops.compare(which === 'max' ? '>' : '<', s, best), ops.isNaN(s));
    const wins = ops.and(present, ops.or(ops.not(found), ops.and(beats, ops.not(ops.isNaN(best)))));
    best = ops.retag(ops.select(wins, s, best), value.kind);
    index = ops.select(wins, before[k], index);
    found = ops.or(found, present);
  });
  return ops.retag(index, 'npint');
}

/** The sum of products; NumPy leaves its order to the BLAS library. */
export function maskedDot(ev: ArrayMachine, a: Value, b: Value, position: Position): Value {
  const isSingle = (v: Value): boolean => v.tag !== 'masked' && ev.arrays.toArray(v, position).cells.length === 1;
  if (isSingle(a) || isSingle(b))
    throw new Unsupported('a product of elements chosen by a mask with one number', position);
  const products = mapMasked(ev, [a, b], (p, q) => ev.ops.binary('*', p, q, position), position);
  refuseRows(products, 'a product', position);
  const kind = isBoolKind(products.kind) ? 'npint' : products.kind;
  // -0 + a is a for every a.
  const total = fold(ev, products, known(kind, kind === 'npfloat' ? -0 : 0), (t, s) =>
    ev.ops.binary('+', t, ev.ops.retag(s, kind), position),
  );
  const sizes = ev.ops.statesErrors
    ? fold(ev, products, known(kind, 0), (t, s) => ev.ops.binary('+', t, ev.ops.abs(ev.ops.retag(s, kind)), position))
    : total;
  const isProduct = ev.ops.compare('==', maskedCount(ev, products, position), int(1));
  const sum = ev.ops.retag(ev.ops.select(isProduct, total, ev.ops.fromZero(total)), kind);
  return ev.ops.anyOrderOf(sum, sizes, products.items.length);
}

/** How many elements there are, or rows. */
export function maskedLength(ev: ArrayMachine, value: MaskedValue, position: Position): Scalar {
  return maskedCount(ev, { ...value, items: rowsOf(value).map(([first]) => first) }, position);
}

/** How many elements there are. */
export function maskedCount(ev: ArrayMachine, value: MaskedValue, position: Position): Scalar {
  return value.items.reduce<Scalar>(
    (n, { present }) => ev.ops.binary('+', n, ev.ops.retag(present, 'int'), position),
    int(0),
  );
}

/** As a list whose items are there on some lanes. */
export const filteredOf = (ev: ArrayMachine, value: MaskedValue): FilteredValue => ({
  tag: 'filtered',
  isGenerator: false,
  hasEffects: false,
  items: rowsOf(value)
    .filter(([{ present }]) => present.known !== 0)
    .map((row) => {
      const [{ value: only, present }] = row;
      if (value.width === undefined) return { value: only, present };
      const numbers = row.map((item) => item.value);
      return { value: ev.arrays.make([value.width], value.kind, numbers), present };
    }),
});

/** Array that `np.array` makes of a list of floats of which some are there on some lanes only. */
export function maskedOf(ev: ArrayMachine, value: FilteredValue, position: Position): MaskedValue {
  const items = value.items.map(({ value: s, present }) => {
    // An empty list makes an array of floats.
    if (s.tag !== 'scalar' || toNumPyKind(s.kind) !== 'npfloat')
      throw new Unsupported('an array of a list filtered by x that holds anything but floats', position);
    refuseIntegers(ev, [s], position);
    return { value: s.kind === 'npfloat' ? s : { ...s, kind: 'npfloat' as const }, present };
  });
  return { tag: 'masked', kind: 'npfloat', items };
}

function sum(ev: ArrayMachine, value: MaskedValue, position: Position): Scalar {
  return value.kind === 'npfloat' ? pairwiseSum(ev, value, position) : fromLeftToRight(ev, value, position);
}

function fromLeftToRight(ev: ArrayMachine, value: MaskedValue, position: Position): Scalar {
  const { ops } = ev;
  const kind = isBoolKind(value.kind) ? 'npint' : value.kind;
  return fold(ev, value, known(kind, 0), (rest, s) =>
    ops.retag(ops.binary('+', rest, ops.retag(s, kind), position), kind),
  );
}

/** Numbers that NumPy adds in eight sums side by side; of more it makes two parts. */
const MOST_SIDE_BY_SIDE = 128;
const SUMS = 8;

/**
 * As NumPy adds `n` numbers: the first n - n % 8 in eight sums in turn, these as a tree, then the others from left to
 * right. Empty sums are -0.0, which changes no number.
 */
function pairwiseSum(ev: ArrayMachine, value: MaskedValue, position: Position): Scalar {
  const { ops } = ev;
  const items = value.items.filter(({ present }) => present.known !== 0);
  if (items.length < SUMS) return fromLeftToRight(ev, value, position);
  ev.work.step(position, SUMS * items.length);
  const add = (a: Scalar, b: Scalar): Scalar => ops.retag(ops.binary('+', a, b, position), 'npfloat');
  const choose = (isFirst: Scalar, a: Scalar, b: Scalar): Scalar => ops.retag(ops.select(isFirst, a, b), 'npfloat');
  const count = maskedCount(ev, value, position);
  if (items.length > MOST_SIDE_BY_SIDE)
    ops.check(ops.compare('>', count, int(MOST_SIDE_BY_SIDE)), LaneStatus.Untranslated);
  const whole = ops.binary('-', count, ops.binary('%', count, int(SUMS), position), position);
  const before = ranks(ev, items, position);
  let sums = new Array<Scalar>(SUMS).fill(known('npfloat', -0));
  items.forEach(({ value: s, present }, k) => {
    const isTaken = ops.and(present, ops.compare('<', before[k], whole));
    // The next in turn is in front.
    const turned = [...sums.slice(1), add(sums[0], s)];
    sums = sums.map((each, j) => choose(isTaken, turned[j], each));
  });
  const [a, b, c, d, e, f, g, h] = sums;
  const tree = add(add(add(a, b), add(c, d)), add(add(e, f), add(g, h)));
  return items.reduce((total, { value: s, present }, k) => {
    const isLeft = ops.and(present, ops.compare('>=', before[k], whole));
    return choose(isLeft, add(total, s), total);
  }, tree);
}

/** From `start` on, with what is there. */
function fold(ev: ArrayMachine, value: MaskedValue, start: Scalar, add: (total: Scalar, s: Scalar) => Scalar): Scalar {
  return value.items.reduce(
    (total, { value: s, present }) =>
      present.known === 0 ? total : ev.ops.retag(ev.ops.select(present, add(total, s), total), start.kind),
    start,
  );
}

function extremum(ev: ArrayMachine, which: 'max' | 'min', value: MaskedValue, position: Position): Scalar {
  const { ops } = ev;
  ops.check(ops.isZero(maskedCount(ev, value, position)), LaneStatus.Raised, 'ValueError');
  if (value.kind !== 'npfloat') return integerExtremum(ev, which, value);
  const start = known('npfloat', which === 'max' ? -Infinity : Infinity);
  return fold(ev, value, start, (best, s) => ops.npExtremum(which, best, s));
}

function integerExtremum(ev: ArrayMachine, which: 'max' | 'min', value: MaskedValue): Scalar {
  const { ops } = ev;
  let found: Scalar = bool(false);
  let best: Scalar = known(value.kind, 0);
  for (const { value: s, present } of value.items) {
    const wins = ops.and(present, ops.or(ops.not(found), ops.compare(which === 'max' ? '>' : '<', s, best)));
    best = ops.retag(ops.select(wins, s, best), value.kind);
    found = ops.or(found, present);
  }
  return best;
}

type Reduction = (ev: ArrayMachine, value: MaskedValue, position: Position, ddof: number) => Scalar;

function mean(ev: ArrayMachine, value: MaskedValue, position: Position): Scalar {
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

function variance(ev: ArrayMachine, value: MaskedValue, position: Position, ddof: number): Scalar {
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

const REDUCTIONS: Table<Reduction> = table({
  sum: (ev, v, p) => ev.ops.binary('+', sum(ev, v, p), known(v.kind === 'npfloat' ? 'npfloat' : 'npint', 0), p),
  prod: (ev, v, p) => {
    const kind = isBoolKind(v.kind) ? 'npint' : v.kind;
    return fold(ev, v, known(kind, 1), (total, s) =>
      ev.ops.retag(ev.ops.binary('*', total, ev.ops.retag(s, kind), p), kind),
    );
  },
  mean,
  var: variance,
  std: (ev, v, p, ddof) => ev.ops.sqrt(variance(ev, v, p, ddof), 'npfloat'),
  max: (ev, v, p) => extremum(ev, 'max', v, p),
  min: (ev, v, p) => extremum(ev, 'min', v, p),
  any: (ev, v) =>
    ev.ops.retag(
      v.items.reduce<Scalar>(
        (a, { value, present }) => ev.ops.or(a, ev.ops.and(present, ev.ops.truthScalar(value))),
        known('bool', 0),
      ),
      'npbool',
    ),
  all: (ev, v) =>
    ev.ops.retag(
      v.items.reduce<Scalar>(
        (a, { value, present }) => ev.ops.and(a, ev.ops.or(ev.ops.not(present), ev.ops.truthScalar(value))),
        known('bool', 1),
      ),
      'npbool',
    ),
  count_nonzero: (ev, v, p) =>
    v.items.reduce<Scalar>(
      (n, { value, present }) =>
        ev.ops.binary('+', n, ev.ops.retag(ev.ops.and(present, ev.ops.truthScalar(value)), 'int'), p),
      int(0),
    ),
  size: (ev, v, p) => maskedCount(ev, v, p),
});

/** Functions that give no number: of one argument. */
const FUNCTIONS: Table<(ev: ArrayMachine, value: MaskedValue, position: Position) => Value> = table({
  sort: sorted,
  unique: (ev, v, p) => distinct(ev, v.kind, v.items, p),
  median,
  diff: difference,
  cumsum: cumulativeSum,
  argmax: (ev, v, p) => argExtremum(ev, 'max', v, p),
  argmin: (ev, v, p) => argExtremum(ev, 'min', v, p),
  array: (_ev, v) => v,
  asarray: (_ev, v) => v,
  copy: (_ev, v) => v,
  'linalg.norm': (ev, v, p) => ev.ops.sqrt(ev.ops.retag(maskedDot(ev, v, v, p) as Scalar, 'npfloat'), 'npfloat'),
});

const ANY_SHAPE = new Set(['array', 'asarray', 'copy']);

const ALIASES: Table<string> = table({ amax: 'max', amin: 'min' });

/**
 * A function of NumPy of which the argument is chosen by a mask; null for those that are computed element by element.
 */
export function ofMasked(ev: ArrayMachine, name: string, value: MaskedValue, call: Call): Value | null {
  const { position } = call;
  if ((name === 'ravel' || name === 'flatten') && call.args.length === 1 && call.keywords.size === 0)
    return { tag: 'masked', kind: value.kind, items: value.items };
  const made = FUNCTIONS[name];
  if (made !== undefined) {
    if (call.args.length > 1 || call.keywords.size > 0)
      throw new Unsupported(`numpy.${name}() with more arguments, of elements chosen by a mask`, position);
    if (!ANY_SHAPE.has(name)) refuseRows(value, `numpy.${name}()`, position);
    return made(ev, value, position);
  }
  const plain = ALIASES[name] ?? name;
  const reduction = REDUCTIONS[plain];
  if (reduction === undefined) return null;
  const ddof = call.keywords.get('ddof');
  const [, second] = call.args;
  if (second !== undefined && call.keywords.has('axis'))
    throw new Unsupported(`numpy.${name}() with two axes`, position);
  const axis = call.keywords.get('axis') ?? second;
  for (const key of call.keywords.keys()) {
    if (key !== 'ddof' && key !== 'axis')
      throw new Unsupported(`the argument '${key}' of numpy.${name}() of elements chosen by a mask`, position);
  }
  if (call.args.length > 2)
    throw new Unsupported(`numpy.${name}() with more arguments, of elements chosen by a mask`, position);
  const freedom = ddof === undefined ? 0 : ev.items.staticInt(ddof, position, 'ddof');
  if (axis === undefined || axis.tag === 'none') return reduction(ev, value, position, freedom);
  const along = ev.items.staticInt(axis, position, 'an axis');
  if (value.width === undefined && (along === 0 || along === -1)) return reduction(ev, value, position, freedom);
  if (value.width === undefined || along < -2 || along > 1) return ev.ops.raise(LaneStatus.Raised, 'numpy.AxisError');
  if (along === 1 || along === -1) return alongRows(ev, plain, value, call);
  return alongColumns(ev, plain, value, position);
}

/** One number for each row. */
function alongRows(ev: ArrayMachine, name: string, value: MaskedValue, call: Call): Value {
  const { width = 1, kind } = value;
  const rows = rowsOf(value);
  const results = rows.map((row) => {
    const array = ev.arrays.make(
      [width],
      kind,
      row.map((item) => item.value),
    );
    const keywords = new Map([...call.keywords].filter(([key]) => key !== 'axis'));
    return ev.calls.numpy(name, { ...call, args: [array], keywords }) as Scalar;
  });
  const resultKind = toNumPyKind(results[0]?.kind ?? 'npfloat');
  return masked(
    resultKind,
    results,
    rows.map(([first]) => first.present),
  );
}

/** One number for each column, computed row by row. */
function alongColumns(ev: ArrayMachine, name: string, value: MaskedValue, position: Position): Value {
  const { width = 1, kind } = value;
  const { ops } = ev;
  if (width < 2) throw new Unsupported('a sum along the only column of rows chosen by a mask', position);
  const rows = rowsOf(value);
  const columns = Array.from({ length: width }, (_, j): MaskedValue => ({
    tag: 'masked',
    kind,
    items: rows.map((row) => row[j]),
  }));
  const add = (column: MaskedValue): Scalar => {
    const sumKind = isBoolKind(kind) ? 'npint' : kind;
    const start = known(sumKind, sumKind === 'npfloat' ? -0 : 0);
    const total = fold(ev, column, start, (t, s) => ops.binary('+', t, ops.retag(s, sumKind), position));
    return ops.binary('+', total, known(sumKind, 0), position);
  };
  const results = columns.map((column): Scalar => {
    switch (name) {
      case 'sum':
        return add(column);
      case 'mean': {
        const count = ops.retag(maskedCount(ev, column, position), 'npfloat');
        return ops.binary('/', ops.retag(add(column), 'npfloat'), count, position);
      }
      case 'max':
      case 'min':
        return extremum(ev, name, column, position);
      case 'any':
      case 'all':
        return (REDUCTIONS[name] as Reduction)(ev, column, position, 0);
      default:
        throw new Unsupported(`numpy.${name}() along the columns of rows chosen by a mask`, position);
    }
  });
  return ev.arrays.make([width], toNumPyKind(results[0].kind), results);
}
