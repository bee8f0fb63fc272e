/** Description of the domains: problem types, schemas of their configs, examples, limits. */
import { z } from 'zod';
import { configSchema, typesOf } from '../../domains/configs.js';
import type { AnyModel, ProblemType } from '../../domains/problem-type.js';
import { type DomainName, REQUEST_DOMAINS, type RequestDomain } from '../../model/problem.js';
import type { Answer } from '../route.js';
import { describeConversational } from './conversational.js';

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
  .meta({ id: 'Domain' });
export type DomainAnswer = Answer<typeof domainAnswer>;

export const domainsAnswer = z.object({ data: z.array(domainAnswer) }).meta({ id: 'Domains' });

/** JSON Schema of what clients send as `config`. */
export function configJsonSchema(type: ProblemType, model: AnyModel): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(configSchema(type, model), {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
  });
  return schema;
}

const described = new Map<DomainName, DomainAnswer>();

/** Made once: it never changes while the process runs. */
export function describeDomain(domain: RequestDomain): DomainAnswer {
  if (domain === 'conversational') return describeConversational();
  let answer = described.get(domain);
  if (answer === undefined) {
    const describeModel = (
      type: ProblemType,
      model: AnyModel,
    ): DomainAnswer['problem_types'][number]['models'][number] => ({
      model: model.name,
      summary: model.summary,
      config_schema: configJsonSchema(type, model),
      example: model.example,
    });
    const problemTypes = typesOf(domain).map((type) => ({
      problem_type: type.name,
      aliases: type.aliases,
      title: type.title,
      summary: type.summary,
      models: type.models.map((model) => describeModel(type, model)),
      limits: type.limits,
    }));
    answer = { domain, problem_types: problemTypes };
    described.set(domain, answer);
  }
  return answer;
}
