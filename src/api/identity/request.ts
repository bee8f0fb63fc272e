/** Requests about keys. */
import { z } from 'zod';
import { SCOPES } from '../../model/api-key.js';
import { fewItems, MAX_OVERLAP_SECONDS, nameText } from '../fields.js';

export const SCOPE = z.enum(SCOPES);

export const keyRequest = z.strictObject({
  name: nameText,
  scopes: fewItems(SCOPE, 100)
    .transform((scopes) => [...new Set(scopes)])
    .describe('`read`: every GET; `run`: functions and runs; `admin`: everything, and keys'),
  expires_at: z.iso
    .datetime({ offset: true, error: '`expires_at` must be a time such as 2030-01-31T12:00:00Z.' })
    .nullable()
    .optional()
    .describe('In the future. Absent or null: never'),
});

export const rollRequest = z.strictObject({
  overlap_seconds: z
    .int()
    .min(0)
    .max(MAX_OVERLAP_SECONDS)
    .default(MAX_OVERLAP_SECONDS)
    .describe('How long the old key still works'),
});
