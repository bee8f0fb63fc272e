/** Requests for domain problems. */
import { z } from 'zod';
import { accountDefaults } from '../configuration/request.js';
import { metadata, type RequestLimits } from '../fields.js';
import { intelligenceRequest } from '../optimize/intelligence.js';
import { problemConfig } from '../optimize/request.js';

export const problemRequest = (limits: RequestLimits) =>
  z.strictObject({
    problem_type: z.string().describe('One of the domain: `GET /v1/domains/{domain}`'),
    config: problemConfig,
    ...accountDefaults(limits),
    seed: z.int().optional().describe('Absent: drawn, and reported in the record'),
    intelligence_config: intelligenceRequest.optional(),
    tetrad_config: intelligenceRequest.optional(),
    metadata: metadata.optional(),
  });

export type ProblemRequest = z.output<ReturnType<typeof problemRequest>>;
