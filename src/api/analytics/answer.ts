/** Reports as clients see them. */
import { z } from 'zod';
import {
  type ExecutionsReport,
  MAX_BUCKETS,
  MAX_OPTIMIZATIONS,
  type MetricsReport,
  type PerformanceReport,
} from '../../model/analytics.js';
import { time } from '../fields.js';
import type { Answer } from '../route.js';

const count = z.int().min(0);

const amount = z.number().min(0);

const share = z.number().min(0).max(1);

const currency = z.string().describe('As configured, e.g. `USD`');

export const metricsAnswer = z
  .object({
    period: z.object({ start: time, end: time }),
    metrics: z.object({
      total_optimizations: count.describe('Of every status'),
      successful_optimizations: count,
      failed_optimizations: count.describe('Cancelled ones included'),
      average_optimization_time: amount.describe('Seconds, over completed runs'),
      total_evaluations: count.describe('Of runs that have ended; of an extension only what it added'),
      cost: z.object({ total: amount, currency }),
    }),
    trends: z.object({
      optimizations_per_day: z
        .array(count)
        .describe(`One for each bucket of \`granularity\`, oldest first, at most ${MAX_BUCKETS}`),
      success_rate: z.array(share).describe('The same buckets: completed / (completed + failed)'),
    }),
  })
  .meta({ id: 'AnalyticsMetrics' });

export const executionsAnswer = z
  .object({
    total: count,
    by_status: z.object({ pending: count, running: count, completed: count, failed: count }),
    by_optimization: z
      .array(z.object({ optimization_id: z.string(), count, success_rate: share }))
      .describe(`Original runs, each with its replays and extensions; the newest ${MAX_OPTIMIZATIONS}`),
    by_optimization_total: count,
    time_series: z
      .array(
        z.object({
          date: z.string().meta({ format: 'date' }),
          optimizations: count,
          successful: count,
          failed: count,
        }),
      )
      .describe(`One for each UTC day, oldest first, at most ${MAX_BUCKETS}`),
  })
  .meta({ id: 'AnalyticsExecutions' });

export const performanceAnswer = z
  .object({
    execution_time: z
      .object({ average: amount, median: amount, p95: amount, p99: amount })
      .describe('Seconds, over completed runs'),
    throughput: z
      .object({ per_second: amount, per_minute: amount, per_hour: amount })
      .describe('Runs that have ended, from the first creation to the last end'),
    error_rate: z.object({
      percentage: z.number().min(0).max(100),
      failed: count,
      total: count.describe('Runs that have ended'),
    }),
    resource_usage: z.object({
      cpu: z.object({ seconds: amount, average_utilization: amount.describe('1: one core, all the time') }),
      memory: z.object({ peak_bytes: amount, average_bytes: amount }).describe('Of the peaks of runs'),
      network: z
        .object({ bytes_in: count, bytes_out: count })
        .describe('Bodies of requests about optimizations, and of their answers'),
      gpu: z.object({ seconds: amount }),
      checks: z
        .object({ seconds: amount })
        .describe('In which CPython confirmed values of compiled code; no part of the other figures, nor of costs'),
    }),
    cost_efficiency: z.object({
      cost_per_execution: amount,
      currency,
      opportunities: z
        .array(z.object({ optimization_id: z.string().optional(), message: z.string(), estimated_saving: amount }))
        .describe('Largest saving first'),
    }),
  })
  .meta({ id: 'AnalyticsPerformance' });

const iso = (time: number): string => new Date(time).toISOString();

export const metricsBody = (report: MetricsReport): Answer<typeof metricsAnswer> => ({
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

export const executionsBody = (report: ExecutionsReport): Answer<typeof executionsAnswer> => ({
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

export function performanceBody(report: PerformanceReport): Answer<typeof performanceAnswer> {
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
      checks: used.checks,
    },
    cost_efficiency: {
      cost_per_execution: cost.costPerExecution,
      currency: cost.currency,
      opportunities: cost.opportunities.map(({ optimizationId, message, estimatedSaving }) => ({
        optimization_id: optimizationId ?? undefined,
        message,
        estimated_saving: estimatedSaving,
      })),
    },
  };
}
