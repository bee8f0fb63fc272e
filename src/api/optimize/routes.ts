/** Optimizations. */
import type { RunRecord } from '../../model/run-record.js';
import { noQuery } from '../fields.js';
import { pageAnswer, pageBody } from '../pagination.js';
import type { ApiParts } from '../parts.js';
import { type AnyRoute, route } from '../route.js';
import { runAnswer } from './answer.js';
import { type CourseParts, courseRoutes } from './course-routes.js';
import { runsDeletedAnswer } from './deletion-answer.js';
import { metadataRequest, optimizeRequest, runDeletionQuery, runListQuery } from './request.js';
import { submissionOf, type SubmissionParts } from './submission.js';
import { type SuccessorParts, successorRoutes } from './successor-routes.js';
import { found, noSuchRun, represent, waitFor, WAITING_ANSWERS, WAITING_HEADERS } from './waiting.js';

type RecordParts = SubmissionParts & Pick<ApiParts, 'runs' | 'settings' | 'learning' | 'strategies'>;
type OptimizeParts = RecordParts & SuccessorParts & CourseParts;

export function optimizeRoutes(parts: OptimizeParts): AnyRoute[] {
  return [...recordRoutes(parts), ...successorRoutes(parts), ...courseRoutes(parts)];
}

function recordRoutes(parts: RecordParts): AnyRoute[] {
  const { runs, functions, limits } = parts;
  const record = { description: 'The optimization', schema: runAnswer };
  const one = async (run: RunRecord | null) => ({ status: 200 as const, body: await represent(runs, found(run)) });

  return [
    route({
      method: 'post',
      path: '/v1/optimize',
      operationId: 'optimize',
      summary: 'Run an optimization',
      scope: 'run',
      query: noQuery,
      body: optimizeRequest(limits, parts.strategies),
      requestHeaders: WAITING_HEADERS,
      answers: WAITING_ANSWERS,
      errors: [],
      async handle({ caller, body, header, ids }) {
        const accountId = caller.account.id;
        const [own, objective] = await Promise.all([
          parts.settings.accountSettings(accountId),
          body.objective_function_id === undefined ? null : functions.find(accountId, body.objective_function_id),
        ]);
        const learned = parts.learning.reader(accountId);
        const submitted = await runs.submit(accountId, await submissionOf(body, objective, own, learned, parts), ids);
        return waitFor(runs, submitted, header('prefer'));
      },
    }),
    route({
      method: 'get',
      path: '/v1/optimize',
      operationId: 'listOptimizations',
      summary: 'List optimizations, newest first',
      scope: 'read',
      query: runListQuery,
      body: null,
      answers: { 200: { description: 'A page of optimizations', schema: pageAnswer(runAnswer) } },
      errors: [],
      async handle({ caller, query }) {
        const filter = {
          status: query.status,
          functionId: query.objective_function_id,
        };
        const page = await runs.list(caller.account.id, filter, query);
        const items = await Promise.all(page.items.map((run) => represent(runs, run, true)));
        return { status: 200, body: pageBody({ ...page, items }, query, (item) => item) };
      },
    }),
    route({
      method: 'delete',
      path: '/v1/optimize',
      operationId: 'deleteOptimizations',
      summary: 'Delete all optimizations that have ended and match; at least one filter is required',
      scope: 'run',
      query: runDeletionQuery,
      body: null,
      answers: { 200: { description: 'How many were deleted', schema: runsDeletedAnswer } },
      errors: [],
      async handle({ caller, query: { status, before } }) {
        const filter = {
          ...(status === undefined ? {} : { status }),
          ...(before === undefined ? {} : { endedBefore: Date.parse(before) }),
        };
        return { status: 200, body: { deleted: await runs.removeAll(caller.account.id, filter) } };
      },
    }),
    route({
      method: 'delete',
      path: '/v1/optimize/{id}',
      operationId: 'deleteOptimization',
      summary: 'Delete an optimization that has ended, with all that is kept of it; analytics keep its sums',
      scope: 'run',
      query: noQuery,
      body: null,
      answers: { 204: { description: 'Deleted' } },
      errors: [404, 409],
      async handle({ caller, params }) {
        if (!(await runs.remove(caller.account.id, params['id'] ?? ''))) throw noSuchRun();
        return { status: 204 };
      },
    }),
    route({
      method: 'get',
      path: '/v1/optimize/{id}',
      operationId: 'getOptimization',
      summary: 'One optimization',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: { 200: record },
      errors: [404],
      handle: async ({ caller, params }) => one(await runs.find(caller.account.id, params['id'] ?? '')),
    }),
    route({
      method: 'patch',
      path: '/v1/optimize/{id}',
      operationId: 'updateOptimization',
      summary: 'Replace the metadata of an optimization',
      scope: 'run',
      query: noQuery,
      body: metadataRequest,
      answers: { 200: record },
      errors: [404],
      handle: async ({ caller, params, body }) =>
        one(await runs.updateMetadata(caller.account.id, params['id'] ?? '', body.metadata)),
    }),
    route({
      method: 'post',
      path: '/v1/optimize/{id}/cancel',
      operationId: 'cancelOptimization',
      summary: 'Cancel an optimization; the best so far is kept',
      scope: 'run',
      query: noQuery,
      body: null,
      answers: { 200: record },
      errors: [404, 409],
      handle: async ({ caller, params }) => one(await runs.cancel(caller.account.id, params['id'] ?? '')),
    }),
  ];
}
