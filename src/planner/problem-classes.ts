/**
 * Kinds of problems by what probes find: the border between smooth and rough, and the classes that federated updates
 * name.
 */
import type { ProblemFeatures } from '../model/learning.js';
import { STRATEGIES } from './leaders.js';

/** Share of the variation along a line that a polynomial leaves, from which values are rough instead of smooth. */
export const LEAST_ROUGH = 0.12;

/**
 * The kinds, with the decades of evaluations per `dimensions ** COST_POWER` that a gain is measured from: what runs
 * without a leader took, about, on the BBOB functions of the kind. Only differences between gains matter.
 */
const KINDS = [
  { name: 'noisy', usual: 2.5 },
  { name: 'separable', usual: 1 },
  { name: 'smooth', usual: 1.5 },
  { name: 'steep', usual: 1.4 },
  { name: 'hilly', usual: 2.1 },
  { name: 'rough', usual: 2.5 },
] as const;
const NOISY = 0;
const SEPARABLE = 1;
const SMOOTH = 2;
const STEEP = 3;
const HILLY = 4;
const ROUGH = 5;

const BANDS = [
  { from: 1, name: '1 dimension' },
  { from: 2, name: '2 to 7 dimensions' },
  { from: 8, name: '8 to 31 dimensions' },
  { from: 32, name: '32 or more dimensions' },
] as const;

/** Decades of the values along lines across the box. */
const LEAST_STEEP = 6;
/** Costs of one kind of problem grow about so with the dimension. */
export const COST_POWER = 1.5;

/** In their order; the place of a class is `kind * BANDS.length + band`. */
export const PROBLEM_CLASSES: readonly string[] = KINDS.flatMap(({ name }) =>
  BANDS.map((band) => `${name}, ${band.name}`),
);

/** One for every class and strategy; its place is `class * STRATEGIES.length + strategy`. */
export const CELLS = PROBLEM_CLASSES.length * STRATEGIES.length;

/** Place in `PROBLEM_CLASSES`. */
export function classOf(features: Omit<ProblemFeatures, 'maxEvaluations' | 'bend' | 'skew'>): number {
  const { dimensions } = features;
  const band = BANDS.findLastIndex(({ from }) => from <= dimensions);
  return kindOf(features) * BANDS.length + band;
}

function kindOf(features: Parameters<typeof classOf>[0]): number {
  const { isNoisy, isSeparable, coarseRoughness, fineRoughness, spread } = features;
  if (isNoisy) return NOISY;
  if (isSeparable === true) return SEPARABLE;
  if ((coarseRoughness ?? 0) > LEAST_ROUGH) return (fineRoughness ?? 1) > LEAST_ROUGH ? ROUGH : HILLY;
  return (spread ?? 0) >= LEAST_STEEP ? STEEP : SMOOTH;
}

/** Decades of evaluations per `dimensions ** COST_POWER` from which gains in a class are measured. */
export const usualOf = (problemClass: number): number => KINDS[Math.floor(problemClass / BANDS.length)].usual;
