/** A real HTTPS endpoint on loopback, as a client of webhooks has one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Issued } from './certificates.js';

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly at: number;
}

export type Respond = (received: Received, response: ServerResponse, request: IncomingMessage) => void;

export interface Receiver {
  readonly port: number;
  /** At 127.0.0.1. */
  readonly url: string;
  readonly received: Received[];
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>;
  /** Resolves when so many have been received. */
  until(count: number): Promise<readonly Received[]>;
  respond: Respond;
  /** Called when somebody connects, before anything is sent. */
  connected: () => void;
  close(): Promise<void>;
}

export async function startReceiver(
  issued: Issued,
  respond: Respond = (_received, response) => void response.writeHead(204).end(),
): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const server = createServer({ cert: issued.cert, key: issued.key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    response.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = request.headers as Record<string, string>;
      const one = { path: request.url ?? '', headers, body: Buffer.concat(chunks), at: Date.now() };
      received.push(one);
      receiver.respond(one, response, request);
      for (const wake of waiting) wake();
    });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    receiver.connected();
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    port,
    url: `https://127.0.0.1:${port}/hook`,
    received,
    sockets,
    respond,
    connected: () => {},
    until: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (received.length < count) return;
          waiting.delete(look);
          resolve(received);
        };
        waiting.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return receiver;
}
