/** Webhooks and deliveries in SQLite. */
import { decode, encode } from '../../common/codec.js';
import { isDamaged } from '../../common/errors.js';
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
import { decodeObject, decodeRecord } from '../damage.js';
import { deliveriesOf, DELIVERY_KEPT_MS, isMovedBy, MAX_ATTEMPTS_KEPT, rotated } from '../rules/deliveries.js';
import type { LatestTimes } from '../rules/latest-times.js';
import { type HealthNews, newsOf } from '../rules/webhook-health.js';
import { type Database, idIn, numberOf, type Parameter, type Row, textOf } from './database.js';
import { eventOf } from './run-events.js';

/** Runs that share a transaction when their events are handed on. */
const RELAY_BATCH = 100;
/** All but the text of the event. */
const RECORD = `id, account_id, webhook_id, run_id, event_id, event_type, state, tries, due_at, created_at, attempts`;

export class SqliteWebhooks implements WebhookStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  async saveWebhook(webhook: WebhookRecord): Promise<void> {
    const { id, accountId, failingSince } = webhook;
    const active = Number(webhook.active);
    const body = bodyOf(webhook);
    await this.db.write(() =>
      this.db.run(
        `INSERT INTO webhooks (id, account_id, active, failing_since, body) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING`,
        id,
        accountId,
        active,
        failingSince,
        body,
      ),
    );
  }

  private webhook(accountId: string, id: string): WebhookRecord | null {
    const row = this.db.get('SELECT * FROM webhooks WHERE id = ? AND account_id = ?', id, accountId);
    return row === undefined ? null : this.db.records.one(id, () => webhookOf(row));
  }

  private replace(webhook: WebhookRecord): WebhookRecord {
    const { id, active, failingSince } = webhook;
    this.db.run(
      'UPDATE webhooks SET active = ?, failing_since = ?, body = ? WHERE id = ?',
      Number(active),
      failingSince,
      bodyOf(webhook),
      id,
    );
    return webhook;
  }

  async findWebhook(accountId: string, id: string): Promise<WebhookRecord | null> {
    return this.webhook(accountId, id);
  }

  async listWebhooks(accountId: string, page: PageRequest): Promise<Page<WebhookRecord>> {
    const rows = this.db.all(
      'SELECT * FROM webhooks WHERE account_id = ? ORDER BY id DESC LIMIT ? OFFSET ?',
      accountId,
      page.limit,
      page.offset,
    );
    const count = this.db.get('SELECT count(*) AS n FROM webhooks WHERE account_id = ?', accountId);
    return { items: this.db.records.all(rows, idIn, webhookOf), total: Number(count?.['n']) };
  }

  async updateWebhook(
    accountId: string,
    id: string,
    change: WebhookChange,
    ifFailingSince?: number,
  ): Promise<WebhookRecord | null> {
    const given = structuredClone(change);
    return this.db.write(() => {
      const found = this.webhook(accountId, id);
      if (found === null || (ifFailingSince !== undefined && found.failingSince !== ifFailingSince)) return null;
      if (given.active === false) this.cancel(id);
      return this.replace({ ...found, ...given });
    });
  }

  async rotateSecret(
    accountId: string,
    id: string,
    secret: string,
    rotation: string,
    previousUntil: number,
  ): Promise<WebhookRecord | null> {
    return this.db.write(() => {
      const found = this.webhook(accountId, id);
      if (found === null) return null;
      const next = rotated(found, secret, rotation, previousUntil);
      return next === found ? found : this.replace(next);
    });
  }

  async deleteWebhook(accountId: string, id: string): Promise<boolean> {
    return this.db.write(() => {
      if (this.db.run('DELETE FROM webhooks WHERE id = ? AND account_id = ?', id, accountId) === 0) return false;
      this.cancel(id);
      return true;
    });
  }

  private cancel(webhookId: string): void {
    const sql = `UPDATE deliveries SET state = 'cancelled', due_at = NULL WHERE webhook_id = ? AND due_at IS NOT NULL`;
    this.db.run(sql, webhookId);
  }

  /** One transaction for each hundred runs: nothing is half handed on. */
  async relayEvents(now: number, limit: number): Promise<number> {
    let done = 0;
    while (done < limit) {
      const size = Math.min(RELAY_BATCH, limit - done);
      const runs = this.db.all(
        'SELECT DISTINCT run_id FROM run_events WHERE relayed = 0 ORDER BY run_id LIMIT ?',
        size,
      );
      if (runs.length === 0) break;
      await this.db.write(() => {
        for (const row of runs) this.relay(textOf(row, 'run_id'), now);
      });
      done += runs.length;
      if (runs.length < size) break;
    }
    return done;
  }

  private relay(runId: string, now: number): void {
    const events = this.db.all(
      'SELECT event_id AS id, body FROM run_events WHERE run_id = ? AND relayed = 0 ORDER BY position',
      runId,
    );
    const webhooks = this.db.all(
      `SELECT * FROM webhooks WHERE active = 1 AND account_id = (SELECT account_id FROM runs WHERE id = ?)`,
      runId,
    );
    const { records } = this.db;
    const made = deliveriesOf(
      runId,
      // Nobody reads them where nobody listens.
      webhooks.length === 0 ? [] : records.all(events, idIn, eventOf),
      records.all(webhooks, idIn, webhookOf),
      now,
    );
    for (const delivery of made) this.save(encodeDelivery(delivery));
    this.db.run('UPDATE run_events SET relayed = 1 WHERE run_id = ? AND relayed = 0', runId);
  }

  async saveDelivery(delivery: NewDelivery): Promise<void> {
    const parameters = encodeDelivery(delivery);
    await this.db.write(() => this.save(parameters));
  }

  private save(parameters: readonly Parameter[]): void {
    this.db.run(
      `INSERT INTO deliveries (id, account_id, webhook_id, run_id, event_id, event_type, state, fence, tries, due_at,
         created_at, body, attempts)
       VALUES (?, ?, ?, ?, ?, ?, 'pending', 0, 0, ?, ?, ?, '[]') ON CONFLICT (id) DO NOTHING`,
      ...parameters,
    );
  }

  async findDelivery(accountId: string, id: string): Promise<DeliveryRecord | null> {
    const row = this.db.get(`SELECT ${RECORD} FROM deliveries WHERE id = ? AND account_id = ?`, id, accountId);
    return row === undefined ? null : this.db.records.one(id, () => deliveryOf(row));
  }

  async listDeliveries(
    accountId: string,
    webhookId: string | null,
    { state }: { readonly state?: DeliveryState },
    page: PageRequest,
  ): Promise<Page<DeliveryRecord>> {
    const wanted = Object.entries({ account_id: accountId, webhook_id: webhookId ?? undefined, state }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const where = wanted.map(([column]) => `${column} = ?`).join(' AND ');
    const parameters = wanted.map(([, value]) => value);
    const rows = this.db.all(
      `SELECT ${RECORD} FROM deliveries WHERE ${where} ORDER BY id DESC LIMIT ? OFFSET ?`,
      ...parameters,
      page.limit,
      page.offset,
    );
    const count = this.db.get(`SELECT count(*) AS n FROM deliveries WHERE ${where}`, ...parameters);
    return { items: this.db.records.all(rows, idIn, deliveryOf), total: Number(count?.['n']) };
  }

  async dueDeliveries(now: number, except: readonly string[], limit: number): Promise<readonly DueDelivery[]> {
    const rows = this.db.all(
      `SELECT id, webhook_id, run_id FROM deliveries WHERE due_at <= ?
         AND webhook_id NOT IN (SELECT value FROM json_each(?)) ORDER BY due_at, id LIMIT ?`,
      now,
      JSON.stringify(except),
      limit,
    );
    return rows.map((row) => ({
      id: textOf(row, 'id'),
      webhookId: textOf(row, 'webhook_id'),
      runId: row['run_id'] === null ? null : textOf(row, 'run_id'),
    }));
  }

  async nextDueAt(except: readonly string[]): Promise<number | null> {
    const row = this.db.get(
      `SELECT due_at FROM deliveries WHERE due_at IS NOT NULL
         AND webhook_id NOT IN (SELECT value FROM json_each(?)) ORDER BY due_at LIMIT 1`,
      JSON.stringify(except),
    );
    return row === undefined ? null : numberOf(row, 'due_at');
  }

  async claimDelivery(id: string, now: number, leaseUntil: number): Promise<ClaimedDelivery | null> {
    return this.db.write(() => {
      const changed = this.db.run(
        `UPDATE deliveries SET state = 'delivering', fence = fence + 1, due_at = ? WHERE id = ? AND due_at <= ?`,
        leaseUntil,
        id,
        now,
      );
      const row = changed === 0 ? undefined : this.db.get('SELECT * FROM deliveries WHERE id = ?', id);
      if (row === undefined) return null;
      const found = this.db.get('SELECT * FROM webhooks WHERE id = ?', textOf(row, 'webhook_id'));
      const { records } = this.db;
      try {
        const webhook = found === undefined ? null : records.one(idIn(found), () => webhookOf(found));
        const read = (): Pick<ClaimedDelivery, 'delivery' | 'body'> => ({
          delivery: deliveryOf(row),
          body: decode<string>(textOf(row, 'body')),
        });
        return { ...records.one(id, read), fence: Number(row['fence']), webhook };
      } catch (error) {
        if (!isDamaged(error)) throw error;
        this.db.run(`UPDATE deliveries SET state = 'failed', due_at = NULL WHERE id = ?`, id);
        return null;
      }
    });
  }

  async recordAttempt(
    id: string,
    fence: number,
    attempt: DeliveryAttempt | null,
    after: AfterAttempt,
  ): Promise<{ readonly failingSince: number | null } | null> {
    const given = structuredClone({ attempt, after });
    return this.db.write(() => {
      const row = this.db.get(
        `SELECT state, attempts, webhook_id FROM deliveries
         WHERE id = ? AND fence = ? AND state IN ('delivering', 'cancelled')`,
        id,
        fence,
      );
      if (row === undefined) return null;
      if (given.attempt !== null) {
        const attempts = decode<DeliveryAttempt[]>(textOf(row, 'attempts'));
        const kept = encode([...attempts, given.attempt].slice(-MAX_ATTEMPTS_KEPT));
        this.db.run('UPDATE deliveries SET attempts = ?, tries = tries + 1 WHERE id = ?', kept, id);
      }
      if (isMovedBy(textOf(row, 'state') as DeliveryState, given.after)) {
        const dueAt = given.after.state === 'pending' ? given.after.dueAt : null;
        this.db.run('UPDATE deliveries SET state = ?, due_at = ? WHERE id = ?', given.after.state, dueAt, id);
      }
      return { failingSince: this.noteHealth(textOf(row, 'webhook_id'), newsOf(given.attempt, given.after)) };
    });
  }

  private noteHealth(webhookId: string, news: HealthNews | null): number | null {
    if (news?.isWell === true) {
      this.db.run('UPDATE webhooks SET failing_since = NULL WHERE id = ? AND failing_since IS NOT NULL', webhookId);
    } else if (news?.isWell === false) {
      const sql = 'UPDATE webhooks SET failing_since = ? WHERE id = ? AND failing_since IS NULL';
      this.db.run(sql, news.since, webhookId);
    }
    const row = this.db.get('SELECT failing_since FROM webhooks WHERE id = ?', webhookId);
    return row === undefined ? null : numberOf(row, 'failing_since');
  }

  async redeliver(accountId: string, id: string, now: number): Promise<DeliveryRecord | null> {
    return this.db.write(() => {
      this.again(`id = ? AND account_id = ? AND state <> 'delivering'`, now, id, accountId);
      const row = this.db.get(`SELECT ${RECORD} FROM deliveries WHERE id = ? AND account_id = ?`, id, accountId);
      return row === undefined ? null : this.db.records.one(id, () => deliveryOf(row));
    });
  }

  private again(where: string, now: number, ...parameters: Parameter[]): number {
    const sql = `UPDATE deliveries SET state = 'pending', tries = 0, fence = fence + 1, due_at = ? WHERE ${where}`;
    return this.db.run(sql, now, ...parameters);
  }

  async redeliverFailed(accountId: string, webhookId: string, since: number, now: number): Promise<number> {
    const where = `account_id = ? AND webhook_id = ? AND state = 'failed' AND created_at >= ?`;
    return this.db.write(() => this.again(where, now, accountId, webhookId, since));
  }

  async expireDeliveries(): Promise<number> {
    const sql = `UPDATE deliveries SET due_at = 0 WHERE state = 'delivering' AND due_at <> 0`;
    return this.db.write(() => this.db.run(sql));
  }

  /** Within the write that removes the run. */
  removeOf(runId: string): void {
    this.db.run('DELETE FROM deliveries WHERE run_id = ?', runId);
  }

  /** Within a write. */
  removeExpired(now: number): void {
    const sql = 'DELETE FROM deliveries WHERE due_at IS NULL AND created_at <= ?';
    this.db.run(sql, now - DELIVERY_KEPT_MS);
  }

  /** Within a write: makes due what lies further ahead. Returns how many. */
  bringBackDeliveries({ lease, dueAt, atOnce }: LatestTimes): number {
    return this.db.run(
      `UPDATE deliveries SET due_at = ?1 WHERE due_at > ?2 AND due_at > CASE WHEN state = 'delivering' THEN ?2 ELSE ?3 END`,
      atOnce,
      lease,
      dueAt,
    );
  }
}

function bodyOf({ active: _active, failingSince: _since, ...rest }: WebhookRecord): string {
  return encode(rest);
}

function webhookOf(row: Row): WebhookRecord {
  const rest = decodeRecord<Omit<WebhookRecord, 'active' | 'failingSince'>>(idIn(row), textOf(row, 'body'));
  return { ...rest, active: row['active'] === 1, failingSince: numberOf(row, 'failing_since') };
}

/** In the order of the insertion. */
function encodeDelivery(delivery: NewDelivery): readonly Parameter[] {
  const { id, accountId, webhookId, runId, eventId, eventType, dueAt, createdAt, body } = delivery;
  return [id, accountId, webhookId, runId, eventId, eventType, dueAt, createdAt, encode(body)];
}

function deliveryOf(row: Row): DeliveryRecord {
  const state = textOf(row, 'state') as DeliveryState;
  return {
    id: textOf(row, 'id'),
    accountId: textOf(row, 'account_id'),
    webhookId: textOf(row, 'webhook_id'),
    runId: row['run_id'] === null ? null : textOf(row, 'run_id'),
    eventId: textOf(row, 'event_id'),
    eventType: textOf(row, 'event_type'),
    state,
    tries: Number(row['tries']),
    attempts: decodeObject(textOf(row, 'attempts')),
    nextAttemptAt: state === 'pending' ? numberOf(row, 'due_at') : null,
    createdAt: Number(row['created_at']),
  };
}
