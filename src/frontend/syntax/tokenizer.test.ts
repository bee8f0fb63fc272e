import { describe, expect, it } from 'vitest';
import { SyntaxFailure, tokenize } from './tokenizer.js';

/** Tokens as `kind:text`, with `text` what stands in the source. */
function tokens(code: string): string[] {
  const { source, tokens } = tokenize(code);
  return tokens.map(({ kind, start, end }) => {
    const text = kind === 'newline' || kind === 'indent' || kind === 'dedent' ? '' : source.slice(start, end);
    return text === '' ? kind : `${kind}:${text}`;
  });
}

function failure(code: string): unknown {
  try {
    return tokenize(code).interruption;
  } catch (thrown) {
    if (thrown instanceof SyntaxFailure) return thrown.diagnostic;
    throw thrown;
  }
}

describe('blocks', () => {
  it('begin and end with the indentation, whatever blank and comment lines say', () => {
    expect(tokens('if a:\n  b\n\n# c\n      # d\n  e\nf')).toEqual([
      'keyword:if',
      'name:a',
      'operator::',
      'newline',
      'indent',
      'name:b',
      'newline',
      'name:e',
      'newline',
      'dedent',
      'name:f',
      'newline',
      'end',
    ]);
  });

  it('count a tab to the next multiple of 8 and start anew at a form feed', () => {
    expect(tokens('if a:\n\tb\n\tc').filter((token) => token === 'indent' || token === 'dedent')).toEqual([
      'indent',
      'dedent',
    ]);
    expect(tokens('  \f a')).toContain('indent');
    expect(tokens('  \fa')).not.toContain('indent');
    expect(failure('if a:\n\tb\n        c')).toMatchObject({ message: /inconsistent use of tabs/, line: 3 });
  });

  it('close at the end of the source, unless a bracket is open', () => {
    expect(tokens('if a:\n if b:\n  c').slice(-3)).toEqual(['dedent', 'dedent', 'end']);
    expect(tokens('if a:\n (b').at(-2)).toBe('name:b');
    expect(tokenize('if a:\n (b').unclosed).toEqual({ symbol: '(', line: 2, column: 2 });
  });

  it('may be 99 deep', () => {
    const nested = (depth: number) => Array.from({ length: depth + 1 }, (_, i) => `${' '.repeat(i)}a`).join('\n');
    expect(failure(nested(99))).toBeNull();
    expect(failure(nested(100))).toMatchObject({ message: 'too many levels of indentation', line: 101 });
  });
});

describe('lines', () => {
  it('join within brackets and behind a backslash', () => {
    expect(tokens('(a,\n  b)\nc \\\n  d')).toEqual([
      'operator:(',
      'name:a',
      'operator:,',
      'name:b',
      'operator:)',
      'newline',
      'name:c',
      'name:d',
      'newline',
      'end',
    ]);
  });

  it('keep their numbers behind strings of several lines', () => {
    const { tokens: all } = tokenize("'''a\nb''' c\n'd\\\ne' f");
    expect(all.filter(({ kind }) => kind === 'name').map(({ line, column }) => [line, column])).toEqual([
      [2, 6],
      [4, 4],
    ]);
  });
});

describe('tokens', () => {
  it('are the longest that match', () => {
    expect(tokens('a**=b//c->d:=e...f!=g').filter((token) => token.startsWith('operator'))).toEqual([
      'operator:**=',
      'operator://',
      'operator:->',
      'operator::=',
      'operator:...',
      'operator:!=',
    ]);
  });

  it('end a number before a keyword', () => {
    expect(tokens('1if 2else 3').slice(0, 5)).toEqual([
      'number:1',
      'keyword:if',
      'number:2',
      'keyword:else',
      'number:3',
    ]);
    expect(tokens('1.real'.replace('.', ' .')).slice(0, 3)).toEqual(['number:1', 'operator:.', 'name:real']);
  });

  it('take every string prefix, in every case, and no other', () => {
    for (const prefix of ['', 'r', 'R', 'b', 'B', 'u', 'U', 'br', 'Rb', 'bR', 'RB']) {
      expect(tokens(`${prefix}'a'`)[0]).toBe(`string:${prefix}'a'`);
    }
    for (const prefix of ['ub', 'bu', 'ur', 'fb', 'rr', 'x']) expect(tokens(`${prefix}'a'`)[0]).toBe(`name:${prefix}`);
    for (const prefix of ['f', 'F', 'fr', 'Rf']) expect(tokens(`${prefix}'a'`)[0]).toBe(`fstring-start:${prefix}'`);
  });
});

describe('f-strings', () => {
  it('alternate between text and expressions, at any depth', () => {
    expect(tokens(`f'a{b:{c}d}{{'`)).toEqual([
      "fstring-start:f'",
      'fstring-middle:a',
      'operator:{',
      'name:b',
      'operator::',
      'operator:{',
      'name:c',
      'operator:}',
      'fstring-middle:d',
      'operator:}',
      'fstring-middle:{',
      "fstring-end:'",
      'newline',
      'end',
    ]);
  });

  it('may hold the same quotes, brackets with colons, and walruses in brackets', () => {
    expect(tokens(`f'{a['b']}'`)).toContain("string:'b'");
    expect(tokens(`f'{ {1: 2}[x:y] }'`)).not.toContain('fstring-middle: 2');
    expect(tokens(`f'{(a:=b)}'`)).toContain('operator::=');
    expect(tokens(`f'{a:=b}'`)).toContain('fstring-middle:=b');
    expect(tokens(`f'{a!=b}'`)).toContain('operator:!=');
  });

  it('take a character name for text', () => {
    expect(tokens(`f'\\N{BULLET}{a}'`)[1]).toBe('fstring-middle:\\N{BULLET}');
    expect(tokens(`rf'\\N{BULLET}'`)).toContain('name:BULLET');
  });
});
