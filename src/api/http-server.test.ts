import { connect, type AddressInfo } from 'node:net';
import type { RequestListener, Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpServer, patienceFor } from './http-server.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function listen(answer: RequestListener, headersMs: number, requestMs: number): Promise<number> {
  const made = createHttpServer(answer, { headersMs, requestMs, checkMs: 50 });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return (made.address() as AddressInfo).port;
}

/** Sends the pieces one by one, for ever the last; resolves with what came back once the connection has ended. */
function drip(port: number, head: string, more: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(head));
    const timer = setInterval(() => socket.write(more), 20);
    socket.on('data', (piece) => (answer += String(piece)));
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}

const TOO_SLOW = expect.stringMatching(
  /^HTTP\/1\.1 400 [^]*"code":"invalid_request"[^]*took too long to arrive/,
) as string;

describe('a server with little patience', () => {
  it('cuts who sends headers without end, one at a time', async () => {
    let calls = 0;
    const port = await listen(() => calls++, 200, 60_000);
    expect(await drip(port, 'GET / HTTP/1.1\r\nHost: a\r\n', 'X-More: 1\r\n')).toEqual(TOO_SLOW);
    expect(calls).toBe(0);
  });

  it('cuts who sends a body without end, byte by byte', async () => {
    const read: RequestListener = (req) => req.resume();
    const port = await listen(read, 200, 400);
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n';
    expect(await drip(port, head, ' ')).toEqual(TOO_SLOW);
  });

  it('waits as long as it likes with its own answer', async () => {
    const port = await listen((_req, res) => void setTimeout(() => res.end('late'), 700), 200, 300);
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x' });
    expect(await answer.text()).toBe('late');
  });

  it('gives a body time by its size', () => {
    expect(patienceFor(0).requestMs).toBe(30_000);
    expect(patienceFor(4 * 1024 ** 2).requestMs).toBe(94_000);
  });
});
