import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Statement } from './ast.js';
import { MAX_ELIF_BRANCHES, MAX_SOURCE_BYTES, parsePython } from './parser.js';

function parse(source: string): readonly Statement[] {
  const { module, errors } = parsePython(source);
  expect(errors).toEqual([]);
  return module?.body ?? [];
}

function firstError(source: string): string {
  const [error] = parsePython(source).errors;
  return error === undefined ? 'accepted' : `${error.kind} ${error.line}:${error.column} ${error.message}`;
}

const at = (line: number, column: number) => ({ line, column });
const name = (text: string, line: number, column: number) => ({ kind: 'Name', name: text, line, column });
const int = (value: number, line: number, column: number) => ({
  kind: 'Int',
  text: String(value),
  value,
  line,
  column,
});

/** Trees and places as `ast.dump(..., include_attributes=True)` of CPython 3.12 shows them. */
describe('trees', () => {
  it('begin a binary operation at the bracket around its left operand, and that operand inside', () => {
    expect(parse('(a) + b')).toEqual([
      {
        kind: 'Expr',
        value: { kind: 'Binary', operator: '+', left: name('a', 1, 2), right: name('b', 1, 7), ...at(1, 1) },
        ...at(1, 1),
      },
    ]);
  });

  it('bind ** tighter than a sign on its left and looser than one on its right', () => {
    const power = {
      kind: 'Binary',
      operator: '**',
      left: name('a', 1, 2),
      right: { kind: 'Unary', operator: '-', operand: name('b', 1, 6), ...at(1, 5) },
      ...at(1, 2),
    };
    expect(parse('-a**-b')[0]).toMatchObject({ value: { kind: 'Unary', operator: '-', operand: power, ...at(1, 1) } });
  });

  it('nest binary operators to the left and ** to the right', () => {
    expect(parse('a - b - c')[0]).toMatchObject({
      value: { left: { kind: 'Binary', left: name('a', 1, 1), right: name('b', 1, 5) }, right: name('c', 1, 9) },
    });
    expect(parse('a ** b ** c')[0]).toMatchObject({
      value: { left: name('a', 1, 1), right: { kind: 'Binary', left: name('b', 1, 6), right: name('c', 1, 11) } },
    });
  });

  it('keep chained comparisons and runs of `and` flat', () => {
    expect(parse('a < b is not c not in d')[0]).toMatchObject({
      value: {
        kind: 'Compare',
        left: name('a', 1, 1),
        operators: ['<', 'is not', 'not in'],
        comparators: [name('b', 1, 5), name('c', 1, 14), name('d', 1, 23)],
      },
    });
    expect(parse('a and b and c')[0]).toMatchObject({
      value: { kind: 'Boolean', operator: 'and', values: [{}, {}, {}] },
    });
  });

  it('put a generator argument at its bracket', () => {
    expect(parse('f(x for x in y)')[0]).toMatchObject({
      value: {
        kind: 'Call',
        args: [
          {
            kind: 'GeneratorExp',
            element: name('x', 1, 3),
            generators: [{ target: name('x', 1, 9), iterable: name('y', 1, 14), conditions: [], isAsync: false }],
            ...at(1, 2),
          },
        ],
        keywords: [],
        ...at(1, 1),
      },
    });
  });

  it('make a tuple of several subscripts and of a starred one', () => {
    const slice = { kind: 'Slice', lower: int(1, 1, 3), upper: null, step: int(2, 1, 6), ...at(1, 3) };
    expect(parse('a[1::2, b]')[0]).toMatchObject({
      value: { index: { kind: 'Tuple', elements: [slice, name('b', 1, 9)], ...at(1, 3) } },
    });
    expect(parse('a[*b]')[0]).toMatchObject({
      value: { index: { kind: 'Tuple', elements: [{ kind: 'Starred', value: name('b', 1, 4), ...at(1, 3) }] } },
    });
  });

  it('begin a decorated function at `def` and an `elif` at its keyword', () => {
    expect(parse('@d\ndef f(a, /, b=1, *c, e, **g): pass')[0]).toMatchObject({
      kind: 'FunctionDef',
      decorators: [name('d', 1, 2)],
      parameters: {
        positionalOnly: [{ name: 'a', default: null, ...at(2, 7) }],
        positional: [{ name: 'b', default: int(1, 2, 15), ...at(2, 13) }],
        varArgs: { name: 'c', ...at(2, 19) },
        keywordOnly: [{ name: 'e', ...at(2, 22) }],
        keywordArgs: { name: 'g', ...at(2, 27) },
      },
      ...at(2, 1),
    });
    expect(parse('if a: b\nelif c: d\nelse: e')[0]).toMatchObject({
      kind: 'If',
      orElse: [{ kind: 'If', test: name('c', 2, 6), orElse: [{ kind: 'Expr', ...at(3, 7) }], ...at(2, 1) }],
    });
  });

  it('see the items, not a tuple, in a bracketed `with`', () => {
    expect(parse('with (a, b): pass')[0]).toMatchObject({ items: [{ context: name('a', 1, 7) }, {}] });
    expect(parse('with (a, b) as c: pass')[0]).toMatchObject({ items: [{ context: { kind: 'Tuple' } }] });
  });

  it.each([
    ['match x:\n  case 1: pass', 'Match'],
    ['match(x)', 'Expr'],
    ['match[x]: int', 'AnnAssign'],
    ['match = 1', 'Assign'],
    ['type X = int', 'TypeAlias'],
    ['type(X)', 'Expr'],
    ['type = int', 'Assign'],
  ])('know where a soft keyword is one: %j', (source, kind) => {
    expect(parse(source)[0]).toMatchObject({ kind });
  });

  it('list the texts and values of f-strings', () => {
    const text = (value: string, column: number) => ({ kind: 'String', value, ...at(1, column) });
    expect(parse(`f'a{{{b!r:>{c}}' 'd' f'{e = }'`)[0]).toMatchObject({
      value: {
        kind: 'JoinedString',
        values: [
          text('a{', 3),
          name('b', 1, 7),
          { kind: 'JoinedString', values: [text('>', 11), name('c', 1, 13)], ...at(1, 10) },
          text('de = ', 18),
          name('e', 1, 25),
        ],
      },
    });
  });
});

it('the text of a self-documenting field keeps a # that begins no comment', () => {
  // CPython 3.12.1 and 3.13.0 cut the text off at it.
  expect(parse(`f'{a['#'] = }'`)[0]).toMatchObject({ value: { values: [{ value: "a['#'] = " }, {}] } });
});

describe('number literals', () => {
  it.each([
    ['1_000', { kind: 'Int', text: '1000', value: 1000 }],
    ['0xF_f', { kind: 'Int', text: '0xFf', value: 255 }],
    ['0o17', { kind: 'Int', text: '0o17', value: 15 }],
    ['0B101', { kind: 'Int', text: '0B101', value: 5 }],
    ['00', { kind: 'Int', text: '00', value: 0 }],
    ['9007199254740992', { kind: 'Int', text: '9007199254740992', value: 2 ** 53 }],
    ['9007199254740993', { kind: 'Int', text: '9007199254740993', value: null }],
    ['1.', { kind: 'Float', value: 1 }],
    ['.5e-1_0', { kind: 'Float', value: 0.5e-10 }],
    ['09.5', { kind: 'Float', value: 9.5 }],
    ['1e400', { kind: 'Float', value: Infinity }],
    ['5e-324', { kind: 'Float', value: 5e-324 }],
    ['2.5J', { kind: 'Imaginary', value: 2.5 }],
  ])('%s', (source, expected) => {
    expect(parse(source)[0]).toMatchObject({ value: expected });
  });
});

describe('places', () => {
  it('count UTF-16 units, tabs as one, from 1', () => {
    expect(parse("x = '😀é' + y")[0]).toMatchObject({ value: { right: name('y', 1, 13) } });
    expect(parse('if a:\n\tb')[0]).toMatchObject({ body: [at(2, 2)] });
  });

  it('ignore a byte order mark and take every kind of line end', () => {
    expect(parse('\ufeffa\r\nb\rc\nd')).toMatchObject([at(1, 1), at(2, 1), at(3, 1), at(4, 1)]);
    expect(parse("x = '''a\r\nb'''\r\ny")).toMatchObject([{ value: { value: 'a\nb' } }, at(3, 1)]);
  });

  it('give names in their NFKC form', () => {
    expect(parse('ﬁ + 𝐱')[0]).toMatchObject({ value: { left: name('fi', 1, 1), right: name('x', 1, 5) } });
  });
});

/** Words and places of CPython 3.12; where it has another place, that is noted. */
describe('syntax errors', () => {
  it.each([
    ['x = ', '1:5 invalid syntax'],
    ['x y', '1:3 invalid syntax'],
    ['if x\n  y', "1:5 expected ':'"],
    ['def f(x)\n  y', "1:9 expected ':'"],
    ['if x:\ny', "2:1 expected an indented block after 'if' statement on line 1"],
    ['def f():\nx', '2:1 expected an indented block after function definition on line 1'],
    ['x\n  y', '2:3 unexpected indent'], // CPython: 2:2
    ['if x:\n    y\n  z', '3:3 unindent does not match any outer indentation level'], // CPython: 3:4
    ['if x:\n        y\n\tz', '3:2 inconsistent use of tabs and spaces in indentation'], // CPython: 3:1
    ['x = (1,\ny = 2', "1:5 '(' was never closed"],
    ['x = [1, {2', "1:9 '{' was never closed"],
    ['x = (1]', "1:7 closing parenthesis ']' does not match opening parenthesis '('"],
    ['x = (\n]', "2:1 closing parenthesis ']' does not match opening parenthesis '(' on line 1"],
    ['x = 1)', "1:6 unmatched ')'"],
    ["x = 'abc\ny", '1:5 unterminated string literal (detected at line 1)'],
    ["x = '''abc\ny", '1:5 unterminated triple-quoted string literal (detected at line 2)'],
    ["x = f'a", '1:5 unterminated f-string literal (detected at line 1)'],
    ["f'{}'", "1:4 f-string: valid expression required before '}'"],
    ["f'}'", "1:3 f-string: single '}' is not allowed"],
    ["f'{a!x}'", "1:6 f-string: invalid conversion character 'x': expected 's', 'r', or 'a'"],
    ['012', '1:1 leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers'],
    ['0o8', "1:3 invalid digit '8' in octal literal"],
    ['1__0', '1:2 invalid decimal literal'],
    ['1abc', '1:1 invalid decimal literal'],
    ['x = 1 \\ \ny', '1:8 unexpected character after line continuation character'],
    ['x = €', "1:5 invalid character '€' (U+20AC)"],
    ['x =\u00a01', '1:4 invalid non-printable character U+00A0'],
    ['x = \0', '1:5 source code cannot contain null bytes'], // CPython: no place
    ["x = '\ud800'", '1:6 source code cannot contain unpaired surrogates'], // CPython: cannot be encoded
    ['1 = x', "1:1 cannot assign to literal here. Maybe you meant '==' instead of '='?"],
    ['f() = x', "1:1 cannot assign to function call here. Maybe you meant '==' instead of '='?"],
    ['None = x', '1:1 cannot assign to None'],
    ['(a, f()) = x', '1:5 cannot assign to function call'],
    ['a + 1 += x', "1:1 'expression' is an illegal expression for augmented assignment"],
    ['[a]: int', '1:1 only single target (not list) can be annotated'],
    ['for f() in x: pass', '1:5 cannot assign to function call'],
    ['del f()', '1:5 cannot delete function call'],
    ['if x = 1: pass', "1:4 invalid syntax. Maybe you meant '==' or ':=' instead of '='?"],
    ['[1 2]', '1:2 invalid syntax. Perhaps you forgot a comma?'],
    ['print x', "1:1 Missing parentheses in call to 'print'. Did you mean print(...)?"],
    ['f(a=1, b)', '1:8 positional argument follows keyword argument'], // CPython: 1:9
    ['f(**a, *b)', '1:8 iterable argument unpacking follows keyword argument unpacking'],
    ['f(a for a in b, c)', '1:3 Generator expression must be parenthesized'],
    ['f(a.b=1)', '1:3 expression cannot contain assignment, perhaps you meant "=="?'],
    ['def f(a=1, b): pass', '1:12 parameter without a default follows parameter with a default'],
    ['def f(*): pass', '1:7 named arguments must follow bare *'],
    ['def f(**k, a): pass', '1:12 arguments cannot follow var-keyword argument'],
    ['try: pass\nx', "2:1 expected 'except' or 'finally' block"],
    ['try: pass\nexcept A, B: pass', '2:8 multiple exception types must be parenthesized'],
    ['from a import b,', '1:17 trailing comma not allowed without surrounding parentheses'],
    ['(*a)', '1:2 cannot use starred expression here'],
    ['[*a for a in b]', '1:2 iterable unpacking cannot be used in comprehension'],
    ['(a.b := 1)', '1:2 cannot use assignment expressions with attribute'],
  ])('%j', (source, expected) => {
    expect(firstError(source)).toBe(`syntax ${expected}`);
  });

  it('include decimal integers of more than 4300 digits', () => {
    expect(firstError(`x = ${'9'.repeat(4301)}`)).toMatch(/^syntax 1:5 Exceeds the limit \(4300 digits\)/);
    expect(firstError(`x = ${'9'.repeat(4300)}`)).toBe('accepted');
  });
});

describe('what CPython refuses after parsing', () => {
  it.each([
    ['return', "1:1 'return' outside function"],
    ['class A: return 1', "1:10 'return' outside function"],
    ['break', "1:1 'break' outside loop"],
    ['if x: continue', "1:7 'continue' not properly in loop"],
    ['while x:\n  def f(): break', "2:12 'break' outside loop"],
    ['for x in y: pass\nelse: break', "2:7 'break' outside loop"],
    ['yield', "1:1 'yield' outside function"],
    ['def f(): return [(yield) for x in y]', "1:19 'yield' inside list comprehension"],
    ['await x', "1:1 'await' outside function"],
    ['def f(): await x', "1:10 'await' outside async function"],
    ['async def f():\n  yield\n  return 1', "3:3 'return' with value in async generator"],
    ['async def f(): yield from x', "1:16 'yield from' inside async function"],
    ['async for x in y: pass', "1:1 'async for' outside async function"],
    ['[x async for x in y]', '1:1 asynchronous comprehension outside of an asynchronous function'],
    ['def f(a, a): pass', "1:10 duplicate argument 'a' in function definition"],
    ['lambda a, *a: 1', "1:12 duplicate argument 'a' in function definition"],
    ['f(a=1, a=2)', '1:8 keyword argument repeated: a'],
    ['nonlocal x', '1:1 nonlocal declaration not allowed at module level'],
    ['def f(): nonlocal x', "1:10 no binding for nonlocal 'x' found"],
    ['x = 1\ndef f():\n  nonlocal x', "3:3 no binding for nonlocal 'x' found"],
    ['def f():\n  print(x)\n  global x', "3:3 name 'x' is used prior to global declaration"],
    ['def f():\n  x = 1\n  global x', "3:3 name 'x' is assigned to before global declaration"],
    ['def f(x): global x', "1:11 name 'x' is parameter and global"],
    ['def f():\n  global x\n  x: int = 1', "3:3 annotated name 'x' can't be global"],
    ['*a', "1:1 can't use starred expression here"],
    ['*a = b', '1:1 starred assignment target must be in a list or tuple'],
    ['*a, *b = c', '1:1 multiple starred expressions in assignment'],
    ['__debug__ = 1', '1:1 cannot assign to __debug__'],
    ['def f(): from a import *', '1:10 import * only allowed at module level'],
    ['x\nfrom __future__ import division', '2:1 from __future__ imports must occur at the beginning of the file'],
    ['try: pass\nexcept: pass\nexcept A: pass', "2:1 default 'except:' must be last"],
    ['[a := 1 for a in b]', "1:2 assignment expression cannot rebind comprehension iteration variable 'a'"],
    ['[a for a in (b := c)]', '1:14 assignment expression cannot be used in a comprehension iterable expression'],
    ['match x:\n  case _: pass\n  case 1: pass', '2:8 wildcard makes remaining patterns unreachable'],
    ['match x:\n  case [a, a]: pass', "2:8 multiple assignments to name 'a' in pattern"],
    ['match x:\n  case a | [b]: pass', '2:8 alternative patterns bind different names'],
    [
      Array.from({ length: 21 }, (_, i) => `${' '.repeat(i)}while x:`).join('\n') + ' pass',
      '21:21 too many statically nested blocks',
    ],
  ])('%j', (source, expected) => {
    const { module, errors } = parsePython(source);
    expect(module).toBeNull();
    expect(errors.map(({ line, column, message }) => `${line}:${column} ${message}`)).toContain(expected);
  });

  it('is reported all at once, in the order of the source', () => {
    const { errors } = parsePython('break\ndef f(a, a): pass\nreturn\n');
    expect(errors.map((error) => error.line)).toEqual([1, 2, 3]);
  });
});

describe('limits', () => {
  it.each([
    ['a source that is too large', `x = '${'é'.repeat(MAX_SOURCE_BYTES / 2)}'`, /1:1 the source has \d+ bytes/],
    ['101 brackets', '('.repeat(101), /1:101 brackets are nested more than 100 deep/],
    ['101 nested f-strings', `${"f'{".repeat(101)}`, /1:301 f-strings are nested more than 100 deep/],
    ['signs', `${'-'.repeat(50_000)}1`, /1:\d+ the expression is nested more than 200 deep/],
    ['powers', `${'2**'.repeat(50_000)}2`, /1:\d+ the expression is nested more than 200 deep/],
    ['else branches', `${'a if b else '.repeat(20_000)}c`, /1:\d+ the expression is nested more than 200 deep/],
    ['lambdas', `${'lambda:'.repeat(30_000)}1`, /1:\d+ the expression is nested more than 200 deep/],
    ['a long sum', `1${'+1'.repeat(50_000)}`, /1:\d+ expressions and statements are nested more than 1000 deep/],
    ['a long chain of calls', `f${'()'.repeat(50_000)}`, /1:1 expressions and statements are nested more than/],
    [
      'elif branches',
      `if a: b\n${'elif a: b\n'.repeat(10_000)}`,
      /502:1 the statement has more than 500 'elif' branches/,
    ],
  ])('refuse %s', (_, source, expected) => {
    const error = firstError(source);
    expect(error).toMatch(/^limit /);
    expect(error).toMatch(expected);
  });

  it.each([
    ['100 brackets', `${'('.repeat(100)}x${')'.repeat(100)}`],
    ['a sum of 900 terms', `x = a${' + a'.repeat(899)}`],
    ['as many elif branches as allowed', `if a: b\n${'elif a: b\n'.repeat(MAX_ELIF_BRANCHES - 1)}else: c\n`],
    ['150 else branches in one line', `${'a if b else '.repeat(150)}c`],
    ['99 blocks within each other', Array.from({ length: 99 }, (_, i) => `${' '.repeat(i)}if a:`).join('\n') + ' b'],
    [
      'flat things of any length',
      `x = [${'1, '.repeat(20_000)}]\ny = ${'a and '.repeat(20_000)}a\n${'z\n'.repeat(20_000)}`,
    ],
  ])('allow %s', (_, source) => {
    expect(parsePython(source).errors).toEqual([]);
  });
});

describe('any text', () => {
  const pieces = [
    ...'()[]{}:,;.=+-*/%@&|^~<>!\'"\\# \n\t019aefx_é€😀\0\r\f',
    ...[
      'if ',
      'else ',
      'for ',
      ' in ',
      'def f',
      'class A',
      'return ',
      'lambda ',
      'yield ',
      'await ',
      'async ',
      'match x:',
    ],
    ...[
      '\n  ',
      '\n    ',
      'case ',
      "f'",
      'f"""',
      '{x',
      '!r}',
      ':=',
      '**',
      '->',
      'with ',
      'try:',
      'except ',
      'global x',
      '\ud800',
    ],
  ];
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''));

  it('is parsed or refused with a place inside it, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary', maxLength: 60 })), (source) => {
        const { module, errors } = parsePython(source);
        expect(module === null).toBe(errors.length > 0);
        const lines = source.replace(/^\ufeff/, '').split(/\r\n?|\n/);
        for (const { line, column } of errors) {
          // One past the last line and column: the end of the source.
          expect(line).toBeLessThanOrEqual(lines.length + 1);
          expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 2);
          expect(Math.min(line, column)).toBeGreaterThan(0);
        }
      }),
      { numRuns: 3000, seed: 7 },
    );
  });

  it('takes time in proportion to its length, whatever is repeated', () => {
    const repeated = fc
      .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(repeated, (unit) => {
        const source = unit.repeat(Math.floor(60_000 / unit.length));
        const started = performance.now();
        parsePython(source);
        // About 50 ms on an idle machine; quadratic work would take minutes.
        expect(performance.now() - started).toBeLessThan(3000);
      }),
      { numRuns: 60, seed: 11 },
    );
  });
});
