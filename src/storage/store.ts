/**
 * The contract of the store: what the service must never forget, in the verbs of its domain. No query language, cursor
 * or session leaks out of an implementation; what it cannot do it does not pretend.
 *
 * Life cycle: an implementation's `open...` function returns a ready store (schema migrated, or refused with a clear
 * error) -> any verb, any number of them at a time -> `close()`, after which every verb rejects with
 * `store_unavailable`. A verb has happened wholly and durably when its promise resolves, and never in part.
 *
 * Ownership: arguments are copied before the promise is returned (but checkpoints), results are the caller's to keep
 * and change. Values come back as they went in: NaN, the infinities, -0, nested arrays, keys such as `__proto__`, NUL
 * and lone surrogates in text.
 *
 * Damage: a record that cannot be read rejects with `record_damaged` where it is asked for by itself, is told to
 * whoever opened the store, and is left out of lists (their `total` counts it).
 *
 * Order: "newest first" is by identifier, descending; identifiers sort by their creation.
 *
 * A run's life: `createRun` (pending, or claimed at once) -> `claimRun` gives it to one owner under a lease and a new
 * attempt number -> `renewLeases` while it works -> `saveProgress` -> `finishRun`. A run whose lease ran out may be
 * claimed by anybody; every write of the former owner then carries an old attempt number and answers `false` or null.
 *
 * May fail with `ExtremumError`: `store_unavailable` (retryable) when the database cannot be read or written. Of a
 * store that is reached over a network this means that the outcome is not known: what was asked for may have happened,
 * or may still. `payload_too_large`: more than the store takes in one record.
 */
import { ANALYTICS_VERBS, type AnalyticsStore } from './contract/analytics.js';
import { BATCH_VERBS, type BatchStore } from './contract/batches.js';
import { CONVERSATION_VERBS, type ConversationStore } from './contract/conversations.js';
import { COUNTING_VERBS, type CountingStore } from './contract/counting.js';
import { DELETION_VERBS, type DeletionStore } from './contract/deletion.js';
import { FUNCTION_VERBS, type FunctionStore } from './contract/functions.js';
import { IDEMPOTENCY_VERBS, type IdempotencyStore } from './contract/idempotency.js';
import { IDENTITY_VERBS, type IdentityStore } from './contract/identity.js';
import { LEARNING_VERBS, type LearningStore } from './contract/learning.js';
import { RUN_VERBS, type RunStore } from './contract/runs.js';
import { SESSION_VERBS, type SessionStore } from './contract/sessions.js';
import { SETTINGS_VERBS, type SettingsStore } from './contract/settings.js';
import { STUDY_VERBS, type StudyStore } from './contract/studies.js';
import { WEBHOOK_VERBS, type WebhookStore } from './contract/webhooks.js';
import type { VerbsOf } from './contract/verbs.js';

/** The parts that make up a store. */
export interface StoreParts {
  readonly functions: FunctionStore;
  readonly runs: RunStore;
  readonly batches: BatchStore;
  readonly identity: IdentityStore;
  readonly sessions: SessionStore;
  readonly settings: SettingsStore;
  readonly learning: LearningStore;
  readonly idempotency: IdempotencyStore;
  readonly counting: CountingStore;
  readonly webhooks: WebhookStore;
  readonly analytics: AnalyticsStore;
  readonly studies: StudyStore;
  readonly conversations: ConversationStore;
  readonly deletion: DeletionStore;
}

/** Every verb of every part, and whether it reads or writes. */
export const VERBS: { readonly [Part in keyof StoreParts]: VerbsOf<StoreParts[Part]> } = {
  functions: FUNCTION_VERBS,
  runs: RUN_VERBS,
  batches: BATCH_VERBS,
  identity: IDENTITY_VERBS,
  sessions: SESSION_VERBS,
  settings: SETTINGS_VERBS,
  learning: LEARNING_VERBS,
  idempotency: IDEMPOTENCY_VERBS,
  counting: COUNTING_VERBS,
  webhooks: WEBHOOK_VERBS,
  analytics: ANALYTICS_VERBS,
  studies: STUDY_VERBS,
  conversations: CONVERSATION_VERBS,
  deletion: DELETION_VERBS,
};

/** The store as a whole: what concerns all parts at a time. */
export interface StoreLife {
  readonly kind: string;
  readonly capabilities: {
    /** One process at a time carries out the runs of this store: leases found at start belong to the dead. */
    readonly exclusive: boolean;
    /** Keeps what was written when the process ends. */
    readonly durable: boolean;
  };
  /**
   * Reads something trivial; where the last write failed, also tries to write. Rejects when the store does not work.
   */
  ping(): Promise<void>;
  /**
   * Removes what has expired (it is not seen any more, but takes room), sessions without use, deliveries that ended 30
   * days ago, and conversations without a message for as long.
   */
  removeExpired(now: number): Promise<void>;
  /**
   * Leases, and times of requests and deliveries, that lie further ahead of `now` than anybody who leases for `leaseMs`
   * writes them: a clock was ahead, and has been set back. They end now, so that nobody waits until then. Returns
   * whether there were any.
   */
  bringBackTimes(now: number, leaseMs: number): Promise<boolean>;
  close(): Promise<void>;
}

export interface Store
  extends
    FunctionStore,
    RunStore,
    BatchStore,
    IdentityStore,
    SessionStore,
    SettingsStore,
    LearningStore,
    IdempotencyStore,
    CountingStore,
    WebhookStore,
    AnalyticsStore,
    StudyStore,
    ConversationStore,
    DeletionStore,
    StoreLife {}
