/** The course of a run, its history and its pictures as clients see them. */
import { z } from 'zod';
import { RUN_EVENT_TYPES, streamName } from '../../model/run-event.js';
import type { RunRecord } from '../../model/run-record.js';
import type { HistoryPoint } from '../../model/run-task.js';
import { nullable } from '../fields.js';
import type { Answer } from '../route.js';

/** Those with a place in the stream. */
export const STREAMED = RUN_EVENT_TYPES.map(streamName);

/** One of a stream; a comment is none. */
const event = z.object({
  id: z.string().meta({ pattern: '^[0-9]+$' }).optional().describe('Its place in the stream; `progress` has none'),
  event: z.enum([...STREAMED, 'progress']),
  data: z.string().meta({ contentMediaType: 'application/json' }),
});

/** A stream is text: generators of clients know no events. `x-schema` is for readers who do. */
export const eventsAnswer = z
  .string()
  .describe('Events as the HTML standard writes them; `x-schema` is the shape of one')
  .meta({ id: 'ServerSentEvents', 'x-schema': z.toJSONSchema(event, { target: 'draft-2020-12' }) });

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
