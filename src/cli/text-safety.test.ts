import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { forReader, printable, printableLines, quoted, terminalJson } from './text-safety.js';

const hostile = 'a\x1b[31m\x9b2J\x07\x7f\u202eb\r\u2028\u00e9\u{1f600}\t';

describe('text of others', () => {
  it('does nothing on a terminal', () => {
    expect(printable(`${hostile}\nz`)).toBe('a?[31m?2J???b??\u00e9\u{1f600}\t?z');
    expect(printableLines(`${hostile}\nz`)).toBe('a?[31m?2J???b??\u00e9\u{1f600}\t\nz');
  });

  it('breaks between words on a terminal, under its own indent, and nowhere else', () => {
    const text = '- one two three four five six\n  name: a-word-that-is-longer-than-the-terminal is wide\n\nend\x1b';
    expect(forReader(text, { isTTY: true, columns: 20 })).toBe(
      '- one two three four\n  five six\n  name:\n  a-word-that-is-longer-than-the-terminal\n  is wide\n\nend?',
    );
    const whole = text.replace('\x1b', '?');
    for (const stream of [
      { isTTY: false, columns: 20 },
      { isTTY: true, columns: 0 },
    ]) {
      expect(forReader(text, stream)).toBe(whole);
    }
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
