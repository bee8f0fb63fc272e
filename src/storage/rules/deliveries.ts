/** Deliveries of events: who gets an event, and what becomes of a delivery after an attempt. */
import { createHash } from 'node:crypto';
import type { RunEvent } from '../../model/run-event.js';
import {
  isSubscribed,
  type DeliveryAttempt,
  type DeliveryState,
  type NewDelivery,
  type WebhookRecord,
} from '../../model/webhook.js';
import type { AfterAttempt } from '../contract/webhooks.js';
import { GONE } from './webhook-health.js';

/** After this much time, deliveries that have ended are removed. */
export const DELIVERY_KEPT_MS = 30 * 86_400_000;
/** Attempts that are kept of one delivery: it may be asked for again without end. */
export const MAX_ATTEMPTS_KEPT = 100;
/** After the first attempt and each failed one; measured from the end of the preceding attempt. */
export const RETRY_DELAYS_MS = [1_000, 60_000, 300_000, 3_600_000, 86_400_000] as const;

const TIME_DIGITS = 17;
const HASH_DIGITS = 24;

/**
 * Follows from event and webhook. Begins with the digits of the event's time and sequence (common/ids.ts), so that
 * deliveries sort by their creation as everything else does.
 */
export function deliveryId(event: Pick<RunEvent, 'id' | 'createdAt'>, webhookId: string): string {
  const time = String(event.createdAt).padStart(13, '0');
  const sequence = /^evt_\d{13}(\d{4})/.exec(event.id)?.[1] ?? '0000';
  const hash = createHash('sha256')
    .update(JSON.stringify([event.id, webhookId]))
    .digest('hex');
  const digits = String(BigInt(`0x${hash}`))
    .padStart(78, '0')
    .slice(-HASH_DIGITS);
  return `dlv_${(time + sequence).slice(-TIME_DIGITS)}${digits}`;
}

/** Whether a webhook gets an event of its account that is handed on now. */
export const getsEvent = ({ active, events }: Pick<WebhookRecord, 'active' | 'events'>, event: RunEvent): boolean =>
  active && isSubscribed(events, event.type);

/** Whether a delivery that was made before may still be sent. Null: its webhook was deleted. */
export const maySend = (webhook: WebhookRecord | null): webhook is WebhookRecord => webhook?.active === true;

/** The deliveries of a run's events: one for every webhook that gets the event. */
export function deliveriesOf(
  runId: string,
  events: readonly RunEvent[],
  webhooks: readonly WebhookRecord[],
  dueAt: number,
): NewDelivery[] {
  return events.flatMap((event) =>
    webhooks
      .filter((webhook) => getsEvent(webhook, event))
      .map(({ id, accountId }) => ({
        id: deliveryId(event, id),
        accountId,
        webhookId: id,
        runId,
        eventId: event.id,
        eventType: event.type,
        body: event.body,
        dueAt,
        createdAt: event.createdAt,
      })),
  );
}

/**
 * Where an attempt that ended at `now` leaves its delivery.
 *
 * @param tries Before this attempt.
 */
export function afterAttempt({ status, error }: DeliveryAttempt, tries: number, now: number): AfterAttempt {
  if (error === null && status !== null && status >= 200 && status < 300) return { state: 'succeeded' };
  const delayMs = RETRY_DELAYS_MS[tries];
  if (delayMs === undefined || status === GONE) return { state: 'failed' };
  return { state: 'pending', dueAt: now + delayMs };
}

/** Whether an attempt moves its delivery: one that was cancelled meanwhile stays so, unless it was sent after all. */
export const isMovedBy = (state: DeliveryState, after: AfterAttempt): boolean =>
  state === 'delivering' || after.state === 'succeeded';

/** The webhook with another secret; the old one lives on until `previousUntil`. A rotation happens once. */
export function rotated(
  webhook: WebhookRecord,
  secret: string,
  rotation: string,
  previousUntil: number,
): WebhookRecord {
  if (webhook.rotation === rotation) return webhook;
  const previous = webhook.secret === null ? null : { secret: webhook.secret, until: previousUntil };
  return { ...webhook, secret, previous, rotation };
}
