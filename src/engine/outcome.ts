/** The outcome of a run that has ended, from what its parts have found and counted. */
import { reasonAtEnd } from '../evaluation/placement-words.js';
import { isProven, type Certificate, type Optimality } from '../model/certificate.js';
import { whyNoValue } from '../model/run-status.js';
import type { RunOutcome, RunTask, TerminationReason } from '../model/run-task.js';
import type { Verified } from '../model/verification.js';
import type { Strategy } from '../strategies/strategy.js';
import { convergenceOf } from './convergence.js';
import type { Evaluations } from './evaluations.js';
import type { Exploration } from './exploration.js';
import type { RunPorts } from './ports.js';
import type { RunTally } from './run-tally.js';

interface RunAtEnd {
  readonly task: RunTask;
  readonly ports: RunPorts;
  readonly strategy: Strategy;
  readonly tally: RunTally;
  readonly evaluations: Evaluations;
  readonly exploration: Exploration;
  /** Evaluations before this attempt. */
  readonly evaluationsBefore: number;
  elapsedSeconds(): number;
}

export function outcomeOf(run: RunAtEnd, terminationReason: TerminationReason, verified: Verified | null): RunOutcome {
  const { ports, strategy, tally } = run;
  const { evaluator, evaluatingMs, reader } = run.evaluations;
  const { kernel } = evaluator;
  const { moveReason } = evaluator.state();
  const found = tally.found();
  const planning = strategy.planning?.() ?? null;
  const certificate = ports.checks?.isDoubtful === true ? null : (strategy.certificate?.() ?? null);
  const history = tally.history.toArray();
  const convergence = convergenceOf(history);
  const experiment = run.exploration.result;
  const front = tally.front?.result() ?? null;
  const message =
    terminationReason === 'error'
      ? tally.hopelessMessage()
      : whyNoValue({ terminationReason, evaluations: tally.evaluations, ...found });
  return {
    terminationReason,
    ...found,
    front: front ?? undefined,
    evaluations: tally.evaluations,
    failedEvaluations: tally.failedEvaluations,
    failures: tally.failures.slice(),
    durationSeconds: run.elapsedSeconds(),
    history,
    strategies: phasesOf(run, front === null ? (experiment?.centreValue ?? found.bestFitness) : null),
    planning: planning ?? undefined,
    optimality: certificate === null ? undefined : optimalityOf(tally, certificate),
    convergence,
    experiment: experiment ?? undefined,
    ...(verified === null ? {} : { verified }),
    backend: {
      name: kernel.backend,
      device: kernel.device,
      reason: reasonAtEnd(ports.backendReason, moveReason),
      evaluationsPerSecond: evaluatingMs > 0 ? ((tally.evaluations - run.evaluationsBefore) / evaluatingMs) * 1000 : 0,
      use: evaluator.use(),
      sharing: kernel.sharing,
      readings: reader.evaluations(),
      nativeCode: ports.primary.nativeCode ?? null,
    },
    error: message === null ? undefined : { message },
  };
}

function optimalityOf({ best: { fitness }, sign }: RunTally, { bound, proof }: Certificate): Optimality {
  // A value that another interpreter gave, or fast mathematics, may lie beyond.
  const best = Math.min(bound, fitness);
  return {
    status: isProven(fitness, bound) ? 'optimal' : 'feasible',
    bound: sign * best,
    gap: fitness < Infinity ? fitness - best : null,
    proof,
  };
}

function phasesOf(
  { task, strategy, tally, exploration }: RunAtEnd,
  /** Where the search ended: an experiment after it may find a better one. */
  bestFitness: number | null,
): RunOutcome['strategies'] {
  const phases = strategy.phases?.() ?? [];
  if (phases.length > 0) {
    return phases.map((phase) => ({
      ...phase,
      bestFitness: phase.bestFitness === null ? null : tally.sign * phase.bestFitness,
    }));
  }
  const unplanned = tally.front === null ? 'the default without planning' : 'the default for several objectives';
  const reason = task.strategy === undefined ? unplanned : 'asked for in the request';
  return [{ name: strategy.name, reason, fromEvaluation: 0, toEvaluation: exploration.searched, bestFitness }];
}
