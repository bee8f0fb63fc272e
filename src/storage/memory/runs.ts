/** Runs in memory. */
import { EMPTY_TRACE, type MonitoringTrace } from '../../model/monitoring.js';
import type { Page } from '../../model/page.js';
import type { RunSource } from '../../model/problem.js';
import type { RunEvent } from '../../model/run-event.js';
import type { Metadata, NewRun, RunRecord } from '../../model/run-record.js';
import { canBecome, isFinished } from '../../model/run-status.js';
import {
  curveOf,
  NEWEST_FIRST,
  type RunOrder,
  type RunSummary,
  searchText,
  summaryOf,
  summaryState,
  dimensionsOf,
  isWithin,
  type RunMeasure,
} from '../../model/run-summary.js';
import type { HistoryPoint } from '../../model/run-task.js';
import type {
  Claim,
  ClaimableRun,
  ClaimedRun,
  HeldRun,
  ProgressReport,
  RunAbandonment,
  RunEnd,
  RunFilter,
  RunFinish,
  RunPageRequest,
  RunsAtWork,
  RunState,
  RunStore,
} from '../contract/runs.js';
import { decodeTrace, encodeTrace } from '../../model/trace-bytes.js';
import { runExists } from '../rules/conflicts.js';
import { inTurns } from '../rules/turns.js';
import type { MemoryAnalytics } from './analytics.js';
import type { MemoryLearning } from './learning.js';
import { copy } from './lists.js';

interface StoredRun {
  record: RunRecord;
  readonly source: RunSource;
  owner: string | null;
  /** It is all that its owner carries out. */
  isAlone: boolean;
  leaseUntil: number;
  history: readonly HistoryPoint[];
  /** As of the latest history. */
  curve: readonly number[];
  checkpoint: Uint8Array | null;
  /** How long the checkpoint of a run that has ended is kept. */
  keepUntil: number;
  /** Encoded. */
  monitoring: Uint8Array;
  events: readonly RunEvent[];
  /** How many of them were handed on to webhooks. */
  relayed: number;
}

/** Facts about a removed run. */
type RemovedRun = Pick<RunRecord, 'accountId' | 'createdAt' | 'status' | 'completedAt'>;

/** The events of a run that are to be handed on. */
interface Outbox {
  readonly accountId: string;
  readonly runId: string;
  readonly events: readonly RunEvent[];
  done(): void;
}

const claimable = ({ record, owner }: StoredRun): ClaimableRun => ({
  id: record.id,
  accountId: record.accountId,
  losses: record.losses,
  isLost: record.status === 'running' && owner !== null,
});

export class MemoryRuns implements RunStore {
  private readonly runs = new Map<string, StoredRun>();
  private readonly removedRuns = new Map<string, RemovedRun>();
  private readonly analytics: MemoryAnalytics;
  private readonly learning: MemoryLearning;

  constructor(analytics: MemoryAnalytics, learning: MemoryLearning) {
    this.analytics = analytics;
    this.learning = learning;
  }

  async createRun(run: NewRun, claim?: Claim): Promise<RunRecord> {
    if (this.runs.has(run.id) || this.removedRuns.has(run.id)) throw runExists(run.id);
    const { source, start, ...rest } = copy(run);
    const record: RunRecord = {
      ...rest,
      status: claim === undefined ? 'pending' : 'running',
      startedAt: claim?.now ?? null,
      completedAt: null,
      attempt: claim === undefined ? 0 : 1,
      losses: 0,
      strikes: 0,
      cancelRequested: false,
      progress: null,
      ending: null,
    };
    this.runs.set(run.id, {
      record,
      source,
      owner: claim?.owner ?? null,
      isAlone: claim?.alone ?? false,
      leaseUntil: claim?.leaseUntil ?? 0,
      history: start?.history ?? [],
      curve: curveOf(start?.history ?? [], summaryState(record).evaluations),
      checkpoint: start?.checkpoint ?? null,
      keepUntil: 0,
      monitoring: encodeTrace(EMPTY_TRACE),
      events: [],
      relayed: 0,
    });
    this.analytics.count(record);
    return copy(record);
  }

  private owned(accountId: string, id: string): StoredRun | undefined {
    const found = this.runs.get(id);
    return found?.record.accountId === accountId ? found : undefined;
  }

  async findRun(accountId: string, id: string): Promise<RunRecord | null> {
    const found = this.owned(accountId, id);
    return found === undefined ? null : copy(found.record);
  }

  async listRuns(accountId: string, filter: RunFilter, page: RunPageRequest): Promise<Page<RunRecord>> {
    return this.page(accountId, filter, page, ({ record }) => record);
  }

  async listSummaries(accountId: string, filter: RunFilter, page: RunPageRequest): Promise<Page<RunSummary>> {
    return this.page(accountId, filter, page, ({ record, curve }) => summaryOf(record, curve));
  }

  private page<T>(
    accountId: string,
    { status, functionId, strategy, limits = [], words = [] }: RunFilter,
    { limit, offset, order = NEWEST_FIRST }: RunPageRequest,
    shown: (stored: StoredRun) => T,
  ): Page<T> {
    const matching = [...this.runs.values()].filter(({ record }) => {
      if (record.accountId !== accountId || (status ?? record.status) !== record.status) return false;
      if ((functionId ?? record.functionId) !== record.functionId) return false;
      if (strategy !== undefined && summaryState(record).strategy !== strategy) return false;
      const text = searchText(record.id, record.request, record.metadata);
      return (
        limits.every((limit) => isWithin(measureOf(record, limit.measure), limit)) &&
        words.every((word) => text.includes(word))
      );
    });
    const sorted = matching.sort((a, b) => inOrder(order, a.record, b.record));
    return { items: sorted.slice(offset, offset + limit).map((stored) => copy(shown(stored))), total: matching.length };
  }

  private isClaimable(stored: StoredRun, now: number): boolean {
    const { status } = stored.record;
    return status === 'pending' || (status === 'running' && stored.leaseUntil <= now);
  }

  async claimableRuns(now: number, limit: number): Promise<readonly ClaimableRun[]> {
    const found = [...this.runs.values()].filter((stored) => this.isClaimable(stored, now));
    return inTurns(found.map(claimable)).slice(0, limit);
  }

  async runsAtWork(now: number): Promise<readonly RunsAtWork[]> {
    const runs = new Map<string, number>();
    for (const { record, leaseUntil } of this.running()) {
      if (leaseUntil > now) runs.set(record.accountId, (runs.get(record.accountId) ?? 0) + 1);
    }
    return [...runs].map(([accountId, count]) => ({ accountId, runs: count }));
  }

  async claimRun(id: string, claim: Claim): Promise<ClaimedRun | null> {
    const stored = this.runs.get(id);
    if (stored === undefined || !this.isClaimable(stored, claim.now)) return null;
    const { record } = stored;
    const { isLost } = claimable(stored);
    stored.record = {
      ...record,
      status: 'running',
      attempt: record.attempt + 1,
      losses: record.losses + (isLost ? 1 : 0),
      strikes: record.strikes + (isLost && stored.isAlone ? 1 : 0),
      startedAt: record.startedAt ?? claim.now,
    };
    stored.owner = claim.owner;
    stored.isAlone = claim.alone ?? false;
    stored.leaseUntil = claim.leaseUntil;
    this.analytics.count(stored.record);
    return copy({ run: stored.record, source: stored.source, checkpoint: stored.checkpoint });
  }

  /** The run if it is running under exactly this attempt. */
  private current(id: string, attempt: number): StoredRun | undefined {
    const stored = this.runs.get(id);
    return stored?.record.attempt === attempt && stored.record.status === 'running' ? stored : undefined;
  }

  async releaseRun(id: string, attempt: number, how: 'returned' | 'lost'): Promise<boolean> {
    const stored = this.current(id, attempt);
    if (stored === undefined) return false;
    if (how === 'returned') stored.owner = null;
    else stored.isAlone = true;
    stored.leaseUntil = 0;
    return true;
  }

  async noteCompany(id: string, attempt: number): Promise<boolean> {
    const stored = this.current(id, attempt);
    if (stored !== undefined) stored.isAlone = false;
    return stored !== undefined;
  }

  private running(): StoredRun[] {
    return [...this.runs.values()].filter((stored) => stored.record.status === 'running');
  }

  async renewLeases(held: readonly HeldRun[], leaseUntil: number): Promise<number> {
    const leased = held.flatMap(({ id, attempt }) => this.current(id, attempt) ?? []);
    const renewed = leased.filter((stored) => stored.leaseUntil > 0);
    for (const stored of renewed) stored.leaseUntil = leaseUntil;
    return renewed.length;
  }

  async expireLeases(): Promise<number> {
    const leased = this.running().filter((stored) => stored.leaseUntil > 0);
    for (const stored of leased) stored.leaseUntil = 0;
    return leased.length;
  }

  async runStates(ids: readonly string[]): Promise<readonly RunState[]> {
    return [...new Set(ids)].flatMap((id) => {
      const record = this.runs.get(id)?.record;
      if (record === undefined) return [];
      const { status, attempt, cancelRequested } = record;
      return [{ id, status, attempt, cancelRequested }];
    });
  }

  async saveProgress(id: string, attempt: number, report: ProgressReport): Promise<boolean> {
    const stored = this.current(id, attempt);
    if (stored === undefined) return false;
    const { progress, history, checkpoint, events } = copy(report);
    addEvents(stored, events);
    stored.record = { ...stored.record, progress };
    if (checkpoint !== undefined) stored.isAlone = false;
    if (history !== undefined) setHistory(stored, history);
    if (checkpoint !== undefined) stored.checkpoint = checkpoint;
    return true;
  }

  async finishRun(id: string, attempt: number, finish: RunFinish): Promise<RunRecord | null> {
    const stored = this.runs.get(id);
    if (stored?.record.attempt !== attempt || !canBecome(stored.record.status, finish.status)) return null;
    const { status, ending, completedAt, history, monitoring, events, extendable, lesson } = copy(finish);
    if (lesson !== undefined) this.learning.learn(stored.record.accountId, lesson);
    addEvents(stored, events);
    stored.record = { ...stored.record, status, ending, completedAt, progress: null };
    this.analytics.count(stored.record);
    if (history !== undefined) setHistory(stored, history);
    if (monitoring !== undefined) stored.monitoring = monitoring;
    stored.checkpoint = extendable?.checkpoint ?? null;
    stored.keepUntil = extendable?.until ?? 0;
    stored.owner = null;
    return copy(stored.record);
  }

  async abandonRun(id: string, end: RunAbandonment): Promise<boolean> {
    const stored = this.runs.get(id);
    const attempt = stored?.record.attempt ?? -1;
    if (stored === undefined || (await this.finishRun(id, attempt, { ...end, status: 'failed' })) === null)
      return false;
    stored.record = { ...stored.record, attempt: attempt + 1 };
    return true;
  }

  async runSource(accountId: string, id: string): Promise<RunSource | null> {
    const stored = this.owned(accountId, id);
    return stored === undefined ? null : copy(stored.source);
  }

  async runCheckpoint(id: string): Promise<Uint8Array | null> {
    const stored = this.runs.get(id);
    return stored === undefined || isFinished(stored.record.status) ? null : copy(stored.checkpoint);
  }

  async runEnd(accountId: string, id: string, now: number): Promise<RunEnd | null> {
    const stored = this.owned(accountId, id);
    if (stored === undefined || !isFinished(stored.record.status)) return null;
    const { source, checkpoint, history, keepUntil } = stored;
    return copy({ source, checkpoint: keepUntil > now ? checkpoint : null, history });
  }

  async requestCancel(accountId: string, id: string): Promise<RunRecord | null> {
    const stored = this.owned(accountId, id);
    if (stored === undefined || isFinished(stored.record.status)) return null;
    stored.record = { ...stored.record, cancelRequested: true };
    return copy(stored.record);
  }

  async updateMetadata(accountId: string, id: string, metadata: Metadata, event?: RunEvent): Promise<RunRecord | null> {
    const stored = this.owned(accountId, id);
    if (stored === undefined) return null;
    addEvents(stored, event === undefined ? [] : [copy(event)]);
    stored.record = { ...stored.record, metadata: copy(metadata) };
    return copy(stored.record);
  }

  async saveMonitoring(id: string, attempt: number, trace: Uint8Array): Promise<boolean> {
    const stored = this.current(id, attempt);
    if (stored !== undefined) stored.monitoring = copy(trace);
    return stored !== undefined;
  }

  async runMonitoring(accountId: string, id: string): Promise<MonitoringTrace | null> {
    const stored = this.owned(accountId, id);
    return stored === undefined ? null : decodeTrace(stored.monitoring);
  }

  async runHistory(accountId: string, id: string): Promise<readonly HistoryPoint[] | null> {
    const stored = this.owned(accountId, id);
    return stored === undefined ? null : copy(stored.history);
  }

  async runEvents(accountId: string, id: string, after: number, limit: number): Promise<readonly RunEvent[] | null> {
    const stored = this.owned(accountId, id);
    return stored === undefined ? null : copy(stored.events.slice(after, after + limit));
  }

  outboxes(): Outbox[] {
    return [...this.runs]
      .filter(([, { events, relayed }]) => events.length > relayed)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([runId, stored]) => ({
        accountId: stored.record.accountId,
        runId,
        events: stored.events.slice(stored.relayed),
        done: () => {
          stored.relayed = stored.events.length;
        },
      }));
  }

  /** The run of any account. */
  record(id: string): RunRecord | undefined {
    return this.runs.get(id)?.record;
  }

  /** Those of an account that have ended, in the order of their ends. */
  ended(accountId: string): readonly (RunRecord & { readonly completedAt: number })[] {
    return [...this.runs.values()]
      .flatMap(({ record }) => {
        const { completedAt } = record;
        return record.accountId === accountId && completedAt !== null ? [{ ...record, completedAt }] : [];
      })
      .sort((a, b) => a.completedAt - b.completedAt || (a.id < b.id ? -1 : 1));
  }

  /** False: no run of the account that has ended. */
  remove(accountId: string, id: string): boolean {
    const stored = this.owned(accountId, id);
    if (stored === undefined || !isFinished(stored.record.status)) return false;
    const { createdAt, status, completedAt } = stored.record;
    this.removedRuns.set(id, { accountId, createdAt, status, completedAt });
    this.analytics.forgetResult(id);
    return this.runs.delete(id);
  }

  /** Undefined: no run with that identifier was removed. */
  removed(id: string): RemovedRun | undefined {
    return this.removedRuns.get(id);
  }

  removeExpired(now: number): void {
    for (const stored of this.runs.values()) {
      if (!isFinished(stored.record.status) || stored.keepUntil > now) continue;
      stored.checkpoint = null;
      stored.keepUntil = 0;
    }
  }

  /** Ends leases that last longer than until `latest`. Returns how many. */
  bringBackLeases(latest: number): number {
    const ahead = this.running().filter((stored) => stored.leaseUntil > Math.max(0, latest));
    for (const stored of ahead) stored.leaseUntil = 0;
    return ahead.length;
  }
}

function setHistory(stored: StoredRun, history: readonly HistoryPoint[]): void {
  stored.history = history;
  stored.curve = curveOf(history, summaryState(stored.record).evaluations);
}

const measureOf = (record: RunRecord, measure: RunMeasure): number | null =>
  measure === 'dimensions' ? dimensionsOf(record.request) : summaryState(record)[measure];

/** The identifier has the time of creation. */
const keyOf = (record: RunRecord, key: RunOrder['key']): number | null =>
  key === 'createdAt' ? 0 : summaryState(record)[key];

function inOrder({ key, isDescending }: RunOrder, a: RunRecord, b: RunRecord): number {
  const [own, other] = [keyOf(a, key), keyOf(b, key)];
  if (own !== other && (own === null || other === null)) return own === null ? 1 : -1;
  const ascending = (own ?? 0) - (other ?? 0) || (a.id < b.id ? -1 : 1);
  return isDescending ? -ascending : ascending;
}

function addEvents(run: StoredRun, events: readonly RunEvent[] = []): void {
  const known = new Set(run.events.map(({ id }) => id));
  run.events = [...run.events, ...events.filter(({ id }) => !known.has(id))];
}
