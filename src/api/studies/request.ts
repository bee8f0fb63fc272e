/** Requests about studies. */
import { z } from 'zod';
import { checkNumbers, handChecked, NUMBER } from '../../common/hand-checked.js';
import { shown } from '../../common/validation.js';
import { MAX_OBJECTIVES } from '../../model/front.js';
import { boundsSchema, fewItems, metadata, optionalField, type RequestLimits } from '../fields.js';
import { dimensionComplaint, objectivesComplaint, type StrategyChoice } from '../strategy-choice.js';

/** Results travel one by one, so more would take hours; and all of them are looked through at a restart. */
export const MAX_STUDY_EVALUATIONS = 100_000;

const MAX_AT_ONCE = 1_000;

export const DIRECTION = z.enum(['minimize', 'maximize']);

export function studyRequest(limits: RequestLimits, strategies: readonly StrategyChoice[]) {
  return z
    .strictObject({
      bounds: boundsSchema(limits.maxDimensions),
      objectives: z.int().min(1).max(MAX_OBJECTIVES).default(1).describe('Values of a point'),
      directions: optionalField(fewItems(DIRECTION, MAX_OBJECTIVES)).describe(
        'One for each objective. Absent: `minimize`',
      ),
      strategy: z
        .enum(strategies.map(({ name }) => name))
        .optional()
        .describe('Absent: the planner chooses; with several objectives, `sms-emoa`'),
      seed: z.int().optional().describe('Absent: drawn, and reported'),
      max_evaluations: z
        .int()
        .min(1)
        .max(Math.min(limits.maxEvaluations, MAX_STUDY_EVALUATIONS))
        .optional()
        .describe(
          'Absent: the default of the account, else 1000. Nothing is handed out once so many results are there',
        ),
      metadata: metadata.optional(),
    })
    .superRefine(({ bounds, objectives, directions, strategy }, context) => {
      const tooMany = Number.isInteger(objectives) ? objectivesComplaint(strategies, strategy, objectives) : null;
      const message =
        tooMany ?? (Array.isArray(bounds) ? dimensionComplaint(strategies, strategy, bounds.length) : null);
      if (message !== null) context.addIssue({ code: 'custom', path: ['strategy'], message });
      if (Array.isArray(directions) && typeof objectives === 'number' && directions.length !== objectives) {
        const text = `\`directions\` has ${directions.length} entries, \`objectives\` is ${objectives}.`;
        context.addIssue({ code: 'custom', path: ['directions'], message: text });
      }
    });
}

export const askRequest = z.strictObject({
  count: z
    .int()
    .min(1)
    .max(MAX_AT_ONCE)
    .default(1)
    .describe('Fewer come where the evaluations that are left are fewer, or more than 200,000 numbers were to come'),
});

/** A result as it was sent. */
export interface ToldResult {
  readonly id?: string;
  readonly solution?: number[];
  readonly values?: number[];
  readonly failed?: true;
}

function toldResults(maxDimensions: number) {
  const id = { type: 'string', description: 'Of a candidate of this study' };
  const solution = {
    type: 'array',
    items: NUMBER,
    minItems: 1,
    maxItems: maxDimensions,
    description: 'Within the bounds',
  };
  const values = {
    type: 'array',
    items: NUMBER,
    minItems: 1,
    maxItems: MAX_OBJECTIVES,
    description: 'One for each objective',
  };
  const failed = { type: 'boolean', const: true, description: 'The evaluation gave no value' };
  const parts: Readonly<Record<string, object>> = { id, solution, values, failed };
  // Generators name the type of each after its title.
  const item = (title: string, ...names: string[]): object => ({
    title,
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, parts[name]])),
    required: names,
    additionalProperties: false,
  });
  const items = {
    oneOf: [
      item('ValuesOfCandidate', 'id', 'values'),
      item('FailureOfCandidate', 'id', 'failed'),
      item('ValuesOfPoint', 'solution', 'values'),
      item('FailureOfPoint', 'solution', 'failed'),
    ],
  };
  const json = { type: 'array', items, minItems: 1, maxItems: MAX_AT_ONCE };
  return handChecked<ToldResult[]>(json, (value, complain) => {
    if (value === undefined) return complain([], '`results` is required.');
    if (!Array.isArray(value)) return complain([], `\`results\` must be an array of results, not ${shown(value)}.`);
    if (value.length < 1 || value.length > MAX_AT_ONCE) {
      return complain([], `\`results\` must have 1 to ${MAX_AT_ONCE} results, not ${value.length}.`);
    }
    for (const [i, result] of value.entries()) {
      const fault = faultOf(result, maxDimensions);
      if (fault === null) continue;
      const [path, message] = fault;
      return complain([i, ...path], message.replaceAll('@', `results[${i}]`));
    }
  });
}

type Fault = readonly [path: readonly PropertyKey[], message: string];

/** `@` stands for the result. */
function faultOf(result: unknown, maxDimensions: number): Fault | null {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) {
    return [[], `\`@\` must be an object, not ${shown(result)}.`];
  }
  const { id, solution, values, failed, ...rest } = result as Record<string, unknown>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return [[unknown], `Unknown field \`@.${unknown}\`.`];
  if ((id === undefined) === (solution === undefined)) return [[], '`@` must have `id` or `solution`, one of them.'];
  if ((values === undefined) === (failed === undefined)) {
    return [[], '`@` must have `values`, or `failed: true`, one of them.'];
  }
  if (id !== undefined && typeof id !== 'string') return [['id'], `\`@.id\` must be a string, not ${shown(id)}.`];
  if (failed !== undefined && failed !== true) return [['failed'], `\`@.failed\` must be true, not ${shown(failed)}.`];
  return numbersFault('solution', solution, maxDimensions) ?? numbersFault('values', values, MAX_OBJECTIVES);
}

function numbersFault(name: string, numbers: unknown, most: number): Fault | null {
  if (numbers === undefined) return null;
  if (!Array.isArray(numbers)) return [[name], `\`@.${name}\` must be an array of numbers, not ${shown(numbers)}.`];
  if (numbers.length < 1 || numbers.length > most) {
    return [[name], `\`@.${name}\` must have 1 to ${most} numbers, not ${numbers.length}.`];
  }
  let fault: Fault | null = null;
  checkNumbers(numbers, `@.${name}`, [name], (path, message) => (fault = [path, message]));
  return fault;
}

export const tellRequest = (limits: RequestLimits) => z.strictObject({ results: toldResults(limits.maxDimensions) });
