/** Studies: objectives that the client evaluates itself, asked for candidates and told their values. */
import type { z } from 'zod';
import { ExtremumError } from '../../common/errors.js';
import { invalid } from '../../common/validation.js';
import type { StudyRecord } from '../../model/study.js';
import { suits } from '../../strategies/suitability.js';
import { pointId, serialOf } from '../../studies/point-ids.js';
import type { StudyResult } from '../../studies/study.js';
import { effectiveSettings } from '../configuration/settings.js';
import { noQuery } from '../fields.js';
import { pageAnswer, pageBody, pageOnlyQuery } from '../pagination.js';
import type { ApiParts } from '../parts.js';
import { type AnyRoute, route } from '../route.js';
import { drawSeed } from '../seed.js';
import type { StrategyChoice } from '../strategy-choice.js';
import {
  askAnswer,
  represent,
  representBest,
  representPoint,
  studyAnswer,
  studyBestAnswer,
  studyPointAnswer,
  tellAnswer,
} from './answer.js';
import { askRequest, MAX_STUDY_EVALUATIONS, studyRequest, tellRequest, type ToldResult } from './request.js';

function there<T>(found: T | null): T {
  if (found === null) throw new ExtremumError('not_found', 'There is no such study.');
  return found;
}

/** @throws {ExtremumError} `invalid_request` where it does not fit the study. */
function resultOf({ id, solution, values, failed }: ToldResult, i: number, study: StudyRecord): StudyResult {
  const field = `results[${i}]`;
  const wanted = study.directions.length;
  if (values !== undefined && values.length !== wanted) {
    throw invalid(
      `${field}.values`,
      `\`${field}.values\` must have one number per objective, ${wanted}, not ${values.length}.`,
    );
  }
  const told = failed === true || values === undefined ? null : values;
  if (solution === undefined) {
    const serial = serialOf(study.id, id ?? '');
    if (serial === 0) throw invalid(`${field}.id`, `\`${field}.id\` is no point of this study.`);
    return { point: serial, values: told };
  }
  const { bounds } = study;
  if (solution.length !== bounds.length) {
    const message = `\`${field}.solution\` has ${solution.length} numbers, \`bounds\` has ${bounds.length} pairs.`;
    throw invalid(`${field}.solution`, message);
  }
  const outside = solution.findIndex((x, k) => x < bounds[k][0] || x > bounds[k][1]);
  if (outside >= 0) {
    const place = `${field}.solution[${outside}]`;
    throw invalid(
      place,
      `\`${place}\` = ${solution[outside]} lies outside its bounds [${bounds[outside].join(', ')}].`,
    );
  }
  return { point: solution, values: told };
}

function defaultStrategy(strategies: readonly StrategyChoice[], objectives: number): string {
  const first = strategies.find((choice) => suits(choice, { objectives }));
  if (first === undefined) throw new Error(`no strategy takes ${objectives} objectives`);
  return first.name;
}

/** The study that is asked for; what the request leaves open is decided here. */
function studyOf(
  body: z.output<ReturnType<typeof studyRequest>>,
  maxEvaluations: number,
  strategies: readonly StrategyChoice[],
): Omit<StudyRecord, 'id' | 'accountId' | 'createdAt'> {
  return {
    bounds: body.bounds,
    directions: body.directions ?? Array.from({ length: body.objectives }, () => 'minimize' as const),
    strategy: body.strategy ?? defaultStrategy(strategies, body.objectives),
    seed: body.seed ?? drawSeed(),
    maxEvaluations: body.max_evaluations ?? Math.min(maxEvaluations, MAX_STUDY_EVALUATIONS),
    metadata: body.metadata ?? {},
  };
}

export function studyRoutes({
  studies,
  settings,
  limits,
  callingStrategies: strategies,
}: Pick<ApiParts, 'studies' | 'settings' | 'limits' | 'callingStrategies'>): AnyRoute[] {
  const record = { description: 'The study', schema: studyAnswer };

  return [
    route({
      method: 'post',
      path: '/v1/studies',
      operationId: 'createStudy',
      summary: 'Begin a study: an objective that the client evaluates itself',
      scope: 'run',
      query: noQuery,
      body: studyRequest(limits, strategies),
      bodyExamples: {
        oven: {
          summary: 'Two variables, one value to be made small',
          value: {
            bounds: [
              [150, 250],
              [10, 60],
            ],
            max_evaluations: 40,
            seed: 1,
            metadata: { what: 'oven' },
          },
        },
      },
      answers: { 201: { ...record, headers: { Location: 'Its path' } } },
      errors: [],
      async handle({ caller, body, ids }) {
        const accountId = caller.account.id;
        const own = effectiveSettings(await settings.accountSettings(accountId), limits);
        const made = await studies.create(accountId, studyOf(body, own.maxEvaluations, strategies), ids);
        return { status: 201, headers: { Location: `/v1/studies/${made.study.id}` }, body: represent(made) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/studies',
      operationId: 'listStudies',
      summary: 'List studies, newest first',
      scope: 'read',
      query: pageOnlyQuery,
      body: null,
      answers: { 200: { description: 'A page of studies', schema: pageAnswer(studyAnswer) } },
      errors: [],
      async handle({ caller, query }) {
        return { status: 200, body: pageBody(await studies.list(caller.account.id, query), query, represent) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/studies/{id}',
      operationId: 'getStudy',
      summary: 'One study',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: { 200: record },
      errors: [404],
      async handle({ caller, params }) {
        return { status: 200, body: represent(there(await studies.find(caller.account.id, params['id'] ?? ''))) };
      },
    }),
    route({
      method: 'delete',
      path: '/v1/studies/{id}',
      operationId: 'deleteStudy',
      summary: 'Delete a study with all of its results',
      scope: 'run',
      query: noQuery,
      body: null,
      answers: { 204: { description: 'Deleted' } },
      errors: [404],
      async handle({ caller, params }) {
        there((await studies.remove(caller.account.id, params['id'] ?? '')) || null);
        return { status: 204 };
      },
    }),
    route({
      method: 'post',
      path: '/v1/studies/{id}/ask',
      operationId: 'askStudy',
      summary: 'Get candidates to evaluate; they stay open until they are told',
      scope: 'run',
      query: noQuery,
      body: askRequest,
      bodyExamples: { some: { summary: 'Two candidates', value: { count: 2 } } },
      answers: { 200: { description: 'The candidates', schema: askAnswer } },
      errors: [404, 409],
      async handle({ caller, params, body, ids }) {
        const id = params['id'] ?? '';
        const { candidates, left } = there(await studies.ask(caller.account.id, id, body.count, ids));
        const named = candidates.map(({ serial, solution }) => ({
          id: pointId(id, serial),
          solution: Array.from(solution),
        }));
        return { status: 200, body: { candidates: named, remaining: left } };
      },
    }),
    route({
      method: 'post',
      path: '/v1/studies/{id}/tell',
      operationId: 'tellStudy',
      summary: 'Tell results, of candidates or of any other points: all of them are taken, or none',
      scope: 'run',
      query: noQuery,
      body: tellRequest(limits),
      bodyExamples: {
        point: {
          summary: 'A point of your own, by its variables',
          value: { results: [{ solution: [180, 30], values: [0.7] }] },
        },
      },
      answers: { 200: { description: 'How many were new', schema: tellAnswer } },
      errors: [404, 409],
      async handle({ caller, params, body, ids }) {
        const results = (study: StudyRecord): StudyResult[] =>
          body.results.map((result, i) => resultOf(result, i, study));
        const told = await studies.tell(caller.account.id, params['id'] ?? '', results, ids);
        return { status: 200, body: there(told) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/studies/{id}/points',
      operationId: 'listStudyPoints',
      summary: 'The points of a study, asked and told, the latest first',
      scope: 'read',
      query: pageOnlyQuery,
      body: null,
      answers: { 200: { description: 'A page of points', schema: pageAnswer(studyPointAnswer) } },
      errors: [404],
      async handle({ caller, params, query }) {
        const id = params['id'] ?? '';
        const page = there(await studies.points(caller.account.id, id, query));
        return { status: 200, body: pageBody(page, query, representPoint(id)) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/studies/{id}/best',
      operationId: 'getStudyBest',
      summary: 'The best point of a study so far, or its front',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: {
        200: {
          description: 'The point and its value, null until there is one; of several objectives the front',
          schema: studyBestAnswer,
        },
      },
      errors: [404],
      async handle({ caller, params }) {
        const body = representBest(there(await studies.best(caller.account.id, params['id'] ?? '')));
        return { status: 200, body };
      },
    }),
  ];
}
