import { describe, expect, it } from 'vitest';
import { knowledgeOf } from '../learning/knowledge.js';
import { LEADERS, type Lesson, type ProblemFeatures } from '../model/learning.js';
import { guideFor } from './experience.js';

const features: ProblemFeatures = {
  dimensions: 5,
  maxEvaluations: 1000,
  isNoisy: false,
  isSeparable: false,
  coarseRoughness: 0.05,
  fineRoughness: null,
  bend: 0.06,
  skew: 0.3,
};
const POPULATION = LEADERS.findIndex((leader) => leader?.member === 'lq-cma-es');

const lesson = (leader: number, cost: number, more: Partial<ProblemFeatures> = {}): Lesson => ({
  runId: 'opt_1',
  strategy: 'planner',
  features: { ...features, ...more },
  leader,
  winner: 'quasi-newton',
  cost,
  members: [],
  bestFitness: 0,
});
const guide = (lessons: readonly Lesson[], of: ProblemFeatures = features): ReturnType<typeof guideFor> =>
  guideFor(knowledgeOf(lessons.length, lessons).table, of);

describe('advice', () => {
  it('is not given before similar problems were seen', () => {
    expect(guide([])).toBeNull();
    expect(guide([lesson(0, 300)])).toBeNull();
    const rough = { coarseRoughness: 0.9, fineRoughness: 0.9, bend: 0.9 };
    expect(guide(Array.from({ length: 50 }, () => lesson(POPULATION, 10, rough)))).toBeNull();
    expect(guide(Array.from({ length: 50 }, () => lesson(POPULATION, 10, { isNoisy: true })))).toBeNull();
  });

  it('tries a leader that nobody has tried, for as long as similar problems took', () => {
    const advice = guide([lesson(0, 300), lesson(0, 300), lesson(0, 300)])!;
    expect(advice.leader).toBe(POPULATION);
    expect(advice.evaluations).toBe(300);
    expect(advice.runs).toBeCloseTo(3, 10);
  });

  it('keeps to the leader that was cheaper, and leaves one that was not', () => {
    const nothing = Array.from({ length: 4 }, () => lesson(0, 300));
    expect(guide([...nothing, lesson(POPULATION, 100), lesson(POPULATION, 110)])?.leader).toBe(POPULATION);
    expect(guide([...nothing, lesson(POPULATION, 900), lesson(POPULATION, 800)])?.leader).toBe(0);
  });

  it('bounds how long anybody leads by what similar problems took', () => {
    const many = Array.from({ length: 100 }, () => lesson(POPULATION, 120));
    expect(guide(many)?.evaluations).toBeLessThanOrEqual(241);
  });

  it('carries over to other dimensions, by a power of their number', () => {
    const known = Array.from({ length: 20 }, (_, k) => (k % 2 === 0 ? lesson(POPULATION, 100) : lesson(0, 400)));
    const larger = guide(known, { ...features, dimensions: 10 })!;
    expect(larger.leader).toBe(POPULATION);
    expect(larger.evaluations).toBeGreaterThan(2 * 250);
    expect(larger.runs).toBeLessThan(20);
  });

  it('sends no gradients and no simplex where they drown in noise', () => {
    const noisy = { isNoisy: true, isSeparable: null, coarseRoughness: null, bend: null, skew: null };
    const lessons = Array.from({ length: 9 }, () => ({ ...lesson(0, 300, noisy), winner: 'distant-restarts' }));
    const advice = guide(lessons, { ...features, ...noisy })!;
    expect(['lq-cma-es', undefined]).toContain(LEADERS[advice.leader]?.member);
  });
});
