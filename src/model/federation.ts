/**
 * Messages by which deployments share what they learned: how many runs there were and what they gained, for problem
 * kinds and leaders out of fixed lists. Nothing else can be said in them.
 */
import type { ProblemFeatures } from './learning.js';

export const UPDATE_FORMAT = 'extremum-federated-update';
/**
 * Version of the classes, the strategies and the meaning of a gain. Whoever changes any of these raises it, since
 * numbers of another version mean something else.
 */
export const BASE_VERSION = 1;

/** Decades; no run counts for more than that, in either direction. */
export const CLIP = 0.5;

/**
 * Kinds of problems by what probes find, with the decades of evaluations per `dimensions ** COST_POWER` that a gain is measured
 * from: what runs without a leader took, about, on the BBOB functions of the kind. Only differences between gains matter.
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

/** As the planner's analyst tells smooth from rough. */
const LEAST_ROUGH = 0.12;
/** Decades of the values along lines across the box. */
const LEAST_STEEP = 6;
/** Costs of one kind of problem grow about so with the dimension. */
export const COST_POWER = 1.5;

/** In their order; the place of a class is `kind * BANDS.length + band`. */
export const PROBLEM_CLASSES: readonly string[] = KINDS.flatMap(({ name }) =>
  BANDS.map((band) => `${name}, ${band.name}`),
);

/** By their place in `LEADERS`, with which they must agree. */
export const STRATEGIES: readonly string[] = [
  'nobody leads',
  'lq-cma-es',
  'lq-cma-es, population x4',
  'lq-cma-es, population x16',
  'distant-restarts',
  'nearby-restarts',
  'nelder-mead',
  'lq-cma-es, model of the probes',
  'quasi-newton, first matrix 0.1',
  'quasi-newton, first matrix 0.00001',
  'distant-restarts and nearby-restarts',
];

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
export const usualOf = (problemClass: number): number => KINDS[Math.floor(problemClass / BANDS.length)]!.usual;

export interface Statistic {
  readonly cell: number;
  readonly runs: number;
  /** Decades of evaluations that these runs took less than `usualOf` says, on average; within ±`CLIP`. */
  readonly meanGain: number;
}

/** One deployment's message. */
export interface FederatedUpdate {
  readonly epsilon: number;
  /** By cell, rising. */
  readonly statistics: readonly Statistic[];
}

/** Statistic of one class and strategy, merged from all updates. */
export interface MergedStatistic {
  readonly cell: number;
  /** Runs, less what noise makes them worth less, and no more of one update than it may count for. */
  readonly weight: number;
  readonly meanGain: number;
}

/** One event of an account's federation; the events are ordered. Exports change no model. */
export type FederatedChange = {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
} & (
  | { readonly kind: 'merged'; readonly sha256: string; readonly update: FederatedUpdate }
  | { readonly kind: 'revoked'; readonly updateId: string }
  | {
      readonly kind: 'exported';
      readonly sha256: string;
      readonly update: FederatedUpdate;
      /** Lessons up to this version are in it or in an earlier one. */
      readonly upTo: number;
    }
);

export interface NumberedChange {
  /** From 1 on, without gaps. */
  readonly serial: number;
  /** Version of the account's knowledge; lessons are numbered in the same row. */
  readonly version: number;
  readonly change: FederatedChange;
}

/** Rows of `Knowledge.table` that hold a `MergedStatistic` instead of a lesson are told by this in `COLUMN.isNoisy`. */
export const FEDERATED_ROW = 2;
export const FEDERATED_COLUMN = { cell: 0, weight: 1, meanGain: 3 } as const satisfies Readonly<Record<string, number>>;
