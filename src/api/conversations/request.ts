/** Requests about conversations. */
import { z } from 'zod';
import { MOST_CHARACTERS } from '../../domains/conversational/state.js';
import { accountDefaults } from '../configuration/request.js';
import { metadata, type RequestLimits } from '../fields.js';

const text = (what: string) => z.string().trim().min(1).max(MOST_CHARACTERS).describe(`${what}, in English`);

export const createRequest = z.strictObject({ description: text('What is to be optimized') });

export const continueRequest = z.strictObject({ response: text('An answer, or a correction') });

export const completeRequest = (limits: RequestLimits) =>
  z.strictObject({
    ...accountDefaults(limits),
    seed: z.int().optional().describe('Absent: drawn, and reported in the record'),
    metadata: metadata.optional(),
  });
