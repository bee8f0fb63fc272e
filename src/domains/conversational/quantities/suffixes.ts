/** Words and signs that directly follow a number: percent, magnitude, currency, unit. */
import { at } from './sticky.js';
import { MAGNITUDES, CURRENCIES, type Unit, UNITS } from '../units.js';
import { wordsAt } from './number-words.js';

export const PERCENT =
  / ?-?(%|percentage points?\b|percent\b|per cent\b|perc\b|pct\b|procent\b|prozent\b|pp\b|basis points?\b|bps\b|bp\b|\u2030)/y;
const MAGNITUDE = /( ?-?)([a-z]+)(?![a-z0-9])/y;

export function magnitudeAt(
  text: string,
  place: number,
  isMoney: boolean,
  isWord: boolean,
): { factor: number; end: number } | null {
  const found = at(MAGNITUDE, text, place);
  if (found === null) return null;
  const [whole, gap = '', name = ''] = found;
  if (!Object.hasOwn(MAGNITUDES, name)) return null;
  const isShort = name.length <= 2;
  if (isWord && isShort) return null;
  const end = place + whole.length;
  if (name === 'hundred' && gap === '') return null;
  if (isShort && gap.includes('-')) return null;
  if (['b', 'cr', 'tn', 'mm'].includes(name) && !isMoney) return null;
  // "5 m" is a length, "5m users" and "$5m" are millions.
  if (name === 'm' && !isMoney && (gap !== '' || !/^ [a-z]{3,}/.test(text.slice(end, end + 5)) || /^ (?:long|wide|high|tall|apart|from|per|and|away|each)\b/.test(text.slice(end, end + 8)))) return null; // prettier-ignore
  return { factor: MAGNITUDES[name], end };
}

export function currencyAfter(text: string, place: number): { code: string; scale: number; end: number } | null {
  const pence = at(/p(?![a-z0-9.'/-])/y, text, place);
  // "22.5c", beside the digits; 20 °C has a sign or a space.
  if (pence === null && at(/c(?![a-z0-9'+#])/y, text, place) !== null && /\d/.test(text.charAt(place - 1)))
    return { code: '', scale: 100, end: place + 1 };
  if (pence !== null) return { code: 'GBP', scale: 100, end: place + 1 };
  const sign = at(/ ?([$\u20ac\u00a3\u00a5\u20b9\u00a2])(?! ?\d)/y, text, place);
  const word = sign ?? at(/ ?-?(?:us )?([a-z]+)(?![a-z0-9])/y, text, place);
  if (word === null) return null;
  const known = CURRENCIES.get(word[1]);
  if (known === undefined) return null;
  return { code: known[0], scale: known[1], end: place + word[0].length };
}

/** "two pounds fifty", "4 euros 50", "3 dollars and 20 cents". */
export function changeAt(text: string, place: number): { cents: number; end: number } | null {
  const digits = at(/ (?:and )?(\d{2})(?: (?:cents?|pence|p)\b|(?![\d.,%:/a-z])(?! [a-z0-9]))/y, text, place);
  if (digits !== null) return { cents: Number(digits[1]), end: place + digits[0].length };
  const gap = at(/ (?:and )?/y, text, place)?.[0].length;
  const spelled = gap === undefined ? null : wordsAt(text, place + gap);
  if (spelled === null || spelled.isWeak || !Number.isInteger(spelled.value) || spelled.value < 5 || spelled.value > 99)
    return null;
  const after = at(/ (?:cents?|pence)\b/y, text, spelled.end);
  const isClosed = after !== null || at(/ ?(?:$|[.,;!?)])/y, text, spelled.end) !== null;
  return isClosed ? { cents: spelled.value, end: spelled.end + (after?.[0].length ?? 0) } : null;
}

export function unitAt(text: string, place: number, gap: RegExp): { unit: Unit; end: number } | null {
  const from = place + (at(gap, text, place)?.[0].length ?? 0);
  const found = at(/m3|m\u00b3|[a-z\u03bc]+/y, text, from);
  if (found === null) return null;
  const [name] = found;
  const unit = UNITS.get(name);
  if (unit === undefined) return null;
  const after = text.charAt(from + name.length);
  if (/[a-z0-9]/.test(after)) return null;
  // "a second stage", "at 20 a day": letters that are words of their own.
  if (
    name === 's' ||
    (name === 'd' && from !== place) ||
    (name === 't' && after === "'") ||
    (name === 'w' && after === '/')
  )
    return null;
  if (name.length === 1 && from === place + 1 && /^['(]/.test(after)) return null;
  return { unit, end: from + name.length };
}

/** "/h", " per hour", " h-1", "/l". `isBare`: no unit before, so that only a time can follow. */
export function dividedBy(text: string, place: number, isBare: boolean): { unit: Unit; end: number } | null {
  const sign = at(/ ?(?:\/|per) ?/y, text, place);
  if (sign !== null) {
    const found = unitAt(text, place + sign[0].length, /(?:a )?/y);
    // A rate of something counted keeps its period apart: "200/month".
    if (found === null || (isBare && found.unit.name !== 'hour' && found.unit.dimension !== 'dose')) return null;
    return found;
  }
  const inverse = at(/ (?:h\^?-1|1\/h)(?![a-z0-9])/y, text, place);
  return inverse === null ? null : { unit: UNITS.get('h')!, end: place + inverse[0].length };
}
