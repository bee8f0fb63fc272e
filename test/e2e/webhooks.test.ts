/** Webhooks of a service that is killed, against a real receiver over HTTPS. */
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataFolder } from '../support/data-folder.js';
import { endAll, startProcess, task, upload, type ServiceProcess } from '../support/service-process.js';
import type { Json } from '../support/service.js';
import {
  allEnded,
  eventId,
  eventsOf,
  heard,
  startWebhookWorld,
  subscribe,
  type WebhookWorld,
} from '../support/webhook-world.js';

let dataDir: string;
let world: WebhookWorld;
beforeEach(async () => {
  dataDir = dataFolder('extremum-webhooks-');
  world = await startWebhookWorld();
});
afterEach(async () => {
  await endAll();
  await world.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = (...flags: string[]): Promise<ServiceProcess> =>
  startProcess('--data-dir', dataDir, ...world.flags, ...flags);

describe('kill -9 at each step of the outbox', () => {
  it('loses nothing: every event arrives, under its identifier, with the same bytes', async () => {
    const { receiver } = world;
    let service = await start();
    const hook = await subscribe(service, receiver);
    const functionId = await upload(service);
    const run = await service.call('POST', '/v1/optimize', task(functionId, 50));
    await allEnded(service, hook.id as string);

    const taken = receiver.respond;
    const kill = (): Promise<unknown> => service.end('SIGKILL');
    const change = async (): Promise<void> => {
      await service.call('PATCH', `/v1/optimize/${run.id}`, { metadata: { at: Date.now() } });
    };
    const newest = async (): Promise<Json> =>
      (await service.call('GET', `/v1/webhooks/${hook.id}/deliveries?limit=1`)).data[0];

    const steps: Readonly<Record<string, () => Promise<void>>> = {
      'stored, not handed on': async () => {
        await change();
        await kill();
      },
      'handed on, to be tried again': async () => {
        receiver.respond = (_received, response) => void response.writeHead(500).end();
        const count = receiver.received.length;
        await change();
        await receiver.until(count + 1);
        while ((await newest()).attempts.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
        await kill();
      },
      'claimed, not sent': async () => {
        const killed = new Promise<void>((resolve) => {
          receiver.connected = () => void kill().then(() => resolve());
        });
        await change().catch(() => {});
        await killed;
      },
      'sent, not answered': async () => {
        const killed = new Promise<void>((resolve) => {
          receiver.respond = () => void kill().then(() => resolve());
        });
        await change().catch(() => {});
        await killed;
      },
      'answered, not recorded': async () => {
        const killed = new Promise<void>((resolve) => {
          receiver.respond = (_received, response) => {
            response.writeHead(204).end();
            void kill().then(() => resolve());
          };
        });
        await change().catch(() => {});
        await killed;
      },
    };
    for (const [name, step] of Object.entries(steps)) {
      await step();
      receiver.respond = taken;
      receiver.connected = () => {};
      service = await start();
      const deliveries = await allEnded(service, hook.id as string);
      const events = await eventsOf(service, run.id as string);
      const texts = heard(receiver);
      expect([...texts.keys()].sort(), name).toEqual(events.map(eventId).sort());
      for (const text of events) expect(new Set(texts.get(eventId(text))), name).toEqual(new Set([text]));
      expect(deliveries.map(({ event_id, state }) => `${event_id} ${state}`).sort()).toEqual(
        events.map((text) => `${eventId(text)} succeeded`).sort(),
      );
    }
    const { strategies } = (await service.call('GET', `/v1/optimize/${run.id}`)) as { strategies: { name: string }[] };
    const changes = strategies.filter(({ name }) => name !== 'probes').length - 1;
    expect((await eventsOf(service, run.id as string)).length).toBe(2 + changes + Object.keys(steps).length);
  }, 120_000);
});

describe('secrets of webhooks', () => {
  it('are in no log, no list and no file', async () => {
    const service = await start('--log-level', 'trace');
    const own = 'a-secret-of-my-own-choice';
    const { url } = world.receiver;
    const [mine, made] = [
      await service.call('POST', '/v1/webhooks', { url, events: ['*'], secret: own }),
      await service.call('POST', '/v1/webhooks', { url, events: ['*'] }),
    ];
    const rotated = await service.call('POST', `/v1/webhooks/${made.id}/rotate-secret`, { overlap_seconds: 60 });
    for (const { id } of [mine, made]) {
      await service.call('POST', `/v1/webhooks/${id}/test`);
      await allEnded(service, id as string);
    }
    const shown = JSON.stringify([
      await service.call('GET', '/v1/webhooks'),
      await service.call('GET', `/v1/webhooks/${mine.id}`),
      await service.call('GET', `/v1/webhooks/${made.id}/deliveries`),
      await (await fetch(`${service.url}/metrics`)).text(),
    ]);
    await service.end('SIGTERM');
    expect(service.output()).toContain('"msg":"request"');
    const secrets = [own, made.secret, rotated.secret].map(String);
    for (const secret of secrets) {
      expect(shown).not.toContain(secret);
      expect(service.output()).not.toContain(secret);
      for (const file of readdirSync(dataDir)) {
        expect(readFileSync(join(dataDir, file)).includes(secret), file).toBe(false);
      }
    }
  });
});

describe('a service that is stopped', () => {
  it('ends while a receiver hangs, and sends what was left at the next start', async () => {
    const { receiver } = world;
    receiver.respond = () => {};
    const first = await start();
    const hook = await subscribe(first, receiver);
    await first.call('POST', `/v1/webhooks/${hook.id}/test`);
    await receiver.until(1);
    expect(await first.end('SIGTERM')).toBe(0);
    receiver.respond = (_received, response) => void response.writeHead(200).end();
    const second = await start();
    const [delivery] = await allEnded(second, hook.id as string);
    expect(delivery).toMatchObject({ state: 'succeeded', attempts: [{ status: null }, { status: 200 }] });
    expect(receiver.received[1]?.body).toEqual(receiver.received[0]?.body);
  }, 30_000);
});
