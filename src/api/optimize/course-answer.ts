/** The course of a run, its history and its pictures as clients see them. */
import { z } from 'zod';
import { nullable } from '../fields.js';

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

export const historyAnswer = z
  .object({
    data: z.array(
      z.object({
        evaluations: z.int(),
        best_fitness: nullable(z.number()),
        hypervolume: nullable(z.number()).optional().describe('With several objectives, instead of `best_fitness`'),
        elapsed_seconds: z.number(),
      }),
    ),
  })
  .meta({ id: 'History' });

/** SVG. */
export const pictureAnswer = z.string().meta({ id: 'Picture' });
