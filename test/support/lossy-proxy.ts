/**
 * A TCP proxy on loopback that can swallow answers: the request arrives and is carried out, nobody hears of it. It can
 * also stop taking requests, so that the sender of a large one waits for its socket.
 */
import { connect, createServer, type Socket } from 'node:net';

export interface LossyProxy {
  readonly port: number;
  /** The next `times` requests that contain `text` go through; their connections break before the answer. */
  loseAnswers(text: string, times: number): void;
  /** How many were lost so far. */
  lost(): number;
  /**
   * The next `times` requests that contain `text` are not taken beyond their first piece; a reset ends them where
   * wanted.
   */
  stall(text: string, times: number, resetAfterMs?: number): void;
  /** How many were not taken so far. */
  stalled(): number;
  close(): Promise<void>;
}

export async function startLossyProxy(targetPort: number): Promise<LossyProxy> {
  const sockets = new Set<Socket>();
  let wanted = '';
  let left = 0;
  let lost = 0;
  let stall = { text: '', left: 0, resetAfterMs: Infinity };
  let stalled = 0;
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    let losing = false;
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        target.destroy();
      });
    }
    client.on('data', (data) => {
      if (stall.left > 0 && data.includes(stall.text)) {
        stall.left -= 1;
        stalled += 1;
        client.pause();
        if (stall.resetAfterMs < Infinity) setTimeout(() => client.resetAndDestroy(), stall.resetAfterMs);
        return;
      }
      if (left > 0 && data.includes(wanted)) {
        left -= 1;
        losing = true;
      }
      target.write(data);
    });
    target.on('data', (data) => {
      if (!losing) return client.write(data);
      lost += 1;
      return client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    loseAnswers(text, times) {
      wanted = text;
      left = times;
    },
    lost: () => lost,
    stall(text, times, resetAfterMs = Infinity) {
      stall = { text, left: times, resetAfterMs };
    },
    stalled: () => stalled,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
