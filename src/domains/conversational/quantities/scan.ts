/**
 * All quantities of a text. Works on normalised text (`text.ts`) from left to right; every expression is sticky and
 * bounded, so that time is linear.
 */
import type { Quantity, Mutable, Read } from './quantity.js';
import { DECIMAL_COMMA, digitsAt, VULGAR } from './digits.js';
import { at } from './sticky.js';
import { wordsAt } from './number-words.js';
import { CURRENCIES, type Unit } from '../units.js';
import { relate } from './neighbours.js';
import { magnitudeAt, PERCENT, currencyAfter, changeAt, dividedBy, unitAt } from './suffixes.js';

const SIGN = /(?:[a-z]{1,2})?[$]|[\u20ac\u00a3\u00a5\u20b9\u00a2]/y;

/** "two-sided", "three arms": numbers that name a kind of thing. */
const STRUCTURE = /[ -]?(?:sided?|tailed|tails?|arm(?:ed|s)?|stages?|groups?|sample|way|phase|echelon|fold)\b/y;

/** Words before "one" that make it a pronoun. */
const PRONOUN =
  /\b(?:any|each|every|this|that|which|the|no|only|another|other|last|next|first|final|new|old|a|by|for|in|at|just|than|with|of|is|to|or|more)\s+$/;

export interface Scan {
  /** From left to right, none inside another. */
  readonly quantities: readonly Quantity[];
  /** "not 20", "instead of 20": said not to be meant. */
  readonly denied: readonly Quantity[];
}

export const scanQuantities = (text: string): readonly Quantity[] => scan(text).quantities;

export function scan(text: string): Scan {
  const found: Mutable<Quantity>[] = [];
  const isContinental = DECIMAL_COMMA.test(text);
  let i = 0;
  while (i < text.length) {
    const c = text.charAt(i);
    const isLetter = c >= 'a' && c <= 'z';
    if (isLetter || c === '\u03bc') {
      const word = at(/[a-z\u03bc][a-z0-9_\u03bc']*/y, text, i)![0];
      const currency = prefixCurrency(text, i, word);
      if (currency !== null) {
        const read = digitsAt(text, currency.end, { isMoney: true, isContinental });
        if (read !== null && Number.isFinite(read.value)) {
          i = push(found, text, i, read, currency.code, currency.scale, 1);
          continue;
        }
      }
      const spelled = wordsAt(text, i);
      if (spelled !== null && !(spelled.isWeak && spelled.value === 1 && isPronoun(text, i))) {
        const minus = MINUS.test(text.slice(Math.max(0, i - 12), i)) ? -1 : 1;
        i = push(found, text, i, spelled, null, 1, minus);
        continue;
      }
      i += word.length;
      continue;
    }
    if ((c >= '0' && c <= '9') || (c === '.' && /\d/.test(text.charAt(i + 1)) && !/[\d.]/.test(text.charAt(i - 1)))) {
      const read = digitsAt(text, i, { isMoney: false, isContinental });
      if (read !== null) {
        if (Number.isFinite(read.value)) i = push(found, text, i, read, null, 1, signBefore(text, i));
        else i = read.end;
        continue;
      }
    }
    const sign = at(SIGN, text, i);
    if (sign !== null) {
      const gap = at(/ ?/y, text, i + sign[0].length)![0].length;
      const place = i + sign[0].length + gap;
      const read = /[\d.]/.test(text.charAt(place)) ? digitsAt(text, place, { isMoney: true, isContinental }) : null;
      if (read !== null && Number.isFinite(read.value)) {
        const [code, scale] = CURRENCIES.get(sign[0]) ?? ['USD', 1];
        i = push(found, text, i, read, code, scale, signBefore(text, i));
        continue;
      }
      i = read?.end ?? place;
      continue;
    }
    if (VULGAR.has(c)) {
      i = push(found, text, i, { value: VULGAR.get(c)!, end: i + 1, isWord: false, isWeak: false }, null, 1, 1);
      continue;
    }
    i += 1;
  }
  relate(found, text);
  const denied = found.filter((_, k) => isTakenBack(found, k, text));
  const quantities = found.filter((one) => !denied.includes(one) && !isOfTheSpeaker(one, text));
  return { quantities, denied };
}

/** "65 years old", "by 5 pm", "in 2024": numbers of people and calendars, no quantities of a problem. */
function isOfTheSpeaker({ start, end, unit, currency, isPercent, value }: Quantity, text: string): boolean {
  if (currency !== null || isPercent) return false;
  const before = text.slice(Math.max(0, start - 12), start);
  const after = text.slice(end, end + 16);
  if (/^[ -]?(?:(?:years?|yrs?|months?|weeks?)[ -])?olds?\b/.test(after) || /^[ -]years?[ -]olds?\b/.test(after))
    return true;
  if (/\b(?:aged?|age of|age is) $/.test(before) && !after.startsWith('%')) return true;
  if (/^ ?(?:am|pm|a\.m|p\.m|o'clock)\b/.test(after) && value >= 0 && value < 25) return true;
  const isYear = unit === null && /^(?:19|20)\d\d$/.test(text.slice(start, end)) && /\b(?:in|since|during|year) $/.test(before); // prettier-ignore
  return isYear && /^ ?(?:$|[,.;:)?!]|(?:we|i|our|the|and|it|was|were|demand|sales|is)\b)/.test(after);
}

/** "not 1200 a year, it's 1500", "was $20 but is now $25": the first is no longer meant. */
function isTakenBack(found: readonly Quantity[], k: number, text: string): boolean {
  const one = found[k];
  const before = text.slice(Math.max(0, one.start - 16), one.start).trimEnd();
  if (DENIED.test(before)) return true;
  const next = found[k + 1];
  if (next === undefined) return false;
  const between = text.slice(one.end, Math.min(next.start, one.end + 60)).trimEnd();
  return (
    /\b(?:was|were|used to be)$/.test(before) &&
    /^(?: (?:a|per|each|every|last) [a-z]+)?,?(?: but| and)?(?: it)?(?:'s| is| are)? now(?: at| it'?s| it is)?$/.test(
      between,
    )
  );
}

/** A number that directly follows is not meant: "not 20 but 15", "15, not 20", "15 instead of 20". */
const DENIED =
  /(?:(?<!\b(?:why|if|or|only|about) )\bnot|\b(?:isn't|isnt|wasn't|wasnt|aren't|arent|instead of|rather than))$/;

const isPronoun = (text: string, place: number): boolean =>
  PRONOUN.test(text.slice(Math.max(0, place - 12), place)) ||
  at(/one (?:of|thing|product|part|item|unit|more|can|should|must|time)\b|one[-']/y, text, place) !== null;

/** "usd 500", "eur20", "us$5", "rs. 500". */
function prefixCurrency(
  text: string,
  place: number,
  word: string,
): { code: string; scale: number; end: number } | null {
  const signed = at(/(us|ca|au|c|a|r|hk|nz|s)\$ ?/y, text, place);
  if (signed !== null) {
    const [code, scale] = CURRENCIES.get(signed[0].trim()) ?? ['USD', 1];
    return { code, scale, end: place + signed[0].length };
  }
  const name = /^([a-z]+)/.exec(word)![1];
  const known = CURRENCIES.get(name);
  if (known === undefined || known[0] === '' || name.length > 3 || name === 'fr' || name === 'kr') return null;
  const gap = at(/\.? ?/y, text, place + name.length)![0].length;
  return /\d/.test(text.charAt(place + name.length + gap))
    ? { code: known[0], scale: known[1], end: place + name.length + gap }
    : null;
}

const MINUS = /(?<!or )(?:minus|negative) $/;

/** -1 for a minus that belongs to the number, not to a range or a list dash. */
function signBefore(text: string, place: number): 1 | -1 {
  if (text.charAt(place - 1) !== '-') return MINUS.test(text.slice(Math.max(0, place - 12), place)) ? -1 : 1;
  const before = text.charAt(place - 2);
  if (before === '' || /[\s(,;:=[{<>/$]/.test(before)) {
    // "10 -20" is a range when a number stands before.
    return /\d ?$/.test(text.slice(Math.max(0, place - 3), place - 1)) ? 1 : -1;
  }
  return 1;
}

/** Adds what belongs to the number; returns where to go on. */
function push(
  found: Mutable<Quantity>[],
  text: string,
  start: number,
  read: Read,
  code: string | null,
  scale: number,
  sign: 1 | -1,
): number {
  let { value, end } = read;
  let currency = code;
  let divisor = scale;
  for (let again = 0; again < 2; again++) {
    const magnitude = magnitudeAt(text, end, currency !== null, read.isWord);
    if (magnitude === null) break;
    value *= magnitude.factor;
    end = magnitude.end;
  }
  const percent = at(PERCENT, text, end);
  let isPercent = false;
  let unit: Unit | null = null;
  const over: Unit[] = [];
  if (percent !== null) {
    isPercent = true;
    divisor = percent[1].startsWith('b') ? 10_000 : percent[1] === '\u2030' ? 1_000 : 100;
    end += percent[0].length;
  } else {
    if (currency === null) {
      const money = currencyAfter(text, end);
      if (money !== null) {
        ({ code: currency, scale: divisor, end } = money);
        const change = divisor === 1 && Number.isInteger(value) ? changeAt(text, end) : null;
        if (change !== null) {
          value += change.cents / 100;
          end = change.end;
        }
      } else {
        const inverse = dividedBy(text, end, true);
        const physical = inverse === null ? unitAt(text, end, / ?-?/y) : null;
        if (physical !== null) ({ unit, end } = physical);
      }
    }
    for (let k = 0; k < 3; k++) {
      const divided =
        unit !== null || currency === null ? dividedBy(text, end, unit === null && over.length === 0) : null;
      if (divided === null) break;
      over.push(divided.unit);
      end = divided.end;
    }
  }
  // "$12 per dozen" is the price of twelve.
  const dozen = isPercent ? null : at(currency === null ? / ?(?:\/|per) ?dozen\b/y : / ?(?:\/|per|an?|(?:for )?(?:every|each|a)) ?dozen\b/y, text, end); // prettier-ignore
  if (dozen !== null) {
    divisor *= 12;
    end += dozen[0].length;
  }
  // "15 EUR/100 pieces".
  const many = currency === null ? null : at(/ ?(?:\/|per|(?:for )?(?:every|each)) ?(100|1,?000|hundred|thousand)(?![\d.,%]|[a-z])/y, text, end); // prettier-ignore
  if (many !== null) {
    divisor *= many[1].startsWith('h') || many[1] === '100' ? 100 : 1_000;
    end += many[0].length;
  }
  const place = sign === -1 && text.charAt(start - 1) === '-' ? start - 1 : start;
  found.push({
    start: place,
    end,
    value: (sign * value) / divisor,
    written: sign * value,
    isPercent,
    currency,
    unit,
    over,
    per: null,
    comparison: null,
    isAbout: false,
    isChange: false,
    isDisposal: false,
    range: null,
    isSpread: false,
    isWeak: (read.isWeak || at(STRUCTURE, text, end) !== null) && currency === null && !isPercent && unit === null,
    isInherited: false,
  });
  return Math.max(end, start + 1);
}
