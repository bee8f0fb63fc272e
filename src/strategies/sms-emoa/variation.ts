/**
 * How a candidate is made of members of the population, in the unit box. Powers are `common/float.ts`'s, for the bits.
 */
import { power } from '../../common/float.js';
import type { Rng } from '../../common/rng.js';
import { DIFFERENTIAL_WEIGHTS, EXCHANGE_RATE, MUTATION_INDEX, SBX_INDEX, SBX_RATE, WAYS } from './parameters.js';

/** Least argument that `power` is given. */
const LEAST_POSITIVE = 1e-300;

export interface Parents {
  /** [size, n] */
  readonly population: Float64Array;
  /** Points that lost their place lately: [replacedSize, n]. */
  readonly replaced: Float64Array;
  readonly replacedSize: number;
  /** Draws a member of the population. */
  pick(): number;
}

/** Writes one child to `out` at `to`. */
export function vary(parents: Parents, n: number, rng: Rng, out: Float64Array, to: number): void {
  const way = WAYS[rng.below(WAYS.length)];
  if (way === 'binary') crossBinary(parents, n, rng, out, to);
  else if (way === 'exchange') addDifference(EXCHANGE_RATE, 1, parents, n, rng, out, to);
  else {
    const [least, most] = DIFFERENTIAL_WEIGHTS;
    addDifference(1, least + (most - least) * rng.uniform(), parents, n, rng, out, to);
  }
  mutate(n, rng, out, to);
}

/**
 * One of the two children of simulated binary crossover with bounds. Source: Deb and Agrawal, Simulated binary
 * crossover for continuous search space, Complex Systems 9, 1995; bounds as in NSGA-II's code.
 */
function crossBinary({ population, pick }: Parents, n: number, rng: Rng, out: Float64Array, to: number): void {
  const a = pick() * n;
  const b = pick() * n;
  const crosses = rng.uniform() < SBX_RATE;
  for (let i = 0; i < n; i++) {
    const x = population[a + i];
    const y = population[b + i];
    const low = Math.min(x, y);
    const high = Math.max(x, y);
    if (!crosses || rng.uniform() < 0.5 || high - low < 1e-14) {
      out[to + i] = x;
      continue;
    }
    const isLower = rng.uniform() < 0.5;
    const beta = 1 + (2 * (isLower ? low : 1 - high)) / (high - low);
    const alpha = 2 - power(beta, -(SBX_INDEX + 1));
    const u = rng.uniform();
    const spread =
      u <= 1 / alpha
        ? power(Math.max(u * alpha, LEAST_POSITIVE), 1 / (SBX_INDEX + 1))
        : power(1 / (2 - u * alpha), 1 / (SBX_INDEX + 1));
    const child = 0.5 * (low + high + (isLower ? -spread : spread) * (high - low));
    out[to + i] = Math.min(1, Math.max(0, child));
  }
}

/**
 * x + weight (a - b), in a share `rate` of the coordinates; b is often one that a, or its like, has replaced: a step
 * towards what is better.
 */
function addDifference(
  rate: number,
  weight: number,
  { population, replaced, replacedSize, pick }: Parents,
  n: number,
  rng: Rng,
  out: Float64Array,
  to: number,
): void {
  const base = pick() * n;
  const first = pick() * n;
  const size = population.length / n;
  const other = rng.below(size + replacedSize);
  const from = other < size ? population : replaced;
  const second = (other < size ? other : other - size) * n;
  const sure = rng.below(n);
  for (let i = 0; i < n; i++) {
    const x = population[base + i];
    if (i !== sure && rng.uniform() >= rate) {
      out[to + i] = x;
      continue;
    }
    const moved = x + weight * (population[first + i] - from[second + i]);
    // Half way to the bound where it would be crossed.
    out[to + i] = moved < 0 ? x / 2 : moved > 1 ? (1 + x) / 2 : moved;
  }
}

/**
 * Polynomial mutation with bounds, one coordinate in the mean. Source: Deb and Goyal, A combined genetic adaptive
 * search (GeneAS), 1996.
 */
function mutate(n: number, rng: Rng, out: Float64Array, to: number): void {
  const exponent = 1 / (MUTATION_INDEX + 1);
  for (let i = 0; i < n; i++) {
    if (rng.uniform() * n >= 1) continue;
    const x = out[to + i];
    const u = rng.uniform();
    const far = u < 0.5 ? 1 - x : x;
    const share = u < 0.5 ? 2 * u : 2 * (1 - u);
    const rest = power(Math.max(far, LEAST_POSITIVE), MUTATION_INDEX + 1);
    const step = 1 - power(Math.max(share + (1 - share) * rest, LEAST_POSITIVE), exponent);
    out[to + i] = Math.min(1, Math.max(0, u < 0.5 ? x - step : x + step));
  }
}
