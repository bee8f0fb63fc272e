import { expect, it } from 'vitest';
import { LimitPerOwner } from './limit.js';

it('lets each owner do so much at a time, first come, first served', async () => {
  const limit = new LimitPerOwner(2);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const add = (owner: string, name: string): Promise<string> =>
    limit.run(owner, () => {
      begun.push(name);
      return new Promise((resolve) => ends.push(() => resolve(name)));
    });
  const all = [add('a', 'a1'), add('a', 'a2'), add('a', 'a3'), add('b', 'b1'), add('a', 'a4')];
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  await settle();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  for (let i = 0; i < all.length; i++) {
    ends[i]?.();
    await settle();
  }
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'a4']);
  // After all have ended, as before.
  const failed = limit.run('a', () => Promise.reject(new Error('no')));
  await expect(failed).rejects.toThrow('no');
});
