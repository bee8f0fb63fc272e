/**
 * The reports of analytics as documents. Columns have the names of the JSON report, so that the same number has the
 * same name everywhere.
 */
import type {
  AnalyticsReport,
  CountedRuns,
  ExecutionsReport,
  Granularity,
  MetricsReport,
  PerformanceReport,
} from '../model/analytics.js';
import type { CostedExecution } from '../model/execution.js';
import type { Cell, Chart, Column, ColumnKind, Facts, Listing, ReportDocument, Row, Rows } from './document.js';

/** Facts that a report does not know of itself. */
interface ReportContext {
  /** Name of the account. */
  readonly account: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Code, as `USD`. */
  readonly currency: string;
}

export function documentOf(report: AnalyticsReport, context: ReportContext): ReportDocument {
  switch (report.kind) {
    case 'metrics':
      return metricsDocument(report, context);
    case 'executions':
      return executionsDocument(report, context);
    case 'performance':
      return performanceDocument(report, context);
  }
}

const column = (name: string, label: string, kind: ColumnKind): Column => ({ name, label, kind });

type Fact = readonly [name: string, label: string, kind: ColumnKind, value: Cell];

const facts = (name: string, title: string, all: readonly Fact[]): Facts => ({
  kind: 'facts',
  name,
  title,
  facts: all.map(([path, label, kind, value]) => ({ column: column(path, label, kind), value })),
});

const onlyOf = (optimizationId: string | null): string[] =>
  optimizationId === null ? [] : [`Only optimization ${optimizationId}, with its replays and extensions.`];

const NONE = 'There are none.';

// --- metrics

function metricsDocument(report: MetricsReport, context: ReportContext): ReportDocument {
  const { period, granularity, buckets, cost } = report;
  const span = SPANS[granularity];
  return {
    ...context,
    name: 'metrics',
    title: 'Metrics',
    period,
    filters: onlyOf(report.optimizationId),
    sections: [
      facts('metrics', 'Metrics', [
        ['total_optimizations', 'Optimizations', 'integer', report.totalOptimizations],
        ['successful_optimizations', 'Successful', 'integer', report.successfulOptimizations],
        ['failed_optimizations', 'Failed', 'integer', report.failedOptimizations],
        ['average_optimization_time', 'Average time', 'seconds', report.averageOptimizationTime],
        ['total_evaluations', 'Evaluations', 'integer', report.totalEvaluations],
        ['cost.total', 'Cost', 'money', cost.total],
        ['cost.currency', 'Currency', 'text', cost.currency],
      ]),
      ...trends(buckets, granularity),
      {
        kind: 'table',
        name: 'trends',
        title: `Optimizations per ${span}`,
        empty: NONE,
        columns: [
          granularity === 'hour'
            ? column('start', 'Hour (UTC)', 'time')
            : column('start', `${capital(span)} from`, 'date'),
          column('optimizations_per_day', 'Optimizations', 'integer'),
          column('successful', 'Successful', 'integer'),
          column('failed', 'Failed', 'integer'),
          column('success_rate', 'Success rate', 'share'),
        ],
        rows: buckets.map((bucket) => [
          bucket.start,
          bucket.optimizations,
          bucket.successful,
          bucket.failed,
          bucket.successRate,
        ]),
      },
    ],
    listing: null,
  };
}

const SPANS: Readonly<Record<Granularity, string>> = { hour: 'hour', day: 'day', week: 'week', month: 'month' };

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** How many runs, and how they ended, over time. */
function trends(buckets: readonly CountedRuns[], granularity: Granularity): Chart[] {
  const length = { hour: 16, day: 10, week: 10, month: 7 }[granularity];
  const categories = buckets.map(({ start }) => new Date(start).toISOString().slice(0, length).replace('T', ' '));
  return [
    {
      kind: 'chart',
      shape: 'bars',
      title: `Optimizations per ${SPANS[granularity]}`,
      unit: 'integer',
      categories,
      series: [
        { label: 'Completed', role: 'good', values: buckets.map(({ successful }) => successful) },
        { label: 'Failed', role: 'bad', values: buckets.map(({ failed }) => failed) },
        {
          label: 'Not ended',
          role: 'open',
          values: buckets.map(({ optimizations, successful, failed }) => optimizations - successful - failed),
        },
      ],
    },
    {
      kind: 'chart',
      shape: 'line',
      title: 'Success rate',
      unit: 'share',
      categories,
      // Of nothing there is no share: a gap, where the table has the 0 of the JSON report.
      series: [
        {
          label: 'Success rate',
          role: 'main',
          values: buckets.map(({ successful, failed, successRate }) =>
            successful + failed === 0 ? null : successRate,
          ),
        },
      ],
    },
  ];
}

// --- executions

/** Rows of it are made by `executionRow`. */
const EXECUTIONS: Listing = {
  name: 'executions',
  title: 'Executions',
  empty: NONE,
  columns: [
    column('id', 'Execution', 'text'),
    column('created_at', 'Created (UTC)', 'time'),
    column('status', 'Status', 'text'),
    column('evaluations', 'Evaluations', 'integer'),
    column('duration_seconds', 'Duration', 'seconds'),
    column('best_fitness', 'Best fitness', 'number'),
    column('strategy_used', 'Strategy', 'text'),
    column('cost', 'Cost', 'money'),
  ],
};

/** In the order of the columns. */
const executionRow = (one: CostedExecution): Row => [
  one.id,
  one.createdAt,
  one.status,
  one.evaluations,
  one.seconds,
  one.bestFitness,
  one.strategy,
  one.cost,
];

export async function* executionRows(batches: AsyncIterable<readonly CostedExecution[]>): Rows {
  for await (const batch of batches) yield batch.map(executionRow);
}

function executionsDocument(report: ExecutionsReport, context: ReportContext): ReportDocument {
  const { byStatus, byOptimization, byOptimizationTotal, timeSeries, total } = report;
  const counted = byOptimization.length < byOptimizationTotal ? ` (the newest of ${byOptimizationTotal})` : '';
  return {
    ...context,
    name: 'executions',
    title: 'Executions',
    period: report.period,
    filters: [
      ...onlyOf(report.optimizationId),
      ...(report.status === null ? [] : [`Only executions of the status ${report.status}.`]),
    ],
    sections: [
      facts('summary', 'Summary', [
        ['total', 'Executions', 'integer', total],
        ['by_status.completed', 'Completed', 'integer', byStatus.completed],
        ['by_status.failed', 'Failed', 'integer', byStatus.failed],
        ['by_status.running', 'Running', 'integer', byStatus.running],
        ['by_status.pending', 'Pending', 'integer', byStatus.pending],
      ]),
      ...trends(timeSeries, 'day'),
      {
        kind: 'table',
        name: 'time_series',
        title: 'Executions per day',
        empty: NONE,
        columns: [
          column('date', 'Day', 'date'),
          column('optimizations', 'Executions', 'integer'),
          column('successful', 'Successful', 'integer'),
          column('failed', 'Failed', 'integer'),
        ],
        rows: timeSeries.map(({ start, optimizations, successful, failed }) => [
          start,
          optimizations,
          successful,
          failed,
        ]),
      },
      {
        kind: 'table',
        name: 'by_optimization',
        title: `By optimization${counted}`,
        empty: NONE,
        columns: [
          column('optimization_id', 'Optimization', 'text'),
          column('count', 'Executions', 'integer'),
          column('success_rate', 'Success rate', 'share'),
        ],
        rows: byOptimization.map(({ optimizationId, count, successRate }) => [optimizationId, count, successRate]),
      },
    ],
    listing: EXECUTIONS,
  };
}

// --- performance

function performanceDocument(report: PerformanceReport, context: ReportContext): ReportDocument {
  const { executionTime: time, throughput, errorRate, resourceUsage: use, costEfficiency } = report;
  return {
    ...context,
    name: 'performance',
    title: 'Performance',
    period: null,
    filters: onlyOf(report.optimizationId),
    sections: [
      facts('execution_time', 'Execution time', [
        ['execution_time.average', 'Average', 'seconds', time.average],
        ['execution_time.median', 'Median', 'seconds', time.median],
        ['execution_time.p95', '95 of 100 within', 'seconds', time.p95],
        ['execution_time.p99', '99 of 100 within', 'seconds', time.p99],
      ]),
      {
        kind: 'chart',
        shape: 'bars',
        title: 'Execution time of completed runs',
        unit: 'seconds',
        categories: ['Average', 'Median', '95th percentile', '99th percentile'],
        series: [{ label: 'Seconds', role: 'main', values: [time.average, time.median, time.p95, time.p99] }],
      },
      facts('throughput', 'Throughput', [
        ['throughput.per_second', 'Per second', 'number', throughput.perSecond],
        ['throughput.per_minute', 'Per minute', 'number', throughput.perMinute],
        ['throughput.per_hour', 'Per hour', 'number', throughput.perHour],
      ]),
      facts('error_rate', 'Errors', [
        ['error_rate.percentage', 'Failed (percent)', 'number', errorRate.percentage],
        ['error_rate.failed', 'Failed', 'integer', errorRate.failed],
        ['error_rate.total', 'Ended', 'integer', errorRate.total],
      ]),
      facts('resource_usage', 'Resources', [
        ['resource_usage.cpu.seconds', 'Processor time', 'seconds', use.cpu.seconds],
        ['resource_usage.cpu.average_utilization', 'Processors in use', 'number', use.cpu.averageUtilization],
        ['resource_usage.gpu.seconds', 'GPU time', 'seconds', use.gpu.seconds],
        ['resource_usage.checks.seconds', 'Checks in CPython', 'seconds', use.checks.seconds],
        ['resource_usage.memory.peak_bytes', 'Memory, peak', 'bytes', use.memory.peakBytes],
        ['resource_usage.memory.average_bytes', 'Memory, average', 'bytes', use.memory.averageBytes],
        ['resource_usage.network.bytes_in', 'Received', 'bytes', use.network.bytesIn],
        ['resource_usage.network.bytes_out', 'Sent', 'bytes', use.network.bytesOut],
      ]),
      facts('cost_efficiency', 'Cost', [
        ['cost_efficiency.cost_per_execution', 'Cost per execution', 'money', costEfficiency.costPerExecution],
        ['cost_efficiency.currency', 'Currency', 'text', costEfficiency.currency],
      ]),
      {
        kind: 'table',
        name: 'opportunities',
        title: 'Opportunities',
        empty: 'Nothing would have made the same results cheaper.',
        columns: [
          column('message', 'Opportunity', 'text'),
          column('optimization_id', 'Optimization', 'text'),
          column('estimated_saving', 'Estimated saving', 'money'),
        ],
        rows: costEfficiency.opportunities.map((one) => [one.message, one.optimizationId, one.estimatedSaving]),
      },
    ],
    listing: null,
  };
}
