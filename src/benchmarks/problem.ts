/** A benchmark problem for the runner: a function whose optimal value is known, in a box. */
import type { Bounds } from '../model/bounds.js';

export const FUNCTION_GROUPS = [
  'separable',
  'low-conditioning',
  'high-conditioning',
  'multimodal',
  'weak-structure',
] as const;
export type FunctionGroup = (typeof FUNCTION_GROUPS)[number];

/** Group of BBOB functions 1 .. 24; the large-scale ones have the same numbers. */
export function groupOf(functionId: number): FunctionGroup {
  return FUNCTION_GROUPS[functionId <= 5 ? 0 : functionId <= 9 ? 1 : functionId <= 14 ? 2 : functionId <= 19 ? 3 : 4];
}

export interface BenchmarkProblem {
  /** Number within its suite, from 1. */
  readonly functionId: number;
  readonly name: string;
  readonly dimension: number;
  readonly instance: number;
  readonly bounds: Bounds;
  /** Value at `optimum`; nothing lies below. */
  readonly optimalValue: number;
  /** [n]. */
  readonly optimum: Float64Array;
  /**
   * The value at the point `candidates[start ... start + n - 1]`, without noise. Works on scratch arrays of the
   * problem: not for concurrent calls.
   */
  evaluate(candidates: Float64Array, start: number): number;
}
