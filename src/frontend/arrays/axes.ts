/**
 * Axes of arrays.
 */
import { LaneStatus } from '../../ir/types.js';
import type { ArrayMachine } from './array-machine.js';
import { Unsupported } from '../values/values.js';

/** An axis counted from the front; AxisError where there is none. */
export function frontAxis(ev: ArrayMachine, axis: number, rank: number): number {
  const k = axis < 0 ? axis + rank : axis;
  // Some functions take a number for a vector.
  if (rank === 0 && (axis === 0 || axis === -1)) throw new Unsupported('an axis of a number', ev.ops.here);
  if (k < 0 || k >= rank) return ev.ops.raise(LaneStatus.Raised, 'numpy.AxisError');
  return k;
}
