import { describe, expect, it } from 'vitest';
import { normalPair } from './normals.js';
import { philox, uniform53 } from './philox.js';

function pairOf(words: readonly number[]): number[] {
  const pair = new Float64Array(2);
  normalPair(Uint32Array.from(words), pair);
  return [...pair];
}

describe('normal numbers', () => {
  it('are those of Box and Muller to the last bits, in every quarter of the circle', () => {
    const words = new Uint32Array(4);
    for (let k = 0; k < 2000; k++) {
      philox(k, 0, 0, 0, 3, 4, words);
      const radius = Math.sqrt(-2 * Math.log(1 - uniform53(words[0], words[1])));
      const angle = 2 * Math.PI * uniform53(words[2], words[3]);
      const [x, y] = pairOf([...words]);
      expect(Math.abs(x - radius * Math.cos(angle))).toBeLessThan(1e-14);
      expect(Math.abs(y - radius * Math.sin(angle))).toBeLessThan(1e-14);
    }
  });

  it('have the mean, variance and fourth moment of the normal distribution', () => {
    const [words, count] = [new Uint32Array(4), 20_000];
    const moments = [0, 0, 0, 0];
    for (let k = 0; k < count; k++) {
      philox(k, 1, 0, 0, 5, 6, words);
      for (const z of pairOf([...words])) moments.forEach((_, m) => (moments[m] += z ** (m + 1) / (2 * count)));
    }
    // Some four standard errors.
    [0, 1, 0, 3].forEach((wanted, m) => expect(Math.abs(moments[m] - wanted)).toBeLessThan([0.02, 0.03, 0.08, 0.2][m]));
  });

  it('are finite whatever the words are', () => {
    const largest = 0xffffffff;
    expect(pairOf([0, 0, largest, largest]).map(Math.abs)).toEqual([0, 0]);
    expect(pairOf([largest, largest, 0, 0])).toEqual([8.571674348652905, 0]);
  });
});
