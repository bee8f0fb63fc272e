/**
 * Values of number and string literals from their source text (CPython: `Parser/string_parser.c`, `parsenumber_raw`).
 * Knows nothing of tokens; a literal that CPython refuses is reported as a message.
 */

type Decoded = { readonly value: string; readonly error: null } | { readonly value: null; readonly error: string };

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const HEX_ESCAPE_LENGTH: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Splits a string literal as written into its lower-case prefix and what stands between the quotes. */
export function splitStringLiteral(literal: string): { readonly prefix: string; readonly body: string } {
  const quoteAt = literal.search(/["']/);
  const quote = literal.charAt(quoteAt);
  const size = literal.startsWith(quote.repeat(3), quoteAt) && literal.length >= quoteAt + 6 ? 3 : 1;
  return {
    prefix: literal.slice(0, quoteAt).toLowerCase(),
    body: literal.slice(quoteAt + size, literal.length - size),
  };
}

/**
 * Replaces escape sequences. Unknown ones stay as written, as in Python. `\N{...}` becomes U+FFFD: the table of
 * character names is not part of JavaScript.
 */
export function decodeText(body: string): Decoded {
  if (!body.includes('\\')) return { value: body, error: null };
  let value = '';
  let position = 0;
  while (position < body.length) {
    const backslash = body.indexOf('\\', position);
    if (backslash < 0 || backslash === body.length - 1) break;
    value += body.slice(position, backslash);
    const escape = body.charAt(backslash + 1);
    position = backslash + 2;
    const simple = SIMPLE_ESCAPES[escape];
    const hexLength = HEX_ESCAPE_LENGTH[escape];
    if (simple !== undefined) {
      value += simple;
    } else if (hexLength !== undefined) {
      const digits = /^[0-9a-fA-F]*/.exec(body.slice(position, position + hexLength))?.[0] ?? '';
      const end = position + digits.length - 1;
      if (digits.length < hexLength) {
        return unicodeError(backslash, end, `truncated \\${escape}${'X'.repeat(hexLength)} escape`);
      }
      const codePoint = parseInt(digits, 16);
      if (codePoint > 0x10ffff) return unicodeError(backslash, end, 'illegal Unicode character');
      value += String.fromCodePoint(codePoint);
      position += hexLength;
    } else if (escape === 'N') {
      const name = /^\{[^}]+\}/.exec(body.slice(position))?.[0];
      if (name === undefined) return unicodeError(backslash, backslash + 1, 'malformed \\N character escape');
      value += '\ufffd';
      position += name.length;
    } else if (escape >= '0' && escape <= '7') {
      const digits = /^[0-7]{1,3}/.exec(body.slice(position - 1, position + 2))?.[0] ?? '0';
      value += String.fromCharCode(parseInt(digits, 8));
      position += digits.length - 1;
    } else {
      value += `\\${escape}`;
    }
  }
  return { value: value + body.slice(position), error: null };
}

function unicodeError(start: number, end: number, reason: string): Decoded {
  const place = `position ${start}-${end}`;
  return { value: null, error: `(unicode error) 'unicodeescape' codec can't decode bytes in ${place}: ${reason}` };
}

/** The message with which CPython refuses the body of a bytes literal, or null. */
export function bytesError(body: string, isRaw: boolean): string | null {
  for (let i = 0; i < body.length; i++) {
    if (body.charCodeAt(i) >= 0x80) return 'bytes can only contain ASCII literal characters';
  }
  if (isRaw) return null;
  for (let at = body.indexOf('\\'); at >= 0; at = body.indexOf('\\', at + 2)) {
    if (body.charAt(at + 1) === 'x' && !/^[0-9a-fA-F]{2}/.test(body.slice(at + 2, at + 4))) {
      return `(value error) invalid \\x escape at position ${at}`;
    }
  }
  return null;
}

/** CPython's default `sys.int_info.default_max_str_digits`. */
const MAX_DECIMAL_DIGITS = 4300;

type ParsedNumber =
  | { readonly kind: 'Int'; readonly text: string; readonly value: number | null }
  | { readonly kind: 'Float'; readonly value: number }
  | { readonly kind: 'Imaginary'; readonly value: number };

/** Value of a number literal that the tokenizer accepted; a string is the message with which CPython refuses it. */
export function parseNumber(literal: string): ParsedNumber | string {
  const text = literal.includes('_') ? literal.replaceAll('_', '') : literal;
  if (/^0[xXoObB]/.test(text)) return parseInteger(text);
  if (/[jJ]$/.test(text)) return { kind: 'Imaginary', value: Number(text.slice(0, -1)) };
  if (/[.eE]/.test(text)) return { kind: 'Float', value: Number(text) };
  if (text.length > MAX_DECIMAL_DIGITS && text.replace(/^0+/, '').length > 0) {
    return (
      `Exceeds the limit (${MAX_DECIMAL_DIGITS} digits) for integer string conversion: value has ${text.length} ` +
      'digits; consider hexadecimal for huge integer literals'
    );
  }
  return parseInteger(text);
}

function parseInteger(text: string): ParsedNumber {
  const value = Number(text);
  const isExact = value < 2 ** 53 || (value === 2 ** 53 && BigInt(text) === 2n ** 53n);
  return { kind: 'Int', text, value: isExact ? value : null };
}
