/** Figures over many runs: share of targets reached, area under the ECDF, standard errors, rank tests. */
import type { BenchmarkRun } from '../benchmark-run.js';
import { TARGET_COUNT } from '../measure.js';

export const mean = (values: readonly number[]): number => values.reduce((total, v) => total + v, 0) / values.length;

/** Standard error of the mean; null for fewer than two values. */
function standardError(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  const variance = values.reduce((total, v) => total + (v - centre) ** 2, 0) / (values.length - 1);
  return Math.sqrt(variance / values.length);
}

type Hits = Pick<BenchmarkRun, 'hits' | 'budget'>;

/** Share of the 51 targets reached within so many evaluations (default: at all). */
export function fractionHit({ hits }: Pick<BenchmarkRun, 'hits'>, evaluations = Infinity): number {
  let reached = 0;
  while (reached < hits.length && hits[reached] <= evaluations) reached++;
  return reached / TARGET_COUNT;
}

/** Area under the run's ECDF over log evaluations from 1 to the budget, in [0, 1]; 1: everything at once. */
export function areaOf({ hits, budget }: Hits): number {
  if (budget <= 1) return fractionHit({ hits });
  const total = hits.reduce((sum, h) => sum + Math.max(0, 1 - Math.log(h) / Math.log(budget)), 0);
  return total / TARGET_COUNT;
}

interface Summary {
  readonly runs: number;
  readonly fractionHit: number;
  readonly area: number;
  /**
   * Standard error of the fraction over the means of the instances, the functions taken as fixed; null with one
   * instance.
   */
  readonly standardError: number | null;
  /** Share of runs that reached the final target. */
  readonly solved: number;
}

/** @throws {RangeError} without runs. */
export function summarize(runs: readonly BenchmarkRun[]): Summary {
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

// --- rank tests

/** Up to so many values the distribution of a rank sum is computed exactly, also with ties. */
const EXACT_LIMIT = 50;

/** Ranks 1 .. n of the values, equal ones sharing their mean rank; times two, so that they are integers. */
function doubledRanks(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => values[a] - values[b]);
  const ranks = new Array<number>(values.length);
  for (let i = 0; i < order.length;) {
    let j = i;
    while (j + 1 < order.length && values[order[j + 1]] === values[order[i]]) j++;
    for (let k = i; k <= j; k++) ranks[order[k]] = i + 1 + (j + 1);
    i = j + 1;
  }
  return ranks;
}

/**
 * Two-sided p of a symmetric statistic: probability of being at least as far from the centre. `distribution[s]` sums to
 * 1.
 */
function twoSided(distribution: Float64Array, statistic: number, centre: number): number {
  const distance = Math.abs(statistic - centre);
  let p = 0;
  distribution.forEach((probability, s) => {
    if (Math.abs(s - centre) >= distance - 1e-9) p += probability;
  });
  return Math.min(1, p);
}

/** Two-sided p of a normal statistic, with continuity correction. */
function twoSidedNormal(statistic: number, centre: number, variance: number, correction: number): number {
  if (variance === 0) return 1;
  const z = Math.max(0, Math.abs(statistic - centre) - correction) / Math.sqrt(variance);
  return erfc(z / Math.SQRT2);
}

/** Complementary error function for x >= 0, relative error below 1.2e-7 (Numerical Recipes' Chebyshev fit). */
function erfc(x: number): number {
  const t = 1 / (1 + 0.5 * x);
  const series = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
    0.17087277,
  ];
  let sum = 0;
  for (let i = series.length - 1; i >= 0; i--) sum = sum * t + series[i];
  return t * Math.exp(-x * x + sum);
}

/**
 * Wilcoxon's signed-rank test: p of the hypothesis that the differences are symmetric about 0, two-sided. Differences
 * of 0 are left out. Exact for up to 50 differences, with ties; beyond, normal with corrections for ties and
 * continuity.
 */
export function signedRankTest(differences: readonly number[]): number {
  const values = differences.filter((d) => d !== 0);
  const n = values.length;
  if (n === 0) return 1;
  const ranks = doubledRanks(values.map(Math.abs));
  const total = n * (n + 1);
  let positive = 0;
  for (let i = 0; i < n; i++) if (values[i] > 0) positive += ranks[i];
  if (n > EXACT_LIMIT) {
    // In doubled ranks: a rank r is in the sum with probability 1/2, which has variance r^2 / 4.
    const variance = ranks.reduce((sum, r) => sum + (r * r) / 4, 0);
    return twoSidedNormal(positive, total / 2, variance, 1);
  }
  const distribution = new Float64Array(total + 1);
  distribution[0] = 1;
  for (const rank of ranks) {
    for (let s = total; s >= 0; s--) {
      distribution[s] = 0.5 * (distribution[s] + (s >= rank ? distribution[s - rank] : 0));
    }
  }
  return twoSided(distribution, positive, total / 2);
}

/**
 * The rank-sum test of Wilcoxon, Mann and Whitney: p of the hypothesis that both samples come from one distribution,
 * two-sided. Exact for up to 50 values together, with ties; beyond, normal with corrections for ties and continuity.
 */
export function rankSumTest(first: readonly number[], second: readonly number[]): number {
  const [m, n] = [first.length, first.length + second.length];
  if (m === 0 || m === n) return 1;
  const ranks = doubledRanks([...first, ...second]);
  const own = ranks.slice(0, m).reduce((sum, r) => sum + r, 0);
  const centre = m * (n + 1);
  if (n > EXACT_LIMIT) {
    const spread = ranks.reduce((sum, r) => sum + (r - (n + 1)) ** 2, 0) / n;
    return twoSidedNormal(own, centre, (m * (n - m) * spread) / (n - 1), 1);
  }
  // ways[k][s]: probability that a random choice of k ranks sums to s; built rank by rank, scaled to stay finite.
  const total = n * (n + 1);
  const ways = Array.from({ length: m + 1 }, () => new Float64Array(total + 1));
  ways[0][0] = 1;
  for (const rank of ranks) {
    for (let k = m; k >= 1; k--) {
      for (let s = total; s >= rank; s--) ways[k][s] += ways[k - 1][s - rank];
    }
  }
  const all = ways[m].reduce((sum, v) => sum + v, 0);
  return twoSided(
    ways[m].map((v) => v / all),
    own,
    centre,
  );
}

interface SolverComparison {
  readonly first: string;
  readonly second: string;
  /** Mean over all pairs of the first's fraction hit minus the second's. */
  readonly difference: number;
  /** Standard error of `difference` over the means of the instances. */
  readonly standardError: number | null;
  /** Pairs in which the first is above, equal, below. */
  readonly wins: number;
  readonly ties: number;
  readonly losses: number;
  /** p-value of the signed-rank test over the pairs. */
  readonly p: number;
}

/** Compares fractions hit pair by pair; a pair is a function and an instance, its repetitions averaged. */
export function compareStrategies(runs: readonly BenchmarkRun[], first: string, second: string): SolverComparison {
  const cellOf = (run: BenchmarkRun): string => `${run.functionId} ${run.dimension} ${run.instance}`;
  const meansOf = (strategy: string): Map<string, number> =>
    new Map(
      [
        ...groupBy(
          runs.filter((run) => run.strategy === strategy),
          cellOf,
        ),
      ].map(([cell, own]) => [cell, mean(own.map((run) => fractionHit(run)))]),
    );
  const [a, b] = [meansOf(first), meansOf(second)];
  const pairs = [...a].flatMap(([cell, value]) => {
    const other = b.get(cell);
    // Rounding of means must not break a tie.
    return other === undefined ? [] : [{ cell, difference: Math.round((value - other) * 1e12) / 1e12 }];
  });
  const differences = pairs.map((pair) => pair.difference);
  const byInstance = groupBy(pairs, ({ cell }) => cell.slice(cell.lastIndexOf(' ')));
  return {
    first,
    second,
    difference: differences.length === 0 ? 0 : mean(differences),
    standardError: standardError([...byInstance.values()].map((own) => mean(own.map((pair) => pair.difference)))),
    wins: differences.filter((d) => d > 0).length,
    ties: differences.filter((d) => d === 0).length,
    losses: differences.filter((d) => d < 0).length,
    p: signedRankTest(differences),
  };
}
