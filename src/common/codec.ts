/**
 * Values as JSON text and back, losing nothing that JSON cannot hold: NaN, the infinities and -0 become `{"$f": "NaN"}`
 * and so on; an object that has a key `$f` or `$o` of its own becomes `{"$o": [[key, value], ...]}`. Lone surrogates
 * and NUL are escaped by JSON itself. Text without a mark, nearly all of it, is decoded by `JSON.parse` alone.
 */
const MARK = /"\$[fo]":/;
const SPECIAL: Readonly<Record<string, number>> = { NaN, '+': Infinity, '-': -Infinity, '-0': -0 };

function mark(_key: string, value: unknown): unknown {
  if (typeof value === 'number') {
    if (Number.isFinite(value) && !Object.is(value, -0)) return value;
    return { $f: Number.isNaN(value) ? 'NaN' : value === 0 ? '-0' : value > 0 ? '+' : '-' };
  }
  return value;
}

/** Objects that would be taken for marks are turned into entry lists before numbers are marked. */
function escapeMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(escapeMarks);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, escapeMarks(member)] as const);
  return Object.hasOwn(value, '$f') || Object.hasOwn(value, '$o') ? { $o: entries } : fromEntries(entries);
}

function unmark(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmark);
  if (typeof value !== 'object' || value === null) return value;
  if (Object.hasOwn(value, '$f')) return SPECIAL[(value as { $f: string }).$f];
  if (Object.hasOwn(value, '$o')) {
    return fromEntries((value as { $o: [string, unknown][] }).$o.map(([key, member]) => [key, unmark(member)]));
  }
  return fromEntries(Object.entries(value).map(([key, member]) => [key, unmark(member)]));
}

/** `Object.fromEntries` defines own properties, also for `__proto__`; named here so that nobody replaces it by `=`. */
const fromEntries = (entries: readonly (readonly [string, unknown])[]): object => Object.fromEntries(entries);

/** Plain data (objects, arrays, numbers, texts, booleans, null) as text. */
export function encode(value: unknown): string {
  const text = JSON.stringify(value, mark);
  // Rare: only a value that itself has such a key, or a marked number, contains the mark.
  return MARK.test(text) ? JSON.stringify(escapeMarks(value), mark) : text;
}

export function decode<T>(text: string): T {
  const value: unknown = JSON.parse(text);
  return (MARK.test(text) ? unmark(value) : value) as T;
}
