/** The dashboard without a browser: what is served, under which policy, and who may do what with a session. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/common/dist-entry.js';
import { BOWL, startTestService, type TestService } from '../support/service.js';

const ASSETS = path.join(packageRoot(), 'dist', 'dashboard', 'assets');
const MOST_BYTES = 300_000;

interface Opened {
  readonly cookie: string;
  readonly setCookie: string;
  readonly csrf: string;
}

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ flags: ['--rate-limit-per-minute', '0'] });
});
afterAll(() => service.cleanUp());

async function logIn(body: object = { key: service.key }, headers: Record<string, string> = {}): Promise<Opened> {
  const answer = await service.call('POST', '/dashboard/session', { key: null, body, headers });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  const setCookie = answer.headers.get('set-cookie') ?? '';
  return { setCookie, cookie: setCookie.split(';')[0] ?? '', csrf: String(answer.body.csrf_token) };
}

/** As a browser asks that holds the cookie. */
const ask = (method: string, target: string, cookie: string, headers: Record<string, string> = {}, body?: object) =>
  service.call(method, target, { key: null, headers: { cookie, ...headers }, ...(body === undefined ? {} : { body }) });

describe('the page', () => {
  it('is where `/` leads, under a policy without exceptions', async () => {
    const root = await fetch(`${service.url}/`, { redirect: 'manual' });
    expect([root.status, root.headers.get('location')]).toEqual([302, '/dashboard']);
    const page = await fetch(`${service.url}/dashboard`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(page.headers.get('cache-control')).toBe('no-store');
    const text = await page.text();
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=|https?:\/\//);
    const linked = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
    expect(linked.length).toBeGreaterThan(2);
    for (const address of linked) {
      const asset = await fetch(service.url + address);
      expect([address, asset.status]).toEqual([address, 200]);
      expect(asset.headers.get('cache-control')).toContain('immutable');
      expect(asset.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('has the documented errors for what is not there, and gives nothing beyond its folder', async () => {
    for (const target of ['/dashboard/assets/none.js', '/dashboard/none', '/dashboard/assets/%2e%2e/index.html']) {
      const answer = await service.call('GET', target, { key: null });
      expect([target, answer.status, answer.body.error.code]).toEqual([target, 404, 'not_found']);
    }
    const wrong = await service.call('POST', '/dashboard', { key: null, body: {} });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('is small, and names no address of another origin that it could load from', () => {
    expect(existsSync(ASSETS)).toBe(true);
    const files = readdirSync(ASSETS).map((name) => readFileSync(path.join(ASSETS, name)));
    expect(files.reduce((sum, file) => sum + gzipSync(file).length, 0)).toBeLessThan(MOST_BYTES);
    const styles = readdirSync(ASSETS).filter((name) => name.endsWith('.css'));
    for (const name of styles) expect(readFileSync(path.join(ASSETS, name), 'utf8')).not.toMatch(/url\(|@import/);
  });
});

describe('a session', () => {
  it('holds a cookie that scripts cannot read and other sites do not send', async () => {
    const { setCookie } = await logIn();
    expect(setCookie).toMatch(/^extremum_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    const behindTls = await logIn(undefined, { 'x-forwarded-proto': 'https' });
    expect(behindTls.setCookie).toMatch(/; Secure$/);
  });

  it('calls the API with the scopes of its key', async () => {
    const { cookie, csrf } = await logIn();
    expect(await ask('GET', '/v1/identity', cookie)).toMatchObject({ status: 200, body: { name: 'default' } });
    const made = await ask(
      'POST',
      '/v1/identity/keys',
      cookie,
      { 'x-csrf-token': csrf },
      { name: 'r', scopes: ['read'] },
    );
    expect(made.status).toBe(201);
    const reader = await logIn({ key: made.body.key });
    const refused = await ask(
      'POST',
      '/v1/functions',
      reader.cookie,
      { 'x-csrf-token': reader.csrf },
      { name: 'f', code: BOWL, language: 'python' },
    );
    expect([refused.status, refused.body.error.message]).toEqual([403, 'The API key lacks the scope `run`.']);
  });

  it('tells who is in, and its token, to the page alone', async () => {
    const { cookie, csrf } = await logIn();
    const own = await ask('GET', '/dashboard/session', cookie, { 'sec-fetch-site': 'same-origin' });
    expect(own).toMatchObject({ status: 200, body: { csrf_token: csrf, identity: { name: 'default' } } });
    for (const site of ['cross-site', 'same-site']) {
      const other = await ask('GET', '/dashboard/session', cookie, { 'sec-fetch-site': site });
      expect([site, other.status, JSON.stringify(other.body).includes(csrf)]).toEqual([site, 403, false]);
    }
    expect((await ask('GET', '/dashboard/session', 'extremum_session=none')).status).toBe(401);
  });

  it('refuses whatever changes something without the token, and whatever comes from elsewhere', async () => {
    const { cookie, csrf } = await logIn();
    const other = await logIn();
    const body = { name: 'f', code: BOWL, language: 'python' };
    const before = (await ask('GET', '/v1/functions', cookie)).body.total as number;
    const hostile: Record<string, string>[] = [
      {},
      { 'x-csrf-token': '' },
      { 'x-csrf-token': other.csrf },
      { 'x-csrf-token': csrf.slice(1) },
      { 'x-csrf-token': csrf, 'sec-fetch-site': 'cross-site' },
      { 'x-csrf-token': csrf, 'sec-fetch-site': 'same-site' },
      { 'x-csrf-token': csrf, origin: 'https://evil.example' },
      { 'x-csrf-token': csrf, origin: 'null' },
      { 'x-csrf-token': csrf, origin: service.url.replace(/\d+$/, '1') },
    ];
    for (const headers of hostile) {
      const answer = await ask('POST', '/v1/functions', cookie, headers, body);
      expect([headers, answer.status, answer.body.error.code]).toEqual([headers, 403, 'forbidden']);
    }
    for (const method of ['PATCH', 'PUT', 'DELETE']) {
      const target = method === 'PUT' ? '/v1/configuration' : '/v1/optimize/opt_1';
      expect([method, (await ask(method, target, cookie)).status]).toEqual([method, 403]);
    }
    expect((await ask('GET', '/v1/functions', cookie, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await ask('GET', '/v1/functions', cookie)).body.total).toBe(before);
    const own = { 'x-csrf-token': csrf, origin: service.url, 'sec-fetch-site': 'same-origin' };
    expect((await ask('POST', '/v1/functions', cookie, own, body)).status).toBe(201);
  });

  it('is not begun by other sites, nor by forms, and guesses are counted', async () => {
    const begin = (headers: Record<string, string>, body: string) =>
      service.call('POST', '/dashboard/session', { key: null, headers, body });
    const key = JSON.stringify({ key: service.key });
    expect((await begin({ 'sec-fetch-site': 'cross-site' }, key)).status).toBe(403);
    expect((await begin({ origin: 'https://evil.example' }, key)).status).toBe(403);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      expect([type, (await begin({ 'content-type': type }, key)).status]).toEqual([type, 415]);
    }
    expect((await begin({}, '{"key": "sk_x", "token": "y"}')).body.error.field).toBe('key');
    expect((await begin({}, '{')).status).toBe(400);
    expect((await begin({}, JSON.stringify({ key: 'x'.repeat(9_000) }))).status).toBe(413);
    const wrong = await begin({}, '{"key": "sk_wrong"}');
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null]);
    expect(Number(wrong.headers.get('x-ratelimit-remaining'))).toBeLessThan(60);
  });

  it('ends for every tab and every copy of its cookie when somebody logs out', async () => {
    const { cookie, csrf } = await logIn();
    expect((await ask('DELETE', '/dashboard/session', cookie)).status).toBe(403);
    expect((await ask('GET', '/v1/identity', cookie)).status).toBe(200);
    const out = await ask('DELETE', '/dashboard/session', cookie, { 'x-csrf-token': csrf });
    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect((await ask('GET', '/v1/identity', cookie)).status).toBe(401);
    // The second tab logs out, too.
    expect((await ask('DELETE', '/dashboard/session', cookie, { 'x-csrf-token': csrf })).status).toBe(204);
  });

  it('ends with the revocation of its key, whoever holds the cookie', async () => {
    const made = await service.call('POST', '/v1/identity/keys', { body: { name: 'stolen', scopes: ['admin'] } });
    const { cookie, csrf } = await logIn({ key: made.body.key });
    expect((await ask('GET', '/v1/optimize', cookie)).status).toBe(200);
    expect((await service.call('DELETE', `/v1/identity/keys/${made.body.id}`)).status).toBe(204);
    expect((await ask('GET', '/v1/optimize', cookie)).status).toBe(401);
    expect((await ask('POST', '/v1/optimize', cookie, { 'x-csrf-token': csrf }, {})).status).toBe(401);
    expect((await ask('GET', '/dashboard/session', cookie)).status).toBe(401);
  });

  it('takes no part where a key is sent, be it wrong', async () => {
    const { cookie } = await logIn();
    expect((await ask('GET', '/v1/identity', cookie, { authorization: 'Bearer sk_wrong' })).status).toBe(401);
  });

  it('opens once with the link that a start prints', async () => {
    const [, token] = /^http:\/\/127\.0\.0\.1:\d+\/dashboard#\/enter\/([A-Za-z0-9_-]{43})$/.exec(
      service.dashboardLink(service.key),
    )!;
    const { cookie } = await logIn({ token });
    expect((await ask('GET', '/v1/identity', cookie)).status).toBe(200);
    const again = await service.call('POST', '/dashboard/session', { key: null, body: { token } });
    expect([again.status, again.body.error.message]).toEqual([401, expect.stringContaining('used before')]);
  });
});
