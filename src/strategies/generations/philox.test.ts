import { describe, expect, it } from 'vitest';
import { indexBelow, philox, uniform32, uniform53 } from './philox.js';

describe('Philox4x32-10', () => {
  // The vectors that its authors publish with their implementation (Random123, kat_vectors).
  const known: readonly (readonly [counter: number[], key: number[], words: number[]])[] = [
    [
      [0, 0, 0, 0],
      [0, 0],
      [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
    ],
    [
      [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
      [0xffffffff, 0xffffffff],
      [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
    ],
    [
      [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
      [0xa4093822, 0x299f31d0],
      [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
    ],
  ];

  it.each(known)('gives the published words for %j and %j', ([c0, c1, c2, c3], [k0, k1], wanted) => {
    const words = new Uint32Array(4);
    philox(c0, c1, c2, c3, k0, k1, words);
    expect([...words]).toEqual(wanted);
  });

  it('makes uniforms below 1 and indices below the size', () => {
    expect(uniform32(0xffffffff)).toBe(1 - 2 ** -32);
    expect(uniform53(0xffffffff, 0xffffffff)).toBe(1 - 2 ** -53);
    expect(indexBelow(0xffffffff, 2 ** 20)).toBe(2 ** 20 - 1);
    expect(indexBelow(0xffffffff, 24)).toBe(23);
    expect(indexBelow(0, 24)).toBe(0);
  });
});
