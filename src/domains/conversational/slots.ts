/**
 * Slots of a problem, and which quantity of a message fills which of them: each pair is scored by the words around the
 * quantity and by its unit, and the best assignment is taken.
 */
import type { Json } from '../../model/problem.js';
import { linearAssignment } from '../solvers/assignment/linear-assignment.js';
import { Phrases, wordsAround, type Message } from './message.js';
import type { Quantity } from './quantities/quantity.js';
import type { Note } from './state.js';
import { PER_YEAR, PERIOD_WORDS, UNITS } from './units.js';

/** Values by slot, as far as they are known. */
export type Known = (slot: string) => Json | undefined;

export type Kind =
  | 'money'
  /** 0 to 1; a number above 1 is read as percent. */
  | 'share'
  /** Units per year. */
  | 'rate'
  | 'count'
  | 'number'
  /** Amount of something, in whatever unit. */
  | 'amount'
  | 'odds'
  | { readonly unit: string };

export interface Slot {
  readonly name: string;
  /** Null: no single number; a reader of the problem or a choice fills it. */
  readonly kind: Kind | null;
  /** Phrases, divided by `|`, whose neighbourhood speaks for the slot or against it. */
  readonly cues?: string;
  readonly weakCues?: string;
  readonly against?: string;
  readonly choices?: readonly {
    readonly value: Json;
    readonly name: string;
    readonly cues: string;
    readonly open?: string;
  }[];
  /** Whether a choice is read out of a message that does not answer the question for it. */
  readonly isAskedOnly?: boolean;
  /** One word of a choice counts in any message, not only in an answer. */
  readonly isOpen?: boolean;
  readonly required?: boolean | ((known: Known) => boolean);
  /** Asked although there is a default. */
  readonly askOnce?: boolean | ((known: Known) => boolean);
  /** For people, where the default is null; absent: no limit. */
  readonly nullMeans?: string;
  readonly default?: Json | ((known: Known) => Json | undefined);
  readonly question: string;
  readonly example: string;
  /** Explanation of the quantity, and where to find it, for those who do not know. */
  readonly help?: string;
  readonly unit?: string;
  readonly isList?: boolean;
  /** Whether it has a meaning, as far as is known; absent: always. */
  readonly applies?: (known: Known) => boolean;
  /** Never asked: the named slot is made of it. */
  readonly partOf?: string;
  /** Said without its fellows it says nothing of the whole: a weight beside a volume. */
  readonly isAside?: boolean;
  /** Takes what is said as a spread: "give or take 30". */
  readonly isSpread?: boolean;
  /** Rates and shares of another period are made yearly. */
  readonly isYearly?: boolean;
  /** Its period is the time unit of the problem. */
  readonly setsTime?: boolean;
  /** Keeps its physical unit in `<name>.unit`. */
  readonly keepsUnit?: boolean;
  /** Complaint about a value that cannot be; null where it can. */
  readonly refuse?: (value: number) => string | null;
  /** Its names, as a pattern: "no <name>", "without <name>" and "<name> is free" say that the value is 0. */
  readonly absent?: string;
  /** Quantities that cannot be meant, whatever their kind. */
  readonly accepts?: (quantity: Quantity) => boolean;
}

export interface Finding {
  readonly slot: string;
  readonly value: Json;
  readonly text: string;
  readonly confidence: number;
  readonly notes?: readonly Note[];
  /** Quantities of the message that it used up. */
  readonly used?: readonly number[];
  readonly source?: 'user' | 'derived' | 'default';
}

const THRESHOLD = 0.45;
/** Score of a pair that cannot be. */
const NONE = -10;
const ASKED = 0.6;
/** Score of a unit or a period alone: just enough. */
const BY_UNIT = 0.46;
const FURTHEST = 14;
/** Quantities that are matched with slots of one number each. */
const MOST_MATCHED = 150;

interface Cue {
  readonly slot: number;
  readonly weight: number;
}

const cuesOf = new WeakMap<readonly Slot[], Phrases<Cue>>();

function phrasesOf(slots: readonly Slot[]): Phrases<Cue> {
  let phrases = cuesOf.get(slots);
  if (phrases === undefined) {
    phrases = new Phrases();
    for (const [slot, { cues = '', weakCues = '', against = '' }] of slots.entries()) {
      for (const phrase of cues.split('|')) phrases.add(phrase, { slot, weight: 1 });
      for (const phrase of weakCues.split('|')) phrases.add(phrase, { slot, weight: 0.55 });
      for (const phrase of against.split('|')) phrases.add(phrase, { slot, weight: -1 });
    }
    cuesOf.set(slots, phrases);
  }
  return phrases;
}

/** Words between a phrase and the number that it is said of: "holding cost is 2", "setup of 50". */
const COPULAS = new Set(['i', 'is', 'ar', 'are', 'of', 'cost', 'a', 'an', 'about', 'around', 'at', 'was', 'will', 'be', 'it', 'its', 'the', 'rat', 'rate', 'roughly']); // prettier-ignore

/** The quantity that a phrase stands beside, before or after; -1: none. */
function ownerOf(message: Message, from: number, to: number): number {
  const behind = message.tokens[from - 1];
  let next = to + 1;
  for (let k = 0; k < 2; k++) {
    const token = message.tokens[next];
    if (token?.kind !== 'word' || !COPULAS.has(token.stem)) break;
    next += 1;
  }
  const ahead = message.tokens[next];
  if (ahead?.kind === 'quantity') return next;
  return behind?.kind === 'quantity' ? from - 1 : -1;
}

/** Whether a comma, a stop or "and" stands between two tokens. */
function isApart(message: Message, low: number, high: number): boolean {
  for (let i = low; i < high; i++) {
    const token = message.tokens[i];
    if (token.kind === 'comma' || token.kind === 'stop' || (token.kind === 'word' && token.stem === 'and')) return true;
  }
  return false;
}

const DIVIDING = new Set(['but', 'whil', 'wherea', 'with', 'versus', 'vs', 'then']);

/** How much a phrase at tokens from..to speaks for the quantity at a place: 1 beside it, less further away. */
function nearness(message: Message, place: number, from: number, to: number): number {
  const isBefore = to < place;
  const [low, high] = isBefore ? [to + 1, place] : [place + 1, from];
  if (high - low > FURTHEST + 6) return 0;
  let words = 0;
  let factor = 1;
  for (let i = low; i < high; i++) {
    const token = message.tokens[i];
    if (token.kind === 'quantity') factor *= message.quantities[token.index].isWeak ? 0.8 : 0.3;
    else if (token.kind === 'stop') factor *= 0.3;
    else if (token.kind === 'comma') factor *= 0.65;
    else if (token.kind === 'word') {
      words += 1;
      if (token.stem === 'and') factor *= 0.8;
      else if (DIVIDING.has(token.stem)) factor *= 0.65;
    }
  }
  if (words > FURTHEST) return 0;
  // "18% holding cost, a hammer costs $7.50": what stands beside another number speaks of that one.
  const owner = ownerOf(message, from, to);
  if (owner >= 0 && owner !== place && isApart(message, low, high)) factor *= 0.4;
  return (factor * (isBefore ? 1 : 0.92)) / (1 + (isBefore ? 0.08 : 0.2) * words);
}

/** Null: cannot be meant. Else what the unit says for the slot. */
function fit(slot: Slot, quantity: Quantity): number | null {
  const { kind } = slot;
  if (kind === null || (quantity.isSpread && slot.isSpread !== true) || slot.accepts?.(quantity) === false) return null;
  const isMoney = quantity.currency !== null;
  const isPhysical = quantity.unit !== null || quantity.over.length > 0;
  if (typeof kind === 'object') {
    if (isMoney || quantity.isPercent) return null;
    if (!isPhysical || kind.unit === 'any') return 0;
    return converted(quantity, kind.unit) === null ? null : 0.5;
  }
  switch (kind) {
    case 'money':
      if (quantity.isPercent || isPhysical) return null;
      return isMoney ? 0.25 : quantity.per === null ? 0 : -0.1;
    case 'share':
      if (isMoney || isPhysical || quantity.value < 0 || quantity.value > 100) return null;
      return quantity.isPercent ? 0.25 : quantity.value <= 1 ? 0.1 : -0.15;
    case 'rate':
      if (isMoney || quantity.isPercent || quantity.unit?.dimension === 'time') return null;
      return quantity.per === null ? 0 : 0.3;
    case 'count':
      if (isMoney || quantity.isPercent || isPhysical || !Number.isInteger(quantity.value) || quantity.value < 0)
        return null;
      return 0.05;
    case 'amount':
      return isMoney || quantity.isPercent || quantity.value < 0 ? null : 0.05;
    case 'odds':
      return isMoney || quantity.isPercent || isPhysical ? null : 0.05;
    case 'number':
      return isMoney || isPhysical ? null : 0;
  }
}

/** Words in -s that are no plural of something counted. */
const NO_PLURALS = new Set(`plus less is was has as this its costs cost's sells thus always perhaps yes us goes does tops apiece versus vs
  brings gives holds gets takes makes pays works wins loses was's units pieces items bucks each's unless across besides cents minus annual
  returns sits carries comes yields means runs leaves sides gross net's percents points' regardless towards afterwards`.split(/\s+/)); // prettier-ignore
const PEOPLE = new Set(['people', 'children', 'men', 'women', 'staff', 'moment', 'second', 'minute', 'degree']);

/** "3 warehouses", "25 degrees", "one moment": a number of things, neither money nor a share. */
function isCounted(message: Message, index: number): boolean {
  const place = message.places[index];
  const token = place === undefined ? undefined : message.tokens[place + 1];
  if (token?.kind !== 'word' || token.start > message.quantities[index].end + 2) return false;
  if (PEOPLE.has(token.text)) return true;
  return /^[a-z]{3,}s$/.test(token.text) && !token.text.endsWith('ss') && !NO_PLURALS.has(token.text);
}

/** "what is the weather, 25 degrees?", "can you finish by 5?": whoever asks does not answer. */
const isQuestion = ({ plain }: Message): boolean =>
  /\?\s*$/.test(plain) && /^\s*(?:(?:and|but|so|ok|okay|hey|hi),? )?(?:what|who|when|where|why|how|which|can|could|do|does|did|is|are|will|would|have|should)\b/.test(plain); // prettier-ignore

export const isAsked = ({ name, partOf }: Slot, asked: string | null): boolean =>
  asked !== null && (name === asked || partOf === asked);

export interface Match {
  readonly slot: Slot;
  readonly index: number;
  readonly score: number;
  /** Another quantity that fits the slot as well, or the other end of a range: which one is meant is not said. */
  readonly rival: number | null;
}

/** How near the score of a rival comes. */
const AS_GOOD = 0.06;

/** "last year", "used to be": told beside what counts now. */
function isPast({ plain, quantities }: Message, index: number): boolean {
  const { start, end } = quantities[index];
  const before = plain.slice(Math.max(0, start - 28), start);
  const after = plain.slice(end, Math.min(end + 30, quantities[index + 1]?.start ?? Infinity));
  return (
    /\b(?:last (?:year|month|week|quarter)|previously|formerly|used to be|in the past|back then)(?:,? (?:we|i|it|they|was|were|had|sold|used|got|of|at|demand|sales)){0,3} ?$/.test(before) || // prettier-ignore
    /^(?: [a-z]+){0,2},? (?:last (?:year|month|week|quarter)|previously|formerly|in the past|back then)\b/.test(after)
  );
}

/** A time alone says nothing: half-lives, intervals, waits and shifts are all told in hours. */
const isPhysical = ({ kind }: Slot): boolean =>
  typeof kind === 'object' && kind !== null && UNITS.get(kind.unit)?.dimension !== 'time';

/** Slot of each quantity, by the best assignment. */
export function matchQuantities(
  message: Message,
  slots: readonly Slot[],
  taken: ReadonlySet<number>,
  asked: string | null,
): Match[] {
  const free = message.quantities
    .flatMap((_, i) => (taken.has(i) || message.places[i] === undefined ? [] : [i]))
    .slice(0, MOST_MATCHED);
  if (free.length === 0 || slots.length === 0) return [];
  const hits = phrasesOf(slots).find(message.tokens);
  const strong = free.filter((i) => !message.quantities[i].isWeak);
  const asks = isQuestion(message);
  const rows: { readonly index: number; readonly scores: readonly number[] }[] = [];
  for (const i of free) {
    const quantity = message.quantities[i];
    const counts = quantity.currency === null && !quantity.isPercent && quantity.unit === null && isCounted(message, i);
    const past = isPast(message, i);
    const best = new Array<number>(slots.length).fill(0);
    const more = new Array<number>(slots.length).fill(0);
    const worst = new Array<number>(slots.length).fill(0);
    for (const { of, from, to, words } of hits) {
      const near = nearness(message, message.places[i], from, to);
      if (of.weight < 0) worst[of.slot] = Math.max(worst[of.slot], near);
      else {
        const speaks = near * (of.weight + 0.12 * (words - 1));
        more[of.slot] += 0.2 * Math.min(speaks, best[of.slot]);
        best[of.slot] = Math.max(best[of.slot], speaks);
      }
    }
    // What speaks against a slot counts in full where it stands nearer than what speaks for it.
    for (const [k, against] of worst.entries()) more[k] -= against * (against > 1.02 * best[k] ? 0.6 : 0.15);
    const scores = slots.map((slot, column) => {
      const units = counts && (slot.kind === 'money' || slot.kind === 'share') ? null : fit(slot, quantity);
      // Of two numbers the words say which one is the spread.
      const isBare = isAsked(slot, asked) && !asks && !past;
      const isOwn = isBare && !(slot.isSpread === true && slot.partOf !== undefined && strong.length > 1);
      // Without a word for it, only a unit or a period of its own speaks for a slot.
      const alone =
        units === null
          ? 0
          : units >= 0.3 && (isPhysical(slot) || slot.kind === 'rate')
            ? BY_UNIT
            : Math.max(0, units - 0.2);
      let score = units === null ? -1 : best[column] + more[column] + (best[column] > 0.2 || isOwn ? units : alone);
      if (units !== null && quantity.isSpread) score += 1.2;
      if (units !== null && isOwn) score += strong.length <= 1 ? ASKED + 0.2 : ASKED;
      if (quantity.isWeak) score *= 0.6;
      return score < THRESHOLD ? NONE : score;
    });
    if (scores.some((score) => score !== NONE)) rows.push({ index: i, scores });
  }
  // As many further columns as rows: each quantity may also stay without a slot.
  const columns = slots.length + rows.length;
  const cost = new Float64Array(rows.length * columns);
  for (const [row, { scores }] of rows.entries()) for (const [column, score] of scores.entries()) cost[row * columns + column] = -score; // prettier-ignore
  if (rows.length === 0) return [];
  const { columnOf } = linearAssignment(cost, rows.length, columns);
  const matched = rows.flatMap(({ index, scores }, row) => {
    const column = columnOf[row];
    const slot = slots[column];
    const score = scores[column] ?? NONE;
    return slot === undefined || score === NONE ? [] : [{ slot, index, score, column }];
  });
  const used = new Set([...taken, ...matched.map(({ index }) => index)]);
  // A number of last year counts where no other one is said.
  for (const [k, match] of matched.entries()) {
    if (!isPast(message, match.index)) continue;
    const now = rows.filter(({ index, scores }) => !used.has(index) && (scores[match.column] ?? NONE) !== NONE && !message.quantities[index].isWeak && !isPast(message, index)); // prettier-ignore
    const [best] = now.sort((a, b) => b.scores[match.column] - a.scores[match.column]);
    if (best === undefined) continue;
    used.delete(match.index);
    used.add(best.index);
    matched[k] = { ...match, index: best.index, score: best.scores[match.column] };
  }
  return matched.map(({ slot, index, score, column }) => {
    const quantity = message.quantities[index];
    const end = quantity.range === 'low' ? index + 1 : quantity.range === 'high' ? index - 1 : null;
    if (end !== null && message.quantities[end] !== undefined && !used.has(end)) return { slot, index, score, rival: end }; // prettier-ignore
    const rival = rows.find(
      (other) =>
        !used.has(other.index) &&
        !isPast(message, other.index) &&
        (other.scores[column] ?? NONE) >= score - AS_GOOD &&
        Math.max(...other.scores) === other.scores[column] &&
        !message.quantities[other.index].isWeak &&
        message.quantities[other.index].value !== quantity.value,
    );
    return { slot, index, score, rival: rival?.index ?? null };
  });
}

/** In the unit that the slot counts in, such as "mg/l"; null: not of that dimension. */
export function converted(quantity: Quantity, target: string): number | null {
  if (target === 'any') return quantity.value;
  const [top = '', ...below] = target.split('/');
  const over = [...quantity.over];
  let value = quantity.value;
  if (top === '1') {
    if (quantity.unit !== null) return null;
  } else {
    const wanted = UNITS.get(top);
    if (wanted === undefined || quantity.unit?.dimension !== wanted.dimension) return null;
    value = scaled(value, quantity.unit.factor, wanted.factor);
  }
  for (const name of below) {
    const wanted = UNITS.get(name);
    const at = over.findIndex(({ dimension }) => dimension === wanted?.dimension);
    if (wanted === undefined || at < 0) return null;
    value = scaled(value, wanted.factor, over[at].factor);
    over.splice(at, 1);
  }
  return over.length === 0 ? value : null;
}

/** value from / to, by one rounded operation where the ratio is whole. */
export function scaled(value: number, from: number, to: number): number {
  if (from === to) return value;
  const up = from / to;
  const down = to / from;
  if (Math.abs(down - Math.round(down)) < 1e-9 && down > 1) return value / Math.round(down);
  if (Math.abs(up - Math.round(up)) < 1e-9 && up > 1) return value * Math.round(up);
  return value * up;
}

const shown = (value: number): string => String(Number(value.toPrecision(8)));

/** Period words in the clause before or after a quantity: "monthly demand is 200". */
function periodOf(message: Message, index: number): string | null {
  const quantity = message.quantities[index];
  if (quantity.per !== null) return quantity.per;
  const place = message.places[index];
  for (let i = place - 1; i >= Math.max(0, place - 7); i--) {
    const token = message.tokens[i];
    if (token.kind === 'stop' || token.kind === 'comma' || token.kind === 'quantity') break;
    if (token.kind !== 'word') continue;
    const period = PERIOD_WORDS[token.text];
    if (period !== undefined) return period;
    const before = message.tokens[i - 1];
    const isPer = before?.kind === 'word' && ['a', 'per', 'every', 'each'].includes(before.text);
    if (isPer && UNITS.get(token.text)?.dimension === 'time') return UNITS.get(token.text)!.name;
  }
  return null;
}

/** "open 250 days a year": on how many days something happens daily; null: not said. */
function workingDays({ plain }: Message): number | null {
  const found = /(?<![\d.,])(\d{2,3})(?: [a-z]+)? days (?:a|per|in a|in the|each|every|of the) year\b/.exec(plain);
  // "5 days a week": as many in each of 52 weeks.
  const weekly = /(?<![\d.,])([1-7]|five|six|seven) days (?:a|per|each|every) week\b/.exec(plain)?.[1];
  const aWeek = weekly === undefined ? 0 : ({ five: 5, six: 6, seven: 7 } as Record<string, number>)[weekly] ?? Number(weekly); // prettier-ignore
  const days = Number(found?.[1] ?? (aWeek === 7 ? 365 : 52 * aWeek));
  return days > 0 && days <= 366 ? days : null;
}

/** The value of a slot from the quantity that was matched with it, and what else it says. */
export function findingsOf(
  message: Message,
  slot: Slot,
  index: number,
  score: number,
  asked: string | null,
): Finding[] {
  const quantity = message.quantities[index];
  const notes: Note[] = [];
  const said = shown(quantity.isPercent || quantity.currency !== null ? quantity.value : quantity.written);
  const { kind } = slot;
  let { value } = quantity;
  const period = periodOf(message, index);
  const days = kind === 'rate' && period === 'day' ? workingDays(message) : null;
  const perYear = days ?? (period === null ? undefined : PER_YEAR[period]);
  if (kind === 'share' && !quantity.isPercent && value > 1) {
    value = quantity.written / 100;
    notes.push({ kind: 'interpreted', slot: slot.name, message: `${said} was read as ${said} percent.` });
  }
  if (kind === 'rate' && perYear === undefined) {
    notes.push({ kind: 'interpreted', slot: slot.name, message: `${said} was read as per year.` });
  } else if ((kind === 'rate' || slot.isYearly === true) && perYear !== undefined && perYear !== 1) {
    value *= perYear;
    const on = days === null ? '' : ` on ${days} days`;
    const message = `${said} a ${period}${on} is ${shown(value)} a year.`;
    notes.push({ kind: 'unit_converted', slot: slot.name, message });
  }
  if (typeof kind === 'object' && kind !== null) {
    const inUnit = converted(quantity, kind.unit);
    if (inUnit !== null && inUnit !== value) {
      const message_ = `${message.text.slice(quantity.start, quantity.end)} is ${shown(inUnit)} ${kind.unit}.`;
      notes.push({ kind: 'unit_converted', slot: slot.name, message: message_ });
      value = inUnit;
    }
  }
  const confidence = isAsked(slot, asked) ? Math.max(0.9, Math.min(1, score)) : Math.min(1, Math.max(0.5, score));
  const text = wordsAround(message, index);
  const finding = { slot: slot.name, value, text, confidence: Number(confidence.toFixed(2)), notes, used: [index] };
  const extra: Finding[] = [];
  const silent = { text, confidence: finding.confidence };
  if (slot.keepsUnit === true && quantity.unit !== null)
    extra.push({ slot: `${slot.name}.unit`, value: quantity.unit.name, ...silent });
  if (slot.setsTime === true && period !== null) extra.push({ slot: 'time_unit', value: period, ...silent });
  return [finding, ...extra];
}

const absences = new Map<string, readonly RegExp[]>();

/**
 * A figure that is not at hand is not zero: "no holding cost data", "without holding costs above 3", "no setup cost
 * yet".
 */
const NOT_ABSENT = '(?! ?(?:[\\d$\u20ac\u00a3]|data|figures?|numbers?|estimates?|information|info|known|given|yet|available|provided|above|below|over|under|more|higher|lower|less|greater|than|worth|of [\\d$]|is (?:known|given|available)|changes?|increases?|reductions?|savings?))'; // prettier-ignore

/** The words that say that there is nothing of a slot: "no setup cost", "ordering is free"; null: none do. */
export function absenceIn({ plain, text }: Message, slot: Slot, asked: string | null): string | null {
  const { absent } = slot;
  if (absent === undefined) return null;
  if (isAsked(slot, asked) && /^\s*(?:there (?:is|are) |it(?: i|')s |that(?: i|')s )?(?:none|nothing|free|no costs?|nil)(?: at all)?[ .!]*$/.test(plain)) return text.trim(); // prettier-ignore
  let patterns = absences.get(absent);
  if (patterns === undefined) {
    patterns = [
      new RegExp(`\\b(?:(?:there (?:is|are)|has|have|with|at|and|but|pay|we have|i have) )?(?:no|without(?: any)?|zero|nil|free of(?: any)?|ignor(?:e|ing)(?: the| any)?|neglect(?:ing)?(?: the)?)(?: other)? (?:${absent})(?!\\w)${NOT_ABSENT}`), // prettier-ignore
      new RegExp(`(?<!\\w)(?:${absent}) (?:is|are|costs?|comes?)(?: us| for)? (?:completely |entirely )?(?:free(?: of charge)?|nothing|zero|nil|none|negligible)(?!\\w)`), // prettier-ignore
    ];
    absences.set(absent, patterns);
  }
  for (const pattern of patterns) {
    const found = pattern.exec(plain);
    if (found === null) continue;
    const before = plain.slice(Math.max(0, found.index - 24), found.index);
    // "I am not sure whether there is no setup cost", "is there no setup cost?"
    if (/\b(?:not sure|unsure|if|whether|is there|are there|assum\w*|why) ?(?:there )?$/.test(before)) continue;
    return text.slice(found.index, found.index + found[0].length);
  }
  return null;
}

const choicesOf = new WeakMap<Slot, Phrases<{ readonly choice: number; readonly isOpen: boolean }>>();

/** Whether the words before a phrase deny it: "no lead time", "not minimax". */
function isDenied(message: Message, from: number): boolean {
  for (let i = from - 1; i >= Math.max(0, from - 2); i--) {
    const token = message.tokens[i];
    if (token.kind === 'word' && ['not', 'no', 'without', 'dont', "don't", 'never'].includes(token.text)) return true;
  }
  return false;
}

/** The choice that the words speak for; null: none, or several alike. */
export function choiceIn(
  message: Message,
  slot: Slot,
  isAnswer: boolean,
): { readonly value: Json; readonly text: string } | null {
  const choices = slot.choices ?? [];
  let phrases = choicesOf.get(slot);
  if (phrases === undefined) {
    phrases = new Phrases();
    for (const [k, { name, cues, open = '' }] of choices.entries()) {
      for (const phrase of [name.replaceAll('_', ' '), name, ...cues.split('|')])
        phrases.add(phrase, { choice: k, isOpen: false });
      for (const phrase of open.split('|')) phrases.add(phrase, { choice: k, isOpen: true });
    }
    choicesOf.set(slot, phrases);
  }
  const scores = new Array<number>(choices.length).fill(0);
  const texts = new Array<string>(choices.length).fill('');
  for (const { of, from, to, words } of phrases.find(message.tokens)) {
    const score = 0.5 + words;
    // Outside an answer a single ordinary word says little.
    if (!isAnswer && slot.isOpen !== true && !of.isOpen && words < 2) continue;
    if (isDenied(message, from) || score <= scores[of.choice]) continue;
    scores[of.choice] = score;
    texts[of.choice] = message.text.slice(message.tokens[from].start, message.tokens[to].end);
  }
  const best = scores.indexOf(Math.max(...scores));
  if (best < 0 || scores[best] === 0 || scores.filter((score) => score === scores[best]).length > 1) return null;
  return { value: choices[best].value, text: texts[best] };
}
