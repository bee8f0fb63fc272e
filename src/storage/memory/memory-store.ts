/**
 * The store in memory: the contract in its plainest form, for tests and as the model that other stores are compared
 * with. Forgets everything at `close`.
 */
import { randomBytes } from 'node:crypto';
import { ExtremumError } from '../../common/errors.js';
import type { AccountSettings } from '../../model/account-settings.js';
import { isForgotten, type Account, type ApiKeyRecord } from '../../model/api-key.js';
import type { BatchRecord, BatchState } from '../../model/batch.js';
import type { FunctionRecord } from '../../model/function-record.js';
import type { ClaimOutcome, IdempotencyClaim } from '../../model/idempotency.js';
import type { RunSource } from '../../model/problem.js';
import type { Misreading } from '../../model/verification.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { FederatedChange, NumberedChange } from '../../model/federation.js';
import type { Lesson, NumberedLesson } from '../../model/learning.js';
import type { Metadata, NewRun, RunRecord } from '../../model/run-record.js';
import type { RunEvent } from '../../model/run-event.js';
import { canBecome, isFinished } from '../../model/run-status.js';
import type { HistoryPoint } from '../../model/run-task.js';
import { batchExists, keyExists, runExists, secretIsThere } from '../rules/conflicts.js';
import { copy, window } from './lists.js';
import { MemoryConversations } from './memory-conversations.js';
import type { Outbox } from './memory-webhooks.js';
import { latestTimes } from '../rules/latest-times.js';
import { MemoryCounting } from './counting.js';
import type { RequestCount } from '../contract/counting.js';
import type { LearnedState } from '../contract/learning.js';
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
  RunState,
  RunsAtWork,
} from '../contract/runs.js';
import type { Store } from '../store.js';
import { batchState } from '../rules/batch-state.js';
import { learnedState } from '../rules/learned-state.js';
import { standingOf } from '../rules/request-claims.js';
import { inTurns } from '../rules/turns.js';

interface StoredRun {
  record: RunRecord;
  readonly source: RunSource;
  owner: string | null;
  /** It is all that its owner carries out. */
  isAlone: boolean;
  leaseUntil: number;
  history: readonly HistoryPoint[];
  checkpoint: Uint8Array | null;
  /** Of the checkpoint of a run that has ended. */
  keepUntil: number;
  events: readonly RunEvent[];
  /** How many of them were handed on to webhooks. */
  relayed: number;
}

interface Learned {
  readonly forgotten: number;
  readonly lessons: readonly NumberedLesson[];
}

interface StoredRequest extends IdempotencyClaim {
  readonly claimedAt: number;
  readonly answer: string | null;
}

export function openMemoryStore(): Store {
  return new MemoryStore();
}

const claimable = ({ record, owner }: StoredRun): ClaimableRun => ({
  id: record.id,
  accountId: record.accountId,
  losses: record.losses,
  isLost: record.status === 'running' && owner !== null,
});
const requestName = (accountId: string, key: string): string => JSON.stringify([accountId, key]);
function addEvents(run: StoredRun, events: readonly RunEvent[] = []): void {
  const known = new Set(run.events.map(({ id }) => id));
  run.events = [...run.events, ...events.filter(({ id }) => !known.has(id))];
}

class MemoryStore extends MemoryConversations implements Store {
  readonly kind = 'memory';
  readonly capabilities = { exclusive: true, durable: false };
  readonly #functions = new Map<string, FunctionRecord>();
  readonly #misreadings = new Map<string, Misreading>();
  readonly #runs = new Map<string, StoredRun>();
  readonly #accounts = new Map<string, Account>();
  readonly #keys = new Map<string, ApiKeyRecord>();
  readonly #batches = new Map<string, BatchRecord>();
  readonly #settings = new Map<string, AccountSettings>();
  readonly #requests = new Map<string, StoredRequest>();
  readonly #learned = new Map<string, Learned>();
  readonly #federated = new Map<string, readonly NumberedChange[]>();
  readonly #counts = new MemoryCounting();
  readonly #keySecret = randomBytes(32);
  #open = true;

  protected check(): void {
    if (!this.#open) throw new ExtremumError('store_unavailable', 'The store is closed.');
  }

  async saveFunction(record: FunctionRecord): Promise<void> {
    this.check();
    const { misread: _found, ...rest } = record;
    if (!this.#functions.has(record.id)) this.#functions.set(record.id, copy(rest));
  }

  async findFunction(accountId: string, id: string): Promise<FunctionRecord | null> {
    this.check();
    const found = this.#functions.get(id);
    return found?.accountId === accountId ? this.#withMisreading(found) : null;
  }

  #withMisreading(record: FunctionRecord): FunctionRecord {
    const misread = this.#misreadings.get(requestName(record.accountId, record.sha256));
    return copy(misread === undefined ? record : { ...record, misread });
  }

  async saveMisreading(accountId: string, sha256: string, misreading: Misreading): Promise<void> {
    this.check();
    const name = requestName(accountId, sha256);
    if (!this.#misreadings.has(name)) this.#misreadings.set(name, copy(misreading));
  }

  async findMisreading(accountId: string, sha256: string): Promise<Misreading | null> {
    this.check();
    return copy(this.#misreadings.get(requestName(accountId, sha256)) ?? null);
  }

  async countMisreadings(): Promise<number> {
    this.check();
    return this.#misreadings.size;
  }

  async listFunctions(accountId: string, page: PageRequest): Promise<Page<FunctionRecord>> {
    this.check();
    const found = [...this.#functions.values()].filter((record) => record.accountId === accountId);
    return window(
      found.map((record) => this.#withMisreading(record)),
      page,
    );
  }

  async deleteFunction(accountId: string, id: string): Promise<boolean> {
    this.check();
    return this.#functions.get(id)?.accountId === accountId && this.#functions.delete(id);
  }

  async createRun(run: NewRun, claim?: Claim): Promise<RunRecord> {
    this.check();
    if (this.#runs.has(run.id)) throw runExists(run.id);
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
    this.#runs.set(run.id, {
      record,
      source,
      owner: claim?.owner ?? null,
      isAlone: claim?.alone ?? false,
      leaseUntil: claim?.leaseUntil ?? 0,
      history: start?.history ?? [],
      checkpoint: start?.checkpoint ?? null,
      keepUntil: 0,
      events: [],
      relayed: 0,
    });
    this.count(record);
    return copy(record);
  }

  #owned(accountId: string, id: string): StoredRun | undefined {
    this.check();
    const found = this.#runs.get(id);
    return found?.record.accountId === accountId ? found : undefined;
  }

  async findRun(accountId: string, id: string): Promise<RunRecord | null> {
    const found = this.#owned(accountId, id);
    return found === undefined ? null : copy(found.record);
  }

  async listRuns(accountId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunRecord>> {
    this.check();
    const all = [...this.#runs.values()].map((stored) => stored.record);
    const matching = all.filter(
      (record) =>
        record.accountId === accountId &&
        (filter.status === undefined || record.status === filter.status) &&
        (filter.functionId === undefined || record.functionId === filter.functionId),
    );
    return window(matching, page);
  }

  #isClaimable(stored: StoredRun, now: number): boolean {
    const { status } = stored.record;
    return status === 'pending' || (status === 'running' && stored.leaseUntil <= now);
  }

  async claimableRuns(now: number, limit: number): Promise<readonly ClaimableRun[]> {
    this.check();
    const found = [...this.#runs.values()].filter((stored) => this.#isClaimable(stored, now));
    return inTurns(found.map(claimable)).slice(0, limit);
  }

  async runsAtWork(now: number): Promise<readonly RunsAtWork[]> {
    const runs = new Map<string, number>();
    for (const { record, leaseUntil } of this.#running()) {
      if (leaseUntil > now) runs.set(record.accountId, (runs.get(record.accountId) ?? 0) + 1);
    }
    return [...runs].map(([accountId, count]) => ({ accountId, runs: count }));
  }

  async claimRun(id: string, claim: Claim): Promise<ClaimedRun | null> {
    this.check();
    const stored = this.#runs.get(id);
    if (stored === undefined || !this.#isClaimable(stored, claim.now)) return null;
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
    this.count(stored.record);
    return copy({ run: stored.record, source: stored.source, checkpoint: stored.checkpoint });
  }

  /** The run if it is running under exactly this attempt. */
  #current(id: string, attempt: number): StoredRun | undefined {
    this.check();
    const stored = this.#runs.get(id);
    return stored?.record.attempt === attempt && stored.record.status === 'running' ? stored : undefined;
  }

  async releaseRun(id: string, attempt: number, how: 'returned' | 'lost'): Promise<boolean> {
    const stored = this.#current(id, attempt);
    if (stored === undefined) return false;
    if (how === 'returned') stored.owner = null;
    else stored.isAlone = true;
    stored.leaseUntil = 0;
    return true;
  }

  async noteCompany(id: string, attempt: number): Promise<boolean> {
    const stored = this.#current(id, attempt);
    if (stored !== undefined) stored.isAlone = false;
    return stored !== undefined;
  }

  #running(): StoredRun[] {
    this.check();
    return [...this.#runs.values()].filter((stored) => stored.record.status === 'running');
  }

  async renewLeases(held: readonly HeldRun[], leaseUntil: number): Promise<number> {
    const leased = held.flatMap(({ id, attempt }) => this.#current(id, attempt) ?? []);
    const renewed = leased.filter((stored) => stored.leaseUntil > 0);
    for (const stored of renewed) stored.leaseUntil = leaseUntil;
    return renewed.length;
  }

  async expireLeases(): Promise<number> {
    const leased = this.#running().filter((stored) => stored.leaseUntil > 0);
    for (const stored of leased) stored.leaseUntil = 0;
    return leased.length;
  }

  async runStates(ids: readonly string[]): Promise<readonly RunState[]> {
    this.check();
    return [...new Set(ids)].flatMap((id) => {
      const record = this.#runs.get(id)?.record;
      if (record === undefined) return [];
      const { status, attempt, cancelRequested } = record;
      return [{ id, status, attempt, cancelRequested }];
    });
  }

  async saveProgress(id: string, attempt: number, report: ProgressReport): Promise<boolean> {
    const stored = this.#current(id, attempt);
    if (stored === undefined) return false;
    const { progress, history, checkpoint, events } = copy(report);
    addEvents(stored, events);
    stored.record = { ...stored.record, progress };
    if (checkpoint !== undefined) stored.isAlone = false;
    if (history !== undefined) stored.history = history;
    if (checkpoint !== undefined) stored.checkpoint = checkpoint;
    return true;
  }

  async finishRun(id: string, attempt: number, finish: RunFinish): Promise<RunRecord | null> {
    this.check();
    const stored = this.#runs.get(id);
    if (stored?.record.attempt !== attempt || !canBecome(stored.record.status, finish.status)) return null;
    const { status, ending, completedAt, history, events, extendable, lesson } = copy(finish);
    if (lesson !== undefined) this.#learn(stored.record.accountId, lesson);
    addEvents(stored, events);
    stored.record = { ...stored.record, status, ending, completedAt, progress: null };
    this.count(stored.record);
    if (history !== undefined) stored.history = history;
    stored.checkpoint = extendable?.checkpoint ?? null;
    stored.keepUntil = extendable?.until ?? 0;
    stored.owner = null;
    return copy(stored.record);
  }

  async abandonRun(id: string, end: RunAbandonment): Promise<boolean> {
    const attempt = this.#runs.get(id)?.record.attempt ?? -1;
    return (await this.finishRun(id, attempt, { ...end, status: 'failed' })) !== null;
  }

  async runCheckpoint(id: string): Promise<Uint8Array | null> {
    const stored = this.#runs.get(id);
    return stored === undefined || isFinished(stored.record.status) ? null : copy(stored.checkpoint);
  }

  async runEnd(accountId: string, id: string, now: number): Promise<RunEnd | null> {
    const stored = this.#owned(accountId, id);
    if (stored === undefined || !isFinished(stored.record.status)) return null;
    const { source, checkpoint, history, keepUntil } = stored;
    return copy({ source, checkpoint: keepUntil > now ? checkpoint : null, history });
  }

  #learn(accountId: string, lesson: Lesson): void {
    const { lessons, forgotten } = this.#learnedBy(accountId);
    const version = this.#lastVersion(accountId) + 1;
    this.#learned.set(accountId, { forgotten, lessons: [...lessons, { version, lesson }] });
  }

  #learnedBy(accountId: string): Learned {
    this.check();
    return this.#learned.get(accountId) ?? { forgotten: 0, lessons: [] };
  }

  #lastVersion(accountId: string): number {
    const { lessons, forgotten } = this.#learnedBy(accountId);
    const changed = this.#federated.get(accountId)?.at(-1)?.version ?? 0;
    return Math.max(lessons.at(-1)?.version ?? 0, forgotten, changed);
  }

  async learnedState(accountId: string): Promise<LearnedState> {
    const { forgotten } = this.#learnedBy(accountId);
    return learnedState(this.#lastVersion(accountId), forgotten, this.#federated.get(accountId)?.length ?? 0);
  }

  async lessons(accountId: string, after: number, upTo: number, limit: number): Promise<readonly NumberedLesson[]> {
    const found = this.#learnedBy(accountId).lessons.filter(({ version }) => version > after && version <= upTo);
    return copy(found.slice(Math.max(0, found.length - limit)));
  }

  async forgetLessons(accountId: string): Promise<void> {
    this.#learned.set(accountId, { forgotten: this.#lastVersion(accountId), lessons: [] });
  }

  async appendFederatedChange(accountId: string, serial: number, change: FederatedChange): Promise<number | null> {
    const changes = this.#federated.get(accountId) ?? [];
    const there = changes[serial - 1];
    if (there !== undefined) return there.change.id === change.id ? there.version : null;
    if (changes.length !== serial - 1) return null;
    const version = this.#lastVersion(accountId) + 1;
    this.#federated.set(accountId, [...changes, { serial, version, change: copy(change) }]);
    return version;
  }

  async federatedChanges(accountId: string, after: number): Promise<readonly NumberedChange[]> {
    return copy((this.#federated.get(accountId) ?? []).slice(after));
  }

  async runSource(accountId: string, id: string): Promise<RunSource | null> {
    const stored = this.#owned(accountId, id);
    return stored === undefined ? null : copy(stored.source);
  }

  async requestCancel(accountId: string, id: string): Promise<RunRecord | null> {
    const stored = this.#owned(accountId, id);
    if (stored === undefined || isFinished(stored.record.status)) return null;
    stored.record = { ...stored.record, cancelRequested: true };
    return copy(stored.record);
  }

  async updateMetadata(accountId: string, id: string, metadata: Metadata, event?: RunEvent): Promise<RunRecord | null> {
    const stored = this.#owned(accountId, id);
    if (stored === undefined) return null;
    addEvents(stored, event === undefined ? [] : [copy(event)]);
    stored.record = { ...stored.record, metadata: copy(metadata) };
    return copy(stored.record);
  }

  async runHistory(accountId: string, id: string): Promise<readonly HistoryPoint[] | null> {
    const stored = this.#owned(accountId, id);
    return stored === undefined ? null : copy(stored.history);
  }

  async runEvents(accountId: string, id: string, after: number, limit: number): Promise<readonly RunEvent[] | null> {
    const stored = this.#owned(accountId, id);
    return stored === undefined ? null : copy(stored.events.slice(after, after + limit));
  }

  protected outboxes(): Outbox[] {
    return [...this.#runs]
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

  async createBatch(batch: BatchRecord, runs: readonly NewRun[]): Promise<void> {
    this.check();
    if (this.#batches.has(batch.id)) throw batchExists(batch.id);
    this.#batches.set(batch.id, copy(batch));
    await Promise.all(runs.map((run) => this.createRun(run)));
  }

  #batchState(batch: BatchRecord): BatchState {
    const runs = batch.runIds.flatMap((id) => this.#runs.get(id)?.record ?? []);
    const each = runs.map(({ status, completedAt }) => ({ status, count: 1, lastEndedAt: completedAt }));
    return batchState(copy(batch), each);
  }

  async findBatch(accountId: string, id: string): Promise<BatchState | null> {
    this.check();
    const batch = this.#batches.get(id);
    return batch?.accountId === accountId ? this.#batchState(batch) : null;
  }

  async listBatches(accountId: string, page: PageRequest): Promise<Page<BatchState>> {
    this.check();
    const { items, total } = window(
      [...this.#batches.values()].filter((batch) => batch.accountId === accountId),
      page,
    );
    return { items: items.map((batch) => this.#batchState(batch)), total };
  }

  async ensureAccount(candidate: Account): Promise<Account> {
    this.check();
    return this.#ensureAccount(candidate);
  }

  #ensureAccount(candidate: Account): Account {
    const existing = [...this.#accounts.values()].find((account) => account.name === candidate.name);
    if (existing === undefined) this.#accounts.set(candidate.id, copy(candidate));
    return copy(existing ?? candidate);
  }

  async saveKey(key: ApiKeyRecord): Promise<void> {
    this.check();
    if (this.#keys.has(key.publicId) || [...this.#keys.values()].some(({ id }) => id === key.id)) {
      throw keyExists(key);
    }
    this.#keys.set(key.publicId, copy(key));
  }

  async saveFirstKey(account: Account, key: ApiKeyRecord): Promise<boolean> {
    this.check();
    if (this.#keys.size > 0) return false;
    this.#keys.set(key.publicId, copy({ ...key, accountId: this.#ensureAccount(account).id }));
    return true;
  }

  async findKey(publicId: string): Promise<{ key: ApiKeyRecord; account: Account } | null> {
    this.check();
    const key = this.#keys.get(publicId);
    const account = key === undefined ? undefined : this.#accounts.get(key.accountId);
    return key === undefined || account === undefined ? null : copy({ key, account });
  }

  async touchKey(id: string, usedAt: number): Promise<void> {
    this.check();
    for (const [publicId, key] of this.#keys) {
      if (key.id === id) this.#keys.set(publicId, { ...key, lastUsedAt: usedAt });
    }
  }

  async findAccount(name: string): Promise<Account | null> {
    this.check();
    return copy([...this.#accounts.values()].find((account) => account.name === name) ?? null);
  }

  async listKeys(accountId: string, page: PageRequest): Promise<Page<ApiKeyRecord>> {
    this.check();
    const own = [...this.#keys.values()].filter((key) => key.accountId === accountId && key.revokedAt === null);
    return window(own, page);
  }

  async findKeyById(accountId: string, id: string): Promise<ApiKeyRecord | null> {
    this.check();
    return copy(this.#liveKey(accountId, id) ?? null);
  }

  #liveKey(accountId: string, id: string): ApiKeyRecord | undefined {
    const key = [...this.#keys.values()].find((candidate) => candidate.id === id);
    return key?.accountId === accountId && key.revokedAt === null ? key : undefined;
  }

  async revokeKey(accountId: string, id: string, revokedAt: number): Promise<boolean> {
    this.check();
    const key = this.#liveKey(accountId, id);
    if (key !== undefined) this.#keys.set(key.publicId, { ...key, revokedAt });
    return key !== undefined;
  }

  async limitKey(accountId: string, id: string, expiresAt: number): Promise<boolean> {
    this.check();
    const key = this.#liveKey(accountId, id);
    if (key === undefined) return false;
    this.#keys.set(key.publicId, { ...key, expiresAt: Math.min(key.expiresAt ?? Infinity, expiresAt) });
    return true;
  }

  async accountSettings(accountId: string): Promise<AccountSettings> {
    this.check();
    return copy(this.#settings.get(accountId) ?? {});
  }

  async saveAccountSettings(accountId: string, settings: AccountSettings): Promise<void> {
    this.check();
    this.#settings.set(accountId, copy(settings));
  }

  async claimRequest(claim: IdempotencyClaim): Promise<ClaimOutcome> {
    this.check();
    const name = requestName(claim.accountId, claim.key);
    const { now, seed } = claim;
    const found = this.#requests.get(name);
    const standing = found === undefined ? 'over' : standingOf(found, claim);
    if (found === undefined || standing === 'over') {
      this.#requests.set(name, { ...copy(claim), claimedAt: now, answer: null });
      return { kind: 'claimed', seed, claimedAt: now };
    }
    const { answer, claimedAt } = found;
    if (answer !== null) return { kind: 'answered', fingerprint: found.fingerprint, answer };
    if (standing === 'working') return { kind: 'working', fingerprint: found.fingerprint };
    this.#requests.set(name, { ...found, owner: claim.owner, leaseUntil: claim.leaseUntil });
    return { kind: 'claimed', seed: found.seed, claimedAt };
  }

  /** The request if this attempt has it. */
  #claimed(accountId: string, key: string, owner: string): StoredRequest | null {
    this.check();
    const found = this.#requests.get(requestName(accountId, key));
    return found?.owner === owner && found.answer === null ? found : null;
  }

  async renewRequest(accountId: string, key: string, owner: string, leaseUntil: number): Promise<boolean> {
    const found = this.#claimed(accountId, key, owner);
    if (found !== null) this.#requests.set(requestName(accountId, key), { ...found, leaseUntil });
    return found !== null;
  }

  async answerRequest(accountId: string, key: string, owner: string, answer: string): Promise<boolean> {
    const found = this.#claimed(accountId, key, owner);
    if (found !== null) this.#requests.set(requestName(accountId, key), { ...found, answer });
    return found !== null;
  }

  async forgetRequest(accountId: string, key: string, owner: string): Promise<boolean> {
    const found = this.#claimed(accountId, key, owner);
    return found !== null && this.#requests.delete(requestName(accountId, key));
  }

  async expireRequests(): Promise<number> {
    this.check();
    const open = [...this.#requests].filter(([, { answer, leaseUntil }]) => answer === null && leaseUntil > 0);
    for (const [name, found] of open) this.#requests.set(name, { ...found, leaseUntil: 0 });
    return open.length;
  }

  async countRequest(key: string, now: number, windowMs: number): Promise<RequestCount> {
    this.check();
    return this.#counts.countRequest(key, now, windowMs);
  }

  async removeExpired(now: number): Promise<void> {
    this.check();
    for (const [name, { expiresAt }] of this.#requests) if (expiresAt <= now) this.#requests.delete(name);
    for (const stored of this.#runs.values()) {
      if (!isFinished(stored.record.status) || stored.keepUntil > now) continue;
      stored.checkpoint = null;
      stored.keepUntil = 0;
    }
    const ids = [...this.#keys.values()].map(({ id }) => id).sort();
    for (const [publicId, key] of this.#keys) {
      if (key.id !== ids[0] && isForgotten(key, now)) this.#keys.delete(publicId);
    }
    this.#counts.removeExpired(now);
    this.removeOldDeliveries(now);
    this.removeOldConversations(now);
  }

  async bringBackTimes(now: number, leaseMs: number): Promise<boolean> {
    this.check();
    const latest = latestTimes(now, leaseMs);
    const runs = [...this.#runs.values()].filter(
      ({ record, leaseUntil }) => record.status === 'running' && leaseUntil > latest.lease,
    );
    for (const stored of runs) stored.leaseUntil = 0;
    let requests = 0;
    for (const [name, found] of this.#requests) {
      const isLeaseAhead = found.answer === null && found.leaseUntil > latest.lease;
      const isExpiryAhead = found.expiresAt > latest.requestExpiry;
      if (!isLeaseAhead && !isExpiryAhead) continue;
      requests++;
      this.#requests.set(name, {
        ...found,
        leaseUntil: isLeaseAhead ? 0 : found.leaseUntil,
        expiresAt: isExpiryAhead ? latest.requestExpiry : found.expiresAt,
      });
    }
    return runs.length + requests + this.bringBackDeliveries(now, latest) > 0;
  }

  async keySecret(): Promise<Uint8Array> {
    this.check();
    return Uint8Array.from(this.#keySecret);
  }

  /** What this store has it never loses alone. */
  async newKeySecret(): Promise<number> {
    this.check();
    throw secretIsThere();
  }

  async ping(): Promise<void> {
    this.check();
  }

  async close(): Promise<void> {
    this.#open = false;
    this.forgetWebhooks();
    for (const map of [
      this.#functions,
      this.#misreadings,
      this.#runs,
      this.#batches,
      this.#accounts,
      this.#keys,
      this.#settings,
      this.#requests,
    ])
      map.clear();
  }
}
