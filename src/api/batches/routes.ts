/** Many optimizations in one request: all of them are accepted, or none. */
import { ExtremumError } from '../../common/errors.js';
import type { BatchState } from '../../model/batch.js';
import type { FunctionRecord } from '../../model/function-record.js';
import type { Submission } from '../../runs/submissions.js';
import { noQuery } from '../fields.js';
import { OPTIMIZE_EXAMPLES, type OptimizeRequest } from '../optimize/request.js';
import { submissionOf, type SubmissionParts } from '../optimize/submission.js';
import { pageAnswer, pageBody, pageOnlyQuery } from '../pagination.js';
import type { ApiParts } from '../parts.js';
import { type AnyRoute, route } from '../route.js';
import { batchAnswer, represent } from './answer.js';
import { batchRequest } from './request.js';

function there(found: BatchState | null): BatchState {
  if (found === null) throw new ExtremumError('not_found', 'There is no such batch.');
  return found;
}

/** A refusal of one request, named by its place. */
function within(index: number, error: unknown): unknown {
  if (!(error instanceof ExtremumError) || error.field === undefined) return error;
  const { code, message, facts, retryable } = error;
  return new ExtremumError(code, message, {
    field: `requests[${index}].${error.field}`,
    facts,
    retryable,
    cause: error,
  });
}

type BatchParts = SubmissionParts & Pick<ApiParts, 'runs' | 'settings' | 'learning' | 'strategies'>;

export function batchRoutes(parts: BatchParts): AnyRoute[] {
  const { runs, functions, settings, limits } = parts;
  const record = { description: 'The batch', schema: batchAnswer };

  async function submissions(accountId: string, requests: readonly OptimizeRequest[]): Promise<Submission[]> {
    const own = await settings.accountSettings(accountId);
    const found = new Map<string, Promise<FunctionRecord | null>>();
    const learned = parts.learning.reader(accountId);
    const made: Submission[] = [];
    for (const [index, body] of requests.entries()) {
      const id = body.objective_function_id;
      const objective = (id === undefined ? undefined : found.get(id)) ?? functionOf(accountId, id);
      if (id !== undefined) found.set(id, objective);
      try {
        made.push(await submissionOf(body, await objective, own, learned, parts));
      } catch (error) {
        throw within(index, error);
      }
    }
    return made;
  }

  const functionOf = async (accountId: string, id: string | undefined): Promise<FunctionRecord | null> =>
    id === undefined ? null : functions.find(accountId, id);

  return [
    route({
      method: 'post',
      path: '/v1/batch',
      operationId: 'createBatch',
      summary: 'Run up to 1,000 optimizations; one bad request refuses all',
      scope: 'run',
      query: noQuery,
      body: batchRequest(limits, parts.strategies),
      bodyExamples: {
        problems: {
          summary: 'Two runs of a business problem',
          value: { requests: [OPTIMIZE_EXAMPLES.problem.value, OPTIMIZE_EXAMPLES.problem.value] },
        },
      },
      answers: { 201: { ...record, headers: { Location: 'Its path' } } },
      errors: [],
      async handle({ caller, body, ids }) {
        const accountId = caller.account.id;
        const state = await runs.submitBatch(accountId, await submissions(accountId, body.requests), ids);
        return { status: 201, headers: { Location: `/v1/batch/${state.batch.id}` }, body: represent(state) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/batch',
      operationId: 'listBatches',
      summary: 'List batches, newest first',
      scope: 'read',
      query: pageOnlyQuery,
      body: null,
      answers: { 200: { description: 'A page of batches', schema: pageAnswer(batchAnswer) } },
      errors: [],
      async handle({ caller, query }) {
        return { status: 200, body: pageBody(await runs.listBatches(caller.account.id, query), query, represent) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/batch/{id}',
      operationId: 'getBatch',
      summary: 'One batch',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: { 200: record },
      errors: [404],
      async handle({ caller, params }) {
        return { status: 200, body: represent(there(await runs.findBatch(caller.account.id, params['id'] ?? ''))) };
      },
    }),
    route({
      method: 'post',
      path: '/v1/batch/{id}/cancel',
      operationId: 'cancelBatch',
      summary: 'Cancel whatever of a batch has not ended',
      scope: 'run',
      query: noQuery,
      body: null,
      answers: { 200: record },
      errors: [404, 409],
      async handle({ caller, params }) {
        return { status: 200, body: represent(there(await runs.cancelBatch(caller.account.id, params['id'] ?? ''))) };
      },
    }),
  ];
}
