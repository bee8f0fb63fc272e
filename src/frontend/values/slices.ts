/**
 * Slices with known bounds.
 */
import type { Position } from '../syntax/ast.js';
import { Unsupported } from './values.js';

/** Positions that a slice selects, as Python's slice.indices. */
export function sliceIndices(
  slice: { lower: number | null; upper: number | null; step: number | null },
  length: number,
  position: Position,
): number[] {
  const step = slice.step ?? 1;
  if (step === 0) throw new Unsupported('a slice step of zero', position);
  const clamp = (value: number, low: number, high: number): number => {
    const v = value < 0 ? value + length : value;
    return Math.min(Math.max(v, low), high);
  };
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  let k = slice.lower === null ? (step > 0 ? 0 : length - 1) : clamp(slice.lower, low, high);
  const end = slice.upper === null ? (step > 0 ? length : -1) : clamp(slice.upper, low, high);
  const indices: number[] = [];
  for (; step > 0 ? k < end : k > end; k += step) indices.push(k);
  return indices;
}
