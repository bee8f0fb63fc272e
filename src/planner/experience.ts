/**
 * From what was learned to advice: which runs were of similar problems, and who should lead this one. A bandit's choice: of the
 * leaders that come into question the one whose cost may be lowest, given what similar runs took with it and how often
 * it was tried (lower confidence bounds). Nothing here is random.
 */
import { problemDistance } from '../analysis/problem-distance.js';
import { exp, log } from '../common/float.js';
import { COLUMN, featureRow, KNOWLEDGE_COLUMNS, LEADERS, type ProblemFeatures } from '../model/learning.js';
import type { Guide } from './panel.js';

/** Costs of one kind of problem grow about so with the dimension. */
const COST_POWER = 1.5;
/** A run that counts for less is of another kind of problem. */
const LEAST_WEIGHT = 1e-3;
/** Similar runs below which nothing is advised. */
const LEAST_RUNS = 1.5;
/** How much a leader is given credit for being untried, in the logarithm of costs. */
const OPTIMISM = 0.2;
/** Runs that the mean of all similar ones counts for as an expectation of each leader. */
const PRIOR_RUNS = 0.5;
/** A leader leads for so many times what similar problems took. */
const LEAD = 2;
/** One that was not tried yet, for so many times. */
const TRIAL = 1;
const MAX_SIMPLEX_DIMENSION = 5;

/** Null: too little is known. `table`: see `Knowledge`. */
export function guideFor(table: Float64Array, features: ProblemFeatures): Guide | null {
  const own = featureRow(features);
  const n = features.dimensions;
  const tried = LEADERS.map(() => ({ weight: 0, sum: 0 }));
  const won = LEADERS.map(() => 0);
  let weight = 0;
  let sum = 0;
  for (let at = 0; at + KNOWLEDGE_COLUMNS <= table.length; at += KNOWLEDGE_COLUMNS) {
    const row = table.subarray(at, at + KNOWLEDGE_COLUMNS);
    const distance = problemDistance(own, row);
    const w = exp(-0.5 * distance * distance);
    if (w < LEAST_WEIGHT) continue;
    const logCost = log(Math.max(1, row[COLUMN.cost]!)) - COST_POWER * log(row[COLUMN.dimensions]!);
    const leader = tried[row[COLUMN.leader]!];
    if (leader === undefined) continue;
    leader.weight += w;
    leader.sum += w * logCost;
    won[row[COLUMN.winner]!]! += w;
    weight += w;
    sum += w * logCost;
  }
  if (weight < LEAST_RUNS) return null;
  const mean = sum / weight;
  let best = { leader: 0, bound: Infinity, tries: 0, expected: mean };
  LEADERS.forEach((leader, k) => {
    const { weight: tries, sum: costs } = tried[k]!;
    if (leader !== null && !comesIntoQuestion(k, features, won, weight)) return;
    const expected = (costs + PRIOR_RUNS * mean) / (tries + PRIOR_RUNS);
    const bound = expected - OPTIMISM * Math.sqrt(log(1 + weight) / (tries + PRIOR_RUNS));
    if (bound < best.bound) best = { leader: k, bound, tries, expected };
  });
  const factor = best.tries < 0.5 ? TRIAL : LEAD;
  const evaluations = Math.ceil(factor * exp(best.expected + COST_POWER * log(n)));
  return { leader: best.leader, evaluations, runs: weight };
}

/** Whether there is a reason to try it: it has won, or what has won is of its kind. */
function comesIntoQuestion(
  k: number,
  { dimensions, isNoisy, coarseRoughness }: ProblemFeatures,
  won: readonly number[],
  weight: number,
): boolean {
  const { member, doublings } = LEADERS[k]!;
  const share = (name: string): number =>
    LEADERS.reduce((sum, leader, j) => sum + (leader?.member === name ? won[j]! : 0), 0) / weight;
  switch (member) {
    case 'lq-cma-es':
      return doublings === 0 || (!isNoisy && (coarseRoughness ?? 0) > 0.12 && share(member) > 0.2);
    case 'nelder-mead':
      return !isNoisy && dimensions <= MAX_SIMPLEX_DIMENSION && share(member) > 0.1;
    default:
      return !isNoisy && share('distant-restarts') + share('nearby-restarts') > 0.2;
  }
}
