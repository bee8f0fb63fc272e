/** Studies as clients see them. */
import { z } from 'zod';
import type { StudyState } from '../../model/study.js';
import type { LoggedPoint } from '../../studies/point-log.js';
import { pointId } from '../../studies/point-ids.js';
import type { StudyBest } from '../../studies/study.js';
import { isoTime, nullable, time } from '../fields.js';
import type { Answer } from '../route.js';
import { DIRECTION } from './request.js';

const STUDY_STATUSES = ['running', 'completed'] as const;

export const studyAnswer = z
  .object({
    id: z.string().meta({ pattern: '^study_[0-9]+$' }),
    status: z.enum(STUDY_STATUSES).describe('`completed`: it has all of its evaluations, and hands out nothing more'),
    evaluations: z.int().describe('Results so far, failed ones included'),
    failed_evaluations: z.int(),
    open: z.int().describe('Candidates that were handed out and not told yet'),
    best_fitness: nullable(z.number()).describe(
      'Null until a first result that has not failed, and with several objectives',
    ),
    bounds: z.array(z.array(z.number())),
    objectives: z.int(),
    directions: z.array(DIRECTION),
    strategy: z.string(),
    seed: z.int(),
    max_evaluations: z.int(),
    metadata: z.record(z.string(), z.unknown()),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Study' });

export const askAnswer = z
  .object({
    candidates: z.array(
      z.object({ id: z.string().meta({ pattern: '^point_[0-9]+$' }), solution: z.array(z.number()) }),
    ),
    remaining: z
      .int()
      .describe(
        "Candidates of the strategy's present generation that nobody has yet. Who asks for no more than these gets those of " +
          'an optimization of an uploaded objective',
      ),
  })
  .meta({ id: 'StudyCandidates' });

export const tellAnswer = z
  .object({ accepted: z.int().describe('Results that were not known before'), evaluations: z.int() })
  .meta({ id: 'StudyTold' });

export const studyBestAnswer = z
  .object({
    best_solution: nullable(z.array(z.number())).optional(),
    best_fitness: nullable(z.number()).optional().describe('With one objective'),
    pareto_front: z
      .array(z.object({ solution: z.array(z.number()), values: z.array(z.number()) }))
      .optional()
      .describe(
        'With several objectives: the points that no other one beats in all of them, best in the first objective first',
      ),
    hypervolume: nullable(z.number())
      .optional()
      .describe('What `pareto_front` dominates, measured from `reference_point`; null beyond the range of float64'),
    reference_point: nullable(z.array(z.number()))
      .optional()
      .describe('Fixed by the first 50 results: the worst values, and a tenth of their extent beyond'),
  })
  .meta({ id: 'StudyBest' });

const POINT_STATUSES = ['open', 'told', 'failed'] as const;

export const studyPointAnswer = z
  .object({
    id: z.string().meta({ pattern: '^point_[0-9]+$' }),
    status: z.enum(POINT_STATUSES).describe('`open`: it was handed out and not told yet'),
    asked: z.boolean().describe('False: it was told without having been handed out'),
    solution: z.array(z.number()),
    values: nullable(z.array(z.number())).describe('One for each objective; null unless it is `told`'),
  })
  .meta({ id: 'StudyPoint' });

export const representPoint =
  (studyId: string) =>
  ({ serial, isAsked, solution, values }: LoggedPoint): Answer<typeof studyPointAnswer> => {
    const status = values === null ? 'open' : values.some((value) => Number.isNaN(value)) ? 'failed' : 'told';
    return {
      id: pointId(studyId, serial),
      status,
      asked: isAsked,
      solution: Array.from(solution),
      values: status === 'told' ? Array.from(values ?? []) : null,
    };
  };

export const represent = ({ study, head: { summary } }: StudyState): Answer<typeof studyAnswer> => ({
  id: study.id,
  status: (summary?.evaluations ?? 0) < study.maxEvaluations ? 'running' : 'completed',
  evaluations: summary?.evaluations ?? 0,
  failed_evaluations: summary?.failedEvaluations ?? 0,
  open: summary?.open ?? 0,
  best_fitness: summary?.bestFitness ?? null,
  bounds: study.bounds,
  objectives: study.directions.length,
  directions: study.directions,
  strategy: study.strategy,
  seed: study.seed,
  max_evaluations: study.maxEvaluations,
  metadata: study.metadata,
  created_at: isoTime(study.createdAt),
  updated_at: isoTime(summary?.at ?? study.createdAt),
});

export function representBest(best: StudyBest): Answer<typeof studyBestAnswer> {
  if ('point' in best) {
    const { point } = best;
    return { best_solution: point && Array.from(point.solution), best_fitness: point?.values[0] ?? null };
  }
  const { front, hypervolume, reference } = best;
  const points = front.map(({ solution, values }) => ({ solution: Array.from(solution), values }));
  return { pareto_front: points, hypervolume, reference_point: reference };
}
