import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomIr } from '../../test/support/random-ir.js';
import { IrBuilder } from './builder.js';
import { MATH_LIBRARY } from './math/index.js';
import { parseIr } from './parser.js';
import { formatNumber, printIr } from './printer.js';

const wrap = (body: string): string => `function "f" dimension 2 {\n${body}\n}`;

describe('text form', () => {
  it('of every random program reads back to an equal program', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const fn = randomIr(seed, { counted: true });
        expect(parseIr(printIr(fn))).toEqual(fn);
      }),
      { numRuns: 100 },
    );
  });

  it('of every expansion reads back to an equal program', () => {
    for (const fn of Object.values(MATH_LIBRARY)) expect(parseIr(printIr(fn))).toEqual(fn);
  });

  it('keeps every number, in every bit', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        const b = new IrBuilder('constant', 0);
        const fn = b.finish(b.const(value));
        expect(parseIr(printIr(fn))).toEqual(fn);
      }),
    );
    expect([NaN, Infinity, -Infinity, -0, 5e-324, 0.1].map(formatNumber)).toEqual([
      'nan',
      'inf',
      '-inf',
      '-0',
      '5e-324',
      '0.1',
    ]);
  });

  it('keeps any function name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const b = new IrBuilder(name, 1);
        const fn = b.finish(b.x(0));
        expect(parseIr(printIr(fn))).toEqual(fn);
      }),
    );
  });

  it('allows comments and blank lines', () => {
    const fn = parseIr(`# a comment\n\n${wrap('  v0 = x 1 # the second coordinate\n\n  yield v0')}\n`);
    expect(printIr(fn)).toBe(wrap('  v0 = x 1\n  yield v0') + '\n');
  });
});

describe('the parser names the line and what it expected', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['an unknown operation', wrap('  v0 = frobnicate\n  yield v0'), 'line 2: unknown operation frobnicate'],
    ['a missing result', wrap('  add v0, v1\n  yield v0'), 'line 2: add has 0 results here'],
    [
      'a result where there is none',
      wrap('  v0 = bconst true\n  v1 = check v0 Raised\n  yield v0'),
      'line 3: check has 1',
    ],
    ['a word for a number', wrap('  v0 = const one\n  yield v0'), 'line 2: not a number: one'],
    [
      'an unknown status',
      wrap('  v0 = bconst true\n  check v0 Broken\n  yield v0'),
      'line 3: unknown lane status Broken',
    ],
    ['a rest on the line', wrap('  v0 = x 1 2\n  yield v0'), 'line 2: unexpected 2'],
    ['a missing yield', wrap('  v0 = x 1'), 'line 3: expected yield, found }'],
    ['an early end', 'function "f" dimension 1 {\n  v0 = x 0', 'the text ends early'],
    ['text after the end', wrap('  v0 = x 0\n  yield v0') + '\nfunction', 'text after the end'],
    [
      'a yield of a later value',
      wrap('  v0 = bconst true\n  v1 = if v0 {\n    yield v9\n  } else {\n    yield v9\n  }\n  yield v1'),
      'v9 is used before its definition',
    ],
    ['no name', 'function f dimension 1 {', 'line 1: expected a quoted name, found f'],
    ['nothing', '', 'the text ends early'],
  ];
  for (const [what, text, message] of cases) {
    it(`refuses ${what}`, () => {
      expect(() => parseIr(text)).toThrow(message);
    });
  }
});
