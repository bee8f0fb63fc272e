/** The strategy of a task: which one carries it out, whether it suits, and what it is told. */
import { ExtremumError } from '../common/errors.js';
import type { RunTask } from '../model/run-task.js';
import type { StrategyFactory, StrategyProblem } from '../strategies/strategy.js';
import { suits, unsuitability, type SearchedTask } from '../strategies/suitability.js';
import type { RunPorts } from './ports.js';

/** @throws {ExtremumError} `invalid_request`: there is no such strategy, or it does not suit the task. */
export function chooseStrategy(task: RunTask, strategies: readonly StrategyFactory[]): StrategyFactory {
  const { strategy: name, objectives = 1 } = task;
  const factory = strategies.find((strategy) =>
    name === undefined
      ? suits(strategy.capabilities, { objectives }) &&
        (task.isPlanned !== false || strategy.capabilities.plans !== true)
      : strategy.name === name,
  );
  if (factory !== undefined) {
    requireSuitable(factory, { objectives });
    return factory;
  }
  const known = strategies.map((strategy) => strategy.name).join(', ');
  throw new ExtremumError('invalid_request', `strategy "${name}" is unknown; known: ${known}`, { field: 'strategy' });
}

/** @throws {ExtremumError} `invalid_request`: the strategy does not suit the task. */
export function requireSuitable({ name, capabilities }: StrategyFactory, task: SearchedTask): void {
  const why = unsuitability(capabilities, task);
  if (why !== null) throw new ExtremumError('invalid_request', `strategy "${name}" ${why}`, { field: 'strategy' });
}

/** A task as a strategy is told of it. */
export function strategyProblem(
  task: RunTask,
  budgetEvaluations: number,
  { program = null, knowledge, starts, sideBySide }: Pick<RunPorts, 'program' | 'knowledge' | 'starts' | 'sideBySide'>,
): StrategyProblem {
  return {
    bounds: {
      lower: Float64Array.from(task.bounds, ([low]) => low),
      upper: Float64Array.from(task.bounds, ([, high]) => high),
    },
    seed: task.seed,
    budgetEvaluations,
    mode: task.mode,
    objectives: task.objectives,
    initialSolution: task.initialSolution,
    program: program ?? undefined,
    knowledge,
    starts,
    sideBySide,
  };
}
