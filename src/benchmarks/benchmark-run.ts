/** Carries out one benchmark run by the engine's own loop. Pure but for the clock that the engine asks for. */
import { ExtremumError } from '../common/errors.js';
import { runOptimization } from '../engine/run-optimization.js';
import type { Mode, RunTask } from '../model/run-task.js';
import type { StrategyFactory } from '../strategies/strategy.js';
import { ObjectiveKernel } from './objective-kernel.js';
import type { BenchmarkProblem } from './problem.js';
import { stretched } from './stretched.js';
import { SUITES, type SuiteName } from './suites.js';

/** Conditions that change the function or the course of every run. */
export interface RunConditions {
  readonly suite: SuiteName;
  /** Evaluations of one run, all restarts together. */
  readonly budget: BenchmarkBudget;
  readonly mode: Mode;
  /** Shifts the seeds of all runs; 0 gives those of the protocol. */
  readonly seed: number;
  /** Standard deviation of multiplicative noise; 0: none. */
  readonly noise: number;
  /** Whether the box is stretched at random. */
  readonly stretched: boolean;
}

/** Evaluations: a number, or a multiple of the dimension. */
export interface BenchmarkBudget {
  readonly evaluations: number;
  readonly perDimension: boolean;
}

export const budgetOf = ({ evaluations, perDimension }: BenchmarkBudget, dimension: number): number =>
  perDimension ? evaluations * dimension : evaluations;

/** Identity of a run. */
export interface RunKey {
  readonly strategy: string;
  readonly functionId: number;
  readonly dimension: number;
  readonly instance: number;
  /** Counted from 0. */
  readonly repetition: number;
}

export interface BenchmarkRun extends RunKey {
  readonly budget: number;
  /** Up to the final target or the end of the budget. */
  readonly evaluations: number;
  /** Best f - fopt, without noise. */
  readonly bestDelta: number;
  /** Evaluations at which targets 0, 1, ... were reached; stops at the last one reached. */
  readonly hits: readonly number[];
  /** Rows of COCO's data files. */
  readonly dat: readonly string[];
  readonly tdat: readonly string[];
}

/** Distance between the seeds of two values of `--seed`; above every seed of the protocol up to 640-D. */
const SEED_STRIDE = 100_000_000;
/** Added to the seed at every restart by the harness. */
export const RESTART_STRIDE = 7919;

export function seedOf(key: RunKey, shift: number): number {
  const { repetition, instance, functionId, dimension } = key;
  return 1 + repetition + 10 * instance + 1000 * functionId + 100000 * dimension + SEED_STRIDE * shift;
}

/**
 * A run ends at the budget or at the final target. A strategy that ends by itself earlier is started again with another
 * seed and what is left of the budget. The strategy sees values only, never the optimal value or a target.
 */
export async function carryOutRun(
  key: RunKey,
  conditions: RunConditions,
  strategies: readonly StrategyFactory[],
): Promise<BenchmarkRun> {
  const problem = problemOf(key, conditions);
  const budget = budgetOf(conditions.budget, key.dimension);
  const seed = seedOf(key, conditions.seed);
  const kernel = new ObjectiveKernel(problem, { level: conditions.noise, seed });
  const { lower, upper } = problem.bounds;
  const task: RunTask = {
    bounds: Array.from(lower, (low, i) => [low, upper[i]] as const),
    maxEvaluations: budget,
    seed,
    direction: 'minimize',
    mode: conditions.mode,
    strategy: key.strategy,
  };
  const ports = {
    strategies,
    primary: kernel,
    fallback: null,
    now: () => performance.now(),
    isCancelled: () => kernel.hits.isFinished,
    backendReason: 'benchmark',
  };
  for (let spent = 0, restart = 0; spent < budget && !kernel.hits.isFinished; restart++) {
    const next = { ...task, maxEvaluations: budget - spent, seed: seed + RESTART_STRIDE * restart };
    const { evaluations, terminationReason } = await runOptimization(next, ports);
    if (evaluations === 0) {
      throw new ExtremumError('internal_error', `${key.strategy} ended (${terminationReason}) without an evaluation`);
    }
    spent += evaluations;
  }
  kernel.log.finish();
  const { hits, bestDelta, evaluations } = kernel.hits;
  return { ...key, budget, evaluations, bestDelta, hits, dat: kernel.log.dat, tdat: kernel.log.tdat };
}

const KEPT_PROBLEMS = 64;
/** Newest last: the runs of one instance follow each other, and rotations are expensive in high dimensions. */
const problems = new Map<string, BenchmarkProblem>();

function problemOf({ functionId, dimension, instance }: RunKey, conditions: RunConditions): BenchmarkProblem {
  const { suite, stretched: isStretched } = conditions;
  const id = `${suite} ${functionId} ${dimension} ${instance} ${isStretched}`;
  let problem = problems.get(id);
  if (problem === undefined) {
    const plain = SUITES[suite].create(functionId, dimension, instance);
    problem = isStretched ? stretched(plain) : plain;
    problems.set(id, problem);
    if (problems.size > KEPT_PROBLEMS) problems.delete(problems.keys().next().value ?? '');
  }
  return problem;
}
