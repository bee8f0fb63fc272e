import { describe, expect, test } from 'vitest';
import { body, OF_ARRAYS, OF_LISTS } from '../../test/support/argument-kinds.js';
import { analyzeUpload } from './compile.js';

const kindOf = (code: string, name = 'f'): string | undefined => analyzeUpload(code, name).source?.argument;
describe('a NumPy array', () => {
  test.each(OF_ARRAYS)('%s', (_what, code) => {
    expect(kindOf(code)).toBe('ndarray');
  });
});

describe('a list', () => {
  test.each(OF_LISTS)('%s', (_what, code) => {
    expect(kindOf(code)).toBe('list');
  });

  test('loops in loops in loops are looked into for a bounded time', () => {
    const lines = Array.from({ length: 19 }, (_, k) => `${'    '.repeat(k)}for a${k + 1} in a${k}s:`);
    const inner = '    '.repeat(19);
    const dels = Array.from({ length: 19 }, (_, k) => `${inner}b${k + 1} = b${k}`);
    const code = body(
      'a0s = [1]',
      'b0 = x',
      ...lines,
      ...dels,
      `${inner}del ${dels.map((_, k) => `b${k + 1}`).join()}`,
    );
    expect(kindOf(code)).toBe('list');
  });
});
