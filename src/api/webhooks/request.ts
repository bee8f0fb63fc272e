/** Requests about webhooks. */
import { z } from 'zod';
import { DELIVERY_STATES, SUBSCRIPTIONS } from '../../model/webhook.js';
import { codePointsWithin, fewItems, MAX_OVERLAP_SECONDS, optionalField } from '../fields.js';
import { pageQuery } from '../pagination.js';

const MAX_SECRET_CHARACTERS = 255;

const webhookUrl = z
  .string()
  .min(1)
  .max(2_048)
  .refine((text) => URL.canParse(text), '`url` must be a URL such as https://example.com/hook.')
  .meta({ format: 'uri' })
  .describe(
    'https, on port 443, 8443 or from 1024 on, at a public address (checked now and whenever something is sent), without ' +
      'user and password. Redirects are not followed',
  );

const subscriptions = fewItems(z.enum(SUBSCRIPTIONS), 100)
  .transform((events) => [...new Set(events)])
  .describe('`*`: all');

export const webhookRequest = z.strictObject({
  url: webhookUrl,
  events: subscriptions,
  secret: z
    .string()
    .min(1)
    .refine(
      codePointsWithin(MAX_SECRET_CHARACTERS),
      `\`secret\` must be at most ${MAX_SECRET_CHARACTERS} characters long.`,
    )
    .refine((text) => !/\p{Cs}/u.test(text), '`secret` must be text that UTF-8 can hold.')
    .meta({ maxLength: MAX_SECRET_CHARACTERS })
    .nullable()
    .optional()
    .describe('Absent: made by the service. Null: none, deliveries are not signed'),
  active: z.boolean().default(true),
});

/** A field left out stays as it is. */
export const webhookChange = z.strictObject({
  url: webhookUrl.optional(),
  events: optionalField(subscriptions),
  active: z.boolean().optional().describe('false: what waits for it is cancelled'),
});

export const rotateRequest = z.strictObject({
  overlap_seconds: z
    .int()
    .min(0)
    .max(MAX_OVERLAP_SECONDS)
    .default(MAX_OVERLAP_SECONDS)
    .describe('How long the old secret signs, too'),
});

export const redeliverFailedRequest = z.strictObject({
  since: z.iso
    .datetime({ offset: true, error: '`since` must be a time such as 2030-01-31T12:00:00Z.' })
    .describe('When the events happened, at the earliest'),
});

export const deliveryListQuery = z.strictObject({ ...pageQuery, state: z.enum(DELIVERY_STATES).optional() });
