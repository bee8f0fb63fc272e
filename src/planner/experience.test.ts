import { describe, expect, it } from 'vitest';
import { knowledgeOf } from '../learning/knowledge.js';
import { type Lesson, type MemberLesson, type ProblemFeatures } from '../model/learning.js';
import { guideFor } from './experience.js';
import { LEADERS, type Leader } from './leaders.js';

const features: ProblemFeatures = {
  dimensions: 5,
  maxEvaluations: 10_000,
  isNoisy: false,
  isSeparable: false,
  coarseRoughness: 0.05,
  fineRoughness: null,
  bend: 0.06,
  skew: 0.3,
  spread: 3,
};
const rough: Partial<ProblemFeatures> = { coarseRoughness: 0.6, fineRoughness: 0.6, bend: 0.6 };

const place = (is: (leader: Leader) => boolean): number => LEADERS.findIndex((leader) => leader !== null && is(leader));
const POPULATION = place(({ member }) => member === 'lq-cma-es');
const LARGE_POPULATION = place(({ doublings }) => doublings === 2);
const MODEL = place(({ usesArchive }) => usesArchive === true);
const SMALL_START = place(({ startSize }) => startSize !== undefined && startSize < 0.01);
const DESCENTS = place(({ and }) => and !== undefined);

const effort = (name: string, evaluations: number): MemberLesson => ({
  name,
  evaluations,
  gain: 1,
  effort: evaluations,
});
const lesson = (leader: number, cost: number, more: Partial<Lesson> = {}): Lesson => ({
  runId: 'opt_1',
  strategy: 'planner',
  features,
  leader,
  winner: 'quasi-newton',
  cost,
  members: [effort('quasi-newton', cost)],
  bestFitness: 0,
  ...more,
});
const times = (count: number, one: Lesson): Lesson[] => Array.from({ length: count }, () => one);
const guide = (lessons: readonly Lesson[], of: ProblemFeatures = features): ReturnType<typeof guideFor> =>
  guideFor(knowledgeOf(lessons.length, lessons).table, of);

/** Runs without a leader in which the winner needed so many evaluations, and others took theirs. */
const found = (winner: string, own: number, others: readonly MemberLesson[], cost: number): Lesson =>
  lesson(0, cost, { features: { ...features, ...rough }, winner, members: [effort(winner, own), ...others] });

describe('advice', () => {
  it('is not given before similar problems were seen', () => {
    expect(guide([])).toBeNull();
    expect(guide([lesson(0, 300)])).toBeNull();
    const others: Partial<ProblemFeatures>[] = [rough, { isNoisy: true }, { spread: 9 }, { isSeparable: true }];
    for (const more of others) {
      expect(guide(times(50, lesson(MODEL, 10, { features: { ...features, ...more } })))).toBeNull();
    }
  });

  it('waits for more runs where problems have several basins', () => {
    const lost = [effort('lq-cma-es', 900), effort('nelder-mead', 500)];
    const several = found('distant-restarts', 100, lost, 1500);
    const of = { ...features, ...rough };
    expect(guide(times(3, lesson(0, 300)))).not.toBeNull();
    expect(guide(times(5, several), of)).toBeNull();
    expect(guide(times(6, several), of)).not.toBeNull();
  });

  it('tries a leader that nobody has tried, for as long as similar problems took', () => {
    const advice = guide(times(3, lesson(0, 300)))!;
    expect(advice.leader).toBe(MODEL);
    expect(advice.evaluations).toBe(300);
    expect(advice.after).toBeGreaterThan(28);
    expect(advice.after).toBeLessThan(31);
    expect(advice.runs).toBeCloseTo(3, 10);
  });

  it('keeps to the leader that was cheaper, and leaves those that were not', () => {
    const others = LEADERS.flatMap((leader, k) => (leader?.startSize === undefined ? [] : times(2, lesson(k, 900))));
    const nothing = times(6, lesson(0, 300));
    expect(guide([...nothing, ...others, ...times(2, lesson(MODEL, 100))])?.leader).toBe(MODEL);
    expect(guide([...nothing, ...others, ...times(2, lesson(MODEL, 900))])?.leader).toBe(0);
  });

  it('bounds how long anybody leads by what similar problems took', () => {
    const others = [...LEADERS.keys()].filter((k) => k !== SMALL_START).flatMap((k) => times(9, lesson(k, 900)));
    const advice = guide([...times(100, lesson(SMALL_START, 120)), ...others])!;
    expect(advice.leader).toBe(SMALL_START);
    expect(advice.evaluations).toBeGreaterThan(120);
    expect(advice.evaluations).toBeLessThan(300);
  });

  it('carries over to other dimensions, by a power of their number', () => {
    const known = [...times(10, lesson(MODEL, 100)), ...times(10, lesson(0, 400))];
    const larger = guide(known, { ...features, dimensions: 10 })!;
    expect(larger.leader).toBe(MODEL);
    expect(larger.evaluations).toBeGreaterThan(2 * 250);
    expect(larger.runs).toBeLessThan(20);
  });

  it('leads with who found most for its evaluations in runs that nobody led', () => {
    const of = { ...features, ...rough };
    const idle = [effort('lq-cma-es', 900), effort('nelder-mead', 500)];
    expect(guide(times(8, found('distant-restarts', 100, idle, 1500)), of)?.leader).toBe(DESCENTS);
    const lost = [effort('distant-restarts', 900), effort('nelder-mead', 500)];
    expect(guide(times(8, found('lq-cma-es', 100, lost, 1500)), of)?.leader).toBe(POPULATION);
    expect(guide(times(8, found('nelder-mead', 200, [...lost, ...idle], 1800)), of)?.leader).toBe(0);
  });

  it('gives a population no credit for what descents found', () => {
    const of = { ...features, ...rough };
    const descents = found('nearby-restarts', 100, [effort('lq-cma-es', 900)], 1100);
    expect(guide(times(20, descents), of)?.leader).toBe(DESCENTS);
  });

  it('begins with a large population only where similar problems took much of their budgets', () => {
    const lost = [effort('distant-restarts', 400), effort('nelder-mead', 400)];
    const of = { ...features, ...rough };
    const known = (cost: number): Lesson[] => [
      ...times(6, found('lq-cma-es', cost / 2, lost, cost)),
      ...times(9, lesson(LARGE_POPULATION, cost / 4, { features: of, winner: 'lq-cma-es', members: [] })),
    ];
    expect(guide(known(1000), of)?.leader).toBe(POPULATION);
    expect(guide(known(20_000), of)?.leader).toBe(LARGE_POPULATION);
  });

  it('reads lessons from before efforts and the range of values were noted', () => {
    const { spread: _, ...before } = features;
    const old = (leader: number, cost: number): Lesson => lesson(leader, cost, { features: before, members: [] });
    const advice = guide([...times(40, old(0, 300)), ...times(9, old(POPULATION, 100))])!;
    expect(advice.evaluations).toBeGreaterThan(0);
    expect(advice.runs).toBeGreaterThan(20);
  });

  it('sends no gradients and no model of probes where they drown in noise', () => {
    const noisy = { isNoisy: true, isSeparable: null, coarseRoughness: null, bend: null, skew: null, spread: null };
    const of = { ...features, ...noisy };
    const advice = guide(times(9, lesson(0, 300, { features: of, winner: 'distant-restarts' })), of)!;
    expect([0, POPULATION]).toContain(advice.leader);
  });
});
