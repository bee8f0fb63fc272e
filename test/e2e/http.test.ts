/** What every path has in common: keys, limits, methods, bodies, errors. */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../src/cli/keys.js';
import { parseConfig } from '../../src/config.js';
import { generateKey } from '../../src/identity/key-format.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

const ERROR_KEYS = ['code', 'message', 'field'];

function expectError(answer: Answer, status: number, code: string, field?: string): void {
  expect(answer.body).toEqual({
    error: { code, message: expect.any(String) as string, ...(field === undefined ? {} : { field }) },
    request_id: answer.headers.get('x-request-id'),
  });
  expect(Object.keys(answer.body.error).every((name) => ERROR_KEYS.includes(name))).toBe(true);
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
}

describe('the HTTP side', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ flags: ['--python', 'off', '--max-body-bytes', '100000'] });
  });
  afterAll(async () => service.cleanUp());

  const upload = { name: 'f', code: 'def f(x):\n    return x[0]\n', language: 'python' };

  it('is alive and ready without a key, without limits', async () => {
    for (const path of ['/livez', '/readyz']) {
      const answer = await service.call('GET', path, { key: null });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
    }
    expect((await service.call('POST', '/livez', { key: null })).status).toBe(405);
  });

  it.each([
    ['no key', null],
    ['no key of ours', 'hello'],
    ['a wrong checksum', `${generateKey().slice(0, -6)}000000`],
    ['a key nobody issued', generateKey()],
  ])('answers 401 to %s', async (_what, key) => {
    const answer = await service.call('GET', '/v1/optimize', { key });
    expectError(answer, 401, 'unauthorized');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.headers.get('x-ratelimit-limit')).toBe('60');
  });

  it('answers 401 to other schemes, and takes the scheme in any case', async () => {
    const get = (authorization: string): Promise<Answer> =>
      service.call('GET', '/v1/identity', { key: null, headers: { authorization } });
    expectError(await get(`Basic ${service.key}`), 401, 'unauthorized');
    expectError(await get('Bearer'), 401, 'unauthorized');
    expect((await get(`bearer ${service.key}`)).status).toBe(200);
  });

  it('says 404 for unknown paths, and asks for a key first', async () => {
    expectError(await service.call('GET', '/v1/nothing'), 404, 'not_found');
    expectError(await service.call('GET', '/v1/nothing'), 404, 'not_found');
    expectError(await service.call('GET', '/v1/nothing', { key: null }), 401, 'unauthorized');
    expectError(await service.call('GET', '/nothing', { key: null }), 404, 'not_found');
    expectError(await service.call('GET', '/V1/optimize', { key: null }), 404, 'not_found');
  });

  it('says 405 with Allow for other methods, and answers OPTIONS and HEAD', async () => {
    const wrong = await service.call('PUT', '/v1/optimize', { body: {} });
    expectError(wrong, 405, 'method_not_allowed');
    expect(wrong.headers.get('allow')).toBe('POST, GET, DELETE, HEAD, OPTIONS');
    const options = await service.call('OPTIONS', '/v1/functions/func_1', { key: null });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, DELETE, HEAD, OPTIONS']);
    const head = await service.call('HEAD', '/v1/optimize');
    expect([head.status, head.body]).toEqual([200, null]);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
    expectError(await service.call('PUT', '/v1/functions', { body: {} }), 405, 'method_not_allowed');
  });

  it.each([
    ['malformed JSON', '{"name": ', {}, 400, 'invalid_request'],
    ['an empty JSON body', '', {}, 400, 'invalid_request'],
    ['a bare number', '5', {}, 400, 'invalid_request'],
    ['an array', '[]', {}, 400, 'invalid_request'],
    ['another type', JSON.stringify(upload), { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['a form', 'name=f', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
    ['an unknown encoding', JSON.stringify(upload), { 'content-encoding': 'zip' }, 415, 'unsupported_media_type'],
    [
      'another charset',
      JSON.stringify(upload),
      { 'content-type': 'application/json; charset=latin1' },
      415,
      'unsupported_media_type',
    ],
    [
      'UTF-16',
      Buffer.from(JSON.stringify(upload), 'utf16le'),
      { 'content-type': 'application/json; charset=utf-16' },
      415,
      'unsupported_media_type',
    ],
    ['a large body', JSON.stringify({ ...upload, code: ' '.repeat(100_000) }), {}, 413, 'payload_too_large'],
    ['what is no gzip', JSON.stringify(upload), { 'content-encoding': 'gzip' }, 400, 'invalid_request'],
  ])('refuses %s', async (_what, body, headers, status, code) => {
    expectError(await service.call('POST', '/v1/functions', { body, headers }), status, code);
  });

  it('refuses bytes that are not UTF-8, wherever it takes a body', async () => {
    const { body: description } = await service.call('GET', '/v1/openapi.json');
    const paths = Object.entries(description.paths as Record<string, object>);
    const taking = paths.flatMap(([path, item]) =>
      ['post', 'put', 'patch'].filter((method) => method in item).map((method) => [method, path] as const),
    );
    expect(taking.length).toBeGreaterThan(20);
    // A byte that never occurs, a character cut short, one written too long, half a surrogate pair.
    const wrong = [[0xff], [0xe2, 0x82], [0xc0, 0xaf], [0xed, 0xa0, 0x80]];
    for (const [index, [method, path]] of taking.entries()) {
      const inText = Buffer.from(wrong[index % wrong.length] ?? []);
      const body = Buffer.concat([Buffer.from('{"name":"'), inText, Buffer.from('"}')]);
      const answer = await service.call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x_1'), { body });
      expectError(answer, 400, 'invalid_request');
      expect(answer.body.error.message, `${method} ${path}`).toBe('The body is not valid UTF-8.');
    }
    const good = await service.call('POST', '/v1/functions', { body: { ...upload, name: 'Größe \u{1f600}' } });
    expect(good.body).toMatchObject({ name: 'Größe \u{1f600}' });
  });

  it('counts a body uncompressed', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
    expectError(await service.call('POST', '/v1/functions', { body: bomb, headers }), 413, 'payload_too_large');
    const good = await service.call('POST', '/v1/functions', { body: gzipSync(JSON.stringify(upload)), headers });
    expect(good.status).toBe(201);
  });

  it('survives deep nesting and keys that mean something to JavaScript', async () => {
    const deep = '['.repeat(45_000) + ']'.repeat(45_000);
    const body = `{"objective_function_id":"func_1","bounds":[[0,1]],"metadata":{"a":${deep}}}`;
    expectError(await service.call('POST', '/v1/optimize', { body }), 400, 'invalid_request', 'metadata');
    expectError(await service.call('POST', '/v1/functions', { body: deep }), 400, 'invalid_request');
    // Counted before anything is parsed.
    const many = `{${'"":'.repeat(20_001)}1}`;
    const refused = await service.call('POST', '/v1/functions', { body: many });
    expectError(refused, 400, 'invalid_request');
    expect(refused.body).toMatchObject({ error: { message: expect.stringContaining('too many fields') as string } });
    const proto = '{"__proto__": {"name": "f"}, "code": "def f(x): return 1", "language": "python", "name": "f"}';
    expectError(await service.call('POST', '/v1/functions', { body: proto }), 400, 'invalid_request', '__proto__');
  });

  it('refuses long arrays wherever one is taken, at once', async () => {
    const many = (element: string): string => `[${Array(40_000).fill(element).join()}]`;
    const id = 'func_1';
    for (const [path, body, field] of [
      ['/v1/optimize', `{"objective_function_id":"${id}","bounds":${many('0')}}`, 'bounds'],
      [
        '/v1/optimize',
        `{"objective_function_id":"${id}","bounds":[[0,1]],"initial_solution":${many('0')}}`,
        'initial_solution',
      ],
      ['/v1/functions/func_1/evaluate', `{"points":${many('0')}}`, 'points'],
      ['/v1/batch', `{"requests":${many('0')}}`, 'requests'],
      ['/v1/identity/keys', `{"name":"k","scopes":${many('0')}}`, 'scopes'],
    ] as const) {
      expectError(await service.call('POST', path, { body }), 400, 'invalid_request', field);
    }
    // More than the service parses at all.
    const body = `{"points":[${'[],'.repeat(33_000)}[]]}`;
    expect((await service.call('POST', '/v1/functions/func_1/evaluate', { body })).status).toBe(400);
  });

  it('refuses a small bomb that unpacks into arrays without end', async () => {
    const headers = { 'content-encoding': 'gzip' };
    for (const text of ['['.repeat(90_000), `{"a":${'[0,'.repeat(30_000)}`, `${'{"a":'.repeat(15_000)}`]) {
      const answer = await service.call('POST', '/v1/functions', { body: gzipSync(text), headers });
      expectError(answer, 400, 'invalid_request');
    }
    const twice = gzipSync(gzipSync(Buffer.alloc(50_000_000, '[')));
    expectError(await service.call('POST', '/v1/functions', { body: twice, headers }), 400, 'invalid_request');
    const other = await service.call('POST', '/v1/functions', {
      body: gzipSync('{}'),
      headers: { 'content-encoding': 'br' },
    });
    expect([400, 415]).toContain(other.status);
  });

  it('refuses unknown fields and query parameters by name', async () => {
    const body = { ...upload, extra: 1 };
    expectError(await service.call('POST', '/v1/functions', { body }), 400, 'invalid_request', 'extra');
    expectError(await service.call('GET', '/v1/functions?page=2'), 400, 'invalid_request', 'page');
    expectError(await service.call('GET', '/v1/optimize?limit=0'), 400, 'invalid_request', 'limit');
    expectError(await service.call('GET', '/v1/optimize?limit=1&limit=2'), 400, 'invalid_request', 'limit');
  });

  it('answers malformed percent-encoding, NUL and odd identifiers in the shape', async () => {
    expectError(await service.call('GET', '/v1/functions/%zz'), 400, 'invalid_request');
    for (const id of ['%00', 'func_1%27--', '..%2f..', 'x'.repeat(5000), '%F0%9F%98%80']) {
      expectError(await service.call('GET', `/v1/functions/${id}`), 404, 'not_found');
    }
  });

  /** What comes back for these bytes, until the connection ends. */
  const raw = (text: string): Promise<string> => {
    const { port } = new URL(service.url);
    return new Promise((resolve) => {
      let answer = '';
      const socket = connect(Number(port), '127.0.0.1', () => socket.end(text));
      socket.on('data', (chunk) => (answer += String(chunk)));
      socket.on('close', () => resolve(answer));
    });
  };

  it('answers in the shape to what is no HTTP', async () => {
    const answer = await raw('HELLO\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ error: { code: 'invalid_request' } });
  });

  it.each([
    ['has no Host', 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n', /no `Host` header/],
    [
      'expects what nobody knows',
      'GET /livez HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nConnection: close\r\n\r\n',
      /`Expect` must be/,
    ],
  ])('answers in the shape to a request that %s', async (_what, text, message) => {
    const answer = await raw(text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toMatchObject({
      error: { code: 'invalid_request', message: expect.stringMatching(message) as string },
      request_id: expect.any(String) as string,
    });
  });

  it('takes a harmless request id and replaces any other', async () => {
    const asked = await service.call('GET', '/v1/nothing', { headers: { 'x-request-id': 'my-id_1' } });
    expect(asked.headers.get('x-request-id')).toBe('my-id_1');
    expect(asked.body.request_id).toBe('my-id_1');
    const odd = await service.call('GET', '/livez', { headers: { 'x-request-id': 'a b' } });
    expect(odd.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{24}$/);
  });

  it('sends integer rate headers that fit together', async () => {
    const before = Math.floor(Date.now() / 1000);
    const first = await service.call('GET', '/v1/identity');
    const second = await service.call('GET', '/v1/nothing');
    const numbers = [first, second].map(({ headers }) =>
      ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`)),
    );
    for (const value of numbers.flat()) expect(value).toMatch(/^\d+$/);
    const [[limit, left, reset], [, leftThen]] = numbers.map((row) => row.map(Number)) as [number[], number[]];
    expect(limit).toBe(600);
    expect(leftThen).toBe((left ?? 0) - 1);
    expect(reset).toBeGreaterThanOrEqual(before);
    expect(reset).toBeLessThanOrEqual(before + 61);
  });

  it('shows the caller who it is', async () => {
    const { body } = await service.call('GET', '/v1/identity');
    expect(body).toEqual({
      account_id: expect.stringMatching(/^acct_\d+$/) as string,
      name: 'default',
      key: {
        id: expect.stringMatching(/^key_\d+$/) as string,
        name: 'first key',
        scopes: ['read', 'run', 'admin'],
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        expires_at: null,
        last_used_at: expect.anything() as string,
      },
    });
  });

  it('holds keys to their scopes and accounts apart, for keys made while it runs', async () => {
    const make = (account: string, scopes: string): Promise<string> =>
      createKey(['--account', account, '--scopes', scopes, '--data-dir', service.dataDir], parseConfig);
    const reader = await make('default', 'read');
    const stranger = await make('strangers', 'read,run');
    const id = await service.upload(upload.code);
    expect((await service.call('GET', `/v1/functions/${id}`, { key: reader })).status).toBe(200);
    expectError(await service.call('POST', '/v1/functions', { key: reader, body: upload }), 403, 'forbidden');
    expectError(await service.call('DELETE', `/v1/functions/${id}`, { key: reader }), 403, 'forbidden');
    expectError(await service.call('GET', `/v1/functions/${id}`, { key: stranger }), 404, 'not_found');
    expectError(await service.call('DELETE', `/v1/functions/${id}`, { key: stranger }), 404, 'not_found');
    const body = { objective_function_id: id, bounds: [[0, 1]] };
    const run = await service.call('POST', '/v1/optimize', { key: stranger, body });
    expectError(run, 400, 'invalid_request', 'objective_function_id');
    expect((await service.call('GET', '/v1/functions', { key: stranger })).body.total).toBe(0);
  });

  it('describes itself', async () => {
    const { body, status } = await service.call('GET', '/v1/openapi.json');
    expect(status).toBe(200);
    expect(body.openapi).toBe('3.1.0');
    expect(Object.keys(body.paths).sort()).toEqual([
      '/v1/analytics/executions',
      '/v1/analytics/metrics',
      '/v1/analytics/performance',
      '/v1/batch',
      '/v1/batch/{id}',
      '/v1/batch/{id}/cancel',
      '/v1/configuration',
      '/v1/configuration/presets',
      '/v1/domains',
      '/v1/domains/conversational/complete/{conversation_id}',
      '/v1/domains/conversational/continue/{conversation_id}',
      '/v1/domains/conversational/create',
      '/v1/domains/conversational/status/{conversation_id}',
      '/v1/domains/{domain}',
      '/v1/domains/{domain}/optimize',
      '/v1/federated/export',
      '/v1/federated/model',
      '/v1/federated/updates',
      '/v1/federated/updates/{id}',
      '/v1/functions',
      '/v1/functions/{id}',
      '/v1/functions/{id}/evaluate',
      '/v1/health',
      '/v1/identity',
      '/v1/identity/keys',
      '/v1/identity/keys/{id}',
      '/v1/identity/keys/{id}/roll',
      '/v1/learning',
      '/v1/learning/similar/{optimization_id}',
      '/v1/openapi.json',
      '/v1/optimize',
      '/v1/optimize/{id}',
      '/v1/optimize/{id}/cancel',
      '/v1/optimize/{id}/events',
      '/v1/optimize/{id}/explanation',
      '/v1/optimize/{id}/extend',
      '/v1/optimize/{id}/history',
      '/v1/optimize/{id}/monitoring',
      '/v1/optimize/{id}/replay',
      '/v1/optimize/{id}/visuals/{kind}',
      '/v1/studies',
      '/v1/studies/{id}',
      '/v1/studies/{id}/ask',
      '/v1/studies/{id}/best',
      '/v1/studies/{id}/points',
      '/v1/studies/{id}/tell',
      '/v1/webhooks',
      '/v1/webhooks/deliveries',
      '/v1/webhooks/deliveries/redeliver-failed',
      '/v1/webhooks/deliveries/{id}/redeliver',
      '/v1/webhooks/{id}',
      '/v1/webhooks/{id}/deliveries',
      '/v1/webhooks/{id}/redeliver-failed',
      '/v1/webhooks/{id}/rotate-secret',
      '/v1/webhooks/{id}/test',
    ]);
    const schema = body.paths['/v1/optimize'].post.requestBody.content['application/json'].schema;
    // A domain problem has neither a function nor bounds.
    expect(schema.required).toBeUndefined();
    expect(schema.properties.objective_function_id).toMatchObject({ type: 'string' });
    expect(schema.properties.config.anyOf).toMatchObject([{ type: 'object' }, { type: 'null' }]);
    expect(schema.properties.bounds.anyOf).toMatchObject([{ type: 'array', maxItems: 10_000 }, { type: 'null' }]);
    expect(schema.unevaluatedProperties).toBe(false);
    const referred = [...JSON.stringify(body).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name,
    );
    expect(referred.length).toBeGreaterThan(0);
    for (const name of referred) expect(body.components.schemas).toHaveProperty(name ?? '');
    expect(JSON.stringify(body)).not.toContain('$defs');
  });

  it('shows its documentation without a key, a limit or anything from elsewhere', async () => {
    const get = (path: string): Promise<Response> => fetch(service.url + path);
    const page = await get('/docs');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
    expect(page.headers.get('x-ratelimit-limit')).toBeNull();
    const html = await page.text();
    expect(html).not.toMatch(/https?:|<script>/);
    const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
    expect(parts).toHaveLength(4);
    const types = [];
    for (const path of parts) {
      const answer = await fetch(new URL(path, page.url));
      expect([path, answer.status]).toEqual([path, 200]);
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(50);
      types.push(answer.headers.get('content-type')?.split(';')[0]);
    }
    expect(types).toEqual(['image/png', 'text/css', 'text/javascript', 'text/javascript']);
    expect(await (await get('/docs/start.js')).text()).toContain("url: new URL('docs/openapi.json', location.href)");
    const { body } = await service.call('GET', '/v1/openapi.json');
    expect(await (await get('/docs/openapi.json')).json()).toEqual(body);
    const open = await service.call('GET', '/v1/openapi.json', { key: null });
    expect([open.status, open.body]).toEqual([200, body]);
    const wrong = await service.call('GET', '/v1/openapi.json', { key: 'no key of ours' });
    expect([wrong.status, wrong.body]).toEqual([200, body]);
    // Counted like a failure, so that nobody asks for it without end.
    expect(wrong.headers.get('x-ratelimit-limit')).toBe('60');
    expect(Number(wrong.headers.get('x-ratelimit-remaining'))).toBeLessThan(
      Number(open.headers.get('x-ratelimit-remaining')),
    );
    expect(body.paths['/v1/openapi.json'].get.security).toEqual([]);
    expect((await service.call('HEAD', '/v1/openapi.json', { key: null })).status).toBe(200);
    expect((await service.call('GET', '/v1/openapi.json/', { key: null })).status).not.toBe(200);
    expectError(await service.call('POST', '/docs', { key: null, body: {} }), 405, 'method_not_allowed');
    expectError(await service.call('GET', '/docs/package.json', { key: null }), 404, 'not_found');
  });

  it('reports its health', async () => {
    const { body } = await service.call('GET', '/v1/health');
    expect(body).toMatchObject({
      // No Python here, by the flags of this test.
      status: 'degraded',
      version: expect.any(String) as string,
      store: { kind: 'sqlite', latency_seconds: expect.any(Number) as number },
      scheduler: { kind: 'agenda', queued: 0, running: 0 },
      workers: { total: 2, busy: 0 },
    });
    const interpreter = body.backends.find(({ name }: { name: string }) => name === 'interpreter');
    expect(interpreter).toMatchObject({ available: true });
    expect(body.backends).toContainEqual({ name: 'cpython', available: false, reason: expect.any(String) as string });
  });
});

describe('limits', () => {
  it('answers 429 in the shape beyond the allowance of a key', async () => {
    const service = await startTestService({ flags: ['--rate-limit-per-minute', '3', '--python', 'off'] });
    try {
      for (let i = 0; i < 3; i++) expect((await service.call('GET', '/v1/identity')).status).toBe(200);
      const refused = await service.call('GET', '/v1/identity');
      expectError(refused, 429, 'rate_limited');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
      expect((await service.call('GET', '/livez', { key: null })).status).toBe(200);
      // Another key of the same account has its own allowance.
      const other = await createKey(
        ['--account', 'default', '--scopes', 'read', '--data-dir', service.dataDir],
        parseConfig,
      );
      expect((await service.call('GET', '/v1/identity', { key: other })).status).toBe(200);
    } finally {
      await service.cleanUp();
    }
  });

  it('limits failures by address, and still lets keys in from there', async () => {
    const service = await startTestService({ flags: ['--rate-limit-per-minute', '0', '--python', 'off'] });
    try {
      const statuses = [];
      for (let i = 0; i < 58; i++) statuses.push((await service.call('GET', '/v1/identity', { key: 'x' })).status);
      for (const key of [null, 'x', null, 'x']) {
        statuses.push((await service.call('GET', '/v1/openapi.json', { key })).status);
      }
      expect(statuses).toEqual([...Array<number>(58).fill(401), 200, 200, 429, 429]);
      const allowed = await service.call('GET', '/v1/identity');
      expect([allowed.status, allowed.headers.get('x-ratelimit-limit')]).toEqual([200, null]);
    } finally {
      await service.cleanUp();
    }
  });

  it('lets the listed origins call from browsers', async () => {
    const service = await startTestService({ flags: ['--cors-origins', 'https://a.example', '--python', 'off'] });
    try {
      const ask = (origin: string): Promise<Answer> =>
        service.call('OPTIONS', '/v1/optimize', { key: null, headers: { origin } });
      expect((await ask('https://a.example')).headers.get('access-control-allow-origin')).toBe('https://a.example');
      expect((await ask('https://b.example')).headers.get('access-control-allow-origin')).toBeNull();
    } finally {
      await service.cleanUp();
    }
  });
});
