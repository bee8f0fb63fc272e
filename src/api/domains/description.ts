/** Description of the domains: problem types, schemas of their configs, examples, limits. */
import { z } from 'zod';
import { configSchema, typesOf } from '../../domains/configs.js';
import type { AnyModel, ProblemType } from '../../domains/problem-type.js';
import type { DomainName, RequestDomain } from '../../model/problem.js';
import type { DomainAnswer } from './answer.js';
import { describeConversational } from './conversational.js';

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
