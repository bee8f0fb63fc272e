/** Routes by which deployments exchange what they learned. */
import { ExtremumError } from '../../common/errors.js';
import { noQuery } from '../fields.js';
import { pageAnswer, pageBody, pageOnlyQuery } from '../pagination.js';
import type { ApiParts } from '../parts.js';
import { type AnyRoute, route } from '../route.js';
import { classesOf, mergedAnswer, modelAnswer, represent, updateAnswer } from './answer.js';
import { exportRequest } from './request.js';
import { MAX_UPDATE_BYTES, read, update, written } from './update.js';

const BUDGET_HEADERS = {
  'X-Epsilon-Spent': 'By all exports of the account, this one included',
  'X-Epsilon-Limit': 'That they may not go beyond',
};

export function federatedRoutes({ federation }: Pick<ApiParts, 'federation'>): AnyRoute[] {
  return [
    route({
      method: 'get',
      path: '/v1/federated/model',
      operationId: 'getFederatedModel',
      summary: 'What other deployments taught, and what of the budget of epsilon is spent',
      scope: 'admin',
      query: noQuery,
      body: null,
      answers: { 200: { description: 'By class of problems', schema: modelAnswer } },
      errors: [],
      async handle({ caller }) {
        const { version, updates, statistics, budget } = await federation.model(caller.account.id);
        return { status: 200, body: { version, updates, problem_classes: classesOf(statistics), epsilon: budget } };
      },
    }),
    route({
      method: 'post',
      path: '/v1/federated/export',
      operationId: 'exportFederatedUpdate',
      summary: 'Make the update of this deployment, of what it learned since the last one',
      scope: 'admin',
      query: noQuery,
      body: exportRequest,
      bodyExamples: { careful: { summary: 'Tells little of any one run', value: { epsilon: 0.5 } } },
      answers: {
        200: { description: 'For `POST /v1/federated/updates` of others', schema: update, headers: BUDGET_HEADERS },
      },
      errors: [409],
      async handle({ caller, body, ids }) {
        const { update: made, budget } = await federation.export(caller.account.id, body.epsilon, ids);
        const headers = { 'X-Epsilon-Spent': String(budget.spent), 'X-Epsilon-Limit': String(budget.limit) };
        return { status: 200, headers, body: written(made) };
      },
    }),
    route({
      method: 'post',
      path: '/v1/federated/updates',
      operationId: 'mergeFederatedUpdate',
      summary: 'Make the update of another deployment part of the model',
      scope: 'admin',
      query: noQuery,
      body: update,
      bodyExamples: {
        empty: {
          summary: 'Of a deployment that has learned nothing yet',
          value: written({ epsilon: 0.5, statistics: [] }),
        },
      },
      maxBodyBytes: MAX_UPDATE_BYTES,
      answers: { 201: { description: 'It is part of the model', schema: mergedAnswer } },
      errors: [409],
      async handle({ caller, body, ids }) {
        return { status: 201, body: await federation.merge(caller.account.id, read(body), ids) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/federated/updates',
      operationId: 'listFederatedUpdates',
      summary: 'List the updates that the model is made of, newest first',
      scope: 'admin',
      query: pageOnlyQuery,
      body: null,
      answers: { 200: { description: 'A page of updates', schema: pageAnswer(updateAnswer) } },
      errors: [],
      async handle({ caller, query }) {
        const page = await federation.list(caller.account.id, query);
        return { status: 200, body: pageBody(page, query, represent) };
      },
    }),
    route({
      method: 'delete',
      path: '/v1/federated/updates/{id}',
      operationId: 'revokeFederatedUpdate',
      summary: 'Make the model again without an update',
      scope: 'admin',
      query: noQuery,
      body: null,
      answers: { 204: { description: 'It is no longer part of the model' } },
      errors: [404],
      async handle({ caller, params, ids }) {
        if (await federation.revoke(caller.account.id, params['id'] ?? '', ids)) return { status: 204 };
        throw new ExtremumError('not_found', 'There is no such update.');
      },
    }),
  ];
}
