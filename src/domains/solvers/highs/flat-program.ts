/**
 * A programme as arrays, as it goes to the thread of HiGHS and to HiGHS itself. Always a minimization: a maximization
 * is negated on the way in, and so are its numbers on the way out.
 */
import type { ErrorData } from '../../../common/thread-call.js';
import type { LinearOptions, LinearProgram } from '../linear-program.js';

export interface FlatProgram {
  readonly cost: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** 1: integer. Null: no column is. */
  readonly integrality: Int32Array | null;
  readonly rowLower: Float64Array;
  readonly rowUpper: Float64Array;
  /** Row by row: entries of row i are at starts[i] .. starts[i + 1] - 1. */
  readonly matrix: Sparse;
  /** Lower triangle, column by column. Null: linear. */
  readonly hessian: Sparse | null;
}

export interface Sparse {
  readonly starts: Int32Array;
  readonly indices: Int32Array;
  readonly values: Float64Array;
}

export interface FlatSolution {
  readonly status: 'optimal' | 'infeasible' | 'unbounded';
  readonly values: Float64Array | null;
  readonly rowDuals: Float64Array | null;
  readonly reducedCosts: Float64Array | null;
  /** Bound of the minimization, without the constant. Null: as good as the values. */
  readonly bound: number | null;
  readonly nodes: number;
  readonly iterations: number;
  readonly conflict: Conflict;
}

/** Indices of rows and columns. */
export interface Conflict {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

export const NO_CONFLICT: Conflict = { rows: [], columns: [] };

export interface FlatJob {
  readonly program: FlatProgram;
  readonly options: LinearOptions;
}

/**
 * Messages from the thread. `incumbent` comes during a search over integers; its values are null where only the bound
 * moved.
 */
export type FlatReport =
  | { readonly kind: 'solved'; readonly solution: FlatSolution }
  | { readonly kind: 'incumbent'; readonly values: Float64Array | null; readonly bound: number }
  | { readonly kind: 'failed'; readonly error: ErrorData };

/** @throws {RangeError} where the programme is not one that HiGHS solves: a defect of whoever wrote it */
export function flatten({ sense, columns, rows, quadratic }: LinearProgram): FlatProgram {
  const sign = sense === 'minimize' ? 1 : -1;
  const hasIntegers = columns.some((column) => column.isInteger === true);
  const isQuadratic = quadratic !== undefined && quadratic.some(({ value }) => value !== 0);
  if (hasIntegers && isQuadratic) throw new RangeError('integer columns beside a quadratic objective');
  return {
    cost: Float64Array.from(columns, ({ cost }) => sign * cost),
    lower: Float64Array.from(columns, ({ lower = 0 }) => lower),
    upper: Float64Array.from(columns, ({ upper = Infinity }) => upper),
    integrality: hasIntegers ? Int32Array.from(columns, ({ isInteger = false }) => (isInteger ? 1 : 0)) : null,
    rowLower: Float64Array.from(rows, ({ lower = -Infinity }) => lower),
    rowUpper: Float64Array.from(rows, ({ upper = Infinity }) => upper),
    matrix: sparse(rows.map(({ terms }) => terms.filter(([, coefficient]) => coefficient !== 0))),
    hessian: isQuadratic ? lowerTriangle(columns.length, quadratic, sign) : null,
  };
}

function sparse(groups: readonly (readonly (readonly [index: number, value: number])[])[]): Sparse {
  const starts = new Int32Array(groups.length + 1);
  for (const [i, group] of groups.entries()) starts[i + 1] = (starts[i] ?? 0) + group.length;
  const indices = new Int32Array(starts.at(-1) ?? 0);
  const values = new Float64Array(indices.length);
  let at = 0;
  for (const group of groups) {
    for (const [index, value] of group) {
      indices[at] = index;
      values[at++] = value;
    }
  }
  return { starts, indices, values };
}

function lowerTriangle(n: number, entries: NonNullable<LinearProgram['quadratic']>, sign: number): Sparse {
  const columns = Array.from({ length: n }, (): [number, number][] => []);
  for (const { i, j, value } of entries) {
    if (value !== 0) columns[Math.min(i, j)]?.push([Math.max(i, j), sign * value]);
  }
  for (const column of columns) column.sort(([a], [b]) => a - b);
  return sparse(columns);
}

/** Qx for the whole of Q. */
export function timesHessian({ starts, indices, values }: Sparse, x: Float64Array): Float64Array {
  const product = new Float64Array(x.length);
  for (let j = 0; j < x.length; j++) {
    for (let k = starts[j] ?? 0; k < (starts[j + 1] ?? 0); k++) {
      const i = indices[k] ?? 0;
      const value = values[k] ?? 0;
      product[i] = (product[i] ?? 0) + value * (x[j] ?? 0);
      if (i !== j) product[j] = (product[j] ?? 0) + value * (x[i] ?? 0);
    }
  }
  return product;
}

/** Values of the rows. */
export function timesMatrix({ starts, indices, values }: Sparse, x: Float64Array): Float64Array {
  const product = new Float64Array(starts.length - 1);
  for (let i = 0; i < product.length; i++) {
    let sum = 0;
    for (let k = starts[i] ?? 0; k < (starts[i + 1] ?? 0); k++) sum += (values[k] ?? 0) * (x[indices[k] ?? 0] ?? 0);
    product[i] = sum;
  }
  return product;
}

/** Product of the transposed matrix with the rows' duals `y`: one number for each of `n` columns. */
export function timesTransposed({ starts, indices, values }: Sparse, y: Float64Array, n: number): Float64Array {
  const product = new Float64Array(n);
  for (let i = 0; i < y.length; i++) {
    for (let k = starts[i] ?? 0; k < (starts[i + 1] ?? 0); k++) {
      const j = indices[k] ?? 0;
      product[j] = (product[j] ?? 0) + (values[k] ?? 0) * (y[i] ?? 0);
    }
  }
  return product;
}

export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** Objective of the minimization, without the constant. */
export const valueOf = ({ cost, hessian }: FlatProgram, x: Float64Array): number =>
  dot(cost, x) + (hessian === null ? 0 : dot(timesHessian(hessian, x), x) / 2);
