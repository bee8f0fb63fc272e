/**
 * A quadratic model of the fitness, fitted by weighted least squares: linear, with a diagonal, or with all products, as
 * many as the points can carry. Coordinates should be whitened: the normal equations are then well enough conditioned
 * for plain Cholesky with a small ridge.
 */
import { choleskyFactor, solveLower, solveUpper } from '../../linalg/cholesky.js';
import { SymmetricEigen } from '../../linalg/symmetric-eigen.js';

/** Coefficients of the kinds: constant, n slopes, n squares, n (n - 1) / 2 products. */
export const coefficientCount = {
  linear: (n: number): number => n + 1,
  diagonal: (n: number): number => 2 * n + 1,
  full: (n: number): number => ((n + 1) * (n + 2)) / 2,
} as const;

export type ModelKind = keyof typeof coefficientCount;

/** Points per coefficient that a kind wants. */
const MIN_POINTS = 1.1;
/** A fit of a full model costs n^6: beyond this dimension squares have to do. */
const MAX_FULL_DIMENSION = 12;
const RIDGE = 1e-11;
/** Weight of the best point when the worst has 1; linear in rank. */
const BEST_WEIGHT = 20;

/** The richest kind that `points` points can carry, or null. */
export function modelKind(n: number, points: number): ModelKind | null {
  if (n <= MAX_FULL_DIMENSION && points >= MIN_POINTS * coefficientCount.full(n)) return 'full';
  if (points >= MIN_POINTS * coefficientCount.diagonal(n)) return 'diagonal';
  return points >= MIN_POINTS * coefficientCount.linear(n) ? 'linear' : null;
}

export const largestKind = (n: number): ModelKind => (n <= MAX_FULL_DIMENSION ? 'full' : 'diagonal');

/** How many of `points` points, best first, a fit uses: three quarters, but enough for the kind. */
export function pointsToFit(kind: ModelKind, n: number, points: number): number {
  return Math.min(points, Math.max(Math.ceil(MIN_POINTS * coefficientCount[kind](n)), Math.ceil(0.75 * points)));
}

export class QuadraticModel {
  private constructor(
    private readonly n: number,
    readonly kind: ModelKind,
    /** Constant, slopes, squares, products row by row; of the fitness minus `offset`, over `scale`. */
    private readonly coefficients: Float64Array,
    private readonly offset: number,
    private readonly scale: number,
  ) {}

  /**
   * Fits `count` points, best first. Shapes: `z` [count, n] row-major, `fitness` [count], finite and ascending.
   * Null where the equations cannot be solved.
   */
  static fit(kind: ModelKind, n: number, z: Float64Array, fitness: Float64Array, count: number): QuadraticModel | null {
    const size = coefficientCount[kind](n);
    const offset = fitness[0]!;
    const scale = fitness[count - 1]! - offset;
    if (!(scale > 0 && scale < Infinity)) return null;
    const normal = new Float64Array(size * size);
    const right = new Float64Array(size);
    // Four points at a time; surplus rows of the last four have weight 0.
    const rows = [0, 1, 2, 3].map(() => new Float64Array(size));
    const [p, q, r, s] = rows as [Float64Array, Float64Array, Float64Array, Float64Array];
    const weights = new Float64Array(4);
    const values = new Float64Array(4);
    for (let k = 0; k < count; k += 4) {
      for (let b = 0; b < 4; b++) {
        const point = Math.min(k + b, count - 1);
        fill(rows[b]!, kind, n, z, point * n);
        weights[b] = k + b < count ? BEST_WEIGHT - ((BEST_WEIGHT - 1) * point) / (count - 1) : 0;
        values[b] = (fitness[point]! - offset) / scale;
      }
      for (let i = 0; i < size; i++) {
        const wp = weights[0]! * p[i]!;
        const wq = weights[1]! * q[i]!;
        const wr = weights[2]! * r[i]!;
        const ws = weights[3]! * s[i]!;
        right[i]! += wp * values[0]! + wq * values[1]! + (wr * values[2]! + ws * values[3]!);
        const row = i * size;
        for (let j = 0; j <= i; j++) normal[row + j]! += wp * p[j]! + wq * q[j]! + (wr * r[j]! + ws * s[j]!);
      }
    }
    let trace = 0;
    for (let i = 0; i < size; i++) trace += normal[i * size + i]!;
    const ridge = (RIDGE * trace) / size;
    for (let i = 0; i < size; i++) normal[i * size + i]! += ridge;
    if (!choleskyFactor(normal, normal, size)) return null;
    solveLower(normal, right, right, size);
    solveUpper(normal, right, right, size);
    return right.every(Number.isFinite) ? new QuadraticModel(n, kind, right, offset, scale) : null;
  }

  /** The modelled fitness at `z[start .. start+n]`. */
  value(z: Float64Array, start: number): number {
    const { n, coefficients: c, kind } = this;
    let sum = c[0]!;
    for (let i = 0; i < n; i++) sum += c[1 + i]! * z[start + i]!;
    if (kind !== 'linear') for (let i = 0; i < n; i++) sum += c[1 + n + i]! * z[start + i]! * z[start + i]!;
    if (kind === 'full') {
      let at = 1 + 2 * n;
      for (let i = 1; i < n; i++) {
        let row = 0;
        for (let j = 0; j < i; j++) row += c[at++]! * z[start + j]!;
        sum += row * z[start + i]!;
      }
    }
    return this.offset + this.scale * sum;
  }

  /** The minimum within |z| <= radius: [n]. */
  minimum(radius: number): Float64Array {
    const { n, coefficients: c, kind } = this;
    const slope = c.slice(1, 1 + n);
    const curvatures = new Float64Array(n);
    if (kind !== 'full') {
      if (kind === 'diagonal') for (let i = 0; i < n; i++) curvatures[i] = 2 * c[1 + n + i]!;
      return minimumOfDiagonal(curvatures, slope, radius);
    }
    const hessian = new Float64Array(n * n);
    let at = 1 + 2 * n;
    for (let i = 0; i < n; i++) {
      hessian[i * n + i] = 2 * c[1 + n + i]!;
      for (let j = 0; j < i; j++) hessian[i * n + j] = hessian[j * n + i] = c[at++]!;
    }
    const vectors = new Float64Array(n * n);
    if (!new SymmetricEigen(n).decompose(hessian, curvatures, vectors)) return new Float64Array(n);
    const rotated = new Float64Array(n);
    for (let k = 0; k < n; k++) for (let i = 0; i < n; i++) rotated[k]! += vectors[k * n + i]! * slope[i]!;
    const inner = minimumOfDiagonal(curvatures, rotated, radius);
    const z = new Float64Array(n);
    for (let k = 0; k < n; k++) for (let i = 0; i < n; i++) z[i]! += vectors[k * n + i]! * inner[k]!;
    return z;
  }
}

function fill(out: Float64Array, kind: ModelKind, n: number, z: Float64Array, start: number): void {
  out[0] = 1;
  for (let i = 0; i < n; i++) out[1 + i] = z[start + i]!;
  if (kind === 'linear') return;
  for (let i = 0; i < n; i++) out[1 + n + i] = z[start + i]! * z[start + i]!;
  if (kind === 'diagonal') return;
  let at = 1 + 2 * n;
  for (let i = 1; i < n; i++) for (let j = 0; j < i; j++) out[at++] = z[start + i]! * z[start + j]!;
}

/** Minimum of slope . z + sum(curvature z^2) / 2 within |z| <= radius: More and Sorensen's equation by bisection. */
function minimumOfDiagonal(curvatures: Float64Array, slope: Float64Array, radius: number): Float64Array {
  const n = slope.length;
  let lowest = Infinity;
  let steepest = 0;
  for (let i = 0; i < n; i++) {
    lowest = Math.min(lowest, curvatures[i]!);
    steepest += slope[i]! * slope[i]!;
  }
  steepest = Math.sqrt(steepest);
  const length = (shift: number): number => {
    let sum = 0;
    for (let i = 0; i < n; i++) {
      const z = slope[i]! / (curvatures[i]! + shift);
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
  return slope.map((value, i) => -value / (curvatures[i]! + shift));
}
