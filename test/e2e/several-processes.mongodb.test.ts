/** Processes that share a MongoDB: who carries out what, and what survives the end, or the silence, of one of them. */
import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { distEntry } from '../../src/common/dist-entry.js';
import {
  describeWithMongodb,
  describeWithOwnMongod,
  dropDatabase,
  newDatabaseUrl,
  startOwnMongod,
  withClient,
} from '../support/mongodb.js';
import {
  ASYNC,
  KEY,
  endAll,
  hasProgress,
  historyOf,
  isDone,
  resultOf,
  startProcess,
  task,
  undisturbedRun,
  until,
  upload,
  type ServiceProcess,
} from '../support/service-process.js';
import type { Json } from '../support/service.js';

const LEASE_SECONDS = 2;
// Progress is stored once a second: a machine three times as fast as it was for the undisturbed run still shows some.
const UNDISTURBED_SECONDS = 3;

const submit = async (api: ServiceProcess, functionId: string, evaluations: number): Promise<string> =>
  (await api.call('POST', '/v1/optimize', task(functionId, evaluations), ASYNC)).id as string;

describeWithMongodb('several processes on one MongoDB', () => {
  let url: string;
  beforeAll(() => {
    url = newDatabaseUrl();
  });
  afterEach(endAll);
  afterAll(() => dropDatabase(url));

  const start = (role: string): Promise<ServiceProcess> =>
    startProcess('--mongodb-url', url, '--role', role, '--lease-seconds', String(LEASE_SECONDS));
  const stored = (id: string): Promise<Json> =>
    withClient(url, (client) => client.db().collection<{ _id: string }>('runs').findOne({ _id: id }));
  const said = async (service: ServiceProcess, text: string): Promise<void> => {
    while (!service.output().includes(text)) await new Promise((resolve) => setTimeout(resolve, 25));
  };

  it('API processes share limits and repeated requests, and one tells what happens in another', async () => {
    const limited = ['--mongodb-url', url, '--role', 'api', '--rate-limit-per-minute', '60'];
    const apis = [await startProcess(...limited), await startProcess(...limited)];
    const engine = await start('engine');
    const request = task(await upload(apis[0]), 200);
    const ask = (i: number): Promise<Response> =>
      fetch(`${apis[i % 2].url}/v1/optimize`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'idempotency-key': 'k' },
        body: JSON.stringify(request),
      });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(i)));
    expect(answers.filter(({ ok }) => ok).length).toBeGreaterThan(0);
    expect(answers.every(({ ok, status }) => ok || status === 409)).toBe(true);
    const [first, second] = [await (await ask(0)).text(), await (await ask(1)).text()];
    expect(second).toBe(first);
    const { id } = JSON.parse(first);
    const headers = { authorization: `Bearer ${KEY}` };
    const stream = await fetch(`${apis[1].url}/v1/optimize/${id}/events`, { headers });
    expect(await stream.text()).toMatch(/^id: 1\nevent: started\n[^]*event: completed\ndata: .*\n\n$/);
    // 20 + 2 + the upload + the stream.
    const left = async (api: ServiceProcess): Promise<number> => {
      const answer = await fetch(`${api.url}/v1/optimize`, { headers });
      expect((await answer.json()).total).toBe(1);
      return Number(answer.headers.get('x-ratelimit-remaining'));
    };
    expect([await left(apis[0]), await left(apis[1])]).toEqual([35, 34]);
    await engine.end('SIGTERM');
  });

  it('a run goes on in another engine when its own is silent, killed or stopped, to the same bits', async () => {
    const api = await start('api');
    const first = await start('engine');
    const functionId = await upload(api);
    const undisturbed = await undisturbedRun(api, functionId, UNDISTURBED_SECONDS);
    const evaluations = undisturbed.evaluations as number;
    const sameAsUndisturbed = async (id: string): Promise<Json> => {
      const done = await until(api, id, isDone);
      expect(resultOf(done)).toEqual(resultOf(undisturbed));
      expect(await historyOf(api, id)).toEqual(await historyOf(api, undisturbed.id as string));
      return done;
    };

    // Silent beyond its lease: the other takes over; what the first then has to say is refused.
    const silenced = await submit(api, functionId, evaluations);
    await until(api, silenced, hasProgress);
    first.child.kill('SIGSTOP');
    const second = await start('engine');
    const done = await sameAsUndisturbed(silenced);
    expect(await stored(silenced)).toMatchObject({ attempt: 2, losses: 1 });
    first.child.kill('SIGCONT');
    await said(first, 'another process has taken over');
    expect(await api.call('GET', `/v1/optimize/${silenced}`)).toEqual(done);
    expect(await stored(silenced)).toMatchObject({ attempt: 2, losses: 1 });

    // Killed.
    expect(await second.end('SIGTERM')).toBe(0);
    const orphan = await submit(api, functionId, evaluations);
    await until(api, orphan, hasProgress);
    await first.end('SIGKILL');
    const third = await start('engine');
    await sameAsUndisturbed(orphan);
    expect(await stored(orphan)).toMatchObject({ attempt: 2, losses: 1 });

    // Stopped in good order: given back, taken up at once, and no loss.
    const returned = await submit(api, functionId, evaluations);
    await until(api, returned, hasProgress);
    expect(await third.end('SIGTERM')).toBe(0);
    const fourth = await start('engine');
    await sameAsUndisturbed(returned);
    expect(await stored(returned)).toMatchObject({ attempt: 2, losses: 0 });
    await fourth.end('SIGTERM');
  }, 120_000);

  it('a cancellation reaches the engine that carries out the run', async () => {
    const api = await start('api');
    const engine = await start('engine');
    const id = await submit(api, await upload(api), 1e9);
    await until(api, id, hasProgress);
    const cancelled = await api.call('POST', `/v1/optimize/${id}/cancel`);
    expect(cancelled).toMatchObject({ id, status: 'failed', termination_reason: 'cancelled' });
    expect(cancelled.best_fitness).not.toBeNull();
    await engine.end('SIGTERM');
  }, 60_000);

  it('an engine serves probes and nothing else, an api process carries out no run', async () => {
    const [api, engine] = await Promise.all([start('api'), start('engine')]);
    for (const path of ['/livez', '/readyz']) expect(await engine.call('GET', path)).toEqual({ status: 'ok' });
    expect((await fetch(`${engine.url}/metrics`)).status).toBe(200);
    expect((await engine.call('GET', '/v1/health')).error).toMatchObject({ code: 'not_found' });
    expect(engine.output()).not.toContain('API key');
    expect(await api.call('GET', '/v1/health')).toMatchObject({ store: { kind: 'mongodb' }, workers: { total: 0 } });
    await engine.end('SIGTERM');
    const id = await submit(api, await upload(api), 50);
    const [waiting] = (await api.call('GET', '/v1/optimize?status=pending')).data as Json[];
    expect(waiting).toMatchObject({ id });
    const cancelled = await api.call('POST', `/v1/optimize/${id}/cancel`);
    expect(cancelled).toMatchObject({ status: 'failed', evaluations: 0 });
  }, 60_000);

  it('two processes of both roles share runs and keys, also one from the command line', async () => {
    const services = await Promise.all([start('all'), start('all')]);
    const arguments_ = ['keys', 'create', '--account', 'default', '--scopes', 'read', '--mongodb-url', url];
    const made = spawnSync(process.execPath, [distEntry('cli/main'), ...arguments_], { encoding: 'utf8' });
    const authorization = `Bearer ${made.stdout.trim()}`;
    const functionId = await upload(services[0]);
    const ids = await Promise.all(Array.from({ length: 10 }, (_, i) => submit(services[i % 2], functionId, 200)));
    for (const service of services) {
      for (const id of ids) expect(await until(service, id, isDone)).toMatchObject({ evaluations: 200 });
      const list = await service.call('GET', `/v1/optimize?objective_function_id=${functionId}`, undefined, {
        authorization,
      });
      expect(list.total).toBeGreaterThanOrEqual(10);
      await service.end('SIGTERM');
    }
  }, 60_000);
});

describeWithOwnMongod('a service whose MongoDB goes away', () => {
  afterEach(endAll);

  it('a run survives that MongoDB is killed and comes back; meanwhile the service says that it is not ready', async () => {
    const server = await startOwnMongod('replica set');
    try {
      const service = await startProcess('--mongodb-url', `${server.url}&serverSelectionTimeoutMS=1000`);
      const functionId = await upload(service);
      const undisturbed = await undisturbedRun(service, functionId, UNDISTURBED_SECONDS);
      const id = await submit(service, functionId, undisturbed.evaluations as number);
      await until(service, id, hasProgress);
      await server.kill();
      const ready = async (): Promise<number> => (await fetch(`${service.url}/readyz`)).status;
      expect(await ready()).toBe(503);
      expect((await service.call('GET', `/v1/optimize/${id}`)).error).toMatchObject({ code: 'unavailable' });
      expect(await service.call('GET', '/livez')).toEqual({ status: 'ok' });
      await server.restart();
      while ((await ready()) !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
      expect(resultOf(await until(service, id, isDone))).toEqual(resultOf(undisturbed));
      expect(await service.end('SIGTERM')).toBe(0);
    } finally {
      await server.remove();
    }
  }, 120_000);
});
