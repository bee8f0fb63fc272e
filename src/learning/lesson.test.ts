import { describe, expect, it } from 'vitest';
import type { HistoryPoint, RunTask } from '../model/run-task.js';
import { lessonOf } from './lesson.js';

const task: RunTask = {
  bounds: [
    [-1, 1],
    [-1, 1],
  ],
  maxEvaluations: 100,
  seed: 1,
  direction: 'minimize',
  mode: 'balanced',
};
const landscape = {
  isNoisy: false,
  isSeparable: false,
  coarseRoughness: 0.01,
  fineRoughness: null,
  bend: 0.02,
  skew: 0.3,
  spread: 2.5,
  isFlat: false,
};
const span = (name: string, fromEvaluation: number, toEvaluation: number, bestFitness: number) => ({
  name,
  reason: 'so',
  fromEvaluation,
  toEvaluation,
  bestFitness,
});
const ending = {
  terminationReason: 'budget' as const,
  bestFitness: 1,
  bestSolution: [0.25, -0.5],
  evaluations: 100,
  strategies: [span('probes', 0, 20, 101), span('quasi-newton', 20, 60, 2), span('lq-cma-es', 60, 100, 1)],
  planning: { landscape, decisions: [], decisionCount: 0, leader: 2 },
};
const history: HistoryPoint[] = [
  [1, 1001],
  [18, 101],
  [55, 2],
  [70, 1],
].map(([evaluations, bestFitness]) => ({
  evaluations,
  bestFitness,
  elapsedSeconds: 0,
}));

describe('a lesson', () => {
  it('says who found what was as good as the best, after how many evaluations, on what kind of problem', () => {
    expect(lessonOf('opt_1', task, ending, history)).toMatchObject({
      runId: 'opt_1',
      strategy: 'planner',
      features: { dimensions: 2, maxEvaluations: 100, isSeparable: false, bend: 0.02, skew: 0.3, spread: 2.5 },
      leader: 2,
      winner: 'lq-cma-es',
      cost: 70,
      bestFitness: 1,
    });
  });

  it('gives each member the decades that were gained while it searched', () => {
    const { members } = lessonOf('opt_1', task, ending, history)!;
    expect(members.map(({ name, evaluations }) => [name, evaluations])).toEqual([
      ['probes', 20],
      ['quasi-newton', 40],
      ['lq-cma-es', 40],
    ]);
    const [probes, gradient, population] = members.map(({ gain }) => gain);
    expect(probes).toBeCloseTo(1, 10);
    expect(gradient).toBeCloseTo(2, 10);
    expect(population).toBeCloseTo(5, 10);
  });

  it('counts the efforts of the members until the best value was as good as at the end', () => {
    expect(lessonOf('opt_1', task, ending, history)!.members.map(({ effort }) => effort)).toEqual([20, 40, 10]);
  });

  it('counts a target by when it was reached, and twice the budget where it was not', () => {
    const reached = { ...ending, terminationReason: 'target' as const, evaluations: 88 };
    expect(lessonOf('opt_1', { ...task, targetFitness: 1 }, reached, history)?.cost).toBe(88);
    expect(lessonOf('opt_1', { ...task, targetFitness: 0 }, ending, history)?.cost).toBe(200);
  });

  it('does not depend on the unit, the zero or the direction of the objective', () => {
    const other = (value: number): number => 8 - 4 * value;
    const turned = lessonOf(
      'opt_1',
      { ...task, direction: 'maximize' },
      {
        ...ending,
        bestFitness: other(1),
        strategies: ending.strategies.map((one) => ({ ...one, bestFitness: other(one.bestFitness) })),
      },
      history.map((point) => ({ ...point, bestFitness: other(point.bestFitness) })),
    );
    expect(turned).toEqual({ ...lessonOf('opt_1', task, ending, history), bestFitness: other(1) });
  });

  it('is not taught by runs that were ended, or found nothing', () => {
    for (const terminationReason of ['cancelled', 'error'] as const) {
      expect(lessonOf('opt_1', task, { ...ending, terminationReason }, history)).toBeNull();
    }
    expect(lessonOf('opt_1', task, { ...ending, bestFitness: null }, history)).toBeNull();
  });

  it('tells no features where nothing was planned or probed', () => {
    const { planning, ...single } = ending;
    expect(lessonOf('opt_1', task, single, history)).toMatchObject({ features: null, strategy: 'lq-cma-es' });
    const unprobed = { ...planning, landscape: { isNoisy: false, isSeparable: null } };
    expect(lessonOf('opt_1', task, { ...ending, planning: unprobed }, history)?.features).toBeNull();
  });

  it('tells what the program says of itself where it was read', () => {
    const program = {
      isSmooth: true,
      isConvex: false,
      isPeriodic: true,
      hasRounding: false,
      termForm: 'general',
      terms: 7,
      residuals: 0,
      interactions: 0.5,
    } as const;
    const planning = { ...ending.planning, landscape: { isNoisy: false, isSeparable: null }, program };
    expect(lessonOf('opt_1', task, { ...ending, planning }, history)?.features).toMatchObject({
      dimensions: 2,
      program,
    });
  });

  it('keeps what was found for runs of the same program, where that is known and not too long', () => {
    expect(lessonOf('opt_1', task, ending, history)!.found).toBeUndefined();
    expect(lessonOf('opt_1', task, ending, history, 'abc')?.found).toEqual({
      shape: 'abc',
      direction: 'minimize',
      solution: [0.25, -0.5],
    });
    const long = { ...ending, bestSolution: Array.from({ length: 129 }, () => 0) };
    expect(lessonOf('opt_1', task, long, history, 'abc')!.found).toBeUndefined();
    expect(lessonOf('opt_1', { ...task, objectives: 2 }, ending, history, 'abc')!.found).toBeUndefined();
  });

  it('says whether the run began with what others had found', () => {
    const planning = { ...ending.planning, starts: 2 };
    expect(lessonOf('opt_1', task, { ...ending, planning }, history)?.isRepeat).toBe(true);
    expect(lessonOf('opt_1', task, ending, history)!.isRepeat).toBeUndefined();
  });
});
