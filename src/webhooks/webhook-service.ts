/** Webhooks of an account, and what was sent to them. Knows nothing of HTTP. */
import { ExtremumError } from '../common/errors.js';
import type { Clock, IdSource } from '../common/ids.js';
import type { Jobs } from '../jobs/jobs.js';
import type { Page, PageRequest } from '../model/page.js';
import {
  TEST_EVENT,
  type DeliveryRecord,
  type DeliveryState,
  type Subscription,
  type WebhookChange,
  type WebhookRecord,
} from '../model/webhook.js';
import type { WebhookStore } from '../storage/contract/webhooks.js';
import { healthAfterChange } from '../storage/rules/webhook-health.js';
import { generateSecret } from './signature.js';
import type { Transport } from './transport.js';

interface WebhookServiceParts {
  readonly store: WebhookStore;
  readonly seal: { seal(text: string): string; open(sealed: string): string };
  readonly transport: Pick<Transport, 'refusal'>;
  readonly jobs: Pick<Jobs, 'nudge'>;
  readonly ids: IdSource;
  readonly clock: Clock;
}

interface WebhookWish {
  readonly url: string;
  readonly events: readonly Subscription[];
  readonly active: boolean;
  /** Undefined: made here. Null: deliveries are not signed. */
  readonly secret: string | null | undefined;
}

/** A webhook as its maker gets it: the secret is shown only here. */
export interface IssuedWebhook {
  readonly webhook: WebhookRecord;
  readonly secret: string | null;
}

/** An event costs a delivery for each of them. */
const MAX_WEBHOOKS = 100;

export class WebhookService {
  private readonly parts: WebhookServiceParts;

  constructor(parts: WebhookServiceParts) {
    this.parts = parts;
  }

  /**
   * @throws {ExtremumError} `invalid_request` on `url`: it may not be reached; `conflict`: the account has as many as
   * it may have.
   */
  async create(accountId: string, wish: WebhookWish, ids = this.parts.ids): Promise<IssuedWebhook> {
    const { store, seal } = this.parts;
    const { id, createdAt } = ids.next('wh');
    // An earlier attempt at the same request may have made it.
    const made = ids.isRepeat === true ? await this.find(accountId, id) : null;
    if (made !== null) return { webhook: made, secret: made.secret === null ? null : seal.open(made.secret) };
    await this.checkTarget(wish.url);
    const { total } = await store.listWebhooks(accountId, { limit: 1, offset: 0 });
    if (total >= MAX_WEBHOOKS) {
      throw new ExtremumError('conflict', `An account has at most ${MAX_WEBHOOKS} webhooks; delete one first.`);
    }
    const secret = wish.secret === undefined ? generateSecret() : wish.secret;
    const webhook: WebhookRecord = {
      id,
      accountId,
      url: wish.url,
      events: wish.events,
      active: wish.active,
      createdAt,
      secret: secret === null ? null : seal.seal(secret),
      previous: null,
      rotation: null,
      failingSince: null,
      disabled: null,
    };
    await store.saveWebhook(webhook);
    return { webhook, secret };
  }

  private async checkTarget(url: string): Promise<void> {
    const refusal = await this.parts.transport.refusal(url);
    if (refusal === null) return;
    throw new ExtremumError('invalid_request', `\`url\` cannot be a webhook's: ${refusal}`, { field: 'url' });
  }

  find(accountId: string, id: string): Promise<WebhookRecord | null> {
    return this.parts.store.findWebhook(accountId, id);
  }

  list(accountId: string, page: PageRequest): Promise<Page<WebhookRecord>> {
    return this.parts.store.listWebhooks(accountId, page);
  }

  /** Null: there is none. @throws {ExtremumError} `invalid_request` on `url`. */
  async update(
    accountId: string,
    id: string,
    change: Pick<WebhookChange, 'url' | 'events' | 'active'>,
  ): Promise<WebhookRecord | null> {
    if ((await this.find(accountId, id)) === null) return null;
    if (change.url !== undefined) await this.checkTarget(change.url);
    return this.parts.store.updateWebhook(accountId, id, { ...change, ...healthAfterChange(change) });
  }

  /** Removes it; its waiting deliveries are cancelled. False: there was none. */
  remove(accountId: string, id: string): Promise<boolean> {
    return this.parts.store.deleteWebhook(accountId, id);
  }

  /** The new secret signs from now on, the old one beside it for a while. Null: there is none. */
  async rotate(
    accountId: string,
    id: string,
    overlapSeconds: number,
    ids = this.parts.ids,
  ): Promise<IssuedWebhook | null> {
    const { store, seal, clock } = this.parts;
    // Only a name: a repeated request must not rotate twice, or the secret that the receiver knows would be gone.
    const rotation = ids.next('wh').id;
    const sealed = seal.seal(generateSecret());
    const webhook = await store.rotateSecret(accountId, id, sealed, rotation, clock() + overlapSeconds * 1000);
    return webhook === null || webhook.secret === null ? null : { webhook, secret: seal.open(webhook.secret) };
  }

  /** Sends it an event of no run. Null: there is none. @throws {ExtremumError} `conflict`: it is switched off. */
  async test(accountId: string, id: string, ids = this.parts.ids): Promise<DeliveryRecord | null> {
    const { store, clock, jobs } = this.parts;
    const webhook = await this.active(accountId, id);
    if (webhook === null) return null;
    const event = ids.next('evt');
    const delivery = ids.next('dlv');
    const created_at = new Date(event.createdAt).toISOString();
    const body = JSON.stringify({ id: event.id, type: TEST_EVENT, created_at, data: { webhook_id: id } });
    await store.saveDelivery({
      id: delivery.id,
      accountId,
      webhookId: id,
      runId: null,
      eventId: event.id,
      eventType: TEST_EVENT,
      body,
      dueAt: clock(),
      createdAt: delivery.createdAt,
    });
    jobs.nudge('send-deliveries');
    return store.findDelivery(accountId, delivery.id);
  }

  private async active(accountId: string, id: string): Promise<WebhookRecord | null> {
    const webhook = await this.find(accountId, id);
    if (webhook === null || webhook.active) return webhook;
    throw new ExtremumError('conflict', 'The webhook is not active; switch it on first.');
  }

  /** Null: there is no such webhook. */
  async deliveries(
    accountId: string,
    id: string,
    state: DeliveryState | undefined,
    page: PageRequest,
  ): Promise<Page<DeliveryRecord> | null> {
    if ((await this.find(accountId, id)) === null) return null;
    return this.parts.store.listDeliveries(accountId, id, { state }, page);
  }

  /** Of all webhooks. */
  allDeliveries(accountId: string, state: DeliveryState | undefined, page: PageRequest): Promise<Page<DeliveryRecord>> {
    return this.parts.store.listDeliveries(accountId, null, { state }, page);
  }

  /**
   * Sends it again at once, whatever became of it, with all of its retries. Null: there is none, or its webhook was
   * deleted. @throws {ExtremumError} `conflict`: the webhook is switched off.
   */
  async redeliver(accountId: string, deliveryId: string): Promise<DeliveryRecord | null> {
    const { store, clock, jobs } = this.parts;
    const delivery = await store.findDelivery(accountId, deliveryId);
    if (delivery === null || (await this.active(accountId, delivery.webhookId)) === null) return null;
    const again = await store.redeliver(accountId, deliveryId, clock());
    jobs.nudge('send-deliveries');
    return again;
  }

  /** The same for all that failed since. Returns how many; null: no such webhook. @throws as `redeliver`. */
  async redeliverFailed(accountId: string, id: string, since: number): Promise<number | null> {
    const { store, clock, jobs } = this.parts;
    if ((await this.active(accountId, id)) === null) return null;
    const count = await store.redeliverFailed(accountId, id, since, clock());
    jobs.nudge('send-deliveries');
    return count;
  }

  /** The same for every webhook that is switched on. Returns how many. */
  async redeliverAllFailed(accountId: string, since: number): Promise<number> {
    const { store, clock, jobs } = this.parts;
    const { items } = await store.listWebhooks(accountId, { limit: MAX_WEBHOOKS, offset: 0 });
    let count = 0;
    for (const { id, active } of items) if (active) count += await store.redeliverFailed(accountId, id, since, clock());
    jobs.nudge('send-deliveries');
    return count;
  }
}
