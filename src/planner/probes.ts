/** Cheap questions to the objective, each answered by a few evaluations that all members can use afterwards. */
import type { Certificate } from '../model/certificate.js';
import { findLattice } from '../strategies/search/find-lattice.js';
import type { Lattice } from '../strategies/search/lattice.js';
import { evaluatePoint, type Points, type SearchContext } from '../strategies/search/search.js';
import { isSumUnderNoise, randomHalf } from '../strategies/search/sum-under-noise.js';
import { log } from '../common/float.js';
import type { Rng } from '../common/rng.js';

type Asking<T> = Generator<Points, T, Float64Array>;

/** Relative differences up to this are rounding. */
const TOLERANCE = 1e-12;
/** Of all coordinates at once. */
const SMALL_MOVE = 1e-7;
const NOISY_ROUNDS = 8;

/** Whether two values of the same point tell of noise. */
export const differ = (value: number, again: number): boolean =>
  Math.abs(again - value) > TOLERANCE * Math.max(Math.abs(again), Math.abs(value));

/**
 * The cells of a program that rounds all its coordinates; `unknown` where a small move of all of them changes the
 * value, so that some may still be rounded. Cost: 1 then.
 */
export function* probeRounding(
  context: SearchContext,
  x: Float64Array,
  fitness: number,
): Asking<Lattice | 'none' | 'unknown'> {
  if (!(fitness < Infinity)) return 'none';
  const points = x.map((value) => (value > 0.5 ? value - SMALL_MOVE : value + SMALL_MOVE));
  const [moved] = yield { points, count: 1, isDifference: true };
  const slope = (moved - fitness) / SMALL_MOVE;
  const lattice = yield* findLattice(context, x, fitness, new Float64Array(x.length).fill(slope));
  return lattice ?? (slope === 0 ? 'none' : 'unknown');
}

/** The same for a program that rounds some of its coordinates. Cost: n where none of these steps changes nothing. */
export function* probeSteps(context: SearchContext, x: Float64Array, fitness: number): Asking<Lattice | null> {
  const { n } = context;
  if (!(fitness < Infinity)) return null;
  const points = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    points.set(x, i * n);
    points[i * n + i] += x[i] > 0.5 ? -SMALL_MOVE : SMALL_MOVE;
  }
  const values = yield { points, count: n, isDifference: true };
  return yield* findLattice(
    context,
    x,
    fitness,
    values.map((value) => (value - fitness) / SMALL_MOVE),
  );
}

/**
 * Whether f(x) is a sum of functions of single coordinates: for a random half S of the coordinates and a random point
 * z, f(z on S, x elsewhere) + f(x on S, z elsewhere) = f(x) + f(z). One round tests all pairs across the split at once.
 * Cost: 3 a round, and it ends with the first that fails.
 */
export function* probeSeparability(x: Float64Array, fitness: number, rounds: number, rng: Rng): Asking<boolean> {
  const n = x.length;
  if (n === 1) return true;
  if (!Number.isFinite(fitness)) return false;
  for (let round = 0; round < rounds; round++) {
    const z = Float64Array.from({ length: n }, () => rng.uniform());
    const inS = randomHalf(n, rng);
    const a = yield* evaluatePoint(x.map((value, i) => (inS[i] === 1 ? z[i] : value)));
    const b = yield* evaluatePoint(x.map((value, i) => (inS[i] === 1 ? value : z[i])));
    const fz = yield* evaluatePoint(z);
    const size = Math.abs(a) + Math.abs(b) + Math.abs(fitness) + Math.abs(fz);
    if (!(Math.abs(fz - a - b + fitness) <= TOLERANCE * size)) return false;
  }
  return true;
}

/**
 * The same under noise, for points z anywhere in the box: see `isSumUnderNoise`. Cost: up to 32.
 *
 * @param values both of `x`
 */
export const probeSeparabilityUnderNoise = (
  x: Float64Array,
  values: readonly [number, number],
  rng: Rng,
): Asking<boolean> => isSumUnderNoise(x, values, () => Float64Array.from(x, () => rng.uniform()), NOISY_ROUNDS, rng);

/** Certificate of the whole box, by interval arithmetic; null: nothing is proven. Cost: 1. */
export function* probeBound(n: number): Asking<Certificate | null> {
  const points = new Float64Array(2 * n).fill(1, n);
  const [bound] = yield { points, count: 1, reading: 'bounds' };
  return Number.isFinite(bound) ? { bound, proof: 'interval arithmetic over the whole box' } : null;
}

/** Lines through `x` in random directions: how long, how many points on each, which polynomial should follow them. */
interface Lines {
  /** Half the length, as a share of the way to a random corner region of the box. */
  readonly span: number;
  /** Odd: `x` itself is in the middle. */
  readonly points: number;
  readonly degree: number;
  readonly lines: number;
}

export const ACROSS_THE_BOX: Lines = { span: 0.7, points: 9, degree: 4, lines: 2 };
export const CLOSE_BY: Lines = { span: 0.08, points: 7, degree: 3, lines: 2 };

interface Profile {
  /**
   * The share of the variation along a line that the best polynomial leaves unexplained, the largest over the lines.
   */
  readonly roughness: number;
  /** The same of a parabola, the mean over the lines. */
  readonly bend: number;
  /** Where between the lowest and the highest value the middle one lies, the mean over the lines. */
  readonly skew: number;
  /** Decades of the range of all values; null where they are all the same, or some are not finite. */
  readonly spread: number | null;
}

/** How rough the landscape is, and of what form. Cost: lines (points - 1). */
export function* probeLines(x: Float64Array, fitness: number, how: Lines, rng: Rng): Asking<Profile> {
  const n = x.length;
  const profile = { roughness: 0, bend: 0, skew: 0 };
  let [lowest, highest] = [fitness, fitness];
  for (let line = 0; line < how.lines; line++) {
    const direction = Float64Array.from({ length: n }, () => rng.uniform() - 0.5);
    const t = Float64Array.from({ length: how.points }, (_, k) => how.span * (-1 + (2 * k) / (how.points - 1)));
    const middle = (how.points - 1) / 2;
    const asked = new Float64Array((how.points - 1) * n);
    let row = 0;
    for (let k = 0; k < how.points; k++) {
      if (k === middle) continue;
      for (let i = 0; i < n; i++) asked[row * n + i] = Math.min(1, Math.max(0, x[i] + t[k] * direction[i]));
      row++;
    }
    const answers = yield { points: asked, count: how.points - 1 };
    const values = [...answers.subarray(0, middle), fitness, ...answers.subarray(middle)];
    profile.roughness = Math.max(profile.roughness, unexplained(t, values, how.degree));
    profile.bend += unexplained(t, values, 2) / how.lines;
    profile.skew += skewness(values) / how.lines;
    lowest = Math.min(lowest, ...values);
    highest = Math.max(highest, ...values);
  }
  const range = highest - lowest;
  return { ...profile, spread: range > 0 && range < Infinity ? log(range) / log(10) : null };
}

/** 0.5 where values are not finite or all the same. */
function skewness(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[0];
  const skew = (sorted[sorted.length >> 1] - low) / (sorted.at(-1)! - low);
  return skew >= 0 && skew <= 1 ? skew : 0.5;
}

/**
 * The share (as a ratio of lengths) of the variation of `y` that the best polynomial in `t` leaves; 1 where y is not
 * finite.
 */
function unexplained(t: Float64Array, y: readonly number[], degree: number): number {
  const mean = y.reduce((a, b) => a + b, 0) / y.length;
  let rest = y.map((value) => value - mean);
  const total = squares(rest);
  if (!(total < Infinity)) return 1;
  if (total === 0) return 0;
  const basis: number[][] = [];
  for (let d = 0; d <= degree; d++) {
    let column = Array.from(t, (value) => value ** d);
    for (const q of basis) column = without(column, q);
    const length = Math.sqrt(squares(column));
    const q = column.map((value) => value / length);
    basis.push(q);
    rest = without(rest, q);
  }
  return Math.sqrt(squares(rest) / total);
}

const squares = (v: readonly number[]): number => v.reduce((sum, value) => sum + value * value, 0);

/** `v` without its part along the unit vector `q`. */
function without(v: readonly number[], q: readonly number[]): number[] {
  const along = v.reduce((sum, value, i) => sum + value * q[i], 0);
  return v.map((value, i) => value - along * q[i]);
}
