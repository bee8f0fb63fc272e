/** The state of a batch, from those of its runs. */
import type { BatchRecord, BatchState } from '../../model/batch.js';
import type { RunStatus } from '../../model/run-status.js';

/** Runs of one status: how many, and when the last of them ended. Null: none has ended. */
interface RunGroup {
  readonly status: RunStatus;
  readonly count: number;
  readonly lastEndedAt: number | null;
}

/** `deleted`: runs of it that were removed; `groups` counts them, too. */
export function batchState(
  batch: BatchRecord,
  groups: readonly RunGroup[],
  deleted: ReadonlySet<string> = new Set(),
): BatchState {
  const counts = { pending: 0, running: 0, completed: 0, failed: 0 };
  for (const { status, count } of groups) counts[status] += count;
  const ends = groups.flatMap((group) => group.lastEndedAt ?? []);
  const deletedIds = batch.runIds.filter((id) => deleted.has(id));
  return { batch, counts, lastEndedAt: ends.length === 0 ? null : Math.max(...ends), deletedIds };
}
