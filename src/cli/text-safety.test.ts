import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { forReader, printable, printableLines, quoted, terminalJson } from './text-safety.js';

const hostile = 'a\x1b[31m\x9b2J\x07\x7f\u202eb\r\u2028\u00e9\u{1f600}\t';

describe('text of others', () => {
  it('does nothing on a terminal', () => {
    expect(printable(`${hostile}\nz`)).toBe('a?[31m?2J???b??\u00e9\u{1f600}\t?z');
    expect(printableLines(`${hostile}\nz`)).toBe('a?[31m?2J???b??\u00e9\u{1f600}\t\nz');
  });

  it('breaks long lines between words on a terminal, under their indent, and nowhere else', () => {
    const on = (columns: number | undefined) => ({ isTTY: true, columns, write: () => true });
    const text =
      '- one two three four five six\n  name: a-word-that-is-longer-than-the-terminal is wide\n\nmy  plan\x1b';
    expect(forReader(text, on(22))).toBe(
      '- one two three four\n  five six\n  name:\n  a-word-that-is-longer-than-the-terminal\n  is wide\n\nmy  plan?',
    );
    const whole = text.replace('\x1b', '?');
    // A terminal that does not know its size is taken for one of 80 columns.
    for (const stream of [{ ...on(22), isTTY: false }, on(0), on(undefined)])
      expect(forReader(text, stream)).toBe(whole);
    const deep = `${' '.repeat(30)}four words of text`;
    expect(forReader(deep, on(25))).toBe(deep);
  });

  it('is the same again when it is read as JSON', () => {
    const text = terminalJson({ [hostile]: [hostile] });
    expect(printableLines(text)).toBe(text);
    expect(JSON.parse(text)).toEqual({ [hostile]: [hostile] });
  });

  it.each(['a.json', 'with space', "it's", '-dash', '$(id)', 'a\nb', "a\x1b[31mb\\c'd", '\u202e\u00e9', ''])(
    'is quoted for a shell: %j',
    (name) => {
      const text = quoted(name);
      expect(printable(text)).toBe(text);
      const { stdout } = spawnSync('bash', ['-c', `printf %s ${text}`], { encoding: 'utf8' });
      expect(stdout).toBe(name);
    },
  );
});
