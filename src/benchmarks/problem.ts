/** What a benchmark hands to the runner: a function whose optimal value is known, in a box. */
import type { Bounds } from '../model/bounds.js';

export type FunctionGroup = 'separable' | 'low-conditioning' | 'high-conditioning' | 'multimodal' | 'weak-structure';

export interface BenchmarkProblem {
  /** Number within its suite, from 1. */
  readonly functionId: number;
  readonly name: string;
  readonly group: FunctionGroup;
  readonly dimension: number;
  readonly instance: number;
  readonly bounds: Bounds;
  /** Value at `optimum`; nothing lies below. */
  readonly optimalValue: number;
  /** [n]. */
  readonly optimum: Float64Array;
  /**
   * The value at the point `candidates[start ... start + n - 1]`, without noise. Works on scratch arrays of the problem:
   * not for concurrent calls.
   */
  evaluate(candidates: Float64Array, start: number): number;
}
