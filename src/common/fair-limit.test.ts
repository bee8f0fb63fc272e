import { expect, it } from 'vitest';
import { FairLimit, nextInTurn, type FairLimits } from './fair-limit.js';

const LIMITS: FairLimits = {
  atOnce: 3,
  perOwner: 2,
  waiting: 8,
  waitingPerOwner: 5,
  waitingBytes: 200,
  waitingBytesPerOwner: 100,
  patienceMs: 60_000,
};

/** Works that end when they are told to, in the order in which they began. */
function works(limit: FairLimit) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const add = (owner: string): Promise<void> =>
    limit.run(owner, () => {
      begun.push(owner);
      return new Promise((resolve) => ends.push(resolve));
    });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { begun, ends, add, settle };
}

it('an owner with much to do leaves a place to others, and the next place goes to who has none', async () => {
  const { begun, ends, add, settle } = works(new FairLimit(LIMITS));
  const all = ['a', 'a', 'a', 'a', 'b', 'c'].map(add);
  await settle();
  expect(begun).toEqual(['a', 'a', 'b']);
  ends[0]?.();
  await settle();
  expect(begun).toEqual(['a', 'a', 'b', 'c']);
  for (let i = 1; i < 6; i++) {
    ends[i]?.();
    await settle();
  }
  await Promise.all(all);
  expect(begun).toEqual(['a', 'a', 'b', 'c', 'a', 'a']);
});

it('refuses who waits with too many, not the others', async () => {
  const limit = new FairLimit(LIMITS);
  const { ends, add, settle } = works(limit);
  const all = Array.from({ length: 7 }, () => add('a'));
  await expect(add('a')).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  all.push(add('b'), add('b'), add('b'), add('c'));
  expect(limit.waiting).toBe(8);
  await expect(add('d')).rejects.toMatchObject({ code: 'unavailable' });
  for (let i = 0; i < 11; i++) {
    await settle();
    ends[i]?.();
  }
  await Promise.all(all);
  expect(limit.waiting).toBe(0);
});

it('refuses who has waited too long, and forgets it', async () => {
  const limit = new FairLimit({ ...LIMITS, atOnce: 1, patienceMs: 1 });
  const { begun, ends, add, settle } = works(limit);
  const first = add('a');
  await expect(add('b')).rejects.toMatchObject({ code: 'unavailable' });
  expect(limit.waiting).toBe(0);
  ends[0]?.();
  await first;
  await settle();
  expect(begun).toEqual(['a']);
});

it('refuses who waits with too much in memory, unless it is the only one', async () => {
  const limit = new FairLimit({ ...LIMITS, atOnce: 1 });
  const ends: (() => void)[] = [];
  const add = (owner: string, bytes: number): Promise<void> =>
    limit.run(owner, () => new Promise((resolve) => ends.push(resolve)), bytes);
  const all = [add('a', 0), add('a', 60), add('a', 40)];
  await expect(add('a', 1)).rejects.toMatchObject({ code: 'unavailable' });
  all.push(add('b', 100));
  await expect(add('c', 1)).rejects.toMatchObject({ code: 'unavailable' });
  for (let i = 0; i < all.length; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    ends[i]?.();
  }
  await Promise.all(all);
  const first = add('a', 0);
  const huge = add('a', 1_000);
  for (let i = 4; i < 6; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    ends[i]?.();
  }
  await Promise.all([first, huge]);
});

it('gives its place back when the work fails', async () => {
  const limit = new FairLimit({ ...LIMITS, atOnce: 1 });
  await expect(limit.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await limit.run('a', () => Promise.resolve(1))).toBe(1);
});

it('finds nobody where all have what they may', () => {
  expect(nextInTurn([{ owner: 'a' }], [{ owner: 'a' }], 1)).toBe(-1);
  expect(nextInTurn([], [], 1)).toBe(-1);
});
