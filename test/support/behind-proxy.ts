/** What must hold of a service whose clients know it by another address than its own: asked as they ask. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { expect } from 'vitest';
import { SPHERE, type Json } from './service.js';

export interface Front {
  /** As `PUBLIC_URL` has it. */
  readonly url: string;
  readonly key: string;
  /** Authority that it is trusted by; absent: plain HTTP. */
  readonly ca?: string;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly key?: string | null;
}

interface Told {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: Json;
}

function open(
  { ca, key: own }: Front,
  address: string,
  { method, headers, body, key = own }: Asked,
): Promise<IncomingMessage> {
  const send = address.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = send(
      address,
      {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        agent: false,
        ...(ca === undefined ? {} : { ca }),
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      resolve,
    );
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A request to an absolute address; redirects are not followed. */
export async function ask(front: Front, address: string, asked: Asked = {}): Promise<Told> {
  const answer = await open(front, address, asked);
  let text = '';
  for await (const piece of answer) text += String(piece);
  const isJson = /json/.test(answer.headers['content-type'] ?? '');
  return { status: answer.statusCode ?? 0, headers: answer.headers, text, body: isJson ? JSON.parse(text) : null };
}

/** All links lead to where they should, by the public address alone. */
export async function checkFront(front: Front): Promise<void> {
  const { url } = front;
  const { origin, pathname } = new URL(url);
  const prefix = pathname === '/' ? '' : pathname;
  const at = (target: string, asked?: Asked): Promise<Told> => ask(front, url + target, asked);
  const follow = (reference: string, from = url): Promise<Told> => ask(front, new URL(reference, from).href);

  // Pages, and what they load.
  const root = await at('/');
  expect([root.status, root.headers.location]).toEqual([302, `${prefix}/dashboard`]);
  for (const name of ['/dashboard', '/docs']) {
    const page = await at(name, { key: null });
    expect([name, page.status]).toEqual([name, 200]);
    const linked = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference = '']) => reference);
    expect(linked.length).toBeGreaterThan(2);
    for (const reference of linked) {
      expect([reference, (await follow(reference, url + name)).status]).toEqual([reference, 200]);
    }
    const slash = await at(`${name}/`);
    expect([slash.status, slash.headers.location]).toEqual([302, prefix + name]);
  }
  expect((await at('/docs/openapi.json', { key: null })).body.servers).toEqual([{ url: prefix || '/' }]);
  expect((await at('/v1/openapi.json', { key: null })).body.servers).toEqual([{ url }]);

  // The dashboard's session: for this path, from this origin.
  const entered = await at('/dashboard/session', { key: null, body: { key: front.key }, headers: { origin } });
  expect(entered.status).toBe(201);
  const [cookie = ''] = entered.headers['set-cookie'] ?? [];
  expect(cookie).toContain(`; Path=${prefix || '/'};`);
  expect(cookie.includes('Secure')).toBe(origin.startsWith('https:'));
  const own = { key: null, headers: { cookie: cookie.split(';')[0] ?? '', origin } };
  expect((await at('/v1/identity', own)).status).toBe(200);
  const elsewhere = { ...own, headers: { ...own.headers, origin: 'https://elsewhere.example' } };
  expect((await at('/v1/identity', elsewhere)).status).toBe(403);

  // `Location`, links of records, and an event stream that comes as it is made.
  const uploaded = await at('/v1/functions', { body: { name: 'sphere', language: 'python', code: SPHERE } });
  expect(uploaded.headers.location).toBe(`${prefix}/v1/functions/${uploaded.body.id}`);
  expect((await follow(uploaded.headers.location ?? '')).body.id).toBe(uploaded.body.id);
  const request = {
    objective_function_id: uploaded.body.id,
    bounds: [
      [-3, 4],
      [-1, 2],
    ],
    seed: 1,
  };
  const long = await at('/v1/optimize', {
    body: { ...request, mode: 'accurate', strategy: 'random-search', max_evaluations: 1_000_000_000 },
    headers: { prefer: 'respond-async' },
  });
  expect(long.status).toBe(201);
  expect(long.headers.location).toBe(`${prefix}/v1/optimize/${long.body.id}`);
  const events = await open(front, `${url}/v1/optimize/${long.body.id}/events`, {});
  expect(events.headers['content-type']).toContain('text/event-stream');
  let heard = '';
  for await (const piece of events) {
    heard += String(piece);
    // Heard while the run goes on, which only this ends.
    if (heard.includes('event: progress')) await at(`/v1/optimize/${long.body.id}/cancel`, { method: 'POST' });
  }
  expect(heard).toContain('optimization.cancelled');
  expect((await follow(long.headers.location ?? '')).body.termination_reason).toBe('cancelled');
  const drawn = await at('/v1/optimize', { body: { ...request, preset: 'enterprise', max_evaluations: 300 } });
  expect(drawn.body.visuals.length).toBeGreaterThan(0);
  for (const { url: link } of drawn.body.visuals) {
    expect(link.startsWith(`${prefix}/v1/`)).toBe(true);
    expect((await follow(link)).headers['content-type']).toContain('image/svg+xml');
  }

  // Agents, whose hosts are checked.
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const begun = await at('/mcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello },
    headers: { accept: 'application/json, text/event-stream' },
  });
  expect(begun.status).toBe(200);
  expect(begun.headers['mcp-session-id']).toBeDefined();
}
