/** Counts of runs in memory: no sums are kept, each answer goes through all facts. */
import type { Execution, ExecutionPlace } from '../../model/execution.js';
import {
  countedEnding,
  createdFacts,
  endedFacts,
  NOTHING_ENDED,
  pickTally,
  type RunFacts,
  type RunTally,
  sumTallies,
  type TallyField,
  tallyOf,
} from '../../model/run-facts.js';
import type { RunRecord } from '../../model/run-record.js';
import type { AnalyticsStore, CountedFilter, OriginalCount, TrafficReport } from '../contract/analytics.js';
import { mergeCounts } from '../rules/rollups.js';

const NOT_ENDED = { evaluations: null, seconds: null, cpuMicros: null, gpuMicros: null } as const;

const newestFirst = (a: ExecutionPlace, b: ExecutionPlace): number =>
  b.createdAt - a.createdAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

export class MemoryAnalytics implements AnalyticsStore {
  private readonly facts = new Map<string, RunFacts>();
  private readonly results = new Map<string, Pick<Execution, 'bestFitness' | 'strategy'>>();

  /** Notes the facts of a run as it is after a change of its status. */
  count(run: RunRecord): void {
    const { id, accountId, createdAt, status, completedAt, ending } = run;
    const created = createdFacts(id, run.request);
    const ended = ending === null ? NOTHING_ENDED : endedFacts(created, countedEnding(ending));
    const { bytesIn, bytesOut } = this.facts.get(id) ?? { bytesIn: 0, bytesOut: 0 };
    this.facts.set(id, { id, accountId, createdAt, status, completedAt, ...created, ...ended, bytesIn, bytesOut });
    this.results.set(id, {
      bestFitness: ending?.bestFitness ?? null,
      strategy: ending?.strategies.at(-1)?.name ?? null,
    });
  }

  private counted(accountId: string, filter: Partial<CountedFilter>): RunFacts[] {
    const { from = -Infinity, to = Infinity, status, optimizationId } = filter;
    return [...this.facts.values()].filter(
      (facts) =>
        facts.accountId === accountId &&
        facts.createdAt >= from &&
        facts.createdAt < to &&
        (status === undefined || facts.status === status) &&
        (optimizationId === undefined || facts.originId === optimizationId || facts.id === optimizationId),
    );
  }

  async runsSpan(accountId: string): Promise<{ first: number; last: number } | null> {
    const times = this.counted(accountId, {}).map(({ createdAt }) => createdAt);
    const extreme = (of: (a: number, b: number) => number): number => times.reduce((a, b) => of(a, b));
    return times.length === 0 ? null : { first: extreme(Math.min), last: extreme(Math.max) };
  }

  async tallies<F extends TallyField>(
    accountId: string,
    boundaries: readonly number[],
    fields: readonly F[],
    optimizationId?: string,
  ): Promise<readonly Pick<RunTally, F>[]> {
    return boundaries.slice(1).map((to, i) => {
      const runs = this.counted(accountId, { from: boundaries[i], to, optimizationId });
      return pickTally(sumTallies(runs.map(tallyOf)), fields);
    });
  }

  async durationsAt(
    accountId: string,
    _count: number,
    places: readonly number[],
    optimizationId?: string,
  ): Promise<readonly number[]> {
    const completed = this.counted(accountId, { status: 'completed', optimizationId });
    const seconds = completed.map((facts) => facts.seconds).sort((a, b) => a - b);
    return places.map((place) => seconds[place] ?? 0);
  }

  async countByOriginal(
    accountId: string,
    filter: CountedFilter,
    limit: number,
  ): Promise<{ items: readonly OriginalCount[]; withoutOriginal: number }> {
    const runs = this.counted(accountId, filter);
    const counts = runs.map(({ originId, status }) => ({
      id: originId,
      count: 1,
      completed: Number(status === 'completed'),
      failed: Number(status === 'failed'),
    }));
    const there = new Set(runs.map(({ id }) => id));
    const all = mergeCounts(counts, Infinity);
    return { items: all.slice(0, limit), withoutOriginal: all.filter(({ id }) => !there.has(id)).length };
  }

  async executions(
    accountId: string,
    filter: CountedFilter,
    after: ExecutionPlace | null,
    limit: number,
  ): Promise<readonly Execution[]> {
    return this.counted(accountId, filter)
      .filter((facts) => after === null || newestFirst(after, facts) < 0)
      .sort(newestFirst)
      .slice(0, limit)
      .map((facts) => {
        const { id, createdAt, status, completedAt, evaluations, seconds, cpuMicros, gpuMicros } = facts;
        const ended = completedAt === null ? NOT_ENDED : { evaluations, seconds, cpuMicros, gpuMicros };
        return { id, createdAt, status, completedAt, ...ended, ...this.results.get(id)! };
      });
  }

  async addTraffic(reports: readonly TrafficReport[]): Promise<void> {
    for (const { runId, bytesIn, bytesOut } of reports) {
      const facts = this.facts.get(runId);
      if (facts === undefined) continue;
      this.facts.set(runId, { ...facts, bytesIn: facts.bytesIn + bytesIn, bytesOut: facts.bytesOut + bytesOut });
    }
  }

  async rollUp(): Promise<number> {
    return 0;
  }
}
