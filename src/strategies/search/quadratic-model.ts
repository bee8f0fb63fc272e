/**
 * A quadratic model of the fitness, fitted by weighted least squares: linear, with a diagonal, or with all products, as
 * many as the points can carry. Coordinates should be whitened (src/linalg/quadratic-fit.ts says why).
 */
import { choleskyFactor, solveLower, solveUpper } from '../../linalg/cholesky.js';
import { type PolynomialKind, type QuadraticFit, coefficientCount, fitQuadratic } from '../../linalg/quadratic-fit.js';
import { SymmetricEigen } from '../../linalg/symmetric-eigen.js';

/** Points per coefficient that a kind wants. */
const MIN_POINTS = 1.1;
/** A fit of a full model costs n^6: beyond this dimension squares have to do. */
const MAX_FULL_DIMENSION = 12;
const RIDGE = 1e-11;
/** Weight of the best point when the worst has 1; linear in rank. */
const BEST_WEIGHT = 20;

/** The richest kind that `points` points can carry, or null. */
export function modelKind(n: number, points: number): PolynomialKind | null {
  if (n <= MAX_FULL_DIMENSION && points >= MIN_POINTS * coefficientCount.full(n)) return 'full';
  if (points >= MIN_POINTS * coefficientCount.diagonal(n)) return 'diagonal';
  return points >= MIN_POINTS * coefficientCount.linear(n) ? 'linear' : null;
}

/** Number of points, nearest first, from which fits take the best. */
export const pointsToChooseFrom = (n: number): number =>
  2 * coefficientCount[n <= MAX_FULL_DIMENSION ? 'full' : 'diagonal'](n);

/** How many of `points` points, best first, a fit uses: three quarters, but enough for the kind. */
export function pointsToFit(kind: PolynomialKind, n: number, points: number): number {
  return Math.min(points, Math.max(Math.ceil(MIN_POINTS * coefficientCount[kind](n)), Math.ceil(0.75 * points)));
}

export type FitPoints = Pick<QuadraticFit, 'count' | 'rows' | 'z' | 'fitness'>;

export class QuadraticModel {
  private constructor(
    private readonly n: number,
    readonly kind: PolynomialKind,
    /** As `fitQuadratic` gives them; of the fitness minus `offset`, over `scale`. */
    private readonly coefficients: Float64Array,
    private readonly offset: number,
    private readonly scale: number,
  ) {}

  /** Null where the equations cannot be solved. */
  static fit(kind: PolynomialKind, n: number, points: FitPoints): QuadraticModel | null {
    const { count, rows, z, fitness } = points;
    const coefficients = new Float64Array(coefficientCount[kind](n));
    const task: QuadraticFit = { kind, n, count, rows, z, fitness, bestWeight: BEST_WEIGHT, ridge: RIDGE };
    if (!fitQuadratic(task, coefficients)) return null;
    const offset = fitness[rows[0]];
    return new QuadraticModel(n, kind, coefficients, offset, fitness[rows[count - 1]] - offset);
  }

  /** The modelled fitness at `z[start .. start+n]`. */
  value(z: Float64Array, start: number): number {
    const { n, coefficients: c, kind } = this;
    let sum = c[0];
    if (kind === 'full') {
      for (let i = 0, at = 1; i < n; i++) {
        let factor = c[at++];
        for (let j = 0; j <= i; j++) factor += c[at++] * z[start + j];
        sum += factor * z[start + i];
      }
    } else {
      for (let i = 0; i < n; i++) {
        const value = z[start + i];
        sum += c[1 + i] * value;
        if (kind === 'diagonal') sum += c[1 + n + i] * value * value;
      }
    }
    return this.offset + this.scale * sum;
  }

  /** The minimum within |z| <= radius: [n]. */
  minimum(radius: number): Float64Array {
    const { n, coefficients: c, kind } = this;
    if (kind !== 'full') {
      const curvatures = new Float64Array(n);
      if (kind === 'diagonal') for (let i = 0; i < n; i++) curvatures[i] = 2 * c[1 + n + i];
      return minimumOfDiagonal(curvatures, c.slice(1, 1 + n), radius);
    }
    const slope = new Float64Array(n);
    const hessian = new Float64Array(n * n);
    for (let i = 0, at = 1; i < n; i++) {
      slope[i] = c[at++]!;
      for (let j = 0; j < i; j++) hessian[i * n + j] = c[at++]!;
      hessian[i * n + i] = 2 * c[at++];
    }
    return newtonStep(hessian, slope, radius) ?? minimumInBall(hessian, slope, radius);
  }
}

/** Where the quadratic has its minimum, if it has one within the radius: for a tenth of what `minimumInBall` costs. */
function newtonStep(hessian: Float64Array, slope: Float64Array, radius: number): Float64Array | null {
  const n = slope.length;
  const factor = new Float64Array(n * n);
  if (!choleskyFactor(hessian, factor, n, 1e-12)) return null;
  const z = slope.map((value) => -value);
  solveLower(factor, z, z, n);
  solveUpper(factor, z, z, n);
  let squared = 0;
  for (const value of z) squared += value * value;
  return squared <= radius * radius ? z : null;
}

/** `hessian` [n, n], lower triangle. */
function minimumInBall(hessian: Float64Array, slope: Float64Array, radius: number): Float64Array {
  const n = slope.length;
  const curvatures = new Float64Array(n);
  const vectors = new Float64Array(n * n);
  if (!new SymmetricEigen(n).decompose(hessian, curvatures, vectors)) return new Float64Array(n);
  const rotated = new Float64Array(n);
  for (let k = 0; k < n; k++) for (let i = 0; i < n; i++) rotated[k] += vectors[k * n + i] * slope[i];
  const inner = minimumOfDiagonal(curvatures, rotated, radius);
  const z = new Float64Array(n);
  for (let k = 0; k < n; k++) for (let i = 0; i < n; i++) z[i] += vectors[k * n + i] * inner[k];
  return z;
}

/** Minimum of slope . z + sum(curvature z^2) / 2 within |z| <= radius: More and Sorensen's equation by bisection. */
function minimumOfDiagonal(curvatures: Float64Array, slope: Float64Array, radius: number): Float64Array {
  const n = slope.length;
  let lowest = Infinity;
  let steepest = 0;
  for (let i = 0; i < n; i++) {
    lowest = Math.min(lowest, curvatures[i]);
    steepest += slope[i] * slope[i];
  }
  steepest = Math.sqrt(steepest);
  const length = (shift: number): number => {
    let sum = 0;
    for (let i = 0; i < n; i++) {
      const z = slope[i] / (curvatures[i] + shift);
      sum += z * z;
    }
    return Math.sqrt(sum);
  };
  const tiny = 1e-12 * Math.max(Math.abs(lowest), steepest / radius, Number.MIN_VALUE);
  let shift = 0;
  if (!(lowest > tiny && length(0) <= radius)) {
    let low = Math.max(0, -lowest) + tiny;
    let high = Math.max(low, -lowest + steepest / radius + tiny);
    if (length(low) <= radius) high = low;
    for (let k = 0; k < 60 && high > low; k++) {
      const middle = 0.5 * (low + high);
      if (middle === low || middle === high) break;
      if (length(middle) > radius) low = middle;
      else high = middle;
    }
    shift = high;
  }
  return slope.map((value, i) => -value / (curvatures[i] + shift));
}
