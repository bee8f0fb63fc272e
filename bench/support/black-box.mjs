/** Solves problems of the BBOB suite as black boxes, to a precision, with what was learned or without. */
import { ObjectiveKernel } from '../../dist/benchmarks/objective-kernel.js';
import { SUITES } from '../../dist/benchmarks/suites.js';
import { runOptimization } from '../../dist/engine/run-optimization.js';
import { lessonOf } from '../../dist/learning/lesson.js';
import { strategies } from '../../dist/planner/all-strategies.js';

export const PRECISION = 1e-3;
export const EVALUATIONS_PER_DIMENSION = 2000;

/**
 * One run of the planner until the best value is within `PRECISION` of the optimum. `cost`: logarithm of the
 * evaluations; a problem that is not solved counts twice its budget.
 *
 * @param table what was learned (`Knowledge.table`); null: nothing
 */
export async function solve({ functionId, dimension, instance }, table) {
  const problem = SUITES.bbob.create(functionId, dimension, instance);
  const { lower, upper } = problem.bounds;
  const maxEvaluations = EVALUATIONS_PER_DIMENSION * dimension;
  const task = {
    bounds: Array.from(lower, (low, i) => [low, upper[i]]),
    maxEvaluations,
    seed: instance,
    direction: 'minimize',
    mode: 'balanced',
    strategy: 'planner',
    targetFitness: problem.optimalValue + PRECISION,
  };
  const ports = {
    strategies,
    primary: new ObjectiveKernel(problem, { level: 0, seed: 1 }),
    fallback: null,
    now: () => 0,
    isCancelled: () => false,
    backendReason: 'benchmark',
    ...(table === null ? {} : { knowledge: table }),
  };
  const outcome = await runOptimization(task, ports);
  const isSolved = outcome.terminationReason === 'target';
  return {
    cost: Math.log(isSolved ? outcome.evaluations : 2 * maxEvaluations),
    isSolved,
    leader: outcome.planning?.leader ?? 0,
    lesson: lessonOf(`opt_${functionId}_${dimension}_${instance}`, task, outcome, outcome.history),
  };
}
