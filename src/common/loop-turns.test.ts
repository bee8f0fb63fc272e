import { expect, it } from 'vitest';
import { SharedTurns } from './loop-turns.js';

/** Numbers of the turns of the event loop in which the pieces were made. */
async function turnsOf(turns: SharedTurns, sizes: readonly number[]): Promise<number[]> {
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const made = await Promise.all(sizes.map((size) => turns.run(() => [turn, size])));
  isOver = true;
  return made;
}

it('makes large pieces turns apart, in the order in which they were asked for', async () => {
  const made = await turnsOf(new SharedTurns(), [1e6, 1e6, 1e6, 1e6]);
  for (let i = 1; i < made.length; i++) expect(made[i] - made[i - 1]).toBeGreaterThan(10);
});

it('makes many small pieces in one turn, also after a large one', async () => {
  expect(new Set(await turnsOf(new SharedTurns(), new Array<number>(100).fill(10))).size).toBe(1);
  const [large, ...small] = await turnsOf(new SharedTurns(), [1e6, ...new Array<number>(100).fill(10)]);
  expect(new Set(small).size).toBe(1);
  expect(small[0]).toBeGreaterThan(large);
});

it('goes on after a piece that failed', async () => {
  const turns = new SharedTurns();
  const fail = (): never => {
    throw new Error('no');
  };
  const all = [turns.run(() => [0, 1e6]), turns.run(fail), turns.run(() => [2, 1e6]), turns.run(() => [3, 1])];
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
});
