import { describe, expect, it } from 'vitest';
import type { DeliveryAttempt } from '../../model/webhook.js';
import { FAILING_MS, failingSinceAfter, healthAfterChange, newsOf, reasonToDisable } from './webhook-health.js';

const attempt = (at: number, status: number | null = 500): DeliveryAttempt => ({
  ...{ at, status, durationSeconds: 1, error: null, responseExcerpt: null },
});
const steady = (): boolean => true;

describe('health of a webhook', () => {
  it('begins to fail with the first failed attempt, and ends with one that succeeds', () => {
    const failed = newsOf(attempt(20), { state: 'pending', dueAt: 30 });
    expect(failingSinceAfter(null, failed)).toBe(20);
    expect(failingSinceAfter(5, failed)).toBe(5);
    expect(failingSinceAfter(5, newsOf(attempt(20, 200), { state: 'succeeded' }))).toBeNull();
  });

  it('does not change where nothing was sent', () => {
    expect(newsOf(null, { state: 'cancelled' })).toBeNull();
    expect(failingSinceAfter(5, null)).toBe(5);
    expect(failingSinceAfter(null, null)).toBeNull();
  });

  it('switches off after five days of failures, and not by a clock that is not to be trusted', () => {
    const failed = { state: 'failed' } as const;
    expect(reasonToDisable(attempt(FAILING_MS), failed, 0, steady)).toBe('failing');
    expect(reasonToDisable(attempt(FAILING_MS), failed, 1, steady)).toBeNull();
    expect(reasonToDisable(attempt(FAILING_MS), failed, null, steady)).toBeNull();
    expect(reasonToDisable(attempt(FAILING_MS), failed, 0, () => false)).toBeNull();
    expect(reasonToDisable(attempt(FAILING_MS, 200), { state: 'succeeded' }, 0, steady)).toBeNull();
  });

  it('switches off at once where the endpoint is gone', () => {
    expect(reasonToDisable(attempt(1, 410), { state: 'failed' }, null, () => false)).toBe('gone');
  });

  it('is as new with another address, or when it is switched on', () => {
    expect(healthAfterChange({ url: 'https://other.example' })).toEqual({ failingSince: null });
    expect(healthAfterChange({ active: true })).toEqual({ failingSince: null, disabled: null });
    expect(healthAfterChange({ active: false })).toEqual({});
  });
});
