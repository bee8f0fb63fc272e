/** The course of a run, its history and its pictures as clients see them. */
import { z } from 'zod';
import type { RunRecord } from '../../model/run-record.js';
import type { HistoryPoint } from '../../model/run-task.js';
import { nullable } from '../fields.js';
import type { Answer } from '../route.js';

const STREAMED = [
  ...[
    'started',
    'strategy.changed',
    'backend.changed',
    'context.updated',
    'stagnated',
    'timeout',
    'completed',
    'failed',
    'cancelled',
  ],
  'progress',
] as const;

/** One of a stream; a comment is none. */
export const eventAnswer = z
  .object({
    id: z.string().meta({ pattern: '^[0-9]+$' }).optional().describe('Its place in the stream; `progress` has none'),
    event: z.enum(STREAMED),
    data: z.string().meta({ contentMediaType: 'application/json' }),
  })
  .meta({ id: 'ServerSentEvent' });

export const historyPointAnswer = z
  .object({
    evaluations: z.int(),
    best_fitness: nullable(z.number()),
    hypervolume: nullable(z.number()).optional().describe('With several objectives, instead of `best_fitness`'),
    elapsed_seconds: z.number(),
  })
  .meta({ id: 'HistoryPoint' });

export const representPoint =
  ({ request: { task } }: RunRecord) =>
  ({ evaluations, bestFitness, elapsedSeconds }: HistoryPoint): Answer<typeof historyPointAnswer> => ({
    evaluations,
    ...((task.objectives ?? 1) > 1 ? { best_fitness: null, hypervolume: bestFitness } : { best_fitness: bestFitness }),
    elapsed_seconds: elapsedSeconds,
  });

/** SVG. */
export const pictureAnswer = z.string().meta({ id: 'Picture' });
