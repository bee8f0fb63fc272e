/**
 * Convex quadratic programmes. The quadratic solver of HiGHS 1.15 needs care, seen in experiments:
 * - it never ends where the curvature is far below 1 (a covariance of 1e-4), so the objective is scaled to a diagonal
 *   of 1;
 * - it adds 1e-7 to the diagonal, which moves the answer by that much, so that is off;
 * - without it a singular Q may end as "optimal" where it began, so nothing is taken without the optimality conditions
 *   being checked here. Programmes that fail are solved by proximal steps: each adds a small multiple of the distance
 *   to the last point, which makes Q regular, and their limit is a solution of the programme itself. Source of the
 *   proximal point method: Rockafellar 1976.
 */
import { infeasible } from './conflict.js';
import {
  dot,
  timesHessian,
  timesMatrix,
  timesTransposed,
  type FlatProgram,
  type FlatSolution,
  type Sparse,
} from './flat-program.js';
import { clamped, none, STATUS, type FlatRun, type FlatSolver } from './flat-solver.js';

const PROXIMAL_WEIGHT = 1e-3;
const MAX_PROXIMAL_STEPS = 200;
/** Suboptimality that is accepted, of the parts of the objective. */
const OPTIMALITY = 1e-10;
/** Violation of a row that is accepted, of its value. */
const FEASIBILITY = 1e-8;

export function solveQuadratic(solver: FlatSolver, program: FlatProgram): FlatSolution {
  const { hessian, scale } = scaled(program);
  const cost = program.cost.map((value) => value * scale);
  const { rowScales, ...rows } = withLikeRows(program);
  const problem = { ...program, ...rows, cost, hessian };
  const options = { qp_iteration_limit: 1_000 + 100 * (cost.length + program.rowLower.length) };
  let iterations = 0;
  const attempt = (step: FlatProgram): FlatRun | null => {
    try {
      const run = solver.run(step, { options });
      iterations += run.iterations;
      return run.status === STATUS.optimal ? run : null;
    } catch {
      return null;
    }
  };
  const answer = (run: FlatRun): FlatSolution | null => {
    const values = clamped(run.values, program);
    const found = certified(problem, values, run.rowDuals);
    if (found === null) return null;
    return {
      ...none('optimal', run),
      iterations,
      values,
      rowDuals: run.rowDuals.map((value, i) => (value / scale) * (rowScales[i] ?? 1)),
      reducedCosts: found.reducedCosts.map((value) => value / scale),
    };
  };

  const direct = attempt(problem);
  const proven = direct === null ? null : answer(direct);
  if (proven !== null) return proven;

  const start = solver.run({ ...program, hessian: null, cost: new Float64Array(cost.length) });
  if (start.status !== STATUS.optimal) return infeasible(solver, program, start);
  if (isUnbounded(solver, problem)) return none('unbounded', start);

  const regular = withDiagonal(hessian, cost.length, PROXIMAL_WEIGHT);
  let point = direct === null ? start.values : clamped(direct.values, program);
  for (let step = 0; step < MAX_PROXIMAL_STEPS; step++) {
    const drawn = cost.map((value, j) => value - PROXIMAL_WEIGHT * (point[j] ?? 0));
    const run = attempt({ ...problem, hessian: regular, cost: drawn });
    if (run === null) break;
    const done = answer(run);
    if (done !== null) return done;
    point = run.values;
  }
  throw new Error('HiGHS found no solution of the quadratic programme that satisfies its optimality conditions');
}

/** By a power of two, which is exact. */
function scaled({ hessian }: FlatProgram): { readonly hessian: Sparse; readonly scale: number } {
  if (hessian === null) throw new RangeError('a quadratic programme without a quadratic objective');
  const largest = hessian.values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const scale = 2 ** -Math.floor(Math.log2(largest));
  return { hessian: { ...hessian, values: hessian.values.map((value) => value * scale) }, scale };
}

/** Rows whose largest coefficient is near 1, by powers of two. */
function withLikeRows({ matrix, rowLower, rowUpper }: FlatProgram) {
  const { starts, indices } = matrix;
  const values = Float64Array.from(matrix.values);
  const rowScales = rowLower.map((_, i) => {
    const [first, end] = [starts[i] ?? 0, starts[i + 1] ?? 0];
    const largest = values.subarray(first, end).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const factor = largest > 0 ? 2 ** -Math.floor(Math.log2(largest)) : 1;
    for (let k = first; k < end; k++) values[k] = (values[k] ?? 0) * factor;
    return factor;
  });
  return {
    rowScales,
    matrix: { starts, indices, values },
    rowLower: rowLower.map((limit, i) => limit * (rowScales[i] ?? 1)),
    rowUpper: rowUpper.map((limit, i) => limit * (rowScales[i] ?? 1)),
  };
}

function withDiagonal({ starts, indices, values }: Sparse, n: number, weight: number): Sparse {
  const columns = Array.from({ length: n }, (_, j) => {
    const entries: [number, number][] = [[j, weight]];
    for (let k = starts[j] ?? 0; k < (starts[j + 1] ?? 0); k++) {
      const i = indices[k] ?? 0;
      const value = values[k] ?? 0;
      if (i === j) entries[0] = [j, value + weight];
      else entries.push([i, value]);
    }
    return entries;
  });
  const ends = new Int32Array(n + 1);
  for (const [j, column] of columns.entries()) ends[j + 1] = (ends[j] ?? 0) + column.length;
  const flat = columns.flat();
  return {
    starts: ends,
    indices: Int32Array.from(flat, ([i]) => i),
    values: Float64Array.from(flat, ([, value]) => value),
  };
}

/**
 * Null where the point is not optimal by more than the tolerance. By weak duality of the convex programme, no point is
 * better by more than this sum: each dual times the distance to its bound.
 */
function certified(
  { cost, hessian, lower, upper, matrix, rowLower, rowUpper }: FlatProgram,
  x: Float64Array,
  y: Float64Array,
): { readonly reducedCosts: Float64Array } | null {
  if (hessian === null || !x.every(Number.isFinite) || !y.every(Number.isFinite)) return null;
  const n = x.length;
  const curvature = timesHessian(hessian, x);
  const priced = timesTransposed(matrix, y, n);
  const reducedCosts = curvature.map((value, j) => value + (cost[j] ?? 0) - (priced[j] ?? 0));
  const rows = timesMatrix(matrix, x);
  for (const [i, value] of rows.entries()) {
    const room = FEASIBILITY * (1 + Math.abs(value));
    if (value < (rowLower[i] ?? 0) - room || value > (rowUpper[i] ?? 0) + room) return null;
  }
  let gap = 0;
  const say = (dual: number, value: number, least: number, most: number): void => {
    if (dual === 0) return;
    const distance = dual > 0 ? value - least : most - value;
    gap += Math.abs(dual) * (Number.isFinite(distance) ? Math.abs(distance) : 1 + Math.abs(value));
  };
  for (let j = 0; j < n; j++) say(reducedCosts[j] ?? 0, x[j] ?? 0, lower[j] ?? 0, upper[j] ?? 0);
  for (const [i, value] of rows.entries()) say(y[i] ?? 0, value, rowLower[i] ?? 0, rowUpper[i] ?? 0);
  const parts = Math.abs(dot(curvature, x)) / 2 + Math.abs(dot(cost, x));
  return gap <= OPTIMALITY * (parts + 1e-3) ? { reducedCosts } : null;
}

/** Whether some direction leaves the rows and bounds in place, has no curvature, and lowers the objective. */
function isUnbounded(solver: FlatSolver, program: FlatProgram): boolean {
  const { cost, hessian, lower, upper, matrix, rowLower, rowUpper } = program;
  if (hessian === null) return false;
  const n = cost.length;
  const starts = [...matrix.starts];
  const indices = [...matrix.indices];
  const values = [...matrix.values];
  const full = Array.from({ length: n }, (): [number, number][] => []);
  for (let j = 0; j < n; j++) {
    for (let k = hessian.starts[j] ?? 0; k < (hessian.starts[j + 1] ?? 0); k++) {
      const i = hessian.indices[k] ?? 0;
      const value = hessian.values[k] ?? 0;
      full[j]?.push([i, value]);
      if (i !== j) full[i]?.push([j, value]);
    }
  }
  for (const row of full) {
    for (const [i, value] of row) {
      indices.push(i);
      values.push(value);
    }
    starts.push(indices.length);
  }
  const toward = (limit: number, far: number): number => (Number.isFinite(limit) ? 0 : far);
  const flat = new Float64Array(n);
  const { status, values: direction } = solver.run({
    cost,
    lower: lower.map((limit) => toward(limit, -1)),
    upper: upper.map((limit) => toward(limit, 1)),
    integrality: null,
    rowLower: Float64Array.from([...rowLower.map((limit) => toward(limit, -Infinity)), ...flat]),
    rowUpper: Float64Array.from([...rowUpper.map((limit) => toward(limit, Infinity)), ...flat]),
    matrix: { starts: Int32Array.from(starts), indices: Int32Array.from(indices), values: Float64Array.from(values) },
    hessian: null,
  });
  const largest = cost.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return status === STATUS.optimal && dot(cost, direction) < -1e-7 * largest;
}
