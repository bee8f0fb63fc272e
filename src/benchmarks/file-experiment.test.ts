import { describe, expect, test } from 'vitest';
import type { RunOutcome, RunTask, TerminationReason } from '../model/run-task.js';
import { carryOutFileExperiment, type FileExperiment, type FileRun } from './file-experiment.js';
import { fileHistoryCsv, fileReportText, fileRunsCsv, quantile } from './report/file-report.js';

const EXPERIMENT: FileExperiment = {
  strategies: ['a', 'b'],
  repetitions: 2,
  bounds: [[0, 1]],
  budget: 100,
  direction: 'minimize',
  mode: 'balanced',
  seed: 5,
};

function outcome(evaluations: number, bestFitness: number | null, terminationReason: TerminationReason): RunOutcome {
  return {
    terminationReason,
    bestFitness,
    bestSolution: bestFitness === null ? null : [bestFitness / 2],
    evaluations,
    failedEvaluations: 1,
    failures: [],
    durationSeconds: 0.5,
    history: bestFitness === null ? [] : [{ evaluations: 3, bestFitness, elapsedSeconds: 0 }],
    strategies: [],
    backend: { name: 'fake', device: '', reason: '', evaluationsPerSecond: 0 },
  };
}

/** Runs the experiment with these outcomes, in the order of the calls; one at a time. */
async function carriedOut(
  experiment: FileExperiment,
  outcomes: readonly RunOutcome[],
): Promise<{ runs: FileRun[]; tasks: RunTask[] }> {
  const tasks: RunTask[] = [];
  const runs = await carryOutFileExperiment(experiment, {
    workers: 1,
    carryOut: (task) => {
      tasks.push(task);
      return Promise.resolve(outcomes[tasks.length - 1]);
    },
  });
  return { runs, tasks };
}

describe('an experiment on a file', () => {
  test('gives each strategy the same seeds', async () => {
    const { runs, tasks } = await carriedOut(EXPERIMENT, new Array(4).fill(outcome(100, 1, 'budget')));
    expect(tasks.map((task) => [task.strategy, task.seed, task.maxEvaluations])).toEqual([
      ['a', 5, 100],
      ['b', 5, 100],
      ['a', 6, 100],
      ['b', 6, 100],
    ]);
    expect(runs.map((run) => [run.strategy, run.repetition, run.seed])).toEqual([
      ['a', 0, 5],
      ['b', 0, 5],
      ['a', 1, 6],
      ['b', 1, 6],
    ]);
  });

  test('starts again what ends early, and keeps the best of all starts', async () => {
    const single = { ...EXPERIMENT, strategies: ['a'], repetitions: 1 };
    const { runs, tasks } = await carriedOut(single, [
      outcome(40, 3, 'converged'),
      outcome(40, 5, 'converged'),
      outcome(20, 2, 'budget'),
    ]);
    expect(tasks.map((task) => [task.seed, task.maxEvaluations])).toEqual([
      [5, 100],
      [5 + 7919, 60],
      [5 + 2 * 7919, 20],
    ]);
    expect(runs[0]).toMatchObject({
      evaluations: 100,
      failedEvaluations: 3,
      bestFitness: 2,
      bestSolution: [1],
      durationSeconds: 1.5,
      history: [
        { evaluations: 3, bestFitness: 3 },
        { evaluations: 83, bestFitness: 2 },
      ],
    });
  });

  test('ends at the target, and knows who reached it when maximising', async () => {
    const single: FileExperiment = { ...EXPERIMENT, strategies: ['a'], direction: 'maximize', target: 4 };
    const { runs, tasks } = await carriedOut(single, [outcome(10, 4, 'target'), outcome(100, 3, 'budget')]);
    expect(tasks.map((task) => task.targetFitness)).toEqual([4, 4]);
    expect(runs.map((run) => [run.evaluations, run.reachedTarget])).toEqual([
      [10, true],
      [100, false],
    ]);
  });

  test('a run that finds no number at all ends the experiment with the reason', async () => {
    const failed: RunOutcome = { ...outcome(50, null, 'error'), error: { message: 'NameError: x' } };
    await expect(carriedOut(EXPERIMENT, [failed])).rejects.toThrow('a, repetition 0: NameError: x');
  });
});

describe('its report', () => {
  const run = (strategy: string, repetition: number, bestFitness: number): FileRun => ({
    strategy,
    repetition,
    seed: repetition,
    evaluations: 100 + repetition,
    failedEvaluations: 0,
    bestFitness,
    bestSolution: [1, 2.5],
    reachedTarget: bestFitness < 2,
    durationSeconds: 1,
    backend: 'fake',
    history: [{ evaluations: 1, bestFitness, elapsedSeconds: 0 }],
  });
  const runs = [3, 1, 2].flatMap((v, r) => [run('a', r, v + 10), run('b', r, v)]);

  test('has the spread of each strategy, best first, and compares pairs', () => {
    const text = fileReportText({ ...EXPERIMENT, target: 2 }, runs);
    expect(text.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['', 'median', 'quartile', 'quartile', 'best', 'worst', 'evaluations', 'seconds', 'target'],
      ['b', '2', '1.5', '2.5', '1', '3', '101', '1.00', '1/3'],
      ['a', '12', '11.5', '12.5', '11', '13', '101', '1.00', '0/3'],
      [''],
      [expect.stringContaining('rank-sum test')],
      ['', 'better', 'p'],
      // All of b below all of a: one choice of 20, on both sides.
      ['b - a', '100 %', '0.1000'],
    ]);
    expect(fileReportText({ ...EXPERIMENT, direction: 'maximize' }, runs)).toMatch(/\na +12 +12\.5 +11\.5 +13 +11 /);
  });

  test('as CSV', () => {
    expect(fileRunsCsv(runs.slice(0, 1))).toBe(
      'strategy,repetition,seed,evaluations,failed_evaluations,best_fitness,best_solution\na,0,0,100,0,13,1;2.5\n',
    );
    expect(fileHistoryCsv(runs.slice(1, 2))).toBe('strategy,repetition,evaluations,best_fitness\nb,0,1,3\n');
  });

  test('quantiles interpolate', () => {
    expect([0, 0.25, 0.5, 1].map((share) => quantile([4, 1, 3, 2], share))).toEqual([1, 1.75, 2.5, 4]);
    expect(quantile([7], 0.25)).toBe(7);
  });
});
