/** Requests for reports. */
import { z } from 'zod';
import { EXPORT_FORMATS } from '../../exports/export-format.js';
import { GRANULARITIES } from '../../model/analytics.js';
import { RUN_STATUSES } from '../../model/run-status.js';

/** Checked where it is read as a time: it depends on whether a period begins or ends there. */
const dateText = z
  .string()
  .meta({
    anyOf: [
      { type: 'string', format: 'date' },
      { type: 'string', format: 'date-time' },
    ],
  })
  .describe('ISO 8601; a date alone means its whole UTC day');

const optimizationId = z
  .string()
  .regex(/^opt_[0-9]{1,64}$/, '`optimization_id` must be the identifier of an optimization, as `opt_123`.')
  .optional()
  .describe('One optimization, with its replays and extensions. Absent: all');

const FORMATS = ['json', ...EXPORT_FORMATS] as const;
const named = FORMATS.map((name) => `\`${name}\``);

const format = z
  .enum(FORMATS, `\`format\` must be ${named.slice(0, -1).join(', ')} or ${named.at(-1)}.`)
  .default('json')
  .describe('Other than `json`: a file');

export const metricsQuery = z.strictObject({
  format,
  start_date: dateText,
  end_date: dateText,
  optimization_id: optimizationId,
  granularity: z.enum(GRANULARITIES).default('day').describe('Weeks begin on Monday'),
});

export const executionsQuery = z.strictObject({
  format,
  start_date: dateText.optional(),
  end_date: dateText.optional(),
  optimization_id: optimizationId,
  status: z.enum(RUN_STATUSES).optional(),
});

export const performanceQuery = z.strictObject({ format, optimization_id: optimizationId });
