/**
 * Fixed parameters of one CMA-ES run, from dimension and population size alone.
 *
 * Symbols: lambda population size, mu parents, weights [lambda] recombination weights by rank (best first, negative
 * beyond mu), muEff variance effective selection mass, cs/ds rate and damping of the step size, cc/c1/cmu rates of the
 * evolution path, the rank-one and the rank-mu update.
 * Source: Hansen, The CMA Evolution Strategy: A Tutorial, arXiv:1604.00772, Table 1 and eq. 49-58. Rates of a diagonal:
 * Ros and Hansen, A Simple Modification in CMA-ES Achieving Linear Time and Space Complexity, PPSN 2008 (c1 and cmu
 * times (n+2)/3).
 */
import { log, power } from '../../common/float.js';

/** Above this dimension the covariance is a diagonal and a few vectors: O(n log n) per evaluation instead of O(n^2). */
const MAX_FULL_DIMENSION = 200;

/**
 * Share that is taken of the rates of Akimoto and Hansen, Diagonal Acceleration for Covariance Matrix Adaptation
 * Evolution Strategies, Evol. Comput. 28(3), 2020, section 5. The full rates win most on separable functions and cost
 * where one short axis is rotated; figures: docs/adr/0017-cma-es-scales.md.
 */
const SCALE_SHARE = 1 / 3;

/**
 * Learning rates of the coordinates' scales, over those of the covariance: c1 for the evolution path, cmu for the
 * steps.
 */
export interface ScaleRates {
  readonly path: number;
  readonly steps: number;
}

export interface CmaParameters {
  readonly n: number;
  readonly lambda: number;
  readonly mu: number;
  readonly isLimited: boolean;
  readonly weights: Float64Array;
  /** Sum of all weights; at most 1, with active update usually near 0. */
  readonly weightSum: number;
  readonly muEff: number;
  readonly cs: number;
  readonly ds: number;
  readonly cc: number;
  readonly c1: number;
  readonly cmu: number;
  readonly scaleRates: ScaleRates;
  /** Expected length of a standard normal vector. */
  readonly chiN: number;
  /** Generations between two factorisations of the covariance. */
  readonly factorGap: number;
  /** Generations of best values that `tolFun` looks at. */
  readonly recentWindow: number;
  /** Generations of best and median values that `stalled` looks at. */
  readonly stallWindow: number;
}

/** 4 + floor(3 ln n), eq. 48. */
export function defaultPopulationSize(n: number): number {
  return 4 + Math.floor(3 * log(n));
}

/** `separable`: the rates of a diagonal, and the step size of the tutorial. */
export type CmaForm = 'full' | 'limited' | 'separable';

export function cmaParameters(
  n: number,
  lambda: number,
  form: CmaForm = n > MAX_FULL_DIMENSION ? 'limited' : 'full',
): CmaParameters {
  const isLimited = form === 'limited';
  const mu = lambda >> 1;
  // Eq. 49; the first mu are positive.
  const raw = Float64Array.from({ length: lambda }, (_, i) => log((lambda + 1) / 2) - log(i + 1));
  const [sumPositive, muEff] = selectionMass(raw.subarray(0, mu));
  const [sumNegative, muEffNegative] = selectionMass(raw.subarray(mu));

  const rateFactor = form === 'full' ? 1 : (n + 2) / 3;
  const c1 = Math.min(0.5, (rateFactor * 2) / ((n + 1.3) * (n + 1.3) + muEff)); // eq. 57
  const cmu = Math.min(1 - c1, (rateFactor * 2 * (0.25 + muEff + 1 / muEff - 2)) / ((n + 2) * (n + 2) + muEff)); // eq. 58
  // Eq. 50-53: how much negative weight keeps the covariance positive definite.
  const negativeMass =
    cmu > 0 ? Math.min(1 + c1 / cmu, 1 + (2 * muEffNegative) / (muEff + 2), (1 - c1 - cmu) / (n * cmu)) : 0;
  const weights = raw.map((w) => (w >= 0 ? w / sumPositive : (negativeMass * w) / -sumNegative));

  // Eq. 55; with limited memory the quicker pace of LM-MA-ES (80-D sphere, 8,000 evaluations: .96 of the targets, not
  // .80).
  const cs = isLimited ? Math.min(0.5, (2 * lambda) / n) : (muEff + 2) / (n + muEff + 5);
  const ds = isLimited ? 2 : 1 + 2 * Math.max(0, Math.sqrt((muEff - 1) / (n + 1)) - 1) + cs;
  const scalePath = 1 / (4 * power(n + 1, 0.75) + muEff / 2);
  const scaleSteps = Math.min(1 - scalePath, (muEff + 1 / muEff - 2 + lambda / (2 * (lambda + 5))) * scalePath);
  return {
    n,
    lambda,
    isLimited,
    scaleRates: {
      path: (SCALE_SHARE * scalePath) / c1,
      steps: cmu > 0 ? (SCALE_SHARE * scaleSteps) / cmu : 0,
    },
    mu,
    weights,
    weightSum: weights.reduce((sum, w) => sum + w, 0),
    muEff,
    cs,
    ds,
    cc: (4 + muEff / n) / (n + 4 + (2 * muEff) / n), // eq. 56
    c1,
    cmu,
    chiN: Math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n)),
    // A thirty-second of the time in which C changes. The tutorial (B.2) waits a tenth over n, because it pays for an
    // eigendecomposition; measured on the rotated ellipsoid in 20, 40 and 80-D this costs no evaluations.
    factorGap: Math.max(1, Math.floor(1 / (32 * (c1 + cmu)))),
    recentWindow: 10 + Math.ceil((30 * n) / lambda),
    stallWindow: Math.min(5000, 100 + Math.ceil((100 * n * Math.sqrt(n)) / lambda)),
  };
}

/** Sum of the weights, and the number of equal weights that would select as strongly: (sum w)^2 / sum w^2. */
function selectionMass(weights: Float64Array): [sum: number, effective: number] {
  let sum = 0;
  let squares = 0;
  for (const w of weights) {
    sum += w;
    squares += w * w;
  }
  return [sum, squares === 0 ? 0 : (sum * sum) / squares];
}
