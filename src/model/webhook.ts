/** Endpoints of clients that hear of events, and what was sent to them. Times are epoch milliseconds. */
import { RUN_EVENT_TYPES, STREAM_ONLY, type RunEventType } from './run-event.js';

export type Subscription = '*' | Exclude<RunEventType, typeof STREAM_ONLY>;
/** Events that a webhook may subscribe to; `*`: all. */
export const SUBSCRIPTIONS: readonly Subscription[] = ['*', ...RUN_EVENT_TYPES.filter((type) => type !== STREAM_ONLY)];

export const isSubscribed = (events: readonly Subscription[], type: RunEventType): boolean =>
  type !== STREAM_ONLY && (events.includes('*') || events.includes(type));

/** Sent on request only, to every webhook. */
export const TEST_EVENT = 'webhook.test';

/** `gone`: it answered 410. `failing`: nothing but failures for five days. */
export type DisabledReason = 'gone' | 'failing';

export interface WebhookRecord {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly events: readonly Subscription[];
  readonly active: boolean;
  readonly createdAt: number;
  /** Sealed. Null: deliveries are not signed. */
  readonly secret: string | null;
  /** Sealed too; signs beside the secret until then. */
  readonly previous: { readonly secret: string; readonly until: number } | null;
  /** Names the last rotation of the secret, so that one which is asked for again is made once. */
  readonly rotation: string | null;
  /** The first failed attempt since the last successful one; null: the last one succeeded, or there was none. */
  readonly failingSince: number | null;
  /** Where the service itself has switched it off. */
  readonly disabled: { readonly reason: DisabledReason; readonly at: number } | null;
}

export type WebhookChange = Partial<Pick<WebhookRecord, 'url' | 'events' | 'active' | 'failingSince' | 'disabled'>>;

export const DELIVERY_STATES = ['pending', 'delivering', 'succeeded', 'failed', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One attempt to deliver, and its result. */
export interface DeliveryAttempt {
  readonly at: number;
  /** HTTP status of the answer; null: there was none. */
  readonly status: number | null;
  readonly durationSeconds: number;
  /** Why it failed, where the status does not say so. */
  readonly error: string | null;
  /** The beginning of the answer's body; null: there was no answer. */
  readonly responseExcerpt: string | null;
}

export interface DeliveryRecord {
  readonly id: string;
  readonly accountId: string;
  readonly webhookId: string;
  /** Null: not of a run. */
  readonly runId: string | null;
  readonly eventId: string;
  readonly eventType: string;
  readonly state: DeliveryState;
  /** Since it was made, or asked for again. */
  readonly tries: number;
  /** Oldest first; of very many the last. */
  readonly attempts: readonly DeliveryAttempt[];
  /** Null unless pending. */
  readonly nextAttemptAt: number | null;
  /** When the event happened. */
  readonly createdAt: number;
}

/** `body`: the exact text of every attempt. */
export type NewDelivery = Omit<DeliveryRecord, 'state' | 'tries' | 'attempts' | 'nextAttemptAt'> & {
  readonly body: string;
  readonly dueAt: number;
};
