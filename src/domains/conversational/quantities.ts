/**
 * Numbers of a text with what belongs to them: sign, magnitude, percent, currency, unit, period, comparison, range.
 * Works on normalised text (`text.ts`) from left to right; every expression is sticky and bounded, so that time is
 * linear.
 */
import { CURRENCIES, MAGNITUDES, PERIOD_WORDS, UNITS, type Unit } from './units.js';

export interface Quantity {
  /** Span of number, sign, currency and unit. */
  readonly start: number;
  readonly end: number;
  /** As it counts: percent divided by 100, cents by 100, magnitudes multiplied. Units are not converted. */
  readonly value: number;
  /** Number that the words or digits say, before percent and cents. */
  readonly written: number;
  readonly isPercent: boolean;
  /** ISO code; empty: money of a currency that is not said. Null: not said to be money. */
  readonly currency: string | null;
  /** Physical unit, and the units that it is divided by: mg/L has mg and [l]. */
  readonly unit: Unit | null;
  readonly over: readonly Unit[];
  /** Period of a rate: "a month", "/yr". */
  readonly per: string | null;
  readonly comparison: 'at_least' | 'at_most' | 'more_than' | 'less_than' | null;
  readonly isAbout: boolean;
  /** "an improvement of 15 points": no level, but the way from one to another. */
  readonly isChange: boolean;
  /** "3 each to dispose of": paid to be rid of something. */
  readonly isDisposal: boolean;
  /** Ends of a range point at each other. */
  readonly range: 'low' | 'high' | null;
  /** "give or take 30", "+/- 30". */
  readonly isSpread: boolean;
  /** "one", "half", "a couple": often no quantity at all. */
  readonly isWeak: boolean;
  /** Takes its unit from a later number of the same list. */
  readonly isInherited: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const ONES = words('zero nil one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen', [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]); // prettier-ignore
const TENS = words(
  'twenty thirty forty fourty fifty sixty seventy eighty ninety',
  [20, 30, 40, 40, 50, 60, 70, 80, 90],
);
const SCALES = words('hundred thousand million billion trillion lakh crore', [100, 1e3, 1e6, 1e9, 1e12, 1e5, 1e7]);
const PARTS = words(
  'half halves third thirds quarter quarters fifth fifths sixth eighth tenth tenths hundredth hundredths thousandth thousandths',
  [2, 2, 3, 3, 4, 4, 5, 5, 6, 8, 10, 10, 100, 100, 1000, 1000],
);
const VULGAR = words('\u00bd \u00bc \u00be \u2153 \u2154 \u215b \u2155', [
  1 / 2,
  1 / 4,
  3 / 4,
  1 / 3,
  2 / 3,
  1 / 8,
  1 / 5,
]);

function words(names: string, values: readonly number[]): ReadonlyMap<string, number> {
  return new Map(names.split(' ').map((name, i) => [name, values[i]]));
}

/** Sticky expressions at a place. */
function at(expression: RegExp, text: string, place: number): RegExpExecArray | null {
  expression.lastIndex = place;
  return expression.exec(text);
}

const WORD = /[a-z\u03bc]+/y;
const GROUPED = [
  // 1,200,000 and 12,50,000
  [/\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,20})?(?![\d])(?!,\d)/y, /,/g],
  [/\d{1,2}(?:,\d{2}){1,6},\d{3}(?:\.\d{1,20})?(?![\d])(?!,\d)/y, /,/g],
  [/\d{1,3}(?:'\d{3}){1,6}(?:\.\d{1,20})?(?!\d)/y, /'/g],
] as const;
const CONTINENTAL = [/\d{1,3}(?:\.\d{3}){2,6}(?:,\d{1,6})?(?![\d.])/y, /\d{1,3}\.\d{3},\d{1,2}(?!\d)(?!,\d)/y];
const SPACED = /\d{1,3}(?: \d{3}){1,5}(?![\d])(?! \d{3}(?!\d))(?:\.\d{1,20})?/y;
const PLAIN = /(?:\d{1,400}(?:\.\d{1,400})?|\.\d{1,400})(?:e[+-]?\d{1,3}(?![a-z0-9]))?/y;
const POWER_OF_TEN = /(?: ?[x*\u00b7] ?10 ?(?:\^|\*\*)? ?\(?([+-]?\d{1,3})\)?)/y;
const SUPERSCRIPT_POWER = / ?[x*\u00b7] ?10([\u207a\u207b]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{1,3})/y;
const SUPERSCRIPTS = '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079';
const PERCENT =
  / ?-?(%|percentage points?\b|percent\b|per cent\b|perc\b|pct\b|procent\b|prozent\b|pp\b|basis points?\b|bps\b|bp\b|\u2030)/y;
const MAGNITUDE = /( ?-?)([a-z]+)(?![a-z0-9])/y;
const SIGN = /(?:[a-z]{1,2})?[$]|[\u20ac\u00a3\u00a5\u20b9\u00a2]/y;

/** "two-sided", "three arms": numbers that name a kind of thing. */
const STRUCTURE = /[ -]?(?:sided?|tailed|tails?|arm(?:ed|s)?|stages?|groups?|sample|way|phase|echelon|fold)\b/y;

interface Read {
  readonly value: number;
  readonly end: number;
  readonly isWord: boolean;
  readonly isWeak: boolean;
}

/** Money with a decimal comma: points of the same text separate thousands. */
const DECIMAL_COMMA =
  /(?<![\d.,])(?:\d{1,6},\d{1,2}|0,\d{1,6}) ?(?:\u20ac|eur\b|euros?\b)|\u20ac ?(?:\d{1,6},\d{1,2}|0,\d{1,6})(?![\d,])/;

/** Digits. `isMoney`: a currency sign stands before. */
function digitsAt(
  text: string,
  place: number,
  { isMoney, isContinental }: { readonly isMoney: boolean; readonly isContinental: boolean },
): Read | null {
  const done = (raw: string, value: number): Read => ({
    value,
    end: place + raw.length,
    isWord: false,
    isWeak: false,
  });
  const insidePair = isInPair(text, place);
  if (!insidePair) {
    for (const [expression, sign] of GROUPED) {
      const found = at(expression, text, place);
      if (found !== null && !(found[0].startsWith('0') && found[0].length > 4))
        if (!/^0,/.test(found[0])) return done(found[0], Number(found[0].replaceAll(sign, '')));
    }
    for (const expression of CONTINENTAL) {
      const found = at(expression, text, place);
      if (found !== null) return done(found[0], Number(found[0].replaceAll('.', '').replace(',', '.')));
    }
    const euros = at(
      isContinental ? /(\d{1,3})\.(\d{3})(?![\d.,])/y : /(\d{1,3})\.(\d{3})(?= ?(?:\u20ac|eur))/y,
      text,
      place,
    );
    if (euros !== null) return done(euros[0], Number(`${euros[1]}${euros[2]}`));
    const spaced = at(SPACED, text, place);
    if (spaced !== null && isOneNumber(spaced[0])) return done(spaced[0], Number(spaced[0].replaceAll(' ', '')));
    const comma = at(/(\d{1,9}),(\d{1,6})(?![\d])(?!,\d)(?! ?,)/y, text, place);
    if (comma !== null && isDecimalComma(text, comma, isMoney, place))
      return done(comma[0], Number(`${comma[1]}.${comma[2]}`));
  }
  const plain = at(PLAIN, text, place);
  if (plain === null) return null;
  let value = Number(plain[0]);
  let { end } = done(plain[0], value);
  const beyond = at(/\d+/y, text, end);
  if (beyond !== null) return { value: NaN, end: end + beyond[0].length, isWord: false, isWeak: true };
  const power = at(POWER_OF_TEN, text, end);
  const superscript = at(SUPERSCRIPT_POWER, text, end);
  if (power !== null && /[\^*(]|10[+-]/.test(power[0].slice(1))) {
    value = Number(`${plain[0]}e${Number(power[1])}`);
    end += power[0].length;
  } else if (superscript !== null) {
    const exponent = [...superscript[1]]
      .map((c) => (c === '\u207b' ? '-' : c === '\u207a' ? '' : SUPERSCRIPTS.indexOf(c)))
      .join('');
    value = Number(`${plain[0]}e${exponent}`);
    end += superscript[0].length;
  } else if (VULGAR.has(text.charAt(end))) {
    value += VULGAR.get(text.charAt(end))!;
    end += 1;
  } else {
    const fraction = at(/ ?\/ ?(\d{1,4})(?![\d/]|[.,-]\d)/y, text, end);
    if (
      fraction !== null &&
      // "3/5 percent" are two shares: nobody says three fifths of a percent so.
      at(PERCENT, text, end + fraction[0].length) === null &&
      /^\d{1,4}$/.test(plain[0]) &&
      Number(fraction[1]) > 0 &&
      (value < Number(fraction[1]) || isOdds(text, place, end + fraction[0].length))
    ) {
      value /= Number(fraction[1]);
      end += fraction[0].length;
    } else {
      const mixed = at(/ (\d)\/(\d{1,2})(?![\d/]|[.,-]\d)| and a half\b/y, text, end);
      if (
        mixed !== null &&
        Number.isInteger(value) &&
        (mixed[1] === undefined || Number(mixed[1]) < Number(mixed[2]))
      ) {
        value += mixed[1] === undefined ? 0.5 : Number(mixed[1]) / Number(mixed[2]);
        end += mixed[0].length;
      }
    }
  }
  return Number.isFinite(value)
    ? { value, end, isWord: false, isWeak: false }
    : { value: NaN, end, isWord: false, isWeak: true };
}

/** "odds of 5/2", "5/2 odds". */
const isOdds = (text: string, from: number, to: number): boolean =>
  /\bodds(?: [a-z]+){0,2} ?$/.test(text.slice(Math.max(0, from - 24), from)) ||
  at(/ (?:fractional )?odds\b/y, text, to) !== null;

/** "(100,200)" and "[1,2]" are pairs, not numbers with separators. */
function isInPair(text: string, place: number): boolean {
  for (let i = place - 1; i >= 0 && i >= place - 40; i--) {
    const c = text.charAt(i);
    if (c === '(' || c === '[' || c === '{') return at(/[\d.,;: +-]{1,60}[)\]}]/y, text, place) !== null;
    if (!/[\d.,;: +-]/.test(c)) return false;
  }
  return false;
}

/** "1 200 000" and "12 500" are one number, "480 420 390" is a list. */
function isOneNumber(text: string): boolean {
  const groups = text.split('.')[0].split(' ');
  if (groups[0].length === 3 && groups.length > 1) return groups.slice(1).every((group) => group === '000');
  return groups.length >= 3 ? groups.slice(1).some((group) => group.endsWith('00')) || groups[0].length <= 2 : true;
}

function isDecimalComma(text: string, found: RegExpExecArray, isMoney: boolean, place: number): boolean {
  const [whole, left = '', right = ''] = found;
  // Among "3,5,7" none is a decimal.
  if (/[\d],$/.test(text.slice(Math.max(0, place - 2), place))) return false;
  if (left === '0' && right !== '0') return true;
  if (isMoney && right.length <= 2) return true;
  const after = place + whole.length;
  if (at(PERCENT, text, after) !== null) return right.length <= 2;
  const word = at(/ ?([a-z\u03bc$\u20ac\u00a3]+)/y, text, after)?.[1];
  if (word === undefined) return false;
  return CURRENCIES.has(word) || (UNITS.has(word) && word !== 'a') || word === 'million' || word === 'mio';
}

/** Number words from a place on: "a hundred and twenty thousand", "two thirds", "twenty-five", "two point five". */
function wordsAt(text: string, place: number): Read | null {
  let total = 0;
  let current = 0;
  let isNumber = false;
  let hasArticle = false;
  let end = place;
  let next = place;
  let count = 0;
  let lastKind: 'one' | 'ten' | 'scale' | 'part' | 'none' = 'none';
  let wasOne = false;
  for (; count < 24; count++) {
    const found = at(WORD, text, next);
    if (found === null) break;
    const [word] = found;
    const after = next + word.length;
    const followed = text.charAt(after);
    if (/[0-9_]/.test(followed)) break;
    if (count === 0 && (word === 'a' || word === 'an')) hasArticle = true;
    else if (
      ONES.has(word) &&
      (lastKind === 'none' || lastKind === 'scale' || (lastKind === 'ten' && ONES.get(word)! < 10))
    ) {
      current += ONES.get(word)!;
      wasOne = lastKind === 'none' && word === 'one';
      isNumber = true;
      lastKind = 'one';
      end = after;
    } else if (TENS.has(word) && (lastKind === 'none' || lastKind === 'scale')) {
      current += TENS.get(word)!;
      isNumber = true;
      lastKind = 'ten';
      end = after;
      wasOne = false;
    } else if (
      SCALES.has(word) &&
      (isNumber || hasArticle || word === 'hundred') &&
      !(lastKind === 'none' && !hasArticle)
    ) {
      const scale = SCALES.get(word)!;
      if (scale === 100) current = (current === 0 ? 1 : current) * 100;
      else {
        total += (current === 0 ? 1 : current) * scale;
        current = 0;
      }
      isNumber = true;
      lastKind = 'scale';
      end = after;
      wasOne = false;
    } else if (word === 'dozen' && (isNumber || hasArticle)) {
      return { value: (total + current === 0 ? 1 : total + current) * 12, end: after, isWord: true, isWeak: false };
    } else if (word === 'couple' && hasArticle) return { value: 2, end: after, isWord: true, isWeak: true };
    else if (word === 'half' && (count === 0 || hasArticle || (count === 1 && wasOne))) {
      const big = at(
        / an? (million|billion|thousand|dozen|hundred|percent)\b| (million|billion|percent|dozen)\b/y,
        text,
        after,
      );
      if (big !== null) {
        const name = big[1] ?? big[2];
        if (name === 'percent')
          return {
            value: 0.5,
            end: after + (big[1] === undefined ? 0 : big[0].length - 8),
            isWord: true,
            isWeak: false,
          };
        return { value: 0.5 * (SCALES.get(name) ?? 12), end: after + big[0].length, isWord: true, isWeak: false };
      }
      return { value: 0.5, end: after, isWord: true, isWeak: true };
    } else if (PARTS.has(word) && (isNumber || hasArticle) && word !== 'half') {
      const isPeriod = word === 'quarter' && !isNumber;
      const value = (isNumber ? total + current : 1) / PARTS.get(word)!;
      const isOf = at(/ of\b/y, text, after) !== null;
      return {
        value,
        end: after,
        isWord: true,
        isWeak: isPeriod ? !isOf : hasArticle && !isOf && PARTS.get(word)! < 10,
      };
    } else if (word === 'and' && isNumber && lastKind === 'scale') {
      const more = at(/ +([a-z]+)/y, text, after)?.[1];
      if (more === undefined || !(ONES.has(more) || TENS.has(more))) break;
    } else if (word === 'and' && isNumber && at(/ a half\b/y, text, after) !== null) {
      return { value: total + current + 0.5, end: after + 7, isWord: true, isWeak: false };
    } else if (word === 'point' && isNumber) {
      const digits: number[] = [];
      let place2 = after;
      for (;;) {
        const one = at(/ +([a-z]+)/y, text, place2);
        if (one === null || !ONES.has(one[1]) || ONES.get(one[1])! > 9 || digits.length > 15) break;
        digits.push(ONES.get(one[1])!);
        place2 += one[0].length;
      }
      if (digits.length === 0) break;
      return { value: Number(`${total + current}.${digits.join('')}`), end: place2, isWord: true, isWeak: false };
    } else break;
    const gap = at(/ ?-? ?/y, text, after)![0];
    if (gap === '') break;
    next = after + gap.length;
  }
  if (!isNumber) return null;
  return { value: total + current, end, isWord: true, isWeak: wasOne && total + current === 1 };
}

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

function magnitudeAt(
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

function currencyAfter(text: string, place: number): { code: string; scale: number; end: number } | null {
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
function changeAt(text: string, place: number): { cents: number; end: number } | null {
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

function unitAt(text: string, place: number, gap: RegExp): { unit: Unit; end: number } | null {
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
function dividedBy(text: string, place: number, isBare: boolean): { unit: Unit; end: number } | null {
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

const LEAST = /(?:at least|no less than|not less than|no fewer than|not fewer than|minimum(?: of)?|min\.?(?: of)?|>=|\u2265|lower bound(?: of)?|floor of|or more than)$/; // prettier-ignore
const MOST = /(?:at most|no more th[ae]n|not more th[ae]n|not over|not above|max(?:imum)?\.?(?: of)?|up to|<=|\u2264|not exceed(?:ing)?|cap(?:ped)? (?:of|at)|capped|(?:^|[,;:.(]) ?cap|upper bound(?: of)?|limit(?:ed)? (?:of|to)|no greater than|within)$/; // prettier-ignore
const MORE = /(?:more than|over|above|greater than|exceeding|exceeds|beyond|(?<![-=])>)$/;
const LESS = /(?:less than|fewer than|under|below|smaller than|<)$/;
const ABOUT =
  /(?:about|around|roughly|approximately|approx\.?|~|circa|ca\.?|nearly|almost|maybe|perhaps|some|like|say)$/;
const SPREAD = /(?:give or take|plus or minus|\+\/-|\u00b1|\+-|plus\/minus|give or take about)$/;
const DISPOSAL =
  /^(?: each| apiece| a piece| per [a-z]+)? (?:to (?:dispose|get rid|be rid|throw)|(?:for|in|of) disposal)\b/;
const CHANGE = /\b(?:improvement|increase|difference|gain|rise|decrease|reduction|drop)(?: of| by)(?: about| around)?$|\b(?:improv|increas|reduc|rais|lower)(?:e|es|ed|ing|s|ing)? [a-z ]{0,12}by$/; // prettier-ignore
const LEAST_AFTER = /^ ?(?:or more|or above|or higher|minimum|at least|at minimum|and up|\+(?!\/))/;
const MOST_AFTER = /^ ?(?:or less|or fewer|or below|maximum|max\b|at most|tops|at the most|limit)/;

/** Reads the words around: comparisons, ranges, periods, units of lists. */
function relate(found: Mutable<Quantity>[], text: string): void {
  for (const [k, one] of found.entries()) {
    const from = found[k - 1]?.end ?? 0;
    const before = text
      .slice(Math.max(from, one.start - 26), one.start)
      .trimEnd()
      .replace(/ (?:a|an|the|only|just)$/, '');
    const after = text.slice(one.end, Math.min(one.end + 16, found[k + 1]?.start ?? Infinity));
    if (LEAST.test(before) || LEAST_AFTER.test(after)) one.comparison = 'at_least';
    else if (MOST.test(before) || MOST_AFTER.test(after)) one.comparison = 'at_most';
    else if (MORE.test(before)) one.comparison = 'more_than';
    else if (LESS.test(before)) one.comparison = 'less_than';
    one.isChange = CHANGE.test(before);
    one.isDisposal = DISPOSAL.test(text.slice(one.end, one.end + 48));
    if (SPREAD.test(before)) one.isSpread = true;
    else if (ABOUT.test(before)) one.isAbout = true;
    let n = k + 1;
    while (found[n]?.isWeak === true) n++;
    const next = found[n];
    const period = periodAfter(text, one, next?.start ?? text.length);
    if (period === null) continue;
    one.per = period.name;
    // "200 a quarter" has no quarter of anything.
    while (found[k + 1] !== undefined && found[k + 1].start < period.end && found[k + 1].isWeak) found.splice(k + 1, 1);
  }
  for (let k = 0; k + 1 < found.length; k++) rangeOf(found[k], found[k + 1], text);
  // Backwards: a list hands its unit on from the last entry. Two numbers with a comma between are no list.
  for (let k = found.length - 2; k >= 0; k--) {
    const gap = text.slice(found[k].end, found[k + 1].start).trim();
    const isList =
      gap !== ',' || found[k + 1].isInherited || (k > 0 && LIST_GAP.test(text.slice(found[k - 1].end, found[k].start)));
    if (isList) inherit(found[k], found[k + 1], text);
  }
}

function rangeOf(low: Mutable<Quantity>, high: Mutable<Quantity>, text: string): void {
  const between = text.slice(low.end, high.start);
  if (between.length > 8) return;
  const before = text.slice(Math.max(0, low.start - 10), low.start);
  const isTo = /^ ?(?:-|to|\.\.\.?|through|thru|until) ?$/.test(between);
  const isBetween = /between ?[$\u20ac\u00a3]?$/.test(before) && /^ ?and ?$/.test(between);
  if (!isTo && !isBetween) return;
  if (high.written < low.written && low.unit === null) return;
  low.range = 'low';
  high.range = 'high';
  if (high.value < 0) high.value = -high.value;
  if (low.currency !== null && high.currency === null && !high.isPercent && high.unit === null)
    high.currency = low.currency;
  // "5-10k": the magnitude is said once.
  low.per ??= high.per;
}

const LIST_GAP = /^ ?(?:,|and|or|&|\/|-|to|, ?and|, ?or) ?$/;

function inherit(one: Mutable<Quantity>, next: Mutable<Quantity>, text: string): void {
  if (one.unit !== null || one.isPercent || one.currency !== null || one.over.length > 0 || one.isWeak) return;
  if (!LIST_GAP.test(text.slice(one.end, next.start))) return;
  if (next.isPercent) {
    if (one.value < 1 && next.written >= 1) return;
    one.isPercent = true;
    one.value = (next.value / next.written) * one.written || one.written / 100;
  } else if (next.unit !== null) {
    one.unit = next.unit;
    one.over = next.over;
  } else if (next.currency !== null && text.charAt(next.start).match(/[a-z0-9]/) !== null) {
    one.currency = next.currency;
    one.value = next.written === 0 ? one.value : one.written / (next.written / next.value);
  } else return;
  one.isInherited = true;
}

/** "200 a month", "1,300 units a year", "45/week", "20 monthly". */
function periodAfter(
  text: string,
  one: Quantity,
  limit: number,
): { readonly name: string; readonly end: number } | null {
  if (one.unit?.dimension === 'time') return null;
  const rest = text.slice(one.end, Math.min(limit, one.end + 48));
  const found =
    /^(?: ?(?!(?:and|but|while|whereas|with|which)\b)[a-z']+){0,5}? ?(?:\/ ?| per | an? | each | every | in an? | p\/ ?| per [a-z]+(?: and (?:per |a )?|-))(hour|hr|day|week|wk|month|mth|mo|quarter|qtr|year|yr|annum)\b/.exec(
      rest,
    ) ?? /^ ?\/ ?(h|d|w|m|q|y)\b/.exec(rest);
  if (found !== null) {
    const name = found[1] === 'q' ? 'quarter' : found[1] === 'm' ? 'month' : UNITS.get(found[1])?.name;
    return name === undefined ? null : { name, end: one.end + found[0].length };
  }
  const adverb =
    /^(?: ?[a-z']+){0,2}? ?(hourly|daily|weekly|monthly|quarterly|yearly|annually|annual|pa|p\.a\.?)(?![a-z])/.exec(
      rest,
    );
  const name = adverb === null ? undefined : PERIOD_WORDS[adverb[1].replaceAll('.', '')];
  return adverb === null || name === undefined ? null : { name, end: one.end + adverb[0].length };
}
