import { expect, test, vi } from 'vitest';
import type { Moment } from './database.js';
import { KeptCounts } from './kept-counts.js';

const moment = (text: string): Moment => text as Moment;

test('a count is kept for its moment, and for a second at most', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const counts = new KeptCounts();
    let asked = 0;
    const count = (): Promise<number> => Promise.resolve(++asked);
    expect(await counts.get(moment('1'), 'list', count)).toBe(1);
    expect(await counts.get(moment('1'), 'list', count)).toBe(1);
    expect(await counts.get(moment('1'), 'other list', count)).toBe(2);
    expect(await counts.get(moment('2'), 'list', count)).toBe(3);
    vi.advanceTimersByTime(999);
    expect(await counts.get(moment('2'), 'list', count)).toBe(3);
    vi.advanceTimersByTime(1);
    expect(await counts.get(moment('2'), 'list', count)).toBe(4);
  } finally {
    vi.useRealTimers();
  }
});

test('without a moment, and after a failure, it counts again', async () => {
  const counts = new KeptCounts();
  let asked = 0;
  const count = (): Promise<number> => Promise.resolve(++asked);
  expect(await counts.get(null, 'list', count)).toBe(1);
  expect(await counts.get(null, 'list', count)).toBe(2);
  const fail = (): Promise<number> => Promise.reject(new Error('away'));
  await expect(counts.get(moment('1'), 'list', fail)).rejects.toThrow('away');
  expect(await counts.get(moment('1'), 'list', count)).toBe(3);
});

test('of many lists the oldest counts are dropped', async () => {
  const counts = new KeptCounts();
  for (let list = 0; list <= 1_000; list++) await counts.get(moment('1'), String(list), () => Promise.resolve(list));
  expect(await counts.get(moment('1'), '1', () => Promise.resolve(-1))).toBe(1);
  expect(await counts.get(moment('1'), '0', () => Promise.resolve(-1))).toBe(-1);
});
