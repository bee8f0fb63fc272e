/** A problem as the engine's strategies see it: a function of numbers within bounds. */
import type { Direction } from '../../model/objective.js';

export interface Search {
  readonly bounds: readonly (readonly [number, number])[];
  readonly direction: Direction;
  readonly maxEvaluations: number;
  readonly seed: number;
  /** Name in the engine's registry. Absent: the planner chooses. */
  readonly strategy?: string;
  /** Value of one candidate; NaN: it has none. Called in the thread of the solver, one after the other. */
  evaluate(x: Float64Array): number;
}

export interface SearchResult {
  /** Null: no candidate had a value. */
  readonly best: { readonly x: readonly number[]; readonly value: number } | null;
  readonly evaluations: number;
  /** The strategy that found the best, by its name in the registry. */
  readonly strategy: string;
}
