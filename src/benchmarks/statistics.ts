/** Figures over many runs: share of targets reached, area under the ECDF, standard errors, rank tests. */
import type { RunRecord } from './benchmark-run.js';
import { TARGET_COUNT } from './measure.js';
import type { FunctionGroup } from './problem.js';

export const GROUPS: readonly FunctionGroup[] = [
  'separable',
  'low-conditioning',
  'high-conditioning',
  'multimodal',
  'weak-structure',
];

/** Group of functions 1 .. 24. */
export function groupOf(functionId: number): FunctionGroup {
  return GROUPS[functionId <= 5 ? 0 : functionId <= 9 ? 1 : functionId <= 14 ? 2 : functionId <= 19 ? 3 : 4]!;
}

export const mean = (values: readonly number[]): number => values.reduce((total, v) => total + v, 0) / values.length;

/** Standard error of the mean; null for fewer than two values. */
export function standardError(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  const variance = values.reduce((total, v) => total + (v - centre) ** 2, 0) / (values.length - 1);
  return Math.sqrt(variance / values.length);
}

type Hits = Pick<RunRecord, 'hits' | 'budget'>;

/** Share of the 51 targets reached within so many evaluations (default: at all). */
export function fractionHit({ hits }: Pick<RunRecord, 'hits'>, evaluations = Infinity): number {
  let reached = 0;
  while (reached < hits.length && hits[reached]! <= evaluations) reached++;
  return reached / TARGET_COUNT;
}

/** Area under the run's ECDF over log evaluations from 1 to the budget, in [0, 1]; 1: everything at once. */
export function areaOf({ hits, budget }: Hits): number {
  if (budget <= 1) return fractionHit({ hits });
  const total = hits.reduce((sum, h) => sum + Math.max(0, 1 - Math.log(h) / Math.log(budget)), 0);
  return total / TARGET_COUNT;
}

export interface Summary {
  readonly runs: number;
  readonly fractionHit: number;
  readonly area: number;
  /** Of the fraction, over the means of the instances, the functions taken as fixed; null with one instance. */
  readonly standardError: number | null;
  /** Share of runs that reached the final target. */
  readonly solved: number;
}

/** @throws {RangeError} without runs. */
export function summarize(runs: readonly RunRecord[]): Summary {
  if (runs.length === 0) throw new RangeError('a summary needs runs');
  const byInstance = groupBy(runs, (run) => run.instance);
  return {
    runs: runs.length,
    fractionHit: mean(runs.map((run) => fractionHit(run))),
    area: mean(runs.map(areaOf)),
    standardError: standardError([...byInstance.values()].map((own) => mean(own.map((run) => fractionHit(run))))),
    solved: mean(runs.map((run) => (run.hits.length === TARGET_COUNT ? 1 : 0))),
  };
}

export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
