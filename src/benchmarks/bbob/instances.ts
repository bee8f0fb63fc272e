/**
 * The random parts of a BBOB instance: shifts, rotations, signs and optimal values. They follow the published instance
 * definition of the suite (Hansen, Finck, Ros, Auger: RR-6829; COCO's `bbob2009` generators), because an instance
 * number must mean the same function here and everywhere else. `values.test.ts` compares with the reference
 * implementation.
 *
 * The generator is Park and Miller's "minimal standard" (a = 16807, m = 2^31 - 1, Schrage's factorisation) behind a
 * Bays-Durham shuffle table of 32. For instances only; searches use `common/rng.ts`.
 */

const MODULUS = 2147483647;
const SCHRAGE_QUOTIENT = 127773;
const TABLE_SIZE = 32;
/** Draws before and while the table is filled. */
const WARM_UP = 40;
/** Maps a draw below the modulus to a place in the table. */
const TABLE_DIVISOR = 67108865;
/** Replaces an exact zero, which has neither logarithm nor sign. */
const NEVER_ZERO = 1e-99;

function nextDraw(state: number): number {
  const quotient = Math.floor(state / SCHRAGE_QUOTIENT);
  const next = 16807 * (state - quotient * SCHRAGE_QUOTIENT) - 2836 * quotient;
  return next < 0 ? next + MODULUS : next;
}

/** `count` uniforms in (0, 1). */
export function uniforms(count: number, seed: number): Float64Array {
  let state = Math.max(1, Math.abs(seed));
  const table = new Float64Array(TABLE_SIZE);
  for (let i = WARM_UP - 1; i >= 0; i--) {
    state = nextDraw(state);
    if (i < TABLE_SIZE) table[i] = state;
  }
  let draw = table[0];
  const out = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    state = nextDraw(state);
    const place = Math.floor(draw / TABLE_DIVISOR);
    draw = table[place]!;
    table[place] = state;
    out[i] = draw / 2.147483647e9;
    if (out[i] === 0) out[i] = NEVER_ZERO;
  }
  return out;
}

/** `count` standard normals (Box-Muller; the angles come from the second half of the uniforms). */
export function normals(count: number, seed: number): Float64Array {
  const u = uniforms(2 * count, seed);
  const out = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    out[i] = Math.sqrt(-2 * Math.log(u[i])) * Math.cos(2 * Math.PI * u[count + i]);
    if (out[i] === 0) out[i] = NEVER_ZERO;
  }
  return out;
}

/** Seed of an instance. Two functions share the draws of their simpler relative: 4 those of 3, 18 those of 17. */
export function instanceSeed(functionId: number, instance: number): number {
  const base = functionId === 4 ? 3 : functionId === 18 ? 17 : functionId;
  return base + 10000 * instance;
}

/** Seed of the first rotation of an instance; the second has the instance's own. */
export const firstRotationSeed = (seed: number): number => seed + 1000000;

/** Optimal value: the quotient of two normals, Cauchy distributed, in hundredths, within +-1000. */
export function optimalValue(functionId: number, instance: number): number {
  const seed = instanceSeed(functionId, instance);
  const quotient = normals(1, seed)[0] / normals(1, seed + 1)[0];
  return Math.min(1000, Math.max(-1000, Math.floor(100 * 100 * quotient + 0.5) / 100));
}

/** The usual place of the optimum: uniform in [-4, 4]^n, in steps of 0.0008, never 0. */
export function uniformOptimum(dimension: number, seed: number): Float64Array {
  return uniforms(dimension, seed).map((u) => {
    const x = (8 * Math.floor(1e4 * u)) / 1e4 - 4;
    return x === 0 ? -1e-5 : x;
  });
}

/**
 * A random rotation, row-major [n, n]: Gram-Schmidt on the columns of a matrix of normals, which are drawn column by
 * column.
 */
export function rotation(dimension: number, seed: number): Float64Array {
  const n = dimension;
  const columns = normals(n * n, seed);
  for (let i = 0; i < n; i++) {
    const own = columns.subarray(i * n, (i + 1) * n);
    for (let j = 0; j < i; j++) {
      const other = columns.subarray(j * n, (j + 1) * n);
      let product = 0;
      for (let k = 0; k < n; k++) product += own[k] * other[k];
      for (let k = 0; k < n; k++) own[k] -= product * other[k];
    }
    let squares = 0;
    for (let k = 0; k < n; k++) squares += own[k] * own[k];
    const norm = Math.sqrt(squares);
    for (let k = 0; k < n; k++) own[k] /= norm;
  }
  const rows = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) rows[i * n + j] = columns[j * n + i]!;
  return rows;
}

/** Ranks of the values: `order[k]` is the index of the k-th smallest; equal values stay in their order. */
export function ascendingOrder(values: Float64Array): number[] {
  return Array.from(values.keys()).sort((a, b) => values[a] - values[b] || a - b);
}
