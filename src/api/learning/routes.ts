/** Routes to what an account has learned from its runs. */
import { ExtremumError } from '../../common/errors.js';
import { noQuery } from '../fields.js';
import type { ApiParts } from '../parts.js';
import { type AnyRoute, route } from '../route.js';
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
      query: noQuery,
      body: null,
      answers: { 200: { description: 'Nearest first, at most 20', schema: similarAnswer } },
      errors: [404],
      async handle({ caller, params }) {
        const run = await runs.find(caller.account.id, params['optimization_id'] ?? '');
        if (run === null) throw new ExtremumError('not_found', 'There is no such optimization.');
        const data = (await learning.similar(run)).map(({ runId, distance, strategy, bestFitness }) => ({
          optimization_id: runId,
          distance,
          strategy_used: strategy,
          best_fitness: bestFitness,
        }));
        return { status: 200, body: { data } };
      },
    }),
  ];
}
