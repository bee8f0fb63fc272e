/** The federated model and its updates as clients see them. */
import { z } from 'zod';
import type { Merged } from '../../learning/federation/merge.js';
import type { MergedStatistic } from '../../model/federation.js';
import { isoTime, time } from '../fields.js';
import type { Answer } from '../route.js';
import { namesOf } from './update.js';

export const mergedAnswer = z
  .object({
    id: z.string().meta({ pattern: '^fed_[0-9]+$' }),
    version: z.int().describe('Of what the account has learned, since this update is part of it'),
  })
  .meta({ id: 'MergedUpdate' });

export const updateAnswer = z
  .object({
    id: z.string().meta({ pattern: '^fed_[0-9]+$' }),
    epsilon: z.number(),
    statistics: z.int().describe('How many'),
    sha256: z.string(),
    created_at: time,
  })
  .meta({ id: 'FederatedUpdateSummary' });

export const modelAnswer = z
  .object({
    version: z.int().describe('Of what the account has learned, when the model last changed; 0: it never did'),
    updates: z.int().describe('That it is made of'),
    problem_classes: z.array(
      z.object({
        name: z.string(),
        strategies: z.array(
          z.object({
            name: z.string(),
            weight: z.number().describe('Runs, less what the noise makes them worth less'),
            mean_gain: z.number(),
          }),
        ),
      }),
    ),
    epsilon: z.object({
      spent: z.number().describe('By all exports of the account'),
      limit: z.number(),
    }),
  })
  .meta({ id: 'FederatedModel' });

type ClassAnswer = Answer<typeof modelAnswer>['problem_classes'][number];

export function classesOf(statistics: readonly MergedStatistic[]): ClassAnswer[] {
  const classes = new Map<string, ClassAnswer['strategies'][number][]>();
  for (const { cell, weight, meanGain } of statistics) {
    const { problem_class: name, strategy } = namesOf(cell);
    const strategies = classes.get(name) ?? [];
    strategies.push({ name: strategy, weight, mean_gain: meanGain });
    classes.set(name, strategies);
  }
  return [...classes].map(([name, strategies]) => ({ name, strategies }));
}

export const represent = ({
  id,
  at,
  sha256,
  update: { epsilon: spent, statistics },
}: Merged): Answer<typeof updateAnswer> => ({
  id,
  epsilon: spent,
  statistics: statistics.length,
  sha256,
  created_at: isoTime(at),
});
