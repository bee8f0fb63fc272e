/**
 * Keeps the monitoring trace of one run while this process carries it out: looks at it once a second, from the main
 * thread, so that rows come also while the run's thread computes. Looking reads shared memory and one small file of the
 * kernel, and changes nothing of the run. The trace is stored the less often the longer it is.
 */
import { isDamaged } from '../common/errors.js';
import type { Clock } from '../common/ids.js';
import { EMPTY_TRACE, type MonitoringRow, type MonitoringTrace, withRow } from '../model/monitoring.js';
import type { RunRecord } from '../model/run-record.js';
import { encodeTrace } from '../model/trace-bytes.js';
import type { RunStore } from '../storage/contract/runs.js';
import { type GaugeReading, type Gauges, newGauges, readGauges } from './gauges.js';
import { threadCpuSeconds } from './thread-meter.js';

export const SAMPLE_MS = 1_000;
/**
 * A trace is stored every second while it has so many rows at most, one of twice the length every other second, and so
 * on.
 */
const ROWS_PER_SECOND = 200;

/** Whatever is measured; tests give their own. */
export interface MonitorSources {
  /** Epoch milliseconds. */
  readonly clock: Clock;
  /** Milliseconds, monotonic. */
  now(): number;
  threadCpuSeconds(thread: number): number | null;
  serviceCpuSeconds(): number;
  serviceMemoryBytes(): number;
}

export const sourcesOf = (clock: Clock): MonitorSources => ({
  clock,
  now: () => performance.now(),
  threadCpuSeconds,
  serviceCpuSeconds: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  },
  serviceMemoryBytes: () => process.memoryUsage.rss(),
});

/** Sums since the thread began. */
type Sums = Pick<MonitoringRow, 'evaluations' | 'tiers' | 'checks' | 'threadCpuSeconds' | 'pythonSeconds'>;

export class RunMonitor {
  private readonly run: RunRecord;
  private readonly store: Pick<RunStore, 'runMonitoring' | 'saveMonitoring'>;
  private readonly sources: MonitorSources;
  private readonly isOfProblem: boolean;
  /** What earlier attempts have left; null: not asked for yet. */
  private earlier: MonitoringTrace | null;
  /** Rows of this attempt that wait for it. */
  private readonly waiting: MonitoringRow[] = [];
  private gauges: Gauges | null = null;
  private pythonSeconds: () => number = () => 0;
  private before: Sums;
  private lookedAt: number;
  private serviceCpu: number;
  private queuedSeconds: number;
  private storedAt: number;
  private saving: Promise<void> = Promise.resolve();
  private isSaving = false;

  constructor(run: RunRecord, store: RunMonitor['store'], sources: MonitorSources) {
    this.run = run;
    this.store = store;
    this.sources = sources;
    this.isOfProblem = run.request.problem !== undefined;
    this.earlier = run.attempt === 1 ? EMPTY_TRACE : null;
    this.before = this.nothing();
    this.lookedAt = this.storedAt = sources.now();
    this.serviceCpu = sources.serviceCpuSeconds();
    const isFirst = run.attempt === 1 && run.startedAt !== null;
    this.queuedSeconds = isFirst ? Math.max(0, (run.startedAt - run.createdAt) / 1_000) : 0;
  }

  /** A thread begins. The gauges are for its job. `pythonSeconds`: in which it waited for CPython so far. */
  begin(pythonSeconds: () => number = () => 0): Gauges {
    this.gauges = newGauges();
    this.pythonSeconds = pythonSeconds;
    this.before = this.nothing();
    return this.gauges;
  }

  /** The thread is gone: its last figures go into a row. */
  end(): void {
    if (this.gauges === null) return;
    this.look();
    this.gauges = null;
    this.pythonSeconds = () => 0;
  }

  /** One row, of the time since the last look; then stores the trace, if that is due. @throws what the store throws */
  async sample(): Promise<void> {
    this.look();
    const rows = (this.earlier?.rows.length ?? 0) + this.waiting.length;
    const everyMs = SAMPLE_MS * Math.max(1, rows / ROWS_PER_SECOND);
    // Half a look: that one was a little early must not cost a whole one.
    if (this.isSaving || this.sources.now() - this.storedAt < everyMs - SAMPLE_MS / 2) return;
    this.storedAt = this.sources.now();
    this.isSaving = true;
    try {
      await this.save();
    } finally {
      this.isSaving = false;
    }
  }

  /** Stores what there is, after what is being stored. @throws what the store throws */
  save(): Promise<void> {
    const saved = this.saving.then(async () => {
      await this.store.saveMonitoring(this.run.id, this.run.attempt, encodeTrace(await this.trace()));
    });
    this.saving = saved.catch(() => {});
    return saved;
  }

  /** All of it, earlier attempts included. @throws what the store throws, which must not lose what those have left */
  async trace(): Promise<MonitoringTrace> {
    const earlier = this.earlier ?? (await this.left());
    // Meanwhile somebody else may have asked, too.
    let trace = this.earlier ?? earlier;
    for (const row of this.waiting.splice(0)) trace = withRow(trace, row);
    this.earlier = trace;
    return trace;
  }

  private async left(): Promise<MonitoringTrace> {
    const { accountId, id } = this.run;
    try {
      return (await this.store.runMonitoring(accountId, id)) ?? EMPTY_TRACE;
    } catch (error) {
      if (isDamaged(error)) return EMPTY_TRACE;
      throw error;
    }
  }

  private nothing(): Sums {
    const counts = this.isOfProblem ? null : 0;
    const tiers = this.isOfProblem ? null : {};
    return { evaluations: counts, tiers, checks: counts, threadCpuSeconds: 0, pythonSeconds: 0 };
  }

  private look(): void {
    const { sources, run } = this;
    const now = sources.now();
    const seconds = (now - this.lookedAt) / 1_000;
    if (seconds <= 0) return;
    const gauges = this.gauges === null ? null : readGauges(this.gauges);
    const sums = gauges === null ? this.before : this.sums(gauges);
    const serviceCpu = sources.serviceCpuSeconds();
    this.waiting.push({
      at: sources.clock(),
      seconds,
      attempt: run.attempt,
      ...difference(sums, this.before),
      serviceCpuSeconds: serviceCpu - this.serviceCpu,
      threadMemoryBytes: gauges?.memoryBytes ?? null,
      serviceMemoryBytes: sources.serviceMemoryBytes(),
      queuedSeconds: this.queuedSeconds,
    });
    this.lookedAt = now;
    this.before = sums;
    this.serviceCpu = serviceCpu;
    this.queuedSeconds = 0;
  }

  private sums({ evaluations, tiers, checks, thread }: GaugeReading): Sums {
    const cpu = thread === null ? null : this.sources.threadCpuSeconds(thread.id);
    return {
      evaluations: this.isOfProblem ? null : evaluations,
      tiers: this.isOfProblem ? null : tiers,
      checks: this.isOfProblem ? null : checks,
      threadCpuSeconds: thread === null || cpu === null ? null : Math.max(0, cpu - thread.cpuSecondsBefore),
      pythonSeconds: this.pythonSeconds(),
    };
  }
}

const less = (now: number | null, before: number | null): number | null =>
  now === null || before === null ? null : Math.max(0, now - before);

function difference(now: Sums, before: Sums): Sums {
  const tiers =
    now.tiers === null || before.tiers === null
      ? null
      : Object.fromEntries(
          Object.entries(now.tiers)
            .map(([tier, count]) => [tier, count - (before.tiers?.[tier] ?? 0)] as const)
            .filter(([, count]) => count > 0),
        );
  return {
    evaluations: less(now.evaluations, before.evaluations),
    tiers,
    checks: less(now.checks, before.checks),
    threadCpuSeconds: less(now.threadCpuSeconds, before.threadCpuSeconds),
    pythonSeconds: Math.max(0, now.pythonSeconds - before.pythonSeconds),
  };
}
