import { expect, it } from 'vitest';
import { encode } from '../../common/codec.js';
import { pack, unpack } from './values.js';

it('large values that are read at a time are decoded rounds of the event loop apart', async () => {
  const value = Array.from({ length: 40_000 }, (_, k) => k / 7);
  const packed = await pack(encode(value));
  let round = 0;
  let isOver = false;
  const count = (): void => {
    round++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const rounds: number[] = [];
  const one = async (): Promise<void> => {
    expect(await unpack(packed)).toEqual(value);
    rounds.push(round);
  };
  await Promise.all(Array.from({ length: 6 }, one));
  isOver = true;
  for (let i = 1; i < 6; i++) expect(rounds[i] - rounds[i - 1]).toBeGreaterThan(10);
});
