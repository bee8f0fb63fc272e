/** How a run went: its events, explanation, pictures and history. */
import { ExtremumError } from '../../common/errors.js';
import { explain, ownExplanation } from '../../explanation/explain.js';
import { hasEnded, type EndedRun } from '../../explanation/ended-run.js';
import { listed } from '../../explanation/say.js';
import { drawVisual, noVisual, visualsOf } from '../../explanation/visuals/visuals.js';
import { FORMAT_FACTS } from '../../exports/export-format.js';
import { isMonitored, MAX_MONITORING_ROWS } from '../../model/monitoring.js';
import type { RunRecord } from '../../model/run-record.js';
import { isFinished } from '../../model/run-status.js';
import { type HistoryPoint, MAX_HISTORY_POINTS } from '../../model/run-task.js';
import type { RunService } from '../../runs/run-service.js';
import { noQuery } from '../fields.js';
import { pageAnswer, pageBody, pageIn, wholeQuery } from '../pagination.js';
import type { ApiParts } from '../parts.js';
import { type AnyRoute, route } from '../route.js';
import { explanationAnswer } from './answer.js';
import { eventsAnswer, historyPointAnswer, pictureAnswer, representPoint, STREAMED } from './course-answer.js';
import { MONITORING_EXAMPLE } from './monitoring-example.js';
import { monitoringRowAnswer, representRow } from './monitoring-answer.js';
import { runReport } from './report.js';
import { explanationQuery } from './request.js';
import { LAST_EVENT_ID, parseLastEventId, runStream } from './stream.js';
import { found, noSuchRun } from './waiting.js';

/** Whether PNG is asked for by name, and SVG is not. */
function wantsPng(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((range) => (range.split(';')[0] ?? '').trim().toLowerCase());
  return types.includes('image/png') && !types.includes('image/svg+xml');
}

async function runWithHistory(
  runs: RunService,
  accountId: string,
  id: string,
): Promise<[RunRecord, readonly HistoryPoint[]]> {
  const [run, history] = await Promise.all([runs.find(accountId, id), runs.history(accountId, id)]);
  if (run === null || history === null) throw noSuchRun();
  return [run, history];
}

/** @param what it can be once it has ended */
function ended(run: RunRecord, what: string): EndedRun {
  if (hasEnded(run)) return run;
  throw new ExtremumError('conflict', `The run has not ended yet (${run.status}); then it can be ${what}.`);
}

/** The picture of that kind, as SVG. */
async function draw(runs: RunService, accountId: string, id: string, kind: string): Promise<string> {
  const [run, history] = await runWithHistory(runs, accountId, id);
  const own = ended(run, 'drawn');
  const svg = drawVisual(kind, own, history) ?? (await runs.draw(own, kind));
  if (svg !== null) return svg;
  const reason = noVisual(kind, own);
  const known = `there is ${listed(visualsOf(own))}`;
  const message =
    reason === null
      ? `There is no such picture of this optimization; ${known}.`
      : `There is no picture \`${kind}\` of this optimization: ${reason}. Of the others ${known}.`;
  throw new ExtremumError('not_found', message);
}

export type CourseParts = Pick<ApiParts, 'runs' | 'functions' | 'exporter' | 'version'>;

export function courseRoutes(parts: CourseParts): AnyRoute[] {
  const { runs } = parts;

  return [
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
            `${STREAMED.map((name) => `\`${name}\``).join(', ')} with an \`id\` and the envelope ` +
            '`{id, type, created_at, data}`; `progress` without an `id`, about once a second; a comment every 15 ' +
            'seconds. `backend.changed`: compiled code misread the objective; the run begins again in CPython. Ends ' +
            'with the run',
          mediaType: 'text/event-stream',
          schema: eventsAnswer,
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
        const run = ended(found(await runs.find(caller.account.id, params['id'] ?? '')), 'explained');
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
        'A picture of an optimization that has ended: `convergence`, `strategies`, `importance`, `slice`, `contour`, `parallel`, ' +
        '`pareto` of several objectives, and those of a domain problem. What is shown was measured by the run; where it has too little for a picture, the error says why',
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
      async handle({ caller, params: { id = '', kind = '' }, header }) {
        const accountId = caller.account.id;
        const svg = await draw(runs, accountId, id, kind);
        const picture = wantsPng(header('accept'))
          ? { mediaType: 'image/png', content: await runs.rasterize(accountId, svg) }
          : { mediaType: 'image/svg+xml; charset=utf-8', content: svg };
        return { status: 200, headers: { Vary: 'Accept' }, picture };
      },
    }),
    route({
      method: 'get',
      path: '/v1/optimize/{id}/history',
      operationId: 'getHistory',
      summary: 'Every improvement of the best fitness, or of the hypervolume, oldest first',
      scope: 'read',
      query: wholeQuery(MAX_HISTORY_POINTS),
      body: null,
      answers: {
        200: { description: 'All points, or a page of them', schema: pageAnswer(historyPointAnswer) },
      },
      errors: [404],
      async handle({ caller, params, query }) {
        const [run, points] = await runWithHistory(runs, caller.account.id, params['id'] ?? '');
        return { status: 200, body: pageBody(pageIn(points, query), query, representPoint(run)) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/optimize/{id}/monitoring',
      operationId: 'getMonitoring',
      summary:
        'The monitoring trace of a run of the preset `enterprise`, oldest row first: evaluations, place, processor, memory, ' +
        'waiting and checks, a row a second, joined to longer ones where there would be more than 2,000',
      scope: 'read',
      query: wholeQuery(MAX_MONITORING_ROWS),
      body: null,
      answers: {
        200: {
          description: 'All rows, or a page of them. While the run lasts they come up to ten seconds late',
          schema: pageAnswer(monitoringRowAnswer),
          example: MONITORING_EXAMPLE,
        },
      },
      errors: [404],
      async handle({ caller, params: { id = '' }, query }) {
        const accountId = caller.account.id;
        const { preset } = found(await runs.find(accountId, id)).request;
        if (!isMonitored({ preset })) {
          const message = `This run keeps no monitoring trace: its preset is \`${preset}\`; runs of \`enterprise\` do.`;
          throw new ExtremumError('not_found', message);
        }
        const trace = await runs.monitoring(accountId, id);
        if (trace === null) throw noSuchRun();
        return { status: 200, body: pageBody(pageIn(trace.rows, query), query, representRow) };
      },
    }),
  ];
}
