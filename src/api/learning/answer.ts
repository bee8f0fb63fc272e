/** Lessons from runs, as clients see them. */
import { z } from 'zod';
import { PROBLEM_KINDS } from '../../learning/classes.js';
import type { Overview } from '../../learning/learning-service.js';
import { nullable } from '../fields.js';
import type { Answer } from '../route.js';

export const learningAnswer = z
  .object({
    version: z.int().describe('Of the latest run that taught something; 0: nothing has been learned'),
    runs: z.int().describe('That have taught something'),
    problem_classes: z
      .array(
        z.object({
          name: z.string(),
          features: z.object({
            kind: z.enum(PROBLEM_KINDS).describe('From `least squares` on: of programs that were read, and not probed'),
            dimensions: nullable(z.object({ least: z.int(), most: z.int() })),
          }),
          runs: z.int(),
          strategies: z.array(
            z.object({
              name: z.string(),
              runs: z.int().describe('In which it searched'),
              win_rate: z.number().describe('Share of those in which it found what was as good as the best'),
              mean_gain: z.number().describe('Decades of f - f* for each of those'),
            }),
          ),
        }),
      )
      .describe('Of the latest 256 runs, which are those that new runs learn from'),
  })
  .meta({ id: 'Learning' });

export const similarAnswer = z
  .object({
    optimization_id: z.string(),
    distance: z.number().describe('0: alike in all that was probed or read'),
    strategy_used: z.string(),
    best_fitness: nullable(z.number()),
  })
  .meta({ id: 'SimilarOptimization' });

export const represent = ({ version, runs, classes }: Overview): Answer<typeof learningAnswer> => ({
  version,
  runs,
  problem_classes: classes.map(({ name, features, runs: own, strategies }) => ({
    name,
    features: { kind: features.kind, dimensions: features.dimensions },
    runs: own,
    strategies: strategies.map((strategy) => ({
      name: strategy.name,
      runs: strategy.runs,
      win_rate: strategy.winRate,
      mean_gain: strategy.meanGain,
    })),
  })),
});
