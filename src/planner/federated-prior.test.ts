import { describe, expect, it } from 'vitest';
import { knowledgeOf } from '../learning/knowledge.js';
import { type MergedStatistic } from '../model/federation.js';
import { type Lesson, type ProblemFeatures } from '../model/learning.js';
import { guideFor } from './experience.js';
import { STRATEGIES, LEADERS } from './leaders.js';
import { classOf } from './problem-classes.js';

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
const MODEL = LEADERS.findIndex((leader) => leader?.usesArchive === true);
const POPULATION = LEADERS.findIndex((leader) => leader?.member === 'lq-cma-es');
/** [leader, runs, mean gain] */
const taught = (...all: (readonly [number, number, number])[]): MergedStatistic[] =>
  all.map(([leader, weight, meanGain]) => ({ cell: classOf(features) * STRATEGIES.length + leader, weight, meanGain }));
const lesson = (leader: number, cost: number): Lesson => ({
  runId: 'opt_1',
  strategy: 'planner',
  features,
  leader,
  winner: leader === 0 ? 'quasi-newton' : 'lq-cma-es',
  cost,
  members: [{ name: 'quasi-newton', evaluations: cost, gain: 1, effort: cost }],
  bestFitness: 0,
});
const guide = (model: readonly MergedStatistic[], lessons: readonly Lesson[] = [], of = features) =>
  guideFor(knowledgeOf(1, lessons, model).table, of);

describe('what other deployments taught', () => {
  it('leads where the account knows nothing, for as long as it took there, grown with the dimension', () => {
    const advice = guide(taught([0, 20, 0], [MODEL, 20, 0.2]))!;
    expect(advice).toMatchObject({ leader: MODEL, runs: 20, isFromElsewhere: true });
    // 8 = 4^1.5 times 10^(1.4 - 0.2), twice.
    expect(advice.evaluations).toBe(Math.ceil(2 * 8 * 10 ** 1.2));
    const larger = guide(taught([0, 20, 0], [MODEL, 20, 0.2]), [], { ...features, dimensions: 6 })!;
    expect(larger.evaluations / advice.evaluations).toBeCloseTo(1.5 ** 1.5, 1);
  });

  it('leads nobody in other classes, nor where it is little, or rests on little', () => {
    const clear = taught([0, 20, 0], [MODEL, 20, 0.2]);
    for (const more of [{ spread: 3 }, { isSeparable: true }, { dimensions: 9 }, { coarseRoughness: 0.5 }]) {
      expect(guide(clear, [], { ...features, ...more })).toBeNull();
    }
    expect(guide(taught([0, 20, 0], [MODEL, 20, 0.03]))).toBeNull();
    expect(guide(taught([0, 20, 0.2], [MODEL, 20, 0]))).toBeNull();
    expect(guide(taught([0, 20, 0], [MODEL, 2, 0.5]))).toBeNull();
    expect(guide(taught([0, 20, 0]))).toBeNull();
  });

  it('takes a leader that was nearly always chosen for a good one, unless the gains say otherwise', () => {
    expect(guide(taught([MODEL, 40, 0]))?.leader).toBe(MODEL);
    expect(guide(taught([0, 10, 0.1], [MODEL, 40, 0]))).toBeNull();
  });

  it('fades as the account learns itself', () => {
    const misleading = taught([0, 50, 0], [POPULATION, 50, 0.4]);
    const own = (n: number): Lesson[] =>
      [...Array(n).keys()].flatMap(() => [lesson(0, 200), lesson(MODEL, 90), lesson(POPULATION, 600)]);
    expect(guide(misleading)?.leader).toBe(POPULATION);
    expect(guide(misleading, own(20))?.leader).toBe(MODEL);
    expect(guide(misleading, own(20))?.isFromElsewhere).toBeUndefined();
  });

  it('changes nothing for an account that has none', () => {
    const lessons = [...Array(9).keys()].flatMap((k) => lesson(k % 2 === 0 ? 0 : MODEL, 100 + k));
    expect(guideFor(knowledgeOf(1, lessons, []).table, features)).toEqual(
      guideFor(knowledgeOf(1, lessons).table, features),
    );
    expect(knowledgeOf(1, lessons, []).sha256).toBe(knowledgeOf(1, lessons).sha256);
  });
});
