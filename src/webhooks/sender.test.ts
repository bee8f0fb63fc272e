/** Outbox to attempt with a fake clock, the store in memory and a transport that is told what to answer. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { newRun } from '../../test/conformance/store-samples.js';
import { createAuthority } from '../../test/support/certificates.js';
import { startReceiver } from '../../test/support/https-receiver.js';
import type { Logger } from '../common/logger.js';
import { createIdSource } from '../common/ids.js';
import type { JobHandler, JobName, Jobs } from '../jobs/jobs.js';
import { openMemoryStore } from '../storage/memory/memory-store.js';
import type { Store } from '../storage/store.js';
import { RunEvents } from '../runs/run-events.js';
import { addressRule, parseNetwork } from './addresses.js';
import { Sender, type WebhookMetrics } from './sender.js';
import { bodySignature, standardSignature } from './signature.js';
import { HttpsTransport, type EndpointAnswer, type Transport } from './transport.js';
import { WebhookService, type IssuedWebhook } from './webhook-service.js';

const ACCOUNT = 'acct_1';
const DAY = 86_400_000;
const START = Date.parse('2026-01-31T12:00:00Z');

interface Sent {
  readonly at: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const answer = (status: number | null, error: string | null = null): EndpointAnswer => ({
  status,
  error,
  excerpt: status === null ? null : `said ${status}`,
  durationSeconds: 0.5,
});

/** Runs what is due when it is told to. */
class StepJobs implements Jobs {
  readonly handlers = new Map<JobName, JobHandler>();
  readonly nudged = new Set<JobName>();
  readonly next = new Map<JobName, number | null>();
  readonly trouble = null;
  define(name: JobName, handler: JobHandler): void {
    this.handlers.set(name, handler);
  }
  nudge(name: JobName): void {
    this.nudged.add(name);
  }
  async start(): Promise<void> {}
  async stop(): Promise<void> {}
  async run(name: JobName): Promise<void> {
    this.nudged.delete(name);
    this.next.set(name, (await this.handlers.get(name)?.(new AbortController().signal)) ?? null);
  }
}

class World {
  now = START;
  isClockSteady = true;
  readonly store: Store;
  readonly jobs = new StepJobs();
  readonly sent: Sent[] = [];
  readonly outcomes: string[] = [];
  readonly logged: string[] = [];
  answers: (sent: Sent) => EndpointAnswer | Promise<EndpointAnswer> = () => answer(204);
  readonly sender: Sender;
  readonly webhooks: WebhookService;
  readonly ids = createIdSource(() => this.now);

  constructor(store: Store = openMemoryStore(), over?: Transport) {
    this.store = store;
    const log = (facts: object, message: string): void => void this.logged.push(JSON.stringify(facts) + message);
    const logger: Logger = { debug: log, info: log, warn: log, error: log };
    const metrics: WebhookMetrics = {
      deliveryAttempted: (outcome) => void this.outcomes.push(outcome),
      webhookDisabled: (reason) => void this.outcomes.push(`disabled: ${reason}`),
    };
    const transport: Transport = {
      refusal: async () => null,
      post: async (url, headers, body) => {
        const sent = { at: this.now, url, headers, body: Buffer.from(body) };
        this.sent.push(sent);
        return over === undefined ? this.answers(sent) : over.post(url, headers, body);
      },
    };
    const seal = {
      seal: (text: string): string => `sealed ${Buffer.from(text).toString('hex')}`,
      open: (text: string): string => Buffer.from(text.slice(7), 'hex').toString(),
    };
    const parts = { store: this.store, seal, transport, jobs: this.jobs, clock: () => this.now };
    const isClockSteady = (): boolean => this.isClockSteady;
    this.sender = new Sender({ ...parts, logger, metrics, version: '1', leaseMs: 60_000, isClockSteady });
    this.webhooks = new WebhookService({ ...parts, ids: this.ids });
  }

  webhook(url = 'https://a.example/', secret?: string | null): Promise<IssuedWebhook> {
    return this.webhooks.create(ACCOUNT, { url, events: ['*'], active: true, secret });
  }

  /** Lets all happen that is due now. */
  async settle(): Promise<void> {
    await this.jobs.run('relay-events');
    do {
      await this.jobs.run('send-deliveries');
      for (let i = 0; i < 5; i++) await nextTurn();
    } while (this.jobs.nudged.has('send-deliveries'));
  }

  async until(time: number): Promise<void> {
    this.now = time;
    await this.settle();
  }

  /** As if the clock ran: on to each next time that is asked for, up to `last`. */
  async pass(last: number): Promise<void> {
    for (;;) {
      await this.settle();
      const next = this.jobs.next.get('send-deliveries') ?? null;
      if (next === null || next > last) break;
      this.now = Math.max(this.now, next);
    }
    this.now = last;
  }

  async deliveries(id: string) {
    return (await this.store.listDeliveries(ACCOUNT, id, {}, { limit: 100, offset: 0 })).items;
  }
}

const worlds: World[] = [];
const world = (store?: Store, over?: Transport): World => {
  const made = new World(store, over);
  worlds.push(made);
  return made;
};
afterEach(() => Promise.all(worlds.splice(0).map(({ sender }) => sender.close())));

describe('a delivery', () => {
  it('is tried at 0, 1 s, 1 min, 5 min, 1 h and 24 h, each after the end of the one before, with the same bytes', async () => {
    const w = world();
    const { webhook, secret } = await w.webhook();
    w.answers = () => {
      // The attempt itself takes time.
      w.now += 500;
      return answer(500);
    };
    await w.store.createRun(newRun('opt_1', { accountId: ACCOUNT }));
    const body = JSON.stringify({ id: 'evt_7', data: { text: 'ü😀\u2028', n: 1e21, zero: -0 } });
    const event = { id: 'evt_7', type: 'context.updated', createdAt: START, body } as const;
    await w.store.updateMetadata(ACCOUNT, 'opt_1', {}, event);
    await w.pass(START + 3 * DAY);
    const gaps = w.sent.map(({ at }, i) => at - (w.sent[i - 1]?.at ?? START));
    expect(gaps).toEqual([0, 1_500, 60_500, 300_500, 3_600_500, 86_400_500]);
    expect(w.sent.map(({ body: text }) => text.toString())).toEqual(Array(6).fill(body));
    const [delivery] = await w.deliveries(webhook.id);
    expect(delivery).toMatchObject({ state: 'failed', tries: 6, nextAttemptAt: null, eventId: 'evt_7' });
    expect(delivery?.attempts).toEqual(
      w.sent.map(({ at }) => ({ at, status: 500, durationSeconds: 0.5, error: null, responseExcerpt: 'said 500' })),
    );
    expect(w.outcomes).toEqual([...Array<string>(5).fill('retried'), 'failed']);
    for (const [i, { headers, at }] of w.sent.entries()) {
      const seconds = Math.floor(at / 1000);
      expect(headers).toEqual({
        'Content-Type': 'application/json; charset=utf-8',
        'User-Agent': 'Extremum-Webhooks/1',
        'X-Service-Event': 'context.updated',
        'X-Service-Delivery': delivery?.id,
        'X-Service-Attempt': String(i + 1),
        'webhook-id': 'evt_7',
        'webhook-timestamp': String(seconds),
        'webhook-signature': standardSignature(secret ?? '', 'evt_7', seconds, Buffer.from(body)),
        'X-Service-Signature': bodySignature(secret ?? '', Buffer.from(body)),
      });
    }
  });

  it.each([
    [answer(200), 'succeeded'],
    [answer(299), 'succeeded'],
    [answer(200, 'The connection failed (ECONNRESET).'), 'pending'],
    [answer(null, 'No complete answer within 5 s.'), 'pending'],
    [answer(199), 'pending'],
    [answer(302), 'pending'],
    [answer(404), 'pending'],
    [answer(429), 'pending'],
    [answer(410), 'failed'],
  ])('of which is said %j is %s', async (said, state) => {
    const w = world();
    const { webhook } = await w.webhook();
    w.answers = () => said;
    await w.webhooks.test(ACCOUNT, webhook.id);
    await w.settle();
    expect(await w.deliveries(webhook.id)).toMatchObject([{ state, attempts: [{ error: said.error }] }]);
  });

  it('is not signed where there is no secret', async () => {
    const w = world();
    const { webhook, secret } = await w.webhook('https://a.example/', null);
    expect(secret).toBeNull();
    await w.webhooks.test(ACCOUNT, webhook.id);
    await w.settle();
    expect(Object.keys(w.sent[0]?.headers ?? {})).not.toContain('X-Service-Signature');
    expect(Object.keys(w.sent[0]?.headers ?? {})).not.toContain('webhook-signature');
  });

  it('is asked for again, whether it failed or not, and goes to the address and with the secret of now', async () => {
    const w = world();
    const { webhook } = await w.webhook();
    await w.webhooks.test(ACCOUNT, webhook.id);
    await w.settle();
    const [first] = await w.deliveries(webhook.id);
    expect(first?.state).toBe('succeeded');
    const rotated = await w.webhooks.rotate(ACCOUNT, webhook.id, 0);
    await w.webhooks.update(ACCOUNT, webhook.id, { url: 'https://b.example/' });
    w.answers = () => answer(500);
    expect(await w.webhooks.redeliver(ACCOUNT, first?.id ?? '')).toMatchObject({ state: 'pending', tries: 0 });
    await w.pass(START + 3 * DAY);
    expect(w.sent).toHaveLength(7);
    expect(w.sent[6]?.url).toBe('https://b.example/');
    expect(w.sent[6]?.headers['X-Service-Signature']).toBe(bodySignature(rotated?.secret ?? '', w.sent[0].body));
    w.answers = () => answer(200);
    expect(await w.webhooks.redeliverFailed(ACCOUNT, webhook.id, START)).toBe(1);
    expect(await w.webhooks.redeliverFailed(ACCOUNT, webhook.id, START)).toBe(0);
    await w.settle();
    expect(await w.deliveries(webhook.id)).toMatchObject([{ state: 'succeeded', tries: 1, attempts: { length: 8 } }]);
  });
});

describe('a delivery over HTTPS', () => {
  it('brings a receiver the same bytes six times, with signatures that it can recompute', async () => {
    const authority = createAuthority();
    const receiver = await startReceiver(authority.issue({ names: ['127.0.0.1'] }), (received, response) => {
      response.writeHead(received.headers['x-service-attempt'] === '6' ? 200 : 503).end();
    });
    const allows = addressRule([parseNetwork('127.0.0.1')!]);
    const w = world(openMemoryStore(), new HttpsTransport({ allows, extraCa: authority.cert }));
    const { webhook, secret } = await w.webhook(receiver.url);
    const text = 'ü😀\u0000\u2028"'.repeat(5_000);
    await w.store.createRun(newRun('opt_1', { accountId: ACCOUNT }));
    const event = new RunEvents(w.ids).updated('opt_1', { text });
    await w.store.updateMetadata(ACCOUNT, 'opt_1', {}, event);
    await w.jobs.run('relay-events');
    for (let count = 1; count <= 6; count++) {
      await w.jobs.run('send-deliveries');
      await receiver.until(count);
      await expect.poll(async () => (await w.deliveries(webhook.id))[0]?.attempts.length).toBe(count);
      w.now = (await w.store.nextDueAt([])) ?? w.now;
    }
    await receiver.close();
    expect(Buffer.byteLength(event.body)).toBeGreaterThan(65_536);
    for (const { body, headers } of receiver.received) {
      expect(body.equals(Buffer.from(event.body))).toBe(true);
      expect(headers['x-service-signature']).toBe(bodySignature(secret ?? '', body));
      const stamp = Number(headers['webhook-timestamp']);
      expect(headers['webhook-signature']).toBe(standardSignature(secret ?? '', event.id, stamp, body));
    }
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([event.id]));
    const at = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']) - START / 1000);
    expect(at).toEqual([0, 1, 61, 361, 3961, 90361]);
    expect(await w.deliveries(webhook.id)).toMatchObject([{ state: 'succeeded', tries: 6 }]);
  });
});

describe('the rotation of a secret', () => {
  it('signs with both while the overlap lasts, then with the new one only', async () => {
    const w = world();
    const { webhook, secret: old } = await w.webhook('https://a.example/', 'my own');
    const rotated = await w.webhooks.rotate(ACCOUNT, webhook.id, 60);
    const send = async (): Promise<Sent> => {
      await w.webhooks.test(ACCOUNT, webhook.id);
      await w.settle();
      return w.sent.at(-1)!;
    };
    w.now += 59_999;
    const during = await send();
    expect(during.headers['X-Service-Signature']).toBe(bodySignature(rotated?.secret ?? '', during.body));
    expect(during.headers['X-Service-Signature-Previous']).toBe(bodySignature(old ?? '', during.body));
    expect(during.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    w.now += 1;
    const later = await send();
    expect(later.headers['X-Service-Signature']).toBe(bodySignature(rotated?.secret ?? '', later.body));
    expect(later.headers).not.toHaveProperty('X-Service-Signature-Previous');
    expect(later.headers['webhook-signature']?.split(' ')).toHaveLength(1);
  });

  it('that is asked for again by the same request happens once', async () => {
    const w = world();
    const { webhook, secret: old } = await w.webhook();
    const repeating = { next: () => ({ id: 'wh_9', createdAt: START }), isRepeat: true };
    const first = await w.webhooks.rotate(ACCOUNT, webhook.id, 60, repeating);
    const second = await w.webhooks.rotate(ACCOUNT, webhook.id, 60, repeating);
    expect(second?.secret).toBe(first?.secret);
    await w.webhooks.test(ACCOUNT, webhook.id);
    await w.settle();
    const [sent] = w.sent;
    expect(sent?.headers['X-Service-Signature-Previous']).toBe(bodySignature(old ?? '', sent.body));
  });
});

describe('a webhook', () => {
  it('that answers 410 is switched off, and what waits is cancelled', async () => {
    const w = world();
    const { webhook } = await w.webhook();
    w.answers = () => answer(500);
    await w.webhooks.test(ACCOUNT, webhook.id);
    await w.settle();
    w.answers = () => answer(410);
    await w.webhooks.test(ACCOUNT, webhook.id);
    await w.settle();
    expect((await w.deliveries(webhook.id)).map(({ state }) => state).sort()).toEqual(['cancelled', 'failed']);
    expect(await w.webhooks.find(ACCOUNT, webhook.id)).toMatchObject({
      active: false,
      disabled: { reason: 'gone', at: START },
    });
    expect(w.outcomes).toEqual(['retried', 'failed', 'disabled: gone']);
    await expect(w.webhooks.test(ACCOUNT, webhook.id)).rejects.toMatchObject({ code: 'conflict' });
    w.answers = () => answer(200);
    const on = await w.webhooks.update(ACCOUNT, webhook.id, { active: true });
    expect(on).toMatchObject({ active: true, disabled: null, failingSince: null });
    await w.webhooks.test(ACCOUNT, webhook.id);
    await w.settle();
    expect(w.outcomes.at(-1)).toBe('succeeded');
  });

  it('that fails for five days is switched off; one success begins them anew', async () => {
    const w = world();
    const { webhook } = await w.webhook();
    const active = async (): Promise<boolean | undefined> => (await w.webhooks.find(ACCOUNT, webhook.id))?.active;
    const test = async (status: number): Promise<void> => {
      w.answers = () => answer(status);
      await w.webhooks.test(ACCOUNT, webhook.id);
      await w.settle();
    };
    await test(500);
    await w.pass(START + 5 * DAY - 1);
    await test(500);
    expect(await active()).toBe(true);
    await test(200);
    await w.pass(START + 5 * DAY + 100_000);
    const again = w.now;
    await test(500);
    await w.pass(again + 5 * DAY - 1);
    await test(500);
    expect(await active()).toBe(true);
    await w.pass(again + 5 * DAY);
    // A clock that has just jumped says nothing of days.
    w.isClockSteady = false;
    await test(500);
    expect(await active()).toBe(true);
    w.isClockSteady = true;
    await test(500);
    expect(await active()).toBe(false);
    expect((await w.webhooks.find(ACCOUNT, webhook.id))?.disabled?.reason).toBe('failing');
    expect((await w.deliveries(webhook.id)).filter(({ state }) => state === 'pending')).toEqual([]);
    expect(w.outcomes.at(-1)).toBe('disabled: failing');
  });

  it('that is deleted while something is sent or waits gets nothing more', async () => {
    const w = world();
    const { webhook } = await w.webhook();
    let finish: (said: EndpointAnswer) => void = () => {};
    w.answers = () => new Promise((resolve) => (finish = resolve));
    await w.webhooks.test(ACCOUNT, webhook.id);
    await w.settle();
    await w.webhooks.test(ACCOUNT, webhook.id);
    expect(await w.webhooks.remove(ACCOUNT, webhook.id)).toBe(true);
    finish(answer(500));
    await w.pass(START + 2 * DAY);
    expect((await w.deliveries(webhook.id)).map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
    expect(w.sent).toHaveLength(1);
    expect(await w.webhooks.deliveries(ACCOUNT, webhook.id, undefined, { limit: 1, offset: 0 })).toBeNull();
  });

  it('that hangs does not delay others, however much waits for it', async () => {
    const w = world();
    const dead = await w.webhook('https://dead.example/');
    const live = await w.webhook('https://live.example/');
    let release: (said: EndpointAnswer) => void = () => {};
    const hanging = new Promise<EndpointAnswer>((resolve) => (release = resolve));
    w.answers = ({ url }) => (url.includes('dead') ? hanging : answer(200));
    for (let i = 0; i < 700; i++) await w.webhooks.test(ACCOUNT, dead.webhook.id);
    await w.settle();
    w.now += 10;
    for (let i = 0; i < 20; i++) await w.webhooks.test(ACCOUNT, live.webhook.id);
    await w.settle();
    expect(w.sent.filter(({ url }) => url.includes('dead'))).toHaveLength(4);
    expect((await w.deliveries(live.webhook.id)).map(({ state }) => state)).toEqual(Array(20).fill('succeeded'));
    release(answer(200));
    await w.settle();
    expect(w.sent.filter(({ url }) => url.includes('dead'))).toHaveLength(700);
  });

  it('gets the events of one run one after the other, in their order', async () => {
    const w = world();
    await w.webhook();
    const runs = ['opt_1', 'opt_2'];
    for (const id of runs) {
      await w.store.createRun(newRun(id, { accountId: ACCOUNT }));
      for (const type of ['optimization.stagnated', 'optimization.completed'] as const) {
        const { id: event, createdAt } = w.ids.next('evt');
        await w.store.updateMetadata(ACCOUNT, id, {}, { id: event, type, createdAt, body: `${id} ${type}` });
      }
    }
    const open: ((said: EndpointAnswer) => void)[] = [];
    w.answers = () => new Promise((resolve) => open.push(resolve));
    await w.settle();
    const texts = (): string[] => w.sent.map(({ body }) => String(body));
    expect(texts()).toEqual(runs.map((id) => `${id} optimization.stagnated`));
    open[0]?.(answer(500));
    await w.settle();
    // A failed first one holds up nothing.
    expect(texts().slice(2)).toEqual(['opt_1 optimization.completed']);
    open[1]?.(answer(200));
    await w.settle();
    expect(texts().slice(3)).toEqual(['opt_2 optimization.completed']);
    for (const finish of open) finish(answer(200));
    await w.settle();
  });
});

describe('several senders on one store', () => {
  it('send each delivery once', async () => {
    const store = openMemoryStore();
    const [a, b] = [world(store), world(store)];
    const { webhook } = await a.webhook();
    for (let i = 0; i < 60; i++) await a.webhooks.test(ACCOUNT, webhook.id);
    for (let i = 0; i < 40; i++) await Promise.all([a.settle(), b.settle()]);
    expect(a.sent.length + b.sent.length).toBe(60);
    expect(new Set([...a.sent, ...b.sent].map(({ headers }) => headers['webhook-id'])).size).toBe(60);
  });

  it('take over what a dead one had claimed, once its lease has ended, under the same event', async () => {
    const store = openMemoryStore();
    const [dead, other] = [world(store), world(store)];
    const { webhook } = await dead.webhook();
    let late: (said: EndpointAnswer) => void = () => {};
    dead.answers = () => new Promise((resolve) => (late = resolve));
    await dead.webhooks.test(ACCOUNT, webhook.id);
    await dead.settle();
    await other.until(START + 29_999);
    expect(other.sent).toHaveLength(0);
    await other.until(START + 30_000);
    expect(other.sent.map(({ headers }) => headers['webhook-id'])).toEqual([dead.sent[0]?.headers['webhook-id']]);
    // Its late word counts no more.
    late(answer(500));
    await dead.settle();
    expect(await dead.deliveries(webhook.id)).toMatchObject([{ state: 'succeeded', attempts: { length: 1 } }]);
  });
});

describe('secrets', () => {
  it('are nowhere in the log or the store', async () => {
    const w = world();
    const { webhook, secret } = await w.webhook();
    const damaged = await w.webhook('https://b.example/', 'very secret');
    const open = w.store.claimDelivery.bind(w.store);
    w.store.claimDelivery = async (...given) => {
      const claimed = await open(...given);
      if (claimed?.webhook?.id !== damaged.webhook.id) return claimed;
      const unreadable = {
        get secret(): string {
          throw new Error('does not open');
        },
      };
      return {
        ...claimed,
        webhook: Object.assign(Object.create(unreadable) as object, omitSecret(claimed.webhook)) as never,
      };
    };
    for (const { id } of [webhook, damaged.webhook]) await w.webhooks.test(ACCOUNT, id);
    await w.settle();
    expect(w.logged.join('\n')).toContain('cannot be opened');
    expect(w.logged.join('\n')).not.toContain(secret);
    expect(w.logged.join('\n')).not.toContain('very secret');
    expect(JSON.stringify(await w.store.listWebhooks(ACCOUNT, { limit: 9, offset: 0 }))).not.toContain('very secret');
    expect(await w.deliveries(damaged.webhook.id)).toMatchObject([
      { state: 'pending', attempts: [{ status: null, error: expect.stringContaining('rotate it') as string }] },
    ]);
    expect(w.sent).toHaveLength(1);
  });
});

function omitSecret<T extends { secret: unknown }>({ secret: _secret, ...rest }: T): Omit<T, 'secret'> {
  return rest;
}
