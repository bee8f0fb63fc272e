import type { Rng } from '../../common/rng.js';
import { type Points, evaluatePoint } from './search.js';

/** What may be left of a sum, as root mean square: share of how much values vary, and deviations of the noise. */
const MOST_LEFT = 0.15;
const MOST_NOISE = 4;
/** Up, down or not at all: for both halves of the coordinates, each alone, then with each other. */
const CROSS = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
  [1, 1],
  [1, -1],
  [-1, 1],
  [-1, -1],
] as const;

/**
 * Whether f is a sum of functions of single coordinates, up to the noise, as far as `x` and the points of `draw` tell:
 * for a random half S of the coordinates and such a point z, f(z on S, x elsewhere) + f(x on S, z elsewhere) =
 * f(x) + f(z). The values of `x`, and two of each z, show the noise. Cost: 4 a round, and it ends, often after 3 of the
 * first, as soon as too much is left of the sum.
 *
 * @param own both values of `x`
 */
export function* isSumUnderNoise(
  x: Float64Array,
  own: readonly [number, number],
  draw: () => Float64Array,
  rounds: number,
  rng: Rng,
): Generator<Points, boolean, Float64Array> {
  const n = x.length;
  const fitness = 0.5 * (own[0] + own[1]);
  if (!Number.isFinite(fitness)) return false;
  let noise = 0.5 * (own[0] - own[1]) ** 2;
  let rest = 0;
  let variation = 0;
  for (let round = 0; round < rounds; round++) {
    const z = draw();
    const inS = randomHalf(n, rng);
    const a = yield* evaluatePoint(x.map((value, i) => (inS[i] === 1 ? z[i] : value)));
    const b = yield* evaluatePoint(x.map((value, i) => (inS[i] === 1 ? value : z[i])));
    const fz = yield* evaluatePoint(z);
    const range = Math.max(fitness, a, b, fz) - Math.min(fitness, a, b, fz);
    rest += (fz - a - b + fitness) ** 2;
    variation += range * range;
    // Squares of the tiniest and the largest numbers tell nothing.
    if (!(variation > 0 && variation < Infinity)) return false;
    const asked = round + 1;
    // Early rounds, which are few, may leave more.
    const slack = rounds / asked;
    if (!(rest <= slack * MOST_LEFT ** 2 * variation)) return false;
    const again = yield* evaluatePoint(z);
    noise += 0.5 * (again - fz) ** 2;
    const mean = noise / (1 + asked);
    if (2 * asked >= rounds && !(rest / asked <= slack ** 2 * MOST_NOISE ** 2 * mean)) return false;
  }
  return true;
}

/**
 * The same close to `x`, where coordinates may have more to do with each other: both halves go to both sides, each
 * alone and with each other. Halves that go to opposite sides show a common limit that `x` lies at; where they go to
 * the same side they meet it, or leave it, together. Cost: 8.
 *
 * @param fitness of `x`
 * @param move where coordinate `i` goes, up or down
 * @param isWhole whether all coordinates of a half go up, or down, together, as limits mostly have it
 */
export function* isSumCloseBy(
  x: Float64Array,
  fitness: number,
  move: (i: number, isUp: boolean) => number,
  isWhole: boolean,
  rng: Rng,
): Generator<Points, boolean, Float64Array> {
  const n = x.length;
  const inS = randomHalf(n, rng);
  const side = Array.from(x, () => isWhole || rng.uniform() < 0.5);
  const points = new Float64Array(CROSS.length * n);
  CROSS.forEach((sides, row) => {
    for (let i = 0; i < n; i++) {
      const to = sides[inS[i]];
      points[row * n + i] = to === 0 ? x[i] : move(i, side[i] === to > 0);
    }
  });
  const values = yield { points, count: CROSS.length };
  let rest = 0;
  let variation = 0;
  for (let k = 0; k < 4; k++) {
    const [a, b, z] = [values[k >> 1], values[2 + (k & 1)], values[4 + k]];
    rest += (z - a - b + fitness) ** 2;
    variation += (Math.max(fitness, a, b, z) - Math.min(fitness, a, b, z)) ** 2;
  }
  return rest <= MOST_LEFT ** 2 * variation;
}

/** 1 on a random half of `n` coordinates, rounded down but at least one. */
export function randomHalf(n: number, rng: Rng): Uint8Array {
  const order = Array.from({ length: n }, (_, k) => k);
  for (let k = n - 1; k > 0; k--) {
    const j = rng.below(k + 1);
    [order[k], order[j]] = [order[j], order[k]];
  }
  const chosen = new Uint8Array(n);
  for (let k = 0; k < Math.max(1, n >> 1); k++) chosen[order[k]] = 1;
  return chosen;
}
