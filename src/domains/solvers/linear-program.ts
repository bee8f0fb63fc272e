/** Linear, mixed-integer linear and convex quadratic programmes as data. */

export interface LinearProgram {
  readonly sense: 'minimize' | 'maximize';
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /**
   * Adds 1/2 x'Qx to the objective: entries of the upper triangle, `value` = Q[i][j] = Q[j][i]. Convex in the sense of
   * the programme; no integer columns beside it. Absent: linear.
   */
  readonly quadratic?: readonly { readonly i: number; readonly j: number; readonly value: number }[];
  /** Added to the objective. Absent: 0. */
  readonly constant?: number;
}

export interface Column {
  /** For `Infeasible.conflict` and constraints; need not be unique. */
  readonly name: string;
  readonly cost: number;
  /** Absent: 0. -Infinity: none. */
  readonly lower?: number;
  /** Absent, Infinity: none. */
  readonly upper?: number;
  /** Absent: false. */
  readonly isInteger?: boolean;
}

/** lower <= sum of coefficients times columns <= upper. */
export interface Row {
  readonly name: string;
  /** Absent, -Infinity: none. */
  readonly lower?: number;
  /** Absent, Infinity: none. */
  readonly upper?: number;
  /** Each column at most once. */
  readonly terms: readonly (readonly [column: number, coefficient: number])[];
}

export interface LinearOptions {
  /** Relative gap at which a search over integers ends. Absent: 0, to the proof. */
  readonly gap?: number;
  /** Largest violation of a row or bound, and of optimality. Absent: 1e-9 for linear programmes. */
  readonly tolerance?: number;
}

/**
 * `optimal`: proven, within the gap. `interrupted`: the run's time was up; `values` is the best found so far, or null.
 */
export interface LinearSolution {
  readonly status: 'optimal' | 'infeasible' | 'unbounded' | 'interrupted';
  readonly objective: number | null;
  /** Values of the columns. Null where there is no solution. */
  readonly values: Float64Array | null;
  /** Change of the objective for one more unit of each row's binding limit. Null with integer columns. */
  readonly rowDuals: Float64Array | null;
  /** The same for a binding bound of each column. */
  readonly reducedCosts: Float64Array | null;
  /** No solution is better. */
  readonly bound: number | null;
  readonly nodes: number;
  readonly iterations: number;
  /** Names of rows and columns of an infeasible programme that cannot hold together, as few as were found. */
  readonly conflict: readonly string[];
}
