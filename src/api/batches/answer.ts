/** Batches as clients see them. */
import { z } from 'zod';
import type { BatchState } from '../../model/batch.js';
import { RUN_STATUSES, type RunStatus } from '../../model/run-status.js';
import { isoTime, nullable, time } from '../fields.js';
import type { Answer } from '../route.js';

export const batchAnswer = z
  .object({
    id: z.string().meta({ pattern: '^batch_[0-9]+$' }),
    status: z
      .enum(RUN_STATUSES)
      .describe('`pending` until a run starts, `running` until all have ended; then `failed` where every run did'),
    total: z.int(),
    completed: z.int(),
    failed: z.int().describe('Cancelled runs included'),
    deleted: z.int().describe('Runs that were deleted; they still count as completed or failed'),
    deleted_optimization_ids: z.array(z.string()).describe('Those of `optimization_ids` that were deleted'),
    optimization_ids: z.array(z.string()).describe('In the order of the requests'),
    created_at: time,
    completed_at: nullable(time).describe('When the last run ended'),
  })
  .meta({ id: 'Batch' });

function statusOf({ pending, running, completed, failed }: BatchState['counts']): RunStatus {
  if (pending + running > 0) return running + completed + failed > 0 ? 'running' : 'pending';
  return completed > 0 ? 'completed' : 'failed';
}

export function represent({ batch, counts, lastEndedAt, deletedIds }: BatchState): Answer<typeof batchAnswer> {
  const hasEnded = counts.pending + counts.running === 0;
  return {
    id: batch.id,
    status: statusOf(counts),
    total: batch.runIds.length,
    completed: counts.completed,
    failed: counts.failed,
    deleted: deletedIds.length,
    deleted_optimization_ids: deletedIds,
    optimization_ids: batch.runIds,
    created_at: isoTime(batch.createdAt),
    completed_at: hasEnded && lastEndedAt !== null ? isoTime(lastEndedAt) : null,
  };
}
