/** A receiver that the service trusts, and what it must have heard. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createAuthority } from './certificates.js';
import { startReceiver, type Receiver } from './https-receiver.js';
import { KEY, type ServiceProcess } from './service-process.js';
import type { Json } from './service.js';

export interface WebhookWorld {
  readonly receiver: Receiver;
  /** For the service. */
  readonly flags: readonly string[];
  close(): Promise<void>;
}

export async function startWebhookWorld(): Promise<WebhookWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'extremum-receiver-'));
  const authority = createAuthority();
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, authority.cert);
  const receiver = await startReceiver(authority.issue({ names: ['127.0.0.1'] }));
  return {
    receiver,
    flags: ['--webhook-allow-networks', '127.0.0.0/8', '--webhook-extra-ca', ca],
    async close() {
      await receiver.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export async function subscribe(service: ServiceProcess, { url }: Receiver): Promise<Json> {
  return service.call('POST', '/v1/webhooks', { url, events: ['*'] });
}

/** The events of a run that has ended, in their order, as their texts. */
export async function eventsOf(service: ServiceProcess, runId: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${KEY}` };
  const stream = await fetch(`${service.url}/v1/optimize/${runId}/events`, { headers });
  const pieces = (await stream.text()).split('\n\n').filter((piece) => piece.startsWith('id: '));
  return pieces.map((piece) => /^data: (.*)$/m.exec(piece)?.[1] ?? expect.fail(piece));
}

export const eventId = (text: string): string => (JSON.parse(text) as { id: string }).id;

/** By event identifier, every text that came under it. */
export function heard({ received }: Receiver): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const { body, headers } of received) {
    const text = body.toString();
    expect(headers['webhook-id']).toBe(eventId(text));
    texts.set(eventId(text), [...(texts.get(eventId(text)) ?? []), text]);
  }
  return texts;
}

/** Resolves when nothing of the webhook is on its way any more. */
export async function allEnded(service: ServiceProcess, webhookId: string): Promise<Json[]> {
  for (;;) {
    const { data, total } = await service.call('GET', `/v1/webhooks/${webhookId}/deliveries?limit=100`);
    const isOpen = ({ state }: Json): boolean => state === 'pending' || state === 'delivering';
    if (total > 0 && !(data as Json[]).some(isOpen)) return data as Json[];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
