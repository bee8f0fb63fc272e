/** Requests about functions. */
import { z } from 'zod';
import { checkNumbers, handChecked, NUMBER } from '../../common/hand-checked.js';
import { shown } from '../../common/validation.js';
import { MAX_OBJECTIVES } from '../../model/front.js';
import { LEAST_EVALUATION_SECONDS, LEAST_MEMORY_BYTES } from '../../model/objective.js';
import { nameText, optionalField, type RequestLimits } from '../fields.js';

const MAX_CODE_BYTES = 256 * 1024;

function evaluationLimits({ pythonLimits: of }: RequestLimits) {
  return z.strictObject({
    seconds: optionalField(z.number().min(LEAST_EVALUATION_SECONDS).max(of.mostEvaluationSeconds)).describe(
      `Of one call; of one in population form, a call for the whole batch. Absent: ${of.evaluationSeconds}`,
    ),
    memory_bytes: optionalField(z.int().min(LEAST_MEMORY_BYTES).max(of.mostMemoryBytes)).describe(
      `Address space of the process, Python and its libraries included. Absent: ${of.memoryBytes}`,
    ),
  });
}

export type WantedLimits = z.output<ReturnType<typeof evaluationLimits>>;

export const functionRequest = (limits: RequestLimits) =>
  z.strictObject({
    name: nameText,
    code: z
      .string()
      .min(1)
      .refine(
        (text) => Buffer.byteLength(text) <= MAX_CODE_BYTES,
        `\`code\` must be at most ${MAX_CODE_BYTES} bytes of UTF-8.`,
      )
      .describe(`Python source, at most ${MAX_CODE_BYTES} bytes`),
    language: z
      .string()
      .refine((text) => /^python3?$/i.test(text), '`language` must be `python` or `python3`.')
      .meta({ pattern: '^[Pp][Yy][Tt][Hh][Oo][Nn]3?$', examples: ['python'] }),
    vectorized: z
      .boolean()
      .optional()
      .describe(
        'Whether the function takes a whole population: called with a float64 array of shape (n, d), one row per ' +
          'candidate, it returns an array of shape (n,). Absent: recognised where it can be nothing else',
      ),
    stateless: z
      .boolean()
      .optional()
      .describe(
        'Whether calls do not depend on each other, so that several processes may share them: for slow functions that are ' +
          'not compiled. With true, strategies ask for as many candidates at once as there are processes. Absent: decided ' +
          'from the source; `compilation.stateless` says how and why',
      ),
    evaluation_limits: optionalField(evaluationLimits(limits)).describe(
      'For evaluations in CPython, within the ceilings that the operator has set. Compiled code needs none',
    ),
  });

const MAX_POINTS = 10_000;

export function evaluateRequest(limits: RequestLimits) {
  const point = { type: 'array', items: NUMBER, minItems: 1, maxItems: limits.maxDimensions };
  const json = { type: 'array', items: point, minItems: 1, maxItems: MAX_POINTS, description: 'Points of one length' };
  const points = handChecked<number[][]>(json, (value, complain) => {
    if (value === undefined) return complain([], '`points` is required.');
    if (!Array.isArray(value)) return complain([], `\`points\` must be an array of points, not ${shown(value)}.`);
    if (value.length < 1 || value.length > MAX_POINTS) {
      return complain([], `\`points\` must have 1 to ${MAX_POINTS} points, not ${value.length}.`);
    }
    const dimension = Array.isArray(value[0]) ? value[0].length : 0;
    for (const [i, point] of value.entries()) {
      if (!Array.isArray(point) || point.length < 1 || point.length > limits.maxDimensions) {
        return complain(
          [i],
          `\`points[${i}]\` must be an array of 1 to ${limits.maxDimensions} numbers, not ${shown(point)}.`,
        );
      }
      if (point.length !== dimension) {
        return complain([i], `\`points[${i}]\` has ${point.length} numbers, \`points[0]\` has ${dimension}.`);
      }
      if (!checkNumbers(point, `points[${i}]`, [i], complain)) return;
    }
  });
  const objectives = z
    .int()
    .min(1)
    .max(MAX_OBJECTIVES)
    .optional()
    .describe('How many numbers the function returns; absent: it is found out');
  return z.strictObject({ points, objectives });
}
