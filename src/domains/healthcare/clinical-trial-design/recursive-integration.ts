/**
 * Probabilities of crossing the boundaries of a trial that is looked at several times.
 *
 * The statistic is a Brownian motion S with drift theta per unit of information, seen at the information fractions t_1
 * < ... < t_K = 1; Z_k = S(t_k) / sqrt(t_k). The density of S(t_k) among the trials that go on follows from that of
 * S(t_(k-1)) by one integral. Source: Armitage, McPherson and Rowe 1969; Jennison and Turnbull, Group Sequential
 * Methods (2000), chapter 19.
 *
 * Numerics: each density is a mixture of normal ones of standard deviation sqrt(t_k - t_(k-1)), so Gauss-Legendre
 * panels of twice that width, or twice the next step's, integrate it to about 1e-13.
 */
import { exp } from '../../../common/float.js';
import { panels } from '../../solvers/gauss-legendre.js';
import { tail } from '../../solvers/distributions/normal.js';

/** Standard deviations of S beyond which paths are left out: 1e-21 of them where no boundary lies farther. */
const FAR = 9.5;
/** Where boundaries lie very far out, paths near them are what counts. */
const VERY_FAR = 24;
/** Beyond this many standard deviations of one step a path adds less than 1e-22 to a density. */
const REACH = 10;
const SQRT_2PI = 2.5066282746310002;

/** Trials that go on: the integral of f over their distribution of S(t) is the sum of `share` f(`at`). `at` ascends. */
interface Going {
  readonly t: number;
  readonly at: Float64Array;
  readonly share: Float64Array;
}

export const START: Going = { t: 0, at: Float64Array.of(0), share: Float64Array.of(1) };

/** Trials that go on to time t with Z(t) >= z. */
export function crossAbove(going: Going, t: number, z: number, theta: number): number {
  const step = Math.sqrt(t - going.t);
  const from = z * Math.sqrt(t) - theta * (t - going.t);
  let sum = 0;
  for (let i = 0; i < going.at.length; i++) sum += going.share[i] * tail((from - going.at[i]) / step);
  return sum;
}

export function crossBelow(going: Going, t: number, z: number, theta: number): number {
  const step = Math.sqrt(t - going.t);
  const from = z * Math.sqrt(t) - theta * (t - going.t);
  let sum = 0;
  for (let i = 0; i < going.at.length; i++) sum += going.share[i] * tail((going.at[i] - from) / step);
  return sum;
}

/** The paths that are between `lower` and `upper` (of Z) at time t; `next`: the time of the look after that. */
export function goOn(
  going: Going,
  t: number,
  [lower, upper]: readonly [number, number],
  theta: number,
  next: number,
): Going {
  const step = Math.sqrt(t - going.t);
  const root = Math.sqrt(t);
  const low = Math.max(lower * root, theta * t - root * (lower === -Infinity ? FAR : VERY_FAR));
  const high = Math.min(upper * root, theta * t + root * (upper === Infinity ? FAR : VERY_FAR));
  const { nodes, weights } = panels(low, high, 2 * Math.min(step, Math.sqrt(next - t)));
  const share = new Float64Array(nodes.length);
  const { at, share: before } = going;
  let first = 0;
  for (let j = 0; j < nodes.length; j++) {
    const s = nodes[j] - theta * (t - going.t);
    // Nodes ascend: so does the first path that reaches one.
    while (first < at.length && (s - at[first]) / step > REACH && going.t > 0) first++;
    let density = 0;
    for (let i = first; i < at.length; i++) {
      const z = (s - at[i]) / step;
      if (z < -REACH && going.t > 0) break;
      density += before[i] * exp(-0.5 * z * z);
    }
    share[j] = (weights[j] * density) / (SQRT_2PI * step);
  }
  return { t, at: nodes, share };
}

export interface Boundaries {
  readonly times: readonly number[];
  readonly upper: readonly number[];
  /** -Infinity where there is none. */
  readonly lower: readonly number[];
}

export interface Crossings {
  /** Probability of ending at each look above, below. */
  readonly above: readonly number[];
  readonly below: readonly number[];
}

/** Probabilities with drift `theta`: Z_k has the mean theta sqrt(t_k). */
export function crossings({ times, upper, lower }: Boundaries, theta: number): Crossings {
  const above: number[] = [];
  const below: number[] = [];
  let going = START;
  for (const [k, t] of times.entries()) {
    above.push(crossAbove(going, t, upper[k], theta));
    below.push(lower[k] === -Infinity ? 0 : crossBelow(going, t, lower[k], theta));
    const next = times[k + 1];
    if (next !== undefined) going = goOn(going, t, [lower[k], upper[k]], theta, next);
  }
  return { above, below };
}

export const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Mean information at the end, as a share of the most. */
export function expectedInformation({ times }: Boundaries, { above, below }: Crossings): number {
  let [sum, ended] = [0, 0];
  for (const [k, t] of times.slice(0, -1).entries()) {
    const share = above[k] + below[k];
    sum += t * share;
    ended += share;
  }
  return sum + (1 - ended) * (times.at(-1) ?? 1);
}
