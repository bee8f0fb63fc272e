/** Lists that people write in sentences: names in a row, and names with one or two numbers each. */
import type { Message } from './message.js';
import type { Quantity } from './quantities/quantity.js';
import { editDistance, editsAllowed } from './text.js';

/** Words that are no part of a name. */
const NOISE = new Set(
  `a portfolio parity mix across allocate among amongst about all also am an and any are as at be been before being best between bonus both bring brought but by can case cost costs could current
  currently did do does each earn earned earning earns either else even every expect expected expecting for from gave get gets getting
  give given gives gives go goes going got guess has have having help i if im in into is it its just last least like likely make makes
  maybe me mean might month months more most much my need no nor not now of off on one only or other our out over own past per percent
  perhaps please plus pls put quarter rate reckon respectively return returned returning returns risk roughly said same say second should
  since small so some something spend spending spends spent split splitting std sd sth still such take takes than that the their them
  then there these they thing think this those three through to total two up us use used using usually versus very vol volatility volatile
  vs w want was way we week weeks well went were what when where which while who will with would year years yes yet yield yielded
  yielding yields you your deviation standard annual annually yearly expectation historical around approx approximately put puts produces produced
  produce generated generates generate delivered delivers deliver resulted sales sale leads lead conversions conversion clicks signups
  customers orders revenue purchases euro euros dollars dollar usd eur gbp budget currently average avg assets asset channels channel
  volatilities sigma growth grow grows expects sits carries carry comes come fluctuates swings moves wobble wobbles annualised annualized
  here numbers data let lets allocate divide distribute quarter's last's invest investing investment savings money capital
  downloads bookings registrations installs visits enquiries inquiries calls tickets subscriptions subscribers responses netted brings
  paid pay pays cash k result results ran run fetched fetch fetches drove drive drives pulled pull pulls made turned converted currently
  hold holds holding own owns allocation conv convs saturate saturates saturating forecast estimate estimated estimates deposit today ago monthly weekly daily each's while whereas although volatiity correlate correlates correlated`.split(
    /\s+/,
  ),
);

/** Words that may stand inside a name, not at its ends. */
const INNER = new Set(['of', 'and', 'small', 'one', 'two', 'growth', 'second', 'other', 'direct', 'cash', 'orders', 'money', 'lead', 'yield', 'high', 'standard']); // prettier-ignore
/** Words that are names only with further words: "money market", never "money". */
const NO_NAMES = new Set(['money', 'of', 'and', 'one', 'two', 'second', 'other', 'lead', 'orders', 'high', 'standard', 'yield', 'small']); // prettier-ignore
/** Noise that names an asset where it is a whole entry of a row: "stocks, bonds and cash". */
const ENTRIES = new Set(['cash', 'growth', 'deposit', 'savings']);
/** "A, B and C": one capital, as the user wrote it; "I" is the user. */
const isLetter = (word: string): boolean => /^[A-HJ-Z]$/.test(word);
/** After these, as stems, a row of names may begin. */
const TRIGGERS = new Set(['between', 'across', 'among', 'amongst', 'over', 'into', 'on', 'in', 'for', 'via', 'with', 'ar', 'are', 'of', 'hav', 'use', 'hold', 'own', 'channel', 'asset', 'betwixt', 'through', 'from', 'run', 'buy', 'advertis', 'split', 'spend']); // prettier-ignore
const MOST_NAMES = 100;
const MOST_TRIED = 60;

interface NameList {
  readonly names: readonly string[];
  readonly start: number;
  readonly end: number;
}

/**
 * "stocks, bonds and a small cap fund": two or more names in a row, without numbers in between. The longest row wins.
 */
export function namesInARow(message: Message, isWhole = false): NameList | null {
  const starts = message.tokens
    .flatMap((token) => (token.kind === 'word' && TRIGGERS.has(token.stem) ? [token.end] : []))
    .slice(0, MOST_TRIED);
  const colon = message.text.indexOf(':');
  if (colon >= 0) starts.push(colon + 1);
  if (isWhole) starts.unshift(0);
  let best: NameList | null = null;
  for (const start of starts) {
    const row = rowAt(message, start);
    if (row !== null && row.names.length >= (best?.names.length ?? 2)) best = row;
  }
  return best;
}

function rowAt(message: Message, start: number): NameList | null {
  const next = message.quantities.find((one) => one.start >= start && !one.isWeak)?.start ?? Infinity;
  const rest = message.text.slice(start, Math.min(next, start + 400));
  const stop = /[.;!?\n(:]/.exec(rest)?.index ?? rest.length;
  const pieces = rest
    .slice(0, stop)
    .split(/\s*,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+|\s*&\s*|\s+vs\.?\s+|\s+plus\s+|\s+versus\s+/i);
  if (pieces.length < 2) return null;
  const names: string[] = [];
  for (const [k, piece] of pieces.slice(0, MOST_NAMES).entries()) {
    const whole = piece.trim();
    const isEntry = isLetter(whole) || (k > 0 && ENTRIES.has(whole.toLowerCase()));
    const name = isEntry ? { text: whole, isCut: false } : trimmed(piece);
    if (name === null) break;
    names.push(name.text);
    if (name.isCut || k === pieces.length - 1) break;
  }
  return names.length < 2 ? null : { names, start, end: start + stop };
}

/** A name of one to four words; it ends where other words begin, and so does the row. */
function trimmed(piece: string): { readonly text: string; readonly isCut: boolean } | null {
  const words = piece
    .replace(/^\s*(?:the|a|an|my|our|some|both)\s+/i, '')
    .trim()
    .split(/\s+/)
    .filter(Boolean);
  const own: string[] = [];
  for (const word of words) {
    const bare = word.toLowerCase().replace(/[^a-z0-9&'+-]/g, '');
    const isNoise = NOISE.has(bare) && !(own.length === 0 && INNER.has(bare) && words.length > 1);
    if (isNoise || !/[a-z]/.test(bare)) break;
    own.push(word.replace(/[^\w&'+\u00c0-\u024f-]/g, ''));
  }
  if (own.length === 0 || own.length > 4 || (own.length === 1 && NO_NAMES.has(own[0].toLowerCase()))) return null;
  return { text: own.join(' '), isCut: own.length < words.length };
}

/** The name that a word of the user means; null: none. */
export function sameName(name: string, known: readonly string[]): string | null {
  const own = name.toLowerCase();
  const exact = known.find((other) => other.toLowerCase() === own);
  if (exact !== undefined) return exact;
  const words = own.split(' ');
  const fits = known.filter((other) => {
    const theirs = other.toLowerCase();
    const parts = theirs.split(' ');
    if (words.every((word) => parts.some((part) => isSameWord(word, part)))) return true;
    if (parts.every((part) => words.some((word) => isSameWord(word, part)))) return true;
    return initials(theirs) === own || initials(own) === theirs;
  });
  return fits.length === 1 ? fits[0] : null;
}

const initials = (name: string): string => name.split(/[ -]/).map((word) => word.charAt(0)).join(''); // prettier-ignore

function isSameWord(a: string, b: string): boolean {
  if (a === b || a === `${b}s` || b === `${a}s`) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length >= 4 && long.startsWith(short)) return true;
  const most = editsAllowed(short.length);
  return most > 0 && editDistance(a, b, most) <= most;
}

interface NamedNumbers {
  readonly name: string;
  /** Indices of quantities. */
  readonly numbers: readonly number[];
}

/** Names with `size` numbers each: "Google 20k gave 400 leads, tv 15k about 90", "8 percent on stocks with 18%". */
export function namedNumbers(
  message: Message,
  size: number,
  isOne: (quantity: Quantity, index: number) => boolean,
  known: readonly string[],
): NamedNumbers[] {
  const found: NamedNumbers[] = [];
  const own = message.quantities.flatMap((quantity, i) => (isOne(quantity, i) ? [i] : []));
  const brackets = own.map((i) => bracketAt(message.plain, message.quantities[i].start));
  // "stocks (8%, 18%)": numbers of one bracket belong together, and to no other.
  const inBracket = new Map<number, number>();
  for (const one of brackets) inBracket.set(one, (inBracket.get(one) ?? 0) + 1);
  const isWhole = (bracket: number): boolean => bracket >= 0 && inBracket.get(bracket)! >= size;
  let from = 0;
  for (let k = 0; k + size <= own.length;) {
    const numbers = own.slice(k, k + size);
    const first = message.quantities[numbers[0]];
    const last = message.quantities[numbers.at(-1)!];
    const gaps = [message.text.slice(from, first.start)];
    for (let j = 0; j + 1 < size; j++)
      gaps.push(message.text.slice(message.quantities[numbers[j]].end, message.quantities[numbers[j + 1]].start));
    const inside = brackets.slice(k, k + size);
    const isApart =
      // "(9% exp. return, 16% vol.)": a stop in a bracket ends no sentence.
      (!isWhole(inside[0]) && gaps.slice(1).some((gap) => /[;\n!?]|\.\s/.test(gap))) ||
      // "5k on google and 3k on meta": the second number is of the next entry.
      gaps.slice(1).some((gap) => /\S and $/i.test(gap) && runs(gap).length > 0) ||
      inside.some((one) => one !== inside[0] && (isWhole(one) || isWhole(inside[0]))) ||
      // A number in between that is none of these: the pair would reach across an entry.
      numbers.some((i, j) => j > 0 && message.quantities.slice(numbers[j - 1] + 1, i).some(({ isWeak }) => !isWeak));
    const name = isApart
      ? null
      : (lastName(gaps[0], known) ?? firstName(gaps.slice(1), known) ?? nameAfter(message, last.end, known));
    if (name === null) {
      from = first.end;
      k += 1;
      continue;
    }
    found.push({ name, numbers });
    from = last.end;
    k += size;
  }
  return found;
}

/** Place of the round bracket that is open at a place; -1: none. */
function bracketAt(text: string, place: number): number {
  const before = text.slice(Math.max(0, place - 60), place);
  const open = before.lastIndexOf('(');
  return open < 0 || before.lastIndexOf(')') > open ? -1 : place - before.length + open;
}

/** Runs of words that are no noise. */
function runs(text: string): string[] {
  const found: string[] = [];
  for (const clause of text.split(/[,;.!?\n()|:]|\s-+>?\s|->|=>|:\s*$/)) {
    let run: string[] = [];
    const close = (): void => {
      const isNoise = (word: string): boolean => !isLetter(word) && NOISE.has(word.toLowerCase()) && !INNER.has(word.toLowerCase()); // prettier-ignore
      while (run.length > 0 && isNoise(run.at(-1)!)) run.pop();
      while (run.length > 0 && ['and', 'of', 'one', 'two', 'lead'].includes(run.at(-1)!.toLowerCase())) run.pop();
      const isNone = run.length === 1 && NO_NAMES.has(run[0].toLowerCase());
      if (run.length > 0 && run.length <= 5 && !isNone) found.push(run.join(' '));
      run = [];
    };
    const raws = clause.split(/[\s:=/]+/);
    for (const [k, raw] of raws.entries()) {
      const word = raw.replace(/^[^\w\u00c0-\u024f]+|[^\w+&\u00c0-\u024f]+$/g, '');
      const bare = word.toLowerCase();
      if (word === '' || !/[a-z\u00c0-\u024f]/.test(bare) || /^\d[\d.,]*(?:k|m|mn|bn|b|x)?$/.test(bare)) {
        if (word !== '') close();
        continue;
      }
      const isInner =
        INNER.has(bare) && (run.length > 0 || ['small', 'growth', 'direct', 'high', 'cash', 'money'].includes(bare));
      const next = raws[k + 1]?.toLowerCase() ?? '';
      // "A returns 10%" is of A, "A fund returns 10%" is not.
      if (isLetter(word) && run.length === 0 && (next === '' || NOISE.has(next) || !/[a-z]/.test(next))) {
        run.push(word);
        close();
      } else if (NOISE.has(bare) && word !== 'US' && !isInner) close();
      else run.push(word);
    }
    close();
  }
  return found.filter((run) => isLetter(run) || !(NOISE.has(run.toLowerCase()) && !INNER.has(run.toLowerCase())));
}

function pick(candidates: readonly string[], known: readonly string[]): string | null {
  for (const one of candidates) {
    const same = sameName(one, known);
    if (same !== null) return same;
  }
  return null;
}

/** The name that stands last in a text. */
export function lastName(text: string, known: readonly string[]): string | null {
  // Only what stands in the same sentence names the numbers.
  const sentence = text.split(/[;!?\n]|\.\s/).at(-1) ?? '';
  const all = runs(sentence.slice(-120)).reverse();
  return pick(all, known) ?? (known.length > 0 ? null : (all[0] ?? null));
}

function firstName(gaps: readonly string[], known: readonly string[]): string | null {
  // "8 percent on stocks with 18%" speaks of stocks; "30% stocks and 70% bonds" are shares.
  const all = gaps.filter((gap) => /^\s*(?:[a-z]+ )?(?:on|for|from|in|into|to|at|of|with|by|via)\b/i.test(gap)).flatMap((gap) => runs(gap)); // prettier-ignore
  return pick(all, known) ?? (known.length > 0 ? null : (all[0] ?? null));
}

/** "$4000 and 80 sales on instagram". */
function nameAfter(message: Message, end: number, known: readonly string[]): string | null {
  const next = message.quantities.find((one) => one.start >= end)?.start ?? Infinity;
  const rest = message.text.slice(end, Math.min(next, end + 60)).split(/[,;.!?\n]/)[0] ?? '';
  const after = /\b(?:on|for|from|with|via|through|in)\b(.*)/i.exec(rest)?.[1];
  if (after === undefined) return null;
  const all = runs(after);
  return pick(all, known) ?? (known.length > 0 ? null : (all[0] ?? null));
}

/** Places at which a known name is written, by name. */
export function namePlaces(
  message: Message,
  known: readonly string[],
): { readonly name: string; readonly start: number }[] {
  const found: { name: string; start: number }[] = [];
  for (const token of message.tokens) {
    if (token.kind !== 'word' || NOISE.has(token.text)) continue;
    const name = sameName(token.text, known);
    if (name !== null) found.push({ name, start: token.start });
  }
  return found;
}

/** The longest run of numbers with nothing but commas and "and" between them. */
export function longestRun(message: Message, isOne: (quantity: Quantity) => boolean): readonly number[] {
  let best: number[] = [];
  let run: number[] = [];
  for (const [i, quantity] of message.quantities.entries()) {
    if (!isOne(quantity)) {
      run = [];
      continue;
    }
    const before = message.quantities[i - 1];
    const gap = before === undefined ? '' : message.plain.slice(before.end, quantity.start);
    run = run.length > 0 && /^[\s,;|&/+]*(?:and|then|or)?\s*$/.test(gap) && gap.length < 12 ? [...run, i] : [i];
    if (run.length > best.length) best = run;
  }
  return best;
}

export interface PairedNumber {
  readonly pair: readonly [string, string];
  /** Index of the quantity. */
  readonly number: number;
}

const JOINED = /(?:^|[^\w&])([\w&][\w&. -]{0,40}?) ?(?:\b(?:and|with|to|vs\.?|versus)\b|[/:\u2013&-]|\bx\b) ?([\w&][\w&. -]{0,40}?)(?: (?:is|are|of|at|about|around|be|correlate[sd]?|has|have|move together))* ?[:=(]? ?$/; // prettier-ignore

/** Where a known name begins and ends in a text, longest names first, each place once. */
function placesIn(text: string, known: readonly string[]): { readonly name: string; readonly at: number }[] {
  const found: { name: string; at: number; end: number }[] = [];
  const lower = text.toLowerCase();
  for (const name of [...known].sort((a, b) => b.length - a.length)) {
    const own = name.toLowerCase();
    for (let at = lower.indexOf(own); at >= 0; at = lower.indexOf(own, at + 1)) {
      const end = at + own.length;
      const isWord = !/\w/.test(lower.charAt(at - 1)) && /^(?:s|'s)?(?!\w)/.test(lower.slice(end));
      // One capital is a name only as one: "a and b" may be words.
      const isOwn = own.length > 1 || text.charAt(at) === name;
      if (isWord && isOwn && !found.some((other) => at < other.end && end > other.at)) found.push({ name, at, end });
    }
  }
  for (const word of lower.matchAll(/[a-z\u00c0-\u024f][\w&'-]{2,}/g)) {
    const [at, end] = [word.index, word.index + word[0].length];
    if (NOISE.has(word[0]) || found.some((other) => at < other.end && end > other.at)) continue;
    const name = sameName(word[0], known.filter(({ length }) => length >= 3)); // prettier-ignore
    if (name !== null && found.at(-1)?.name !== name) found.push({ name, at, end });
  }
  return found.sort((a, b) => a.at - b.at);
}

/**
 * Numbers of two names each: "A and B .3, A and C .1", "0.3 between A and B, 0.1 between A and C". Null: some number
 * stands beside no two names, so that none of them is sure.
 */
export function pairedNumbers(
  message: Message,
  numbers: readonly number[],
  known: readonly string[],
): PairedNumber[] | null {
  const pairOf = (text: string): readonly [string, string] | null => {
    if (known.length > 0) {
      const [a, b, ...more] = placesIn(text, known);
      return a === undefined || b === undefined || more.length > 0 || a.name === b.name ? null : [a.name, b.name];
    }
    const [, a = '', b = ''] = JOINED.exec(text) ?? [];
    const [first, second] = [
      a
        .split(/\b(?:of|between|for)\b/i)
        .at(-1)!
        .trim(),
      b.trim(),
    ];
    return first === '' || second === '' || !/[a-z]/i.test(first + second) ? null : [first, second];
  };
  const endOf = (i: number): number => message.quantities[i]?.end ?? 0;
  const sentence = (text: string): string => text.split(/[;!?\n]|\.\s/).at(-1)!;
  const ahead = numbers.map((i) => pairOf(sentence(message.text.slice(endOf(i - 1), message.quantities[i].start))));
  const behind = numbers.map((i) =>
    pairOf(message.text.slice(endOf(i), message.quantities[i + 1]?.start).split(/[;!?\n]|\.\s/)[0]),
  );
  const pairs = [ahead, behind].find((all) => all.every((pair) => pair !== null));
  return pairs === undefined
    ? pairsOfOne(message, numbers, known, ahead)
    : numbers.map((number, k) => ({ pair: pairs[k], number }));
}

/**
 * "A correlates 0.3 with B and 0.1 with C": one name for several numbers. `ahead`: two names before a number. Null:
 * some number has no second name.
 */
function pairsOfOne(
  { text, quantities }: Message,
  numbers: readonly number[],
  known: readonly string[],
  ahead: readonly (readonly [string, string] | null)[],
): PairedNumber[] | null {
  if (known.length === 0) return null;
  let subject: string | null = null;
  const pairs: PairedNumber[] = [];
  for (const [k, number] of numbers.entries()) {
    const { start, end } = quantities[number];
    const before = text
      .slice(quantities[number - 1]?.end ?? 0, start)
      .split(/[;!?\n]|\.\s/)
      .at(-1)!;
    const own = placesIn(before, known).findLast(({ at }) =>
      /^\S+ (?:(?:is|are|has|have|a) )?corr/i.test(before.slice(at)),
    );
    subject = own?.name ?? subject;
    const after = text.slice(end, quantities[number + 1]?.start).split(/[;!?\n]|\.\s/)[0];
    const other = /^ (?:with|to) /.test(after) ? placesIn(after, known)[0]?.name : undefined;
    const pair = subject === null || other === undefined ? ahead[k] : ([subject, other] as const);
    if (pair === null || pair[0] === pair[1]) return null;
    pairs.push({ pair, number });
  }
  return pairs;
}
