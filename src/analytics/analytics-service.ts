/**
 * Reports over the runs of an account. What is counted lies with the store (`AnalyticsStore`); here periods become
 * buckets, and counts become rates, costs and opportunities. Start reading at `AnalyticsService`.
 */
import { ExtremumError } from '../common/errors.js';
import type { Clock } from '../common/ids.js';
import {
  MAX_BUCKETS,
  MAX_OPTIMIZATIONS,
  type CountedRuns,
  type ExecutionsReport,
  type ExecutionTime,
  type Granularity,
  type MetricsReport,
  type PerformanceReport,
  type Period,
} from '../model/analytics.js';
import type { CostedExecution, ExecutionPlace } from '../model/execution.js';
import { emptyTally, sumTallies, TALLY_FIELDS, type RunTally, type TallyField } from '../model/run-facts.js';
import { RUN_STATUSES, type RunStatus } from '../model/run-status.js';
import type { AnalyticsStore } from '../storage/contract/analytics.js';
import { opportunitiesOf, costOf, type Rates } from './cost.js';
import { boundariesOf, timeOf } from './period.js';

interface AnalyticsParts {
  readonly store: AnalyticsStore;
  readonly clock: Clock;
  readonly rates: Rates;
}

/** Dates as the client wrote them. */
interface MetricsQuery {
  readonly startDate: string;
  readonly endDate: string;
  readonly optimizationId?: string;
  readonly granularity: Granularity;
}

interface ExecutionsQuery {
  readonly startDate?: string;
  readonly endDate?: string;
  readonly optimizationId?: string;
  readonly status?: RunStatus;
}

const STATUS_FIELDS = RUN_STATUSES satisfies readonly TallyField[];
const ORIGINAL_FIELDS = {
  pending: 'originalPending',
  running: 'originalRunning',
  completed: 'originalCompleted',
  failed: 'originalFailed',
} as const satisfies Readonly<Record<RunStatus, TallyField>>;
const METRICS_FIELDS = [
  ...STATUS_FIELDS,
  'completedSeconds',
  'evaluations',
  'cpuMicros',
  'gpuMicros',
] as const satisfies readonly TallyField[];
const EXECUTIONS_FIELDS = [...STATUS_FIELDS, ...Object.values(ORIGINAL_FIELDS)];
const PERCENTILES = { median: 0.5, p95: 0.95, p99: 0.99 } as const;

export class AnalyticsService {
  private readonly parts: AnalyticsParts;

  constructor(parts: AnalyticsParts) {
    this.parts = parts;
  }

  /** @throws {ExtremumError} `invalid_request` on `start_date`, `end_date` or `granularity`. */
  async metrics(accountId: string, query: MetricsQuery): Promise<MetricsReport> {
    const { store, rates } = this.parts;
    const { granularity, optimizationId } = query;
    const period = {
      start: timeOf('start_date', query.startDate, 'start'),
      end: timeOf('end_date', query.endDate, 'end'),
    };
    checkOrder(period);
    const boundaries = boundariesOf(period, granularity, MAX_BUCKETS);
    if (boundaries === null) {
      const message = `The period has more than ${MAX_BUCKETS} buckets of one ${granularity}; ask for a coarser granularity or a shorter period.`;
      throw new ExtremumError('invalid_request', message, { field: 'granularity' });
    }
    const tallies = await store.tallies(accountId, boundaries, METRICS_FIELDS, optimizationId);
    const whole = sumTallies(tallies);
    return {
      kind: 'metrics',
      period,
      granularity,
      optimizationId: optimizationId ?? null,
      totalOptimizations: runsIn(whole),
      successfulOptimizations: whole.completed,
      failedOptimizations: whole.failed,
      averageOptimizationTime: ratio(whole.completedSeconds, whole.completed),
      totalEvaluations: whole.evaluations,
      cost: { total: costOf(rates, whole), currency: rates.currency },
      buckets: countedRuns(boundaries, tallies),
    };
  }

  /** @throws {ExtremumError} `invalid_request` on `start_date` or `end_date`. */
  async executions(accountId: string, query: ExecutionsQuery): Promise<ExecutionsReport> {
    const { store } = this.parts;
    const { optimizationId, status } = query;
    const { period, boundaries } = await this.executionPeriod(accountId, query);
    const filter = {
      from: period.start,
      to: period.end + 1,
      optimizationId,
      status,
    };
    const [tallies, { items, withoutOriginal }] = await Promise.all([
      store.tallies(accountId, boundaries, EXECUTIONS_FIELDS, optimizationId),
      store.countByOriginal(accountId, filter, MAX_OPTIMIZATIONS),
    ]);
    const counted = tallies.map((tally) => onlyOf(tally, status));
    const whole = sumTallies(counted);
    const originals = RUN_STATUSES.reduce((sum, each) => sum + whole[ORIGINAL_FIELDS[each]], 0);
    const { pending, running, completed, failed } = whole;
    return {
      kind: 'executions',
      period,
      optimizationId: optimizationId ?? null,
      status: status ?? null,
      total: runsIn(whole),
      byStatus: { pending, running, completed, failed },
      byOptimization: items.map((item) => ({
        optimizationId: item.id,
        count: item.count,
        successRate: successRate(item),
      })),
      byOptimizationTotal: originals + withoutOriginal,
      timeSeries: countedRuns(boundaries, counted),
    };
  }

  /** Code of the currency that all costs are in. */
  get currency(): string {
    return this.parts.rates.currency;
  }

  /**
   * The executions that a report counts, newest first, in batches that are read when they are asked for. Without those
   * that were created after now; one that ends meanwhile may be listed as it is then.
   */
  async *list(accountId: string, report: ExecutionsReport): AsyncGenerator<readonly CostedExecution[]> {
    const { store, rates, clock } = this.parts;
    const { period, optimizationId, status } = report;
    const filter = {
      from: period.start,
      to: Math.min(period.end, clock()) + 1,
      optimizationId: optimizationId ?? undefined,
      status: status ?? undefined,
    };
    let after: ExecutionPlace | null = null;
    for (;;) {
      const page = await store.executions(accountId, filter, after, LISTED_AT_ONCE);
      if (page.length === 0) return;
      yield page.map((execution) => {
        const { evaluations, cpuMicros, gpuMicros } = execution;
        const used = { evaluations: evaluations ?? 0, cpuMicros: cpuMicros ?? 0, gpuMicros: gpuMicros ?? 0 };
        return { ...execution, cost: execution.completedAt === null ? null : costOf(rates, used) };
      });
      after = page.at(-1)!;
    }
  }

  /** A period that nobody cut is as long as it may be, to its end. */
  private async executionPeriod(
    accountId: string,
    { startDate, endDate }: ExecutionsQuery,
  ): Promise<{ period: Period; boundaries: number[] }> {
    const now = this.parts.clock();
    const endOfToday = Math.floor(now / DAY_MS) * DAY_MS + DAY_MS - 1;
    const wantedStart = startDate === undefined ? null : timeOf('start_date', startDate, 'start');
    const end = endDate === undefined ? Math.max(endOfToday, wantedStart ?? 0) : timeOf('end_date', endDate, 'end');
    let start = wantedStart;
    if (start === null) {
      const span = await this.parts.store.runsSpan(accountId);
      const longest = Math.floor(end / DAY_MS) * DAY_MS - (MAX_BUCKETS - 1) * DAY_MS;
      start = Math.max(Math.min(dayOf(span?.first ?? end), dayOf(end)), longest);
    }
    const period = { start, end };
    checkOrder(period);
    const boundaries = boundariesOf(period, 'day', MAX_BUCKETS);
    if (boundaries !== null) return { period, boundaries };
    const message = `The period has more than ${MAX_BUCKETS} days, which the time series would have one entry each for; begin later.`;
    throw new ExtremumError('invalid_request', message, { field: 'start_date' });
  }

  async performance(accountId: string, optimizationId?: string): Promise<PerformanceReport> {
    const { store, rates } = this.parts;
    const span = await store.runsSpan(accountId);
    // Whole days, of which there are sums.
    const boundaries = span === null ? null : [dayOf(span.first), dayOf(span.last) + DAY_MS];
    const [tally = emptyTally()] =
      boundaries === null ? [] : await store.tallies(accountId, boundaries, TALLY_FIELDS, optimizationId);
    const ended = tally.completed + tally.failed;
    const perSecond = throughputOf(tally);
    return {
      kind: 'performance',
      optimizationId: optimizationId ?? null,
      executionTime: await this.executionTime(accountId, tally, optimizationId),
      throughput: { perSecond, perMinute: perSecond * 60, perHour: perSecond * 3_600 },
      errorRate: { percentage: 100 * ratio(tally.failed, ended), failed: tally.failed, total: ended },
      resourceUsage: {
        cpu: { seconds: tally.cpuMicros / 1e6, averageUtilization: ratio(tally.cpuMicros / 1e6, tally.seconds) },
        memory: { peakBytes: tally.largestPeakBytes ?? 0, averageBytes: ratio(tally.peakBytes, ended) },
        network: { bytesIn: tally.bytesIn, bytesOut: tally.bytesOut },
        gpu: { seconds: tally.gpuMicros / 1e6 },
        checks: { seconds: tally.checkMicros / 1e6 },
      },
      costEfficiency: {
        costPerExecution: ratio(costOf(rates, tally), ended),
        currency: rates.currency,
        opportunities: opportunitiesOf(rates, tally, optimizationId ?? null),
      },
    };
  }

  private async executionTime(accountId: string, tally: RunTally, optimizationId?: string): Promise<ExecutionTime> {
    const { completed, completedSeconds } = tally;
    if (completed === 0) return { average: 0, median: 0, p95: 0, p99: 0 };
    const shares = Object.values(PERCENTILES);
    // Between two runs, in proportion: definition 7 of Hyndman and Fan, The American Statistician 50 (1996) 361.
    const places = shares.flatMap((share) => {
      const place = share * (completed - 1);
      return [Math.floor(place), Math.ceil(place)];
    });
    const found = await this.parts.store.durationsAt(accountId, completed, places, optimizationId);
    const [median, p95, p99] = shares.map((share, i) => {
      const [below = 0, above = 0] = found.slice(2 * i, 2 * i + 2);
      return below + (above - below) * ((share * (completed - 1)) % 1);
    }) as [number, number, number];
    return { average: completedSeconds / completed, median, p95, p99 };
  }
}

const DAY_MS = 86_400_000;
/** Few enough that reading them holds up no write for long, even where runs have 10,000 dimensions. */
const LISTED_AT_ONCE = 200;
const dayOf = (time: number): number => Math.floor(time / DAY_MS) * DAY_MS;

function checkOrder({ start, end }: Period): void {
  if (start <= end) return;
  const message = `\`start_date\` must not be later than \`end_date\`.`;
  throw new ExtremumError('invalid_request', message, { field: 'start_date' });
}

/** 0 of nothing. */
const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

const successRate = ({ completed, failed }: Pick<RunTally, 'completed' | 'failed'>): number =>
  ratio(completed, completed + failed);

type StatusCounts = Pick<RunTally, RunStatus>;

const runsIn = (tally: StatusCounts): number => RUN_STATUSES.reduce((sum, status) => sum + tally[status], 0);

type ExecutionCounts = Pick<RunTally, (typeof EXECUTIONS_FIELDS)[number]>;

/** The tally without runs of other statuses. */
function onlyOf(tally: ExecutionCounts, status: RunStatus | undefined): ExecutionCounts {
  if (status === undefined) return tally;
  const nothing = Object.fromEntries(EXECUTIONS_FIELDS.map((field) => [field, 0])) as ExecutionCounts;
  const original = ORIGINAL_FIELDS[status];
  return { ...nothing, [status]: tally[status], [original]: tally[original] };
}

const countedRuns = (boundaries: readonly number[], tallies: readonly StatusCounts[]): CountedRuns[] =>
  tallies.map((tally, i) => ({
    start: boundaries[i],
    end: boundaries[i + 1] - 1,
    optimizations: runsIn(tally),
    successful: tally.completed,
    failed: tally.failed,
    successRate: successRate(tally),
  }));

/** Per second, from the first creation to the last end; 0 where none has ended. */
function throughputOf({ completed, failed, firstCreatedAt, lastCompletedAt }: RunTally): number {
  if (firstCreatedAt === null || lastCompletedAt === null) return 0;
  return (completed + failed) / (Math.max(1, lastCompletedAt - firstCreatedAt) / 1_000);
}
