/**
 * Webhooks and deliveries in MongoDB. A delivery's own document decides, guarded by its fence number. A change of two
 * documents (a webhook is switched off, its deliveries are cancelled) is made in that order: whoever claims a delivery
 * looks at its webhook, so that a death in between sends nothing more.
 */
import type { Filter, UpdateFilter } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { encode } from '../../common/codec.js';
import { isDamaged } from '../../common/errors.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { RunEvent } from '../../model/run-event.js';
import type {
  DeliveryAttempt,
  DeliveryRecord,
  DeliveryState,
  NewDelivery,
  WebhookChange,
  WebhookRecord,
} from '../../model/webhook.js';
import type { AfterAttempt, ClaimedDelivery, DueDelivery, WebhookStore } from '../contract/webhooks.js';
import { decodeObject } from '../damage.js';
import { deliveriesOf, DELIVERY_KEPT_MS, isMovedBy, MAX_ATTEMPTS_KEPT } from '../rules/deliveries.js';
import type { LatestTimes } from '../rules/latest-times.js';
import { type HealthNews, newsOf } from '../rules/webhook-health.js';
import { checkSize, type Database } from './database.js';
import { unlessDuplicate } from './driver-errors.js';
import { isRemoved } from './removed-runs.js';
import { idOf, pack, type Packed, unpack, window } from './values.js';

/** All of its texts are of ours or ASCII: nothing that BSON would change. */
type WebhookDocument = Omit<WebhookRecord, 'id'> & { _id: string };

interface DeliveryDocument {
  _id: string;
  accountId: string;
  webhookId: string;
  runId: string | null;
  eventId: string;
  eventType: string;
  state: DeliveryState;
  fence: number;
  tries: number;
  /** When it may be claimed: the next attempt, or the end of a lease. Absent: it has ended. */
  dueAt?: number;
  createdAt: number;
  /** Encoded. */
  body: Packed;
  attempts: string[];
  /** The last claim left it. */
  token: string | null;
}

/** The part of a run's document that is needed here. */
interface OutboxDocument {
  _id: string;
  accountId: string;
  /** Whether webhooks are still to be told of some event. Absent: no. */
  unrelayed?: true;
  /** How many of its events were handed on. */
  relayed?: number;
  events?: RunEvent[];
}

/** The index of deliveries that have not ended. */
const BY_DUE = { dueAt: 1, _id: 1, webhookId: 1 } as const;
const RELAY_BATCH = 100;
const PORTION = { deliveries: 500, characters: 4_000_000 };
const RECORD = { body: 0 } as const;
const AFTER = { returnDocument: 'after' } as const;

export class MongodbWebhooks implements WebhookStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  private get webhooks() {
    return this.db.collection<WebhookDocument>('webhooks');
  }

  private get deliveries() {
    return this.db.collection<DeliveryDocument>('deliveries');
  }

  private get outboxes() {
    return this.db.collection<OutboxDocument>('runs');
  }

  async saveWebhook(webhook: WebhookRecord): Promise<void> {
    const { id, ...rest } = structuredClone(webhook);
    await this.db.decide<unknown>(
      () => this.webhooks.insertOne({ _id: id, ...rest }).catch(unlessDuplicate),
      async () => (await this.webhooks.findOne({ _id: id }, { projection: { _id: 1 } })) ?? undefined,
    );
  }

  async findWebhook(accountId: string, id: string): Promise<WebhookRecord | null> {
    const found = await this.db.read(() => this.webhooks.findOne({ _id: id, accountId }));
    return found === null ? null : this.db.records.one(id, () => webhookOf(found));
  }

  async listWebhooks(accountId: string, page: PageRequest): Promise<Page<WebhookRecord>> {
    const [found, total] = await this.db.read(() => {
      const items = this.webhooks.find({ accountId }, window(page));
      return Promise.all([items.toArray(), this.webhooks.countDocuments({ accountId })]);
    });
    return { items: this.db.records.all(found, idOf, webhookOf), total };
  }

  async updateWebhook(
    accountId: string,
    id: string,
    change: WebhookChange,
    ifFailingSince?: number,
  ): Promise<WebhookRecord | null> {
    const $set = structuredClone(change);
    const filter = {
      _id: id,
      accountId,
      ...(ifFailingSince === undefined ? {} : { failingSince: ifFailingSince }),
    };
    const options = { returnDocument: 'after' } as const;
    const found = await this.db.repeatable(() =>
      Object.keys($set).length === 0
        ? this.webhooks.findOne(filter)
        : this.webhooks.findOneAndUpdate(filter, { $set }, options),
    );
    if (found !== null && change.active === false) await this.cancel(id);
    return found === null ? null : webhookOf(found);
  }

  async rotateSecret(
    accountId: string,
    id: string,
    secret: string,
    rotation: string,
    previousUntil: number,
  ): Promise<WebhookRecord | null> {
    const previous = { secret: '$secret', until: previousUntil };
    const next = {
      secret: { $literal: secret },
      rotation: { $literal: rotation },
      previous: { $cond: [{ $eq: ['$secret', null] }, null, previous] },
    };
    // Once it has this rotation it does not match any more.
    await this.db.repeatable(() =>
      this.webhooks.updateOne({ _id: id, accountId, rotation: { $ne: rotation } }, [{ $set: next }]),
    );
    return this.findWebhook(accountId, id);
  }

  async deleteWebhook(accountId: string, id: string): Promise<boolean> {
    const isGone = await this.db.decide(
      async () => (await this.webhooks.deleteOne({ _id: id, accountId })).deletedCount > 0,
      async () => ((await this.webhooks.findOne({ _id: id, accountId })) === null ? true : undefined),
    );
    if (isGone) await this.cancel(id);
    return isGone;
  }

  private async cancel(webhookId: string): Promise<void> {
    const update = { $set: { state: 'cancelled' }, $unset: { dueAt: 1 } } as const;
    await this.db.repeatable(() => this.deliveries.updateMany({ webhookId, dueAt: { $gte: 0 } }, update));
  }

  async relayEvents(now: number, limit: number): Promise<number> {
    let done = 0;
    while (done < limit) {
      const size = Math.min(RELAY_BATCH, limit - done);
      const { seen, relayed } = await this.relay(now, size);
      done += relayed;
      if (seen < size) break;
    }
    return done;
  }

  /** The deliveries are stored before the events count as handed on. */
  private async relay(now: number, limit: number): Promise<{ readonly seen: number; readonly relayed: number }> {
    const left = { $slice: ['$events', { $ifNull: ['$relayed', 0] }, { $size: '$events' }] };
    const found = await this.db.read(() =>
      this.outboxes
        .aggregate<{ _id: string; accountId: string; upTo: number; events: RunEvent[] }>([
          { $match: { unrelayed: true } },
          { $sort: { _id: 1 } },
          { $limit: limit },
          { $project: { accountId: 1, upTo: { $size: '$events' }, events: left } },
        ])
        .toArray(),
    );
    if (found.length === 0) return { seen: 0, relayed: 0 };
    const accountIds = [...new Set(found.map(({ accountId }) => accountId))];
    const webhooks = await this.db.read(() =>
      this.webhooks.find({ accountId: { $in: accountIds }, active: true }).toArray(),
    );
    const legible = this.db.records.all(webhooks, idOf, webhookOf);
    const made = found.flatMap(({ _id, accountId, events }) => {
      const own = legible.filter((webhook) => webhook.accountId === accountId);
      return deliveriesOf(_id, events, own, now);
    });
    for (const some of portions(made)) {
      const documents = await Promise.all(some.map(deliveryDocument));
      await this.db.repeatable(() => this.deliveries.insertMany(documents, { ordered: false }).catch(unlessDuplicate));
    }
    if (made.length > 0) await this.removeLate(found.map(idOf));
    await this.db.repeatable(() =>
      this.outboxes.bulkWrite(
        found.map(({ _id, upTo }) => {
          const hasMore = { $gt: [{ $size: '$events' }, '$relayed'] };
          return {
            updateOne: {
              filter: { _id, unrelayed: true },
              update: [
                // Somebody else may have come further.
                { $set: { relayed: { $max: ['$relayed', upTo] } } },
                { $set: { unrelayed: { $cond: [hasMore, true, '$$REMOVE'] } } },
              ],
            },
          };
        }),
        { ordered: false },
      ),
    );
    // A write that was repeated may have marked a run without adding anything.
    return { seen: found.length, relayed: found.filter(({ events }) => events.length > 0).length };
  }

  /** Runs that were removed while deliveries of them were made: either that removal finds them, or this does. */
  private async removeLate(ids: readonly string[]): Promise<void> {
    const projection = { accountId: 1 } as const;
    const found = await this.db.read(() => this.outboxes.find({ _id: { $in: [...ids] } }, { projection }).toArray());
    const removed = found.filter(isRemoved).map(idOf);
    if (removed.length > 0) await this.removeOf(removed);
  }

  /** The runs were removed. Bears being repeated. */
  async removeOf(runIds: readonly string[]): Promise<void> {
    await this.db.repeatable(() => this.deliveries.deleteMany({ runId: { $in: [...runIds] } }));
  }

  async saveDelivery(delivery: NewDelivery): Promise<void> {
    const document = await deliveryDocument(delivery);
    const { _id } = document;
    await this.db.decide<unknown>(
      () => this.deliveries.insertOne(document).catch(unlessDuplicate),
      async () => (await this.deliveries.findOne({ _id }, { projection: { _id: 1 } })) ?? undefined,
    );
  }

  async findDelivery(accountId: string, id: string): Promise<DeliveryRecord | null> {
    const found = await this.db.read(() => this.deliveries.findOne({ _id: id, accountId }, { projection: RECORD }));
    return found === null ? null : this.db.records.one(id, () => deliveryOf(found));
  }

  async listDeliveries(
    accountId: string,
    webhookId: string | null,
    { state }: { readonly state?: DeliveryState },
    page: PageRequest,
  ): Promise<Page<DeliveryRecord>> {
    const filter = {
      accountId,
      ...(webhookId === null ? {} : { webhookId }),
      ...(state === undefined ? {} : { state }),
    };
    const [found, total] = await this.db.read(() => {
      const items = this.deliveries.find(filter, { ...window(page), projection: RECORD });
      return Promise.all([items.toArray(), this.deliveries.countDocuments(filter)]);
    });
    return { items: this.db.records.all(found, idOf, deliveryOf), total };
  }

  async dueDeliveries(now: number, except: readonly string[], limit: number): Promise<readonly DueDelivery[]> {
    if (limit <= 0) return [];
    const projection = { webhookId: 1, runId: 1 } as const;
    const filter = { dueAt: { $gte: 0, $lte: now }, webhookId: { $nin: [...except] } };
    const found = await this.db.read(() =>
      this.deliveries
        .find(filter, { projection, sort: { dueAt: 1, _id: 1 }, limit })
        .hint(BY_DUE)
        .toArray(),
    );
    return found.map(({ _id, webhookId, runId }) => ({ id: _id, webhookId, runId }));
  }

  async nextDueAt(except: readonly string[]): Promise<number | null> {
    const [found] = await this.db.read(() =>
      this.deliveries
        .find(
          { dueAt: { $gte: 0 }, webhookId: { $nin: [...except] } },
          { projection: { dueAt: 1 }, sort: { dueAt: 1 }, limit: 1 },
        )
        .hint(BY_DUE)
        .toArray(),
    );
    return found?.dueAt ?? null;
  }

  async claimDelivery(id: string, now: number, leaseUntil: number): Promise<ClaimedDelivery | null> {
    const token = randomUUID();
    const update = { $set: { state: 'delivering', dueAt: leaseUntil, token }, $inc: { fence: 1 } } as const;
    const found = await this.db.decide(
      () => this.deliveries.findOneAndUpdate({ _id: id, dueAt: { $gte: 0, $lte: now } }, update, AFTER),
      async () => (await this.deliveries.findOne({ _id: id, token })) ?? undefined,
    );
    if (found === null) return null;
    const { webhookId } = found;
    const webhook = await this.db.read(() => this.webhooks.findOne({ _id: webhookId }));
    const { records } = this.db;
    try {
      return {
        fence: found.fence,
        webhook: webhook === null ? null : records.one(webhookId, () => webhookOf(webhook)),
        ...(await records.later(id, async () => ({
          delivery: deliveryOf(found),
          body: await unpack<string>(found.body),
        }))),
      };
    } catch (error) {
      if (!isDamaged(error)) throw error;
      const end = { $set: { state: 'failed' }, $unset: { dueAt: 1 } } as const;
      await this.db.repeatable(() => this.deliveries.updateOne({ _id: id, token }, end));
      return null;
    }
  }

  async recordAttempt(
    id: string,
    fence: number,
    attempt: DeliveryAttempt | null,
    after: AfterAttempt,
  ): Promise<{ readonly failingSince: number | null } | null> {
    const given = structuredClone({ attempt, after });
    const webhookId = await this.writeAttempt(id, fence, given.attempt, given.after);
    return webhookId === null
      ? null
      : { failingSince: await this.noteHealth(webhookId, newsOf(given.attempt, given.after)) };
  }

  /** The webhook's identifier; null: the fence number is not the current one. */
  private async writeAttempt(
    id: string,
    fence: number,
    attempt: DeliveryAttempt | null,
    after: AfterAttempt,
  ): Promise<string | null> {
    const token = randomUUID();
    const logged: UpdateFilter<DeliveryDocument> =
      attempt === null
        ? {}
        : { $inc: { tries: 1 }, $push: { attempts: { $each: [encode(attempt)], $slice: -MAX_ATTEMPTS_KEPT } } };
    const ended = { $set: { state: after.state, token }, $unset: { dueAt: 1 } } as const;
    const moved = after.state === 'pending' ? { $set: { state: after.state, dueAt: after.dueAt, token } } : ended;
    const options = { ...AFTER, projection: { webhookId: 1 } } as const;
    const update = (state: DeliveryState, change: UpdateFilter<DeliveryDocument>): Promise<DeliveryDocument | null> =>
      this.db.decide(
        () => this.deliveries.findOneAndUpdate({ _id: id, fence, state }, { ...logged, ...change }, options),
        async () => (await this.deliveries.findOne({ _id: id, token })) ?? undefined,
      );
    const recorded =
      (await update('delivering', moved)) ??
      (await update('cancelled', isMovedBy('cancelled', after) ? ended : { $set: { token } }));
    return recorded?.webhookId ?? null;
  }

  private async noteHealth(webhookId: string, news: HealthNews | null): Promise<number | null> {
    const filter: Filter<WebhookDocument> = { _id: webhookId };
    if (news !== null) {
      const changing = { ...filter, failingSince: news.isWell ? { $ne: null } : null };
      const $set = { failingSince: news.isWell ? null : news.since };
      await this.db.repeatable(() => this.webhooks.updateOne(changing, { $set }));
    }
    const found = await this.db.read(() => this.webhooks.findOne(filter, { projection: { failingSince: 1 } }));
    return found?.failingSince ?? null;
  }

  async redeliver(accountId: string, id: string, now: number): Promise<DeliveryRecord | null> {
    await this.again({ _id: id, accountId, state: { $ne: 'delivering' } }, now);
    return this.findDelivery(accountId, id);
  }

  private async again(filter: Filter<DeliveryDocument>, now: number): Promise<number> {
    const update = { $set: { state: 'pending', tries: 0, dueAt: now }, $inc: { fence: 1 } } as const;
    const answer = await this.db.repeatable(() => this.deliveries.updateMany(filter, update));
    return answer.modifiedCount;
  }

  async redeliverFailed(accountId: string, webhookId: string, since: number, now: number): Promise<number> {
    return this.again({ accountId, webhookId, state: 'failed', createdAt: { $gte: since } }, now);
  }

  async expireDeliveries(): Promise<number> {
    const filter: Filter<DeliveryDocument> = { state: 'delivering', dueAt: { $gt: 0 } };
    const answer = await this.db.repeatable(() => this.deliveries.updateMany(filter, { $set: { dueAt: 0 } }));
    return answer.modifiedCount;
  }

  async bringBackDeliveries({ lease, dueAt, atOnce }: LatestTimes): Promise<number> {
    const ahead: Filter<DeliveryDocument> = {
      dueAt: { $gt: lease },
      $or: [{ state: 'delivering' }, { dueAt: { $gt: dueAt } }],
    };
    const answer = await this.db.repeatable(() => this.deliveries.updateMany(ahead, { $set: { dueAt: atOnce } }));
    return answer.modifiedCount;
  }

  async removeExpired(now: number): Promise<void> {
    const filter: Filter<DeliveryDocument> = { createdAt: { $lte: now - DELIVERY_KEPT_MS }, dueAt: { $exists: false } };
    await this.db.repeatable(() => this.deliveries.deleteMany(filter));
  }
}

/** Many webhooks times many events times large bodies would not fit into memory at once. */
function* portions(deliveries: readonly NewDelivery[]): Generator<readonly NewDelivery[]> {
  let some: NewDelivery[] = [];
  let characters = 0;
  for (const delivery of deliveries) {
    some.push(delivery);
    characters += delivery.body.length;
    if (some.length < PORTION.deliveries && characters < PORTION.characters) continue;
    yield some;
    some = [];
    characters = 0;
  }
  if (some.length > 0) yield some;
}

function webhookOf({ _id, ...rest }: WebhookDocument): WebhookRecord {
  if (typeof rest.url !== 'string' || !Array.isArray(rest.events)) throw new Error('what is stored is no webhook');
  return { id: _id, ...rest };
}

async function deliveryDocument({ id, body, ...rest }: NewDelivery): Promise<DeliveryDocument> {
  const packed = await pack(encode(body));
  const fresh = { state: 'pending', fence: 0, tries: 0, attempts: [], token: null } as const;
  return checkSize<DeliveryDocument>({ _id: id, ...rest, ...fresh, attempts: [], body: packed });
}

function deliveryOf(found: Omit<DeliveryDocument, 'body'>): DeliveryRecord {
  const { _id, accountId, webhookId, runId, eventId, eventType, state, tries, attempts, dueAt, createdAt } = found;
  return {
    id: _id,
    accountId,
    webhookId,
    runId,
    eventId,
    eventType,
    state,
    tries,
    attempts: attempts.map((text) => decodeObject<DeliveryAttempt>(text)),
    nextAttemptAt: state === 'pending' ? (dueAt ?? null) : null,
    createdAt,
  };
}
