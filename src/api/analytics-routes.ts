/** Reports over the runs of an account. */
import type { AnalyticsService } from '../analytics/analytics-service.js';
import type { ExecutionsReport, MetricsReport, PerformanceReport } from '../model/analytics.js';
import { route, type AnyRoute } from './route.js';
import {
  executionsAnswer,
  executionsQuery,
  metricsAnswer,
  metricsQuery,
  performanceAnswer,
  performanceQuery,
} from './schemas.js';

const iso = (time: number): string => new Date(time).toISOString();

const metricsBody = (report: MetricsReport): object => ({
  period: { start: iso(report.period.start), end: iso(report.period.end) },
  metrics: {
    total_optimizations: report.totalOptimizations,
    successful_optimizations: report.successfulOptimizations,
    failed_optimizations: report.failedOptimizations,
    average_optimization_time: report.averageOptimizationTime,
    total_evaluations: report.totalEvaluations,
    cost: report.cost,
  },
  trends: {
    optimizations_per_day: report.buckets.map(({ optimizations }) => optimizations),
    success_rate: report.buckets.map(({ successRate }) => successRate),
  },
});

const executionsBody = (report: ExecutionsReport): object => ({
  total: report.total,
  by_status: report.byStatus,
  by_optimization: report.byOptimization.map(({ optimizationId, count, successRate }) => ({
    optimization_id: optimizationId,
    count,
    success_rate: successRate,
  })),
  by_optimization_total: report.byOptimizationTotal,
  time_series: report.timeSeries.map(({ start, optimizations, successful, failed }) => ({
    date: iso(start).slice(0, 10),
    optimizations,
    successful,
    failed,
  })),
});

function performanceBody(report: PerformanceReport): object {
  const { throughput, resourceUsage: used, costEfficiency: cost } = report;
  return {
    execution_time: report.executionTime,
    throughput: {
      per_second: throughput.perSecond,
      per_minute: throughput.perMinute,
      per_hour: throughput.perHour,
    },
    error_rate: report.errorRate,
    resource_usage: {
      cpu: { seconds: used.cpu.seconds, average_utilization: used.cpu.averageUtilization },
      memory: { peak_bytes: used.memory.peakBytes, average_bytes: used.memory.averageBytes },
      network: { bytes_in: used.network.bytesIn, bytes_out: used.network.bytesOut },
      gpu: used.gpu,
    },
    cost_efficiency: {
      cost_per_execution: cost.costPerExecution,
      currency: cost.currency,
      opportunities: cost.opportunities.map(({ optimizationId, message, estimatedSaving }) => ({
        ...(optimizationId === null ? {} : { optimization_id: optimizationId }),
        message,
        estimated_saving: estimatedSaving,
      })),
    },
  };
}

export function analyticsRoutes(analytics: AnalyticsService): AnyRoute[] {
  return [
    route({
      method: 'get',
      path: '/v1/analytics/metrics',
      operationId: 'getAnalyticsMetrics',
      summary: 'Runs of a period: how many, how long, at what cost, and how that changed',
      scope: 'read',
      query: metricsQuery,
      body: null,
      answers: { 200: { description: 'The metrics', schema: metricsAnswer } },
      errors: [],
      async handle({ caller, query }) {
        const { start_date: startDate, end_date: endDate, granularity, optimization_id: optimizationId } = query;
        const wanted = { startDate, endDate, granularity, ...(optimizationId === undefined ? {} : { optimizationId }) };
        return { status: 200, body: metricsBody(await analytics.metrics(caller.account.id, wanted)) };
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
      answers: { 200: { description: 'The counts', schema: executionsAnswer } },
      errors: [],
      async handle({ caller, query }) {
        const { start_date: startDate, end_date: endDate, status, optimization_id: optimizationId } = query;
        const wanted = {
          ...(startDate === undefined ? {} : { startDate }),
          ...(endDate === undefined ? {} : { endDate }),
          ...(status === undefined ? {} : { status }),
          ...(optimizationId === undefined ? {} : { optimizationId }),
        };
        return { status: 200, body: executionsBody(await analytics.executions(caller.account.id, wanted)) };
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
      answers: { 200: { description: 'Of one optimization, or of all of the account', schema: performanceAnswer } },
      errors: [],
      async handle({ caller, query }) {
        const report = await analytics.performance(caller.account.id, query.optimization_id);
        return { status: 200, body: performanceBody(report) };
      },
    }),
  ];
}
