/**
 * The contract of the store: what the service must never forget, in the verbs of its domain. No query language, cursor
 * or session leaks out of an implementation; what it cannot do it does not pretend.
 *
 * Life cycle: an implementation's `open...` function returns a ready store (schema migrated, or refused with a clear
 * error) -> any verb, any number of them at a time -> `close()`, after which every verb rejects with
 * `store_unavailable`. A verb has happened wholly and durably when its promise resolves, and never in part.
 *
 * Ownership: arguments are copied before the promise is returned (but checkpoints), results are the caller's to keep and
 * change.
 * Values come back as they went in: NaN, the infinities, -0, nested arrays, keys such as `__proto__`, NUL and lone
 * surrogates in text.
 *
 * Damage: a record that cannot be read rejects with `record_damaged` where it is asked for by itself, is told to whoever opened
 * the store, and is left out of lists (their `total` counts it).
 *
 * Order: "newest first" is by identifier, descending; identifiers sort by their creation.
 *
 * A run's life: `createRun` (pending, or claimed at once) -> `claimRun` gives it to one owner under a lease and a new
 * attempt number -> `renewLeases` while it works -> `saveProgress` -> `finishRun`. A run whose lease ran out may be
 * claimed by anybody; every write of the former owner then carries an old attempt number and answers `false` or null.
 *
 * May fail with `ExtremumError`: `store_unavailable` (retryable) when the database cannot be read or written. Of a store
 * that is reached over a network this means that the outcome is not known: what was asked for may have happened, or may
 * still. `payload_too_large`: more than the store takes in one record.
 */
import type { AccountSettings } from '../model/account-settings.js';
import type { Account, ApiKeyRecord } from '../model/api-key.js';
import type { BatchRecord, BatchState } from '../model/batch.js';
import type { ConversationRecord } from '../model/conversation.js';
import type { Execution, ExecutionPlace } from '../model/execution.js';
import type { FunctionRecord } from '../model/function-record.js';
import type { RunSource } from '../model/problem.js';
import type { ClaimOutcome, IdempotencyClaim } from '../model/idempotency.js';
import type { Page, PageRequest } from '../model/page.js';
import type { FederatedChange, NumberedChange } from '../model/federation.js';
import type { Lesson, NumberedLesson } from '../model/learning.js';
import type { RunTally, TallyField } from '../model/run-facts.js';
import type { Metadata, NewRun, RunEnding, RunRecord, StoredProgress } from '../model/run-record.js';
import type { RunEvent } from '../model/run-event.js';
import type { RunStatus } from '../model/run-status.js';
import type { HistoryPoint } from '../model/run-task.js';
import type { Misreading } from '../model/verification.js';
import type { StudyEntry, StudyRecord, StudyState } from '../model/study.js';
import type {
  DeliveryAttempt,
  DeliveryRecord,
  DeliveryState,
  NewDelivery,
  WebhookChange,
  WebhookRecord,
} from '../model/webhook.js';

/** Who takes a run, when, and until when it is theirs unless renewed. Times are epoch milliseconds. */
export interface Claim {
  readonly owner: string;
  readonly now: number;
  readonly leaseUntil: number;
  /** The process carries out no other run, nor will it until it has said so (`noteCompany`, or progress of this one). */
  readonly alone?: boolean;
}

/** A run that may be claimed, as far as it matters whose turn it is. */
export interface ClaimableRun {
  readonly id: string;
  readonly accountId: string;
  /** See `RunRecord`. */
  readonly losses: number;
  /** Whoever had it lost it: the next claim counts a loss. */
  readonly isLost: boolean;
}

export interface RunsAtWork {
  readonly accountId: string;
  readonly runs: number;
}

export interface ClaimedRun {
  readonly run: RunRecord;
  readonly source: RunSource;
  /** What the last attempt saved; null: begin at the start. */
  readonly checkpoint: Uint8Array | null;
}

/** What is there to go on from the end of a run. */
export interface RunEnd {
  readonly source: RunSource;
  readonly history: readonly HistoryPoint[];
  /** Its state at the end; null: not kept, or no longer. */
  readonly checkpoint: Uint8Array | null;
}

/** A run as the one who claimed it knows it. */
export interface HeldRun {
  readonly id: string;
  readonly attempt: number;
}

/** What whoever carries out a run, or waits for its end, must hear of. */
export interface RunState extends HeldRun {
  readonly status: RunStatus;
  readonly cancelRequested: boolean;
}

export interface RunFilter {
  readonly status?: RunStatus;
  readonly functionId?: string;
}

export interface ProgressReport {
  readonly progress: StoredProgress;
  /** Replaces the run's history so far; absent: keeps it. */
  readonly history?: readonly HistoryPoint[];
  /**
   * Replaces the run's checkpoint; null: drops it; absent: keeps it. The one argument that is not copied, as it may be large: it is the
   * store's from the call on, and may be empty when the promise is returned.
   */
  readonly checkpoint?: Uint8Array | null;
  /** Added to the run's events; one that is there already (by its identifier) is not added again. */
  readonly events?: readonly RunEvent[];
}

export interface RunFinish {
  readonly status: 'completed' | 'failed';
  readonly ending: RunEnding;
  /** Replaces the run's history; absent: keeps what was reported. */
  readonly history?: readonly HistoryPoint[];
  readonly completedAt: number;
  /** Its state at the end, kept until that time (epoch milliseconds) for a run that goes on from there. */
  readonly extendable?: { readonly checkpoint: Uint8Array; readonly until: number };
  /** As of a progress report. */
  readonly events?: readonly RunEvent[];
  /** What the run taught, for its account; stored with the end or not at all, and once however often it is written. */
  readonly lesson?: Lesson;
}

export interface FunctionStore {
  /** Where the identifier exists already nothing happens. `misread` is not stored with it. */
  saveFunction(record: FunctionRecord): Promise<void>;
  findFunction(accountId: string, id: string): Promise<FunctionRecord | null>;
  listFunctions(accountId: string, page: PageRequest): Promise<Page<FunctionRecord>>;
  /** False: there was none. Runs of the function keep their own copy of its source. */
  deleteFunction(accountId: string, id: string): Promise<boolean>;
  /**
   * From now on functions of the account whose text has that hash (`FunctionRecord.sha256`) have `misread`, those that are
   * there and those to come. The first one stays.
   */
  saveMisreading(accountId: string, sha256: string, misreading: Misreading): Promise<void>;
  findMisreading(accountId: string, sha256: string): Promise<Misreading | null>;
  /** Of all accounts. */
  countMisreadings(): Promise<number>;
}

export type RunAbandonment = Pick<RunFinish, 'ending' | 'completedAt' | 'events'>;

export interface RunStore {
  /**
   * With `claim` the run is born running, as attempt 1: one write instead of two. Its `start` becomes its checkpoint and
   * history.
   * @throws {ExtremumError} `conflict` when the identifier exists already; nothing was written.
   */
  createRun(run: NewRun, claim?: Claim): Promise<RunRecord>;
  findRun(accountId: string, id: string): Promise<RunRecord | null>;
  listRuns(accountId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunRecord>>;
  /**
   * Runs that may be claimed at `now`: pending, or running under a lease that has ended. In turns: first the oldest of every
   * account, then the second oldest of every account, and so on; those of a turn oldest first.
   */
  claimableRuns(now: number, limit: number): Promise<readonly ClaimableRun[]>;
  /** How many runs of each account are under a lease at `now`, in any process; accounts without one are left out. */
  runsAtWork(now: number): Promise<readonly RunsAtWork[]>;
  /**
   * Null when somebody else has it or it has ended; exactly one of several claimers wins. `losses` grows when the
   * former lease ran out, not when it was given back; `strikes` too where the former owner had it alone to the end.
   */
  claimRun(id: string, claim: Claim): Promise<ClaimedRun | null>;
  /**
   * Gives a running run back unfinished: claimable at once. `returned` (shutdown) does not count as a loss at the next
   * claim, `lost` (the thread that worked on it, and on nothing else, died) does, as one alone. False: the attempt is not
   * the current one.
   */
  releaseRun(id: string, attempt: number, how: 'returned' | 'lost'): Promise<boolean>;
  /** Others are to begin beside a run that was claimed `alone`. False: the attempt is not the current one. */
  noteCompany(id: string, attempt: number): Promise<boolean>;
  /** Extends the leases of those that are running under this attempt and were not released. Returns how many. */
  renewLeases(held: readonly HeldRun[], leaseUntil: number): Promise<number>;
  /**
   * Ends every lease now. Only for one who knows that every earlier owner is dead: the holder of an exclusive store,
   * at its start. Returns how many.
   */
  expireLeases(): Promise<number>;
  /** Of any account; without those that do not exist, in no order. Cheap: meant to be asked often. */
  runStates(ids: readonly string[]): Promise<readonly RunState[]>;
  /**
   * With a checkpoint, whoever had the run alone may have company from then on. False: the attempt is not the current one,
   * or the run has ended; nothing was written.
   */
  saveProgress(id: string, attempt: number, report: ProgressReport): Promise<boolean>;
  /**
   * Ends a run and drops its checkpoint, but for what `extendable` says. Null: the attempt is not the current one or the run has ended; nothing was
   * written. A pending run is ended with its attempt number too (0 when nobody claimed it yet).
   */
  finishRun(id: string, attempt: number, finish: RunFinish): Promise<RunRecord | null>;
  /**
   * Ends a run as failed that `claimRun` has found damaged, whoever has it: nobody can carry it out. False: it has ended, or
   * there is none.
   */
  abandonRun(id: string, end: RunAbandonment): Promise<boolean>;
  /** The run's own copy. Null: no such run. */
  runSource(accountId: string, id: string): Promise<RunSource | null>;
  /** The latest of a run that has not ended. Null: it has none, or there is no such run. */
  runCheckpoint(id: string): Promise<Uint8Array | null>;
  /** Null: no such run, or it has not ended. */
  runEnd(accountId: string, id: string, now: number): Promise<RunEnd | null>;
  /** Marks a run that has not ended; its owner ends it. Null: no such run, or it has ended. */
  requestCancel(accountId: string, id: string): Promise<RunRecord | null>;
  /** Replaces the metadata, in every state, and adds the event to the run's. Null: no such run. */
  updateMetadata(accountId: string, id: string, metadata: Metadata, event?: RunEvent): Promise<RunRecord | null>;
  /**
   * At most `limit` events, in their order, without the first `after`. An event keeps its place, so `after` plus the
   * number of those returned is where to go on. One that is damaged is null. Null: no such run.
   */
  runEvents(accountId: string, id: string, after: number, limit: number): Promise<readonly (RunEvent | null)[] | null>;
  /** Oldest first. Null: no such run. */
  runHistory(accountId: string, id: string): Promise<readonly HistoryPoint[] | null>;
}

export interface IdentityStore {
  /** The account of that name: the existing one, or `candidate` stored. */
  ensureAccount(candidate: Account): Promise<Account>;
  /** @throws {ExtremumError} `conflict` when the identifier or the public id is taken. */
  saveKey(key: ApiKeyRecord): Promise<void>;
  /** Stores account and key only where no key exists at all; false: one exists, nothing was written. */
  saveFirstKey(account: Account, key: ApiKeyRecord): Promise<boolean>;
  findKey(publicId: string): Promise<{ readonly key: ApiKeyRecord; readonly account: Account } | null>;
  touchKey(id: string, usedAt: number): Promise<void>;
  findAccount(name: string): Promise<Account | null>;
  /** Without those that were revoked. */
  listKeys(accountId: string, page: PageRequest): Promise<Page<ApiKeyRecord>>;
  /** Null: there is none, or it was revoked. */
  findKeyById(accountId: string, id: string): Promise<ApiKeyRecord | null>;
  /** For good. False: there is none, or it was revoked before. */
  revokeKey(accountId: string, id: string, revokedAt: number): Promise<boolean>;
  /** Lets it expire at that time, or earlier where it does anyway. False: there is none, or it was revoked. */
  limitKey(accountId: string, id: string, expiresAt: number): Promise<boolean>;
  /**
   * 32 random bytes that the hashes of keys are keyed with: made at the first use, the same for every process on this
   * store ever after. Whoever loses them loses every key.
   * @throws {ExtremumError} `store_unavailable`: they are lost, for there are keys that they must have been made for.
   */
  keySecret(): Promise<Uint8Array>;
  /**
   * Where they are lost: makes others, which makes every key useless; each is revoked, and kept answers of requests, which only the
   * lost ones open, are forgotten. Returns how many keys were revoked.
   * @throws {ExtremumError} `conflict`: they are not lost.
   */
  newKeySecret(revokedAt: number): Promise<number>;
}

export interface BatchStore {
  /**
   * Stores the batch and all of its runs, pending, or nothing: no part of it is ever seen without the rest.
   * @throws {ExtremumError} `conflict` when the identifier exists already.
   */
  createBatch(batch: BatchRecord, runs: readonly NewRun[]): Promise<void>;
  findBatch(accountId: string, id: string): Promise<BatchState | null>;
  listBatches(accountId: string, page: PageRequest): Promise<Page<BatchState>>;
}

/** What is known of an account's lessons. Versions are dense: each lesson, or federated change, completes the next one, from 1 on. */
export interface LearnedState {
  /** Of the latest; 0: there is none since lessons were last forgotten. */
  readonly version: number;
  /** Lessons up to this version were forgotten. */
  readonly forgotten: number;
  /** Serial of the latest federated change; 0: there is none. */
  readonly changes: number;
}

/**
 * What the runs of an account taught. `finishRun` adds to it. Versions go on after lessons were forgotten, so that one
 * never means two things.
 */
export interface LearningStore {
  learnedState(accountId: string): Promise<LearnedState>;
  /** Those of the versions after `after` up to `upTo` that were not forgotten, oldest first; of more than `limit` the latest. */
  lessons(accountId: string, after: number, upTo: number, limit: number): Promise<readonly NumberedLesson[]>;
  /** Forgets every lesson so far. Federated changes stay. */
  forgetLessons(accountId: string): Promise<void>;
}

/**
 * What accounts exchange with other deployments: a log of changes that only grows. Whoever is first with a serial wins, so that
 * what a change rests on (a budget that is left, an update that is not yet there) still holds when it is written.
 */
export interface FederationStore {
  /**
   * Adds the change after the one of `serial - 1`, as the account's next version, which is returned. Null: another has that
   * serial, or nobody the one before; nothing was written. The same change (by its `id`) again is added once.
   */
  appendFederatedChange(accountId: string, serial: number, change: FederatedChange): Promise<number | null>;
  /** Those after that serial, oldest first. */
  federatedChanges(accountId: string, after: number): Promise<readonly NumberedChange[]>;
}

export interface SettingsStore {
  /** Empty for an account that has saved none. */
  accountSettings(accountId: string): Promise<AccountSettings>;
  /** Replaces all of them. */
  saveAccountSettings(accountId: string, settings: AccountSettings): Promise<void>;
}

/**
 * Requests that may be sent again. `claimRequest` gives a key to one attempt; who has it renews it while at work, and
 * either stores the answer, or gives it back unanswered (a later attempt goes on with the same seed), or forgets it
 * (nothing was made). Of an attempt that has lost the claim every write answers false.
 */
export interface IdempotencyStore {
  /**
   * The claim where the key is free, has expired, or belongs to an attempt of the same fingerprint whose lease ran out.
   * Exactly one of several attempts gets it.
   */
  claimRequest(claim: IdempotencyClaim): Promise<ClaimOutcome>;
  renewRequest(accountId: string, key: string, owner: string, leaseUntil: number): Promise<boolean>;
  answerRequest(accountId: string, key: string, owner: string, answer: string): Promise<boolean>;
  forgetRequest(accountId: string, key: string, owner: string): Promise<boolean>;
  /** Ends every lease now; like `expireLeases`. Returns how many. */
  expireRequests(): Promise<number>;
}

export interface RequestCount {
  /** This request included. */
  readonly count: number;
  /** When counting begins anew. */
  readonly resetAt: number;
}

export interface CountingStore {
  /**
   * Counts a request against `key`, in windows that begin with their first request. Shared by all processes on this
   * store; may be forgotten when they all end.
   */
  countRequest(key: string, now: number, windowMs: number): Promise<RequestCount>;
}

/** A delivery that is to be made now, with what it takes. */
export interface ClaimedDelivery {
  readonly delivery: DeliveryRecord;
  /** Every later write of this attempt repeats it. */
  readonly fence: number;
  readonly body: string;
  /** Null: it was deleted. */
  readonly webhook: WebhookRecord | null;
}

export interface DueDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly runId: string | null;
}

/** Where an attempt leaves its delivery. */
export type AfterAttempt =
  { readonly state: 'succeeded' | 'failed' | 'cancelled' } | { readonly state: 'pending'; readonly dueAt: number };

/**
 * Webhooks, and deliveries of events to them. A run's events lie with the run and are handed on by `relayEvents`: a
 * delivery for each webhook that is active then, under an identifier that follows from both, so that repeating it
 * changes nothing. A delivery is pending until somebody claims it under a lease and a new fence number; whoever holds
 * that records what came of it. A delivery whose lease ran out is due again.
 */
export interface WebhookStore {
  /** Where the identifier exists already nothing happens. */
  saveWebhook(webhook: WebhookRecord): Promise<void>;
  findWebhook(accountId: string, id: string): Promise<WebhookRecord | null>;
  listWebhooks(accountId: string, page: PageRequest): Promise<Page<WebhookRecord>>;
  /**
   * With `active: false` also cancels what waits or is under way. Null: there is none, or it has not been failing since
   * exactly `ifFailingSince`.
   */
  updateWebhook(
    accountId: string,
    id: string,
    change: WebhookChange,
    ifFailingSince?: number,
  ): Promise<WebhookRecord | null>;
  /** Gives it another secret; the old one lives on until `previousUntil` where it has one. Null: there is none. */
  rotateSecret(
    accountId: string,
    id: string,
    secret: string,
    rotation: string,
    previousUntil: number,
  ): Promise<WebhookRecord | null>;
  /** Also cancels what waits or is under way. False: there was none. */
  deleteWebhook(accountId: string, id: string): Promise<boolean>;
  /** Makes the deliveries of events that were not handed on yet, of at most `limit` runs. Returns of how many. */
  relayEvents(now: number, limit: number): Promise<number>;
  /** Where the identifier exists already nothing happens. */
  saveDelivery(delivery: NewDelivery): Promise<void>;
  findDelivery(accountId: string, id: string): Promise<DeliveryRecord | null>;
  listDeliveries(
    accountId: string,
    webhookId: string,
    filter: { readonly state?: DeliveryState },
    page: PageRequest,
  ): Promise<Page<DeliveryRecord>>;
  /** What may be claimed at `now`, longest due first, without that of the webhooks `except`. */
  dueDeliveries(now: number, except: readonly string[], limit: number): Promise<readonly DueDelivery[]>;
  /** When the next one is due, without those of the webhooks `except`. */
  nextDueAt(except: readonly string[]): Promise<number | null>;
  /** Null: it is not due. Exactly one of several claimers wins. One that is damaged, or whose webhook is, ends as failed: null. */
  claimDelivery(id: string, now: number, leaseUntil: number): Promise<ClaimedDelivery | null>;
  /**
   * Ends a claim. One that was cancelled meanwhile stays so, unless the attempt succeeded. `attempt` null: there was
   * none. Also notes since when the webhook has been failing, and returns that. Null: somebody else has claimed the
   * delivery since, or it was asked for again; nothing was written.
   */
  recordAttempt(
    id: string,
    fence: number,
    attempt: DeliveryAttempt | null,
    after: AfterAttempt,
  ): Promise<{ readonly failingSince: number | null } | null>;
  /** Due at once, with all of its tries; one that is just under way stays as it is. Null: there is none. */
  redeliver(accountId: string, id: string, now: number): Promise<DeliveryRecord | null>;
  /** The same for those of a webhook that have failed and were made at `since` or later. Returns how many. */
  redeliverFailed(accountId: string, webhookId: string, since: number, now: number): Promise<number>;
  /** Ends every lease now; like `expireLeases`. Returns how many. */
  expireDeliveries(): Promise<number>;
}

/** Which runs of an account are counted: those created from `from` on, before `to`. */
export interface CountedFilter {
  readonly from: number;
  readonly to: number;
  /** One original with all that repeats or extends it; of a run that does so itself, that run alone. Absent: all. */
  readonly optimizationId?: string;
  readonly status?: RunStatus;
}

/** Runs by the original that they repeat or extend. */
export interface OriginalCount {
  readonly id: string;
  readonly count: number;
  readonly completed: number;
  readonly failed: number;
}

/** What a run's requests and answers took; see `RunTraffic`. */
export interface TrafficReport {
  readonly runId: string;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/**
 * Counts over the runs of an account, exact to the run, from sums that `rollUp` keeps of what is over and from single
 * runs else. A run is counted once from its creation on, whatever becomes of its record.
 */
export interface AnalyticsStore {
  /** When the first and the last of the account's runs were created. Null: there are none. */
  runsSpan(accountId: string): Promise<{ readonly first: number; readonly last: number } | null>;
  /**
   * These fields of a tally for each span [boundaries[i], boundaries[i + 1]) of creation. The boundaries grow; all but
   * the first and the last are full hours.
   */
  tallies<F extends TallyField>(
    accountId: string,
    boundaries: readonly number[],
    fields: readonly F[],
    optimizationId?: string,
  ): Promise<readonly Pick<RunTally, F>[]>;
  /**
   * Durations in seconds of completed runs, at these places (from 0, below `count`) of their ascending order. `count`:
   * how many there were a moment ago; they never become fewer.
   */
  durationsAt(
    accountId: string,
    count: number,
    places: readonly number[],
    optimizationId?: string,
  ): Promise<readonly number[]>;
  /** At most `limit`, the newest first. `withoutOriginal`: of all, those whose original does not match the filter itself. */
  countByOriginal(
    accountId: string,
    filter: CountedFilter,
    limit: number,
  ): Promise<{ readonly items: readonly OriginalCount[]; readonly withoutOriginal: number }>;
  /**
   * At most `limit` executions that match, newest first (by creation, then identifier), those that come after `after`
   * in that order; null: from the newest on. Its cost does not grow with how many come before.
   */
  executions(
    accountId: string,
    filter: CountedFilter,
    after: ExecutionPlace | null,
    limit: number,
  ): Promise<readonly Execution[]>;
  /** Adds to the facts of these runs; those that do not exist are passed over. Not to be repeated: it would count twice. */
  addTraffic(reports: readonly TrafficReport[]): Promise<void>;
  /** Sums what is over at `now`, at most `limit` hours or days. Returns how many it did: fewer than `limit`: all. */
  rollUp(now: number, limit: number): Promise<number>;
}

/** State of a study after the entry `seq`, encoded: spares reading the entries up to it. */
export interface StudySnapshot {
  readonly seq: number;
  readonly checkpoint: Uint8Array;
}

/**
 * Studies: a record that never changes, and a log that only grows. Of several who add an entry of the same number one
 * wins; that is all the agreement that processes on one store need. Snapshots are only a help: they may be lost.
 */
export interface StudyStore {
  /** Where the identifier exists already nothing happens. */
  createStudy(study: StudyRecord): Promise<void>;
  findStudy(accountId: string, id: string): Promise<StudyState | null>;
  listStudies(accountId: string, page: PageRequest): Promise<Page<StudyState>>;
  /** With its log. False: there was none. */
  deleteStudy(accountId: string, id: string): Promise<boolean>;
  /**
   * False: there is an entry of that number from somebody else already, or no such study; nothing was written. True also
   * where the same entry (by its token) was added before.
   * @throws {ExtremumError} `payload_too_large`.
   */
  appendStudyEntry(id: string, entry: StudyEntry): Promise<boolean>;
  /** Entries after that number, in their order: at most `limit`, and no more than about 8 MiB (but at least one). */
  studyEntries(id: string, after: number, limit: number): Promise<readonly StudyEntry[]>;
  /** By its token. */
  findStudyEntry(id: string, token: string): Promise<StudyEntry | null>;
  /** Nothing happens where a later one is there, or no such study. The bytes are moved as those of `ProgressReport`. */
  saveStudySnapshot(id: string, snapshot: StudySnapshot): Promise<void>;
  /** The latest. */
  studySnapshot(id: string): Promise<StudySnapshot | null>;
}

/** Dialogues that build a problem. Of several who replace the same revision one wins. */
export interface ConversationStore {
  /** Where the identifier exists already nothing happens. */
  createConversation(conversation: ConversationRecord): Promise<void>;
  findConversation(accountId: string, id: string): Promise<ConversationRecord | null>;
  /**
   * Replaces the revision before. False: somebody else has, or there is no such conversation; nothing was written. True also
   * where the same one (by its token) was written before.
   */
  replaceConversation(conversation: ConversationRecord): Promise<boolean>;
}

/** Bytes of entries that are read at a time. */
export const STUDY_READ_BYTES = 8 * 1024 ** 2;

export interface Store
  extends
    FunctionStore,
    RunStore,
    BatchStore,
    IdentityStore,
    LearningStore,
    FederationStore,
    SettingsStore,
    IdempotencyStore,
    CountingStore,
    WebhookStore,
    AnalyticsStore,
    StudyStore,
    ConversationStore {
  readonly kind: string;
  readonly capabilities: {
    /** One process at a time carries out the runs of this store: leases found at start belong to the dead. */
    readonly exclusive: boolean;
    /** Keeps what was written when the process ends. */
    readonly durable: boolean;
  };
  /** Reads something trivial; where the last write failed, also tries to write. Rejects when the store does not work. */
  ping(): Promise<void>;
  /**
   * Removes what has expired (it is not seen any more, but takes room), deliveries that ended 30 days ago, and conversations without
   * a message for as long.
   */
  removeExpired(now: number): Promise<void>;
  /**
   * Leases, and times of requests and deliveries, that lie further ahead of `now` than anybody who leases for `leaseMs` writes
   * them: a clock was ahead, and has been set back. They end now, so that nobody waits until then. Returns whether
   * there were any.
   */
  bringBackTimes(now: number, leaseMs: number): Promise<boolean>;
  close(): Promise<void>;
}
