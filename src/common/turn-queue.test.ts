import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TurnQueue } from './turn-queue.js';

/** Takes all, with so many at work at a time that end in the order in which they began. */
function order(queue: TurnQueue, threads: number): string[] {
  const taken: string[] = [];
  const atWork: string[] = [];
  while (queue.size > 0) {
    if (atWork.length === threads) atWork.shift();
    const counts = new Map<string, number>();
    for (const owner of atWork) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const next = queue.take(counts)!;
    atWork.push(next.owner);
    taken.push(next.id);
  }
  return taken;
}

it.each([1, 2, 4])('who has much waiting keeps nobody else waiting: %i threads', (threads) => {
  const queue = new TurnQueue();
  for (let i = 0; i < 200; i++) queue.add('a', `a${i}`);
  expect([...Array(threads)].map(() => queue.take(new Map())?.id)).toEqual([...Array(threads)].map((_, i) => `a${i}`));
  for (let i = 0; i < 3; i++) queue.add('b', `b${i}`);
  const rest = order(queue, threads);
  expect(rest[0]).toBe('b0');
  expect(rest.indexOf('b2')).toBeLessThan(2 * threads + 4);
  expect(rest).toHaveLength(203 - threads);
});

it('serves the lines in turns where all have as many at work, also with one thread', () => {
  const queue = new TurnQueue();
  for (const id of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) queue.add(id[0], id);
  expect(order(queue, 1)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

it('knows what waits once, and puts first what is to go on', () => {
  const queue = new TurnQueue();
  for (const id of ['a1', 'a2', 'a1']) queue.add('a', id);
  queue.add('a', 'a0', 'first');
  expect([queue.size, queue.has('a1'), queue.has('a9')]).toEqual([3, true, false]);
  queue.keep((id) => id !== 'a1');
  expect(order(queue, 1)).toEqual(['a0', 'a2']);
  expect([queue.size, queue.take(new Map())]).toEqual([0, undefined]);
});

it('loses nothing, and keeps the order within each line', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 }),
      fc.integer({ min: 1, max: 4 }),
      (owners, threads) => {
        const queue = new TurnQueue();
        const ids = owners.map((owner, i) => `${owner}${String(i).padStart(2, '0')}`);
        for (const id of ids) queue.add(id[0], id);
        const taken = order(queue, threads);
        expect([...taken].sort()).toEqual([...ids].sort());
        for (const owner of 'abc') {
          const line = taken.filter((id) => id.startsWith(owner));
          expect(line).toEqual([...line].sort());
        }
      },
    ),
  );
});
