import { describe, expect, it } from 'vitest';
import { newWebhook } from '../../../test/conformance/store-samples.js';
import type { DeliveryAttempt } from '../../model/webhook.js';
import { afterAttempt, getsEvent, isMovedBy, maySend, RETRY_DELAYS_MS, rotated } from './deliveries.js';

const answer = (status: number | null, error: string | null = null): DeliveryAttempt => ({
  ...{ at: 1, status, durationSeconds: 1, error, responseExcerpt: null },
});

describe('deliveries', () => {
  it('are made for active webhooks that subscribed to the event', () => {
    const event = { id: 'evt_1', type: 'strategy.changed', createdAt: 1, body: '{}' } as const;
    expect(getsEvent(newWebhook('wh_1', { events: ['strategy.changed'] }), event)).toBe(true);
    expect(getsEvent(newWebhook('wh_1', { events: ['*'] }), event)).toBe(true);
    expect(getsEvent(newWebhook('wh_1', { events: ['context.updated'] }), event)).toBe(false);
    expect(getsEvent(newWebhook('wh_1', { events: ['*'], active: false }), event)).toBe(false);
  });

  it('are not sent once the webhook is off or gone', () => {
    expect([newWebhook('wh_1'), newWebhook('wh_1', { active: false }), null].map(maySend)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('are tried again after each of the delays, and then have failed', () => {
    for (const [tries, delay] of RETRY_DELAYS_MS.entries()) {
      expect(afterAttempt(answer(503), tries, 10)).toEqual({ state: 'pending', dueAt: 10 + delay });
    }
    expect(afterAttempt(answer(503), RETRY_DELAYS_MS.length, 10)).toEqual({ state: 'failed' });
    expect(afterAttempt(answer(410), 0, 10)).toEqual({ state: 'failed' });
    expect(afterAttempt(answer(204), 0, 10)).toEqual({ state: 'succeeded' });
    expect(afterAttempt(answer(200, 'the answer broke off'), 0, 10)).toMatchObject({ state: 'pending' });
  });

  it('stay cancelled, unless they were sent after all', () => {
    expect(isMovedBy('cancelled', { state: 'failed' })).toBe(false);
    expect(isMovedBy('cancelled', { state: 'succeeded' })).toBe(true);
    expect(isMovedBy('delivering', { state: 'failed' })).toBe(true);
  });

  it('are signed with the former secret, too, after a rotation, which happens once', () => {
    const webhook = newWebhook('wh_1', { secret: 'old', rotation: null });
    const next = rotated(webhook, 'new', 'r1', 9);
    expect(next).toMatchObject({ secret: 'new', rotation: 'r1', previous: { secret: 'old', until: 9 } });
    expect(rotated(next, 'newer', 'r1', 99)).toBe(next);
    expect(rotated(newWebhook('wh_1', { secret: null }), 'new', 'r1', 9).previous).toBeNull();
  });
});
