/**
 * Weights whose shares of the risk are given: the minimum of 1/2 x'Cx - sum b ln x, by damped Newton steps, made to add
 * up.
 * Source: Spinu, An algorithm for computing risk parity weights (2013); Roncalli 2013.
 */
import { log } from '../../common/float.js';
import { choleskyFactor, solveLower, solveUpper } from '../../linalg/cholesky.js';
import { Unbounded, Unsolved } from '../problem-type.js';

const MAX_STEPS = 500;
/** Squared Newton decrement at which the minimum is reached to rounding. */
const REACHED = 1e-26;
/** Relative error of the shares of the risk. */
const ERROR = 1e-8;
/** Less volatility than this share of that without diversification is none. */
const RISKLESS = 1e-4;

interface RiskShares {
  /** Sum 1. */
  readonly weights: Float64Array;
  readonly iterations: number;
}

/**
 * `budgets` above 0. @throws {Unbounded} where some combination has no risk at all, {Unsolved} where rounding hides it
 */
export function riskParity(covariance: Float64Array, budgets: Float64Array): RiskShares {
  const n = budgets.length;
  const total = budgets.reduce((sum, value) => sum + value, 0);
  const b = budgets.map((value) => value / total);
  // In units of each asset's volatility: Newton's steps do not depend on it, rounding does.
  const sizes = b.map((_, j) => Math.sqrt(covariance[j * (n + 1)] ?? 0));
  if (sizes.some((size) => !(size > 0))) throw new Unbounded('An asset has no risk: it would take all of the weight.');
  const c = covariance.map((value, at) => value / ((sizes[Math.floor(at / n)] ?? 1) * (sizes[at % n] ?? 1)));
  const x = b.map((value) => Math.sqrt(value));
  const value = (at: Float64Array): number => {
    let sum = 0;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) sum += 0.5 * (at[i] ?? 0) * (c[i * n + j] ?? 0) * (at[j] ?? 0);
      sum -= (b[i] ?? 0) * log(at[i] ?? 0);
    }
    return sum;
  };
  const hessian = new Float64Array(n * n);
  const gradient = new Float64Array(n);
  const step = new Float64Array(n);
  let iterations = 0;
  let last = Infinity;
  for (; iterations < MAX_STEPS; iterations++) {
    hessian.set(c);
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += (c[i * n + j] ?? 0) * (x[j] ?? 0);
      const weight = x[i] ?? 0;
      gradient[i] = sum - (b[i] ?? 0) / weight;
      hessian[i * (n + 1)] = (hessian[i * (n + 1)] ?? 0) + (b[i] ?? 0) / (weight * weight);
    }
    if (!choleskyFactor(hessian, hessian, n)) break;
    solveLower(hessian, gradient, step, n);
    const decrement = step.reduce((sum, entry) => sum + entry * entry, 0);
    if (decrement <= REACHED || (decrement < 1e-20 && decrement >= last)) break;
    last = decrement;
    solveUpper(hessian, step, step, n);
    let length = 1;
    for (let j = 0; j < n; j++)
      if ((step[j] ?? 0) > 0) length = Math.min(length, (0.95 * (x[j] ?? 0)) / (step[j] ?? 1));
    const before = value(x);
    // Near the minimum rounding hides the descent, and full steps are right.
    while (decrement > 1e-12 && length > 1e-10 && !(value(moved(x, step, length)) < before - 0.1 * length * decrement))
      length /= 2;
    x.set(moved(x, step, length));
  }
  const weights = x.map((entry, j) => entry / (sizes[j] ?? 1));
  const sum = weights.reduce((whole, entry) => whole + entry, 0);
  const found = weights.map((entry) => entry / sum);
  const error = Math.max(...riskSharesOf(covariance, found).map((share, j) => Math.abs(share / (b[j] ?? 1) - 1)));
  if (error <= ERROR) return { weights: found, iterations };
  const single = found.reduce((total, weight, j) => total + weight * (sizes[j] ?? 0), 0);
  if (!(volatility(covariance, found) > RISKLESS * single)) {
    throw new Unbounded('Some combination of the assets has no risk: shares of the risk have no meaning there.');
  }
  throw new Unsolved(`shares of the risk came to within ${error.toPrecision(2)} of their budgets only`);
}

const volatility = (covariance: Float64Array, weights: Float64Array): number =>
  Math.sqrt(
    Math.max(
      0,
      covariance.reduce((sum, value, at) => {
        const n = weights.length;
        return sum + value * (weights[Math.floor(at / n)] ?? 0) * (weights[at % n] ?? 0);
      }, 0),
    ),
  );

const moved = (x: Float64Array, step: Float64Array, length: number): Float64Array =>
  x.map((value, j) => value - length * (step[j] ?? 0));

/** Shares of the variance, which add up to 1. */
export function riskSharesOf(covariance: Float64Array, weights: ArrayLike<number>): number[] {
  const n = weights.length;
  const parts = Array.from({ length: n }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += (covariance[i * n + j] ?? 0) * (weights[j] ?? 0);
    return sum * (weights[i] ?? 0);
  });
  const variance = parts.reduce((sum, part) => sum + part, 0);
  return variance > 0 ? parts.map((part) => part / variance) : parts.map(() => 0);
}
