/** Numbers in digits, with the separators that people use. */
import { words } from './number-words.js';
import type { Read } from './quantity.js';
import { at } from './sticky.js';
import { PERCENT } from './suffixes.js';
import { CURRENCIES, UNITS } from '../units.js';

export const VULGAR = words('\u00bd \u00bc \u00be \u2153 \u2154 \u215b \u2155', [
  1 / 2,
  1 / 4,
  3 / 4,
  1 / 3,
  2 / 3,
  1 / 8,
  1 / 5,
]);

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

/** Money with a decimal comma: points of the same text separate thousands. */
export const DECIMAL_COMMA =
  /(?<![\d.,])(?:\d{1,6},\d{1,2}|0,\d{1,6}) ?(?:\u20ac|eur\b|euros?\b)|\u20ac ?(?:\d{1,6},\d{1,2}|0,\d{1,6})(?![\d,])/;

/** Digits. `isMoney`: a currency sign stands before. */
export function digitsAt(
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
