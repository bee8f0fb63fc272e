import { describe, expect, it } from 'vitest';
import { parsePrefer } from './prefer.js';

describe('Prefer', () => {
  it.each([
    [undefined, 60, null],
    ['wait=5', 5, 'wait=5'],
    ['WAIT = 5; foo=1', 5, 'wait=5'],
    ['wait=0', 0, 'wait=0'],
    ['wait=301', 300, 'wait=300'],
    ['wait=-1', 60, null],
    ['wait=soon', 60, null],
    ['respond-async', 0, 'respond-async'],
    ['wait=10, respond-async', 0, 'respond-async'],
    ['return=minimal', 60, null],
  ])('%j waits %d s', (header, seconds, applied) => {
    expect(parsePrefer(header)).toEqual({ seconds, applied });
  });
});
