/**
 * The states of a run and every transition between them. Nothing else decides whether a run may change its state.
 *
 *   pending ──claim──▶ running ──finish──▶ completed | failed
 *      │                  │ ▲
 *      └──cancel──▶ failed└─┘ taken over: the lease of the one carrying it out ran out
 */
import type { TerminationReason } from './run-task.js';

export const RUN_STATUSES = ['pending', 'running', 'completed', 'failed'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const RUN_TRANSITIONS: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  pending: ['running', 'failed'],
  running: ['running', 'completed', 'failed'],
  completed: [],
  failed: [],
};

export const canBecome = (from: RunStatus, to: RunStatus): boolean => RUN_TRANSITIONS[from].includes(to);
export const isFinished = (status: RunStatus): boolean => RUN_TRANSITIONS[status].length === 0;

/** The status of a run that ended for this reason. Stagnated and timed out runs keep their best and are `completed`. */
export function finalStatus(reason: TerminationReason): 'completed' | 'failed' {
  return reason === 'cancelled' || reason === 'error' ? 'failed' : 'completed';
}
