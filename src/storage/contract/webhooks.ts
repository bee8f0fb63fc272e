/** The store's part for webhooks, and deliveries of events to them. */
import type { Page, PageRequest } from '../../model/page.js';
import type {
  DeliveryAttempt,
  DeliveryRecord,
  DeliveryState,
  NewDelivery,
  WebhookChange,
  WebhookRecord,
} from '../../model/webhook.js';
import type { VerbsOf } from './verbs.js';

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
  /** `webhookId` null: of all webhooks, those that were deleted too. */
  listDeliveries(
    accountId: string,
    webhookId: string | null,
    filter: { readonly state?: DeliveryState },
    page: PageRequest,
  ): Promise<Page<DeliveryRecord>>;
  /** Deliveries that may be claimed at `now`, longest due first, without those of the webhooks `except`. */
  dueDeliveries(now: number, except: readonly string[], limit: number): Promise<readonly DueDelivery[]>;
  /** When the next one is due, without those of the webhooks `except`. */
  nextDueAt(except: readonly string[]): Promise<number | null>;
  /**
   * Null: it is not due. Exactly one of several claimers wins. One that is damaged, or whose webhook is, ends as
   * failed: null.
   */
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
  /** Redelivers those of a webhook that have failed and were made at `since` or later. Returns how many. */
  redeliverFailed(accountId: string, webhookId: string, since: number, now: number): Promise<number>;
  /** Ends every lease now; like `expireLeases`. Returns how many. */
  expireDeliveries(): Promise<number>;
}

export const WEBHOOK_VERBS: VerbsOf<WebhookStore> = {
  saveWebhook: 'writes',
  findWebhook: 'reads',
  listWebhooks: 'reads',
  updateWebhook: 'writes',
  rotateSecret: 'writes',
  deleteWebhook: 'writes',
  relayEvents: 'writes',
  saveDelivery: 'writes',
  findDelivery: 'reads',
  listDeliveries: 'reads',
  dueDeliveries: 'reads',
  nextDueAt: 'reads',
  claimDelivery: 'writes',
  recordAttempt: 'writes',
  redeliver: 'writes',
  redeliverFailed: 'writes',
  expireDeliveries: 'writes',
};
