/**
 * The shape of a source: what is left of it without its numbers. Two sources of one shape are the same program with
 * other data, also where there are more or fewer of them: a list of numbers, or of rows of numbers, counts as one
 * number.
 */
import { createHash } from 'node:crypto';
import { tokenize, type Token } from './tokenizer.js';

const NUMBER = '#';
/** Rows of rows of numbers up to this depth are data. */
const MAX_NESTING = 4;
/** After these a sign belongs to the number that follows. */
const OPENING: ReadonlySet<string> = new Set(['', '(', '[', '{', ',', ':', '=', '+', '-', '*', '/', 'return']);

/**
 * SHA-256 of the shape, lowercase hex. Names, strings without their numbers, operators and blocks count; comments and
 * space do not.
 *
 * @param code a source that can be tokenized
 * Cost: O(length).
 */
export function shapeOf(code: string): string {
  const { source, tokens } = tokenize(code);
  const parts: string[] = [];
  tokens.forEach((token, k) => {
    if (isSign(token, tokens[k - 1], tokens[k + 1])) return;
    parts.push(partOf(token, source));
  });
  let text = parts.join(' ');
  for (let depth = 0; depth < MAX_NESTING; depth++) text = joined(text);
  return createHash('sha256').update(text).digest('hex');
}

function partOf({ kind, symbol, name, start, end }: Token, source: string): string {
  if (kind === 'number') return NUMBER;
  if (kind === 'string' || kind === 'fstring-middle') return withoutNumbers(source.slice(start, end));
  return symbol || name || kind;
}

const isSign = ({ symbol }: Token, before: Token | undefined, after: Token | undefined): boolean =>
  (symbol === '-' || symbol === '+') &&
  after?.kind === 'number' &&
  OPENING.has(before?.symbol ?? '') &&
  before?.kind !== 'name';

/** A text without the numbers of the data in it, such as CSV or JSON. */
const withoutNumbers = (text: string): string =>
  text.replace(/[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/g, NUMBER).replace(/#(?:[\s,;]+#)+/g, NUMBER);

/** Numbers in a row, and rows that hold nothing else, become one number. */
const joined = (text: string): string =>
  text
    .replace(/#(?: , #)+(?: ,)?/g, NUMBER)
    .replace(/\[ #(?: ,)? \]/g, NUMBER)
    .replace(/\( #(?: ,)? \)/g, NUMBER);
