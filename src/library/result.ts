/** How a run ended, in the words of the library. */
import { ExtremumError } from '../common/errors.js';
import { endingAt } from '../model/run-record.js';
import type { RunOutcome, RunProgress, TerminationReason } from '../model/run-task.js';
import { unverified } from '../model/verification.js';
import type { RunReport } from '../runs/worker-protocol.js';
import type { CheckedArguments } from './arguments.js';
import type { Progress, Result } from './types.js';

/** Parts of a result. `RunOutcome` has them, and a report almost all of them. */
export type EndedSearch = Pick<
  RunOutcome,
  | 'terminationReason'
  | 'bestSolution'
  | 'bestFitness'
  | 'evaluations'
  | 'failedEvaluations'
  | 'failures'
  | 'history'
  | 'error'
> &
  Pick<Result, 'seconds' | 'strategy' | 'backend' | 'notCompiled' | 'verified'>;

export function endOfOutcome(outcome: RunOutcome): EndedSearch {
  const { backend, strategies, durationSeconds } = outcome;
  return {
    ...outcome,
    seconds: durationSeconds,
    strategy: strategies.at(-1)?.name ?? '',
    backend: backend.name,
    notCompiled: (backend.notCompiled ?? []).map(({ message, line, column }) => ({ message, line, column })),
    verified: outcome.verified ?? null,
  };
}

/** End of a run that had to be cut off: its last report. */
export function endOfReport(report: RunReport | null): EndedSearch {
  const ending = endingAt(report?.progress ?? null, 'cancelled');
  return {
    ...ending,
    backend: null,
    history: report?.history ?? [],
    seconds: ending.durationSeconds,
    strategy: report?.begun.strategy ?? '',
    notCompiled: [],
    verified: unverified('unfinished'),
  };
}

export const publicProgress = ({ evaluations, bestFitness, bestSolution, elapsedSeconds }: RunProgress): Progress => ({
  evaluations,
  value: bestFitness,
  x: bestSolution === null ? null : Float64Array.from(bestSolution),
  seconds: elapsedSeconds,
});

/**
 * `cause`: what the objective threw first, where that is known.
 * @throws where nothing was found: {ExtremumError} `objective_rejected`, or the signal's reason.
 */
export function resultOf(end: EndedSearch, { task, signal }: CheckedArguments, cause?: unknown): Result {
  const { bestSolution, bestFitness, terminationReason, error, evaluations, failures } = end;
  const reason = publicReason(terminationReason);
  if (bestSolution === null || bestFitness === null || reason === null) {
    if (terminationReason === 'cancelled') signal?.throwIfAborted();
    const message = error?.message ?? `None of ${evaluations} evaluations gave a finite value.`;
    throw new ExtremumError('objective_rejected', message, { cause, facts: { failures } });
  }
  return {
    x: Float64Array.from(bestSolution),
    value: bestFitness,
    evaluations,
    failedEvaluations: end.failedEvaluations,
    failures: failures.map(({ type, message, line }) => ({ type, message, line })),
    reason,
    strategy: end.strategy,
    history: end.history.map((point) => ({
      evaluations: point.evaluations,
      value: point.bestFitness,
      seconds: point.elapsedSeconds,
    })),
    seed: task.seed,
    seconds: end.seconds,
    backend: end.backend,
    notCompiled: end.notCompiled,
    verified: end.verified,
  };
}

/** Null: it is no result. The library asks for neither a time limit nor an end by stagnation. */
function publicReason(reason: TerminationReason): Result['reason'] | null {
  switch (reason) {
    case 'budget':
    case 'target':
    case 'optimal':
    case 'converged':
    case 'cancelled':
      return reason;
    case 'stagnated':
    case 'timeout':
    case 'error':
      return null;
  }
}
