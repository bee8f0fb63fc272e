import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from './codec.js';

describe('codec', () => {
  it('gives back every plain value, also those that look like its own marks', () => {
    const key = fc.oneof(fc.string(), fc.constantFrom('$f', '$o', '__proto__', 'constructor'));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.double(),
        fc.constantFrom(-0, NaN, Infinity, -Infinity),
        fc.string({ unit: 'binary' }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
      ),
    }));
    fc.assert(
      fc.property(value, (original) => {
        // Not `toStrictEqual`, which takes a key `constructor` for the class of the object.
        expect(isDeepStrictEqual(decode(encode(original)), original)).toBe(true);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('is plain JSON for plain values', () => {
    expect(encode({ a: [1, 'x"$f":', null] })).toBe(JSON.stringify({ a: [1, 'x"$f":', null] }));
  });
});
