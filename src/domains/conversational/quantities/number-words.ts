/** Numbers in words. */
import type { Read } from './quantity.js';
import { at } from './sticky.js';

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

export function words(names: string, values: readonly number[]): ReadonlyMap<string, number> {
  return new Map(names.split(' ').map((name, i) => [name, values[i]]));
}

const WORD = /[a-z\u03bc]+/y;

/** Number words from a place on: "a hundred and twenty thousand", "two thirds", "twenty-five", "two point five". */
export function wordsAt(text: string, place: number): Read | null {
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
      return halfAt(text, after);
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
      const decimal = decimalsAt(text, after);
      if (decimal === null) break;
      return { value: Number(`${total + current}.${decimal.digits}`), end: decimal.end, isWord: true, isWeak: false };
    } else break;
    const gap = at(/ ?-? ?/y, text, after)![0];
    if (gap === '') break;
    next = after + gap.length;
  }
  if (!isNumber) return null;
  return { value: total + current, end, isWord: true, isWeak: wasOne && total + current === 1 };
}

/** "half a million", "half": `after` is the end of the word. */
function halfAt(text: string, after: number): Read {
  const big = at(
    / an? (million|billion|thousand|dozen|hundred|percent)\b| (million|billion|percent|dozen)\b/y,
    text,
    after,
  );
  if (big === null) return { value: 0.5, end: after, isWord: true, isWeak: true };
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

/** Digits in words after "point"; null: none. */
function decimalsAt(text: string, after: number): { readonly digits: string; readonly end: number } | null {
  const digits: number[] = [];
  let end = after;
  for (;;) {
    const one = at(/ +([a-z]+)/y, text, end);
    if (one === null || !ONES.has(one[1]) || ONES.get(one[1])! > 9 || digits.length > 15) break;
    digits.push(ONES.get(one[1])!);
    end += one[0].length;
  }
  return digits.length === 0 ? null : { digits: digits.join(''), end };
}
