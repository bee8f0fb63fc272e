/**
 * Where the numbers of a population's CMA-ES lie (`native/cuda/strategies/bulk_cma_es.h` has the same places), and its
 * fixed parameters, which are those of `cma-es`.
 */
import { power } from '../../common/float.js';
import { TILE_LANES } from '../../model/tiles.js';
import { cmaParameters, defaultPopulationSize, type CmaParameters } from '../cma-es/parameters.js';

/** Above this dimension the covariance is not full, and where it would take longer to learn than that. */
const MAX_FULL_DIMENSION = 1_000;
const MAX_LEARNING_GENERATIONS = 250;
/**
 * Individuals for each coordinate up to which directions are learnt beside the scales. With more the diagonal is faster
 * on separable functions (README.md has the figures).
 */
const LIMITED_INDIVIDUALS = 1;

/**
 * Of the covariance: all of it, the variances of the coordinates, or their scales and some directions (`limited`:
 * `../cma-es/covariance.ts`). The places are what the constants hold.
 */
export const FORMS = ['diagonal', 'full', 'limited'] as const;
export type Form = (typeof FORMS)[number];

/**
 * Of the constants; weights by rank follow, then the sums of the first 0, 1, 2, ... mu weights, then of the directions
 * [directions] each: their shares in a step, the rates at which they learn, and the gains of what they learn.
 */
export const CONSTANT = {
  form: 0,
  mu: 1,
  cs: 2,
  psGain: 3,
  cc: 4,
  pcGain: 5,
  c1: 6,
  cmu: 7,
  weightSum: 8,
  stepRate: 9,
  chiN: 10,
  pathKeep: 11,
  pathLimit: 12,
  volumeRate: 13,
  factorGap: 14,
  directions: 15,
} as const;
export const WEIGHTS = 16;

/** Of what is shared; the mean, the paths ps and pc [n] and the covariance follow. */
export const SHARED = { sigma: 0, pathDecay: 1, runBest: 2, mean: 4 } as const;
/** Of the work; the step of the mean and the same whitened [n] follow, then sums. */
export const WORK = { parents: 0, parentWeight: 1, hSigma: 2, decay: 3, shift: 4 } as const;

/** Chunks of individuals whose products are summed by themselves, at most, and numbers that these sums take. */
const MAX_CHUNKS = 256;
const MAX_PRODUCTS = 2 ** 22;

export interface Layout {
  readonly n: number;
  readonly size: number;
  readonly form: Form;
  readonly tiles: number;
  readonly mean: number;
  readonly ps: number;
  readonly pc: number;
  /**
   * C [n, n], of which the lower triangle is used; or the variances [n]; or the mean squares [n] of latest steps before
   * their scales.
   */
  readonly covariance: number;
  /** L [n, n], L L^T being an earlier C; or the square roots of the variances [n]; or the scales [n]. */
  readonly factor: number;
  /** v [directions, n], where memory is limited. */
  readonly memory: number;
  readonly directions: number;
  readonly shared: number;

  readonly shift: number;
  readonly white: number;
  /** Squares of ps, summed over 64 coordinates each. */
  readonly squares: number;
  /** Reciprocals of the factor's diagonal [n], 0 where a pivot was too small. */
  readonly inverse: number;
  /**
   * Sums over 64 individuals, over 64 such, and so on, each a row of `columns` numbers: weighted steps [n], weighted
   * squared length of the normal numbers; where the covariance is not full weighted squares of steps [n]; where memory
   * is limited their squares [n].
   */
  readonly sums: number;
  readonly columns: number;
  /** Rows of each level of the sums; the last one has one. */
  readonly levels: readonly number[];
  /** Sums of products [chunks, n, n], over `chunkTiles` tiles each. */
  readonly products: number;
  readonly chunks: number;
  readonly chunkTiles: number;
  /** Where memory is limited: inner products over 64 coordinates, of two directions in turn [2, n / 64, lanes]. */
  readonly along: number;
  /** The same of the mean's step, and of the direction with itself [2, 2, n / 64]. */
  readonly peeled: number;
  readonly work: number;
}

export function layoutOf(n: number, size: number, form: Form): Layout {
  const tiles = Math.ceil(size / TILE_LANES);
  const blocks = Math.ceil(n / TILE_LANES);
  const isFull = form === 'full';
  const directions = form === 'limited' ? defaultPopulationSize(n) : 0;
  const mean = SHARED.mean;
  const covariance = mean + 3 * n;
  const factor = covariance + (isFull ? n * n : n);
  const memory = factor + (factor - covariance);
  const levels: number[] = [];
  for (let rows = size; rows > 1 || levels.length === 0;) levels.push((rows = Math.ceil(rows / TILE_LANES)));
  const columns = n + 1 + { full: 0, diagonal: n, limited: 2 * n }[form];
  const squares = WORK.shift + 2 * n;
  const inverse = squares + blocks;
  const sums = inverse + n;
  const products = sums + columns * levels.reduce((sum, rows) => sum + rows, 0);
  const wanted = Math.max(1, Math.min(MAX_CHUNKS, tiles, Math.floor(MAX_PRODUCTS / (n * n))));
  const chunkTiles = Math.ceil(tiles / wanted);
  const chunks = Math.ceil(tiles / chunkTiles);
  const along = products + (isFull ? chunks * n * n : 0);
  const peeled = along + (directions > 0 ? 2 * blocks * tiles * TILE_LANES : 0);
  return {
    ...{ n, size, form, tiles, mean, ps: mean + n, pc: mean + 2 * n, covariance, factor, memory, directions },
    shared: memory + directions * n,
    ...{ shift: WORK.shift, white: WORK.shift + n, squares, inverse, sums, columns, levels },
    ...{ products, chunks, chunkTiles, along, peeled, work: peeled + (directions > 0 ? 4 * blocks : 0) },
  };
}

const isLearntFull = (n: number, { c1, cmu }: CmaParameters): boolean =>
  n <= MAX_FULL_DIMENSION && MAX_LEARNING_GENERATIONS * (c1 + cmu) >= 1;

const SEPARABLE = { diagonal: 'separable', limited: 'limited' } as const;

/** `hasLimited`: false for runs that began when there was no such form. */
export function parametersOf(
  n: number,
  size: number,
  hasLimited = true,
): { readonly form: Form; readonly parameters: CmaParameters } {
  const full = cmaParameters(n, size, 'full');
  if (isLearntFull(n, full)) return { form: 'full', parameters: full };
  const form = hasLimited && size <= LIMITED_INDIVIDUALS * n ? 'limited' : 'diagonal';
  return { form, parameters: cmaParameters(n, size, SEPARABLE[form]) };
}

/**
 * Learning rate of the volume. That of the scales in Akimoto and Hansen, Diagonal Acceleration for Covariance Matrix
 * Adaptation Evolution Strategies, Evol. Comput. 28(3), 2020, section 5, of which it is the mean.
 */
function volumeRate({ n, lambda, muEff }: CmaParameters): number {
  const path = 1 / (4 * power(n + 1, 0.75) + muEff / 2);
  return Math.min(1 - path, (muEff + 1 / muEff - 2 + lambda / (2 * (lambda + 5))) * path);
}

export function constantsOf(n: number, size: number, hasLimited = true): Float64Array {
  const { form, parameters } = parametersOf(n, size, hasLimited);
  const { mu, cs, ds, cc, c1, cmu, muEff, weights, weightSum, chiN, factorGap } = parameters;
  const { directions } = layoutOf(n, size, form);
  const constants = new Float64Array(WEIGHTS + size + mu + 1 + 3 * directions);
  const named: Readonly<Record<keyof typeof CONSTANT, number>> = {
    ...{ mu, cs, cc, c1, cmu, weightSum, chiN, factorGap, directions },
    form: FORMS.indexOf(form),
    psGain: Math.sqrt(cs * (2 - cs) * muEff),
    pcGain: Math.sqrt(cc * (2 - cc) * muEff),
    stepRate: cs / ds,
    volumeRate: 0.5 * volumeRate(parameters),
    pathKeep: (1 - cs) * (1 - cs),
    pathLimit: (1.4 + 2 / (n + 1)) * chiN,
  };
  for (const name of Object.keys(CONSTANT) as (keyof typeof CONSTANT)[]) constants[CONSTANT[name]] = named[name];
  constants.set(weights, WEIGHTS);
  for (let r = 0, at = WEIGHTS + size; r < mu; r++, at++) constants[at + 1] = constants[at] + weights[r];
  // As `LimitedMemoryCovariance`.
  for (let j = 0, at = WEIGHTS + size + mu + 1; j < directions; j++, at++) {
    const rate = Math.min(1, size / (power(4, j) * n));
    constants[at] = 1 / (power(1.5, j) * n);
    constants[at + directions] = rate;
    constants[at + 2 * directions] = Math.sqrt(muEff * rate * (2 - rate));
  }
  return constants;
}
