import { describe, expect, it } from 'vitest';
import { strategies } from '../planner/all-strategies.js';
import { compilePython, openKernel } from '../../test/support/open-runs.js';
import { runOptimization } from './run-optimization.js';
import type { RunTask } from '../model/run-task.js';
import type { StrategyFactory, StrategyProblem } from '../strategies/strategy.js';

const bounds = [[-4, 5] as const, [-4, 7] as const];
const task: RunTask = {
  bounds,
  maxEvaluations: 100,
  seed: 1,
  mode: 'balanced',
  direction: 'minimize',
  timeoutSeconds: 2,
};

interface Circumstances {
  readonly isCancelled?: boolean;
  readonly strategies?: readonly StrategyFactory[];
}

async function run(
  code: string,
  seconds: number | (() => number),
  changes: Partial<RunTask> = {},
  { isCancelled = false, strategies: own = strategies }: Circumstances = {},
) {
  const primary = await openKernel(compilePython(code, 2, bounds));
  return runOptimization(
    { ...task, ...changes },
    {
      strategies: own,
      primary,
      fallback: null,
      now: () => 10_000 + 1000 * (typeof seconds === 'number' ? seconds : seconds()),
      startedAt: 10_000,
      isCancelled: () => isCancelled,
      backendReason: 'chosen by the test',
    },
  );
}

const squares = 'def f(x):\n    return x[0] ** 2 + x[1] ** 2\n';

describe('a run whose time was up before it began to search', () => {
  it('has the value of the centre of the box, and counts the time from its beginning', async () => {
    const outcome = await run(squares, 3);
    expect(outcome).toMatchObject({ terminationReason: 'timeout', evaluations: 1, bestFitness: 2.5 });
    expect(outcome).toMatchObject({ bestSolution: [0.5, 1.5], durationSeconds: 3 });
    expect(outcome.error).toBeUndefined();
  });

  it('has the value of the point where it was to begin', async () => {
    expect(await run(squares, 3, { initialSolution: [1, 2] })).toMatchObject({ evaluations: 1, bestFitness: 5 });
  });

  it('has that value, too, where the first batch took all of its time to make', async () => {
    let seconds = 0;
    const slow = strategies.map((factory) => ({
      ...factory,
      create: (problem: StrategyProblem) => {
        const strategy = factory.create(problem);
        const ask = strategy.ask.bind(strategy);
        strategy.ask = () => {
          seconds += 5;
          return ask();
        };
        return strategy;
      },
    }));
    const outcome = await run(squares, () => seconds, { strategy: 'cma-es' }, { strategies: slow });
    expect(outcome).toMatchObject({ terminationReason: 'timeout', evaluations: 1, bestFitness: 2.5 });
  });

  it('says so where that value is none', async () => {
    const outcome = await run('def f(x):\n    return x[0] / (x[0] - 0.5)\n', 3);
    expect(outcome).toMatchObject({ terminationReason: 'timeout', evaluations: 1, bestFitness: null });
    expect(outcome.error?.message).toBe('The time limit was reached, and the one evaluation gave no finite value.');
  });

  it('evaluates nothing where it was cancelled', async () => {
    expect(await run(squares, 3, {}, { isCancelled: true })).toMatchObject({
      terminationReason: 'cancelled',
      evaluations: 0,
    });
  });

  it('goes on where it still has time', async () => {
    expect(await run(squares, 1)).toMatchObject({ terminationReason: 'budget', evaluations: 100, durationSeconds: 1 });
  });
});
