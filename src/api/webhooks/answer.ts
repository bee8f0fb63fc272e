/** Webhooks and deliveries as clients see them. Secrets are shown where they are made, and nowhere else. */
import { z } from 'zod';
import {
  DELIVERY_STATES,
  type DeliveryAttempt,
  type DeliveryRecord,
  SUBSCRIPTIONS,
  type WebhookRecord,
} from '../../model/webhook.js';
import type { IssuedWebhook } from '../../webhooks/webhook-service.js';
import { isoTime, nullable, time } from '../fields.js';
import type { Answer } from '../route.js';

export const webhookAnswer = z
  .object({
    id: z.string().meta({ pattern: '^wh_[0-9]+$' }),
    url: z.string(),
    events: z.array(z.enum(SUBSCRIPTIONS)),
    active: z.boolean(),
    created_at: time,
    signed: z.boolean().describe('Whether it has a secret'),
    failing_since: nullable(time).describe('The first failed attempt since the last successful one'),
    disabled: nullable(z.object({ reason: z.enum(['gone', 'failing']), at: time })).describe(
      'Where the service has switched it off: it answered 410, or nothing but failures for five days',
    ),
  })
  .meta({ id: 'Webhook' });

export const issuedWebhookAnswer = webhookAnswer
  .extend({ secret: z.string().optional().describe('Shown only here; absent where there is none') })
  .meta({ id: 'IssuedWebhook' });

export const deliveryAnswer = z
  .object({
    id: z.string().meta({ pattern: '^dlv_[0-9]+$' }),
    event_id: z.string().describe('The same for every webhook and attempt: what to recognise duplicates by'),
    event_type: z.string(),
    webhook_id: z.string(),
    state: z.enum(DELIVERY_STATES).describe('`cancelled`: the webhook was deleted or switched off'),
    attempts: z
      .array(
        z.object({
          at: time,
          status: nullable(z.int()).describe('Null: no answer'),
          duration_seconds: z.number(),
          error: z.string().optional(),
          response_excerpt: nullable(z.string()).describe('The first 4 KiB of the answer'),
        }),
      )
      .describe('Oldest first, the last hundred'),
    next_attempt_at: nullable(time),
    created_at: time,
  })
  .meta({ id: 'Delivery' });

export const redeliveredAnswer = z
  .object({ redelivered: z.int().describe('How many deliveries are sent again') })
  .meta({ id: 'Redelivered' });

const timeOrNull = (epochMs: number | null): string | null => (epochMs === null ? null : isoTime(epochMs));

export const represent = ({
  id,
  url,
  events,
  active,
  createdAt,
  secret,
  failingSince,
  disabled,
}: WebhookRecord): Answer<typeof webhookAnswer> => ({
  id,
  url,
  events,
  active,
  created_at: isoTime(createdAt),
  signed: secret !== null,
  failing_since: timeOrNull(failingSince),
  disabled: disabled === null ? null : { reason: disabled.reason, at: isoTime(disabled.at) },
});

export const representIssued = ({ webhook, secret }: IssuedWebhook): Answer<typeof issuedWebhookAnswer> => ({
  ...represent(webhook),
  secret: secret ?? undefined,
});

const representAttempt = ({
  at,
  status,
  durationSeconds,
  error,
  responseExcerpt,
}: DeliveryAttempt): Answer<typeof deliveryAnswer>['attempts'][number] => ({
  at: isoTime(at),
  status,
  duration_seconds: durationSeconds,
  error: error ?? undefined,
  response_excerpt: responseExcerpt,
});

export const representDelivery = (delivery: DeliveryRecord): Answer<typeof deliveryAnswer> => ({
  id: delivery.id,
  event_id: delivery.eventId,
  event_type: delivery.eventType,
  webhook_id: delivery.webhookId,
  state: delivery.state,
  attempts: delivery.attempts.map(representAttempt),
  next_attempt_at: timeOrNull(delivery.nextAttemptAt),
  created_at: isoTime(delivery.createdAt),
});
