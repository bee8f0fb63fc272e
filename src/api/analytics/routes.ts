/** Reports over the runs of an account. */
import { ExtremumError } from '../../common/errors.js';
import type { Rows } from '../../exports/document.js';
import { EXPORT_FORMATS, type ExportFormat, FORMAT_FACTS } from '../../exports/export-format.js';
import { documentOf, executionRows } from '../../exports/reports.js';
import type { Caller } from '../../identity/identity-service.js';
import type { AnalyticsReport } from '../../model/analytics.js';
import type { ApiParts } from '../parts.js';
import { type AnyRoute, type Download, route } from '../route.js';
import {
  executionsAnswer,
  executionsBody,
  metricsAnswer,
  metricsBody,
  performanceAnswer,
  performanceBody,
} from './answer.js';
import { executionsQuery, metricsQuery, performanceQuery } from './request.js';

async function* nothing(): Rows {}

const FILES = {
  downloads: EXPORT_FORMATS.map((format) => FORMAT_FACTS[format].mediaType.split(';')[0]),
  headers: { 'Content-Disposition': 'Of a file: its name' },
} as const;

export function analyticsRoutes({
  analytics,
  exporter,
  clock,
}: Pick<ApiParts, 'analytics' | 'exporter' | 'clock'>): AnyRoute[] {
  const download = (caller: Caller, format: ExportFormat, report: AnalyticsReport): Download => {
    const { id, name: account } = caller.account;
    const document = documentOf(report, { account, createdAt: clock(), currency: analytics.currency });
    if (report.kind !== 'executions') return exporter.file(id, format, document, nothing());
    const { maxRows } = FORMAT_FACTS[format];
    if (report.total > maxRows) {
      const message = `${format} has room for ${maxRows} executions, and these are ${report.total}: ask for a shorter period, or for csv.`;
      throw new ExtremumError('invalid_request', message, { field: 'format' });
    }
    return exporter.file(id, format, document, executionRows(analytics.list(id, report)));
  };
  const reply = <R extends AnalyticsReport, Body>(
    caller: Caller,
    format: ExportFormat | 'json',
    report: R,
    represent: (report: R) => Body,
  ): { readonly status: 200 } & ({ readonly body: Body } | { readonly download: Download }) =>
    format === 'json'
      ? { status: 200, body: represent(report) }
      : { status: 200, download: download(caller, format, report) };

  return [
    route({
      method: 'get',
      path: '/v1/analytics/metrics',
      operationId: 'getAnalyticsMetrics',
      summary: 'Runs of a period: how many, how long, at what cost, and how that changed',
      scope: 'read',
      query: metricsQuery,
      queryExample: { start_date: '2026-01-01', end_date: '2026-12-31' },
      body: null,
      answers: { 200: { description: 'The metrics', schema: metricsAnswer, ...FILES } },
      errors: [],
      async handle({ caller, query }) {
        const { start_date: startDate, end_date: endDate, granularity, optimization_id: optimizationId } = query;
        const wanted = { startDate, endDate, granularity, optimizationId };
        return reply(caller, query.format, await analytics.metrics(caller.account.id, wanted), metricsBody);
      },
    }),
    route({
      method: 'get',
      path: '/v1/analytics/executions',
      operationId: 'getAnalyticsExecutions',
      summary: 'Runs by status, by original and by day',
      scope: 'read',
      query: executionsQuery,
      body: null,
      answers: { 200: { description: 'The counts', schema: executionsAnswer, ...FILES } },
      errors: [],
      async handle({ caller, query }) {
        const { start_date: startDate, end_date: endDate, status, optimization_id: optimizationId } = query;
        const wanted = {
          startDate,
          endDate,
          status,
          optimizationId,
        };
        return reply(caller, query.format, await analytics.executions(caller.account.id, wanted), executionsBody);
      },
    }),
    route({
      method: 'get',
      path: '/v1/analytics/performance',
      operationId: 'getAnalyticsPerformance',
      summary: 'Execution times, throughput, errors, resources used and cost',
      scope: 'read',
      query: performanceQuery,
      body: null,
      answers: {
        200: { description: 'Of one optimization, or of all of the account', schema: performanceAnswer, ...FILES },
      },
      errors: [],
      async handle({ caller, query }) {
        const report = await analytics.performance(caller.account.id, query.optimization_id);
        return reply(caller, query.format, report, performanceBody);
      },
    }),
  ];
}
