/**
 * A service behind a proxy of this test, and one with a certificate of its own. Caddy and nginx: proxies.slow.test.ts.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.js';
import { ask, checkFront } from '../support/behind-proxy.js';
import { createAuthority } from '../support/certificates.js';
import { startTestService } from '../support/service.js';

const folder = mkdtempSync(path.join(tmpdir(), 'extremum-public-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Hands requests on as `forward` says. */
async function startProxy(
  target: () => string,
  forward: (path: string) => string | null,
): Promise<{ url: string; server: Server }> {
  const server = createServer((req, res) => {
    const inner = forward(req.url ?? '/');
    if (inner === null) {
      res.writeHead(404).end('of another application');
      return;
    }
    const headers = { ...req.headers, 'x-forwarded-proto': 'http' };
    const sent = request(target() + inner, { method: req.method, headers, agent: false }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    sent.once('error', () => res.destroy());
    req.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe('behind a proxy', () => {
  it.each([
    ['hands the prefix on', (inner: string) => (inner.startsWith('/deep/optimizer') ? inner : null)],
    [
      'takes the prefix away',
      (inner: string) => (inner.startsWith('/deep/optimizer') ? inner.slice('/deep/optimizer'.length) || '/' : null),
    ],
  ])('that %s, all links work', async (_how, forward) => {
    let target = '';
    const proxy = await startProxy(() => target, forward);
    const url = `${proxy.url}/deep/optimizer`;
    const service = await startTestService({ flags: ['--public-url', `${url}/`, '--python', 'off'] });
    target = service.url;
    try {
      await checkFront({ url, key: service.key });
      expect(service.dashboardLink(service.key)).toMatch(new RegExp(`^${url}/dashboard#/enter/`));
    } finally {
      proxy.server.closeAllConnections();
      proxy.server.close();
      await service.cleanUp();
    }
  });

  it('failures count against the address that a trusted proxy names, and no other', async () => {
    const left = async (flags: string[], addresses: string[]): Promise<(string | null)[]> => {
      const service = await startTestService({ flags: [...flags, '--python', 'off'] });
      const found = [];
      for (const address of addresses) {
        const headers = { 'x-forwarded-for': address };
        const answer = await service.call('GET', '/v1/optimize', { key: null, headers });
        expect(answer.status).toBe(401);
        found.push(answer.headers.get('x-ratelimit-remaining'));
      }
      await service.cleanUp();
      return found;
    };
    const addresses = ['203.0.113.1', '203.0.113.2', '203.0.113.1'];
    expect(await left([], addresses)).toEqual(['59', '58', '57']);
    expect(await left(['--trust-proxy', '10.0.0.0/8'], addresses)).toEqual(['59', '58', '57']);
    expect(await left(['--trust-proxy', 'loopback'], addresses)).toEqual(['59', '59', '58']);
  });
});

describe('with a certificate of its own', () => {
  const authority = createAuthority();
  const write = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const issued = authority.issue({ names: ['127.0.0.1'] });
  const certificate = write('cert.pem', issued.cert);
  const key = write('key.pem', issued.key);

  it('serves HTTPS', async () => {
    const service = await startTestService({
      flags: ['--tls-certificate', certificate, '--tls-key', key, '--python', 'off'],
    });
    try {
      expect(service.url).toMatch(/^https:/);
      const front = { url: service.url, key: service.key, ca: authority.cert };
      expect((await ask(front, `${service.url}/readyz`)).status).toBe(200);
      const entered = await ask(front, `${service.url}/dashboard/session`, { body: { key: service.key } });
      expect(entered.headers['set-cookie']?.[0]).toContain('; Secure');
      await expect(ask({ ...front, ca: createAuthority('Other').cert }, `${service.url}/readyz`)).rejects.toThrow(
        /certificate/,
      );
    } finally {
      await service.cleanUp();
    }
  });

  it.each([
    [['--tls-certificate', certificate], 'TLS_CERTIFICATE and TLS_KEY belong together'],
    [['--tls-certificate', key, '--tls-key', key], '--tls-certificate is'],
    [['--tls-certificate', certificate, '--tls-key', certificate], '--tls-key is'],
    [
      [
        '--tls-certificate',
        certificate,
        '--tls-key',
        write('other.pem', authority.issue({ names: ['a.example'] }).key),
      ],
      'TLS_KEY is not the key of the first certificate',
    ],
    [['--public-url', 'https://example.org/a?b'], '--public-url is'],
    [['--public-url', 'example.org'], '--public-url is'],
    [['--trust-proxy', 'true'], '--trust-proxy is'],
    [['--trust-proxy', '10.0.0.0/33'], '--trust-proxy is'],
  ])('%j is refused', (flags, message) => {
    expect(() => parseConfig({}, flags)).toThrow(message);
  });
});
