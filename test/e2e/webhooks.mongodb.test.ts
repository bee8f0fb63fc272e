/** Webhooks of processes that share a MongoDB: any of them hands on and sends, and none doubles the others' work. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeWithMongodb, dropDatabase, newDatabaseUrl } from '../support/mongodb.js';
import {
  endAll,
  isDone,
  startProcess,
  task,
  until,
  upload,
  ASYNC,
  type ServiceProcess,
} from '../support/service-process.js';
import {
  allEnded,
  eventId,
  eventsOf,
  heard,
  startWebhookWorld,
  subscribe,
  type WebhookWorld,
} from '../support/webhook-world.js';

describeWithMongodb('webhooks of several processes', () => {
  let url: string;
  let world: WebhookWorld;
  beforeAll(() => {
    url = newDatabaseUrl();
  });
  beforeEach(async () => {
    world = await startWebhookWorld();
  });
  afterEach(async () => {
    await endAll();
    await world.close();
  });
  afterAll(() => dropDatabase(url));

  const start = (role: string): Promise<ServiceProcess> =>
    startProcess('--mongodb-url', url, '--role', role, '--lease-seconds', '1', ...world.flags);
  const carryOut = async (api: ServiceProcess, runs: number): Promise<string[]> => {
    const functionId = await upload(api);
    const submitted = Array.from({ length: runs }, () => api.call('POST', '/v1/optimize', task(functionId, 60), ASYNC));
    const ids = (await Promise.all(submitted)).map(({ id }) => id as string);
    for (const id of ids) await until(api, id, isDone);
    return ids;
  };
  const told = async (api: ServiceProcess, ids: readonly string[]): Promise<string[]> =>
    (await Promise.all(ids.map((id) => eventsOf(api, id)))).flat();

  it('arrive once each, from processes of every role', async () => {
    const [api] = await Promise.all([start('api'), start('engine'), start('engine')]);
    const hook = await subscribe(api, world.receiver);
    const events = await told(api, await carryOut(api, 12));
    await world.receiver.until(events.length);
    await allEnded(api, hook.id as string);
    expect([...heard(world.receiver)].sort()).toEqual(events.map((text) => [eventId(text), [text]]).sort());
    await api.call('PATCH', `/v1/webhooks/${hook.id}`, { active: false });
  }, 40_000);

  it('arrive all the same where a process is killed while it sends', async () => {
    const processes = await Promise.all([start('all'), start('all'), start('all')]);
    const [api, ...others] = processes;
    const { receiver } = world;
    const hook = await subscribe(api, receiver);
    const taken = receiver.respond;
    const killed = new Promise<void>((resolve) => {
      receiver.respond = (received, response, request) => {
        if (receiver.received.length < 4) return taken(received, response, request);
        // Whoever sent this gets no answer; two of three die.
        receiver.respond = taken;
        void Promise.all(others.map((one) => one.end('SIGKILL'))).then(() => resolve());
      };
    });
    const ids = await carryOut(api, 12);
    await killed;
    const events = await told(api, ids);
    const all = new Set(events.map(eventId));
    while ([...all].some((id) => !heard(receiver).has(id))) await new Promise((resolve) => setTimeout(resolve, 50));
    await allEnded(api, hook.id as string);
    const texts = heard(receiver);
    for (const text of events) expect(new Set(texts.get(eventId(text)))).toEqual(new Set([text]));
  }, 60_000);
});
