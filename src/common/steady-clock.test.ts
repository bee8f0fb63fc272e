import { expect, it } from 'vitest';
import { SteadyClock } from './steady-clock.js';

it('has a time once the clock has gone steadily for long enough, and loses it with every jump', () => {
  const HOUR = 3_600_000;
  let time = 1e12;
  let at = 5;
  const clock = new SteadyClock(
    () => time,
    HOUR,
    () => at,
  );
  const after = (ms: number, jump = 0): number | null => {
    time += ms + jump;
    at += ms;
    return clock.now();
  };
  expect(clock.now()).toBeNull();
  expect(after(HOUR - 1)).toBeNull();
  expect(after(1)).toBe(time);
  // Corrections are no jumps.
  expect(after(HOUR, -30_000)).toBe(time);
  for (const jump of [365 * 24 * HOUR, -365 * 24 * HOUR]) {
    expect(after(600_000, jump)).toBeNull();
    expect(after(HOUR - 1)).toBeNull();
    expect(after(1)).toBe(time);
  }
});
