/**
 * A fold: what a pass over items from left to right starts with, and what one more item does to that. A function says
 * it once, whether its items come one by one, exist on some lanes only, or run through a rolled loop.
 */
import type { Position } from '../syntax/ast.js';
import { bool, RollFailure, type AnyValue, type FilteredValue, type Scalar, type Value } from '../values/values.js';
import type { LibraryMachine } from './library-machine.js';

/** State that a pass carries from item to item, by name. */
type State = Readonly<Record<string, AnyValue>>;

export interface Fold<S extends State> {
  readonly start: S;
  /** The state after one more item, which exists on the lanes where `present` holds. */
  readonly step: (state: S, item: AnyValue, present: Scalar) => S;
}

/** A fold that may run in a rolled loop. */
export interface LoopFold<S extends State> extends Fold<S> {
  /** Whether the loop can take this item: a loop carries a state whose types stay the same. */
  readonly takes: (state: S, item: AnyValue) => boolean;
  /** Whether steps only add to the state, or multiply it: see `CountedLoop`. */
  readonly isAccumulator?: boolean;
  /** The state after the first item, which then stays outside the loop. */
  readonly first?: (item: AnyValue) => S;
}

/** Items that exist on all lanes. */
export const onAllLanes = (items: readonly AnyValue[]): FilteredValue['items'] =>
  items.map((value) => ({ value, present: bool(true) }));

/** The state after all items, taken one by one. */
export function folded<S extends State>(items: FilteredValue['items'], { start, step }: Fold<S>): S {
  return items.reduce((state, { value, present }) => step(state, value, present), start);
}

/** The state after all items, in a rolled loop; null where they are few, or where the loop cannot take one of them. */
export function foldedInLoop<S extends State>(
  ev: LibraryMachine,
  source: Value,
  { start, step, takes, isAccumulator = false, first }: LoopFold<S>,
  position: Position,
): S | null {
  const cells = Object.entries(start).map(([name, value]) => ({
    name,
    cell: ev.cells.cell(first === undefined ? value : undefined),
  }));
  const state = (): S => Object.fromEntries(cells.map(({ name, cell }) => [name, cell.value])) as S;
  const taking =
    (next: (before: S, item: AnyValue) => S) =>
    (item: AnyValue): void => {
      const before = state();
      if (!takes(before, item)) throw new RollFailure('an item that a rolled loop cannot take', position);
      const after = next(before, item);
      for (const { name, cell } of cells) if (after[name] !== before[name]) ev.cells.write(cell, after[name]);
    };
  const pass = {
    first: first && taking((_, item) => first(item)),
    body: taking((before, item) => step(before, item, bool(true))),
    accumulators: isAccumulator ? cells.map(({ cell }) => cell) : [],
  };
  return ev.rolling.rollOver(source, pass, position) ? state() : null;
}

/** `combine` over numbers, in a rolled loop; null where they are few or of several types. */
export function combinedInLoop(
  ev: LibraryMachine,
  source: Value,
  start: Value,
  combine: (sum: Value, item: Value) => Value,
  position: Position,
  isAccumulator = false,
): Value | null {
  if (start.tag !== 'scalar') return null;
  const fold: LoopFold<{ readonly result: Value }> = {
    start: { result: start },
    step: ({ result }, item) => ({ result: combine(result, item as Scalar) }),
    takes: ({ result }, item) => result.tag === 'scalar' && item.tag === 'scalar' && !ev.ops.isNotCertain(item),
    isAccumulator,
  };
  return foldedInLoop(ev, source, fold, position)?.result ?? null;
}
