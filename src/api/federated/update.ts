/** The update that deployments exchange: one makes it, another reads it. */
import { z } from 'zod';
import { ExtremumError } from '../../common/errors.js';
import { invalid } from '../../common/validation.js';
import { LEAST_EPSILON, MOST_EPSILON } from '../../learning/federation/update.js';
import { BASE_VERSION, CLIP, type FederatedUpdate, UPDATE_FORMAT } from '../../model/federation.js';
import { STRATEGIES } from '../../planner/leaders.js';
import { PROBLEM_CLASSES } from '../../planner/problem-classes.js';

/** Beyond what noise makes of any number of runs. */
const MOST_RUNS = 1_000_000_000;

/** Many times what there are classes and strategies for, in its most wordy form. */
export const MAX_UPDATE_BYTES = 131_072;

export const epsilon = z.number().min(LEAST_EPSILON).max(MOST_EPSILON);

const statistic = z.strictObject({
  problem_class: z.enum(PROBLEM_CLASSES),
  strategy: z.enum(STRATEGIES).describe('Who led'),
  runs: z.int().min(1).max(MOST_RUNS).describe('With noise'),
  mean_gain: z
    .number()
    .min(-CLIP)
    .max(CLIP)
    .describe('Decades of evaluations saved against what is usual in the class, with noise'),
});

export const update = z
  .strictObject({
    format: z.literal(UPDATE_FORMAT),
    base_version: z.int().min(1).describe(`Of the list of classes and strategies: ${BASE_VERSION}`),
    epsilon: epsilon.describe('That was spent on it'),
    clip: z.literal(CLIP).describe('Decades: what one run may have added to a sum of gains, at most'),
    statistics: z.array(statistic).max(PROBLEM_CLASSES.length * STRATEGIES.length),
  })
  .meta({ id: 'FederatedUpdate' });

type WrittenUpdate = z.infer<typeof update>;

export const namesOf = (cell: number): { problem_class: string; strategy: string } => ({
  problem_class: PROBLEM_CLASSES[Math.floor(cell / STRATEGIES.length)],
  strategy: STRATEGIES[cell % STRATEGIES.length],
});

export function written({ epsilon: spent, statistics }: FederatedUpdate): WrittenUpdate {
  return {
    format: UPDATE_FORMAT,
    base_version: BASE_VERSION,
    epsilon: spent,
    clip: CLIP,
    statistics: statistics.map(({ cell, runs, meanGain }) => ({ ...namesOf(cell), runs, mean_gain: meanGain })),
  };
}

/**
 * @throws {ExtremumError} `conflict` where it is of another version; `invalid_request` where it says something twice.
 */
export function read({ base_version, epsilon: spent, statistics }: WrittenUpdate): FederatedUpdate {
  if (base_version !== BASE_VERSION) {
    const message =
      `The update is of version ${base_version} of the list of classes and strategies; ` +
      `this service knows version ${BASE_VERSION}. Both deployments must run versions of the service that share one.`;
    throw new ExtremumError('conflict', message, { field: 'base_version' });
  }
  const known = new Set<number>();
  const own = statistics.map(({ problem_class, strategy, runs, mean_gain }, k) => {
    const cell = PROBLEM_CLASSES.indexOf(problem_class) * STRATEGIES.length + STRATEGIES.indexOf(strategy);
    const field = `statistics[${k}]`;
    if (known.has(cell)) throw invalid(field, `\`${field}\` repeats a class and strategy of an earlier one.`);
    known.add(cell);
    return { cell, runs, meanGain: mean_gain };
  });
  return { epsilon: spent, statistics: own.sort((a, b) => a.cell - b.cell) };
}
