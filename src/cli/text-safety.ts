/** Text of others (file names, messages of Python, ...) on a terminal: nothing of it may act there. */
import { sizeOf, type TerminalStream } from './terminal.js';

/** Controls but tab, and what turns the direction of writing. */
const ACTING = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** One line, without what would act on the terminal. */
export const printable = (text: string): string => text.replace(ACTING, '?');

/** The same of text of several lines, which stay. */
export const printableLines = (text: string): string =>
  text.replace(ACTING, (character) => (character === '\n' ? character : '?'));

/** JSON that a terminal shows as it is: `JSON.stringify` leaves the upper control characters as they are. */
export const terminalJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(ACTING, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Name quoted for a shell; characters that cannot be shown are in its escapes. */
export function quoted(name: string): string {
  if (/^[\w./@%+=:,-]+$/.test(name) && !name.startsWith('-')) return name;
  if (printable(name) === name) return `'${name.replaceAll("'", "'\\''")}'`;
  const escaped = name
    .replace(/['\\]/g, '\\$&')
    .replace(ACTING, (character) =>
      [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
    );
  return `$'${escaped}'`;
}

/** Lines of words, none longer than `width` but for longer words. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** Words of an indented line have at least so many. */
const LEAST_COLUMNS = 20;

/** Text for `stream`. On a terminal, long lines are broken between words; the terminal would break them anywhere. */
export function forReader(text: string, stream: TerminalStream): string {
  const shown = printableLines(text);
  if (!stream.isTTY) return shown;
  const { columns } = sizeOf(stream);
  const fitting = (line: string): string => {
    if (line.length <= columns) return line;
    const indent = /^\s*(?:- )?/.exec(line)![0];
    const rest = ' '.repeat(indent.length);
    return wrap(line.slice(indent.length), Math.max(LEAST_COLUMNS, columns - indent.length))
      .map((part, i) => `${i === 0 ? indent : rest}${part}`)
      .join('\n');
  };
  return shown.split('\n').map(fitting).join('\n');
}

/** Prints on standard error. */
export const complain = (message: string): void => console.error(printableLines(message));
