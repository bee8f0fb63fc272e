/** Functions: uploaded objectives. */
import { ExtremumError } from '../../common/errors.js';
import type { FunctionRecord } from '../../model/function-record.js';
import type { EvaluationLimits } from '../../model/objective.js';
import { noQuery } from '../fields.js';
import { pageAnswer, pageBody, pageOnlyQuery } from '../pagination.js';
import type { ApiParts } from '../parts.js';
import { type AnyRoute, route } from '../route.js';
import { evaluateAnswer, functionSummary, functionWithCode, represent, representEvaluation } from './answer.js';
import { evaluateRequest, functionRequest, type WantedLimits } from './request.js';

/** What is not asked for is left out. */
const limitsOf = ({ seconds, memory_bytes: memoryBytes }: WantedLimits): EvaluationLimits => ({
  ...(seconds === undefined ? {} : { seconds }),
  ...(memoryBytes === undefined ? {} : { memoryBytes }),
});

const VALLEY = `def valley(x):
    return sum(100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in range(len(x) - 1))
`;
const SIMULATION = `import time

def simulation(x):
    time.sleep(0.05)
    return sum((v - 0.5) ** 2 for v in x)
`;

export function functionRoutes({ functions, limits }: Pick<ApiParts, 'functions' | 'limits'>): AnyRoute[] {
  const found = async (accountId: string, id: string | undefined): Promise<FunctionRecord> => {
    const record = await functions.find(accountId, id ?? '');
    if (record === null) throw new ExtremumError('not_found', 'There is no such function.');
    return record;
  };

  return [
    route({
      method: 'post',
      path: '/v1/functions',
      operationId: 'uploadFunction',
      summary: 'Upload an objective function',
      scope: 'run',
      query: noQuery,
      body: functionRequest(limits),
      bodyExamples: {
        valley: {
          summary: "Rosenbrock's valley, in any number of variables",
          value: { name: 'valley', code: VALLEY, language: 'python' },
        },
        simulation: {
          summary: 'A slow one, whose calls several processes may share',
          value: {
            name: 'simulation',
            code: SIMULATION,
            language: 'python',
            stateless: true,
            evaluation_limits: { seconds: Math.min(5, limits.pythonLimits.mostEvaluationSeconds) },
          },
        },
      },
      answers: { 201: { description: 'The function', schema: functionSummary, headers: { Location: 'Its path' } } },
      errors: [],
      async handle({ caller, body, ids }) {
        const { evaluation_limits: wanted, ...upload } = body;
        const evaluationLimits = wanted && limitsOf(wanted);
        const record = await functions.upload(caller.account.id, { ...upload, evaluationLimits }, ids);
        return { status: 201, headers: { Location: `/v1/functions/${record.id}` }, body: represent(record) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/functions',
      operationId: 'listFunctions',
      summary: 'List functions, newest first',
      scope: 'read',
      query: pageOnlyQuery,
      body: null,
      answers: { 200: { description: 'A page of functions', schema: pageAnswer(functionSummary) } },
      errors: [],
      async handle({ caller, query }) {
        const page = await functions.list(caller.account.id, query);
        return { status: 200, body: pageBody(page, query, represent) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/functions/{id}',
      operationId: 'getFunction',
      summary: 'One function with its code',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: { 200: { description: 'The function', schema: functionWithCode } },
      errors: [404],
      async handle({ caller, params }) {
        const record = await found(caller.account.id, params['id']);
        return {
          status: 200,
          body: { ...represent(record), analysis: record.analysis ?? null, code: record.source.code },
        };
      },
    }),
    route({
      method: 'delete',
      path: '/v1/functions/{id}',
      operationId: 'deleteFunction',
      summary: 'Delete a function; its runs keep their own copy',
      scope: 'run',
      query: noQuery,
      body: null,
      answers: { 204: { description: 'Deleted' } },
      errors: [404],
      async handle({ caller, params }) {
        if (!(await functions.remove(caller.account.id, params['id'] ?? ''))) {
          throw new ExtremumError('not_found', 'There is no such function.');
        }
        return { status: 204 };
      },
    }),
    route({
      method: 'post',
      path: '/v1/functions/{id}/evaluate',
      operationId: 'evaluateFunction',
      summary: 'Evaluate a function at given points',
      scope: 'run',
      query: noQuery,
      body: evaluateRequest(limits),
      bodyExamples: {
        points: {
          summary: 'Two points of two variables',
          value: {
            points: [
              [1, 1],
              [0.5, -2],
            ],
          },
        },
      },
      answers: { 200: { description: 'Values and errors, one per point', schema: evaluateAnswer } },
      errors: [404],
      async handle({ caller, params, body }) {
        const record = await found(caller.account.id, params['id']);
        const evaluation = await functions.evaluate(record, body.points, body.objectives);
        return { status: 200, body: representEvaluation(evaluation) };
      },
    }),
  ];
}
