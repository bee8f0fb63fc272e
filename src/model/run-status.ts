/**
 * The states of a run and every transition between them. Nothing else decides whether a run may change its state.
 *
 *   pending ──claim──▶ running ──finish──▶ completed | failed
 *      │                  │ ▲
 *      └──cancel──▶ failed└─┘ taken over: the lease of the one carrying it out ran out
 */
import type { RunOutcome } from './run-task.js';

export const RUN_STATUSES = ['pending', 'running', 'completed', 'failed'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

const RUN_TRANSITIONS: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  pending: ['running', 'failed'],
  running: ['running', 'completed', 'failed'],
  completed: [],
  failed: [],
};

export const canBecome = (from: RunStatus, to: RunStatus): boolean => RUN_TRANSITIONS[from].includes(to);
export const isFinished = (status: RunStatus): boolean => RUN_TRANSITIONS[status].length === 0;

type End = Pick<RunOutcome, 'terminationReason' | 'bestSolution'>;

/**
 * The status of a run that ended so. Stagnated and timed out runs keep their best and are `completed`; whatever ends
 * it, a run that found nothing is not.
 */
export function finalStatus({ terminationReason, bestSolution }: End): 'completed' | 'failed' {
  if (terminationReason === 'cancelled' || terminationReason === 'error') return 'failed';
  return bestSolution === null ? 'failed' : 'completed';
}

/** Reason why a run has no value that was neither cancelled nor in error; null: nothing is wrong. */
export function whyNoValue(end: End & Pick<RunOutcome, 'evaluations'>): string | null {
  const { terminationReason: reason, bestSolution, evaluations } = end;
  if (bestSolution !== null || reason === 'cancelled' || reason === 'error') return null;
  const count = evaluations === 1 ? 'The one evaluation' : `None of ${evaluations} evaluations`;
  const found = evaluations === 1 ? 'gave no finite value' : 'gave a finite value';
  if (reason !== 'timeout') return `${count} ${found}.`;
  return evaluations === 0
    ? 'The time limit was reached before the first evaluation had ended.'
    : `The time limit was reached, and ${count.toLowerCase()} ${found}.`;
}
