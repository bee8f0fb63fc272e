/**
 * CMA-ES for large populations as a generation program: sampling, ranking and learning as `cma-es` does them, in an
 * order of operations that thousands of threads can keep (docs/adr/0051-bulk-cma-es.md).
 *
 * Points are in the unit box: x = mean + sigma y, y = A z, z ~ N(0, I). A is the Cholesky factor of the covariance C,
 * or the square roots of a diagonal one, or S M_1 M_2 ... of limited memory, S being a diagonal and
 * M_j = (1 - d_j) I + d_j v_j v_j^T (`layout.ts` says which, and where the numbers are). Individuals outside the
 * box are clipped for the evaluation and keep their steps; the mean may be outside by 1.5 standard deviations
 * (`../cma-es/boundary.ts`). Sums over individuals go in order over the 64 of a tile, then over 64 tiles, and so on;
 * sums of products for C over chunks of tiles, and over the chunks; sums over coordinates in order, inner products with
 * v_j over 64 at a time and then over these.
 *
 * Symbols: sigma step size; ps, pc [n] evolution paths. Equations: Hansen, arXiv:1604.00772.
 */
import { exp } from '../../common/float.js';
import { TILE_LANES, tiledStart } from '../../model/tiles.js';
import { confineMean } from '../cma-es/boundary.js';
import { rankByFitness } from '../cma-es/rank.js';
import { PURPOSE, type GenerationProgram, type Population } from '../generations/generation-program.js';
import { normalPair } from '../generations/normals.js';
import { uniform53 } from '../generations/philox.js';
import { CONSTANT, constantsOf, FORMS, layoutOf, parametersOf, SHARED, WEIGHTS, WORK, type Layout } from './layout.js';
import { launchesOf } from './launches.js';

const FIRST_SIGMA = 0.2;
const RESTART_SIGMA = 0.3;
const MAX_SIGMA = 1;
/** Multiplications with an addition that a number takes, at least, which is drawn, ranked and added up. */
const DRAWN_OPERATIONS = 200;
/** A variance shrinks to this share in a generation at most. */
const LEAST_SHRINKAGE = 0.25;
/** A pivot below this share of its variance is set to it, and its coordinate correlates with no later one. */
const LEAST_PIVOT = 1e-14;
/** At which mean squares of steps before their scales learn. */
const SQUARES_RATE = 0.1;

const programOf = (version: number, hasLimited: boolean): GenerationProgram => ({
  name: 'bulk-cma-es',
  version,
  /** Normal numbers, in whose place points come; steps. */
  vectors: 2,
  /** Fitness, squared length of the normal numbers, indices from best to worst, weight of the step. */
  scalars: 4,
  asked: 0,

  move(population, k) {
    const { n, shared } = population;
    const [points, steps] = population.vectors;
    const [fitness, lengths] = population.scalars;
    const sigma = shared[SHARED.sigma];
    let squared = 0;
    for (let i = 0, e = tiledStart(k, n); i < n; i++, e += TILE_LANES) {
      const z = points[e];
      squared += z * z;
      const value = shared[SHARED.mean + i] + sigma * steps[e];
      points[e] = value > 0 ? (value > 1 ? 1 : value) : 0;
    }
    lengths[k] = squared;
    // What is better than this counts as a success.
    fitness[k] = shared[SHARED.runBest]!;
  },

  accept(population, k, value) {
    population.scalars[0][k] = value;
  },

  whole: {
    shared: (n, size) => layoutOf(n, size, parametersOf(n, size, hasLimited).form).shared,
    work: (n, size) => layoutOf(n, size, parametersOf(n, size, hasLimited).form).work,
    constants: (n, size) => constantsOf(n, size, hasLimited),

    before(population) {
      const layout = layoutIn(population);
      if (population.generation === 0) begin(population, layout);
      draw(population);
      if (layout.form === 'full') correlate(population, layout);
      else if (directionsInUse(population, layout) === 0) stretch(population, layout);
      else project(population, layout);
    },

    after(population) {
      const layout = layoutIn(population);
      if (rank(population) === 0) return;
      sumSteps(population, layout);
      moveMean(population, layout);
      if (layout.form === 'full') solve(population, layout);
      else divide(population, layout);
      if (layout.form === 'limited') peel(population, layout);
      adapt(population, layout);
      if (layout.form === 'diagonal') return adaptVariances(population, layout);
      if (layout.form === 'limited') return adaptDirections(population, layout);
      sumProducts(population, layout);
      adaptCovariance(population, layout);
      if ((population.generation + 1) % population.constants[CONSTANT.factorGap] === 0) factor(population, layout);
    },

    launches: (population, place) => launchesOf(population, layoutIn(population), place),

    operations(population) {
      const { n, size, constants } = population;
      const { form, directions } = layoutIn(population);
      const drawn = DRAWN_OPERATIONS * size * (n + 1);
      if (form !== 'full') return drawn + 2 * directions * size * n;
      return drawn + size * n * n + (n * n * n) / (6 * constants[CONSTANT.factorGap]);
    },

    patience: (n, size) => parametersOf(n, size, hasLimited).parameters.stallWindow,
  },
});

export const bulkCmaEsProgram = programOf(2, true);
/** Of snapshots from before memory was limited anywhere. */
export const firstBulkCmaEsProgram = programOf(1, false);

const layoutIn = ({ n, size, constants }: Population): Layout => layoutOf(n, size, FORMS[constants[CONSTANT.form]]);

/** Of the directions: one more with every generation, so that slow ones take no part before they know anything. */
const directionsInUse = ({ generation }: Population, { directions }: Layout): number =>
  Math.min(directions, generation);

/** Where the shares, the rates and the gains of the directions are among the constants. */
function directionConstants({ size, constants }: Population, { directions }: Layout) {
  const shares = WEIGHTS + size + constants[CONSTANT.mu] + 1;
  return { shares, rates: shares + directions, gains: shares + 2 * directions };
}

// --- sampling

function begin(population: Population, layout: Layout): void {
  const { n, shared, run, start, words } = population;
  shared.fill(0);
  shared[SHARED.sigma] = run === 0 ? FIRST_SIGMA : RESTART_SIGMA;
  shared[SHARED.pathDecay] = 1;
  shared[SHARED.runBest] = Infinity;
  for (let i = 0; i < n; i++) {
    population.draw(i, 0, PURPOSE.start);
    shared[layout.mean + i] = start?.[i] ?? (run === 0 ? 0.5 : uniform53(words[0], words[1]));
    const at = layout.form === 'full' ? i * n + i : i;
    shared[layout.covariance + at] = shared[layout.factor + at] = 1;
  }
}

function draw(population: Population): void {
  const { n, size, words } = population;
  const [normals] = population.vectors;
  const pair = new Float64Array(2);
  for (let first = 0; first < size; first += TILE_LANES) {
    for (let b = 0; 2 * b < n; b++) {
      for (let k = first; k < size && k < first + TILE_LANES; k++) {
        population.draw(k, b, PURPOSE.coordinates);
        normalPair(words, pair);
        const at = tiledStart(k, n) + 2 * b * TILE_LANES;
        normals[at] = pair[0]!;
        if (2 * b + 1 < n) normals[at + TILE_LANES] = pair[1]!;
      }
    }
  }
  // The solution of the request is the first candidate.
  if (population.start !== null) for (let i = 0; i < n; i++) normals[i * TILE_LANES] = 0;
}

/** y = L z; two rows of L and four individuals at a time. */
function correlate({ n, shared, vectors }: Population, { tiles, factor }: Layout): void {
  const [z, y] = vectors;
  for (let tile = 0; tile < tiles * TILE_LANES * n; tile += TILE_LANES * n) {
    for (let i = 0; i < n; i += 2) {
      const row = factor + i * n;
      // Without a second row the first one counts twice.
      const next = i + 1 < n ? row + n : row;
      for (let lane = tile; lane < tile + TILE_LANES; lane += 4) {
        let s0 = 0;
        let s1 = 0;
        let s2 = 0;
        let s3 = 0;
        let t0 = 0;
        let t1 = 0;
        let t2 = 0;
        let t3 = 0;
        let e = lane;
        for (let j = 0; j <= i; j++, e += TILE_LANES) {
          const a = shared[row + j];
          const b = shared[next + j];
          const z0 = z[e];
          const z1 = z[e + 1];
          const z2 = z[e + 2];
          const z3 = z[e + 3];
          s0 += a * z0;
          s1 += a * z1;
          s2 += a * z2;
          s3 += a * z3;
          t0 += b * z0;
          t1 += b * z1;
          t2 += b * z2;
          t3 += b * z3;
        }
        const at = lane + i * TILE_LANES;
        y[at] = s0;
        y[at + 1] = s1;
        y[at + 2] = s2;
        y[at + 3] = s3;
        if (next === row) continue;
        const b = shared[next + i + 1];
        y[at + TILE_LANES] = t0 + b * z[e];
        y[at + TILE_LANES + 1] = t1 + b * z[e + 1];
        y[at + TILE_LANES + 2] = t2 + b * z[e + 2];
        y[at + TILE_LANES + 3] = t3 + b * z[e + 3];
      }
    }
  }
}

function stretch({ n, shared, vectors }: Population, { tiles, factor }: Layout): void {
  const [z, y] = vectors;
  for (let e = 0, tile = 0; tile < tiles; tile++) {
    for (let i = 0; i < n; i++) {
      const deviation = shared[factor + i];
      for (let lane = 0; lane < TILE_LANES; lane++, e++) y[e] = deviation * z[e];
    }
  }
}

/** y = S M_1 M_2 ... z; the innermost direction is the one that learns slowest. */
function project(population: Population, layout: Layout): void {
  const { n, shared, constants, vectors } = population;
  const { tiles, factor, memory } = layout;
  const [z, y] = vectors;
  const { shares } = directionConstants(population, layout);
  const used = directionsInUse(population, layout);
  const partial = new Float64Array(TILE_LANES);
  const along = new Float64Array(TILE_LANES);
  for (let tile = 0; tile < tiles * TILE_LANES * n; tile += TILE_LANES * n) {
    for (let j = used - 1; j >= 0; j--) {
      const from = j === used - 1 ? z : y;
      const v = memory + j * n;
      along.fill(0);
      for (let first = 0; first < n; first += TILE_LANES) {
        partial.fill(0);
        for (let i = first; i < n && i < first + TILE_LANES; i++) {
          const value = shared[v + i];
          const at = tile + i * TILE_LANES;
          for (let lane = 0; lane < TILE_LANES; lane++) partial[lane] += value * from[at + lane];
        }
        for (let lane = 0; lane < TILE_LANES; lane++) along[lane] += partial[lane];
      }
      const share = constants[shares + j];
      const keep = 1 - share;
      for (let lane = 0; lane < TILE_LANES; lane++) along[lane] *= share;
      for (let i = 0; i < n; i++) {
        const value = shared[v + i];
        const at = tile + i * TILE_LANES;
        for (let lane = 0; lane < TILE_LANES; lane++) y[at + lane] = keep * from[at + lane] + along[lane] * value;
      }
    }
    for (let i = 0; i < n; i++) {
      const scale = shared[factor + i];
      const at = tile + i * TILE_LANES;
      for (let lane = at; lane < at + TILE_LANES; lane++) y[lane] = scale * y[lane];
    }
  }
}

// --- learning

/**
 * Weights of all steps, by rank. Failed candidates get no positive weight, and with fewer than mu others the weights of
 * those are scaled up to sum 1. Negative ones are scaled by n / |z|^2, so that no single step can make C indefinite.
 * Returns how many have a positive weight.
 */
function rank({ n, size, constants, shared, work, scalars }: Population): number {
  const [fitness, lengths, order, weights] = scalars;
  const indices = new Int32Array(size);
  rankByFitness(fitness, indices, new Int32Array(size), size);
  order.set(indices);
  let parents = constants[CONSTANT.mu];
  while (parents > 0 && fitness[indices[parents - 1]] === Infinity) parents--;
  work[WORK.parents] = parents;
  const best = fitness[indices[0]];
  if (best < shared[SHARED.runBest]) shared[SHARED.runBest] = best;
  if (parents === 0) return 0;
  const parentWeight = constants[WEIGHTS + size + parents];
  for (let r = 0; r < size; r++) {
    const k = indices[r];
    const weight = constants[WEIGHTS + r];
    const squared = lengths[k];
    if (weight < 0) weights[k] = squared > 0 ? (weight * n) / squared : 0;
    else weights[k] = r < parents ? weight / parentWeight : 0;
  }
  return parents;
}

/** Sums over the individuals, row by row as `Layout.sums` says; the last row is that of all. */
function sumSteps({ n, size, work, vectors, scalars }: Population, layout: Layout): void {
  const { form, columns, sums, levels, tiles } = layout;
  const [, y] = vectors;
  const [, lengths, , weights] = scalars;
  for (let tile = 0; tile < tiles; tile++) {
    const first = tile * TILE_LANES;
    const count = Math.min(TILE_LANES, size - first);
    const row = sums + tile * columns;
    let length = 0;
    for (let lane = 0; lane < count; lane++) {
      const weight = weights[first + lane];
      length += (weight > 0 ? weight : 0) * lengths[first + lane];
    }
    work[row + n] = length;
    for (let i = 0; i < n; i++) {
      const at = first * n + i * TILE_LANES;
      let sum = 0;
      let squares = 0;
      let all = 0;
      for (let lane = 0; lane < count; lane++) {
        const weight = weights[first + lane];
        const step = y[at + lane];
        const square = step * step;
        sum += (weight > 0 ? weight : 0) * step;
        squares += weight * square;
        all += square;
      }
      work[row + i] = sum;
      if (form !== 'full') work[row + n + 1 + i] = squares;
      if (form === 'limited') work[row + 2 * n + 1 + i] = all;
    }
  }
  let from = sums;
  for (let level = 1; level < levels.length; level++) {
    const to = from + levels[level - 1] * columns;
    for (let row = 0; row < levels[level]; row++) {
      const end = Math.min(levels[level - 1], (row + 1) * TILE_LANES);
      for (let c = 0; c < columns; c++) {
        let sum = 0;
        for (let e = row * TILE_LANES; e < end; e++) sum += work[from + e * columns + c];
        work[to + row * columns + c] = sum;
      }
    }
    from = to;
  }
}

const totals = ({ sums, columns, levels }: Layout): number =>
  sums + columns * levels.slice(0, -1).reduce((sum, rows) => sum + rows, 0);

/** Eq. 41-42. The paths follow the step that was really taken. */
function moveMean(population: Population, layout: Layout): void {
  const { n, shared, work } = population;
  const { mean, shift } = layout;
  const total = totals(layout);
  const sigma = shared[SHARED.sigma];
  for (let i = 0; i < n; i++) {
    const old = shared[mean + i];
    const step = work[total + i];
    const moved = old + sigma * step;
    const next = confineMean(moved, 0, 1, sigma * deviationOf(population, layout, i));
    shared[mean + i] = next;
    work[shift + i] = next === moved ? step : sigma > 0 ? (next - old) / sigma : 0;
  }
}

function deviationOf({ n, shared }: Population, { form, covariance, factor }: Layout, i: number): number {
  if (form === 'diagonal') return shared[factor + i];
  if (form === 'full') return Math.sqrt(shared[covariance + i * n + i]);
  return shared[factor + i] * Math.sqrt(shared[covariance + i]);
}

/** The shift, whitened: L^-1 of it. */
function solve({ n, shared, work }: Population, { factor, shift, white }: Layout): void {
  for (let i = 0; i < n; i++) {
    let value = work[shift + i];
    for (let j = 0, at = factor + i * n; j < i; j++, at++) value -= shared[at] * work[white + j];
    work[white + i] = value / shared[factor + i * n + i];
  }
}

function divide({ n, shared, work }: Population, { factor, shift, white }: Layout): void {
  for (let i = 0; i < n; i++) work[white + i] = work[shift + i] / shared[factor + i];
}

/** M_j^-1 for one direction after the other: (a I + d v v^T)^-1 = (I - d v v^T / (a + d v^T v)) / a. */
function peel(population: Population, layout: Layout): void {
  const { n, shared, work, constants } = population;
  const { memory, white } = layout;
  const { shares } = directionConstants(population, layout);
  const used = directionsInUse(population, layout);
  for (let j = 0, v = memory; j < used; j++, v += n) {
    const share = constants[shares + j];
    const keep = 1 - share;
    let product = 0;
    let squares = 0;
    for (let first = 0; first < n; first += TILE_LANES) {
      let [partial, square] = [0, 0];
      for (let i = first; i < n && i < first + TILE_LANES; i++) {
        const value = shared[v + i];
        partial += value * work[white + i];
        square += value * value;
      }
      product += partial;
      squares += square;
    }
    const along = (share * product) / (keep + share * squares);
    for (let i = 0; i < n; i++) work[white + i] = (work[white + i] - along * shared[v + i]) / keep;
  }
}

/** Paths and step size, eq. 43-45. */
function adapt(population: Population, layout: Layout): void {
  const { n, shared, work, constants } = population;
  const { ps, pc, white, shift, squares } = layout;
  const [cs, gain] = [constants[CONSTANT.cs], constants[CONSTANT.psGain]];
  for (let first = 0, block = squares; first < n; first += TILE_LANES, block++) {
    let sum = 0;
    for (let i = first; i < n && i < first + TILE_LANES; i++) {
      const value = (1 - cs) * shared[ps + i] + gain * work[white + i];
      shared[ps + i] = value;
      sum += value * value;
    }
    work[block] = sum;
  }
  adaptStepSize(population, layout);
  const cc = constants[CONSTANT.cc];
  const pcGain = work[WORK.hSigma] * constants[CONSTANT.pcGain];
  for (let i = 0; i < n; i++) shared[pc + i] = (1 - cc) * shared[pc + i] + pcGain * work[shift + i];
}

/**
 * Eq. 44, and in addition the volume: parents whose normal numbers are shorter than expected make it smaller. With
 * large populations the path alone is slow (README.md has the figures). Source: Glasmachers, Schaul, Sun, Wierstra and
 * Schmidhuber, Exponential Natural Evolution Strategies, GECCO 2010: their step size. The exponent is at most 1, so
 * that sigma grows at most e-fold.
 */
function adaptStepSize(population: Population, layout: Layout): void {
  const { squares, inverse } = layout;
  const { n, shared, work, constants } = population;
  const [cc, c1, cmu] = [constants[CONSTANT.cc], constants[CONSTANT.c1], constants[CONSTANT.cmu]];
  let squared = 0;
  for (let block = squares; block < inverse; block++) squared += work[block];
  const length = Math.sqrt(squared);
  const decay = shared[SHARED.pathDecay] * constants[CONSTANT.pathKeep];
  shared[SHARED.pathDecay] = decay;
  const h = length < constants[CONSTANT.pathLimit] * Math.sqrt(1 - decay) ? 1 : 0;
  work[WORK.hSigma] = h;
  work[WORK.decay] = 1 + c1 * (1 - h) * cc * (2 - cc) - c1 - cmu * constants[CONSTANT.weightSum];
  const rate = constants[CONSTANT.stepRate];
  const volume = constants[CONSTANT.volumeRate] * (work[totals(layout) + n] / n - 1);
  let exponent = rate * (length / constants[CONSTANT.chiN] - 1) + volume;
  if (isPlateau(population)) exponent += 0.2 + rate;
  const sigma = shared[SHARED.sigma] * exp(exponent < 1 ? exponent : 1);
  shared[SHARED.sigma] = sigma < MAX_SIGMA ? sigma : MAX_SIGMA;
}

/** Whether the best quarter has equal fitness at different points (B.4). */
function isPlateau({ n, size, vectors, scalars }: Population): boolean {
  const [fitness, , order] = scalars;
  const [points] = vectors;
  const first = order[0];
  const other = order[Math.min(size - 1, 1 + (size >> 2))];
  if (fitness[first] !== fitness[other]) return false;
  const [a, b] = [tiledStart(first, n), tiledStart(other, n)];
  for (let e = 0; e < n * TILE_LANES; e += TILE_LANES) if (points[a + e] !== points[b + e]) return true;
  return false;
}

/** Eq. 47 for a diagonal. */
function adaptVariances({ n, shared, work, constants }: Population, layout: Layout): void {
  const { covariance, factor, pc } = layout;
  const squares = totals(layout) + n + 1;
  const [c1, cmu, decay] = [constants[CONSTANT.c1], constants[CONSTANT.cmu], work[WORK.decay]];
  for (let i = 0; i < n; i++) {
    const path = shared[pc + i];
    const old = shared[covariance + i];
    const variance = decay * old + (c1 * path * path + cmu * work[squares + i]);
    const kept = variance >= LEAST_SHRINKAGE * old ? variance : LEAST_SHRINKAGE * old;
    shared[covariance + i] = kept;
    shared[factor + i] = Math.sqrt(kept);
  }
}

/**
 * Scales learn as a diagonal does, relative to the variances that the directions give; directions learn from the
 * whitened shift.
 */
function adaptDirections(population: Population, layout: Layout): void {
  const { n, size, shared, work, constants } = population;
  const { covariance, factor, pc, white, memory, directions } = layout;
  const { rates, gains } = directionConstants(population, layout);
  const squares = totals(layout) + n + 1;
  const [c1, cmu, decay] = [constants[CONSTANT.c1], constants[CONSTANT.cmu], work[WORK.decay]];
  for (let i = 0; i < n; i++) {
    const path = shared[pc + i];
    const scale = shared[factor + i];
    const old = shared[covariance + i];
    const squared = scale * scale;
    const change = decay + (c1 * path * path + cmu * work[squares + i]) / (squared * old);
    const kept = change >= LEAST_SHRINKAGE ? (change < Infinity ? change : 1) : LEAST_SHRINKAGE;
    shared[covariance + i] = old + SQUARES_RATE * (work[squares + n + i] / (size * squared) - old);
    shared[factor + i] = scale * Math.sqrt(kept);
  }
  for (let j = 0, v = memory; j < directions; j++, v += n) {
    const keep = 1 - constants[rates + j];
    const gain = constants[gains + j];
    for (let i = 0; i < n; i++) shared[v + i] = keep * shared[v + i] + gain * work[white + i];
  }
}

/** Sums of w y y^T over chunks of individuals; four rows by two columns at a time. */
function sumProducts({ n, size, work, vectors, scalars }: Population, layout: Layout): void {
  const { tiles, products, chunks, chunkTiles } = layout;
  const [, y] = vectors;
  const [, , , weights] = scalars;
  const weighted = new Float64Array(4 * TILE_LANES);
  work.fill(0, products, products + chunks * n * n);
  for (let tile = 0; tile < tiles; tile++) {
    const first = tile * TILE_LANES;
    const count = Math.min(TILE_LANES, size - first);
    const to = products + Math.floor(tile / chunkTiles) * n * n;
    for (let i = 0; i < n; i += 4) {
      const rows = Math.min(4, n - i);
      for (let r = 0; r < 4; r++) {
        const at = first * n + Math.min(i + r, n - 1) * TILE_LANES;
        for (let lane = 0; lane < count; lane++) weighted[r * TILE_LANES + lane] = weights[first + lane] * y[at + lane];
      }
      for (let j = 0; j < i + rows; j += 2) {
        const a = first * n + j * TILE_LANES;
        const b = j + 1 < n ? a + TILE_LANES : a;
        const at = to + i * n + j;
        addProducts(weighted, y, a, b, count, work, at, n, rows, b === a ? 1 : 2);
      }
    }
  }
}

/**
 * Adds to `sums[at + r n + c]`, r below `rows` and c below `columns`, the products of `count` numbers of row r in
 * `weighted` and of `y` at `a` (c = 0) or `b`.
 */
function addProducts(
  weighted: Float64Array,
  y: Float64Array,
  a: number,
  b: number,
  count: number,
  sums: Float64Array,
  at: number,
  n: number,
  rows: number,
  columns: number,
): void {
  const last = rows - 1;
  const [r1, r2, r3] = [Math.min(1, last) * n, Math.min(2, last) * n, last * n];
  const next = columns - 1;
  let [s0, s1, s2, s3] = [sums[at], sums[at + r1], sums[at + r2], sums[at + r3]];
  let [t0, t1, t2, t3] = [sums[at + next], sums[at + r1 + next], sums[at + r2 + next], sums[at + r3 + next]];
  for (let lane = 0; lane < count; lane++) {
    const p = y[a + lane];
    const q = y[b + lane];
    const w0 = weighted[lane];
    const w1 = weighted[TILE_LANES + lane];
    const w2 = weighted[2 * TILE_LANES + lane];
    const w3 = weighted[3 * TILE_LANES + lane];
    s0 += w0 * p;
    s1 += w1 * p;
    s2 += w2 * p;
    s3 += w3 * p;
    t0 += w0 * q;
    t1 += w1 * q;
    t2 += w2 * q;
    t3 += w3 * q;
  }
  // Rows and columns that there are not repeat the last one.
  sums[at + r3 + next] = t3;
  sums[at + r3] = s3;
  sums[at + r2 + next] = t2;
  sums[at + r2] = s2;
  sums[at + r1 + next] = t1;
  sums[at + r1] = s1;
  sums[at + next] = t0;
  sums[at] = s0;
}

/** Eq. 47. */
function adaptCovariance({ n, shared, work, constants }: Population, layout: Layout): void {
  const { covariance, pc, products, chunks } = layout;
  const [c1, cmu, decay] = [constants[CONSTANT.c1], constants[CONSTANT.cmu], work[WORK.decay]];
  for (let chunk = 1; chunk < chunks; chunk++) {
    const from = products + chunk * n * n;
    for (let at = 0; at < n * n; at++) work[products + at] += work[from + at];
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const at = i * n + j;
      const old = shared[covariance + at];
      const value = decay * old + (c1 * shared[pc + i] * shared[pc + j] + cmu * work[products + at]);
      const isTooSmall = i === j && !(value >= LEAST_SHRINKAGE * old);
      shared[covariance + at] = isTooSmall ? LEAST_SHRINKAGE * old : value;
    }
  }
}

/** L of C: from each number the products of those left of it are subtracted from left to right. */
function factor({ n, shared, work }: Population, { covariance: c, factor: l, inverse }: Layout): void {
  for (let i = 0; i < n; i++) {
    const row = l + i * n;
    for (let j = 0; j <= i; j++) {
      const other = l + j * n;
      let value = shared[c + i * n + j];
      for (let k = 0; k < j; k++) value -= shared[row + k] * shared[other + k];
      if (j < i) {
        shared[row + j] = value * work[inverse + j];
        continue;
      }
      const least = LEAST_PIVOT * shared[c + i * n + i];
      const root = Math.sqrt(value > least ? value : least);
      shared[row + i] = root;
      work[inverse + i] = value > least ? 1 / root : 0;
    }
  }
}
