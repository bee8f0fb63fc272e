import { describe, expect, test } from 'vitest';
import type { BenchmarkRun } from '../benchmark-run.js';
import { areaOf, compareStrategies, fractionHit, rankSumTest, signedRankTest, summarize } from './statistics.js';

const run = (own: Partial<BenchmarkRun>): BenchmarkRun => ({
  strategy: 'a',
  functionId: 1,
  dimension: 2,
  instance: 1,
  repetition: 0,
  budget: 100,
  evaluations: 100,
  bestDelta: 1,
  hits: [],
  dat: [],
  tdat: [],
  ...own,
});

/** A run that has reached so many targets at evaluation 10. */
const hits = (count: number): number[] => new Array<number>(count).fill(10);

describe('the measure', () => {
  test('counts targets up to an evaluation', () => {
    const own = run({ hits: [1, 4, 4, 9] });
    expect([0, 1, 3, 4, 9].map((n) => fractionHit(own, n) * 51)).toEqual([0, 1, 1, 3, 4]);
  });

  test('area: 1 when all is reached at once, 0 at the budget, logarithmic in between', () => {
    expect(areaOf(run({ hits: new Array<number>(51).fill(1) }))).toBe(1);
    expect(areaOf(run({ hits: new Array<number>(51).fill(100) }))).toBe(0);
    expect(areaOf(run({ hits: hits(51) }))).toBeCloseTo(0.5, 12);
    expect(areaOf(run({ hits: [] }))).toBe(0);
  });

  test('the standard error is that of the means of the instances', () => {
    const runs = [
      run({ instance: 1, functionId: 1, hits: hits(51) }),
      run({ instance: 1, functionId: 2, hits: hits(0) }),
      run({ instance: 2, functionId: 1, hits: hits(51) }),
      run({ instance: 2, functionId: 2, hits: hits(51) }),
    ];
    const summary = summarize(runs);
    expect(summary.fractionHit).toBe(0.75);
    expect(summary.standardError).toBeCloseTo(0.25, 12);
    expect(summary.solved).toBe(0.75);
    expect(summarize(runs.slice(0, 2)).standardError).toBeNull();
    expect(() => summarize([])).toThrow(RangeError);
  });
});

// Values from SciPy 1.10.1 (wilcoxon, mannwhitneyu) where there are no ties or the samples are large, else from an
// enumeration of all sign patterns or choices with scipy.stats.rankdata.
describe('rank tests', () => {
  const LARGE = [
    2.3, -2.3, 0.7, -0.3, -0.2, 0.1, -1.7, 0.1, -0.6, 3.6, 0.5, -0.1, 0.0, -0.4, -0.8, -0.1, 0.8, 0.1, 1.3, 0.1, 0.3,
    1.8, 0.8, -0.2, 0.1, 0.8, 2.2, 0.0, 0.1, 1.3, -0.6, 0.0, 1.2, 0.9, 0.4, 1.0, -2.5, 1.3, -0.7, -1.4, 0.6, 1.0, -0.1,
    -0.8, 0.3, 0.2, 1.7, 1.0, 0.5, 1.4, 0.1, -0.6, 0.9, 0.9, 0.1, -0.5, 0.5, -2.2, 1.0, 0.8, -1.3, 0.4, -0.7, 1.1, -1.7,
    -0.6, 1.0, 1.5, -1.9, -0.2, 0.6, -0.3, 1.9, -0.9, 0.7, -0.7, 1.7, 0.3, -0.1, -1.4,
  ];
  const FIRST = [
    1.7, 0.8, 0.8, 1.1, 0.3, -0.6, -0.8, -0.8, 1.4, -1.5, -0.6, -0.3, 0.2, 0.6, -1.2, -1.7, -0.0, 1.2, 0.8, 0.2, -0.3,
    0.3, -0.2, 0.8, -0.8, 0.1, -0.1, 0.5, 0.2, 2.6, 1.5, 1.5, -2.0, -0.3, -0.6, 0.5, -2.3, 1.2, 1.1, -1.3,
  ];
  const SECOND = [
    -0.4, -0.2, 0.6, 1.2, 2.6, 0.4, 1.4, 0.8, 2.4, 1.3, 2.0, -0.5, 0.4, -0.2, 2.1, 1.3, 0.3, 0.1, 1.1, -0.1, -0.3, 1.1,
    3.1, 0.4, 0.0, -0.6, -0.7, 1.1, 1.5, 0.6,
  ];

  test('signed ranks: exact, with ties, and normal for many pairs', () => {
    const few = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, -1.3, 0.2, -0.7];
    expect(signedRankTest(few)).toBeCloseTo(0.0185546875, 12);
    expect(signedRankTest([1, 2, -1, 3, 3, 2, -2, 4])).toBeCloseTo(0.1015625, 12);
    expect(signedRankTest(LARGE)).toBeCloseTo(0.06327670625606899, 6);
    expect(signedRankTest(LARGE.map((d) => -d))).toBeCloseTo(signedRankTest(LARGE), 12);
    expect([signedRankTest([]), signedRankTest([0, 0])]).toEqual([1, 1]);
  });

  test('rank sums: exact, with ties, and normal for large samples', () => {
    expect(rankSumTest([1.1, 2.2, 3.3, 4.4, 5.5, 0.7], [2.1, 6.2, 7.7, 8.8, 9.9])).toBeCloseTo(0.05194805194805195, 12);
    expect(rankSumTest([1, 2, 2, 3, 5], [2, 3, 4, 5, 5, 6])).toBeCloseTo(0.13852813852813853, 12);
    expect(rankSumTest(FIRST, SECOND)).toBeCloseTo(0.02715182544784325, 6);
    expect([rankSumTest([], [1]), rankSumTest([1, 1], [1, 1])]).toEqual([1, 1]);
  });
});

test('a comparison pairs functions and instances and averages repetitions', () => {
  const runs = [1, 2, 3].flatMap((instance) => [
    run({ strategy: 'a', instance, repetition: 0, hits: hits(20) }),
    run({ strategy: 'a', instance, repetition: 1, hits: hits(10) }),
    run({ strategy: 'b', instance, hits: hits(instance === 1 ? 15 : instance === 2 ? 5 : 18) }),
  ]);
  const { difference, standardError, wins, ties, losses, p } = compareStrategies(runs, 'a', 'b');
  expect([wins, ties, losses]).toEqual([1, 1, 1]);
  expect(difference).toBeCloseTo((0 + 10 - 3) / 3 / 51, 10);
  expect(standardError).toBeCloseTo(Math.sqrt((49 / 9 + 529 / 9 + 256 / 9) / 2 / 3) / 51, 10);
  expect(p).toBe(1);
});
