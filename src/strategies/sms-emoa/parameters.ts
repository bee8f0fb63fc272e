/** Sizes and rates of the search; README.md has what was measured. */

const SMALLEST = 12;
const LARGEST = 100;
/** Members at `USUAL_BUDGET` evaluations, by objectives. */
const USUAL = [0, 0, 30, 50, 70] as const;
const USUAL_BUDGET = 10_000;

/**
 * Members of the population. A small one is renewed often, and need not show the whole front, which the archive of the
 * run keeps; it grows with the root of the budget.
 */
export function populationSize(budget: number, objectives: number): number {
  const size = Math.floor((USUAL[objectives] ?? LARGEST) * Math.sqrt(budget / USUAL_BUDGET));
  return Math.max(SMALLEST, Math.min(LARGEST, size));
}

/**
 * Candidates of a generation; contributions of four objectives take long to compute, so there are fewer, larger ones.
 */
export const offspringSize = (population: number, objectives: number): number =>
  objectives === 4 ? population : Math.max(4, Math.floor(population / 5));

/**
 * Ways to make a candidate, drawn with equal chances: simulated binary crossover, a difference vector for single
 * coordinates with its whole length, so that a step from one basin to the next fits elsewhere too, and a difference
 * vector of random length for all.
 */
export const WAYS = ['binary', 'binary', 'binary', 'exchange', 'difference'] as const;

export const SBX_INDEX = 15;
export const SBX_RATE = 0.9;
export const MUTATION_INDEX = 20;
export const EXCHANGE_RATE = 0.1;
export const DIFFERENTIAL_WEIGHTS: readonly [least: number, most: number] = [0.3, 0.9];

/** The best and the worst of each objective in the front that is measured lie at 0 and 1. */
export const REFERENCE = 1.1;
