/** Words around a number and between two: comparisons, ranges, periods, and the unit that a list hands on. */
import type { Mutable, Quantity } from './quantity.js';
import { UNITS, PERIOD_WORDS } from '../units.js';

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
export function relate(found: Mutable<Quantity>[], text: string): void {
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
