import { expect, it } from 'vitest';
import { createIdSource } from './ids.js';

it('identifiers sort by creation, also within a millisecond and when the clock steps back', () => {
  const times = [1000, 1000, 1001, 500, 500, 1002];
  let i = 0;
  const ids = createIdSource(() => times[Math.min(i++, times.length - 1)] ?? 0);
  const made = times.map(() => ids.next('opt'));
  expect(made.map(({ id }) => id)).toEqual(made.map(({ id }) => id).sort());
  expect(made.map(({ createdAt }) => createdAt)).toEqual([1000, 1000, 1001, 1001, 1001, 1002]);
  for (const { id } of made) expect(id).toMatch(/^opt_\d{29}$/);
});

it('carry the right time again where a clock that was ahead is set back', () => {
  const times = [100_000, 90_000, 89_999, 90_000];
  let i = 0;
  const ids = createIdSource(() => times[i++] ?? 0);
  expect(times.map(() => ids.next('opt').createdAt)).toEqual([100_000, 100_000, 89_999, 90_000]);
});

it('goes on into the next millisecond when one is full', () => {
  const ids = createIdSource(() => 7);
  const made = Array.from({ length: 10_001 }, () => ids.next('func').id);
  expect(new Set(made).size).toBe(10_001);
  expect([...made].sort()).toEqual(made);
});
