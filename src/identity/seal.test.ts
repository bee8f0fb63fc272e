import { expect, it } from 'vitest';
import { createSeal } from './seal.js';

const secret = Buffer.alloc(32, 7);

it('opens what it sealed, and hides it', () => {
  const { seal, open } = createSeal(secret, 'a');
  for (const text of ['', 'sk_secret', 'ü😀'.repeat(10_000)]) {
    expect(open(seal(text))).toBe(text);
    if (text !== '') expect(Buffer.from(seal(text), 'base64').includes(text.slice(0, 9))).toBe(false);
  }
  expect(seal('x')).not.toBe(seal('x'));
});

it('does not open what was changed, or sealed by another secret or for another purpose', () => {
  const sealed = createSeal(secret, 'a').seal('text');
  const bytes = Buffer.from(sealed, 'base64');
  bytes[bytes.length - 1] ^= 1;
  expect(() => createSeal(secret, 'a').open(bytes.toString('base64'))).toThrow();
  expect(() => createSeal(secret, 'b').open(sealed)).toThrow();
  expect(() => createSeal(Buffer.alloc(32, 8), 'a').open(sealed)).toThrow();
  expect(() => createSeal(secret, 'a').open('')).toThrow();
});
