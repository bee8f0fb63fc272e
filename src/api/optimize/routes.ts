/** Optimizations. */
import { invalid, shown } from '../../common/validation.js';
import type { RunRecord } from '../../model/run-record.js';
import { noQuery } from '../fields.js';
import { pageAnswer, pageBody } from '../pagination.js';
import type { ApiParts } from '../parts.js';
import { type AnyRoute, route } from '../route.js';
import { runAnswer } from './answer.js';
import { type CourseParts, courseRoutes } from './course-routes.js';
import { runsDeletedAnswer } from './deletion-answer.js';
import {
  OPTIMIZE_EXAMPLES,
  metadataRequest,
  optimizeRequest,
  orderOf,
  runDeletionQuery,
  type RunListQuery,
  runListQuery,
} from './request.js';
import { submissionOf, type SubmissionParts } from './submission.js';
import { listedAnswer, representSummary } from './summary-answer.js';
import { type SuccessorParts, successorRoutes } from './successor-routes.js';
import { found, noSuchRun, represent, waitFor, WAITING_ANSWERS, WAITING_HEADERS } from './waiting.js';

/** A condition of `q` and a parameter may say the same. */
function filterOf({ q, status, strategy, objective_function_id: functionId }: RunListQuery) {
  const given = { status, strategy, functionId };
  for (const key of ['status', 'strategy', 'functionId'] as const) {
    const own = q?.[key];
    if (own === undefined || given[key] === undefined || own === given[key]) continue;
    const name = key === 'functionId' ? 'objective_function_id' : key;
    throw invalid('q', `\`q\` asks for ${shown(own)}, and \`${name}\` for ${shown(given[key])}.`);
  }
  return {
    status: q?.status ?? status,
    strategy: q?.strategy ?? strategy,
    functionId: q?.functionId ?? functionId,
    limits: q?.limits,
    words: q?.words,
  };
}

type RecordParts = SubmissionParts & Pick<ApiParts, 'runs' | 'prefix' | 'settings' | 'learning' | 'strategies'>;
type OptimizeParts = RecordParts & SuccessorParts & CourseParts;

export function optimizeRoutes(parts: OptimizeParts): AnyRoute[] {
  return [...recordRoutes(parts), ...successorRoutes(parts), ...courseRoutes(parts)];
}

function recordRoutes(parts: RecordParts): AnyRoute[] {
  const { runs, functions, limits } = parts;
  const record = { description: 'The optimization', schema: runAnswer };
  const one = async (run: RunRecord | null) => ({ status: 200 as const, body: await represent(parts, found(run)) });

  return [
    route({
      method: 'post',
      path: '/v1/optimize',
      operationId: 'optimize',
      summary: 'Run an optimization',
      scope: 'run',
      query: noQuery,
      body: optimizeRequest(limits, parts.strategies),
      bodyExamples: OPTIMIZE_EXAMPLES,
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
        return waitFor(parts, submitted, header('prefer'));
      },
    }),
    route({
      method: 'get',
      path: '/v1/optimize',
      operationId: 'listOptimizations',
      summary: 'List optimizations, newest first or by `sort`; filter and search them',
      scope: 'read',
      query: runListQuery(parts.strategies),
      body: null,
      answers: {
        200: {
          description: 'A page of optimizations, or with `view=summary` of summaries',
          schema: pageAnswer(listedAnswer),
        },
      },
      errors: [],
      async handle({ caller, query }) {
        const accountId = caller.account.id;
        const filter = filterOf(query);
        const page = { limit: query.limit, offset: query.offset, order: orderOf(query.sort) };
        if (query.view === 'summary') {
          return {
            status: 200,
            body: pageBody(await runs.listSummaries(accountId, filter, page), query, representSummary),
          };
        }
        const { items: found, total } = await runs.list(accountId, filter, page);
        const items = await Promise.all(found.map((run) => represent(parts, run, true)));
        return { status: 200, body: pageBody({ items, total }, query, (item) => item) };
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
      bodyExamples: { labels: { summary: 'Any JSON', value: { metadata: { project: 'valley', attempt: 2 } } } },
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
