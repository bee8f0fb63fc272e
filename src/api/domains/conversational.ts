/**
 * The problem type `auto` of the domain `conversational`: a problem that is described, built and solved in one request.
 */
import { z } from 'zod';
import { invalid, validate } from '../../common/validation.js';
import { typeNamed } from '../../domains/configs.js';
import { buildAtOnce } from '../../domains/conversational/conversation.js';
import { MOST_CHARACTERS } from '../../domains/conversational/state.js';
import type { ProblemType } from '../../domains/problem-type.js';
import type { DomainAnswer } from './answer.js';

const autoConfig = z.strictObject({
  description: z.string().trim().min(1).max(MOST_CHARACTERS).describe('What is to be optimized, in English'),
  answers: z
    .record(z.string().max(200), z.string().max(MOST_CHARACTERS))
    .default({})
    .describe('By slot, a path in the `config` that is built: what would be answered if it were asked for'),
  accept_defaults: z.boolean().default(false).describe('Whether what has a default is not asked for'),
});
const envelope = z.strictObject({ config: autoConfig });

const EXAMPLE = {
  description:
    'We sell 1,300 parts a year. An order costs $8, keeping a part on the shelf for a year costs 22.5 cents.',
  answers: { model: 'how many to order at a time' },
  accept_defaults: true,
};

/**
 * @throws {ExtremumError} `invalid_request`, on `config.answers.<slot>` with the question where something is missing
 */
export function buildProblem(
  problemType: string,
  given: unknown,
): { readonly type: ProblemType; readonly config: unknown } {
  if (problemType !== 'auto') {
    throw invalid('problem_type', '`problem_type` must be `auto` in the domain conversational.');
  }
  const { config } = validate(envelope, { config: given }, 'body');
  const state = buildAtOnce(config.description, config.answers, config.accept_defaults);
  const { status, domain, problem_type: name, question, conflicts } = state;
  if (status === 'ready_to_optimize' && domain !== null && name !== null) {
    return { type: typeNamed(domain, name), config: state.config };
  }
  if (question !== null) throw invalid(`config.answers.${question.slot}`, question.text);
  throw invalid('config.description', conflicts[0]?.message ?? 'The description names no problem that can be solved.');
}

export function describeConversational(): DomainAnswer {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(autoConfig, { io: 'input' });
  return {
    domain: 'conversational',
    problem_types: [
      {
        problem_type: 'auto',
        aliases: [],
        title: 'A problem in your own words',
        summary:
          'Builds a problem of one of the other domains from a description, and solves it. What is missing comes back as a question.',
        models: [{ model: null, summary: 'One request without a dialogue', config_schema: schema, example: EXAMPLE }],
        limits: { description_characters: MOST_CHARACTERS },
      },
    ],
  };
}
