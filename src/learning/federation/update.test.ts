import { describe, expect, it } from 'vitest';
import { Rng } from '../../common/rng.js';
import { CLIP } from '../../model/federation.js';
import { type Lesson, type ProblemFeatures } from '../../model/learning.js';
import { contributionOf, digestOf, updateOf } from './update.js';
import { STRATEGIES, LEADERS } from '../../planner/leaders.js';
import { CELLS, PROBLEM_CLASSES, classOf } from '../../planner/problem-classes.js';

const features: ProblemFeatures = {
  dimensions: 4,
  maxEvaluations: 8_000,
  isNoisy: false,
  isSeparable: false,
  coarseRoughness: 0.04,
  fineRoughness: null,
  bend: 0.06,
  skew: 0.3,
  spread: 7,
};
const lesson = (more: Partial<Lesson> = {}): Lesson => ({
  runId: 'opt_0000000000000000000000000000001',
  strategy: 'planner',
  features,
  leader: 7,
  winner: 'lq-cma-es',
  cost: 200,
  members: [],
  bestFitness: 0.123,
  ...more,
});
const times = (n: number, one: Lesson): Lesson[] => Array.from({ length: n }, () => one);
const source = (seed: number) => {
  const rng = Rng.create(seed);
  return (below: number): number => rng.below(below);
};

describe('the vocabulary', () => {
  it('has a strategy for every leader that an update can name, and class names of their own', () => {
    expect(STRATEGIES.length).toBeLessThanOrEqual(LEADERS.length);
    STRATEGIES.slice(1).forEach((name, k) => expect(name).toContain(LEADERS[k + 1]!.member));
    expect(new Set(STRATEGIES).size).toBe(STRATEGIES.length);
    expect(new Set(PROBLEM_CLASSES).size).toBe(PROBLEM_CLASSES.length);
  });

  it.each<[Partial<ProblemFeatures>, string]>([
    [{}, 'steep, 2 to 7 dimensions'],
    [{ spread: 5 }, 'smooth, 2 to 7 dimensions'],
    [{ spread: null }, 'smooth, 2 to 7 dimensions'],
    [{ isNoisy: true, isSeparable: null }, 'noisy, 2 to 7 dimensions'],
    [{ isSeparable: true, dimensions: 1 }, 'separable, 1 dimension'],
    [{ coarseRoughness: 0.5, fineRoughness: 0.02, dimensions: 8 }, 'hilly, 8 to 31 dimensions'],
    [{ coarseRoughness: 0.5, fineRoughness: 0.5, dimensions: 10_000 }, 'rough, 32 or more dimensions'],
  ])('puts %j into %s', (more, name) => {
    expect(PROBLEM_CLASSES[classOf({ ...features, ...more })]).toBe(name);
  });
});

describe('an update', () => {
  it('counts a run once, with what it saved, and clips that', () => {
    const cell = PROBLEM_CLASSES.indexOf('steep, 2 to 7 dimensions') * STRATEGIES.length + 7;
    // 8 = 4^1.5 times 10^1.4, the usual: no gain.
    expect(contributionOf(lesson({ cost: 8 * 10 ** 1.4 }))).toEqual({ cell, steps: 0 });
    expect(contributionOf(lesson({ cost: 8 * 10 ** 1.15 }))).toEqual({ cell, steps: 64 });
    expect(contributionOf(lesson({ cost: 1 }))).toEqual({ cell, steps: 256 * CLIP });
    expect(contributionOf(lesson({ cost: 1e300 }))).toEqual({ cell, steps: -256 * CLIP });
    expect(contributionOf(lesson({ features: null }))).toBeNull();
    expect(contributionOf(lesson({ isRepeat: true }))).toBeNull();
    expect(contributionOf(lesson({ features: { ...features, isSeparable: null } }))).toBeNull();
    expect(contributionOf(lesson({ leader: STRATEGIES.length }))).toBeNull();
    const exact = updateOf([...times(3, lesson({ cost: 8 * 10 ** 1.15 })), lesson({ cost: 1e300 })], null, source(1));
    expect(exact.statistics).toEqual([{ cell, runs: 4, meanGain: (3 * 0.25 - 0.5) / 4 }]);
  });

  it('changes by no more than one run and one clipped gain where one lesson is added, in one cell', () => {
    const lessons = times(9, lesson());
    const before = updateOf(lessons, null, source(1)).statistics;
    for (const cost of [1, 50, 1e9]) {
      const after = updateOf([...lessons, lesson({ cost })], null, source(1)).statistics;
      expect(after.length).toBe(1);
      const sum = ({ runs, meanGain }: { runs: number; meanGain: number }): number => runs * meanGain;
      expect(after[0].runs - before[0].runs).toBe(1);
      expect(Math.abs(sum(after[0]) - sum(before[0]))).toBeLessThanOrEqual(CLIP + 1e-12);
    }
  });

  it('has noise of the promised size on counts and sums, in every cell alike', () => {
    const errors = { runs: [] as number[], gains: [] as number[] };
    const true_ = { runs: 400, gain: 0.25 };
    const lessons = times(true_.runs, lesson({ cost: 8 * 10 ** 1.15 }));
    for (let seed = 0; seed < 400; seed++) {
      const { statistics } = updateOf(lessons, 1, source(seed));
      const own = statistics.find(({ runs }) => runs > 200)!;
      errors.runs.push(own.runs - true_.runs);
      errors.gains.push(own.runs * own.meanGain - true_.runs * true_.gain);
    }
    const deviation = (values: number[]): number => Math.sqrt(values.reduce((s, x) => s + x * x, 0) / values.length);
    // Laplace of scale 2 for the count, of scale 2 * CLIP for the sum.
    expect(deviation(errors.runs)).toBeGreaterThan(0.8 * Math.SQRT2 * 2);
    expect(deviation(errors.runs)).toBeLessThan(1.25 * Math.SQRT2 * 2);
    expect(deviation(errors.gains)).toBeGreaterThan(0.8 * Math.SQRT2 * 2 * CLIP);
    expect(deviation(errors.gains)).toBeLessThan(1.25 * Math.SQRT2 * 2 * CLIP);
  });

  it('shows cells without runs now and then, and hides some with a few: what is there tells of no run', () => {
    const shown = (lessons: readonly Lesson[]): number => {
      let found = 0;
      for (let seed = 0; seed < 300; seed++) {
        const own = contributionOf(lesson())!.cell;
        if (updateOf(lessons, 1, source(seed)).statistics.some(({ cell }) => cell === own)) found++;
      }
      return found / 300;
    };
    const none = shown([]);
    const one = shown([lesson()]);
    expect(none).toBeGreaterThan(0.02);
    expect(one).toBeLessThan(0.5);
    // By the guarantee, with room for chance: the two differ by no more than a factor of e.
    expect(one / none).toBeLessThan(Math.E * 1.5);
  });

  it('says nothing that identifies a run', () => {
    const lessons = times(60, lesson({ runId: 'opt_1234567890123456789012345678', bestFitness: 4711.4242 }));
    const { epsilon, statistics, ...rest } = updateOf(lessons, 1, source(3));
    expect(rest).toEqual({});
    expect(epsilon).toBe(1);
    for (const { cell, runs, meanGain, ...more } of statistics) {
      expect(more).toEqual({});
      expect(Number.isInteger(cell) && cell >= 0 && cell < CELLS).toBe(true);
      expect(Number.isInteger(runs) && runs >= 4).toBe(true);
      expect(Math.abs(meanGain)).toBeLessThanOrEqual(CLIP);
    }
    expect(JSON.stringify(statistics)).not.toMatch(/opt_|4711|planner/);
    const counts = new Set(
      Array.from(
        { length: 50 },
        (_, seed) => updateOf(lessons, 1, source(seed)).statistics.find((s) => s.runs > 30)?.runs,
      ),
    );
    expect(counts.size).toBeGreaterThan(5);
  });

  it('is known by its content', () => {
    const update = updateOf(times(60, lesson()), 1, source(3));
    expect(digestOf(structuredClone(update))).toBe(digestOf(update));
    expect(digestOf({ ...update, epsilon: 2 })).not.toBe(digestOf(update));
    expect(digestOf({ ...update, statistics: update.statistics.slice(1) })).not.toBe(digestOf(update));
    const withGain = (meanGain: number): string =>
      digestOf({ epsilon: 1, statistics: [{ cell: 3, runs: 7, meanGain }] });
    expect(withGain(-0)).toBe(withGain(0));
  });
});
