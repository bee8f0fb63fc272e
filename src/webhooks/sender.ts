/**
 * Hands events on and makes deliveries, in any number of processes on one store: claims decide who sends what. A
 * delivery is tried at once and after each of the delays, always with the same bytes.
 */
import type { Clock } from '../common/ids.js';
import type { Logger } from '../common/logger.js';
import type { Jobs } from '../jobs/jobs.js';
import type { DeliveryAttempt, DisabledReason, WebhookRecord } from '../model/webhook.js';
import type { AfterAttempt, ClaimedDelivery, DueDelivery, WebhookStore } from '../storage/contract/webhooks.js';
import { afterAttempt, maySend } from '../storage/rules/deliveries.js';
import { reasonToDisable } from '../storage/rules/webhook-health.js';
import { signatureHeaders, type Secrets } from './signature.js';
import type { Transport } from './transport.js';

export interface WebhookMetrics {
  /** `cancelled`: its webhook was gone when it was to be sent. */
  deliveryAttempted(outcome: 'succeeded' | 'retried' | 'failed' | 'cancelled'): void;
  webhookDisabled(reason: DisabledReason): void;
}

interface SenderParts {
  readonly store: WebhookStore;
  readonly seal: { open(sealed: string): string };
  readonly transport: Transport;
  readonly jobs: Jobs;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  readonly version: string;
  /** How long work stays with a process that nothing is heard of. */
  readonly leaseMs: number;
  /** Whether the clock is known to be right: else nothing is switched off by its time. Absent: it is. */
  readonly isClockSteady?: () => boolean;
}

/** Time of a claim beyond the five seconds of an attempt: for a store that is slow. */
const LEASE_MS = { least: 6_000, most: 30_000 };
/** One dead endpoint occupies no more of the places than this. */
const PER_WEBHOOK = 4;
const IN_FLIGHT = 256;
const RELAY_RUNS = 500;
/** Events of many runs share the writes that hand them on. */
const GATHER_MS = 50;
/** Finds what a process that died has left. What is made here is nudged, what is due later has a timer. */
const EVERY_MS = 10_000;
const STORE_RETRY_MS = 1_000;

export class Sender {
  private readonly parts: SenderParts;
  private readonly working = new Set<Promise<void>>();
  /** Attempts under way, by webhook. */
  private readonly busy = new Map<string, number>();
  /**
   * Pairs of webhook and run with an event under way: a webhook gets one event of a run at a time, so that they arrive
   * in order.
   */
  private readonly runs = new Set<string>();
  private gathering: NodeJS.Timeout | null = null;
  private stopping = false;

  constructor(parts: SenderParts) {
    this.parts = parts;
    const { jobs } = parts;
    jobs.define('relay-events', (signal) => this.relay(signal), { everyMs: EVERY_MS });
    jobs.define('send-deliveries', (signal) => this.send(signal), { everyMs: EVERY_MS });
  }

  /** Events were stored here: to be handed on soon. */
  eventsStored(): void {
    if (this.gathering !== null || this.stopping) return;
    this.gathering = setTimeout(() => {
      this.gathering = null;
      this.parts.jobs.nudge('relay-events');
    }, GATHER_MS);
    this.gathering.unref();
  }

  /** After the jobs have stopped: lets the attempts that are under way end, a matter of seconds. */
  async close(): Promise<void> {
    this.stopping = true;
    if (this.gathering !== null) clearTimeout(this.gathering);
    await Promise.all(this.working);
  }

  private async relay(signal: AbortSignal): Promise<null> {
    const { store, clock, jobs } = this.parts;
    for (let runs = RELAY_RUNS; runs === RELAY_RUNS && !signal.aborted;) {
      runs = await store.relayEvents(clock(), RELAY_RUNS);
      if (runs > 0) jobs.nudge('send-deliveries');
    }
    return null;
  }

  /** Begins all that is due and has a place; each end wakes this again. */
  private async send(signal: AbortSignal): Promise<number | null> {
    const { store, clock } = this.parts;
    // Webhooks of which no more may be begun now.
    const full = new Set([...this.busy].filter(([, count]) => count >= PER_WEBHOOK).map(([id]) => id));
    const isOver = (): boolean => this.stopping || signal.aborted;
    while (!isOver()) {
      const free = IN_FLIGHT - this.working.size;
      if (free <= 0) return null;
      const due = await store.dueDeliveries(clock(), [...full], free);
      if (due.length === 0) return store.nextDueAt([...full]);
      for (const delivery of due) {
        if (isOver()) return null;
        if (this.hasPlace(delivery)) await this.begin(delivery);
        else full.add(delivery.webhookId);
      }
    }
    return null;
  }

  private hasPlace({ webhookId, runId }: DueDelivery): boolean {
    if ((this.busy.get(webhookId) ?? 0) >= PER_WEBHOOK) return false;
    return runId === null || !this.runs.has(`${webhookId} ${runId}`);
  }

  private async begin({ id, webhookId, runId }: DueDelivery): Promise<void> {
    const { store, clock, jobs, logger, leaseMs } = this.parts;
    const now = clock();
    const leaseUntil = now + Math.min(LEASE_MS.most, LEASE_MS.least + leaseMs);
    const claimed = await store.claimDelivery(id, now, leaseUntil);
    if (claimed === null) return;
    const ofRun = `${webhookId} ${runId}`;
    this.busy.set(webhookId, (this.busy.get(webhookId) ?? 0) + 1);
    if (runId !== null) this.runs.add(ofRun);
    const work = this.deliver(claimed)
      .catch((error: unknown) => logger.error({ err: error, delivery: id }, 'a defect in a delivery'))
      .finally(() => {
        const left = (this.busy.get(webhookId) ?? 1) - 1;
        if (left === 0) this.busy.delete(webhookId);
        else this.busy.set(webhookId, left);
        this.runs.delete(ofRun);
        this.working.delete(work);
        jobs.nudge('send-deliveries');
      });
    this.working.add(work);
  }

  private async deliver(claimed: ClaimedDelivery): Promise<void> {
    const { metrics, clock, isClockSteady } = this.parts;
    const { delivery, webhook } = claimed;
    if (!maySend(webhook)) {
      metrics.deliveryAttempted('cancelled');
      await this.record(claimed, null, { state: 'cancelled' });
      return;
    }
    const attempt = await this.attempt(claimed, webhook);
    const after = afterAttempt(attempt, delivery.tries, clock());
    metrics.deliveryAttempted(after.state === 'pending' ? 'retried' : after.state);
    const recorded = await this.record(claimed, attempt, after);
    const failingSince = recorded?.failingSince ?? null;
    const reason = reasonToDisable(attempt, after, failingSince, () => isClockSteady?.() !== false);
    if (reason === 'gone') await this.disable(webhook, reason);
    // Only while it fails since then: it may have recovered, or been changed, meanwhile.
    else if (reason === 'failing') await this.disable(webhook, reason, failingSince ?? undefined);
  }

  private async attempt({ delivery, body }: ClaimedDelivery, webhook: WebhookRecord): Promise<DeliveryAttempt> {
    const { transport, clock, version, logger } = this.parts;
    const at = clock();
    const bytes = Buffer.from(body);
    let secrets: Secrets | null;
    try {
      secrets = this.secretsOf(webhook, at);
    } catch (error) {
      logger.error({ err: error, webhook: webhook.id }, 'the secret of a webhook cannot be opened');
      const reason = 'The secret of the webhook cannot be read any more: rotate it.';
      return { at, status: null, durationSeconds: 0, error: reason, responseExcerpt: null };
    }
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': `Extremum-Webhooks/${version}`,
      'X-Service-Event': delivery.eventType,
      'X-Service-Delivery': delivery.id,
      'X-Service-Attempt': String(delivery.tries + 1),
      ...signatureHeaders(secrets, delivery.eventId, at, bytes),
    };
    const { status, error, excerpt, durationSeconds } = await transport.post(webhook.url, headers, bytes);
    return { at, status, durationSeconds, error, responseExcerpt: excerpt };
  }

  private secretsOf({ secret, previous }: WebhookRecord, now: number): Secrets | null {
    if (secret === null) return null;
    const { seal } = this.parts;
    const isOverlap = previous !== null && now < previous.until;
    return { current: seal.open(secret), previous: isOverlap ? seal.open(previous.secret) : undefined };
  }

  /** Tries again while the store is away: else it would be sent once more when the lease has ended. */
  private async record(
    { delivery, fence }: ClaimedDelivery,
    attempt: DeliveryAttempt | null,
    after: AfterAttempt,
  ): Promise<{ readonly failingSince: number | null } | null> {
    const { store, logger } = this.parts;
    for (;;) {
      try {
        return await store.recordAttempt(delivery.id, fence, attempt, after);
      } catch (error) {
        logger.warn({ err: error, delivery: delivery.id }, 'an attempt of a delivery could not be stored');
        if (this.stopping) return null;
        await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
      }
    }
  }

  private async disable(webhook: WebhookRecord, reason: DisabledReason, ifFailingSince?: number): Promise<void> {
    const { store, clock, logger, metrics } = this.parts;
    const change = { active: false, disabled: { reason, at: clock() } };
    if ((await store.updateWebhook(webhook.accountId, webhook.id, change, ifFailingSince)) === null) return;
    metrics.webhookDisabled(reason);
    logger.warn({ webhook: webhook.id, reason }, 'a webhook was switched off');
  }
}
