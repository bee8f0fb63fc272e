/**
 * CVaR under normal returns: factor x deviation - mean, with factor = density(z) / (1 - confidence) at the quantile z.
 *
 * The least one: factor x s = min over t > 0 of factor/2 (s^2/t + t), so for a fixed t it is a quadratic programme, and
 * the best t is the deviation of its solution w(t). In u = t^2 the variance of w is a straight line between changes of
 * the limits in force, which a secant follows exactly.
 */
import { density, quantile } from '../../solvers/distributions/normal.js';
import { Unsolved, type SolveContext } from '../../problem-type.js';
import { solveConvex, type ConvexSolution } from '../../solvers/quadratic/solve-convex.js';
import type { LinearProgram } from '../../solvers/linear-program.js';
import type { Tail } from '../tail.js';
import { mostOver } from './simplex.js';

export interface Normal {
  readonly means: readonly number[];
  /** [n, n] row-major, positive semidefinite. */
  readonly covariance: Float64Array;
  readonly factor: number;
}

interface Limits {
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly target: number | undefined;
}

const MOST_STEPS = 200;
/** Relative difference of variances that is none. */
const SAME = 1e-13;
/**
 * Least distance of a target from the highest return within the limits, as a share of the largest return; a nearer
 * target is eased.
 */
const REACHABLE = 1e-9;
/** Ridge, as a share of the largest variance of one asset. */
const RIDGE = 1e-10;
/** Share of the largest variance of one asset: a smaller variance is no risk. */
const RISKLESS = 1e-16;

export const multiplierOfTail = (confidence: number): number => density(quantile(confidence)) / (1 - confidence);

export function tailOfNormal(normal: Normal, weights: readonly number[], confidence: number): Tail {
  const deviation = Math.sqrt(varianceOf(normal, weights));
  const mean = normal.means.reduce((sum, one, j) => sum + one * weights[j], 0);
  return { var: quantile(confidence) * deviation - mean, cvar: normal.factor * deviation - mean };
}

function timesCovariance({ covariance, means }: Normal, weights: ArrayLike<number>): number[] {
  const n = means.length;
  return means.map((_, i) => {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += covariance[i * n + j] * weights[j];
    return sum;
  });
}

export const varianceOf = (normal: Normal, weights: ArrayLike<number>): number =>
  Math.max(
    0,
    timesCovariance(normal, weights).reduce((sum, one, j) => sum + one * weights[j], 0),
  );

/**
 * Slopes of a plane that lies below the CVaR of all weights, by Cauchy and Schwarz; it touches at the weights where
 * `deviation` is theirs, and may be larger.
 */
export function gradientAt(normal: Normal, weights: readonly number[], deviation: number): number[] {
  const slopes = timesCovariance(normal, weights);
  return normal.means.map((mean, j) => (normal.factor * slopes[j]) / deviation - mean);
}

interface NormalOptimum {
  readonly weights: readonly number[];
  /** Standard deviation of the return; positive where the weights have none, so that `gradientAt` has a slope. */
  readonly deviation: number;
  readonly priceOfReturn: number;
  readonly iterations: number;
  readonly method: 'convex_qp' | 'closed_form';
  readonly library?: string;
}

interface Point {
  readonly weights: Float64Array;
  readonly variance: number;
  readonly found: ConvexSolution;
}

/** Within limits that some weights keep. */
export async function normalOptimum(normal: Normal, limits: Limits, context: SolveContext): Promise<NormalOptimum> {
  const { means, covariance, factor } = normal;
  const { lower, upper } = limits;
  const n = means.length;
  const richest = mostOver(means, lower, upper);
  const largest = means.reduce((most, _, j) => Math.max(most, covariance[j * (n + 1)]), 0);
  if (largest === 0) {
    return { weights: richest.weights, deviation: 1, priceOfReturn: 0, iterations: 0, method: 'closed_form' };
  }
  // Exactly at the highest return that there is, rounding would decide whether any weights reach it.
  const size = means.reduce((most, mean) => Math.max(most, Math.abs(mean)), 0);
  const target = limits.target === undefined ? undefined : Math.min(limits.target, richest.value - REACHABLE * size);
  let iterations = 0;
  /** u: t squared; null: without regard to the mean. */
  const at = async (u: number | null): Promise<Point> => {
    const scale = u === null ? null : factor / Math.sqrt(u);
    const found = await solveSafely((ridge) => programOf(normal, { ...limits, target }, { scale, ridge }), context);
    if (found.values === null) {
      context.look();
      throw new Unsolved(`a quadratic programme ended as ${found.status}`);
    }
    iterations += found.iterations;
    return { weights: found.values, variance: varianceOf(normal, found.values), found };
  };
  const answer = ({ weights, variance, found }: Point, u: number): NormalOptimum => {
    return {
      weights: Array.from(weights),
      deviation: Math.sqrt(Math.max(variance, u)),
      priceOfReturn: target === undefined ? 0 : Math.max(0, found.rowDuals?.[1] ?? 0),
      iterations,
      method: 'convex_qp',
      library: found.library,
    };
  };
  const safest = await at(null);
  let low = Math.max(safest.variance, RISKLESS * largest);
  let lowest = await at(low);
  let over = lowest.variance - low;
  if (over <= SAME * low) return answer(lowest, low);
  let high = Math.max(varianceOf(normal, richest.weights), 2 * low);
  let highest = await at(high);
  let under = highest.variance - high;
  // Weights of one return differ in variance: the richest corner need not have the most of it.
  for (let k = 0; under > 0 && k < MOST_STEPS; k++) {
    [low, lowest, over] = [high, highest, under];
    high *= 4;
    highest = await at(high);
    under = highest.variance - high;
  }
  for (let step = 0; step < MOST_STEPS; step++) {
    if (over <= SAME * low) return answer(lowest, low);
    if (-under <= SAME * high) return answer(highest, high);
    const secant = low + ((high - low) * over) / (over - under);
    // Every third step halves the bracket: a secant may creep from one end.
    const u = step % 3 === 2 || !(secant > low && secant < high) ? low + (high - low) / 2 : secant;
    if (!(u > low && u < high)) return answer(lowest, low);
    const point = await at(u);
    const difference = point.variance - u;
    if (Math.abs(difference) <= SAME * u) return answer(point, u);
    if (difference > 0) [low, lowest, over] = [u, point, difference];
    else [high, highest, under] = [u, point, difference];
  }
  return answer(lowest, low);
}

/**
 * Where the covariance is singular beyond what the solvers can take, with a little more variance of every asset. What
 * that costs is seen in the gap to the bound, which knows the covariance as it is.
 */
async function solveSafely(program: (ridge: number) => LinearProgram, context: SolveContext): Promise<ConvexSolution> {
  try {
    return await solveConvex(program(0), context);
  } catch (error) {
    if (!(error instanceof Unsolved)) throw error;
    return solveConvex(program(RIDGE), context);
  }
}

/** factor / 2t w'Cw - means'w; `scale` null: 1/2 w'Cw. `ridge`: of the largest variance. */
function programOf(
  { means, covariance }: Normal,
  { lower, upper, target }: Limits,
  { scale, ridge }: { readonly scale: number | null; readonly ridge: number },
): LinearProgram {
  const n = means.length;
  const added = ridge * means.reduce((most, _, j) => Math.max(most, covariance[j * (n + 1)]), 0);
  const quadratic: { i: number; j: number; value: number }[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) {
      const value = (scale ?? 1) * (covariance[i * n + j] + (i === j ? added : 0));
      if (value !== 0) quadratic.push({ i, j, value });
    }
  }
  return {
    sense: 'minimize',
    columns: means.map((mean, j) => ({
      name: `weight ${j + 1}`,
      cost: scale === null ? 0 : 0 - mean,
      lower: lower[j],
      upper: upper[j],
    })),
    rows: [
      { name: 'weights_sum', lower: 1, upper: 1, terms: means.map((_, j) => [j, 1] as const) },
      ...(target === undefined
        ? []
        : [{ name: 'min_expected_return', lower: target, terms: means.map((mean, j) => [j, mean] as const) }]),
    ],
    quadratic,
  };
}
