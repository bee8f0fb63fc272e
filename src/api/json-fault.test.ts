import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFault } from './json-fault.js';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const told = (text: string): string => {
  const fault = jsonFault(text);
  return fault === null ? '' : `${fault.line}:${fault.column} ${fault.what}`;
};

describe('a fault in JSON', () => {
  it.each([
    ['{"a": 1,}', '1:8 no `,` may stand before `}`'],
    ['{"a": 1\n "b": 2}', '2:2 `,` or `}` is expected, not `"`'],
    ["{'a': 1}", "1:2 a name in double quotes or `}` is expected, not `'a'`"],
    ['{"a": True}', '1:7 a value is expected, not `True`'],
    ['{"a": NaN}', '1:7 a value is expected, not `NaN`'],
    ['[1 2]', '1:4 `,` or `]` is expected, not `2`'],
    ['[01]', '1:3 a value goes on with `1`'],
    ['[1.]', '1:3 a value goes on with `.`'],
    ['[nullx]', '1:6 a value goes on with `x`'],
    ['{"a" 1}', '1:6 `:` is expected after a name, not `1`'],
    ['{"a": "b}', '1:7 a text has no closing `"`'],
    ['["a\nb"]', '1:4 a text has the character U+000A, which must be written as an escape'],
    ['["\\x"]', '1:3 a text has a `\\` that begins no escape'],
    ['{"a": [1, 2', '1:12 `,` or `]` is expected, not the end'],
    ['{}\n\n}', '3:1 `}` follows the end of the value'],
    ['', '1:1 a value is expected, not the end'],
    ['\ufeff{}', '1:1 a value is expected, not the character U+FEFF'],
    ['["`"`]', '1:5 `,` or `]` is expected, not the character U+0060'],
  ])('is named: %j', (text, expected) => {
    expect(isJson(text)).toBe(false);
    expect(told(text)).toBe(expected);
  });

  it('is found exactly where JSON.parse finds one', () => {
    const broken = fc
      .tuple(
        fc.json(),
        fc.nat(60),
        fc.nat(3),
        fc.constantFrom('', ',', '"', '\\', '}', ']', '[', '{', ':', '0', 'e', '\n', '\u0001'),
      )
      .map(([text, at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut));
    fc.assert(
      fc.property(broken, (text) => (jsonFault(text) === null) === isJson(text)),
      { numRuns: 3_000 },
    );
  });

  it('is found behind 200,000 open brackets', () => {
    expect(told('['.repeat(200_000))).toBe('1:200001 a value is expected, not the end');
  });
});
