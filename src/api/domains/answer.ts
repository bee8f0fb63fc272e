/** Schemas of the answers about domains. */
import { z } from 'zod';
import { REQUEST_DOMAINS } from '../../model/problem.js';
import type { Answer } from '../route.js';

const SCHEMA = z.record(z.string(), z.unknown()).describe('JSON Schema');

const modelAnswer = z.object({
  model: z.string().nullable().describe('Value of `config.model`; null where the type has one model'),
  summary: z.string(),
  config_schema: SCHEMA,
  example: z.record(z.string(), z.unknown()).describe('A `config` that works'),
});

const typeAnswer = z.object({
  problem_type: z.string(),
  aliases: z.array(z.string()),
  title: z.string(),
  summary: z.string(),
  models: z.array(modelAnswer).describe('The first one is the default'),
  limits: z.record(z.string(), z.number()).describe('Largest sizes that are accepted'),
});

export const domainAnswer = z
  .object({ domain: z.enum(REQUEST_DOMAINS), problem_types: z.array(typeAnswer) })
  .meta({ id: 'ProblemDomain' });
export type DomainAnswer = Answer<typeof domainAnswer>;
