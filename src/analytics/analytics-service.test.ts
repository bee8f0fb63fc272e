import { rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { dataFolder } from '../../test/support/data-folder.js';
import { live, randomCourses, type Course } from '../../test/conformance/store/analytics.suite.js';
import { GRANULARITIES, type Granularity } from '../model/analytics.js';
import { openMemoryStore } from '../storage/memory/memory-store.js';
import { openSqliteStore } from '../storage/sqlite/sqlite-store.js';
import type { Store } from '../storage/store.js';
import { AnalyticsService } from './analytics-service.js';
import { boundariesOf, timeOf } from './period.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SPAN = 40 * DAY;
const NOW = Date.UTC(2026, 3, 20, 12);
const RATES = { perCpuSecond: 0.5, perGpuSecond: 2, perEvaluation: 0.001, currency: 'EUR' };
const RUNS = 5_000;
const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

/** Counted anew, by the plainest means, from how the runs were made. */
function recount(courses: readonly Course[], from: number, to: number, family?: string) {
  const runs = courses.filter(({ run }) => {
    const isOf = family === undefined || run.id === family || run.request.originId === family;
    return run.accountId === 'acct_1' && run.createdAt >= from && run.createdAt <= to && isOf;
  });
  const ended = runs.filter(({ fate }) => fate !== 'pending' && fate !== 'running');
  const completed = ended.filter(({ fate }) => fate === 'completed');
  const own = (course: Course): { evaluations: number; seconds: number; cpu: number; gpu: number } => {
    const base = course.run.request.extension?.from;
    const { evaluations, durationSeconds, usage } = course.ending;
    return {
      evaluations: evaluations - (base?.evaluations ?? 0),
      seconds: durationSeconds - (base?.elapsedSeconds ?? 0),
      cpu: usage!.threadCpuSeconds + usage!.pythonCpuSeconds,
      gpu: usage!.gpuSeconds,
    };
  };
  const total = (of: 'evaluations' | 'cpu' | 'gpu', over = ended): number =>
    over.reduce((sum, course) => sum + own(course)[of], 0);
  const seconds = completed.map((course) => own(course).seconds).sort((a, b) => a - b);
  const percentile = (share: number): number => {
    const place = share * (seconds.length - 1);
    const [below = 0, above = 0] = [seconds[Math.floor(place)], seconds[Math.ceil(place)]];
    return below + (above - below) * (place - Math.floor(place));
  };
  const originals = new Map<string, number>();
  for (const { run } of runs) {
    const origin = run.request.originId ?? run.id;
    originals.set(origin, (originals.get(origin) ?? 0) + 1);
  }
  const cost = 0.5 * total('cpu') + 2 * total('gpu') + 0.001 * total('evaluations');
  const sum = seconds.reduce((a, b) => a + b, 0);
  return { runs, ended, completed, seconds, percentile, originals, cost, evaluations: total('evaluations'), sum };
}

async function check(store: Store, courses: readonly Course[]): Promise<void> {
  const service = new AnalyticsService({ store, clock: () => NOW, rates: RATES });
  const periods: [string, string, number, number][] = [
    ['2026-03-05', '2026-04-12', Date.UTC(2026, 2, 5), Date.UTC(2026, 3, 13) - 1],
    ['2026-03-09T23:59:59.999Z', '2026-03-10T00:00:00Z', Date.UTC(2026, 2, 10) - 1, Date.UTC(2026, 2, 10)],
    [
      '2026-03-07T01:30:00+02:00',
      '2026-03-31T12:34:56',
      Date.UTC(2026, 2, 6, 23, 30),
      Date.UTC(2026, 2, 31, 12, 34, 56),
    ],
    ['2025-12-31', '2026-01-02', Date.UTC(2025, 11, 31), Date.UTC(2026, 0, 3) - 1],
  ];
  const family = courses.find(({ run }) => run.accountId === 'acct_1' && run.request.originId !== undefined)?.run;
  for (const [startDate, endDate, start, end] of periods) {
    for (const granularity of GRANULARITIES) {
      for (const optimizationId of [undefined, family?.request.originId]) {
        const query = { startDate, endDate, granularity, optimizationId };
        const report = await service.metrics('acct_1', query);
        const whole = recount(courses, start, end, optimizationId);
        expect(report.period).toEqual({ start, end });
        expect(report.totalOptimizations).toBe(whole.runs.length);
        expect(report.successfulOptimizations).toBe(whole.completed.length);
        expect(report.failedOptimizations).toBe(whole.ended.length - whole.completed.length);
        expect(report.totalEvaluations).toBe(whole.evaluations);
        expect(report.averageOptimizationTime).toBeCloseTo(whole.sum / Math.max(1, whole.completed.length), 9);
        expect(report.cost.total).toBeCloseTo(whole.cost, 3);
        expect(report.buckets.map((bucket) => bucket.start)).toEqual(starts(start, end, granularity));
        for (const bucket of report.buckets) {
          const part = recount(courses, bucket.start, bucket.end, optimizationId);
          expect(bucket.optimizations).toBe(part.runs.length);
          const rate = part.ended.length === 0 ? 0 : part.completed.length / part.ended.length;
          expect(bucket.successRate).toBe(rate);
        }
      }
    }
    const executions = await service.executions('acct_1', { startDate, endDate });
    const { runs, originals } = recount(courses, start, end);
    expect(executions.total).toBe(runs.length);
    expect(executions.byOptimizationTotal).toBe(originals.size);
    const newest = [...originals].sort(([a], [b]) => (a < b ? 1 : -1)).slice(0, 1_000);
    expect(executions.byOptimization.map(({ optimizationId, count }) => [optimizationId, count])).toEqual(newest);
    const failed = await service.executions('acct_1', { startDate, endDate, status: 'failed' });
    expect(failed.total).toBe(runs.filter(({ fate }) => fate === 'failed' || fate === 'cancelled').length);
  }
  for (const optimizationId of [undefined, family?.request.originId]) {
    const { executionTime, errorRate } = await service.performance('acct_1', optimizationId);
    const { percentile, seconds, ended, sum } = recount(courses, 0, Infinity, optimizationId);
    expect(executionTime.average).toBeCloseTo(sum / seconds.length, 9);
    expect(executionTime.median).toBeCloseTo(percentile(0.5), 12);
    expect(executionTime.p95).toBeCloseTo(percentile(0.95), 12);
    expect(executionTime.p99).toBeCloseTo(percentile(0.99), 12);
    expect(errorRate).toMatchObject({ failed: ended.length - seconds.length, total: ended.length });
  }
}

/** Hour by hour, by the calendar: slow and plain. */
function starts(start: number, end: number, granularity: Granularity): number[] {
  const result = [start];
  for (let hour = Math.floor(start / HOUR) * HOUR + HOUR; hour <= end; hour += HOUR) {
    const date = new Date(hour);
    const isDay = date.getUTCHours() === 0;
    const begins = {
      hour: true,
      day: isDay,
      week: isDay && date.getUTCDay() === 1,
      month: isDay && date.getUTCDate() === 1,
    };
    if (begins[granularity]) result.push(hour);
  }
  return result;
}

describe('reports', () => {
  const courses = randomCourses(RUNS, 3, SPAN);

  it('say what a recount of 5,000 runs says, in SQLite, before and after sums were made', async () => {
    const dataDir = dataFolder('extremum-analytics-');
    folders.push(dataDir);
    const store = openSqliteStore({ dataDir, exclusive: true });
    for (const id of ['acct_1', 'acct_2']) await store.ensureAccount({ id, name: id, createdAt: 1 });
    await live(store, courses);
    await check(store, courses);
    while ((await store.rollUp(NOW, 100)) > 0);
    await check(store, courses);
    await store.close();
  }, 600_000);

  it('say what a recount says, in memory', async () => {
    const some = courses.slice(0, 500);
    const store = openMemoryStore();
    await live(store, some);
    await check(store, some);
  }, 600_000);

  it('have at most 2,000 buckets', () => {
    const period = { start: 0, end: 2_000 * HOUR - 1 };
    expect(boundariesOf(period, 'hour', 2_000)?.length).toBe(2_001);
    expect(boundariesOf({ ...period, end: 2_000 * HOUR }, 'hour', 2_000)).toBeNull();
  });

  it('have dates of four digits, whatever the offset', () => {
    expect(timeOf('start_date', '0001-01-01', 'start')).toBe(Date.parse('0001-01-01T00:00:00.000Z'));
    expect(timeOf('end_date', '9999-12-31', 'end')).toBe(Date.parse('9999-12-31T23:59:59.999Z'));
    expect(() => timeOf('end_date', '9999-12-31T23:59:59-01:00', 'end')).toThrow('`end_date` must be');
    expect(() => timeOf('start_date', '0001-01-01T00:00:00+01:00', 'start')).toThrow('`start_date` must be');
  });
});
