/**
 * Descents from random points of the box, each individual its own: a limited-memory quasi-Newton search that knows
 * nothing of the others, and begins anew where it has nothing left to gain. Each generation has one value and one
 * gradient for every individual. What an ordinary search does in loops is here a state between generations: a line
 * search has a step that the next value confirms or shortens.
 *
 * Bounds: coordinates at a bound with the gradient pointing outwards are fixed, pairs are restricted to the others, and
 * the step is clipped to the box before its slope is taken.
 *
 * Symbols: x [n] the current point, f its fitness, g [n] the gradient there, d [n] the direction, t the step along it,
 * s = change of x, y = change of g. All of them in the unit box.
 * Sources: as for `../l-bfgs/l-bfgs.ts`, whose search this is with fewer pairs, gradients of the program, and steps
 * that are shortened only: Nocedal and Wright, Numerical Optimization, 2nd ed., algorithm 7.4, eq. 7.20, section 3.5;
 * Bertsekas, SIAM J. Control Optim. 20, 1982.
 */
import { TILE_LANES, tiledStart } from '../../model/tiles.js';
import { PURPOSE, type GenerationProgram, type Population } from '../generations/generation-program.js';
import { uniform53 } from '../generations/philox.js';

const MEMORY = 5;
/** Length of a step of which nothing is known, along the coordinate that moves most. */
const FIRST_STEP = 0.1;
/** Largest step in a coordinate, as a share of the box. */
const MAX_STEP = 0.5;
const ARMIJO = 1e-4;
const MAX_SHORTENINGS = 20;
/** Gain, relative to the fitness, below which a step does not count. */
const NEGLIGIBLE_GAIN = 1e-13;
const MAX_NEGLIGIBLE = 3;
/** Pairs with (s.y)^2 below this share of s.s y.y say nothing sure of the curvature. */
const MIN_CURVATURE = 1e-20;

/** Vectors: x, g, d, what is asked for, then s of all pairs, then y of all pairs. */
const [POINT, GRADIENT, TRIAL, STEPS] = [0, 1, 3, 4];
const CHANGES = STEPS + MEMORY;
/** Scalars. The first is the best fitness of all descents of the individual; f is +Infinity where one is to begin. */
const [KEPT, FITNESS, STEP, SLOPE, PAIRS, NEWEST, SHORTENINGS, NEGLIGIBLE] = [0, 1, 2, 3, 4, 5, 6, 7];

const alpha = new Float64Array(MEMORY);
const along = new Float64Array(MEMORY);

export const bulkLimitedMemoryProgram: GenerationProgram = {
  name: 'bulk-l-bfgs',
  version: 1,
  vectors: CHANGES + MEMORY,
  scalars: 8,
  asked: TRIAL,
  readsGradients: true,
  generations: 100,

  move(population, k) {
    const { scalars, generation } = population;
    if (generation === 0) scalars[KEPT][k] = Infinity;
    if (generation === 0 || scalars[FITNESS][k] === Infinity) return begin(population, k);
    // With pairs, then without: they may be what misled.
    for (let attempt = 0; attempt < 2; attempt++) {
      const isReady = scalars[STEP][k] > 0 || direct(population, k);
      if (isReady && place(population, k)) return;
      if (scalars[PAIRS][k] === 0) break;
      scalars[PAIRS][k] = scalars[STEP][k] = 0;
    }
    begin(population, k);
  },

  accept(population, k, value) {
    const { n, vectors, scalars, gradients } = population;
    if (value < scalars[KEPT][k]) scalars[KEPT][k] = value;
    let isUsable = value < Infinity;
    for (let i = 0, e = tiledStart(k, n); i < n; i++, e += TILE_LANES) {
      if (!(gradients[e] > -Infinity && gradients[e] < Infinity)) isUsable = false;
    }
    const before = scalars[FITNESS][k];
    if (before === Infinity) {
      if (!isUsable) return;
      scalars[FITNESS][k] = value;
      for (let i = 0, e = tiledStart(k, n); i < n; i++, e += TILE_LANES) {
        vectors[POINT][e] = vectors[TRIAL][e]!;
        vectors[GRADIENT][e] = gradients[e]!;
      }
      return;
    }
    const t = scalars[STEP][k];
    const slope = scalars[SLOPE][k];
    if (!isUsable || !(value <= before + ARMIJO * t * slope)) {
      shorten(population, k, isUsable ? value : Infinity);
      return;
    }
    learn(population, k);
    const isNegligible = !(before - value > NEGLIGIBLE_GAIN * Math.abs(before));
    const negligible = isNegligible ? scalars[NEGLIGIBLE][k] + 1 : 0;
    scalars[NEGLIGIBLE][k] = negligible;
    scalars[STEP][k] = scalars[SHORTENINGS][k] = 0;
    scalars[FITNESS][k] = negligible >= MAX_NEGLIGIBLE ? Infinity : value;
  },
};

/** A descent begins at a random point. */
function begin(population: Population, k: number): void {
  const { n, vectors, scalars, words } = population;
  scalars[FITNESS][k] = Infinity;
  scalars[STEP][k] = scalars[SLOPE][k] = scalars[PAIRS][k] = scalars[NEWEST][k] = 0;
  scalars[SHORTENINGS][k] = scalars[NEGLIGIBLE][k] = 0;
  for (let i = 0, e = tiledStart(k, n); i < n; i++, e += TILE_LANES) {
    if (i % 2 === 0) population.draw(k, i >> 1, PURPOSE.start);
    vectors[TRIAL][e] = uniform53(words[2 * (i % 2)], words[2 * (i % 2) + 1]);
  }
}

const isFree = (x: number, g: number): boolean => !((x <= 0 && g > 0) || (x >= 1 && g < 0));

/** The quasi-Newton step over the free coordinates, clipped to the box, and its slope. False: it leads nowhere. */
function direct(population: Population, k: number): boolean {
  const { n, vectors, scalars } = population;
  const [points, gradients, directions] = vectors;
  const pairs = scalars[PAIRS][k];
  const newest = scalars[NEWEST][k];
  const start = tiledStart(k, n);
  for (let i = 0, e = start; i < n; i++, e += TILE_LANES) {
    directions[e] = isFree(points[e], gradients[e]) ? -gradients[e] : 0;
  }
  let scale = 0;
  for (let j = 0; j < MEMORY; j++) {
    if (j >= pairs) continue;
    const slot = (newest + MEMORY - j) % MEMORY;
    const [steps, changes] = [vectors[STEPS + slot], vectors[CHANGES + slot]];
    let [sy, yy, sd] = [0, 0, 0];
    for (let i = 0, e = start; i < n; i++, e += TILE_LANES) {
      if (!isFree(points[e], gradients[e])) continue;
      sy += steps[e] * changes[e];
      yy += changes[e] * changes[e];
      sd += steps[e] * directions[e];
    }
    along[j] = sy;
    if (!(sy > 0)) continue;
    const a = sd / sy;
    alpha[j] = a;
    if (scale === 0) scale = sy / yy;
    for (let i = 0, e = start; i < n; i++, e += TILE_LANES) {
      if (isFree(points[e], gradients[e])) directions[e] -= a * changes[e];
    }
  }
  if (scale > 0) for (let i = 0, e = start; i < n; i++, e += TILE_LANES) directions[e] *= scale;
  for (let j = MEMORY - 1; j >= 0; j--) {
    if (j >= pairs || !(along[j] > 0)) continue;
    const slot = (newest + MEMORY - j) % MEMORY;
    const [steps, changes] = [vectors[STEPS + slot], vectors[CHANGES + slot]];
    let yd = 0;
    for (let i = 0, e = start; i < n; i++, e += TILE_LANES) {
      if (isFree(points[e], gradients[e])) yd += changes[e] * directions[e];
    }
    const weight = alpha[j] - yd / along[j];
    for (let i = 0, e = start; i < n; i++, e += TILE_LANES) {
      if (isFree(points[e], gradients[e])) directions[e] += weight * steps[e];
    }
  }
  let longest = 0;
  for (let i = 0, e = start; i < n; i++, e += TILE_LANES) {
    const length = Math.abs(directions[e]);
    if (length > longest) longest = length;
  }
  if (!(longest > 0 && longest < Infinity)) return false;
  const wanted = (scale > 0 ? MAX_STEP : FIRST_STEP) / longest;
  const factor = scale > 0 && wanted > 1 ? 1 : wanted;
  let slope = 0;
  for (let i = 0, e = start; i < n; i++, e += TILE_LANES) {
    const step = clipped(factor * directions[e], -points[e], 1 - points[e]);
    directions[e] = step;
    slope += step * gradients[e];
  }
  scalars[STEP][k] = 1;
  scalars[SLOPE][k] = slope;
  return slope < 0;
}

/** Asks for the point at the step. False: that is where it is. */
function place(population: Population, k: number): boolean {
  const { n, vectors, scalars } = population;
  const [points, , directions, trials] = vectors;
  const t = scalars[STEP][k];
  let isElsewhere = false;
  for (let i = 0, e = tiledStart(k, n); i < n; i++, e += TILE_LANES) {
    const trial = clipped(points[e] + t * directions[e], 0, 1);
    trials[e] = trial;
    if (trial !== points[e]) isElsewhere = true;
  }
  return isElsewhere;
}

/** To the minimum of a parabola; after too many of them the pairs are forgotten, or the descent ends. */
function shorten({ scalars }: Population, k: number, value: number): void {
  const [t, slope] = [scalars[STEP][k], scalars[SLOPE][k]];
  const shortenings = scalars[SHORTENINGS][k] + 1;
  if (shortenings >= MAX_SHORTENINGS) {
    if (scalars[PAIRS][k] === 0) scalars[FITNESS][k] = Infinity;
    scalars[PAIRS][k] = scalars[STEP][k] = scalars[SHORTENINGS][k] = 0;
    return;
  }
  const curvature = 2 * (value - scalars[FITNESS][k] - slope * t);
  const minimum = curvature > 0 && curvature < Infinity ? (-slope * t * t) / curvature : 0;
  scalars[STEP][k] = clipped(minimum, 0.1 * t, 0.5 * t);
  scalars[SHORTENINGS][k] = shortenings;
}

/** The point that was asked for becomes the current one, and the way there a pair. */
function learn(population: Population, k: number): void {
  const { n, vectors, scalars, gradients } = population;
  const pairs = scalars[PAIRS][k];
  const slot = pairs === 0 ? 0 : (scalars[NEWEST][k] + 1) % MEMORY;
  const [points, kept, , trials] = vectors;
  const [steps, changes] = [vectors[STEPS + slot], vectors[CHANGES + slot]];
  let [sy, ss, yy] = [0, 0, 0];
  for (let i = 0, e = tiledStart(k, n); i < n; i++, e += TILE_LANES) {
    const s = trials[e] - points[e];
    const y = gradients[e] - kept[e];
    sy += s * y;
    ss += s * s;
    yy += y * y;
    steps[e] = s;
    changes[e] = y;
    points[e] = trials[e]!;
    kept[e] = gradients[e]!;
  }
  if (sy > 0 && sy < Infinity && sy * sy > MIN_CURVATURE * ss * yy) {
    scalars[NEWEST][k] = slot;
    if (pairs < MEMORY) scalars[PAIRS][k] = pairs + 1;
  } else if (pairs === MEMORY) {
    // The oldest one had its place.
    scalars[PAIRS][k] = MEMORY - 1;
  }
}

const clipped = (value: number, low: number, high: number): number => (value < low ? low : value > high ? high : value);
