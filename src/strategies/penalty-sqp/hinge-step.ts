/**
 * The step that minimises a convex quadratic with hinges over a box,
 *
 *   g'd + d'Hd / 2 + sum of c_j max(0, z_j + a_j'd),  lower <= d <= upper,
 *
 * by a primal-dual interior point method: from strictly feasible points, one factorisation of n x n an iteration.
 *
 * Sources: Fletcher, Practical Methods of Optimization, 1987, section 14.3 (Sl1QP); Wright, Primal-Dual Interior-Point
 * Methods, 1997.
 */
import { choleskyFactor, solveLower, solveUpper } from '../../linalg/cholesky.js';
import { dot } from '../../linalg/dot.js';

export interface Hinge {
  readonly weight: number;
  readonly z: number;
  /** [n] */
  readonly slope: Float64Array;
}

export interface HingeProblem {
  /** [n] */
  readonly gradient: Float64Array;
  /** [n, n], positive definite. */
  readonly hessian: Float64Array;
  readonly hinges: readonly Hinge[];
  /** [n], not above 0, and below `upper`. */
  readonly lower: Float64Array;
  /** [n], not below 0. */
  readonly upper: Float64Array;
}

export interface HingeStep {
  /** [n] */
  readonly step: Float64Array;
  /** By hinge, from 0 to its weight: the slope of it at the step. */
  readonly multipliers: Float64Array;
}

/** A hinge in units of the box. */
interface Row {
  readonly index: number;
  readonly a: Float64Array;
  readonly z: number;
  readonly c: number;
  /** Of its multiplier. */
  readonly unit: number;
}

/** Half of the width of a smaller box, in lengths of the step, and how often there is one. */
const ZOOM = 10;
const MAX_ZOOMS = 4;
const MAX_ITERATIONS = 60;
/** Centring: the next complementarity, relative to the mean so far. */
const CENTRING = 0.15;
/** Share of the way to the boundary. */
const STEP_SHARE = 0.995;
/** Complementarity, of numbers scaled to about 1, at the end. */
const TOLERANCE = 1e-15;
/** The same, and the slope that is left, where it comes no further. */
const GOOD_ENOUGH = 1e-8;
/** Where in the box it begins, as a share of its width away from the sides. */
const INSET = 0.05;
/** Greatest weight, of slopes scaled to 1. */
const MAX_WEIGHT = 1e7;
const MIN_WEIGHT = 1e-14;

/**
 * A step that is short next to the box is found again in a smaller one, to as many digits. Null where the numbers do
 * not allow a step. Cost: O(iterations * n^2 (n + hinges)).
 */
export function hingeStep(problem: HingeProblem): HingeStep | null {
  let best = stepWithin(problem);
  let { lower, upper } = problem;
  for (let k = 0; k < MAX_ZOOMS && best !== null; k++) {
    const { step } = best;
    const width = upper.reduce((most, high, i) => Math.max(most, high - lower[i]), 0);
    const length = step.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    if (!(length > 0) || length > width / ZOOM / ZOOM) break;
    lower = lower.map((low) => Math.max(low, -ZOOM * length));
    upper = upper.map((high) => Math.min(high, ZOOM * length));
    best = stepWithin({ ...problem, lower, upper }) ?? best;
  }
  return best;
}

function stepWithin(problem: HingeProblem): HingeStep | null {
  const n = problem.gradient.length;
  const { lower, upper } = problem;
  // In units of the box and of the greatest slope, so that all numbers are about 1.
  const units = upper.map((high, i) => high - lower[i]);
  const norm = problem.gradient.reduce((most, value, i) => Math.max(most, Math.abs(value) * units[i]), 0);
  let size = norm;
  for (let i = 0; i < n; i++) size = Math.max(size, problem.hessian[i * n + i] * units[i] * units[i]);
  if (!(size > 0) || size === Infinity) return null;
  const g = problem.gradient.map((value, i) => (value * units[i]) / size);
  const h = problem.hessian.map((value, at) => (value * units[Math.floor(at / n)] * units[at % n]) / size);
  // Those that turn nowhere in the box are slopes, or nothing.
  const multipliers = new Float64Array(problem.hinges.length);
  const rows: Row[] = [];
  problem.hinges.forEach(({ z, slope, weight }, index) => {
    const a = slope.map((value, i) => value * units[i]);
    const reach = a.reduce((sum, value) => sum + Math.abs(value), 0);
    if (!(reach > 0) || z <= -reach) return;
    if (z >= reach) {
      multipliers[index] = weight;
      for (let i = 0; i < n; i++) g[i] += (weight * a[i]) / size;
      return;
    }
    const length = a.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const c = Math.min(MAX_WEIGHT, (weight * length) / size);
    if (c < MIN_WEIGHT) return;
    rows.push({ index, a: a.map((value) => value / length), z: z / length, c, unit: size / length });
  });
  const low = lower.map((value, i) => value / units[i]);
  const high = upper.map((value, i) => value / units[i]);

  const count = rows.length;
  const d = low.map((value, i) => Math.min(high[i] - INSET, Math.max(value + INSET, 0)));
  const z = rows.map((row) => row.z + dot(row.a, d));
  const t = Float64Array.from(z, (value) => Math.max(0, value) + 1);
  const s = Float64Array.from(t, (value, j) => value - z[j]);
  const lambda = Float64Array.from(rows, ({ c }) => Math.min(c / 2, 1));
  const nu = Float64Array.from(rows, ({ c }, j) => c - lambda[j]);
  const below = d.map((value, i) => value - low[i]);
  const above = d.map((value, i) => high[i] - value);
  const p = new Float64Array(n).fill(1);
  const q = new Float64Array(n).fill(1);
  const matrix = new Float64Array(n * n);
  const factor = new Float64Array(n * n);
  const right = new Float64Array(n);
  const theta = new Float64Array(count);
  const rho = new Float64Array(count);

  let isSolved = false;
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    let complementarity = dot(p, below) + dot(q, above) + dot(lambda, s) + dot(nu, t);
    complementarity /= 2 * (n + count);
    const mu = CENTRING * complementarity;
    let residual = 0;
    for (let i = 0; i < n; i++) {
      let sum = g[i] - p[i] + q[i];
      for (let k = 0; k < n; k++) sum += h[i * n + k] * d[k];
      for (let j = 0; j < count; j++) sum += lambda[j] * rows[j].a[i];
      right[i] = -sum;
      residual = Math.max(residual, Math.abs(sum));
    }
    isSolved = complementarity < GOOD_ENOUGH && residual < GOOD_ENOUGH;
    if (isSolved && complementarity < TOLERANCE) break;
    matrix.set(h);
    for (let j = 0; j < count; j++) {
      const { a } = rows[j];
      const divisor = s[j] + (lambda[j] * t[j]) / nu[j];
      theta[j] = lambda[j] / divisor;
      rho[j] = (mu - lambda[j] * s[j] - lambda[j] * (mu / nu[j] - t[j])) / divisor;
      for (let i = 0; i < n; i++) {
        right[i] -= rho[j] * a[i];
        const scaled = theta[j] * a[i];
        if (scaled !== 0) for (let k = 0; k <= i; k++) matrix[i * n + k] += scaled * a[k];
      }
    }
    for (let i = 0; i < n; i++) {
      matrix[i * n + i] += p[i] / below[i] + q[i] / above[i];
      right[i] += mu / below[i] - p[i] - (mu / above[i] - q[i]);
    }
    if (!choleskyFactor(matrix, factor, n, 1e-18)) break;
    solveLower(factor, right, right, n);
    solveUpper(factor, right, right, n);
    const dd = right;
    let share = 1;
    const limit = (value: number, change: number): void => {
      if (change < 0) share = Math.min(share, (-STEP_SHARE * value) / change);
    };
    const dp = p.map((value, i) => mu / below[i] - value - (value / below[i]) * dd[i]);
    const dq = q.map((value, i) => mu / above[i] - value + (value / above[i]) * dd[i]);
    const dl = new Float64Array(count);
    const dt = new Float64Array(count);
    const ds = new Float64Array(count);
    for (let j = 0; j < count; j++) {
      const along = dot(rows[j].a, dd);
      dl[j] = theta[j] * along + rho[j];
      dt[j] = (mu - nu[j] * t[j] + t[j] * dl[j]) / nu[j];
      ds[j] = dt[j] - along;
      limit(lambda[j], dl[j]);
      limit(nu[j], -dl[j]);
      limit(t[j], dt[j]);
      limit(s[j], ds[j]);
    }
    for (let i = 0; i < n; i++) {
      limit(below[i], dd[i]);
      limit(above[i], -dd[i]);
      limit(p[i], dp[i]);
      limit(q[i], dq[i]);
    }
    if (!(share > 1e-12)) break;
    for (let i = 0; i < n; i++) {
      d[i] += share * dd[i];
      below[i] += share * dd[i];
      above[i] -= share * dd[i];
      p[i] += share * dp[i];
      q[i] += share * dq[i];
    }
    for (let j = 0; j < count; j++) {
      lambda[j] += share * dl[j];
      nu[j] -= share * dl[j];
      t[j] += share * dt[j];
      s[j] += share * ds[j];
    }
  }
  if (!isSolved || !d.every(Number.isFinite)) return null;
  const step = d.map((value, i) => Math.min(upper[i], Math.max(lower[i], value * units[i])));
  rows.forEach(({ index, unit }, j) => (multipliers[index] = lambda[j] * unit));
  return { step, multipliers };
}
