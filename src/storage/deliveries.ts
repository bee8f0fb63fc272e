/** What all stores say alike about deliveries. */
import { createHash } from 'node:crypto';
import type { RunEvent } from '../model/run-event.js';
import { isSubscribed, type NewDelivery, type WebhookRecord } from '../model/webhook.js';

/** After this much time, deliveries that have ended are removed. */
export const DELIVERY_KEPT_MS = 30 * 86_400_000;
/** Attempts that are kept of one delivery: it may be asked for again without end. */
export const MAX_ATTEMPTS_KEPT = 100;

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

/** For every active webhook that subscribed to it. */
export function deliveriesOf(
  runId: string,
  events: readonly RunEvent[],
  webhooks: readonly WebhookRecord[],
  dueAt: number,
): NewDelivery[] {
  return events.flatMap((event) =>
    webhooks
      .filter(({ active, events: wanted }) => active && isSubscribed(wanted, event.type))
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
