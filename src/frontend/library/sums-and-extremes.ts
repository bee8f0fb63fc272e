/**
 * Python's `sum`, `max` and `min`.
 */
import { addForms, constantForm } from '../../ir/index-form.js';
import { LaneStatus, type IndexForm } from '../../ir/types.js';
import { isNumber } from '../arrays/complex.js';
import { filteredOf } from '../arrays/masked.js';
import type { Position } from '../syntax/ast.js';
import {
  bool,
  float,
  int,
  isNumPyKind,
  RollFailure,
  typeName,
  Unsupported,
  type AnyValue,
  type Call,
  type FilteredValue,
  type Scalar,
  type Value,
} from '../values/values.js';
import { named, required, takeAny } from './arguments.js';
import type { LibraryMachine } from './library-machine.js';
import type { Implementation } from './python-row.js';

export function extremum(which: 'max' | 'min'): Implementation {
  return (ev, call) => {
    const key = call.keywords.get('key');
    const [only] = call.args;
    const fallback = call.keywords.get('default');
    if (fallback !== undefined && call.args.length > 1) {
      takeAny(call);
      return ev.ops.raise(LaneStatus.Raised, 'TypeError');
    }
    if (call.args.length === 1 && (only.tag === 'filtered' || only.tag === 'masked')) {
      return filteredExtremum(ev, which, only.tag === 'masked' ? filteredOf(ev, only) : only, call);
    }
    if (key !== undefined && key.tag !== 'none' && call.args.length === 1) ev.sequences.inTurns(only, call.position);
    const rolled = call.args.length === 1 ? rolledExtremum(ev, which, only, key, call) : null;
    if (rolled !== null) return rolled;
    const items =
      call.args.length !== 1
        ? call.args
        : only.tag === 'set'
          ? [...only.entries.values()]
          : ev.sequences.iterate(only, call.position);
    const isList = call.args.length === 1 && (only.tag === 'list' || only.tag === 'ndarray' || only.tag === 'dict');
    const source = isList && key !== undefined && key.tag !== 'none' ? ev.sequences.stream(only, call.position) : null;
    if (items.length === 0) return fallback ?? ev.ops.raise(LaneStatus.Raised, 'ValueError');
    const rank = (item: Value): Scalar => {
      const value =
        key === undefined || key.tag === 'none'
          ? item
          : ev.calls.called(key, { ...call, args: [item], keywords: new Map() });
      if (value.tag !== 'scalar') throw new Unsupported(`${which}() of ${typeName(value)}`, call.position);
      if (source !== null)
        for (let k = 0; k <= items.length; k++)
          if (!source.isCurrent(k))
            throw new Unsupported(`${which}() of a container that its key changes`, call.position);
      return value;
    };
    let best: AnyValue = items[0];
    let bestRank = rank(best);
    for (const item of items.slice(1)) {
      const r = rank(item);
      // The first of equals stays; a NaN that comes first stays, too.
      const wins = ev.ops.compare(which === 'max' ? '>' : '<', r, bestRank);
      const previous: AnyValue = best;
      best = ev.branches.branch(
        wins,
        () => item,
        () => previous,
        call.position,
      );
      bestRank = ev.ops.select(wins, r, bestRank);
    }
    return best;
  };
}

/** Largest or smallest of numbers of which some are there on some lanes only. */
function filteredExtremum(ev: LibraryMachine, which: 'max' | 'min', source: FilteredValue, call: Call): Value {
  const { ops } = ev;
  if ((call.keywords.get('key')?.tag ?? 'none') !== 'none')
    throw new Unsupported(`${which}() with a key, of elements chosen by x`, call.position);
  const fallback = call.keywords.get('default');
  if (fallback !== undefined && fallback.tag !== 'scalar')
    throw new Unsupported(`${which}() of elements chosen by x with a default that is no number`, call.position);
  let found: Scalar = bool(false);
  let best: Scalar = fallback ?? int(0);
  for (const { value, present } of source.items) {
    if (value.tag !== 'scalar') throw new Unsupported(`${which}() of ${typeName(value)}`, call.position);
    // The first there is stays where it is NaN.
    const wins = ops.or(ops.not(found), ops.compare(which === 'max' ? '>' : '<', value, best));
    best = found.known === 0 && fallback === undefined ? value : ops.select(ops.and(present, wins), value, best);
    found = ops.or(found, present);
  }
  if (fallback === undefined) ops.check(ops.not(found), LaneStatus.Raised, 'ValueError');
  return best;
}

/** The first there is of items of which some are there on some lanes only. */
export function firstOfFiltered(
  ev: LibraryMachine,
  { items }: FilteredValue,
  fallback: Value | undefined,
  call: Call,
): AnyValue {
  const { ops } = ev;
  const none = items.reduce<Scalar>((all, { present }) => ops.and(all, ops.not(present)), bool(true));
  if (fallback === undefined) ops.check(none, LaneStatus.Raised, 'StopIteration');
  const rest = fallback ?? items.at(-1)?.value ?? ops.raise(LaneStatus.Raised, 'StopIteration');
  return items.reduceRight<AnyValue>(
    (later, { value, present }) =>
      ev.branches.branch(
        present,
        () => value,
        () => later,
        call.position,
      ),
    rest,
  );
}

/** The largest or smallest of many numbers, in a rolled loop; null where they are few or no numbers. */
function rolledExtremum(
  ev: LibraryMachine,
  which: 'max' | 'min',
  source: Value,
  key: Value | undefined,
  call: Call,
): Value | null {
  const { position } = call;
  const elements = ev.bulk.elementsOf(source, position);
  if (elements === null || (key !== undefined && key.tag !== 'none')) return null;
  const { count } = elements;
  if (count.terms.length > 0 || !ev.bulk.isLarge(count.offset)) return null;
  const best = ev.cells.cell(undefined);
  const numberAt = (form: IndexForm): Scalar => {
    const item = elements.at(form);
    if (item.tag !== 'scalar') throw new RollFailure(`${which}() of other values than numbers`, position);
    return item;
  };
  const isDone = ev.branches.attempt(() => {
    ev.cells.write(best, numberAt(constantForm(0)));
    ev.counted.run(addForms(count, constantForm(-1)), position, (form) => {
      const item = numberAt(addForms(form, constantForm(1)));
      const previous = best.value as Scalar;
      ev.cells.write(best, ev.ops.select(ev.ops.compare(which === 'max' ? '>' : '<', item, previous), item, previous));
    });
  });
  if (!isDone) return null;
  if (source.tag === 'iterator') ev.cells.useUp(source);
  return best.value as Value;
}

/** `sum` adds from left to right; from Python 3.12 on, sums of floats are compensated (Neumaier). */
export function sum(ev: LibraryMachine, call: Call): Value {
  const { iterable, start } = named('sum', call, ['iterable', 'start']);
  const source = required('sum', iterable, call);
  if (source.tag === 'filtered') return filteredSum(ev, source, start ?? int(0), call);
  if (source.tag === 'masked') return filteredSum(ev, filteredOf(ev, source), start ?? int(0), call);
  const rolled = rolledSum(ev, source, start ?? int(0), call) ?? rolledComplexSum(ev, source, start ?? int(0), call);
  if (rolled !== null) return rolled;
  const items = ev.sequences.iterate(source, call.position);
  let total: Value = start ?? int(0);
  if (total.tag === 'string' || total.tag === 'text') return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  let compensation: Scalar | null = null;
  const compensates = isExact(ev, total, call.position);
  const { ops } = ev;
  for (const item of items) {
    if (ev.pythonMinor >= 12 && item.tag === 'scalar' && ops.isUncertain(item)) {
      throw new Unsupported('a compensated sum of Python and NumPy numbers', call.position);
    }
    const exactFloats =
      compensates &&
      total.tag === 'scalar' &&
      item.tag === 'scalar' &&
      (total.kind === 'float' || total.kind === 'int' || total.kind === 'bool') &&
      !isNumPyKind(item.kind);
    if (
      !exactFloats ||
      (total.tag === 'scalar' && item.tag === 'scalar' && total.kind !== 'float' && item.kind !== 'float')
    ) {
      if (compensation !== null) {
        total = compensated(ev, total as Scalar, compensation);
        compensation = null;
      }
      total = ev.operators.binary('+', total, item, call.position);
      continue;
    }
    const sum = total as Scalar;
    const x = item;
    if (sum.kind !== 'float') {
      // The first float: the integers so far become a float.
      total = ops.binary('+', ops.retag(sum, 'float'), x, call.position);
      compensation ??= float(0);
      continue;
    }
    if (x.kind !== 'float') {
      total = ops.binary('+', sum, x, call.position);
      compensation ??= float(0);
      continue;
    }
    const [next, lost] = twoSum(ev, sum, x, call.position);
    // Ints are added without compensation.
    if (ops.isSometimesInt(x)) ops.check(ops.not(ops.isZero(lost)), LaneStatus.Untranslated);
    compensation = ops.binary('+', compensation ?? float(0), lost, call.position);
    total = next;
  }
  return compensation === null ? total : compensated(ev, total as Scalar, compensation);
}

/** Whether the floats that are added to this start are compensated: they are not behind a truth value or a number of NumPy. */
function isExact(ev: LibraryMachine, start: Value, position: Position): boolean {
  if (ev.pythonMinor < 12 || start.tag !== 'scalar' || start.kind === 'bool' || isNumPyKind(start.kind)) return false;
  if (ev.ops.isSometimesBool(start))
    throw new Unsupported('a compensated sum that begins with a truth value on some lanes', position);
  return true;
}

/** The sum of many numbers, in a rolled loop; null where they are few or of several types. */
function rolledSum(ev: LibraryMachine, source: Value, start: Value, call: Call): Value | null {
  if (start.tag !== 'scalar') return null;
  const { ops } = ev;
  const { position } = call;
  const total = ev.cells.cell(start);
  const compensation = ev.cells.cell(float(0));
  const compensates = isExact(ev, start, position);
  let isCompensated = false;
  const add = (item: AnyValue): void => {
    const sum = total.value as Scalar;
    if (item.tag !== 'scalar' || ops.isNotCertain(item)) throw new RollFailure('a sum of other values', position);
    const isInteger = (s: Scalar): boolean => s.kind === 'int' || s.kind === 'bool';
    const isNumPy = isNumPyKind(item.kind) || isNumPyKind(sum.kind);
    if (!compensates || isNumPy || (isInteger(item) && isInteger(sum))) {
      if (isCompensated) throw new RollFailure('a compensated sum of several types of numbers', position);
      ev.cells.write(total, ev.operators.binary('+', sum, item, position));
      return;
    }
    // Where the sum starts as the integer 0, compensation of the first addition is nothing.
    if (item.kind !== 'float' || (isInteger(sum) && sum.known !== 0)) {
      throw new RollFailure('a compensated sum of several types of numbers', position);
    }
    isCompensated = true;
    const [next, lost] = twoSum(ev, ops.retag(sum, 'float'), item, position);
    ev.cells.write(compensation, ops.binary('+', compensation.value as Scalar, lost, position));
    ev.cells.write(total, next);
  };
  if (!ev.rolling.rollOver(source, [total, compensation], add, position)) return null;
  const sum = total.value as Value;
  return isCompensated ? compensated(ev, sum as Scalar, compensation.value as Scalar) : sum;
}

/** The same of complex numbers, to which a real start is added as one. */
function rolledComplexSum(ev: LibraryMachine, source: Value, start: Value, call: Call): Value | null {
  if (!isNumber(start) || (start.tag === 'scalar' && start.kind !== 'int' && start.kind !== 'float')) return null;
  const { position } = call;
  const begin = (isNumPy: boolean): Value | null => {
    const total = ev.cells.cell(ev.complex.make(ev.complex.pair(start), isNumPy));
    const add = (item: AnyValue): void => {
      if (item.tag !== 'complex' || item.isNumPy !== isNumPy) throw new RollFailure('a sum of other values', position);
      ev.cells.write(total, ev.operators.binary('+', total.value as Value, item, position));
    };
    return ev.rolling.rollOver(source, [total], add, position) ? (total.value as Value) : null;
  };
  // An empty sum is the start itself.
  const elements = ev.bulk.elementsOf(source, position);
  if (elements === null || ev.builder.rangeOf(elements.count).min < 1) return null;
  return begin(false) ?? begin(true);
}

/** A sum, and what its rounding has lost. */
function twoSum(ev: LibraryMachine, sum: Scalar, x: Scalar, position: Position): readonly [Scalar, Scalar] {
  const { ops } = ev;
  const next = ops.binary('+', sum, x, position);
  const larger = ops.compare('>=', ops.abs(sum), ops.abs(x));
  const [big, small] = [ops.select(larger, sum, x), ops.select(larger, x, sum)];
  return [next, ops.binary('+', ops.binary('-', big, next, position), small, position)];
}

/** Elements that are not there on a lane leave its sum alone. */
function filteredSum(ev: LibraryMachine, source: FilteredValue, start: Value, call: Call): Value {
  if (ev.pythonMinor >= 12) throw new Unsupported('a compensated sum of elements chosen by x', call.position);
  return source.items.reduce<Value>((total, { value, present }) => {
    const next = ev.branches.branch(
      present,
      () => ev.operators.binary('+', total, value, call.position),
      () => total,
      call.position,
    );
    return ev.choices.plain(next, call.position);
  }, start);
}

function compensated(ev: LibraryMachine, total: Scalar, compensation: Scalar): Scalar {
  const { ops } = ev;
  const applies = ops.and(ops.isFinite(compensation), ops.not(ops.isZero(compensation)));
  const position = ops.here;
  return ops.select(applies, ops.binary('+', total, compensation, position), total);
}
