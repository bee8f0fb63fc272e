/** Every route with every status that it documents, each answer held against the published schema. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_BODY_CONTAINERS } from '../../src/api/body-shape.js';
import { Idempotency } from '../../src/api/idempotency.js';
import { createMetrics } from '../../src/api/prometheus.js';
import { createApp, type AppParts } from '../../src/app.js';
import { createKey } from '../../src/cli/keys.js';
import { ExtremumError } from '../../src/common/errors.js';
import { createIdSource } from '../../src/common/ids.js';
import { silentLogger } from '../../src/common/logger.js';
import { parseConfig } from '../../src/config.js';
import { Exporter } from '../../src/exports/export-file.js';
import { IdentityService } from '../../src/identity/identity-service.js';
import { SessionService } from '../../src/identity/session-service.js';
import { createSeal } from '../../src/identity/seal.js';
import { openMemoryStore } from '../../src/storage/memory/memory-store.js';
import { ApiContract, type Operation } from '../support/api-contract.js';
import { createAuthority } from '../support/certificates.js';
import { startReceiver } from '../support/https-receiver.js';
import { SPHERE, startTestService, type Json, type TestService } from '../support/service.js';

const authority = createAuthority();
const folder = mkdtempSync(join(tmpdir(), 'extremum-contract-'));
writeFileSync(join(folder, 'ca.pem'), authority.cert);
const receiver = await startReceiver(authority.issue({ names: ['127.0.0.1'] }));
const service = await startTestService({
  flags: ['--python', 'off', '--rate-limit-per-minute', '100000', '--webhook-allow-networks', '127.0.0.0/8'].concat(
    '--webhook-extra-ca',
    join(folder, 'ca.pem'),
  ),
});
const contract = new ApiContract((await service.call('GET', '/v1/openapi.json')).body);
const call = contract.checked(service.call);
afterAll(async () => {
  await service.cleanUp();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

const named = ({ method, path }: Operation): string => `${method} ${path}`;
const concrete = (path: string): string => path.replaceAll(/\{\w+\}/g, 'none_1');
const EOQ = { model: 'eoq', demand_rate: 1300, fixed_cost: 8, holding_cost: 0.225 };
/** By `method path`: a body that is right. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /v1/functions': { name: 'f', code: SPHERE, language: 'python' },
  'POST /v1/functions/{id}/evaluate': { points: [[1]] },
  'POST /v1/optimize': { objective_function_id: 'func_1', bounds: [[0, 1]] },
  'POST /v1/batch': { requests: [{ objective_function_id: 'func_1', bounds: [[0, 1]] }] },
  'POST /v1/domains/{domain}/optimize': { problem_type: 'inventory', config: EOQ },
  'POST /v1/domains/conversational/create': { description: 'How many parts to order' },
  'POST /v1/domains/conversational/continue/{conversation_id}': { response: '15' },
  'POST /v1/domains/conversational/complete/{conversation_id}': {},
  'PATCH /v1/optimize/{id}': { metadata: {} },
  'POST /v1/optimize/{id}/extend': { max_evaluations: 100 },
  'POST /v1/optimize/{id}/replay': { strategy: 'cma-es' },
  'PUT /v1/configuration': {},
  'POST /v1/webhooks': { url: 'https://198.41.0.4/hook', events: ['*'] },
  'PATCH /v1/webhooks/{id}': { active: true },
  'POST /v1/webhooks/deliveries/redeliver-failed': { since: '2020-01-01T00:00:00Z' },
  'POST /v1/webhooks/{id}/redeliver-failed': { since: '2020-01-01T00:00:00Z' },
  'POST /v1/webhooks/{id}/rotate-secret': {},
  'POST /v1/studies': { bounds: [[0, 1]] },
  'POST /v1/studies/{id}/ask': {},
  'POST /v1/studies/{id}/tell': { results: [{ id: 'point_1', values: [1] }] },
  'POST /v1/federated/export': { epsilon: 1 },
  'POST /v1/federated/updates': {
    format: 'extremum-federated-update',
    base_version: 1,
    epsilon: 1,
    clip: 0.5,
    statistics: [{ problem_class: 'steep, 2 to 7 dimensions', strategy: 'nobody leads', runs: 9, mean_gain: 0.1 }],
  },
  'POST /v1/identity/keys': { name: 'k', scopes: ['read'] },
  'POST /v1/identity/keys/{id}/roll': {},
};
/** Answer from nothing but themselves. */
const CONSTANT_ANSWERS = [
  'GET /v1/identity',
  'GET /v1/openapi.json',
  'GET /v1/configuration/presets',
  'GET /v1/domains',
  'GET /v1/domains/{domain}',
];
/** By `method path`: parameters that a request needs. */
const QUERIES: Readonly<Record<string, string>> = {
  'DELETE /v1/optimize': '?status=failed',
  'GET /v1/analytics/metrics': '?start_date=2026-01-01&end_date=2026-01-31',
};
const withBody = (operation: Operation): { body?: object } =>
  operation.takesBody ? { body: BODIES[named(operation)] ?? expect.fail(`${named(operation)} has no body here`) } : {};

const makeKey = (scopes: string, account = 'default'): Promise<string> =>
  createKey(['--account', account, '--scopes', scopes, '--data-dir', service.dataDir], parseConfig);

/** Used for a request that is no other one in this file. */
const takenKey = (async (): Promise<string> => {
  const headers = { 'idempotency-key': 'taken' };
  const body = { name: 'taken', code: SPHERE, language: 'python' };
  expect((await call('POST', '/v1/functions', { body, headers })).status).toBe(201);
  return 'taken';
})();

let addresses = 0;
/** Each from another loopback address: the service limits how often one may fail to name its key. */
const statusWithoutKey = (method: string, path: string, body?: object): Promise<number> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers =
      text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const { hostname, port } = new URL(service.url);
    const localAddress = `127.0.${1 + (addresses >> 7)}.${1 + (addresses++ & 127)}`;
    const sent = request({ hostname, port, method, path, headers, localAddress }, (response) => {
      let said = '';
      response.setEncoding('utf8').on('data', (piece: string) => (said += piece));
      response.on('end', () => {
        const answer = new Headers();
        for (const [name, value] of Object.entries(response.headers)) answer.set(name, String(value));
        const status = response.statusCode ?? 0;
        contract.check(method, path, { status, headers: answer, body: JSON.parse(said) });
        resolve(status);
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });

describe('what every route refuses', () => {
  it.each(contract.operations.map((operation) => [named(operation), operation] as const))(
    '%s',
    async (_, operation) => {
      const { method, path, scope, statuses, takesBody } = operation;
      const url = concrete(path);
      const right = withBody(operation);
      const status = async (options: object, query = ''): Promise<number> =>
        (await call(method, url + query, options)).status;

      expect(await statusWithoutKey(method, url, right.body)).toBe(scope === '' ? 200 : 401);
      if (scope === '') expect(await status({ ...right, key: 'no key of ours' })).toBe(200);
      else expect(await status({ ...right, key: await makeKey(scope === 'read' ? 'run' : 'read') })).toBe(403);
      if (scope === 'admin') expect(await status({ ...right, key: await makeKey('read,run') })).toBe(403);
      expect(await status(right, '?unknown=1')).toBe(400);
      if (takesBody) {
        expect(await status({ body: '{', headers: {} })).toBe(400);
        expect(await status({ body: { ...right.body, unknown: 1 } })).toBe(400);
        expect(await status({ body: 'x', headers: { 'content-type': 'text/plain' } })).toBe(415);
        expect(await status({ body: `"${'x'.repeat(4_200_000)}"` })).toBe(413);
      }
      if (method === 'POST') {
        const headers = { 'idempotency-key': await takenKey };
        expect(await status({ ...right, headers })).toBe(409);
        expect(await status({ ...right, headers: { 'idempotency-key': 'x'.repeat(256) } })).toBe(400);
      }
      if (path.includes('{')) {
        expect(await status(right)).toBe(404);
        expect(statuses).toContain(404);
      }
    },
  );
});

describe('what every route answers when something is broken', () => {
  let server: Server;
  let broken: TestService['call'];
  let failure: Error;
  let limit: AppParts['config'];
  beforeAll(async () => {
    const store = openMemoryStore();
    const logger = silentLogger;
    const parts = { store, pepper: new Uint8Array(32), ids: createIdSource(), clock: Date.now, logger };
    const identity = new IdentityService(parts);
    const key = await identity.createKey('a', 'k', ['admin']);
    const fails = (): unknown =>
      new Proxy(
        {},
        {
          get: () => () => {
            throw failure;
          },
        },
      );
    // Keys are known; whatever comes after that fails.
    const known = new Proxy(identity, {
      get: (target, name) =>
        name === 'authenticate'
          ? target.authenticate.bind(target)
          : (): never => {
              throw failure;
            },
    });
    limit = { ...parseConfig({}, []), rateLimitPerMinute: 1_000_000 };
    const app = createApp({
      config: limit,
      version: '0',
      logger,
      clock: Date.now,
      identity: known,
      sessions: new SessionService({ store, identity: known, clock: Date.now, logger }),
      counts: store,
      idempotency: new Idempotency({ ...parts, seal: createSeal(parts.pepper, 'test'), leaseMs: 60_000 }),
      settings: fails() as AppParts['settings'],
      functions: fails() as AppParts['functions'],
      runs: fails() as AppParts['runs'],
      webhooks: fails() as AppParts['webhooks'],
      learning: fails() as AppParts['learning'],
      federation: fails() as AppParts['federation'],
      studies: fails() as AppParts['studies'],
      conversations: fails() as AppParts['conversations'],
      analytics: fails() as AppParts['analytics'],
      noteTraffic: () => {},
      exporter: new Exporter(),
      health: fails() as AppParts['health'],
      metrics: createMetrics('0'),
      strategies: [{ name: 'cma-es', maxDimension: 10_000 }],
      callingStrategies: [{ name: 'cma-es', maxDimension: 10_000, objectives: [1, 4] }],
      pythonMinor: 12,
    });
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    broken = async (method, path, { body } = {}) => {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    };
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each(contract.operations.map((operation) => [named(operation), operation] as const))(
    '%s: 500 and 503',
    async (name, operation) => {
      if (CONSTANT_ANSWERS.includes(name)) return;
      const options = withBody(operation);
      for (const [error, status] of [
        [new Error('secret detail'), 500],
        [new ExtremumError('store_unavailable', 'secret detail'), 503],
      ] as const) {
        failure = error;
        const url = concrete(operation.path.replace('{domain}', 'supply_chain')) + (QUERIES[name] ?? '');
        const answer = await contract.checked(broken)(operation.method, url, options);
        expect(answer.status).toBe(status);
        expect(JSON.stringify(answer.body)).not.toContain('secret');
      }
    },
  );
});

describe('the limit of requests', () => {
  it('holds on every route', async () => {
    const limited = await startTestService({ flags: ['--python', 'off', '--rate-limit-per-minute', '1'] });
    try {
      await limited.call('GET', '/v1/identity');
      for (const operation of contract.operations) {
        const options = withBody(operation);
        const answer = await contract.checked(limited.call)(operation.method, concrete(operation.path), options);
        expect(answer.status, named(operation)).toBe(429);
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
    } finally {
      await limited.cleanUp();
    }
  });
});

describe('functions', () => {
  it('answers as documented', async () => {
    const made = await call('POST', '/v1/functions', { body: BODIES['POST /v1/functions'] });
    expect(made.status).toBe(201);
    const path = `/v1/functions/${made.body.id}`;
    expect((await call('GET', path)).status).toBe(200);
    expect((await call('GET', '/v1/functions?limit=1')).status).toBe(200);
    const values = await call('POST', `${path}/evaluate`, { body: { points: [[3], [4]] } });
    expect([values.status, values.body.values]).toEqual([200, [9, 16]]);
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('DELETE', path)).status).toBe(404);
  });
});

describe('runs', () => {
  const body = async (more: object = {}): Promise<object> => ({
    objective_function_id: await service.upload(SPHERE),
    bounds: [[-1, 1]],
    max_evaluations: 50,
    ...more,
  });

  it('answers as documented', async () => {
    // A run that is read may be proven before its budget ends, and is not extended then.
    const done = await call('POST', '/v1/optimize', { body: await body({ black_box: true }) });
    expect(done.status).toBe(200);
    const path = `/v1/optimize/${done.body.id}`;
    expect((await call('GET', path)).body).toEqual(done.body);
    expect((await call('GET', `${path}/history`)).status).toBe(200);
    expect((await call('GET', `${path}/monitoring`)).body.error.message).toMatch(
      /its preset is `production`; .*`enterprise`/,
    );
    const watched = await call('POST', '/v1/optimize', { body: await body({ preset: 'enterprise' }) });
    const monitoring = `/v1/optimize/${watched.body.id}/monitoring`;
    // How many seconds it took is the machine's affair.
    const { data: rows, ...page } = (await call('GET', monitoring)).body;
    expect(page).toEqual({ total: rows.length, limit: 2000, offset: 0 });
    const told = rows.reduce((sum: number, { evaluations }: Json) => sum + evaluations, 0);
    expect(told).toBe(watched.body.evaluations);
    const first = await call('GET', `${monitoring}?limit=1&offset=0`);
    expect(first.body).toEqual({ data: rows.slice(0, 1), total: rows.length, limit: 1, offset: 0 });
    const stranger = { headers: { authorization: `Bearer ${await makeKey('admin', 'no watcher')}` } };
    expect((await call('GET', monitoring, stranger)).status).toBe(404);
    const solved = await call('POST', '/v1/domains/supply_chain/optimize', {
      body: { problem_type: 'inventory', config: EOQ, preset: 'enterprise' },
    });
    const ofSolver = (await call('GET', `/v1/optimize/${solved.body.id}/monitoring`)).body.data;
    expect(ofSolver.length).toBeGreaterThan(0);
    for (const row of ofSolver) expect(row).toMatchObject({ evaluations: null, tiers: null, checks: null });
    expect((await call('GET', '/v1/optimize?status=completed')).status).toBe(200);
    const drawn = await fetch(`${service.url}${path}/visuals/convergence`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    expect([drawn.status, await drawn.text()]).toEqual([200, expect.stringContaining('<svg')]);
    contract.seen.add(`GET /v1/optimize/{id}/visuals/{kind} ${drawn.status}`);
    const explained = await call('GET', `${path}/explanation`);
    expect([explained.status, explained.body]).toEqual([200, done.body.explanation]);
    const more = (await call('GET', `${path}/explanation?level=5`)).body;
    expect([more.level, more.notes.join()]).toEqual([5, expect.stringContaining('Missing') as string]);
    expect((await call('GET', `${path}/explanation?level=6`)).body.error.field).toBe('level');
    expect((await call('GET', `${path}/explanation?format=csv`)).body.error.field).toBe('format');
    const reported = await fetch(`${service.url}${path}/explanation?format=pdf`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    expect([reported.status, reported.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(
      Buffer.from(await reported.arrayBuffer())
        .subarray(0, 4)
        .toString('latin1'),
    ).toBe('%PDF');
    const changed = await call('PATCH', path, { body: { metadata: { a: [1] } } });
    expect(changed.body.metadata).toEqual({ a: [1] });
    expect((await call('POST', `${path}/cancel`)).status).toBe(409);
    const extended = await call('POST', `${path}/extend`, { body: { max_evaluations: 60 } });
    expect([extended.status, extended.body.evaluations]).toEqual([200, 60]);
    const headers = { prefer: 'respond-async' };
    expect((await call('POST', `${path}/extend`, { body: { max_evaluations: 60 }, headers })).status).toBe(201);
    expect((await call('POST', `${path}/extend`, { body: { max_evaluations: 50 } })).body.error.field).toBe(
      'max_evaluations',
    );
  });

  it('are replayed with another strategy, and compared', async () => {
    const original = (await call('POST', '/v1/optimize', { body: await body({ seed: 4 }) })).body;
    expect([original.replay_of, original.comparison]).toEqual([null, null]);
    const path = `/v1/optimize/${original.id}/replay`;
    await call('DELETE', `/v1/functions/${original.objective_function_id}`);
    const same = await call('POST', path, { body: { strategy: 'planner' } });
    expect(same.status).toBe(200);
    const { best_solution, best_fitness, evaluations } = original;
    expect(same.body).toMatchObject({ best_solution, best_fitness, evaluations, seed: 4, replay_of: original.id });
    expect(same.body.comparison).toMatchObject({ best_fitness_difference: 0, better: false });
    expect(same.body.comparison.evaluations_to_match).toBeLessThanOrEqual(50);
    const other = await call('POST', path, { body: { strategy: 'cma-es' }, headers: { 'idempotency-key': 'replay' } });
    expect(other.body).toMatchObject({ strategy_used: 'cma-es', max_evaluations: 50, bounds: original.bounds });
    const difference = (other.body.best_fitness as number) - (best_fitness as number);
    expect(other.body.comparison).toMatchObject({ best_fitness_difference: difference, better: difference < 0 });
    expect((await call('GET', `/v1/optimize/${other.body.id}`)).body).toEqual(other.body);
    const listed = (await call('GET', '/v1/optimize?limit=1')).body.data[0];
    expect(listed).toEqual(other.body);
    const again = await call('POST', path, { body: { strategy: 'cma-es' }, headers: { 'idempotency-key': 'replay' } });
    expect([again.headers.get('idempotent-replayed'), again.body.id]).toEqual(['true', other.body.id]);
    const headers = { prefer: 'respond-async' };
    expect((await call('POST', path, { body: { strategy: 'cma-es' }, headers })).status).toBe(201);
    for (const strategy of ['none', 5, undefined]) {
      expect((await call('POST', path, { body: { strategy } })).body.error.field).toBe('strategy');
    }
    const stranger = await makeKey('admin', 'replay strangers');
    expect((await call('POST', path, { body: { strategy: 'cma-es' }, key: stranger })).status).toBe(404);
    const wide = Array.from({ length: 400 }, () => [-1, 1]);
    const large = (await call('POST', '/v1/optimize', { body: await body({ bounds: wide }) })).body;
    const refused = await call('POST', `/v1/optimize/${large.id}/replay`, { body: { strategy: 'bayesian' } });
    expect([refused.status, refused.body.error.field]).toEqual([400, 'strategy']);
  });

  it('are deleted once they have ended, one by one and all that match', async () => {
    const long = await body({ max_evaluations: 10 ** 9, mode: 'accurate' });
    const { id } = (await call('POST', '/v1/optimize', { body: long, headers: { prefer: 'respond-async' } })).body;
    expect((await call('DELETE', `/v1/optimize/${id}`)).status).toBe(409);
    await call('POST', `/v1/optimize/${id}/cancel`);
    expect((await call('DELETE', `/v1/optimize/${id}`)).status).toBe(204);
    expect((await call('DELETE', `/v1/optimize/${id}`)).status).toBe(404);
    const none = await call('DELETE', '/v1/optimize?status=failed&before=2020-01-01T00:00:00Z');
    expect([none.status, none.body]).toEqual([200, { deleted: 0 }]);
  });

  it('answers at once where that is preferred, and cancels', async () => {
    const long = await body({ max_evaluations: 10 ** 9, mode: 'accurate' });
    const started = await call('POST', '/v1/optimize', { body: long, headers: { prefer: 'respond-async' } });
    expect([started.status, started.body.success]).toEqual([201, null]);
    expect((await call('GET', `/v1/optimize/${started.body.id}/explanation`)).status).toBe(409);
    expect((await call('GET', `/v1/optimize/${started.body.id}/visuals/convergence`)).status).toBe(409);
    const ended = await call('POST', `/v1/optimize/${started.body.id}/cancel`);
    expect([ended.status, ended.body.termination_reason]).toEqual([200, 'cancelled']);
    const extended = await call('POST', `/v1/optimize/${started.body.id}/extend`, {
      body: { max_evaluations: 10 ** 9 },
    });
    expect(extended.status).toBe(409);
  });
});

describe('the events of a run', () => {
  interface Heard {
    readonly id: string | null;
    readonly event: string;
    readonly data: Json;
  }
  /** Until the stream ends. */
  async function* listen(id: string, lastEventId?: string): AsyncGenerator<Heard> {
    const response = await fetch(`${service.url}/v1/optimize/${id}/events`, {
      headers: {
        authorization: `Bearer ${service.key}`,
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    contract.seen.add(`GET /v1/optimize/{id}/events ${response.status}`);
    let text = '';
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = new Map(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => line.split(/: (.*)/s, 2) as [string, string]),
        );
        text = text.slice(end + 2);
        const data = JSON.parse(fields.get('data') ?? 'null');
        yield { id: fields.get('id') ?? null, event: fields.get('event') ?? '', data };
      }
    }
    expect(text).toBe('');
  }
  async function all(heard: AsyncIterable<Heard>): Promise<Heard[]> {
    const list = [];
    for await (const one of heard) list.push(one);
    return list;
  }

  it('tell a short run, are resumed anywhere, and end', async () => {
    const body = { objective_function_id: await service.upload(SPHERE), bounds: [[-1, 1]], max_evaluations: 50 };
    const run = (await call('POST', '/v1/optimize', { body })).body;
    const heard = await all(listen(run.id as string));
    expect(heard.map(({ id }) => id)).toEqual(heard.map((_, i) => String(i + 1)));
    expect([heard[0]?.event, heard.at(-1)?.event]).toEqual(['started', 'completed']);
    expect(heard[0]?.data.data).toEqual({
      optimization_id: run.id,
      strategy: 'planner',
      backend: expect.any(String) as string,
    });
    expect(heard.at(-1)?.data).toEqual({
      id: expect.stringMatching(/^evt_\d+$/) as string,
      type: 'optimization.completed',
      created_at: expect.stringMatching(/Z$/) as string,
      data: {
        optimization_id: run.id,
        status: 'completed',
        termination_reason: run.termination_reason,
        result: {
          best_solution: run.best_solution,
          best_fitness: run.best_fitness,
          evaluations: run.evaluations,
          duration_seconds: run.duration_seconds,
        },
      },
    });
    expect(await all(listen(run.id as string, '1'))).toEqual(heard.slice(1));
    const path = `/v1/optimize/${run.id}/events`;
    expect((await call('GET', path, { headers: { 'last-event-id': String(heard.length) } })).status).toBe(204);
    expect((await call('GET', path, { headers: { 'last-event-id': 'x' } })).body.error.field).toBe('Last-Event-ID');
    await call('PATCH', `/v1/optimize/${run.id}`, { body: { metadata: { note: 'ü\n' } } });
    const later = await all(listen(run.id as string, String(heard.length)));
    expect(later).toMatchObject([{ event: 'context.updated', data: { data: { metadata: { note: 'ü\n' } } } }]);
    const stranger = await makeKey('admin', 'event strangers');
    expect((await call('GET', path, { key: stranger })).status).toBe(404);
  });

  it('tell a long run while it goes on', async () => {
    const body = {
      objective_function_id: await service.upload(SPHERE),
      bounds: [[-1, 1]],
      max_evaluations: 10 ** 9,
      mode: 'accurate',
    };
    const run = (await call('POST', '/v1/optimize', { body, headers: { prefer: 'respond-async' } })).body;
    const names: string[] = [];
    const progress: number[] = [];
    for await (const { event, id, data } of listen(run.id as string)) {
      if (event !== 'progress') names.push(event);
      else if (progress.push(data.evaluations as number) === 1) {
        expect(id).toBeNull();
        await call('PATCH', `/v1/optimize/${run.id}`, { body: { metadata: { a: 1 } } });
        await call('POST', `/v1/optimize/${run.id}/cancel`);
      }
    }
    expect(progress[0]).toBeGreaterThan(0);
    expect(names[0]).toBe('started');
    expect(names).toContain('context.updated');
    expect(names.at(-1)).toBe('cancelled');
  });
});

describe('batches', () => {
  const create = (requests: readonly object[], headers = {}): ReturnType<typeof call> =>
    call('POST', '/v1/batch', { body: { requests }, headers });
  const ended = async (id: string): Promise<Json> => {
    for (;;) {
      const { body } = await call('GET', `/v1/batch/${id}`);
      if (body.completed_at !== null) return body;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it('run all of their requests, in their order', async () => {
    const request = { objective_function_id: await service.upload(SPHERE), bounds: [[-1, 1]], max_evaluations: 20 };
    const requests = Array.from({ length: 12 }, (_, seed) => ({ ...request, seed }));
    const made = await create(requests);
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/v1/batch/${made.body.id}`);
    expect(made.body).toMatchObject({ total: 12 });
    const done = await ended(made.body.id as string);
    expect(done).toMatchObject({ status: 'completed', completed: 12, failed: 0 });
    const runs = await Promise.all(
      done.optimization_ids.map((id: string) => call('GET', `/v1/optimize/${id}`)) as ReturnType<typeof call>[],
    );
    expect(runs.map(({ body }) => body.seed as number)).toEqual(requests.map(({ seed }) => seed));
    expect((await call('POST', `/v1/batch/${made.body.id}/cancel`)).status).toBe(409);
    expect((await call('GET', '/v1/batch?limit=1')).body.data[0]).toEqual(done);
    const stranger = await makeKey('admin', 'batch strangers');
    expect((await call('GET', `/v1/batch/${made.body.id}`, { key: stranger })).status).toBe(404);
    expect((await call('POST', `/v1/batch/${made.body.id}/cancel`, { key: stranger })).status).toBe(404);
    expect((await call('GET', '/v1/batch', { key: stranger })).body.total).toBe(0);
  });

  it('may have twenty runs of 10,000 variables', async () => {
    const bounds = Array.from({ length: 10_000 }, (_, i) => [-5.12 - i / 1e6, 5.12]);
    const request = {
      objective_function_id: await service.upload(SPHERE),
      bounds,
      max_evaluations: 10 ** 9,
    };
    const made = await create(Array<object>(20).fill(request));
    expect([made.status, made.body.total]).toEqual([201, 20]);
    const run = await call('GET', `/v1/optimize/${made.body.optimization_ids[19]}`);
    expect(run.body.bounds).toEqual(bounds);
    expect((await call('POST', `/v1/batch/${made.body.id}/cancel`)).status).toBe(200);
    await ended(made.body.id as string);
  });

  it('keep nobody waiting for long where they are hostile', async () => {
    const most = MAX_BODY_CONTAINERS - 1;
    const bodies = [
      '['.repeat(most) + ']'.repeat(most),
      `{"requests":[${'[0.25,1.25],'.repeat(most - 2)}1]}`,
      `{"requests":${'[1.25,'.repeat(most)}1${']'.repeat(most)}}`,
      // Beyond the limit, which is found before anything is parsed.
      '[{'.repeat(1_000_000),
    ];
    // Processor time, not time: other programs take turns with this one.
    let longest = 0;
    let isOver = false;
    const turn = (before: NodeJS.CpuUsage): void => {
      const { user, system } = process.cpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
      if (!isOver) setImmediate(turn, process.cpuUsage());
    };
    turn(process.cpuUsage());
    for (const body of bodies) expect((await service.call('POST', '/v1/batch', { body })).status).toBe(400);
    isOver = true;
    // Some 200 ms of it, all threads counted; without the limit over a second. Client and service share this thread.
    expect(longest).toBeGreaterThan(1);
    expect(longest).toBeLessThan(800);
  });

  it('start nothing where one request is bad, and name it', async () => {
    const good = { objective_function_id: await service.upload(SPHERE), bounds: [[-1, 1]], max_evaluations: 20 };
    const before = (await call('GET', '/v1/optimize')).body.total as number;
    for (const [bad, field] of [
      [{ ...good, bounds: undefined }, 'requests[3].bounds'],
      [{ ...good, bounds: [[2, 1]] }, 'requests[3].bounds[0]'],
      [{ ...good, strategy: 'none' }, 'requests[3].strategy'],
      [{ ...good, objective_function_id: 'func_1' }, 'requests[3].objective_function_id'],
      [{ ...good, unknown: 1 }, 'requests[3].unknown'],
      [5, 'requests[3]'],
    ] as const) {
      const answer = await create([good, good, good, bad as object, good]);
      expect([answer.status, answer.body.error.field]).toEqual([400, field]);
    }
    for (const requests of [[], Array(1001).fill(good), Array(100_000).fill(0)] as object[][]) {
      const answer = await create(requests);
      expect([answer.status, answer.body.error.field]).toEqual([400, 'requests']);
    }
    expect((await call('GET', '/v1/optimize')).body.total).toBe(before);
  });

  it('are cancelled as a whole', async () => {
    const objective = await service.upload(SPHERE);
    const request = { objective_function_id: objective, bounds: [[-1, 1]], max_evaluations: 10 ** 9, mode: 'accurate' };
    const made = await create(Array(6).fill(request) as object[]);
    const cancelled = await call('POST', `/v1/batch/${made.body.id}/cancel`);
    expect(cancelled.status).toBe(200);
    expect(await ended(made.body.id as string)).toMatchObject({ status: 'failed', total: 6, completed: 0, failed: 6 });
  });

  it('sent again are made once', async () => {
    const request = { objective_function_id: await service.upload(SPHERE), bounds: [[-1, 1]], max_evaluations: 20 };
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await create([request, request], { 'idempotency-key': 'batch' }));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });
});

describe('the configuration of an account', () => {
  const get = async (): Promise<Json> => (await call('GET', '/v1/configuration')).body;
  const defaults = { preset: 'production', mode: 'balanced', max_evaluations: 1000, timeout_seconds: 3600 };
  const put = (body: object): ReturnType<typeof call> => call('PUT', '/v1/configuration', { body });

  it('has the defaults of the service, and is replaced as a whole', async () => {
    expect(await get()).toEqual(defaults);
    const answer = await put({ preset: 'minimal', max_evaluations: 30, timeout_seconds: 0.5 });
    const own = { ...defaults, preset: 'minimal', max_evaluations: 30, timeout_seconds: 0.5 };
    expect([answer.status, answer.body]).toEqual([200, own]);
    expect(await get()).toEqual(own);
    expect((await put({ mode: 'fast' })).body).toEqual({ ...defaults, mode: 'fast' });
    expect((await put({})).body).toEqual(defaults);
  });

  it.each([
    [{ preset: 'x' }, 'preset'],
    [{ mode: null }, 'mode'],
    [{ max_evaluations: 0 }, 'max_evaluations'],
    [{ max_evaluations: 1.5 }, 'max_evaluations'],
    [{ timeout_seconds: 3601 }, 'timeout_seconds'],
  ])('refuses %j', async (body, field) => {
    const answer = await put(body);
    expect([answer.status, answer.body.error.field]).toEqual([400, field]);
  });

  it('fills in what a request leaves open, and nothing else', async () => {
    await put({ preset: 'minimal', mode: 'fast', max_evaluations: 30, timeout_seconds: 77 });
    const request = { objective_function_id: await service.upload(SPHERE), bounds: [[-1, 1]] };
    const open = await call('POST', '/v1/optimize', { body: request });
    expect(open.body).toMatchObject({ preset: 'minimal', mode: 'fast', max_evaluations: 30 });
    expect(open.body.intelligence_config.use_agentic_intelligence).toBe(false);
    const given = { preset: 'research', mode: 'accurate', max_evaluations: 40 };
    const closed = await call('POST', '/v1/optimize', { body: { ...request, ...given } });
    expect(closed.body).toMatchObject(given);
    // Another account does not notice.
    const other = await makeKey('admin', 'others');
    expect((await call('GET', '/v1/configuration', { key: other })).body).toEqual(defaults);
    await put({});
  });

  it('lists the presets', async () => {
    const { body } = await call('GET', '/v1/configuration/presets');
    expect(body.data.map(({ name }: Json) => name)).toEqual([
      'development',
      'production',
      'research',
      'enterprise',
      'minimal',
    ]);
    expect(body.data[4].intelligence_config).toEqual({
      use_agentic_intelligence: false,
      use_interpretable_intelligence: false,
      use_adaptive_intelligence: false,
      use_domain_extension: false,
      explanation_level: 0,
      use_gpu_acceleration: false,
      use_visual_intelligence: false,
    });
  });
});

describe('webhooks', () => {
  const create = (body: object = {}, options: object = {}): ReturnType<typeof call> =>
    call('POST', '/v1/webhooks', { body: { url: receiver.url, events: ['*'], ...body }, ...options });
  const deliveries = async (id: string, query = ''): Promise<Json[]> =>
    (await call('GET', `/v1/webhooks/${id}/deliveries${query}`)).body.data as Json[];
  const until = async (id: string, done: (delivery: Json) => boolean): Promise<Json> => {
    for (;;) {
      const [newest] = await deliveries(id);
      if (newest !== undefined && done(newest)) return newest;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('are made, shown without their secret, changed, and deleted', async () => {
    const made = await create({ events: ['strategy.changed', 'strategy.changed'] });
    expect(made.status).toBe(201);
    const { secret, ...record } = made.body;
    const path = `/v1/webhooks/${record.id}`;
    expect(made.headers.get('location')).toBe(path);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(record).toEqual({
      id: expect.stringMatching(/^wh_\d+$/) as string,
      url: receiver.url,
      events: ['strategy.changed'],
      active: true,
      created_at: expect.stringMatching(/Z$/) as string,
      signed: true,
      failing_since: null,
      disabled: null,
    });
    expect((await call('GET', path)).body).toEqual(record);
    expect((await call('GET', '/v1/webhooks?limit=1')).body.data).toEqual([record]);
    const changed = await call('PATCH', path, { body: { events: ['*'], active: false } });
    expect([changed.status, changed.body]).toEqual([200, { ...record, events: ['*'], active: false }]);
    expect((await call('POST', `${path}/test`)).status).toBe(409);
    const since = { body: { since: '2020-01-01T00:00:00Z' } };
    expect((await call('POST', `${path}/redeliver-failed`, since)).status).toBe(409);
    const moved = await call('PATCH', path, { body: { url: 'https://10.0.0.1/' } });
    expect([moved.status, moved.body.error.field]).toEqual([400, 'url']);
    const stranger = await makeKey('admin', 'webhook strangers');
    for (const [method, at] of [
      ['GET', path],
      ['PATCH', path],
      ['DELETE', path],
      ['GET', `${path}/deliveries`],
      ['POST', `${path}/test`],
      ['POST', `${path}/rotate-secret`],
    ] as const) {
      const body = method === 'PATCH' || at.endsWith('secret') ? { body: {} } : {};
      expect((await call(method, at, { ...body, key: stranger })).status, at).toBe(404);
    }
    expect((await call('GET', '/v1/webhooks', { key: stranger })).body.total).toBe(0);
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('DELETE', path)).status).toBe(404);
    expect((await call('GET', `${path}/deliveries`)).status).toBe(404);
  });

  it('take a secret of their maker, or none', async () => {
    const own = await create({ secret: 'of my own', active: false });
    expect(own.body).toMatchObject({ secret: 'of my own', signed: true, active: false });
    const none = await create({ secret: null });
    expect(none.body).toMatchObject({ signed: false });
    expect(none.body).not.toHaveProperty('secret');
    for (const { body } of [own, none]) await call('DELETE', `/v1/webhooks/${body.id}`);
  });

  it.each([
    [{ url: 'http://198.41.0.4/' }, 'url'],
    [{ url: 'https://10.0.0.1/' }, 'url'],
    [{ url: 'https://[::ffff:10.0.0.1]/' }, 'url'],
    [{ url: '' }, 'url'],
    [{ url: null }, 'url'],
    [{ events: [] }, 'events'],
    [{ events: ['*', 'optimization.done'] }, 'events[1]'],
    [{ events: Array(101).fill('*') }, 'events'],
    [{ secret: '' }, 'secret'],
    [{ secret: 'x'.repeat(256) }, 'secret'],
    [{ secret: '\ud800' }, 'secret'],
    [{ active: null }, 'active'],
  ])('refuse %j', async (body, field) => {
    const answer = await create(body);
    expect([answer.status, answer.body.error.field]).toEqual([400, field]);
  });

  it('are tested, and what was sent is listed and sent again', async () => {
    const { id } = (await create({ events: ['context.updated'] })).body;
    const before = receiver.received.length;
    receiver.respond = (_received, response) => void response.writeHead(202).end('taken');
    const made = await call('POST', `/v1/webhooks/${id}/test`);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ event_type: 'webhook.test', webhook_id: id });
    const sent = await until(id as string, ({ state }) => state === 'succeeded');
    expect(sent).toMatchObject({
      id: made.body.id,
      next_attempt_at: null,
      attempts: [{ status: 202, response_excerpt: 'taken' }],
    });
    expect(sent.attempts[0]).not.toHaveProperty('error');
    const got = receiver.received[before];
    expect(JSON.parse(String(got?.body))).toEqual({
      id: sent.event_id,
      type: 'webhook.test',
      created_at: expect.any(String) as string,
      data: { webhook_id: id },
    });
    const again = await call('POST', `/v1/webhooks/deliveries/${sent.id}/redeliver`);
    expect(again.status).toBe(200);
    const twice = await until(id as string, ({ state, attempts }) => state === 'succeeded' && attempts.length === 2);
    expect(receiver.received[before + 1]?.body).toEqual(got?.body);
    expect(await deliveries(id as string, '?state=succeeded')).toEqual([twice]);
    expect(await deliveries(id as string, '?state=failed')).toEqual([]);
    const none = await call('POST', `/v1/webhooks/${id}/redeliver-failed`, { body: { since: twice.created_at } });
    expect([none.status, none.body]).toEqual([200, { redelivered: 0 }]);
    const everywhere = await call('GET', '/v1/webhooks/deliveries?state=succeeded&limit=100');
    expect(everywhere.body.data).toContainEqual(twice);
    expect((await call('GET', '/v1/webhooks/deliveries?state=gone')).body.error.field).toBe('state');
    const all = await call('POST', '/v1/webhooks/deliveries/redeliver-failed', {
      body: { since: new Date().toISOString() },
    });
    expect([all.status, all.body]).toEqual([200, { redelivered: 0 }]);
    const stranger = await makeKey('admin', 'strangers of deliveries');
    expect((await call('GET', '/v1/webhooks/deliveries', { key: stranger })).body.total).toBe(0);
    await call('PATCH', `/v1/webhooks/${id}`, { body: { active: false } });
    expect((await call('POST', `/v1/webhooks/deliveries/${sent.id}/redeliver`)).status).toBe(409);
    await call('DELETE', `/v1/webhooks/${id}`);
    expect((await call('POST', `/v1/webhooks/deliveries/${sent.id}/redeliver`)).status).toBe(404);
  });

  it('get another secret', async () => {
    const { id, secret } = (await create()).body;
    const headers = { 'idempotency-key': 'rotate' };
    const rotated = await call('POST', `/v1/webhooks/${id}/rotate-secret`, { body: { overlap_seconds: 60 }, headers });
    expect(rotated.status).toBe(200);
    expect(rotated.body.secret).toMatch(/^whsec_/);
    expect(rotated.body.secret).not.toBe(secret);
    const path = `/v1/webhooks/${id}/rotate-secret`;
    expect((await call('POST', path, { body: { overlap_seconds: 86_401 } })).body.error.field).toBe('overlap_seconds');
    await call('DELETE', `/v1/webhooks/${id}`);
  });

  it('are at most a hundred', async () => {
    const key = await makeKey('admin', 'many webhooks');
    for (let i = 0; i < 100; i++) expect((await create({ active: false }, { key })).status).toBe(201);
    expect((await create({ active: false }, { key })).status).toBe(409);
  });

  it('hear what a run has to say, and the metrics count it', async () => {
    const { id } = (await create()).body;
    const body = { objective_function_id: await service.upload(SPHERE), bounds: [[-1, 1]], max_evaluations: 50 };
    const run = (await call('POST', '/v1/optimize', { body })).body;
    for (;;) {
      const sent = await deliveries(id as string, '?state=succeeded');
      if (sent.some(({ event_type }) => event_type === 'optimization.completed')) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const heard = receiver.received.map(({ body: text }) => JSON.parse(String(text)));
    const own = heard.filter(({ data }) => data.optimization_id === run.id).map(({ type }) => type as string);
    expect([own[0], own.at(-1)]).toEqual(['optimization.started', 'optimization.completed']);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/extremum_webhook_attempts_total\{outcome="succeeded"\} [1-9]/);
    await call('DELETE', `/v1/webhooks/${id}`);
  });
});

describe('keys', () => {
  const issue = (body: object): ReturnType<typeof call> => call('POST', '/v1/identity/keys', { body });
  const works = async (key: string): Promise<boolean> => (await call('GET', '/v1/identity', { key })).status === 200;

  it('are made, used, listed without their secret, and revoked', async () => {
    const made = await issue({ name: 'ci', scopes: ['read', 'read', 'run'], expires_at: '2999-01-31T12:00:00+01:00' });
    expect(made.status).toBe(201);
    const { key, ...record } = made.body;
    expect(record).toMatchObject({
      scopes: ['read', 'run'],
      expires_at: '2999-01-31T11:00:00.000Z',
      last_used_at: null,
    });
    const own = await call('GET', '/v1/identity', { key });
    expect(own.body.key).toMatchObject({ ...record, last_used_at: null });
    // No answer waits for the note of when a key was used.
    let listed = await call('GET', '/v1/identity/keys?limit=1');
    while (listed.body.data[0].last_used_at === null) listed = await call('GET', '/v1/identity/keys?limit=1');
    expect(listed.body.data[0]).toMatchObject({ id: record.id, name: 'ci' });
    expect(JSON.stringify(listed.body)).not.toContain('sk_');
    expect((await call('DELETE', `/v1/identity/keys/${record.id}`)).status).toBe(204);
    expect(await works(key)).toBe(false);
    expect((await call('DELETE', `/v1/identity/keys/${record.id}`)).status).toBe(404);
    expect((await call('POST', `/v1/identity/keys/${record.id}/roll`, { body: {} })).status).toBe(404);
    expect((await call('GET', '/v1/identity/keys')).body.data.map(({ id }: Json) => id)).not.toContain(record.id);
  });

  it('stop working when they expire', async () => {
    const expiry = Date.now() + 1_500;
    const { key, id } = (await issue({ name: 'k', scopes: ['read'], expires_at: new Date(expiry).toISOString() })).body;
    expect(await works(key)).toBe(true);
    while (Date.now() <= expiry) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await works(key)).toBe(false);
    expect((await call('POST', `/v1/identity/keys/${id}/roll`, { body: {} })).status).toBe(409);
  });

  it('are rolled, the old one living on for the overlap', async () => {
    const first = (await issue({ name: 'roll me', scopes: ['run'] })).body;
    const path = `/v1/identity/keys/${first.id}/roll`;
    const second = await call('POST', path, { body: { overlap_seconds: 60 } });
    expect(second.status).toBe(201);
    expect(second.body).toMatchObject({ name: 'roll me', scopes: ['run'], expires_at: null });
    const runs = (key: string): Promise<unknown> =>
      call('POST', '/v1/functions', { key, body: BODIES['POST /v1/functions'] }).then(({ status }) => status);
    expect([await runs(first.key), await runs(second.body.key)]).toEqual([201, 201]);
    const third = await call('POST', path, { body: { overlap_seconds: 0 } });
    expect([await runs(first.key), await runs(third.body.key)]).toEqual([401, 201]);
    expect((await call('POST', path, { body: {} })).status).toBe(409);
  });

  it.each([
    [{ scopes: ['read'] }, 'name'],
    [{ name: ' ', scopes: ['read'] }, 'name'],
    [{ name: 'x'.repeat(201), scopes: ['read'] }, 'name'],
    [{ name: 'k', scopes: [] }, 'scopes'],
    [{ name: 'k', scopes: ['root'] }, 'scopes[0]'],
    [{ name: 'k', scopes: ['read'], expires_at: 'tomorrow' }, 'expires_at'],
    [{ name: 'k', scopes: ['read'], expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
    [{ name: 'k', scopes: ['read'], expires_at: 5 }, 'expires_at'],
  ])('refuses %j', async (body, field) => {
    const answer = await issue(body);
    expect([answer.status, answer.body.error.field]).toEqual([400, field]);
  });

  it('of one account are out of reach for another', async () => {
    const { id } = (await issue({ name: 'mine', scopes: ['read'] })).body;
    const stranger = await makeKey('admin', 'strangers');
    expect((await call('GET', '/v1/identity/keys', { key: stranger })).body.total).toBe(1);
    expect((await call('DELETE', `/v1/identity/keys/${id}`, { key: stranger })).status).toBe(404);
    expect((await call('POST', `/v1/identity/keys/${id}/roll`, { key: stranger, body: {} })).status).toBe(404);
  });
});

describe('a request that is sent again', () => {
  const total = async (): Promise<number> => (await call('GET', '/v1/optimize')).body.total as number;
  const raw = async (key: string, body: object, idempotencyKey: string): Promise<Response> =>
    fetch(`${service.url}/v1/optimize`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify(body),
    });

  it('20 times at once makes one run, and gets the bytes of the first answer ever after', async () => {
    const before = await total();
    const body = { objective_function_id: await service.upload(SPHERE), bounds: [[-1, 1]], max_evaluations: 50 };
    const answers = await Promise.all(Array.from({ length: 20 }, () => raw(service.key, body, 'twenty')));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    const done = answers.flatMap((answer, i) => (answer.ok ? [texts[i]] : []));
    expect(new Set(done).size).toBe(1);
    for (const answer of answers.filter(({ ok }) => !ok)) {
      expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([409, true]);
    }
    expect(answers.filter((answer) => answer.ok && answer.headers.get('idempotent-replayed') === null)).toHaveLength(1);
    const again = await raw(service.key, body, 'twenty');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await again.text()).toBe(done[0]);
    expect(await total()).toBe(before + 1);
    const other = await raw(service.key, { ...body, max_evaluations: 51 }, 'twenty');
    expect([other.status, other.headers.get('retry-after')]).toEqual([409, null]);
    // Another account has keys of its own.
    const stranger = await raw(await makeKey('run', 'somebody'), body, 'twenty');
    expect(stranger.status).toBe(400);
  });

  it('keeps the place of a run that goes on', async () => {
    const body = { objective_function_id: await service.upload(SPHERE), bounds: [[-1, 1]], max_evaluations: 50 };
    const options = { body, headers: { 'idempotency-key': 'async', prefer: 'respond-async' } };
    const [first, second] = [await call('POST', '/v1/optimize', options), await call('POST', '/v1/optimize', options)];
    expect([first.status, second.status]).toEqual([201, 201]);
    for (const name of ['location', 'preference-applied']) {
      expect(second.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(second.body).toEqual(first.body);
  });

  it('gets the secret of a new key again', async () => {
    const options = { body: { name: 'k', scopes: ['read'] }, headers: { 'idempotency-key': 'key' } };
    const first = await call('POST', '/v1/identity/keys', options);
    expect((await call('POST', '/v1/identity/keys', options)).body).toEqual(first.body);
  });

  it('may be corrected after it was refused', async () => {
    const headers = { 'idempotency-key': 'corrected' };
    const body = { name: 'f', code: 'def f(', language: 'python' };
    expect((await call('POST', '/v1/functions', { body, headers })).status).toBe(400);
    expect((await call('POST', '/v1/functions', { body: { ...body, code: SPHERE }, headers })).status).toBe(201);
  });
});

describe('analytics', () => {
  const today = new Date().toISOString().slice(0, 10);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const METRICS = `/v1/analytics/metrics?start_date=${yesterday}&end_date=${today}`;

  it('counts the runs of an account, originals with what repeats and extends them, and never those of another', async () => {
    const key = await makeKey('admin', 'analysts');
    const own = (method: string, path: string, body?: object): ReturnType<typeof call> =>
      call(method, path, body === undefined ? { key } : { key, body });
    const empty = (await own('GET', '/v1/analytics/executions')).body;
    expect(empty).toMatchObject({ total: 0, by_optimization: [], by_optimization_total: 0 });
    expect(empty.time_series).toEqual([{ date: today, optimizations: 0, successful: 0, failed: 0 }]);
    expect((await own('GET', '/v1/analytics/performance')).body.execution_time).toEqual({
      average: 0,
      median: 0,
      p95: 0,
      p99: 0,
    });

    const made = await own('POST', '/v1/functions', { name: 'sphere', code: SPHERE, language: 'python' });
    const request = { objective_function_id: made.body.id, bounds: [[-1, 1]], max_evaluations: 60, mode: 'accurate' };
    const first = (await own('POST', '/v1/optimize', { ...request, black_box: true })).body;
    const extended = (await own('POST', `/v1/optimize/${first.id}/extend`, { max_evaluations: 90 })).body;
    const replayed = (await own('POST', `/v1/optimize/${extended.id}/replay`, { strategy: 'cma-es' })).body;
    const raising = { name: 'bad', code: 'def bad(x):\n    return 1 / (x[0] - x[0])\n', language: 'python' };
    const bad = (await own('POST', '/v1/functions', raising)).body.id;
    const failed = (await own('POST', '/v1/optimize', { ...request, objective_function_id: bad })).body;
    const runs: Json[] = [first, extended, replayed, failed];
    expect(runs.map(({ status }) => status as string)).toEqual(['completed', 'completed', 'completed', 'failed']);

    const { body: metrics } = await own('GET', METRICS);
    expect(metrics.period).toEqual({ start: `${yesterday}T00:00:00.000Z`, end: `${today}T23:59:59.999Z` });
    const evaluations = first.evaluations + (extended.evaluations - 60) + replayed.evaluations + failed.evaluations;
    expect(metrics.metrics).toMatchObject({
      total_optimizations: 4,
      successful_optimizations: 3,
      failed_optimizations: 1,
      total_evaluations: evaluations,
      cost: { total: 0, currency: 'USD' },
    });
    expect(metrics.trends.optimizations_per_day.reduce((a: number, b: number) => a + b)).toBe(4);

    const { body: executions } = await own('GET', '/v1/analytics/executions');
    expect(executions.by_status).toEqual({ pending: 0, running: 0, completed: 3, failed: 1 });
    expect(executions.by_optimization).toEqual([
      { optimization_id: failed.id, count: 1, success_rate: 0 },
      { optimization_id: first.id, count: 3, success_rate: 1 },
    ]);
    expect(executions.by_optimization_total).toBe(2);
    const one = (await own('GET', `/v1/analytics/executions?optimization_id=${replayed.id}`)).body;
    expect(one).toMatchObject({ total: 1, by_optimization: [{ optimization_id: first.id, count: 1 }] });
    const bads = (await own('GET', '/v1/analytics/executions?status=failed')).body;
    expect(bads).toMatchObject({ total: 1, by_status: { completed: 0, failed: 1 }, by_optimization_total: 1 });

    const { body: whole } = await own('GET', '/v1/analytics/performance');
    const seconds = [first, replayed].map((run: Json) => run.duration_seconds as number);
    seconds.push(extended.duration_seconds - first.duration_seconds);
    expect(whole.execution_time.average).toBeCloseTo(seconds.reduce((a, b) => a + b) / 3, 9);
    expect(whole.execution_time.median).toBeCloseTo(seconds.sort((a, b) => a - b)[1], 9);
    expect(whole.error_rate).toEqual({ percentage: 25, failed: 1, total: 4 });
    expect(whole.throughput.per_hour).toBeCloseTo(whole.throughput.per_second * 3_600, 6);
    const family = (await own('GET', `/v1/analytics/performance?optimization_id=${first.id}`)).body;
    expect(family.error_rate).toMatchObject({ failed: 0, total: 3 });

    const stranger = await makeKey('admin', 'other analysts');
    for (const path of ['executions', 'performance', 'metrics?start_date=2000-01-01&end_date=2001-01-01']) {
      const id = path.includes('?') ? `&optimization_id=${first.id}` : `?optimization_id=${first.id}`;
      const { body } = await call('GET', `/v1/analytics/${path}${id}`, { key: stranger });
      expect(body.total ?? body.metrics?.total_optimizations ?? body.error_rate.total).toBe(0);
    }
  });

  it.each([
    ['metrics', 'start_date'],
    ['metrics?start_date=2026-01-01', 'end_date'],
    ['metrics?start_date=2026-02-30&end_date=2026-03-01', 'start_date'],
    ['metrics?start_date=yesterday&end_date=2026-03-01', 'start_date'],
    ['metrics?start_date=2026-01-01&end_date=2026-13-01', 'end_date'],
    ['metrics?start_date=2026-01-02&end_date=2026-01-01', 'start_date'],
    ['metrics?start_date=2026-01-01&end_date=2026-06-01&granularity=hour', 'granularity'],
    ['metrics?start_date=2026-01-01&end_date=2026-06-01&granularity=year', 'granularity'],
    ['metrics?start_date=2026-01-01&end_date=2026-06-01&optimization_id=run_1', 'optimization_id'],
    ['executions?start_date=2026-01-01T25:00:00Z', 'start_date'],
    ['executions?end_date=1.1.2026', 'end_date'],
    ['executions?start_date=2026-01-02&end_date=2026-01-01', 'start_date'],
    ['executions?start_date=1970-01-01&end_date=2026-01-01', 'start_date'],
    ['executions?status=cancelled', 'status'],
    ['performance?optimization_id=7', 'optimization_id'],
    ['performance?start_date=2026-01-01', 'start_date'],
  ])('refuses %s, naming %s', async (path, field) => {
    const answer = await call('GET', `/v1/analytics/${path}`);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'invalid_request', field });
  });
});

describe('learning', () => {
  it('goes from run to run of an account, is looked at, pinned and forgotten, and never seen by another', async () => {
    const key = await makeKey('admin', 'learners');
    const own = (method: string, path: string, body?: object): ReturnType<typeof call> =>
      call(method, path, body === undefined ? { key } : { key, body });
    const nothing = { version: 0, runs: 0, problem_classes: [] };
    expect((await own('GET', '/v1/learning')).body).toEqual(nothing);
    expect((await own('DELETE', '/v1/learning')).status).toBe(404);
    const code = 'def f(x):\n    return sum((a - 0.3) ** 2 for a in x) + x[0] * x[1]\n';
    const uploaded = await own('POST', '/v1/functions', { name: 'f', code, language: 'python' });
    const request = {
      objective_function_id: uploaded.body.id as string,
      bounds: [
        [-2, 2],
        [-2, 2],
        [-1, 3],
      ],
      max_evaluations: 200,
      black_box: true,
      seed: 1,
    };
    const run = async (more = {}): Promise<Json> => (await own('POST', '/v1/optimize', { ...request, ...more })).body;
    const runs: Json[] = [];
    for (let k = 0; k < 6; k++) runs.push(await run({ seed: k }));
    expect(runs.map(({ learned }) => learned.version as number)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(runs.map(({ features_active }) => features_active.cross_problem_learning as boolean)).toEqual([
      false,
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(runs[0].learned.sha256).toBeNull();
    expect(new Set(runs.slice(1).map(({ learned }) => learned.sha256 as string)).size).toBe(5);
    const overview = (await own('GET', '/v1/learning')).body;
    expect(overview).toMatchObject({ version: 6, runs: 6 });
    expect(overview.problem_classes[0]).toMatchObject({ features: { kind: 'smooth' }, runs: 6 });
    const similar = await own('GET', `/v1/learning/similar/${runs[2].id}`);
    expect(similar.body.data.length).toBe(5);
    expect(similar.body.data.map(({ optimization_id }: Json) => optimization_id)).not.toContain(runs[2].id);

    const bits = ({ best_solution, best_fitness, evaluations, strategies, learned }: Json): object => {
      return { best_solution, best_fitness, evaluations, strategies, learned };
    };
    expect(bits(await run({ seed: 3, learned_version: 3 }))).toEqual(bits(runs[3]));
    expect(bits(await run({ seed: 0, learned_version: 0 }))).toEqual(bits(runs[0]));
    expect((await own('GET', '/v1/learning')).body.version).toBe(8);
    const replayed = await own('POST', `/v1/optimize/${runs[3].id}/replay`, { strategy: 'planner' });
    expect(bits(replayed.body)).toEqual(bits(runs[3]));
    expect((await own('POST', '/v1/optimize', { ...request, learned_version: 99 })).body.error.field).toBe(
      'learned_version',
    );
    const off = await run({ intelligence_config: { use_adaptive_intelligence: false } });
    expect(off.learned).toEqual({ version: 0, sha256: null });
    expect((await own('GET', '/v1/learning')).body.version).toBe(9);

    expect((await call('GET', '/v1/learning', { key: await makeKey('read', 'other learners') })).body).toEqual(nothing);
    const stranger = await makeKey('admin', 'other learners');
    expect((await call('GET', `/v1/learning/similar/${runs[0].id}`, { key: stranger })).status).toBe(404);
    expect((await call('DELETE', '/v1/learning', { key: stranger })).status).toBe(404);

    expect((await own('DELETE', '/v1/learning')).status).toBe(204);
    expect((await own('DELETE', '/v1/learning')).status).toBe(404);
    expect((await own('GET', '/v1/learning')).body).toEqual(nothing);
    expect((await own('POST', '/v1/optimize', { ...request, learned_version: 3 })).body.error.field).toBe(
      'learned_version',
    );
    expect((await run()).learned.version).toBe(0);
    expect((await own('GET', '/v1/learning')).body).toMatchObject({ version: 10, runs: 1 });
  });
});

describe('learning from runs of the same program', () => {
  const code = (data: string): string =>
    `import numpy as np\nY = np.array(${data})\ndef f(x):\n    k = np.arange(len(Y))\n    return np.sum((x[0] * k + x[1] + x[2] * k ** 2 - Y) ** 2) + (x[3] - Y[0]) ** 2\n`;

  it('begins where those ended, and says so', async () => {
    const key = await makeKey('admin', 'repeaters');
    const own = (method: string, path: string, body?: object): ReturnType<typeof call> =>
      call(method, path, body === undefined ? { key } : { key, body });
    const run = async (data: string, more: object = {}): Promise<Json> => {
      const { body } = await own('POST', '/v1/functions', { name: 'f', code: code(data), language: 'python' });
      const bounds = Array.from({ length: 4 }, () => [-50, 50]);
      const request = { objective_function_id: body.id as string, bounds, max_evaluations: 150, seed: 1, ...more };
      return (await own('POST', '/v1/optimize', request)).body;
    };
    const known = ({ strategies }: Json): number =>
      Number(/try (\d) solutions?/.exec(strategies[0].reason as string)?.[1] ?? 0);
    const first = await run('[1.0, 2.5, 4.0, 9.5]');
    expect(known(first)).toBe(0);
    const second = await run('[1.01, 2.4, 4.1, 9.4, 15.2]');
    expect(second.learned.version).toBe(1);
    expect(known(second)).toBe(1);
    expect(known(await run('[0, 1, 2]'))).toBe(2);
    expect(known(await run('[0, 1, 2]', { direction: 'maximize' }))).toBe(0);
    expect(known(await run('[0, 1, 2]', { learned_version: 0 }))).toBe(0);
    expect(known(await run('[0, 1, 2]', { intelligence_config: { use_adaptive_intelligence: false } }))).toBe(0);
    const pinned = await run('[1.01, 2.4, 4.1, 9.4, 15.2]', { learned_version: 1 });
    expect(pinned.best_solution).toEqual(second.best_solution);
    expect(pinned.evaluations).toBe(second.evaluations);

    const { problem_classes: classes } = (await own('GET', '/v1/learning')).body;
    expect(classes[0].features).toEqual({ kind: 'least squares', dimensions: { least: 4, most: 7 } });
    const similar = (await own('GET', `/v1/learning/similar/${second.id}`)).body.data;
    expect(similar.map(({ optimization_id }: Json) => optimization_id)).toContain(first.id);
  });
});

describe('federated learning', () => {
  const update = (BODIES['POST /v1/federated/updates'] ?? {}) as Json;
  const ownCalls = async (account: string): Promise<(method: string, path: string, body?: object) => Promise<Json>> => {
    const key = await makeKey('admin', account);
    return (method, path, body) => call(method, `/v1/federated/${path}`, body === undefined ? { key } : { key, body });
  };

  it('merges updates, names them, and makes the model again without them', async () => {
    const own = await ownCalls('federates');
    const model = async (): Promise<Json> => (await own('GET', 'model')).body;
    expect(await model()).toEqual({ version: 0, updates: 0, problem_classes: [], epsilon: { spent: 0, limit: 10 } });
    const first = await own('POST', 'updates', update);
    expect(first.status).toBe(201);
    expect(first.body).toEqual({ id: first.body.id, version: 1 });
    const before = await model();
    expect(before).toMatchObject({ version: 1, updates: 1 });
    const [only] = before.problem_classes;
    expect(only.name).toBe('steep, 2 to 7 dimensions');
    expect(only.strategies).toEqual([{ name: 'nobody leads', weight: only.strategies[0].weight, mean_gain: 0.1 }]);
    expect(only.strategies[0].weight).toBeLessThan(9);

    const again = await own('POST', 'updates', update);
    expect([again.status, again.body.error.code]).toEqual([409, 'conflict']);
    expect(again.body.error.message).toContain(first.body.id);
    const more = { ...update, statistics: [{ ...update.statistics[0], strategy: 'lq-cma-es', mean_gain: -0.5 }] };
    const second = await own('POST', 'updates', more);
    expect(second.body.version).toBe(2);
    expect((await own('GET', 'updates')).body).toMatchObject({
      total: 2,
      data: [{ id: second.body.id, epsilon: 1, statistics: 1 }, { id: first.body.id }],
    });
    const other = await ownCalls('federates apart');
    expect((await other('GET', 'updates')).body.data).toEqual([]);
    expect((await other('DELETE', `updates/${first.body.id}`)).status).toBe(404);

    expect((await own('DELETE', `updates/${second.body.id}`)).status).toBe(204);
    expect((await own('DELETE', `updates/${second.body.id}`)).status).toBe(404);
    expect(await model()).toEqual({ ...before, version: 3 });
    expect((await own('POST', 'updates', more)).status).toBe(201);
  });

  it.each<[string, object, number, string | undefined]>([
    ['of another format', { format: 'x' }, 400, 'format'],
    ['of another version', { base_version: 2 }, 409, undefined],
    ['without epsilon', { epsilon: undefined }, 400, 'epsilon'],
    ['with an epsilon of 0', { epsilon: 0 }, 400, 'epsilon'],
    ['with another clip', { clip: 5 }, 400, 'clip'],
    ['of no statistics', { statistics: null }, 400, 'statistics'],
    ['with more than that', { note: 'opt_1' }, 400, 'note'],
    ['with too many', { statistics: Array.from({ length: 300 }, () => update.statistics[0]) }, 400, 'statistics'],
    ['that says something twice', { statistics: [update.statistics[0], update.statistics[0]] }, 400, 'statistics[1]'],
  ])('refuses an update %s', async (_, change, status, field) => {
    const answer = await (await ownCalls('refuses'))('POST', 'updates', { ...update, ...change });
    expect(answer.status).toBe(status);
    expect(answer.body.error.field).toBe(field ?? 'base_version');
  });

  it.each<[object, string]>([
    [{ problem_class: 'my secret problem' }, 'problem_class'],
    [{ strategy: 'annealing' }, 'strategy'],
    [{ runs: -1 }, 'runs'],
    [{ runs: 0.5 }, 'runs'],
    [{ runs: 1e300 }, 'runs'],
    [{ mean_gain: 0.51 }, 'mean_gain'],
    [{ mean_gain: '0.1' }, 'mean_gain'],
    [{ optimization_id: 'opt_1' }, 'optimization_id'],
  ])('refuses a statistic with %j', async (change, field) => {
    const own = await ownCalls('refuses');
    const answer = await own('POST', 'updates', { ...update, statistics: [{ ...update.statistics[0], ...change }] });
    expect(answer.status).toBe(400);
    expect(answer.body.error.field).toBe(`statistics[0].${field}`);
    expect((await own('GET', 'model')).body.version).toBe(0);
  });

  it('refuses numbers that are none, and bodies that are larger than any update', async () => {
    const text = JSON.stringify(update);
    const infinite = await call('POST', '/v1/federated/updates', { body: text.replace('0.1}', '1e999}') });
    expect(infinite.status).toBe(400);
    const large = await call('POST', '/v1/federated/updates', { body: text.replace('{', `{${' '.repeat(131_072)}`) });
    expect(large.status).toBe(413);
    expect(large.body.error.message).toContain('131072 bytes');
  });

  it('spends epsilon on exports, once for each key of a request, and never more than the limit', async () => {
    const own = await ownCalls('exports');
    const key = await makeKey('admin', 'exports');
    const headers = { 'idempotency-key': 'export' };
    const first = await call('POST', '/v1/federated/export', { key, headers, body: { epsilon: 4 } });
    expect(first.status).toBe(200);
    expect([first.headers.get('x-epsilon-spent'), first.headers.get('x-epsilon-limit')]).toEqual(['4', '10']);
    const again = await call('POST', '/v1/federated/export', { key, headers, body: { epsilon: 4 } });
    expect(again.body).toEqual(first.body);
    expect(first.body).toMatchObject({ format: 'extremum-federated-update', base_version: 1, epsilon: 4, clip: 0.5 });
    expect((await own('POST', 'export', { epsilon: 5.9 })).status).toBe(200);
    const refused = await own('POST', 'export', { epsilon: 0.2 });
    expect(refused.status).toBe(409);
    expect(refused.body.error.message).toContain('9.9 of 10');
    expect((await own('GET', 'model')).body).toMatchObject({ version: 0, epsilon: { spent: 9.9, limit: 10 } });
    expect((await own('POST', 'export', { epsilon: 0.1 })).headers.get('x-epsilon-spent')).toBe('10');
    const back = await own('POST', 'updates', first.body);
    expect(back.status).toBe(409);
    expect(back.body.error.message).toContain('by this account');
    for (const epsilon of [0, -1, 1e9, '1', undefined]) {
      expect((await own('POST', 'export', { epsilon })).body.error.field).toBe('epsilon');
    }
  });
});

describe('studies', () => {
  it('answer as documented (more of them: studies.test.ts)', async () => {
    const made = await call('POST', '/v1/studies', { body: { bounds: [[0, 1]], strategy: 'cma-es' } });
    expect(made.status).toBe(201);
    const path = `/v1/studies/${made.body.id}`;
    const asked = await call('POST', `${path}/ask`, { body: { count: 2 } });
    expect(asked.status).toBe(200);
    const [{ id, solution }] = asked.body.candidates;
    const told = await call('POST', `${path}/tell`, { body: { results: [{ id, values: [2] }] } });
    expect(told.body).toEqual({ accepted: 1, evaluations: 1 });
    expect((await call('GET', `${path}/best`)).body).toEqual({ best_solution: solution, best_fitness: 2 });
    expect((await call('GET', path)).body).toMatchObject({ status: 'running', evaluations: 1, open: 1 });
    expect((await call('GET', `${path}/points`)).body.total).toBeGreaterThan(0);
    expect((await call('GET', '/v1/studies')).body.data[0].id).toBe(made.body.id);
    expect((await call('DELETE', path)).status).toBe(204);
  });
});

describe('domains', () => {
  it('are listed, and solve problems', async () => {
    expect((await call('GET', '/v1/domains')).status).toBe(200);
    expect((await call('GET', '/v1/domains/supply_chain')).status).toBe(200);
    const path = '/v1/domains/supply_chain/optimize';
    const body = { problem_type: 'inventory', config: EOQ, preset: 'research' };
    expect((await call('POST', path, { body })).status).toBe(200);
    expect((await call('POST', path, { body, headers: { prefer: 'respond-async' } })).status).toBe(201);
  });
});

describe('the description of domains', () => {
  it('has the schema of every config, and an example that fits it', async () => {
    const operation = (await call('GET', '/v1/openapi.json')).body.paths['/v1/domains/{domain}/optimize'].post;
    const { examples } = operation.requestBody.content['application/json'];
    const { data } = (await call('GET', '/v1/domains')).body;
    for (const { problem_type, models } of data.flatMap((domain: Json) => domain.problem_types)) {
      if (problem_type === 'auto') continue;
      for (const { model, config_schema, example } of models) {
        expect(operation['x-config-schemas'][problem_type][model ?? problem_type]).toEqual(config_schema);
        expect(examples[[problem_type, model].filter(Boolean).join('.')].value.config).toEqual(example);
      }
    }
  });
});

describe('conversations', () => {
  it('answer as documented (more of them: conversations.test.ts)', async () => {
    const path = '/v1/domains/conversational';
    const description = 'An inventory: 1,300 parts a year, an order costs $8, holding a part for a year 22.5 cents.';
    const { status, body } = await call('POST', `${path}/create`, { body: { description } });
    expect(status).toBe(201);
    const id = body.conversation_id as string;
    expect((await call('GET', `${path}/status/${id}`)).body).toEqual(body);
    const pasted = JSON.stringify(EOQ);
    const open = await call('POST', `${path}/create`, { body: { description: 'hello' } });
    const tooEarly = await call('POST', `${path}/complete/${open.body.conversation_id}`, { body: {} });
    expect([tooEarly.status, tooEarly.body.error.code]).toEqual([409, 'conflict']);
    const said = await call('POST', `${path}/continue/${id}`, { body: { response: pasted } });
    expect([said.status, said.body.status]).toEqual([200, 'ready_to_optimize']);
    const headers = { prefer: 'respond-async' };
    const solved = await call('POST', `${path}/complete/${id}`, { body: {}, headers });
    expect([solved.status, solved.body.conversation_id]).toEqual([201, id]);
    expect((await call('POST', `${path}/continue/${id}`, { body: { response: '15' } })).status).toBe(409);
    const other = await call('POST', `${path}/create`, { body: { description: 'An inventory' } });
    const otherId = other.body.conversation_id as string;
    expect((await call('POST', `${path}/continue/${otherId}`, { body: { response: pasted } })).status).toBe(200);
    expect((await call('POST', `${path}/complete/${otherId}`, { body: {} })).status).toBe(200);
  });
});

describe('the rest', () => {
  it('answers as documented', async () => {
    expect((await call('GET', '/v1/health')).status).toBe(200);
    expect((await call('GET', '/v1/openapi.json')).status).toBe(200);
  });

  it('leaves no documented status unseen', () => {
    const never = new Set(CONSTANT_ANSWERS.flatMap((name) => [`${name} 500`, `${name} 503`]));
    const documented = contract.operations.flatMap((operation) =>
      operation.statuses.map((status) => `${named(operation)} ${status}`),
    );
    expect(documented.filter((name) => !contract.seen.has(name) && !never.has(name))).toEqual([]);
  });
});
