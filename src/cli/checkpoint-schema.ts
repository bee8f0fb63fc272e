/** Schema of a checkpoint. A digest is soon made: the contents are checked like any request. */
import { z } from 'zod';
import { decode } from '../common/codec.js';
import { MAX_EXPLANATION_LEVEL } from '../model/explanation.js';
import { MAX_OBJECTIVES } from '../model/front.js';
import { strategies } from '../planner/all-strategies.js';
import { suits } from '../strategies/suitability.js';
import type { Checkpoint } from './checkpoint-file.js';
import { MAX_DIMENSION, MAX_SOURCE_BYTES } from './objective-file.js';

const MAX_NAME = 10_000;
const finite = z.number();
/** Hypervolumes may lie beyond float64. */
const real = z.custom<number>((value) => typeof value === 'number' && !Number.isNaN(value));
const count = z.int().min(0);
const counts = z.record(z.string(), count);

const source = z.strictObject({
  code: z.string().max(MAX_SOURCE_BYTES),
  entry: z.string().max(MAX_NAME).nullable(),
  argument: z.enum(['list', 'ndarray']),
  vectorized: z.boolean().optional(),
  stateless: z.boolean().optional(),
  results: z.int().min(1).max(MAX_OBJECTIVES).optional(),
});

const task = z
  .strictObject({
    bounds: z
      .array(z.tuple([finite, finite]).refine(([low, high]) => low < high && Number.isFinite(high - low)))
      .min(1)
      .max(MAX_DIMENSION),
    maxEvaluations: z.int().min(1),
    seed: count,
    direction: z.enum(['minimize', 'maximize']),
    mode: z.enum(['fast', 'balanced', 'accurate']),
    objectives: z.int().min(2).max(MAX_OBJECTIVES).optional(),
    strategy: z.string().optional(),
    timeoutSeconds: z.number().positive().optional(),
    targetFitness: finite.optional(),
    stagnationEvaluations: z.int().min(1).optional(),
    initialSolution: z.array(finite).optional(),
    explanationLevel: z.int().min(0).max(MAX_EXPLANATION_LEVEL),
  })
  .refine(({ bounds, strategy: name, objectives = 1, initialSolution }) => {
    const found = strategies.find((strategy) => strategy.name === name);
    const isStart =
      initialSolution?.length === bounds.length &&
      initialSolution.every((value, i) => value >= bounds[i][0] && value <= bounds[i][1]);
    const isKnown = found !== undefined && suits(found.capabilities, { dimension: bounds.length, objectives });
    return (initialSolution === undefined || isStart) && (name === undefined || isKnown);
  });

const checkpoint = z
  .strictObject({
    program: z.string().max(MAX_NAME),
    file: z.string().max(MAX_NAME),
    source,
    task,
    blackBox: z.boolean(),
    pythonMinor: count,
    evaluations: count,
    elapsedSeconds: z.number().min(0),
    snapshot: z.string(),
  })
  .refine(({ source: { results = 1 }, task: { objectives = 1 } }) => results === objectives);

/** A `RunSnapshot`, but for what is a strategy's own, which the strategy checks. */
const snapshot = z.looseObject({
  version: z.int(),
  strategy: z.looseObject({ name: z.string(), state: z.looseObject({}) }),
  evaluations: count,
  failedEvaluations: count,
  leadingFailures: count,
  failures: z.array(z.looseObject({ type: z.string(), message: z.string(), line: count })).max(100),
  best: z.looseObject({ solution: z.string(), value: real }).nullable(),
  lastImprovement: count,
  front: z.looseObject({ archive: z.looseObject({}), course: z.string() }).optional(),
  isCut: z.boolean().optional(),
  sideBySide: z.int().min(1).max(1_024).optional(),
  history: z
    .array(z.looseObject({ evaluations: count, bestFitness: real, elapsedSeconds: z.number().min(0) }))
    .max(100_000),
  experimented: count.optional(),
  experiment: z
    .looseObject({
      maxEvaluations: count,
      fromEvaluation: count,
      reason: z.enum(['budget', 'target', 'optimal', 'converged', 'stagnated']),
      centre: z.string(),
      centreValue: real,
      answers: z.string(),
    })
    .optional(),
  elapsedSeconds: z.number().min(0),
  evaluator: z.looseObject({
    windowEvaluations: count,
    windowFlagged: count,
    moveReason: z.string().nullable(),
    use: z.looseObject({ tiers: counts, flagged: counts, reevaluated: count }).optional(),
  }),
  readings: counts.optional(),
});

/** Parses the text of a checkpoint; null: it is none. */
export function parseCheckpoint(text: string): Checkpoint | null {
  try {
    const parsed = checkpoint.parse(decode(text));
    snapshot.parse(decode(parsed.snapshot));
    return parsed;
  } catch {
    // Also what is nested too deep to be read.
    return null;
  }
}
