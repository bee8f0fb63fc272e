/**
 * Distributions of one uncertain amount, as inventory and pricing models read them: probability, quantile, expected
 * shortage beyond a level, and the distribution of a sum. Start with `Distribution`; everything here is pure.
 */
import { exp, log } from '../../../common/float.js';
import type { Rng } from '../../../common/rng.js';
import * as normal from './normal.js';

export interface Distribution {
  readonly mean: number;
  readonly sd: number;
  /** Only amounts of a list occur: the best level is one of them. */
  readonly isDiscrete: boolean;
  /** P(D <= x). */
  cdf(x: number): number;
  /** The smallest x with P(D <= x) >= p, 0 < p < 1. */
  quantile(p: number): number;
  /** E[(D - x)+]. */
  shortage(x: number): number;
  draw(rng: Rng): number;
}

/** E[(x - D)+]. */
export const leftover = (demand: Distribution, x: number): number => x - demand.mean + demand.shortage(x);

export function normalDistribution(mean: number, sd: number): Distribution {
  if (sd === 0) return tableDistribution([mean], [1]);
  return {
    mean,
    sd,
    isDiscrete: false,
    cdf: (x) => normal.cdf((x - mean) / sd),
    quantile: (p) => mean + sd * normal.quantile(p),
    shortage: (x) => sd * normal.loss((x - mean) / sd),
    draw: (rng) => mean + sd * rng.normal(),
  };
}

/** ln D is normal with mean `mu` and deviation `sigma`. */
export function lognormalDistribution(mu: number, sigma: number): Distribution {
  const mean = exp(mu + (sigma * sigma) / 2);
  const z = (x: number): number => (log(x) - mu) / sigma;
  return {
    mean,
    sd: mean * Math.sqrt(exp(sigma * sigma) - 1),
    isDiscrete: false,
    cdf: (x) => (x <= 0 ? 0 : normal.cdf(z(x))),
    quantile: (p) => exp(mu + sigma * normal.quantile(p)),
    // The partial mean above x is the mean times the chance of a normal whose centre lies sigma further right.
    shortage: (x) => (x <= 0 ? mean - x : Math.max(0, mean * normal.tail(z(x) - sigma) - x * normal.tail(z(x)))),
    draw: (rng) => exp(mu + sigma * rng.normal()),
  };
}

export function uniformDistribution(low: number, high: number): Distribution {
  const width = high - low;
  return {
    mean: low + width / 2,
    sd: width / Math.sqrt(12),
    isDiscrete: false,
    cdf: (x) => Math.min(1, Math.max(0, (x - low) / width)),
    quantile: (p) => low + p * width,
    shortage: (x) => {
      if (x <= low) return low + width / 2 - x;
      return x >= high ? 0 : ((high - x) / width) * ((high - x) / 2);
    },
    draw: (rng) => low + width * rng.uniform(),
  };
}

/** Weights need not add up to 1 and values need no order; each value of weight above 0 occurs. */
export function tableDistribution(values: readonly number[], weights: ArrayLike<number>): Distribution {
  const merged = new Map<number, number>();
  values.forEach((value, i) => {
    if (weights[i] > 0) merged.set(value + 0, (merged.get(value) ?? 0) + weights[i]);
  });
  const at = Float64Array.from([...merged.keys()].sort((a, b) => a - b));
  const n = at.length;
  const total = at.reduce((sum, value) => sum + (merged.get(value) ?? 0), 0);
  const weight = at.map((value) => (merged.get(value) ?? 0) / total);
  // P(D <= at[i]), and from the far end P(D > at[i]) and E[(D - at[i])+]: tails that are added up from their small end.
  const below = new Float64Array(n);
  const above = new Float64Array(n);
  const short = new Float64Array(n);
  for (let i = 0, sum = 0; i < n; i++) below[i] = sum += weight[i];
  for (let i = n - 2; i >= 0; i--) {
    above[i] = above[i + 1] + weight[i + 1];
    short[i] = short[i + 1] + above[i] * (at[i + 1] - at[i]);
  }
  const mean = at[0] + short[0];
  const variance = at.reduce((sum, value, i) => sum + weight[i] * (value - mean) * (value - mean), 0);
  /** The last index with a value of at most x; -1: none. */
  const indexOf = (x: number): number => countUpTo(at, x) - 1;
  return {
    mean,
    sd: Math.sqrt(variance),
    isDiscrete: true,
    cdf: (x) => {
      const i = indexOf(x);
      return i < 0 ? 0 : above[i] < 0.5 ? 1 - above[i] : below[i];
    },
    // A share that a sum of weights should reach is not missed by a rounding.
    quantile: (p) => at[Math.min(n - 1, countUpTo(below, p - 1e-12))],
    shortage: (x) => {
      const i = indexOf(x);
      return i < 0 ? mean - x : short[i] - (x - at[i]) * above[i];
    },
    draw: (rng) => at[Math.min(n - 1, countUpTo(below, rng.uniform()))],
  };
}

/** How many of the ascending numbers are at most x. */
function countUpTo(ascending: Float64Array, x: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Chances of `first`, `first` + 1, ...: they add up to 1 but for what lies below 1e-30 of the greatest. */
export interface Lattice {
  readonly first: number;
  readonly chances: Float64Array;
}

/** Ratios from the mode on, then normalized: no factorial, nothing overflows. */
export function poissonLattice(mean: number): Lattice {
  if (mean === 0) return { first: 0, chances: Float64Array.of(1) };
  const mode = Math.floor(mean);
  const down: number[] = [];
  for (let k = mode, chance = 1; k >= 1; k--) {
    chance *= k / mean;
    if (chance < 1e-30) break;
    down.push(chance);
  }
  const up: number[] = [1];
  for (let k = mode + 1, chance = 1; ; k++) {
    chance *= mean / k;
    if (chance < 1e-30) break;
    up.push(chance);
  }
  const raw = Float64Array.from([...down.reverse(), ...up]);
  const total = raw.reduce((sum, chance) => sum + chance, 0);
  return { first: mode - down.length, chances: raw.map((chance) => chance / total) };
}

export const poissonDistribution = (mean: number): Distribution => latticeDistribution(poissonLattice(mean), 1);

/** Distribution over `step` times the whole numbers. */
export const latticeDistribution = ({ first, chances }: Lattice, step: number): Distribution =>
  tableDistribution(
    Array.from(chances, (_, i) => (first + i) * step),
    chances,
  );

/** Chances below this share are left out of sums. */
const NEGLIGIBLE = 1e-18;

/** Distribution of the sum of `times` independent amounts. `look` is called often. */
export function latticeSum(one: Lattice, times: number, look: () => void): Lattice {
  let sum: Lattice = { first: 0, chances: Float64Array.of(1) };
  for (let power = one, left = times; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) sum = added(sum, power, look);
    if (left > 1) power = added(power, power, look);
  }
  return sum;
}

function added(a: Lattice, b: Lattice, look: () => void): Lattice {
  const chances = new Float64Array(a.chances.length + b.chances.length - 1);
  for (let i = 0; i < a.chances.length; i++) {
    if (i % 256 === 0) look();
    const chance = a.chances[i];
    if (chance === 0) continue;
    for (let j = 0; j < b.chances.length; j++) chances[i + j] += chance * b.chances[j];
  }
  let from = 0;
  let to = chances.length;
  while (from < to - 1 && chances[from] < NEGLIGIBLE) from++;
  while (to > from + 1 && chances[to - 1] < NEGLIGIBLE) to--;
  return { first: a.first + b.first + from, chances: chances.slice(from, to) };
}

/**
 * On multiples of `step`, with the same mean, and the same expected shortage at each multiple: each amount is split
 * between its two neighbours. Second differences of the shortage say how much comes to each of them.
 */
export function onLattice(demand: Distribution, step: number, lowest: number, highest: number): Lattice {
  const first = Math.floor(lowest / step);
  const last = Math.max(first + 1, Math.ceil(highest / step));
  const shortage = Float64Array.from({ length: last - first + 1 }, (_, i) => demand.shortage((first + i) * step));
  const slope = (i: number): number => (shortage[i] - shortage[i + 1]) / step;
  const n = shortage.length;
  const chances = shortage.map((_, i) => {
    if (i === 0) return 1 - slope(0);
    if (i === n - 1) return slope(n - 2);
    return Math.max(0, slope(i - 1) - slope(i));
  });
  const total = chances.reduce((sum, chance) => sum + chance, 0);
  return { first, chances: chances.map((chance) => chance / total) };
}
