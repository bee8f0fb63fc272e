/** Routes to what an account has learned from its runs. */
import { ExtremumError } from '../../common/errors.js';
import type { SimilarRun } from '../../learning/learning-service.js';
import { noQuery } from '../fields.js';
import { pageAnswer, pageBody, pageIn, pageOnlyQuery } from '../pagination.js';
import type { ApiParts } from '../parts.js';
import { type Answer, type AnyRoute, route } from '../route.js';
import { learningAnswer, represent, similarAnswer } from './answer.js';

export function learningRoutes({ learning, runs }: Pick<ApiParts, 'learning' | 'runs'>): AnyRoute[] {
  return [
    route({
      method: 'get',
      path: '/v1/learning',
      operationId: 'getLearning',
      summary: 'What the runs of the account have taught',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: { 200: { description: 'By kind of problem, most runs first', schema: learningAnswer } },
      errors: [],
      handle: async ({ caller }) => ({ status: 200, body: represent(await learning.overview(caller.account.id)) }),
    }),
    route({
      method: 'delete',
      path: '/v1/learning',
      operationId: 'forgetLearning',
      summary: 'Forget what the runs of the account have taught, with all versions',
      scope: 'admin',
      query: noQuery,
      body: null,
      answers: { 204: { description: 'Forgotten' } },
      errors: [404],
      async handle({ caller }) {
        if (await learning.forget(caller.account.id)) return { status: 204 };
        throw new ExtremumError('not_found', 'There is nothing that was learned.');
      },
    }),
    route({
      method: 'get',
      path: '/v1/learning/similar/{optimization_id}',
      operationId: 'listSimilarOptimizations',
      summary: 'The runs of the account whose problems were most like that of this one',
      scope: 'read',
      query: pageOnlyQuery,
      body: null,
      answers: {
        200: { description: 'A page of the nearest 20, nearest first', schema: pageAnswer(similarAnswer) },
      },
      errors: [404],
      async handle({ caller, params, query }) {
        const run = await runs.find(caller.account.id, params['optimization_id'] ?? '');
        if (run === null) throw new ExtremumError('not_found', 'There is no such optimization.');
        const page = pageIn(await learning.similar(run), query);
        return { status: 200, body: pageBody(page, query, representSimilar) };
      },
    }),
  ];
}

const representSimilar = ({ runId, distance, strategy, bestFitness }: SimilarRun): Answer<typeof similarAnswer> => ({
  optimization_id: runId,
  distance,
  strategy_used: strategy,
  best_fitness: bestFitness,
});
