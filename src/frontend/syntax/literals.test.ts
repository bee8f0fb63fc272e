import { describe, expect, it } from 'vitest';
import { bytesError, decodeText, parseNumber, splitStringLiteral } from './literals.js';

describe('string literals', () => {
  it.each([
    ["rb'a'", 'rb', 'a'],
    ['""', '', ''],
    ['""""""', '', ''],
    ['F"""a"b"""', 'f', 'a"b'],
    ['\'"""\'', '', '"""'],
  ])('%s is split', (literal, prefix, body) => {
    expect(splitStringLiteral(literal)).toEqual({ prefix, body });
  });

  it.each([
    [String.raw`a\n\t\\\'\"`, 'a\n\t\\\'"'],
    [String.raw`\x41\u0042\U00000043\104\0`, 'ABCD\0'],
    [String.raw`\U0001F600`, '😀'],
    [String.raw`\777\78`, '\u01ff\x078'],
    ['a\\\nb', 'ab'],
    [String.raw`\q\ `, String.raw`\q\ `],
    [String.raw`\N{BULLET}.`, '\ufffd.'],
    ['ends with \\', 'ends with \\'],
  ])('%j is decoded', (body, value) => {
    expect(decodeText(body)).toEqual({ value, error: null });
  });

  it.each([
    [String.raw`ab\x4`, /position 2-4: truncated \\xXX escape/],
    [String.raw`\u12`, /position 0-3: truncated \\uXXXX escape/],
    [String.raw`\U00110000`, /illegal Unicode character/],
    [String.raw`\N`, /malformed \\N character escape/],
    [String.raw`\N{}`, /malformed \\N character escape/],
  ])('%j is refused', (body, error) => {
    expect(decodeText(body).error).toMatch(error);
  });

  it('of bytes are ASCII with whole escapes', () => {
    expect(bytesError(String.raw`a\x41\q\\x`, false)).toBeNull();
    expect(bytesError('é', true)).toMatch(/ASCII/);
    expect(bytesError(String.raw`ab\x4`, false)).toBe('(value error) invalid \\x escape at position 2');
    expect(bytesError(String.raw`\x4`, true)).toBeNull();
  });
});

describe('numbers', () => {
  it('are exact or null up to 2^53', () => {
    expect(parseNumber('0x20_0000_0000_0000')).toEqual({ kind: 'Int', text: '0x20000000000000', value: 2 ** 53 });
    expect(parseNumber('0x20000000000001')).toMatchObject({ value: null });
    expect(parseNumber('9007199254740991')).toMatchObject({ value: 2 ** 53 - 1 });
  });

  it('have at most 4300 decimal digits', () => {
    expect(parseNumber('9'.repeat(4300))).toMatchObject({ kind: 'Int', value: null });
    expect(parseNumber('9'.repeat(4301))).toMatch(/value has 4301 digits/);
    expect(parseNumber(`0x${'f'.repeat(5000)}`)).toMatchObject({ kind: 'Int', value: null });
  });
});
