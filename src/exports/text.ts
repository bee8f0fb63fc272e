/**
 * The policy for characters, the same in every format: what no format can hold is replaced by U+FFFD, the replacement
 * character, so that it shows and does no harm.
 */

/** Lone surrogates, noncharacters, and control characters other than tab, line feed and carriage return. */
const UNWRITABLE = /[\p{Cs}\uFFFE\uFFFF]|(?![\t\n\r])\p{Cc}/gu;

export const REPLACEMENT = '\uFFFD';

export const writable = (text: string): string => text.replaceAll(UNWRITABLE, REPLACEMENT);

/** The text cut to `limit` UTF-16 units, with `…` in the place of the rest; no pair of surrogates is cut in two. */
export function cutTo(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const isPair = /[\uD800-\uDBFF]/.test(text[limit - 2] ?? '');
  return text.slice(0, limit - (isPair ? 2 : 1)) + '…';
}
