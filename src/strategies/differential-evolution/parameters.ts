/**
 * Parameters of differential evolution. Sources: Tanabe and Fukunaga, "Improving the search performance of SHADE using
 * linear population size reduction", CEC 2014 (L-SHADE); Brest, Maucec and Boskovic, "Single objective real-parameter
 * optimization: algorithm jSO", CEC 2017. Both are made for 10,000 n evaluations; sizes and rates here were chosen on
 * 1,000 and on 2,000 n (README.md).
 */
import { power } from '../../common/float.js';

/** Populations end with so many: current-to-pbest/1 needs four different candidates. */
const MIN_POPULATION = 4;
/** Generations that a first population leaves room for. */
const MIN_GENERATIONS = 20;

export const ENTRIES = 5;
export const FIRST_DIFFERENTIAL_WEIGHT = 0.3;
export const FIRST_CROSSOVER_RATE = 0.5;
/** Scale of the Cauchy and standard deviation of the normal distribution around an entry of the memory. */
export const SCATTER = 0.1;
/** Until this share of the run no F is above `EARLY_LIMIT` (jSO). */
export const EARLY = 0.6;
export const EARLY_LIMIT = 0.7;

/** Candidates of the first generation when so many evaluations are left; a multiple of `width`, as all populations. */
export function firstPopulationSize(n: number, evaluations: number): number {
  const size = Math.round(1.5 * power(evaluations / n, 1 / 3) * Math.sqrt(n));
  return Math.max(MIN_POPULATION, Math.min(size, Math.floor(evaluations / MIN_GENERATIONS)));
}

/** Linear population size reduction (L-SHADE, eq. 10) at the share `progress` of the evaluations. */
export function populationSize(first: number, progress: number): number {
  return Math.max(MIN_POPULATION, Math.round(first + (MIN_POPULATION - first) * progress));
}

/** Candidates that pbest is drawn from: a quarter of the population first, an eighth at the end (jSO, eq. 8). */
export function eliteSize(size: number, progress: number): number {
  return Math.max(2, Math.round(size * (0.25 - 0.125 * progress)));
}

/** Factor of F on the difference to pbest (jSO, eq. 7). */
export function eliteWeight(progress: number): number {
  return progress < 0.2 ? 0.7 : progress < 0.4 ? 0.8 : 1.2;
}
