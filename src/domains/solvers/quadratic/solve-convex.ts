/**
 * Convex quadratic programmes: by the own active-set method where the curvature is definite; where it is not, by
 * proximal steps of that method (Rockafellar 1976); and where those do not come to rest, by HiGHS.
 */
import type { SolveContext } from '../../problem-type.js';
import { HIGHS } from '../highs/linear-solver.js';
import type { LinearProgram, LinearSolution } from '../linear-program.js';
import { minimizeDense, type DenseQuadratic, type DenseSolution } from './active-set.js';

export interface ConvexSolution {
  readonly status: LinearSolution['status'];
  readonly objective: number | null;
  readonly values: Float64Array | null;
  /** Change of the objective for one more unit of each row's binding limit. */
  readonly rowDuals: Float64Array | null;
  readonly iterations: number;
  /** Absent: own code. */
  readonly library?: string;
}

/** Solves a convex programme without integers. */
export async function solveConvex(program: LinearProgram, context: SolveContext): Promise<ConvexSolution> {
  const look = (): void => context.look();
  look();
  const { program: dense, whole } = withoutFixed(denseOf(program));
  const direct = minimizeDense(dense, look);
  const found = direct.status === 'failed' ? minimizeBySteps(dense, look) : direct;
  if (found.status === 'failed') {
    const { status, objective, values, rowDuals, iterations } = await context.solveLinear(program);
    if (status === 'interrupted') context.look();
    return { status, objective, values, rowDuals, iterations, library: HIGHS };
  }
  if (found.status === 'infeasible') {
    return { status: 'infeasible', objective: null, values: null, rowDuals: null, iterations: 0 };
  }
  const { rowDuals, iterations } = found;
  const values = whole(found.values);
  const sign = program.sense === 'minimize' ? 1 : -1;
  return {
    status: 'optimal',
    objective: objectiveAt(program, values),
    values,
    rowDuals: sign === 1 ? rowDuals : rowDuals.map((dual) => 0 - dual),
    iterations,
  };
}

function objectiveAt({ columns, quadratic = [], constant = 0 }: LinearProgram, x: Float64Array): number {
  let value = constant;
  for (const [j, { cost }] of columns.entries()) value += cost * (x[j] ?? 0);
  for (const { i, j, value: q } of quadratic) value += (i === j ? 0.5 : 1) * q * (x[i] ?? 0) * (x[j] ?? 0);
  return value;
}

/** Fixed columns are constants: branch and bound has many of them. `whole` puts them back. */
function withoutFixed(program: DenseQuadratic): {
  readonly program: DenseQuadratic;
  readonly whole: (values: Float64Array) => Float64Array;
} {
  const { n, curvature, cost, lower, upper, rows } = program;
  const free = Array.from({ length: n }, (_, j) => j).filter((j) => lower[j] !== upper[j]);
  if (free.length === n || free.length === 0) return { program, whole: (values) => values };
  const fixed = lower.map((value, j) => (value === upper[j] ? value : 0));
  const of = (values: Float64Array): Float64Array => Float64Array.from(free, (j) => values[j] ?? 0);
  const isAtZero = fixed.every((value) => value === 0);
  const shifted = (i: number): number =>
    isAtZero ? 0 : fixed.reduce((sum, value, j) => sum + value * (curvature[i * n + j] ?? 0), 0);
  return {
    program: {
      n: free.length,
      curvature: Float64Array.from(free.flatMap((i) => free.map((j) => curvature[i * n + j] ?? 0))),
      cost: Float64Array.from(free, (i) => (cost[i] ?? 0) + shifted(i)),
      lower: of(lower),
      upper: of(upper),
      rows: rows.map(({ normal, ...limits }) => {
        const known = isAtZero ? 0 : fixed.reduce((sum, value, j) => sum + value * (normal[j] ?? 0), 0);
        return { normal: of(normal), lower: limits.lower - known, upper: limits.upper - known };
      }),
    },
    whole: (values) => {
      const all = Float64Array.from(fixed);
      for (const [k, j] of free.entries()) all[j] = values[k] ?? 0;
      return all;
    },
  };
}

/** Share of the largest curvature or slope that is added to all curvatures, around the last point. */
const PROXIMAL_WEIGHT = 1e-6;
const MAX_STEPS = 60;
/** Curvature far below the weight makes the steps creep: after so many the weight falls, and the steps grow. */
const STEPS_A_WEIGHT = 8;
const WEIGHT_FALL = 0.1;
const LEAST_WEIGHT = 1e-10;
/** A step that short is none. */
const AT_REST = 1e-11;

function minimizeBySteps(program: DenseQuadratic, look: () => void): DenseSolution {
  const { n, curvature, cost } = program;
  let largest = 0;
  for (let j = 0; j < n; j++) largest = Math.max(largest, curvature[j * n + j] ?? 0);
  const steepest = cost.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (!(largest > 0)) return { status: 'failed' };
  const unit = Math.max(largest, steepest);
  let weight = PROXIMAL_WEIGHT * unit;
  let falls = true;
  let point = new Float64Array(n);
  let iterations = 0;
  for (let step = 0; step < MAX_STEPS; step++) {
    const isFall = falls && step > 0 && step % STEPS_A_WEIGHT === 0 && weight * WEIGHT_FALL >= LEAST_WEIGHT * unit;
    if (isFall) weight *= WEIGHT_FALL;
    const own = weight;
    const regular = curvature.map((value, at) => (at % (n + 1) === 0 ? value + own : value));
    const drawn = cost.map((value, j) => value - own * (point[j] ?? 0));
    const found = minimizeDense({ ...program, curvature: regular, cost: drawn }, look);
    if (isFall && found.status !== 'optimal') {
      // So little is not safe: on with the weight before.
      weight /= WEIGHT_FALL;
      falls = false;
      continue;
    }
    if (found.status !== 'optimal') return found;
    iterations += found.iterations;
    const moved = found.values.reduce((most, value, j) => Math.max(most, Math.abs(value - (point[j] ?? 0))), 0);
    const size = found.values.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
    point = Float64Array.from(found.values);
    if (moved <= AT_REST * size) return { ...found, iterations };
  }
  return { status: 'failed' };
}

/** As a minimization. */
function denseOf({ sense, columns, rows, quadratic = [] }: LinearProgram): DenseQuadratic {
  const n = columns.length;
  const sign = sense === 'minimize' ? 1 : -1;
  const curvature = new Float64Array(n * n);
  for (const { i, j, value } of quadratic) {
    curvature[i * n + j] = sign * value;
    curvature[j * n + i] = sign * value;
  }
  return {
    n,
    curvature,
    cost: Float64Array.from(columns, ({ cost }) => sign * cost),
    lower: Float64Array.from(columns, ({ lower = 0 }) => lower),
    upper: Float64Array.from(columns, ({ upper = Infinity }) => upper),
    rows: rows.map(({ terms, lower = -Infinity, upper = Infinity }) => {
      const normal = new Float64Array(n);
      for (const [j, coefficient] of terms) normal[j] = coefficient;
      return { normal, lower, upper };
    }),
  };
}
