import type { RunStatus } from './run-status.js';

/** Runs that were asked for together. */
export interface BatchRecord {
  readonly id: string;
  readonly accountId: string;
  /** In the order of the requests. */
  readonly runIds: readonly string[];
  readonly createdAt: number;
}

export interface BatchState {
  readonly batch: BatchRecord;
  /** How many of its runs are in each state; those that were deleted count by how they had ended. */
  readonly counts: Readonly<Record<RunStatus, number>>;
  /** When the last of those that have ended did; null: none has. */
  readonly lastEndedAt: number | null;
  /** Runs that were deleted, in the order of the requests. */
  readonly deletedIds: readonly string[];
}
