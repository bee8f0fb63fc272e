/**
 * Fields of requests and answers that several resources share.
 * Requests are strict: an unknown field is refused. Long arrays of numbers are checked by hand, not element by element
 * through zod: they stop at the first fault and cost microseconds instead of a blocked event loop.
 */
import { z } from 'zod';
import { NUMBER, handChecked, checkNumbers } from '../common/hand-checked.js';
import { shown } from '../common/validation.js';
import type { PythonLimits } from '../runs/python-host.js';

export interface RequestLimits {
  readonly maxEvaluations: number;
  readonly maxDimensions: number;
  readonly runTimeoutSeconds: number;
  readonly pythonLimits: Pick<
    PythonLimits,
    'memoryBytes' | 'mostMemoryBytes' | 'evaluationSeconds' | 'mostEvaluationSeconds'
  >;
}

export const noQuery = z.strictObject({});

export function boundsSchema(maxDimensions: number) {
  const pair = { type: 'array', items: NUMBER, minItems: 2, maxItems: 2, description: '[min, max], min < max' };
  const json = { type: 'array', items: pair, minItems: 1, maxItems: maxDimensions };
  return handChecked<[number, number][]>(json, (value, complain) => {
    if (value === undefined) return complain([], '`bounds` is required.');
    if (!Array.isArray(value))
      return complain([], `\`bounds\` must be an array of [min, max] pairs, not ${shown(value)}.`);
    if (value.length < 1 || value.length > maxDimensions) {
      return complain([], `\`bounds\` must have 1 to ${maxDimensions} pairs, one per dimension, not ${value.length}.`);
    }
    for (const [i, pair] of value.entries()) {
      if (!Array.isArray(pair) || pair.length !== 2) {
        return complain([i], `\`bounds[${i}]\` must be a [min, max] pair of numbers, not ${shown(pair)}.`);
      }
      if (!checkNumbers(pair, `bounds[${i}]`, [i], complain)) return;
      const [min, max] = pair as [number, number];
      if (!(min < max)) return complain([i], `\`bounds[${i}]\`: min ${min} must be below max ${max}.`);
    }
  });
}

const MAX_METADATA_BYTES = 4096;

export const metadata = handChecked<Record<string, unknown>>(
  { type: 'object', additionalProperties: true, description: `At most ${MAX_METADATA_BYTES} bytes of JSON` },
  (value, complain) => {
    if (value === undefined) return complain([], '`metadata` is required.');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return complain([], `\`metadata\` must be an object, not ${shown(value)}.`);
    }
    const size = jsonBytes(value);
    if (size === null) complain([], '`metadata` is nested too deeply.');
    else if (size > MAX_METADATA_BYTES) {
      complain([], `\`metadata\` must be at most ${MAX_METADATA_BYTES} bytes of JSON, not ${size}.`);
    }
  },
);

/** Size as UTF-8 JSON; null when nested deeper than the stack allows. */
function jsonBytes(value: object): number | null {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * At least one item. The length is looked at before any of them: a million faulty items would make a million findings.
 */
export function fewItems<T extends z.ZodType>(item: T, most: number) {
  const { $schema: _dialect, ...items } = z.toJSONSchema(item, { io: 'input', unrepresentable: 'any' });
  const meta = { type: 'array', items, minItems: 1, maxItems: most } as const;
  return z.array(z.unknown()).min(1).max(most).pipe(z.array(item)).meta(meta);
}

/**
 * A field that may be left out, also by `null`, and an array by `[]`: clients that generators make send these for what
 * nobody set. An array means something only with items in it.
 */
export function optionalField<T extends z.ZodType>(field: T) {
  const {
    $schema: _dialect,
    minItems: _least,
    ...json
  } = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' });
  const isNothing = (value: unknown): boolean =>
    value === null || (json.type === 'array' && Array.isArray(value) && value.length === 0);
  return z
    .preprocess((value) => (isNothing(value) ? undefined : value), field.nullable().optional())
    .transform((value) => value ?? undefined)
    .optional()
    .meta({ anyOf: [json, { type: 'null' }] });
}

export const codePointsWithin = (limit: number) => (text: string) => text.length <= limit || [...text].length <= limit;

const MAX_NAME_CHARACTERS = 200;

export const nameText = z
  .string()
  .min(1)
  .refine((text) => text.trim() !== '', '`name` must not be blank.')
  .refine(codePointsWithin(MAX_NAME_CHARACTERS), `\`name\` must be at most ${MAX_NAME_CHARACTERS} characters long.`)
  .meta({ maxLength: MAX_NAME_CHARACTERS });

export const MAX_OVERLAP_SECONDS = 86_400;

export const time = z.string().meta({ format: 'date-time' });

export const nullable = <T extends z.ZodType>(schema: T) => schema.nullable();

export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString();

export const isoTimeOrNull = (epochMs: number | null): string | null => (epochMs === null ? null : isoTime(epochMs));

export const errorAnswer = z
  .object({
    error: z.object({ code: z.string(), message: z.string(), field: z.string().optional() }),
    request_id: z.string(),
  })
  .meta({ id: 'ErrorResponse' });
