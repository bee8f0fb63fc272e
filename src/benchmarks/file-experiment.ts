/**
 * Strategies on an objective of the user's own, whose optimal value nobody knows: several runs of each from different
 * seeds, compared by the best value found. The runs are carried out by whoever can evaluate the objective.
 */
import { ExtremumError } from '../common/errors.js';
import { BestSoFar } from '../model/best-so-far.js';
import type { HistoryPoint, Mode, RunOutcome, RunTask } from '../model/run-task.js';
import type { Direction } from '../model/objective.js';
import { RESTART_STRIDE } from './benchmark-run.js';

export interface FileExperiment {
  readonly strategies: readonly string[];
  readonly repetitions: number;
  readonly bounds: readonly (readonly [number, number])[];
  /** Evaluations of one run, all restarts together. */
  readonly budget: number;
  readonly direction: Direction;
  readonly mode: Mode;
  /** Repetition r has seed `seed + r`, the same for all strategies. */
  readonly seed: number;
  /** A run ends here. */
  readonly target?: number;
}

export interface FileRun {
  readonly strategy: string;
  readonly repetition: number;
  readonly seed: number;
  readonly evaluations: number;
  readonly failedEvaluations: number;
  readonly bestFitness: number;
  readonly bestSolution: readonly number[];
  readonly reachedTarget: boolean;
  readonly durationSeconds: number;
  readonly backend: string;
  readonly history: readonly HistoryPoint[];
}

interface FileExperimentPorts {
  carryOut(task: RunTask): Promise<RunOutcome>;
  /** Runs at a time. */
  readonly workers: number;
  onProgress?(done: number, total: number): void;
}

/**
 * All runs, repetition by repetition and in these strategy by strategy; the same for any number of workers.
 * @throws {ExtremumError} `objective_rejected` where a run found no number at all; what `carryOut` rejects with.
 */
export async function carryOutFileExperiment(
  experiment: FileExperiment,
  { carryOut, workers, onProgress }: FileExperimentPorts,
): Promise<FileRun[]> {
  const keys = Array.from({ length: experiment.repetitions }, (_, repetition) =>
    experiment.strategies.map((strategy) => ({ strategy, repetition })),
  ).flat();
  const runs = new Array<FileRun>(keys.length);
  const work = keys.entries();
  let done = 0;
  onProgress?.(0, keys.length);
  await Promise.all(
    Array.from({ length: Math.min(workers, keys.length) }, async () => {
      for (const [index, { strategy, repetition }] of work) {
        runs[index] = await carryOutFileRun(experiment, strategy, repetition, carryOut);
        onProgress?.(++done, keys.length);
      }
    }),
  );
  return runs;
}

/** One run; a strategy that ends by itself before the budget is started again with what is left of it. */
async function carryOutFileRun(
  experiment: FileExperiment,
  strategy: string,
  repetition: number,
  carryOut: FileExperimentPorts['carryOut'],
): Promise<FileRun> {
  const { bounds, budget, direction, mode, target } = experiment;
  const seed = experiment.seed + repetition;
  const sign = direction === 'maximize' ? -1 : 1;
  const best = new BestSoFar(bounds.length);
  let [evaluations, failedEvaluations, durationSeconds] = [0, 0, 0];
  let backend = '';
  const history: HistoryPoint[] = [];
  for (let restart = 0, goesOn = true; goesOn; restart++) {
    const outcome = await carryOut({
      bounds,
      maxEvaluations: budget - evaluations,
      seed: seed + RESTART_STRIDE * restart,
      direction,
      mode,
      strategy,
      targetFitness: target,
    });
    for (const point of outcome.history) {
      if (!(sign * point.bestFitness < best.fitness)) continue;
      history.push({ ...point, evaluations: evaluations + point.evaluations });
    }
    if (outcome.bestFitness !== null && outcome.bestSolution !== null) {
      best.offer(sign * outcome.bestFitness, outcome.bestSolution);
    }
    if (!best.isKnown) {
      const why = outcome.error?.message ?? `no evaluation gave a number (${outcome.terminationReason})`;
      throw new ExtremumError('objective_rejected', `${strategy}, repetition ${repetition}: ${why}`);
    }
    evaluations += outcome.evaluations;
    failedEvaluations += outcome.failedEvaluations;
    durationSeconds += outcome.durationSeconds;
    backend = outcome.backend.name;
    goesOn = evaluations < budget && outcome.evaluations > 0 && outcome.terminationReason === 'converged';
  }
  return {
    strategy,
    repetition,
    seed,
    evaluations,
    failedEvaluations,
    bestFitness: sign * best.fitness,
    bestSolution: Array.from(best.solution),
    reachedTarget: target !== undefined && !(sign * target < best.fitness),
    durationSeconds,
    backend,
    history,
  };
}
