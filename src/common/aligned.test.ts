import { expect, it } from 'vitest';
import { alignedFloats, nativeLines } from './aligned.js';

it.each([0, 1, 7, 8, 1000, 100_000])('gives %i zeros', (length) => {
  expect(alignedFloats(length)).toEqual(new Float64Array(length));
});

it.skipIf(nativeLines() === null)('begins with a line of the cache', () => {
  const offset = ({ buffer, byteOffset }: Float64Array<ArrayBuffer>): number =>
    (nativeLines()!.lineOffset(buffer) + byteOffset) % 64;
  for (let length = 8; length < 100_000; length = 3 * length + 1) expect(offset(alignedFloats(length))).toBe(0);
  expect(() => nativeLines()!.lineOffset(new Float64Array(8) as unknown as ArrayBuffer)).toThrow('ArrayBuffer');
});
