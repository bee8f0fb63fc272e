import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import express from 'express';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ExtremumError } from '../common/errors.js';
import { silentLogger } from '../common/logger.js';
import type { Idempotency } from './idempotency.js';
import { route } from './route.js';
import { createRouter, errorHandler, nearestPath } from './router.js';
import { noQuery } from './fields.js';

it.each(['download', 'stream'] as const)('a %s whose client left before it began is ended', async (kind) => {
  let ended: (pieces: number) => void = () => {};
  const end = new Promise<number>((resolve) => (ended = resolve));
  async function* forever(): AsyncGenerator<never> {
    let pieces = 0;
    try {
      // As long as somebody reads.
      for (; ; pieces++) yield (kind === 'stream' ? ' '.repeat(65_536) : new Uint8Array(65_536)) as never;
    } finally {
      ended(pieces);
    }
  }
  let left: Promise<unknown> = Promise.resolve();
  const slow = route({
    method: 'get',
    path: '/slow',
    operationId: 'slow',
    summary: '',
    scope: 'read',
    query: noQuery,
    body: null,
    answers: { 200: { description: '', mediaType: 'text/csv', schema: z.string() } },
    errors: [],
    async handle() {
      await left;
      const file = { mediaType: 'text/csv', name: 'a.csv', bytes: forever };
      return kind === 'stream' ? { status: 200, stream: forever } : { status: 200, download: file };
    },
  });
  const app = express();
  app.use((_req, res, next) => {
    res.locals['caller'] = { account: { id: 'acct_1' }, key: { scopes: ['read'] } };
    res.locals['identify'] = () => Promise.resolve(res.locals['caller']);
    left = once(res, 'close');
    client.destroy();
    next();
  });
  app.use(createRouter([slow], 1_000, {} as Idempotency, () => {}));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
  try {
    expect(await end).toBeLessThan(2);
  } finally {
    server.close();
  }
});

it('refusals leave one short line in the log, failures their stack, status and causes', async () => {
  const warn = vi.fn();
  const error = vi.fn();
  const full = Object.assign(new RangeError('no space left'), { code: 'ENOSPC' });
  const lost = new ExtremumError('store_unavailable', 'disk full', { retryable: true, cause: full });
  const defect = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
  const app = express();
  app.get('/refused', () => {
    throw new ExtremumError('unavailable', 'Too many wait; try again.', { retryable: true, cause: lost });
  });
  app.get('/lost', () => {
    throw lost;
  });
  app.get('/defect', () => {
    throw defect;
  });
  app.get('/wrong', () => {
    throw new ExtremumError('invalid_request', 'Not so.');
  });
  app.use(errorHandler(1_000, { ...silentLogger, warn, error }));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const statuses: number[] = [];
    for (const path of ['refused', 'lost', 'defect', 'wrong']) {
      const answer = await fetch(`http://127.0.0.1:${port}/${path}`);
      statuses.push(answer.status);
      await answer.text();
    }
    expect(statuses).toEqual([503, 503, 500, 400]);
    const facts = { requestId: expect.any(String) as string, reason: 'Too many wait; try again.' };
    expect(warn.mock.calls).toEqual([[facts, 'a request was refused']]);
    const requestId = expect.any(String) as string;
    expect(error.mock.calls).toEqual([
      [{ err: lost, status: 503, causes: [{ type: 'RangeError', code: 'ENOSPC' }], requestId }, 'a request failed'],
      [{ err: defect, status: 500, causes: [], requestId }, 'a request failed'],
    ]);
  } finally {
    server.close();
  }
});

it.each([
  ['/v1/optimise', '/v1/optimize'],
  ['/v1/optimise/opt_1/history', '/v1/optimize/opt_1/history'],
  ['/v1/optimize/opt_1/histroy', '/v1/optimize/opt_1/history'],
  ['/v1/domains/financial/optimise', '/v1/domains/financial/optimize'],
  ['/v1/something', null],
  ['/v1/optimise/opt_1/histroy', null],
  ['/', null],
])('the known path nearest to %s is %s', (path, near) => {
  const known = ['/v1/optimize', '/v1/optimize/{id}/history', '/v1/domains/{domain}/optimize', '/v1/functions'];
  expect(nearestPath(path, known)).toBe(near);
});
