/**
 * One pass over all items, unrolled or in a rolled loop.
 */
import type { LibraryMachine } from './library-machine.js';
import type { Position } from '../syntax/ast.js';
import { RollFailure, type AnyValue, type Value } from '../values/values.js';

/**
 * `step` over many numbers from left to right, in a rolled loop; null where they are few or of several types. `isAccumulator`:
 * see `CountedLoop`.
 */
export function rolledFold(
  ev: LibraryMachine,
  source: Value,
  start: Value,
  step: (state: Value, item: Value) => Value,
  position: Position,
  isAccumulator = false,
): Value | null {
  if (start.tag !== 'scalar') return null;
  const state = ev.cells.cell(start);
  const take = (item: AnyValue): void => {
    if (item.tag !== 'scalar' || ev.ops.isNotCertain(item))
      throw new RollFailure('other values than numbers', position);
    const next = step(state.value as Value, item);
    if (next.tag !== 'scalar') throw new RollFailure('other values than numbers', position);
    ev.cells.write(state, next);
  };
  return ev.rolling.rollOver(source, isAccumulator ? [state] : [], take, position) ? (state.value as Value) : null;
}
