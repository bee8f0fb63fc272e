/** Runs that come from other runs: what goes on from their end, and what repeats them with another strategy. */
import { invalid } from '../../common/validation.js';
import { SOLVING_METHODS } from '../../model/problem.js';
import type { RunRecord } from '../../model/run-record.js';
import type { RunTask } from '../../model/run-task.js';
import { noQuery } from '../fields.js';
import type { ApiParts } from '../parts.js';
import { type AnyRoute, route } from '../route.js';
import { dimensionComplaint, objectivesComplaint, type StrategyChoice } from '../strategy-choice.js';
import { extendRequest, replayRequest } from './request.js';
import { found, waitFor, WAITING_ANSWERS, WAITING_HEADERS } from './waiting.js';

/**
 * @throws {ExtremumError} `invalid_request` where the strategy takes fewer dimensions, or another number of objectives.
 */
function requireSuitable(strategies: readonly StrategyChoice[], strategy: string, task: RunTask): void {
  const message =
    objectivesComplaint(strategies, strategy, task.objectives ?? 1) ??
    dimensionComplaint(strategies, strategy, task.bounds.length);
  if (message !== null) throw invalid('strategy', message);
}

/**
 * @throws {ExtremumError} `invalid_request` where a problem is to be solved by another method than its own, or a
 * function by one
 */
function requireOwnMethod({ request, ending }: RunRecord, strategy: string): void {
  const isMethod = (SOLVING_METHODS as readonly string[]).includes(strategy);
  if (request.problem === undefined) {
    if (isMethod) throw invalid('strategy', `\`strategy\` "${strategy}" solves domain problems, not functions.`);
    return;
  }
  const own = ending?.strategies.at(-1)?.name;
  if (own === undefined || strategy === own) return;
  throw invalid('strategy', `\`strategy\` must be "${own}": this domain problem has no other method.`);
}

export type SuccessorParts = Pick<ApiParts, 'runs' | 'prefix' | 'limits' | 'strategies'>;

export function successorRoutes(parts: SuccessorParts): AnyRoute[] {
  const { runs, limits, strategies } = parts;
  // The first one is the default.
  const another = strategies.at(1)?.name ?? '';
  return [
    route({
      method: 'post',
      path: '/v1/optimize/{id}/extend',
      operationId: 'extendOptimization',
      summary:
        'Go on, in a new run, from the end of one that its budget ended; 7 days later no more where CPython evaluated it, or with `fast` mathematics',
      scope: 'run',
      query: noQuery,
      body: extendRequest(limits),
      bodyExamples: {
        longer: {
          summary: 'A larger budget, for a run of a function that its budget ended',
          value: { max_evaluations: Math.min(5000, limits.maxEvaluations) },
        },
      },
      requestHeaders: WAITING_HEADERS,
      answers: WAITING_ANSWERS,
      errors: [404, 409],
      async handle({ caller, params, body, header, ids }) {
        const extended = await runs.extend(caller.account.id, params['id'] ?? '', body.max_evaluations, ids);
        return waitFor(parts, found(extended), header('prefer'));
      },
    }),
    route({
      method: 'post',
      path: '/v1/optimize/{id}/replay',
      operationId: 'replayOptimization',
      summary: 'What another strategy would have done: the same request, seed and budget, in a new run',
      scope: 'run',
      query: noQuery,
      body: replayRequest(strategies),
      bodyExamples: { other: { summary: 'Another strategy, for a run of a function', value: { strategy: another } } },
      requestHeaders: WAITING_HEADERS,
      answers: WAITING_ANSWERS,
      errors: [404],
      async handle({ caller, params, body, header, ids }) {
        const accountId = caller.account.id;
        const original = found(await runs.find(accountId, params['id'] ?? ''));
        requireOwnMethod(original, body.strategy);
        if (original.request.problem === undefined) {
          requireSuitable(strategies, body.strategy, original.request.task);
        }
        const replay = await runs.replay(accountId, original.id, body.strategy, ids);
        return waitFor(parts, found(replay), header('prefer'));
      },
    }),
  ];
}
