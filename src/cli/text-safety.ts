/** Text of others (file names, messages of Python, ...) on a terminal: nothing of it may act there. */

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

/** Prints on standard error. */
export const complain = (message: string): void => console.error(printableLines(message));
