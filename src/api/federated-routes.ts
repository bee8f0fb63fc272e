/** What deployments exchange of what they learned. */
import { z } from 'zod';
import { ExtremumError } from '../common/errors.js';
import type { FederationService } from '../learning/federation/federation-service.js';
import type { Merged } from '../learning/federation/merge.js';
import { LEAST_EPSILON, MOST_EPSILON } from '../learning/federation/update.js';
import { BASE_VERSION, CLIP, UPDATE_FORMAT, type FederatedUpdate, type MergedStatistic } from '../model/federation.js';
import { pageBody } from './pagination.js';
import { route, type AnyRoute } from './route.js';
import { isoTime } from './run-representation.js';
import { noQuery, pageAnswer, pageOnlyQuery, time } from './schemas.js';
import { invalid } from '../common/validation.js';
import { STRATEGIES } from '../planner/leaders.js';
import { PROBLEM_CLASSES } from '../planner/problem-classes.js';

/** Beyond what noise makes of any number of runs. */
const MOST_RUNS = 1_000_000_000;
/** Many times what there are classes and strategies for, in its most wordy form. */
export const MAX_UPDATE_BYTES = 131_072;

const epsilon = z.number().min(LEAST_EPSILON).max(MOST_EPSILON);

const statistic = z.strictObject({
  problem_class: z.enum(PROBLEM_CLASSES),
  strategy: z.enum(STRATEGIES).describe('Who led'),
  runs: z.int().min(1).max(MOST_RUNS).describe('With noise'),
  mean_gain: z
    .number()
    .min(-CLIP)
    .max(CLIP)
    .describe('Decades of evaluations saved against what is usual in the class, with noise'),
});

const update = z
  .strictObject({
    format: z.literal(UPDATE_FORMAT),
    base_version: z.int().min(1).describe(`Of the list of classes and strategies: ${BASE_VERSION}`),
    epsilon: epsilon.describe('That was spent on it'),
    clip: z.literal(CLIP).describe('Decades: what one run may have added to a sum of gains, at most'),
    statistics: z.array(statistic).max(PROBLEM_CLASSES.length * STRATEGIES.length),
  })
  .meta({ id: 'FederatedUpdate' });

type WrittenUpdate = z.infer<typeof update>;

const exportRequest = z.strictObject({
  epsilon: epsilon.describe('How much the update may tell of any one run: smaller tells less. It is spent'),
});

const mergedAnswer = z
  .object({
    id: z.string().meta({ pattern: '^fed_[0-9]+$' }),
    version: z.int().describe('Of what the account has learned, since this update is part of it'),
  })
  .meta({ id: 'MergedUpdate' });

const updateAnswer = z
  .object({
    id: z.string().meta({ pattern: '^fed_[0-9]+$' }),
    epsilon: z.number(),
    statistics: z.int().describe('How many'),
    sha256: z.string(),
    created_at: time,
  })
  .meta({ id: 'FederatedUpdateSummary' });

const modelAnswer = z
  .object({
    version: z.int().describe('Of what the account has learned, when the model last changed; 0: it never did'),
    updates: z.int().describe('That it is made of'),
    problem_classes: z.array(
      z.object({
        name: z.string(),
        strategies: z.array(
          z.object({
            name: z.string(),
            weight: z.number().describe('Runs, less what the noise makes them worth less'),
            mean_gain: z.number(),
          }),
        ),
      }),
    ),
    epsilon: z.object({
      spent: z.number().describe('By all exports of the account'),
      limit: z.number(),
    }),
  })
  .meta({ id: 'FederatedModel' });

const BUDGET_HEADERS = {
  'X-Epsilon-Spent': 'By all exports of the account, this one included',
  'X-Epsilon-Limit': 'That they may not go beyond',
};

function written({ epsilon: spent, statistics }: FederatedUpdate): WrittenUpdate {
  return {
    format: UPDATE_FORMAT,
    base_version: BASE_VERSION,
    epsilon: spent,
    clip: CLIP,
    statistics: statistics.map(({ cell, runs, meanGain }) => ({ ...namesOf(cell), runs, mean_gain: meanGain })),
  };
}

const namesOf = (cell: number): { problem_class: string; strategy: string } => ({
  problem_class: PROBLEM_CLASSES[Math.floor(cell / STRATEGIES.length)]!,
  strategy: STRATEGIES[cell % STRATEGIES.length]!,
});

/** @throws {ExtremumError} `conflict` where it is of another version; `invalid_request` where it says something twice. */
function read({ base_version, epsilon: spent, statistics }: WrittenUpdate): FederatedUpdate {
  if (base_version !== BASE_VERSION) {
    const message =
      `The update is of version ${base_version} of the list of classes and strategies; ` +
      `this service knows version ${BASE_VERSION}. Both deployments must run versions of the service that share one.`;
    throw new ExtremumError('conflict', message, { field: 'base_version' });
  }
  const known = new Set<number>();
  const own = statistics.map(({ problem_class, strategy, runs, mean_gain }, k) => {
    const cell = PROBLEM_CLASSES.indexOf(problem_class) * STRATEGIES.length + STRATEGIES.indexOf(strategy);
    const field = `statistics[${k}]`;
    if (known.has(cell)) throw invalid(field, `\`${field}\` repeats a class and strategy of an earlier one.`);
    known.add(cell);
    return { cell, runs, meanGain: mean_gain };
  });
  return { epsilon: spent, statistics: own.sort((a, b) => a.cell - b.cell) };
}

function classesOf(statistics: readonly MergedStatistic[]): object[] {
  const classes = new Map<string, object[]>();
  for (const { cell, weight, meanGain } of statistics) {
    const { problem_class: name, strategy } = namesOf(cell);
    const strategies = classes.get(name) ?? [];
    strategies.push({ name: strategy, weight, mean_gain: meanGain });
    classes.set(name, strategies);
  }
  return [...classes].map(([name, strategies]) => ({ name, strategies }));
}

const represent = ({ id, at, sha256, update: { epsilon: spent, statistics } }: Merged): object => ({
  id,
  epsilon: spent,
  statistics: statistics.length,
  sha256,
  created_at: isoTime(at),
});

export function federatedRoutes(federation: FederationService): AnyRoute[] {
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
