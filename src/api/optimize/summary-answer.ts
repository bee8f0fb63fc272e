/** A run as lists of summaries show it. */
import { z } from 'zod';
import { isFinished, RUN_STATUSES } from '../../model/run-status.js';
import type { RunSummary } from '../../model/run-summary.js';
import { isoTime, isoTimeOrNull, nullable, time } from '../fields.js';
import { withText } from '../json-text.js';
import type { Answer } from '../route.js';
import { runAnswer } from './answer.js';

export const summaryAnswer = z.object({
  id: z.string().meta({ pattern: '^opt_[0-9]+$' }),
  status: z.enum(RUN_STATUSES),
  success: nullable(z.boolean()).describe('Null until the run has ended'),
  best_fitness: nullable(z.number()).describe('Null with several objectives'),
  evaluations: z.int(),
  max_evaluations: z.int(),
  duration_seconds: nullable(z.number()).describe('Null until the run has ended'),
  strategy_used: nullable(z.string()),
  objective_function_id: nullable(z.string()).describe('Null for a domain problem'),
  problem_type: nullable(z.string()).describe('Null but for a domain problem'),
  created_at: time,
  completed_at: nullable(time),
  curve: z
    .array(z.number())
    .max(32)
    .describe(
      'The best value (with several objectives: the hypervolume) after each 1/32 of the evaluations so far, oldest first, from the ' +
        'first value on',
    ),
});

const { curve, ...common } = summaryAnswer.shape;

/**
 * An entry of the list in either view. One schema: from a union of two, generated clients make a type without fields.
 */
export const listedAnswer = runAnswer
  .partial()
  .extend({ ...common, curve: curve.optional() })
  .meta({
    id: 'ListedOptimization',
    description: 'With `view=summary` what is required here and `curve`, else the fields of `Optimization`',
  });

type SummaryAnswer = Answer<typeof summaryAnswer>;

/** Of summaries that stores keep, because their runs have ended. */
const represented = new WeakMap<RunSummary, SummaryAnswer>();

export function representSummary(run: RunSummary): SummaryAnswer {
  if (!isFinished(run.status)) return answerFrom(run);
  let answer = represented.get(run);
  if (answer === undefined) represented.set(run, (answer = withText(answerFrom(run))));
  return answer;
}

const answerFrom = (run: RunSummary): SummaryAnswer => ({
  id: run.id,
  status: run.status,
  success: run.status === 'completed' ? true : run.status === 'failed' ? false : null,
  best_fitness: run.bestFitness,
  evaluations: run.evaluations,
  max_evaluations: run.maxEvaluations,
  duration_seconds: run.durationSeconds,
  strategy_used: run.strategy,
  objective_function_id: run.functionId === '' ? null : run.functionId,
  problem_type: run.problemType,
  created_at: isoTime(run.createdAt),
  completed_at: isoTimeOrNull(run.completedAt),
  curve: run.curve,
});
