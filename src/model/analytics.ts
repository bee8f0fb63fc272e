/**
 * Contents of the reports of `/v1/analytics`: plain data. `src/analytics/` makes them, `src/api/` represents them as
 * JSON, and whoever exports them as files. Every report is complete: its reader needs no clock, no rate and no second
 * question.
 *
 * Times are epoch milliseconds, durations seconds, rates per second, sizes bytes. Every number is finite; a mean, share
 * or percentile of nothing is 0. The use of a run (time, evaluations, processor, memory, network, cost) is known, and
 * counted, once it has ended. A run that extends another one counts with what it added.
 */
import type { RunStatus } from './run-status.js';

/** Buckets of time, in UTC. A week begins on Monday (ISO 8601), a month on the 1st. */
export const GRANULARITIES = ['hour', 'day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** Most buckets in one report. */
export const MAX_BUCKETS = 2_000;
/** Most entries of `ExecutionsReport.byOptimization`. */
export const MAX_OPTIMIZATIONS = 1_000;

/** Runs belong to it by their time of creation. */
export interface Period {
  /** The first millisecond in it. */
  readonly start: number;
  /** The last millisecond in it. */
  readonly end: number;
}

/** Runs of one span of time. */
export interface CountedRuns extends Period {
  /** Runs of every status: successful, failed, and those that have not ended. */
  readonly optimizations: number;
  /** `completed`. */
  readonly successful: number;
  /** `failed`, those that were cancelled included. */
  readonly failed: number;
  /** Successful / (successful + failed), 0 to 1; 0 where none has ended. */
  readonly successRate: number;
}

interface Cost {
  /** In `currency`: processor seconds, GPU seconds and evaluations of runs that have ended x the configured rates. */
  readonly total: number;
  /** Three letters (ISO 4217), as `USD`. */
  readonly currency: string;
}

/** `GET /v1/analytics/metrics` */
export interface MetricsReport {
  readonly kind: 'metrics';
  readonly period: Period;
  readonly granularity: Granularity;
  /** The one optimization that it is about, with its replays and extensions; null: all of the account. */
  readonly optimizationId: string | null;
  readonly totalOptimizations: number;
  readonly successfulOptimizations: number;
  readonly failedOptimizations: number;
  /** Seconds, mean over the completed runs. */
  readonly averageOptimizationTime: number;
  readonly totalEvaluations: number;
  readonly cost: Cost;
  /**
   * Oldest first, without gaps: they cover `period`, which cuts the first and the last. At least one and at most
   * `MAX_BUCKETS`. In JSON: `trends.optimizations_per_day`, `trends.success_rate`.
   */
  readonly buckets: readonly CountedRuns[];
}

/** An original run and what repeats or extends it. */
interface OptimizationExecutions {
  /** Identifier of the original run. */
  readonly optimizationId: string;
  readonly count: number;
  readonly successRate: number;
}

/** `GET /v1/analytics/executions` */
export interface ExecutionsReport {
  readonly kind: 'executions';
  /**
   * Where the request names no start it begins with the day of the account's first run; without an end it ends with
   * today.
   */
  readonly period: Period;
  readonly optimizationId: string | null;
  /** Only runs of this status are counted, in everything below; null: of all. */
  readonly status: RunStatus | null;
  readonly total: number;
  /** Every status is there. */
  readonly byStatus: Readonly<Record<RunStatus, number>>;
  /** Newest first, the newest `MAX_OPTIMIZATIONS`. */
  readonly byOptimization: readonly OptimizationExecutions[];
  /** How many there are in all. */
  readonly byOptimizationTotal: number;
  /** One entry for each UTC day of `period`, oldest first, at most `MAX_BUCKETS`. */
  readonly timeSeries: readonly CountedRuns[];
}

/** Seconds, over the completed runs. */
export interface ExecutionTime {
  readonly average: number;
  /** Exact, between the two runs next to the place (as NumPy's `percentile` and a spreadsheet's `PERCENTILE` do). */
  readonly median: number;
  readonly p95: number;
  readonly p99: number;
}

/** Runs that have ended, divided by the time from the first one's creation to the last end. */
interface Throughput {
  readonly perSecond: number;
  readonly perMinute: number;
  readonly perHour: number;
}

interface ErrorRate {
  /** 0 to 100: `failed / total`. */
  readonly percentage: number;
  readonly failed: number;
  /** Runs that have ended. */
  readonly total: number;
}

/** Resources that runs used which have ended, as measured by the service. */
interface ResourceUsage {
  /** `averageUtilization`: processor seconds per second of execution, 1 is one core busy all the time. */
  readonly cpu: { readonly seconds: number; readonly averageUtilization: number };
  /** `peakBytes`: the largest peak of a run. `averageBytes`: the mean of the runs' peaks. */
  readonly memory: { readonly peakBytes: number; readonly averageBytes: number };
  /** Bodies of requests about a run and of their answers. */
  readonly network: { readonly bytesIn: number; readonly bytesOut: number };
  readonly gpu: { readonly seconds: number };
  /** Seconds in which CPython checked values beside the runs; not part of the other figures. */
  readonly checks: { readonly seconds: number };
}

/** Something that would have made the same results cheaper. */
export interface CostOpportunity {
  /** The optimization that it is about; null: several. */
  readonly optimizationId: string | null;
  /** For people, with the numbers that it rests on. */
  readonly message: string;
  /** In the currency of the report, computed from these runs and the configured rates. */
  readonly estimatedSaving: number;
}

/** `GET /v1/analytics/performance` */
export interface PerformanceReport {
  readonly kind: 'performance';
  readonly optimizationId: string | null;
  readonly executionTime: ExecutionTime;
  readonly throughput: Throughput;
  readonly errorRate: ErrorRate;
  readonly resourceUsage: ResourceUsage;
  readonly costEfficiency: {
    /** Mean over the runs that have ended. */
    readonly costPerExecution: number;
    readonly currency: string;
    /** Largest saving first. */
    readonly opportunities: readonly CostOpportunity[];
  };
}

export type AnalyticsReport = MetricsReport | ExecutionsReport | PerformanceReport;
