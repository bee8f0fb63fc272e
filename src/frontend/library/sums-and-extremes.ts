/**
 * Python's `sum`, `max` and `min`.
 */
import { LaneStatus } from '../../ir/types.js';
import { isNumber } from '../arrays/complex.js';
import { filteredOf } from '../arrays/masked.js';
import type { Position } from '../syntax/ast.js';
import {
  bool,
  float,
  int,
  isNumPyKind,
  NONE,
  typeName,
  Unsupported,
  type AnyValue,
  type Call,
  type FilteredValue,
  type Scalar,
  type Value,
} from '../values/values.js';
import { named, required, takeAny } from './arguments.js';
import { folded, foldedInLoop, onAllLanes, type Fold, type LoopFold } from './folds.js';
import type { LibraryMachine } from './library-machine.js';
import type { Implementation } from './python-row.js';

/** Items that x chooses, so that some exist on some lanes only; null where all exist on all lanes. */
function chosenByX(ev: LibraryMachine, source: Value): FilteredValue['items'] | null {
  if (source.tag === 'masked') return filteredOf(ev, source).items;
  return source.tag === 'filtered' ? source.items : null;
}

// ---- max and min

/** The best item so far. */
interface Best extends Record<string, AnyValue> {
  /** Lanes on which there is one. */
  readonly found: Scalar;
  readonly item: AnyValue;
  /** The number that it is compared by. */
  readonly rank: Scalar;
}

interface Ranking {
  readonly rankOf: (item: AnyValue) => Scalar;
  /** The best before the first item; absent: there is none. */
  readonly initial?: Scalar | undefined;
  /** Whether the best item is kept beside its rank; absent: items are their ranks. */
  readonly keepsItem?: boolean;
}

function bestBy(
  ev: LibraryMachine,
  which: 'max' | 'min',
  { rankOf, initial, keepsItem = false }: Ranking,
  position: Position,
): Fold<Best> & { readonly first: (item: AnyValue) => Best } {
  const { ops } = ev;
  const chosen = (isBetter: Scalar, item: AnyValue, best: AnyValue): AnyValue =>
    ev.branches.branch(
      isBetter,
      () => item,
      () => best,
      position,
    );
  return {
    start: { found: bool(false), item: NONE, rank: initial ?? int(0) },
    first: (item) => ({ found: bool(true), item: keepsItem ? item : NONE, rank: rankOf(item) }),
    step: (best, item, present) => {
      const rank = rankOf(item);
      // The first of equals stays; a NaN that comes first stays, too.
      const wins = ops.or(ops.not(best.found), ops.compare(which === 'max' ? '>' : '<', rank, best.rank));
      const isBetter = ops.and(present, wins);
      const isFirst = best.found.known === 0 && initial === undefined;
      return {
        item: keepsItem ? chosen(isBetter, item, best.item) : NONE,
        rank: isFirst ? rank : ops.select(isBetter, rank, best.rank),
        found: ops.or(best.found, present),
      };
    },
  };
}

export function extremum(which: 'max' | 'min'): Implementation {
  return (ev, call) => {
    const { position } = call;
    const given = call.keywords.get('key');
    const key = given === undefined || given.tag === 'none' ? null : given;
    const [only] = call.args;
    const isOne = call.args.length === 1;
    const fallback = call.keywords.get('default');
    if (fallback !== undefined && call.args.length > 1) {
      takeAny(call);
      return ev.ops.raise(LaneStatus.Raised, 'TypeError');
    }
    const number = (value: AnyValue): Scalar => {
      if (value.tag !== 'scalar') throw new Unsupported(`${which}() of ${typeName(value)}`, position);
      return value;
    };
    const chosen = isOne ? chosenByX(ev, only) : null;
    if (chosen !== null) {
      if (key !== null) throw new Unsupported(`${which}() with a key, of elements chosen by x`, position);
      if (fallback !== undefined && fallback.tag !== 'scalar')
        throw new Unsupported(`${which}() of elements chosen by x with a default that is no number`, position);
      const best = folded(chosen, bestBy(ev, which, { rankOf: number, initial: fallback }, position));
      if (fallback === undefined) ev.ops.check(ev.ops.not(best.found), LaneStatus.Raised, 'ValueError');
      return best.rank;
    }
    if (isOne && key !== null) ev.sequences.inTurns(only, position);
    if (isOne && key === null) {
      const numbers: LoopFold<Best> = {
        ...bestBy(ev, which, { rankOf: number }, position),
        takes: (_, item) => item.tag === 'scalar',
      };
      const best = foldedInLoop(ev, only, numbers, position);
      if (best !== null) return best.rank;
    }
    const items = !isOne
      ? call.args
      : only.tag === 'set'
        ? [...only.entries.values()]
        : ev.sequences.iterate(only, position);
    const isContainer = isOne && ['list', 'ndarray', 'dict'].includes(only.tag);
    const source = isContainer && key !== null ? ev.sequences.stream(only, position) : null;
    if (items.length === 0) return fallback ?? ev.ops.raise(LaneStatus.Raised, 'ValueError');
    const rankOf = (item: AnyValue): Scalar => {
      if (key === null) return number(item);
      const rank = number(ev.calls.called(key, { ...call, args: [item], keywords: new Map() }));
      for (let k = 0; source !== null && k <= items.length; k++)
        if (!source.isCurrent(k)) throw new Unsupported(`${which}() of a container that its key changes`, position);
      return rank;
    };
    const { first, step } = bestBy(ev, which, { rankOf, keepsItem: true }, position);
    return folded(onAllLanes(items.slice(1)), { start: first(items[0]), step }).item;
  };
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

// ---- sum

/** The sum so far. */
interface Sum extends Record<string, AnyValue> {
  /** What rounding has lost of it. */
  readonly lost: Scalar;
  readonly total: Value;
}

/** No floats have been added yet. */
const NOTHING = float(0);

/** `sum` adds from left to right; from Python 3.12 on, sums of floats are compensated (Neumaier). */
export function sum(ev: LibraryMachine, call: Call): Value {
  const { position } = call;
  const { iterable, start = int(0) } = named('sum', call, ['iterable', 'start']);
  const source = required('sum', iterable, call);
  const chosen = chosenByX(ev, source);
  if (chosen !== null) {
    if (ev.pythonMinor >= 12) throw new Unsupported('a compensated sum of elements chosen by x', position);
    return folded(chosen, additions(ev, start, false, position)).total;
  }
  const compensates = isExact(ev, start, position);
  for (const begin of startsInLoop(ev, source, start, position)) {
    const rolled = foldedInLoop(ev, source, additionsInLoop(ev, begin, compensates, position), position);
    if (rolled !== null) return compensated(ev, rolled);
  }
  const items = ev.sequences.iterate(source, position);
  if (start.tag === 'string' || start.tag === 'text') return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  return compensated(ev, folded(onAllLanes(items), additions(ev, start, compensates, position)));
}

/** Whether Python compensates a sum with this start: it does not behind a truth value or a number of NumPy. */
function isExact(ev: LibraryMachine, start: Value, position: Position): boolean {
  if (ev.pythonMinor < 12 || start.tag !== 'scalar' || start.kind === 'bool' || isNumPyKind(start.kind)) return false;
  if (ev.ops.isSometimesBool(start))
    throw new Unsupported('a compensated sum that begins with a truth value on some lanes', position);
  return true;
}

/** The two as floats whose sum is compensated where the sums are; null where they are added as they are. */
function floatsOf(total: AnyValue, item: AnyValue): readonly [Scalar, Scalar] | null {
  if (total.tag !== 'scalar' || item.tag !== 'scalar' || isNumPyKind(total.kind) || isNumPyKind(item.kind)) return null;
  return total.kind === 'float' || item.kind === 'float' ? [total, item] : null;
}

function additions(
  ev: LibraryMachine,
  start: Value,
  compensates: boolean,
  position: Position,
  isInLoop = false,
): Fold<Sum> {
  const { ops } = ev;
  return {
    start: { lost: NOTHING, total: start },
    step: (sum, item, present) => {
      if (ev.pythonMinor >= 12 && item.tag === 'scalar' && ops.isUncertain(item))
        throw new Unsupported('a compensated sum of Python and NumPy numbers', position);
      const floats = compensates ? floatsOf(sum.total, item) : null;
      if (floats === null) {
        const total = compensated(ev, sum);
        const next = ev.branches.branch(
          present,
          () => ev.operators.binary('+', total, item, position),
          () => total,
          position,
        );
        return { lost: NOTHING, total: ev.choices.plain(next, position) };
      }
      const [total, x] = floats;
      const lost = sum.lost === NOTHING ? float(0) : sum.lost;
      const before = ops.retag(total, 'float');
      // Integers are added without compensation, and so is the first float to integers. In a loop these are the integer
      // 0.
      if (!isInLoop && (total.kind !== 'float' || x.kind !== 'float'))
        return { lost, total: ops.binary('+', before, x, position) };
      const [next, rest] = twoSum(ev, before, x, position);
      if (ops.isSometimesInt(x)) ops.check(ops.not(ops.isZero(rest)), LaneStatus.Untranslated);
      return { lost: ops.binary('+', lost, rest, position), total: next };
    },
  };
}

/** The same in a rolled loop, whose numbers are all of one type. */
function additionsInLoop(ev: LibraryMachine, start: Value, compensates: boolean, position: Position): LoopFold<Sum> {
  return {
    ...additions(ev, start, compensates, position, true),
    takes: ({ lost, total }, item) => {
      if (total.tag === 'complex') return item.tag === 'complex' && item.isNumPy === total.isNumPy;
      if (total.tag !== 'scalar' || item.tag !== 'scalar' || ev.ops.isNotCertain(item)) return false;
      if (!compensates || floatsOf(total, item) === null) return lost.known === 0;
      // Where the sum begins with the integer 0, compensation of the first addition is nothing.
      return item.kind === 'float' && (total.kind === 'float' || total.known === 0);
    },
    isAccumulator: true,
  };
}

/**
 * Starts that a rolled loop may carry: a number, and the same as the complex number that it becomes with complex items.
 */
function* startsInLoop(ev: LibraryMachine, source: Value, start: Value, position: Position): Generator<Value> {
  if (start.tag === 'scalar') yield start;
  if (!isNumber(start) || (start.tag === 'scalar' && start.kind !== 'int' && start.kind !== 'float')) return;
  // An empty sum is the start itself.
  const elements = ev.bulk.elementsOf(source, position);
  if (elements === null || ev.builder.rangeOf(elements.count).min < 1) return;
  for (const isNumPy of [false, true]) yield ev.complex.make(ev.complex.pair(start), isNumPy);
}

/** A sum, and what its rounding has lost. */
function twoSum(ev: LibraryMachine, sum: Scalar, x: Scalar, position: Position): readonly [Scalar, Scalar] {
  const { ops } = ev;
  const next = ops.binary('+', sum, x, position);
  const larger = ops.compare('>=', ops.abs(sum), ops.abs(x));
  const [big, small] = [ops.select(larger, sum, x), ops.select(larger, x, sum)];
  return [next, ops.binary('+', ops.binary('-', big, next, position), small, position)];
}

/** The sum with what rounding has lost of it. */
function compensated(ev: LibraryMachine, { lost, total }: Sum): Value {
  if (lost === NOTHING || total.tag !== 'scalar') return total;
  const { ops } = ev;
  const applies = ops.and(ops.isFinite(lost), ops.not(ops.isZero(lost)));
  return ops.select(applies, ops.binary('+', total, lost, ops.here), total);
}
