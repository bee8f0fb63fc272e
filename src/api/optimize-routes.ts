import { randomInt } from 'node:crypto';
import { ExtremumError } from '../common/errors.js';
import { explain, hasEnded, ownExplanation } from '../explanation/explain.js';
import type { Exporter } from '../exports/export-file.js';
import { FORMAT_FACTS } from '../exports/export-format.js';
import { drawVisual, visualsOf } from '../explanation/visuals/visuals.js';
import type { AccountSettings } from '../model/account-settings.js';
import type { FunctionRecord } from '../model/function-record.js';
import { SOLVING_METHODS } from '../model/problem.js';
import type { RunRecord, RunRequest } from '../model/run-record.js';
import { isFinished } from '../model/run-status.js';
import { problemSubmission } from './domains/request.js';
import { runReport } from './run-report.js';
import type { RunTask } from '../model/run-task.js';
import type { LearningService } from '../learning/learning-service.js';
import type { FunctionService } from '../runs/function-service.js';
import type { RunService, Submission } from '../runs/run-service.js';
import type { SettingsStore } from '../storage/contract/settings.js';
import { effectiveSettings } from './configuration-routes.js';
import { resolveIntelligence } from './intelligence.js';
import { pageBody } from './pagination.js';
import { route, type AnyRoute, type Reply } from './route.js';
import { LAST_EVENT_ID, parseLastEventId, runStream } from './run-stream.js';
import { found, noSuchRun, represent, WAITING_ANSWERS, WAITING_HEADERS, waitFor } from './waiting.js';
import {
  eventAnswer,
  explanationAnswer,
  explanationQuery,
  dimensionComplaint,
  extendRequest,
  historyAnswer,
  metadataRequest,
  objectivesComplaint,
  noQuery,
  optimizeRequest,
  pageAnswer,
  pictureAnswer,
  replayRequest,
  runAnswer,
  runListQuery,
  type OptimizeRequest,
  type RequestLimits,
  type StrategyChoice,
} from './schemas.js';
import { invalid } from '../common/validation.js';

export interface OptimizeParts {
  readonly runs: RunService;
  readonly functions: FunctionService;
  readonly learning: LearningService;
  readonly settings: SettingsStore;
  readonly limits: RequestLimits;
  readonly strategies: readonly StrategyChoice[];
  /** Of the Python 3 semantics that new runs get. */
  readonly pythonMinor: number;
  readonly exporter: Exporter;
  /** Of the service. */
  readonly version: string;
}

const SEED_RANGE = 2 ** 32;

/** A search over a function. */
type FunctionRequest = OptimizeRequest & Pick<Required<OptimizeRequest>, 'bounds'>;

/** Everything a request leaves open is decided here, so that the record says what really ran. */
function runRequest(body: FunctionRequest, own: AccountSettings, parts: OptimizeParts): RunRequest {
  const { strategy } = body;
  const settings = effectiveSettings(own, parts.limits);
  const preset = body.preset ?? settings.preset;
  const intelligence = resolveIntelligence(preset, body.intelligence_config, body.tetrad_config);
  return {
    task: {
      bounds: body.bounds,
      maxEvaluations: body.max_evaluations ?? settings.maxEvaluations,
      seed: body.seed ?? randomInt(SEED_RANGE),
      direction: body.direction ?? 'minimize',
      mode: body.mode ?? settings.mode,
      ...(strategy === undefined ? {} : { strategy }),
      ...(body.objectives === 1 ? {} : { objectives: body.objectives }),
      ...(body.reference_point === undefined ? {} : { referencePoint: body.reference_point }),
      isPlanned: intelligence.agentic,
      timeoutSeconds: body.timeout_seconds ?? settings.timeoutSeconds,
      ...(body.target_fitness === undefined ? {} : { targetFitness: body.target_fitness }),
      ...(body.stagnation_evaluations === undefined ? {} : { stagnationEvaluations: body.stagnation_evaluations }),
      ...(body.initial_solution === undefined ? {} : { initialSolution: body.initial_solution }),
      ...(intelligence.interpretable ? { explanationLevel: intelligence.explanationLevel } : {}),
    },
    preset,
    intelligence,
    blackBox: body.black_box,
    math: body.math,
    pythonMinor: parts.pythonMinor,
  };
}

/** @throws {ExtremumError} where what is asked for cannot be run. */
export async function submissionOf(
  body: OptimizeRequest,
  objective: FunctionRecord | null,
  own: AccountSettings,
  learned: ReturnType<LearningService['reader']>,
  parts: OptimizeParts,
): Promise<Submission> {
  const { bounds, domain } = body;
  if (domain !== undefined) {
    const { problem_type = '', config } = body;
    return problemSubmission(domain, { ...body, problem_type, config }, own, parts);
  }
  if (bounds === undefined) throw invalid('bounds', '`bounds` is required.');
  const request = runRequest({ ...body, bounds }, own, parts);
  if (objective === null) {
    throw invalid('objective_function_id', '`objective_function_id` names no function of this account.');
  }
  const { objectives: results } = body;
  const source = results === 1 ? objective.source : { ...objective.source, results };
  await parts.functions.requireRunnable({ ...objective, source }, request.task.bounds.length);
  // Without adaptive intelligence nothing is used and nothing learned.
  const { shape } = objective;
  const given = request.intelligence.adaptive
    ? { learned: { ...(await learned(body.learned_version)), ...(shape === undefined ? {} : { shape }) } }
    : {};
  return {
    functionId: objective.id,
    source,
    request: { ...request, ...given },
    metadata: body.metadata ?? {},
  };
}

const one = async (runs: RunService, run: RunRecord | null): Promise<Reply> => ({
  status: 200,
  body: await represent(runs, found(run)),
});

/** @throws {ExtremumError} `invalid_request` where the strategy takes fewer dimensions, or another number of objectives. */
function requireSuitable(strategies: readonly StrategyChoice[], strategy: string, task: RunTask): void {
  const message =
    objectivesComplaint(strategies, strategy, task.objectives ?? 1) ??
    dimensionComplaint(strategies, strategy, task.bounds.length);
  if (message !== null) throw invalid('strategy', message);
}

/** @throws {ExtremumError} `invalid_request` where a problem is to be solved by another method than its own, or a function by one */
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

/** Whether PNG is asked for by name, and SVG is not. */
function wantsPng(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((range) => (range.split(';')[0] ?? '').trim().toLowerCase());
  return types.includes('image/png') && !types.includes('image/svg+xml');
}

export function optimizeRoutes(parts: OptimizeParts): AnyRoute[] {
  const { runs, functions, limits } = parts;
  const record = { description: 'The optimization', schema: runAnswer };

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
          ...(query.status === undefined ? {} : { status: query.status }),
          ...(query.objective_function_id === undefined ? {} : { functionId: query.objective_function_id }),
        };
        const page = await runs.list(caller.account.id, filter, query);
        const items = await Promise.all(page.items.map((run) => represent(runs, run, true)));
        return { status: 200, body: pageBody({ ...page, items }, query, (item) => item) };
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
      handle: async ({ caller, params }) => one(runs, await runs.find(caller.account.id, params['id'] ?? '')),
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
        one(runs, await runs.updateMetadata(caller.account.id, params['id'] ?? '', body.metadata)),
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
      handle: async ({ caller, params }) => one(runs, await runs.cancel(caller.account.id, params['id'] ?? '')),
    }),
    route({
      method: 'post',
      path: '/v1/optimize/{id}/extend',
      operationId: 'extendOptimization',
      summary:
        'Go on, in a new run, from the end of one that its budget ended; 7 days later no more where CPython evaluated it, or with `fast` mathematics',
      scope: 'run',
      query: noQuery,
      body: extendRequest(limits),
      requestHeaders: WAITING_HEADERS,
      answers: WAITING_ANSWERS,
      errors: [404, 409],
      async handle({ caller, params, body, header, ids }) {
        const extended = await runs.extend(caller.account.id, params['id'] ?? '', body.max_evaluations, ids);
        return waitFor(runs, found(extended), header('prefer'));
      },
    }),
    route({
      method: 'post',
      path: '/v1/optimize/{id}/replay',
      operationId: 'replayOptimization',
      summary: 'What another strategy would have done: the same request, seed and budget, in a new run',
      scope: 'run',
      query: noQuery,
      body: replayRequest(parts.strategies),
      requestHeaders: WAITING_HEADERS,
      answers: WAITING_ANSWERS,
      errors: [404],
      async handle({ caller, params, body, header, ids }) {
        const accountId = caller.account.id;
        const original = found(await runs.find(accountId, params['id'] ?? ''));
        requireOwnMethod(original, body.strategy);
        if (original.request.problem === undefined) {
          requireSuitable(parts.strategies, body.strategy, original.request.task);
        }
        const replay = await runs.replay(accountId, original.id, body.strategy, ids);
        return waitFor(runs, found(replay), header('prefer'));
      },
    }),
    route({
      method: 'get',
      path: '/v1/optimize/{id}/events',
      operationId: 'streamEvents',
      summary: 'The course of an optimization, as server-sent events',
      scope: 'read',
      query: noQuery,
      body: null,
      requestHeaders: {
        'Last-Event-ID': {
          description: 'The `id` of the last event that was received: the stream goes on after it',
          pattern: LAST_EVENT_ID.source,
        },
      },
      answers: {
        200: {
          description:
            '`started`, `strategy.changed`, `backend.changed` (compiled code misread the objective; the run begins again in CPython), ' +
            '`context.updated`, `stagnated`, `timeout`, `completed`, `failed`, `cancelled` with an ' +
            '`id` and the envelope `{id, type, created_at, data}`; `progress` without an `id`, about once a second; a ' +
            'comment every 15 seconds. Ends with the run',
          mediaType: 'text/event-stream',
          schema: eventAnswer,
        },
        204: { description: 'The run has ended, and nothing follows after `Last-Event-ID`' },
      },
      errors: [404],
      async handle({ caller, params, header }) {
        const accountId = caller.account.id;
        const id = params['id'] ?? '';
        const after = parseLastEventId(header('last-event-id'));
        const run = found(await runs.find(accountId, id));
        const isOver = isFinished(run.status) && (await runs.events(accountId, id, after, 1))?.length === 0;
        if (isOver) return { status: 204 };
        return { status: 200, stream: (signal) => runStream(runs, accountId, id, after, signal) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/optimize/{id}/explanation',
      operationId: 'explainOptimization',
      summary: 'Why an optimization that has ended went as it did',
      scope: 'read',
      query: explanationQuery,
      body: null,
      answers: {
        200: {
          description:
            'The explanation at the level that is asked for; `notes` name what would have needed evaluations',
          schema: explanationAnswer,
          downloads: [FORMAT_FACTS.pdf.mediaType],
          headers: { 'Content-Disposition': 'Of a file: its name' },
        },
      },
      errors: [404, 409],
      async handle({ caller, params, query }) {
        const run = found(await runs.find(caller.account.id, params['id'] ?? ''));
        if (!hasEnded(run)) {
          throw new ExtremumError('conflict', `The run has not ended yet (${run.status}); then it can be explained.`);
        }
        const explanation = query.level === undefined ? ownExplanation(run) : explain(run, query.level);
        if (query.format === 'json') return { status: 200, body: explanation };
        return { status: 200, download: await runReport(run, explanation, caller.account, parts) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/optimize/{id}/visuals/{kind}',
      operationId: 'drawOptimization',
      summary:
        'A picture of an optimization that has ended: `convergence`, `pareto` of several objectives, and those of a domain problem',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: {
        200: {
          description: 'The picture: SVG, or PNG where `Accept` names `image/png` and not `image/svg+xml`',
          mediaType: 'image/svg+xml',
          downloads: ['image/png'],
          schema: pictureAnswer,
          headers: { Vary: '`Accept`' },
        },
      },
      errors: [404, 409],
      async handle({ caller, params, header }) {
        const accountId = caller.account.id;
        const { id = '', kind = '' } = params;
        const [run, history] = await Promise.all([runs.find(accountId, id), runs.history(accountId, id)]);
        if (run === null || history === null) throw noSuchRun();
        if (!hasEnded(run)) {
          throw new ExtremumError('conflict', `The run has not ended yet (${run.status}); then it can be drawn.`);
        }
        const svg = drawVisual(kind, run, history) ?? (await runs.draw(run, kind));
        if (svg === null) {
          const known = visualsOf(run).join(' and ');
          throw new ExtremumError('not_found', `There is no such picture of this optimization; there is ${known}.`);
        }
        const headers = { Vary: 'Accept' };
        if (!wantsPng(header('accept'))) {
          return { status: 200, headers, picture: { mediaType: 'image/svg+xml; charset=utf-8', content: svg } };
        }
        return {
          status: 200,
          headers,
          picture: { mediaType: 'image/png', content: await runs.rasterize(accountId, svg) },
        };
      },
    }),
    route({
      method: 'get',
      path: '/v1/optimize/{id}/history',
      operationId: 'getHistory',
      summary: 'Every improvement of the best fitness, or of the hypervolume, oldest first',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: { 200: { description: 'At most 2,000 points', schema: historyAnswer } },
      errors: [404],
      async handle({ caller, params }) {
        const accountId = caller.account.id;
        const id = params['id'] ?? '';
        const [run, points] = await Promise.all([runs.find(accountId, id), runs.history(accountId, id)]);
        if (run === null || points === null) throw noSuchRun();
        const isSeveral = (run.request.task.objectives ?? 1) > 1;
        const data = points.map((point) => ({
          evaluations: point.evaluations,
          ...(isSeveral ? { best_fitness: null, hypervolume: point.bestFitness } : { best_fitness: point.bestFitness }),
          elapsed_seconds: point.elapsedSeconds,
        }));
        return { status: 200, body: { data } };
      },
    }),
  ];
}
