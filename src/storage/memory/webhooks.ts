/** Webhooks and deliveries in memory. */
import type { Page, PageRequest } from '../../model/page.js';
import type {
  DeliveryAttempt,
  DeliveryRecord,
  DeliveryState,
  NewDelivery,
  WebhookChange,
  WebhookRecord,
} from '../../model/webhook.js';
import type { AfterAttempt, ClaimedDelivery, DueDelivery, WebhookStore } from '../contract/webhooks.js';
import { deliveriesOf, DELIVERY_KEPT_MS, isMovedBy, MAX_ATTEMPTS_KEPT, rotated } from '../rules/deliveries.js';
import type { LatestTimes } from '../rules/latest-times.js';
import { failingSinceAfter, newsOf } from '../rules/webhook-health.js';
import { copy, window } from './lists.js';
import type { MemoryRuns } from './runs.js';

interface StoredDelivery {
  record: DeliveryRecord;
  readonly body: string;
  fence: number;
  /** When it may be claimed; null: it has ended. */
  dueAt: number | null;
}

export class MemoryWebhooks implements WebhookStore {
  private readonly webhooks = new Map<string, WebhookRecord>();
  private readonly deliveries = new Map<string, StoredDelivery>();
  private readonly runs: MemoryRuns;

  constructor(runs: MemoryRuns) {
    this.runs = runs;
  }

  async saveWebhook(webhook: WebhookRecord): Promise<void> {
    if (!this.webhooks.has(webhook.id)) this.webhooks.set(webhook.id, copy(webhook));
  }

  private webhook(accountId: string, id: string): WebhookRecord | null {
    const found = this.webhooks.get(id);
    return found?.accountId === accountId ? found : null;
  }

  async findWebhook(accountId: string, id: string): Promise<WebhookRecord | null> {
    return copy(this.webhook(accountId, id));
  }

  async listWebhooks(accountId: string, page: PageRequest): Promise<Page<WebhookRecord>> {
    return window(
      [...this.webhooks.values()].filter((webhook) => webhook.accountId === accountId),
      page,
    );
  }

  async updateWebhook(
    accountId: string,
    id: string,
    change: WebhookChange,
    ifFailingSince?: number,
  ): Promise<WebhookRecord | null> {
    const found = this.webhook(accountId, id);
    if (found === null || (ifFailingSince !== undefined && found.failingSince !== ifFailingSince)) return null;
    const changed = { ...found, ...copy(change) };
    this.webhooks.set(id, changed);
    if (change.active === false) this.cancel(id);
    return copy(changed);
  }

  async rotateSecret(
    accountId: string,
    id: string,
    secret: string,
    rotation: string,
    previousUntil: number,
  ): Promise<WebhookRecord | null> {
    const found = this.webhook(accountId, id);
    if (found === null) return null;
    this.webhooks.set(id, rotated(found, secret, rotation, previousUntil));
    return this.findWebhook(accountId, id);
  }

  async deleteWebhook(accountId: string, id: string): Promise<boolean> {
    if (this.webhook(accountId, id) === null) return false;
    this.webhooks.delete(id);
    this.cancel(id);
    return true;
  }

  private cancel(webhookId: string): void {
    for (const stored of this.deliveries.values()) {
      if (stored.record.webhookId === webhookId && stored.dueAt !== null) this.move(stored, 'cancelled', null);
    }
  }

  private move(stored: StoredDelivery, state: DeliveryState, dueAt: number | null): void {
    stored.dueAt = dueAt;
    stored.record = { ...stored.record, state, nextAttemptAt: state === 'pending' ? dueAt : null };
  }

  async relayEvents(now: number, limit: number): Promise<number> {
    const found = this.runs.outboxes().slice(0, limit);
    for (const { accountId, runId, events, done } of found) {
      const webhooks = [...this.webhooks.values()].filter((webhook) => webhook.accountId === accountId);
      for (const delivery of deliveriesOf(runId, events, webhooks, now)) this.save(delivery);
      done();
    }
    return found.length;
  }

  /** The run was removed. */
  removeOf(runId: string): void {
    for (const [id, { record }] of this.deliveries) if (record.runId === runId) this.deliveries.delete(id);
  }

  async saveDelivery(delivery: NewDelivery): Promise<void> {
    this.save(copy(delivery));
  }

  private save({ body, dueAt, ...rest }: NewDelivery): void {
    if (this.deliveries.has(rest.id)) return;
    const record: DeliveryRecord = { ...rest, state: 'pending', tries: 0, attempts: [], nextAttemptAt: dueAt };
    this.deliveries.set(rest.id, { record, body, fence: 0, dueAt });
  }

  async findDelivery(accountId: string, id: string): Promise<DeliveryRecord | null> {
    const record = this.deliveries.get(id)?.record;
    return record?.accountId === accountId ? copy(record) : null;
  }

  async listDeliveries(
    accountId: string,
    webhookId: string | null,
    { state }: { readonly state?: DeliveryState },
    page: PageRequest,
  ): Promise<Page<DeliveryRecord>> {
    const all = [...this.deliveries.values()].map(({ record }) => record);
    return window(
      all.filter(
        (record) =>
          record.accountId === accountId &&
          (webhookId ?? record.webhookId) === record.webhookId &&
          (state === undefined || record.state === state),
      ),
      page,
    );
  }

  private waiting(except: readonly string[]): { readonly dueAt: number; readonly record: DeliveryRecord }[] {
    return [...this.deliveries.values()]
      .flatMap(({ dueAt, record }) => (dueAt === null || except.includes(record.webhookId) ? [] : [{ dueAt, record }]))
      .sort((a, b) => a.dueAt - b.dueAt || (a.record.id < b.record.id ? -1 : 1));
  }

  async dueDeliveries(now: number, except: readonly string[], limit: number): Promise<readonly DueDelivery[]> {
    return this.waiting(except)
      .filter(({ dueAt }) => dueAt <= now)
      .slice(0, limit)
      .map(({ record: { id, webhookId, runId } }) => ({ id, webhookId, runId }));
  }

  async nextDueAt(except: readonly string[]): Promise<number | null> {
    return this.waiting(except)[0]?.dueAt ?? null;
  }

  async claimDelivery(id: string, now: number, leaseUntil: number): Promise<ClaimedDelivery | null> {
    const stored = this.deliveries.get(id);
    if (stored === undefined || stored.dueAt === null || stored.dueAt > now) return null;
    this.move(stored, 'delivering', leaseUntil);
    const fence = ++stored.fence;
    const webhook = this.webhooks.get(stored.record.webhookId) ?? null;
    return copy({ delivery: stored.record, fence, body: stored.body, webhook });
  }

  async recordAttempt(
    id: string,
    fence: number,
    attempt: DeliveryAttempt | null,
    after: AfterAttempt,
  ): Promise<{ readonly failingSince: number | null } | null> {
    const stored = this.deliveries.get(id);
    const state = stored?.record.state;
    if (stored?.fence !== fence || (state !== 'delivering' && state !== 'cancelled')) return null;
    const { record } = stored;
    if (attempt !== null) {
      const attempts = [...record.attempts, copy(attempt)].slice(-MAX_ATTEMPTS_KEPT);
      stored.record = { ...record, attempts, tries: record.tries + 1 };
    }
    if (isMovedBy(state, after)) {
      this.move(stored, after.state, after.state === 'pending' ? after.dueAt : null);
    }
    const webhook = this.webhooks.get(record.webhookId);
    if (webhook === undefined) return { failingSince: null };
    const failingSince = failingSinceAfter(webhook.failingSince, newsOf(attempt, after));
    this.webhooks.set(webhook.id, { ...webhook, failingSince });
    return { failingSince };
  }

  async redeliver(accountId: string, id: string, now: number): Promise<DeliveryRecord | null> {
    const stored = this.deliveries.get(id);
    if (stored?.record.accountId !== accountId) return null;
    if (stored.record.state !== 'delivering') this.again(stored, now);
    return copy(stored.record);
  }

  private again(stored: StoredDelivery, now: number): void {
    stored.fence++;
    stored.record = { ...stored.record, tries: 0 };
    this.move(stored, 'pending', now);
  }

  bringBackDeliveries({ lease, dueAt, atOnce }: LatestTimes): number {
    const ahead = [...this.deliveries.values()].filter(
      (stored) => (stored.dueAt ?? 0) > (stored.record.state === 'delivering' ? lease : dueAt),
    );
    for (const stored of ahead) this.move(stored, stored.record.state, atOnce);
    return ahead.length;
  }

  async redeliverFailed(accountId: string, webhookId: string, since: number, now: number): Promise<number> {
    const failed = [...this.deliveries.values()].filter(
      ({ record }) =>
        record.accountId === accountId &&
        record.webhookId === webhookId &&
        record.state === 'failed' &&
        record.createdAt >= since,
    );
    for (const stored of failed) this.again(stored, now);
    return failed.length;
  }

  async expireDeliveries(): Promise<number> {
    const leased = [...this.deliveries.values()].filter(
      ({ record, dueAt }) => record.state === 'delivering' && dueAt !== 0,
    );
    for (const stored of leased) stored.dueAt = 0;
    return leased.length;
  }

  removeExpired(now: number): void {
    for (const [id, { dueAt, record }] of this.deliveries) {
      if (dueAt === null && record.createdAt <= now - DELIVERY_KEPT_MS) this.deliveries.delete(id);
    }
  }
}
