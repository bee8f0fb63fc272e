/** Requests about an account's defaults. */
import { z } from 'zod';
import { PRESETS } from '../../model/intelligence.js';
import type { RequestLimits } from '../fields.js';

/** Settings for which an account may have its own defaults. */
export function accountDefaults(limits: RequestLimits) {
  const evaluations = Math.min(1000, limits.maxEvaluations);
  return {
    preset: z.enum(PRESETS).optional().describe('Absent: the default of the account, else `production`'),
    mode: z
      .enum(['fast', 'balanced', 'accurate'])
      .optional()
      .describe('Absent: the default of the account, else `balanced`'),
    max_evaluations: z
      .int()
      .min(1)
      .max(limits.maxEvaluations)
      .optional()
      .describe(`Absent: the default of the account, else ${evaluations}`),
    timeout_seconds: z
      .number()
      .positive()
      .max(limits.runTimeoutSeconds)
      .optional()
      .describe(`Absent: the default of the account, else ${limits.runTimeoutSeconds}`),
  };
}

/** A field left out returns to the service's default. */
export const configurationRequest = (limits: RequestLimits) => z.strictObject(accountDefaults(limits));
