/**
 * The health of a webhook: since when it has been failing, and when the service switches it off. Each store notes the
 * health together with the attempt, in its own conditional updates; what there is to note is decided here.
 */
import type { DeliveryAttempt, DisabledReason, WebhookChange } from '../../model/webhook.js';
import type { AfterAttempt } from '../contract/webhooks.js';

/** Nothing but failures for so long switches a webhook off. */
export const FAILING_MS = 5 * 86_400_000;
/** The status by which an endpoint says that it wants no more. */
export const GONE = 410;

/** A webhook that fails already keeps the time of its first failure. */
export type HealthNews = { readonly isWell: true } | { readonly isWell: false; readonly since: number };

/** The news that an attempt brings of its webhook. Null: none, because nothing was sent. */
export function newsOf(attempt: DeliveryAttempt | null, { state }: AfterAttempt): HealthNews | null {
  if (attempt === null) return null;
  return state === 'succeeded' ? { isWell: true } : { isWell: false, since: attempt.at };
}

/** `failingSince` after the news. */
export function failingSinceAfter(before: number | null, news: HealthNews | null): number | null {
  if (news === null) return before;
  return news.isWell ? null : (before ?? news.since);
}

/**
 * Why an attempt switches its webhook off. Null: it stays on.
 *
 * @param failingSince As the store knows it after the attempt.
 * @param isClockSteady False: the time of failing is not to be trusted.
 */
export function reasonToDisable(
  attempt: DeliveryAttempt,
  after: AfterAttempt,
  failingSince: number | null,
  isClockSteady: () => boolean,
): DisabledReason | null {
  if (attempt.status === GONE) return 'gone';
  if (after.state === 'succeeded' || failingSince === null) return null;
  return attempt.at - failingSince >= FAILING_MS && isClockSteady() ? 'failing' : null;
}

/** Another address has failed nobody yet, and a webhook that is switched on again gets its five days. */
export const healthAfterChange = (change: Pick<WebhookChange, 'url' | 'active'>): WebhookChange => ({
  ...(change.url !== undefined || change.active === true ? { failingSince: null } : {}),
  ...(change.active === true ? { disabled: null } : {}),
});
