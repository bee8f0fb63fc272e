/** Streams of the course of a run, over real connections: many, cut, and not read. */
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Idempotency } from '../../src/api/idempotency.js';
import { route } from '../../src/api/route.js';
import { createRouter } from '../../src/api/router.js';
import { noQuery } from '../../src/api/fields.js';
import { createIdSource } from '../../src/common/ids.js';
import { silentLogger } from '../../src/common/logger.js';
import { createSeal } from '../../src/identity/seal.js';
import { openMemoryStore } from '../../src/storage/memory/memory-store.js';
import { SPHERE, startTestService, type TestService } from '../support/service.js';

const CLIENTS = 100;

interface Listener {
  readonly response: IncomingMessage;
  /** Stored events that were heard: place and name. */
  readonly heard: [number, string][];
  readonly ended: Promise<void>;
}

describe('the stream of a run', () => {
  let service: TestService;
  beforeAll(async () => {
    const flags = ['--python', 'off', '--rate-limit-per-minute', '0', '--streams-per-key', String(CLIENTS)];
    service = await startTestService({ flags });
  });
  afterAll(() => service.cleanUp());

  const listen = (id: string, after?: number, key = service.key): Promise<Listener> =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(after === undefined ? {} : { 'last-event-id': String(after) }),
      };
      const sent = request(`${service.url}/v1/optimize/${id}/events`, { headers, agent: false }, (response) => {
        const heard: [number, string][] = [];
        let text = '';
        response.on('data', (piece: Buffer) => {
          text += String(piece);
          for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
            const found = /^id: (\d+)\nevent: (.*)\ndata: /.exec(text.slice(0, end));
            if (found !== null) heard.push([Number(found[1]), found[2] ?? '']);
            text = text.slice(end + 2);
          }
        });
        response.on('error', () => {});
        resolve({ response, heard, ended: new Promise((done) => response.once('close', done)) });
      });
      sent.on('error', reject);
      sent.end();
    });
  const patch = (id: string, n: number): Promise<unknown> =>
    service.call('PATCH', `/v1/optimize/${id}`, { body: { metadata: { n } } });
  async function longRun(): Promise<string> {
    const body = {
      objective_function_id: await service.upload(SPHERE),
      bounds: [[-1, 1]],
      max_evaluations: 1e9,
      mode: 'accurate',
    };
    const made = await service.call('POST', '/v1/optimize', { body, headers: { prefer: 'respond-async' } });
    return made.body.id as string;
  }

  it(`tells ${CLIENTS} clients the same, also those whose connections are cut and who come back`, async () => {
    const id = await longRun();
    const steady = await Promise.all(Array.from({ length: CLIENTS / 2 }, () => listen(id)));
    const cut = await Promise.all(Array.from({ length: CLIENTS / 2 }, () => listen(id)));
    for (let n = 0; n < 5; n++) await patch(id, n);
    // Cut wherever each is, some within an event.
    for (const { response } of cut) response.destroy();
    await Promise.all(cut.map(({ ended }) => ended));
    for (let n = 5; n < 10; n++) await patch(id, n);
    const back = await Promise.all(cut.map(({ heard }) => listen(id, heard.at(-1)?.[0] ?? 0)));
    await service.call('POST', `/v1/optimize/${id}/cancel`);
    await Promise.all([...steady, ...back].map(({ ended }) => ended));

    const [all] = steady.map(({ heard }) => heard);
    expect(all?.map(([place]) => place)).toEqual(all?.map((_, i) => i + 1));
    expect(all?.filter(([, name]) => name === 'context.updated')).toHaveLength(10);
    expect(all?.at(-1)?.[1]).toBe('cancelled');
    for (const { heard } of steady) expect(heard).toEqual(all);
    for (const [i, { heard }] of back.entries()) expect([...(cut[i]?.heard ?? []), ...heard]).toEqual(all);
    expect((await service.call('GET', '/v1/health')).status).toBe(200);
  });

  it('is refused to a key that has as many as it may, until one is closed', async () => {
    const id = await longRun();
    const open = await Promise.all(Array.from({ length: CLIENTS }, () => listen(id)));
    expect(open.every(({ response }) => response.statusCode === 200)).toBe(true);
    const path = `/v1/optimize/${id}/events`;
    const refused = await service.call('GET', path);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(refused.body).toEqual({
      error: { code: 'rate_limited', message: expect.stringContaining(`${CLIENTS} event streams`) as string },
      request_id: refused.headers.get('x-request-id'),
    });
    // What is no stream has no limit, nor has another key of the account.
    expect((await service.call('GET', `/v1/optimize/${id}`)).status).toBe(200);
    const made = await service.call('POST', '/v1/identity/keys', { body: { name: 'another', scopes: ['read'] } });
    const other = await listen(id, undefined, made.body.key as string);
    expect(other.response.statusCode).toBe(200);
    other.response.destroy();

    open[0]?.response.destroy();
    let next: Listener;
    do next = await listen(id);
    while (next.response.statusCode === 429);
    expect(next.response.statusCode).toBe(200);
    // Each that ends by itself leaves its place, too.
    await service.call('POST', `/v1/optimize/${id}/cancel`);
    await Promise.all([next, ...open].map(({ ended }) => ended));
    const again = await Promise.all(Array.from({ length: CLIENTS }, () => listen(id)));
    expect(again.every(({ response }) => response.statusCode === 200)).toBe(true);
    await Promise.all(again.map(({ ended }) => ended));
  });

  it('is cut when its key is revoked', async () => {
    const id = await longRun();
    const made = await service.call('POST', '/v1/identity/keys', { body: { name: 'short', scopes: ['read'] } });
    const [own, other] = await Promise.all([listen(id), listen(id, undefined, made.body.key as string)]);
    await service.call('DELETE', `/v1/identity/keys/${made.body.id}`);
    await other.ended;
    expect(other.response.complete).toBe(false);
    expect(own.response.destroyed).toBe(false);
    await service.call('POST', `/v1/optimize/${id}/cancel`);
    await own.ended;
    expect(own.response.complete).toBe(true);
  });
});

describe('a stream that nobody reads', () => {
  it('is produced no further than the connection takes', async () => {
    const PIECE = 'x'.repeat(64 * 1024);
    let produced = 0;
    let ended = false;
    async function* endless(signal: AbortSignal): AsyncGenerator<string> {
      try {
        while (!signal.aborted) {
          produced++;
          yield PIECE;
        }
      } finally {
        ended = true;
      }
    }
    const store = openMemoryStore();
    const parts = { store, leaseMs: 60_000, clock: Date.now, ids: createIdSource(), logger: silentLogger };
    const idempotency = new Idempotency({ ...parts, seal: createSeal(new Uint8Array(32), 'test') });
    const streaming = route({
      method: 'get',
      path: '/v1/endless',
      operationId: 'endless',
      summary: 'Never ends',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: { 200: { description: 'Pieces', mediaType: 'text/event-stream', schema: z.string() } },
      errors: [],
      handle: async () => ({ status: 200, stream: endless }),
    });
    const app = express();
    app.use((_req, res, next) => {
      res.locals['caller'] = { account: { id: 'acct_1' }, key: { scopes: ['read'] } };
      res.locals['identify'] = () => Promise.resolve(res.locals['caller']);
      next();
    });
    app.use(createRouter([streaming], 1000, idempotency, () => {}));
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;

    const response = await new Promise<IncomingMessage>((resolve) =>
      request({ port, host: '127.0.0.1', path: '/v1/endless', agent: false }, resolve).end(),
    );
    response.on('error', () => {});
    /** How many pieces were made once no more are. */
    const settled = async (): Promise<number> => {
      for (let before = -1; before !== produced;) {
        before = produced;
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
      return produced;
    };
    const full = await settled();
    // What fits into the buffers of two sockets, and one piece that waits.
    expect(full * PIECE.length).toBeLessThan(32 * 1024 ** 2);
    let read = 0;
    await new Promise<void>((resolve) => {
      response.on('data', (piece: Buffer) => {
        read += piece.length;
        if (read > 64 * 1024 ** 2) resolve();
      });
    });
    expect(produced).toBeGreaterThan(full);
    response.destroy();
    while (!ended) await new Promise((resolve) => setTimeout(resolve, 10));
    server.closeAllConnections();
    server.close();
    await store.close();
  });
});
