/** Business problems by domain. Their runs are optimizations like any other: `/v1/optimize/{id}`. */
import { ExtremumError } from '../../common/errors.js';
import { nearMatch } from '../../common/near-match.js';
import { PROBLEM_TYPES } from '../../domains/registry.js';
import { REQUEST_DOMAINS, type RequestDomain } from '../../model/problem.js';
import { noQuery } from '../fields.js';
import { waitFor, WAITING_ANSWERS, WAITING_HEADERS } from '../optimize/waiting.js';
import { pageAnswer, pageBody, pageIn, pageOnlyQuery } from '../pagination.js';
import type { ApiParts } from '../parts.js';
import { type AnyRoute, type BodyExample, route } from '../route.js';
import { domainAnswer } from './answer.js';
import { configJsonSchema, describeDomain } from './description.js';
import { problemRequest } from './request.js';
import { problemSubmission } from './submission.js';

export type SolvingParts = Pick<ApiParts, 'runs' | 'prefix' | 'settings' | 'limits' | 'pythonMinor'>;

/** @throws {ExtremumError} `not_found` */
function domainNamed(name: string | undefined): RequestDomain {
  const found = REQUEST_DOMAINS.find((domain) => domain === name);
  if (found !== undefined) return found;
  const near = nearMatch(name ?? '', REQUEST_DOMAINS);
  const hint = near === null ? '' : ` Did you mean ${near}?`;
  throw new ExtremumError('not_found', `There is no such domain; there are ${REQUEST_DOMAINS.join(', ')}.${hint}`);
}

/** One request for each model. */
const EXAMPLES: Readonly<Record<string, BodyExample>> = Object.fromEntries(
  PROBLEM_TYPES.flatMap((type) =>
    type.models.map((model): [string, BodyExample] => [
      [type.name, ...(model.name === null ? [] : [model.name])].join('.'),
      {
        summary: `${type.domain}: ${type.title}${model.name === null ? '' : ` (${model.name})`}`,
        value: { problem_type: type.name, config: model.example },
      },
    ]),
  ),
);

/**
 * By problem type and model. As components they would be hundreds of nested closed objects, which generators of clients
 * cannot read.
 */
const configSchemas = (): Record<string, object> =>
  Object.fromEntries(
    PROBLEM_TYPES.map((type) => [
      type.name,
      Object.fromEntries(type.models.map((model) => [model.name ?? type.name, configJsonSchema(type, model)])),
    ]),
  );

export function domainRoutes(parts: SolvingParts): AnyRoute[] {
  const { runs, settings, limits, pythonMinor } = parts;
  return [
    route({
      method: 'get',
      path: '/v1/domains',
      operationId: 'listDomains',
      summary: 'Domains, their problem types, schemas of configs, an example of each',
      scope: 'read',
      query: pageOnlyQuery,
      body: null,
      answers: { 200: { description: 'A page of domains', schema: pageAnswer(domainAnswer) } },
      errors: [],
      handle: async ({ query }) => ({
        status: 200,
        body: pageBody(pageIn(REQUEST_DOMAINS, query), query, describeDomain),
      }),
    }),
    route({
      method: 'get',
      path: '/v1/domains/{domain}',
      operationId: 'getDomain',
      summary: 'The problem types of one domain',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: { 200: { description: 'The domain', schema: domainAnswer } },
      errors: [404],
      handle: async ({ params }) => ({ status: 200, body: describeDomain(domainNamed(params['domain'])) }),
    }),
    route({
      method: 'post',
      path: '/v1/domains/{domain}/optimize',
      operationId: 'optimizeDomain',
      summary: 'Solve a business problem by the method that proves its answer, where there is one',
      scope: 'run',
      query: noQuery,
      body: problemRequest(limits),
      bodyExamples: EXAMPLES,
      extensions: () => ({ 'x-config-schemas': configSchemas() }),
      requestHeaders: WAITING_HEADERS,
      answers: WAITING_ANSWERS,
      errors: [404],
      async handle({ caller, params, body, header, ids }) {
        const domain = domainNamed(params['domain']);
        const accountId = caller.account.id;
        const own = await settings.accountSettings(accountId);
        const submission = problemSubmission(domain, body, own, { limits, pythonMinor });
        return waitFor(parts, await runs.submit(accountId, submission, ids), header('prefer'));
      },
    }),
  ];
}
