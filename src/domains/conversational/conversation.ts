/**
 * A dialogue that fills the config of a problem type. Pure functions of state and text: no clock, no chance, no I/O.
 * The texts of a user are data; no text makes these functions throw.
 *
 * Each message goes through: reading (`message.ts`), acts (`acts.ts`), topic (`topics.ts`), lists and single numbers
 * (`problems/`, `slots.ts`), what follows from them, checks, and the next question.
 */
import { ExtremumError } from '../../common/errors.js';
import type { Json, JsonObject } from '../../model/problem.js';
import { checkConfig, isDomain } from '../configs.js';
import type { AnyModel, ProblemType } from '../problem-type.js';
import { readBack } from './read-back.js';
import { PROBLEM_TYPES } from '../registry.js';
import { sameName } from './lists.js';
import { actsOf, isForeign, partsOf, type Acts } from './acts.js';
import { readMessage, type Message } from './message.js';
import { DOMAIN_OF, offeredModels, PROBLEMS, problemOf, typeOf } from './problems/problems.js';
import type { Problem, ReadContext } from './problem.js';
import { believed, type Reading } from './reading.js';
import {
  absenceIn,
  choiceIn,
  findingsOf,
  isAsked,
  matchQuantities,
  type Finding,
  type Known,
  type Slot,
} from './slots.js';
import {
  MOST_CHARACTERS,
  type Assumption,
  type Collected,
  type Conflict,
  type ConversationState,
  type Note,
  type Question,
} from './state.js';
import type { Quantity } from './quantities.js';
import { pastedJson } from './tables.js';
import { Stems, Vocabulary } from './text.js';
import { rankTopics, TOPICS } from './topics.js';

export { parseReading, readingRequest, type Reading } from './reading.js';
export type { Collected, Conflict, ConversationState, Note, Question } from './state.js';
export { MOST_CHARACTERS, MOST_MESSAGES } from './state.js';

const EMPTY: ConversationState = {
  status: 'waiting_for_input',
  domain: null,
  problem_type: null,
  model: null,
  question: null,
  collected: {},
  missing: [],
  assumptions: [],
  conflicts: [],
  notes: [],
  config: {},
  messages: [],
};

/** Notes that are kept: the newest. */
const MOST_NOTES = 400;

let vocabulary: Vocabulary | null = null;

/** The last message: it is looked at several times in a turn. */
let last: { readonly text: string; readonly message: Message } | null = null;

function read(text: string): Message {
  if (last?.text === text) return last.message;
  vocabulary ??= new Vocabulary([
    ...TOPICS.flatMap(({ telling, usual, weak }) => [telling, usual, weak]),
    ...PROBLEMS.flatMap(({ slots }) => slots.flatMap(({ cues = '', weakCues = '', against = '', choices = [] }) => [cues, weakCues, against, ...choices.map((choice) => choice.cues)])), // prettier-ignore
  ]);
  last = { text, message: readMessage(text, new Stems(vocabulary)) };
  return last.message;
}

/** The state that changes while a message is worked through. */
interface Draft {
  type: ProblemType | null;
  problem: Problem | null;
  model: AnyModel | null;
  collected: Record<string, Collected>;
  notes: Note[];
  /** Choices that the last question offered. */
  readonly offered: readonly string[];
  /** Candidates of an ambiguous text. */
  candidates: readonly string[];
  /** Sentences for the answer. */
  said: string[];
}

export function beginConversation(description: string, reading?: Reading): ConversationState {
  return continueConversation(EMPTY, description, reading);
}

export function continueConversation(state: ConversationState, response: string, reading?: Reading): ConversationState {
  const text = response.slice(0, MOST_CHARACTERS);
  const whole = read(text);
  const acts = actsOf(whole);
  const messages = [...state.messages, { role: 'user' as const, text }];
  if (acts.restarts) {
    const note: Note = { kind: 'restarted', message: 'All that was said before was dropped.' };
    return finish({ ...draftOf(EMPTY), notes: [note], said: ['Let us start again.'] }, messages, null, null);
  }
  const draft = draftOf(state);
  if (acts.cancels) {
    draft.said.push(leave(draft));
    return finish(draft, messages, state, null);
  }
  const earlier = state.messages.filter(({ role }) => role === 'user').map((message) => message.text);
  const asked = state.question?.slot ?? null;
  if (draft.type === null && isForeign(whole)) {
    draft.said.push('Only English is understood. Please describe the problem in English.');
    note(draft, { kind: 'unsupported', message: 'Only English is understood.' });
    return finish(draft, messages, state, null);
  }
  const before = JSON.stringify(draft.collected);
  const hadProblem = draft.problem;
  settleTopic(draft, whole, acts, asked, reading ?? null);
  if (draft.problem !== null) {
    // What was said before the problem was known is read now.
    if (hadProblem === null && earlier.length > 0)
      for (const one of lastRelevant(state)) readInto(draft, one, null, null);
    else if (hadProblem !== null && hadProblem !== draft.problem && hadProblem.type === draft.problem.type)
      for (const one of lastRelevant(state)) readInto(draft, one, null, null);
    const isSettled = hadProblem === draft.problem;
    readInto(draft, text, isSettled ? asked : null, reading ?? null);
  }
  const isUnread =
    before === JSON.stringify(draft.collected) && hadProblem === draft.problem && draft.said.length === 0;
  return finish(draft, messages, state, isUnread ? { acts, asked } : null);
}

/** Answer to whoever cancels: nothing is run, and nothing that was said is lost. */
function leave({ type, problem, collected }: Draft): string {
  const own = Object.entries(collected).filter(
    ([name, { source }]) =>
      source === 'user' && name !== 'problem_type' && name !== 'model' && !HIDDEN.test(name) && problem !== null,
  );
  const kept = own.map(([name, { value }]) => `${label(name)}: ${brief(value)}`).join('; ');
  if (type === null) return 'Cancelled: nothing was begun, and nothing is run.';
  return `Cancelled: nothing is run. What you said of ${type.title} is kept${kept === '' ? '' : ` (${kept})`}; go on when you like, or say "start over" to drop it.`; // prettier-ignore
}

/**
 * One call instead of a dialogue. `answers`: by slot, in words. What is missing is in `question`.
 * `acceptDefaults`: slots with a default are not asked.
 */
export function buildAtOnce(
  description: string,
  answers: Readonly<Record<string, string>>,
  acceptDefaults: boolean,
): ConversationState {
  let state = beginConversation(description);
  const meta = ['domain', 'problem_type', 'model'];
  const entries = Object.entries(answers).sort(([a], [b]) => place(meta, a) - place(meta, b));
  for (const [slot, answer] of entries) {
    const question = state.question?.slot === slot ? state.question : { ...(state.question ?? NO_QUESTION), slot };
    state = continueConversation({ ...state, question }, answer);
  }
  for (let turn = 0; acceptDefaults && turn < MOST_DEFAULTS; turn++) {
    if (state.question?.default === undefined || state.conflicts.length > 0) break;
    state = continueConversation(state, 'use the default');
  }
  return state;
}

const MOST_DEFAULTS = 50;
const NO_QUESTION: Question = { slot: '', text: '', type: 'text', example: '', required: false };

const place = (list: readonly string[], one: string): number => (list.includes(one) ? list.indexOf(one) : list.length);

/** Messages since the last change of the problem. */
function lastRelevant(state: ConversationState): string[] {
  const own: string[] = [];
  for (const { role, text } of state.messages) {
    if (role === 'agent' && text.startsWith(ANOTHER)) own.length = 0;
    if (role === 'user') own.push(text);
  }
  return own;
}

const ANOTHER = 'So it is another problem';

function draftOf(state: ConversationState): Draft {
  const type = state.problem_type === null ? null : typeOf(state.problem_type);
  const found = type === null ? null : problemOf(type, state.model);
  return {
    type,
    problem: found?.problem ?? null,
    model: found?.model ?? null,
    collected: { ...state.collected },
    notes: [...state.notes],
    offered: state.question?.choices ?? [],
    candidates: [],
    said: [],
  };
}

function note(draft: Draft, one: Note): void {
  const isKnown = draft.notes.some(
    ({ kind, slot, message }) => kind === one.kind && slot === one.slot && message === one.message,
  );
  if (!isKnown) draft.notes = [...draft.notes, one].slice(-MOST_NOTES);
}

const knownIn =
  (collected: Readonly<Record<string, Collected>>): Known =>
  (slot) =>
    Object.hasOwn(collected, slot) ? collected[slot].value : undefined;

// ---- topic ----

/** Longest description whose problem is looked for by what its numbers fill. */
const LONGEST_FITTED = 3_000;

interface Fit {
  readonly problem: Problem;
  readonly score: number;
}

/** How well each problem takes up the numbers of the message, with what its words say; best first. */
function fits(message: Message, ranking: ReturnType<typeof rankTopics>): Fit[] {
  if (message.plain.length > LONGEST_FITTED || message.quantities.length === 0) return [];
  const all = PROBLEMS.flatMap((problem) => {
    const type = typeOf(problem.type);
    if (type === null || problemOf(type, problem.model) === null) return [];
    const words = ranking.types.find(({ type: name }) => name === problem.type)?.score ?? 0;
    const own = ranking.models.get(problem.type)?.find(({ model }) => model === problem.model)?.score ?? 0;
    const findings = findingsIn(problem, message, { known: () => undefined, asked: null, isCorrection: false });
    const known: Known = (slot) => findings.find((finding) => finding.slot === slot)?.value;
    const used = new Set(findings.flatMap((finding) => finding.used ?? []));
    const filled = problem.slots.filter(
      (slot) =>
        known(slot.name) !== undefined &&
        (holds(slot.required, () => undefined) || slot.partOf !== undefined || holds(slot.required, known)),
    );
    const strength = filled.reduce((sum, { name }) => {
      const { confidence = 0, used: claimed = [] } = findings.find(({ slot }) => slot === name) ?? {};
      return sum + confidence * (1 + 0.35 * Math.max(0, Math.min(claimed.length, 6) - 1));
    }, 0);
    const missing = problem.slots.filter(
      ({ name, required }) =>
        known(name) === undefined &&
        holds(required, known) &&
        !problem.slots.some((part) => part.partOf === name && known(part.name) !== undefined),
    ).length;
    const left = message.quantities.filter(({ isWeak }, i) => !isWeak && !used.has(i)).length;
    return [{ problem, score: 1.1 * strength - 0.35 * missing - 0.5 * Math.min(left, 6) + 0.5 * words + 0.8 * own }];
  });
  return all.sort((a, b) => b.score - a.score);
}

/** Least score of a clear best fit, and its least lead. */
const FITTING = 2.4;
const FITTING_LEAD = 0.35;

/** A lead that makes one candidate the winner. */
const CLEAR = 1.3;
const LEAST = 1.2;
/** Words alone decide from here on. */
const SURE = 3.5;

function settleTopic(draft: Draft, message: Message, acts: Acts, asked: string | null, reading: Reading | null): void {
  const ranking = rankTopics(message);
  const isAskedForType = asked === 'problem_type' || asked === 'domain' || (asked === null && draft.type === null);
  if (draft.type === null) {
    const choice = isAskedForType ? namedType(message, asked === 'problem_type' ? draft.offered : []) : null;
    const [first, second] = ranking.types;
    const least = asked === 'problem_type' ? 0.6 : LEAST;
    const isClear = first !== undefined && first.score >= least && (second === undefined || first.score >= second.score * CLEAR + 0.2); // prettier-ignore
    let rivals: string[] = [];
    let chosen = choice ?? (isClear && first.score >= SURE ? first.type : null);
    if (chosen === null) {
      const [best, ...rest] = fits(message, ranking);
      const next = rest.find(({ problem }) => problem.type !== best?.problem.type);
      if (best !== undefined && best.score >= FITTING && best.score >= (next?.score ?? 0) + FITTING_LEAD)
        chosen = best.problem.type;
      else if (isClear) {
        // Few words for one problem, and numbers that fit another one better: both are offered.
        const own = [best, ...rest].find((fit) => fit?.problem.type === first.type)?.score ?? 0;
        if (best === undefined || best.score < FITTING || best.problem.type === first.type || own >= best.score)
          chosen = first.type; // prettier-ignore
        else rivals = [first.type, best.problem.type];
      }
    }
    if (chosen === null && first !== undefined)
      draft.candidates = ranking.types.filter(({ score }) => first.score < least || score * CLEAR + 0.2 >= first.score).slice(0, 4).map(({ type }) => type); // prettier-ignore
    if (chosen === null && rivals.length > 0) draft.candidates = rivals;
    if (chosen === null && typeof reading?.problem_type === 'string' && typeOf(reading.problem_type) !== null) {
      chosen = typeOf(reading.problem_type)!.name;
      draft.candidates = [];
    }
    if (chosen === null) {
      if (draft.candidates.length > 0)
        note(draft, {
          kind: 'ambiguous',
          slot: 'problem_type',
          message: `This may be about ${titles(draft.candidates)}.`,
        });
      return;
    }
    takeType(draft, chosen, message);
  } else if (isNewTopic(draft, message, acts, asked, ranking)) {
    const first = ranking.types[0];
    const from = draft.type.title;
    const type = typeOf(first.type);
    if (type === null) return unsupported(draft, first.type);
    draft.collected = {};
    draft.problem = null;
    draft.model = null;
    note(draft, { kind: 'corrected', slot: 'problem_type', message: `Instead of ${from}: ${type.title}.` });
    draft.said.push(`${ANOTHER}: ${type.title}.`);
    takeType(draft, first.type, message);
  }
  if (draft.type !== null) settleModel(draft, message, acts, asked, ranking, reading);
}

const titles = (types: readonly string[]): string =>
  types.map((name) => typeOf(name)?.title ?? name.replaceAll('_', ' ')).join(', or ');

function unsupported(draft: Draft, type: string): void {
  const message = `Problems of the type ${type.replaceAll('_', ' ')} are not supported here yet.`;
  note(draft, { kind: 'unsupported', slot: 'problem_type', message });
  draft.said.push(message);
}

function takeType(draft: Draft, name: string, message: Message): void {
  const type = typeOf(name);
  if (type === null) return unsupported(draft, name);
  draft.type = type;
  draft.collected['problem_type'] = {
    value: type.name,
    text: message.text.slice(0, 200),
    source: 'user',
    confidence: 0.8,
    by: 'rules',
  };
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];

/** "2", "the second one": one of those that were offered. */
function offeredIn({ plain }: Message, offered: readonly string[]): string | null {
  const number = /^\s*(?:number |option |no\.? ?)?(\d{1,2})[.)]?\s*$/.exec(plain)?.[1];
  const ordinal = /^\s*(?:the )?(\w+)(?: one| option)?[.!]?\s*$/.exec(plain)?.[1] ?? '';
  const index = number === undefined ? ORDINALS.indexOf(ordinal) : Number(number) - 1;
  return offered[index] ?? null;
}

/** A type by its name, or by its place in the list that was offered. */
function namedType(message: Message, offered: readonly string[]): string | null {
  const plain = message.plain.trim();
  const spelled = (name: string): boolean => plain === name || plain === name.replaceAll('_', ' ');
  for (const { name, aliases } of PROBLEM_TYPES) {
    if ([name, ...aliases].some((one) => spelled(one) || (one.includes('_') && plain.includes(one)))) return name;
  }
  return Object.keys(DOMAIN_OF).find(spelled) ?? offeredIn(message, offered);
}

function isNewTopic(
  draft: Draft,
  message: Message,
  acts: Acts,
  asked: string | null,
  ranking: ReturnType<typeof rankTopics>,
): boolean {
  const [first] = ranking.types;
  if (first === undefined || first.type === draft.type?.name) return false;
  const own = ranking.types.find(({ type }) => type === draft.type?.name)?.score ?? 0;
  const isClear = first.score >= 2 && first.score >= own * CLEAR + 1;
  if (acts.changesProblem && isClear) return true;
  // Nothing was said of the first one yet: a word too few decided it.
  const isEmpty = Object.entries(draft.collected).every(([name, { source }]) => source !== 'user' || name === 'problem_type' || name === 'model'); // prettier-ignore
  if (isEmpty && own === 0 && first.score >= 3) return true;
  // A new description in the middle of a dialogue, long and of another kind.
  return asked === null && first.score >= 6 && own < 1 && message.plain.length > 60;
}

function settleModel(
  draft: Draft,
  message: Message,
  acts: Acts,
  asked: string | null,
  ranking: ReturnType<typeof rankTopics>,
  reading: Reading | null,
): void {
  const type = draft.type!;
  const only = type.models[0];
  if (only !== undefined && only.name === null) {
    const found = problemOf(type, null);
    draft.problem = found?.problem ?? null;
    draft.model = found?.model ?? null;
    return;
  }
  const own = ranking.models.get(type.name) ?? [];
  const pasted = pastedJson(message.text);
  const given = pasted !== null && !Array.isArray(pasted) ? (pasted as JsonObject)['model'] : undefined;
  const named =
    typeof given === 'string'
      ? given
      : (offeredModels(type).find((name) => isNamed(message, name)) ??
        (asked === 'model' ? (offeredIn(message, draft.offered) ?? undefined) : undefined));
  const [first, second] = own;
  const fitting =
    draft.problem === null ? fits(message, ranking).filter(({ problem }) => problem.type === type.name) : [];
  const [best, next] = fitting;
  const isBest = best !== undefined && best.score >= 1.5 && best.score >= (next?.score ?? 0) + 0.5;
  const isClear =
    first !== undefined &&
    first.score >= (asked === 'model' ? 0.6 : 1) &&
    first.score >= (second?.score ?? 0) * 1.2 + 0.1;
  let chosen = named ?? (isBest ? best.problem.model : isClear ? first.model : null);
  if (draft.problem !== null && named === undefined) {
    // A model that is settled changes only on purpose.
    const isMeant = first !== undefined && first.model !== draft.model?.name && isClear && first.score >= 2.5;
    if (!isMeant || !(acts.changesProblem || acts.corrects !== null)) return;
  }
  if (chosen === null && typeof reading?.model === 'string') chosen = reading.model;
  if (chosen === null && best !== undefined && best.score >= 1 && best.score >= (next?.score ?? 0) + 0.3)
    chosen = best.problem.model;
  // Two models of one family: the common one is a good start where its words are there.
  if (chosen === null && first !== undefined && first.score >= 2) chosen = first.model;
  if (chosen === null) return;
  const found = problemOf(type, chosen);
  if (found === null) return unsupported(draft, `${type.name} (${chosen})`);
  if (draft.problem !== null && draft.problem !== found.problem) {
    note(draft, { kind: 'corrected', slot: 'model', message: `The model is ${chosen.replaceAll('_', ' ')}.` });
    const names = new Set([...found.problem.slots.map(({ name }) => name), 'currency', 'problem_type']);
    draft.collected = Object.fromEntries(Object.entries(draft.collected).filter(([slot]) => names.has(slot)));
  }
  draft.problem = found.problem;
  draft.model = found.model;
  draft.collected['model'] = {
    value: chosen,
    text: message.text.slice(0, 200),
    source: 'user',
    confidence: 0.8,
    by: 'rules',
  };
}

const isNamed = ({ plain }: Message, name: string): boolean => {
  const at = plain.indexOf(name.toLowerCase());
  return (
    at >= 0 &&
    name.length >= 3 &&
    !/[a-z0-9_]/.test(plain.charAt(at - 1)) &&
    !/[a-z0-9_]/.test(plain.charAt(at + name.length))
  );
};

// ---- slots ----

/** Reads one message into the draft, part by part. */
function readInto(draft: Draft, text: string, asked: string | null, reading: Reading | null): void {
  const parts = partsOf(text);
  for (const [k, part] of parts.entries())
    readPart(draft, read(part), k === 0 ? asked : null, k > 0, k === 0 ? reading : null);
}

function readPart(
  draft: Draft,
  message: Message,
  asked: string | null,
  isTurn: boolean,
  reading: Reading | null,
): void {
  const problem = draft.problem!;
  const acts = actsOf(message);
  const isCorrection = isTurn || acts.corrects === 'strong' || (acts.corrects === 'weak' && asked === null);
  const known = knownIn(draft.collected);
  const fields = pastedFields(message);
  const findings: Finding[] = fields === null ? [] : pasted(draft, problem, message, fields, { known, asked, isCorrection }); // prettier-ignore
  for (const { words, message: limit } of problem.limits ?? []) {
    if (!words.test(message.plain)) continue;
    note(draft, { kind: 'unsupported', message: limit });
    draft.said.push(limit);
  }
  const taken = new Set<number>(fields === null ? [] : message.quantities.map((_, i) => i));
  if (fields === null) {
    // "Sorry, make that 60 a month": nothing has been said yet of what was asked for.
    const instead = replaced(draft, message);
    if (instead !== null) {
      findings.push(...instead);
      for (const [i, { isWeak }] of message.quantities.entries()) if (!isWeak) taken.add(i);
    }
    const isDenial = message.denied.length > 0;
    const isOfBefore =
      instead === null && acts.corrects === 'strong' && asked !== null && !Object.hasOwn(draft.collected, asked);
    const own = isOfBefore ? findingsIn(problem, message, { known, asked: null, isCorrection }) : [];
    const before = isOfBefore && own.length === 0 && !isDenial ? corrected(draft, message, taken, null, true) : own;
    const onUnclear = (one: Slot, indices: readonly number[]): void => sayUnclear(draft, message, one, indices);
    if (instead === null)
      findings.push(...(before.length > 0 ? before : findingsIn(problem, message, { known, asked, isCorrection, onUnclear }))); // prettier-ignore
    for (const i of findings.flatMap(({ used = [] }) => used)) taken.add(i);
    // "$8, no wait, $10. Demand is ...": the first number corrects what stood before.
    const isLeading = isTurn && message.quantities.length > 0 && !taken.has(0);
    if ((findings.length === 0 || isLeading) && !isDenial)
      findings.push(...corrected(draft, message, taken, asked, isCorrection));
  }
  // "5000 - 40p" is a line of the price, and no pence.
  const ofDemand = new Set(findings.filter(({ slot }) => slot === 'demand').flatMap(({ used = [] }) => used));
  const currency = message.quantities.find((one, i) => one.currency !== null && one.currency !== '' && !ofDemand.has(i))?.currency; // prettier-ignore
  if (
    typeof currency === 'string' &&
    !Object.hasOwn(draft.collected, 'currency') &&
    draft.model !== null &&
    Object.hasOwn(draft.model.fields.shape, 'currency')
  )
    // prettier-ignore
    findings.push({ slot: 'currency', value: currency, text: currency, confidence: 0.9 });
  const wholes = new Set(findings.map((finding) => finding.slot));
  for (const finding of findings) merge(draft, finding, asked, isCorrection, 'rules', wholes);
  if (reading !== null) {
    const slots = problem.slots;
    for (const finding of believed(reading, message, slots, findings)) merge(draft, finding, asked, isCorrection, 'language_model', wholes); // prettier-ignore
  }
  const slot = problem.slots.find(({ name }) => name === asked);
  const isAnswered = asked !== null && findings.some((finding) => finding.slot === asked || problem.slots.find(({ name }) => name === finding.slot)?.partOf === asked); // prettier-ignore
  if (slot !== undefined && !isAnswered && (acts.doesNotKnow || acts.leavesChoice || acts.confirms))
    takeDefault(draft, slot, acts);
}

/** Two numbers for one slot: neither is taken, and both are named. */
function sayUnclear(draft: Draft, message: Message, slot: Slot, indices: readonly number[]): void {
  const said = indices.map((i) => message.text.slice(message.quantities[i].start, message.quantities[i].end));
  const isRange = message.quantities[indices[0]].range === 'low';
  const text = `${label(slot.name)}: ${said.join(isRange ? ' to ' : ' or ')}? One number is needed, so none was taken.`;
  note(draft, { kind: 'ambiguous', slot: slot.partOf ?? slot.name, message: text });
  if (!draft.said.includes(text)) draft.said.push(text);
}

/** Lists, choices and single numbers of a message. */
function findingsIn(problem: Problem, message: Message, context: ReadContext): Finding[] {
  const { known, asked } = context;
  const acts = actsOf(message);
  const findings: Finding[] = [];
  const taken = new Set<number>();
  for (const finding of problem.read?.(message, context) ?? []) {
    findings.push(finding);
    for (const i of finding.used ?? []) taken.add(i);
  }
  for (const i of problem.ignores?.(message) ?? []) taken.add(i);
  // "What is a risk-free rate, is 3% high?" asks, and answers nothing.
  if (asked !== null && acts.asksForHelp && /\?\s*$/.test(message.plain)) for (const i of message.quantities.keys()) taken.add(i); // prettier-ignore
  const refusesToSay = (acts.doesNotKnow || acts.leavesChoice) && message.quantities.every(({ isWeak }) => isWeak);
  for (const slot of problem.slots) {
    if (slot.choices === undefined || findings.some((finding) => finding.slot === slot.name)) continue;
    const isOwn = isAsked(slot, asked);
    if ((slot.isAskedOnly === true && !isOwn) || (isOwn && refusesToSay && !isDecided(message))) continue;
    const choice = choiceIn(message, slot, isOwn);
    if (choice === null) continue;
    findings.push({ slot: slot.name, value: choice.value, text: choice.text, confidence: isOwn ? 0.9 : 0.7 });
  }
  // Choices decide which numbers have a meaning.
  const now: Known = (name) => findings.find(({ slot }) => slot === name)?.value ?? known(name);
  const slots = slotsThatApply(problem, now);
  for (const { slot, index, score, rival } of matchQuantities(message, slots, taken, asked)) {
    if (refusesToSay && message.quantities[index].isWeak) continue;
    if (findings.some((finding) => finding.slot === slot.name)) continue;
    if (rival !== null) {
      context.onUnclear?.(
        slot,
        [index, rival].sort((a, b) => a - b),
      );
      continue;
    }
    findings.push(...findingsOf(message, slot, index, score, asked));
    taken.add(index);
  }
  // "no setup cost": where no number of the message is meant for it.
  for (const slot of slots) {
    if (findings.some((finding) => finding.slot === slot.name || finding.slot === slot.partOf)) continue;
    const text = refusesToSay ? null : absenceIn(message, slot, asked);
    if (text !== null) findings.push({ slot: slot.name, value: 0, text, confidence: 0.8 });
  }
  return findings;
}

const applying = new WeakMap<Problem, Map<string, readonly Slot[]>>();

/** The same array for the same slots: phrases are kept by it. */
function slotsThatApply(problem: Problem, known: Known): readonly Slot[] {
  const own = problem.slots.filter(({ applies }) => applies === undefined || applies(known));
  if (own.length === problem.slots.length) return problem.slots;
  const kept = applying.get(problem) ?? new Map<string, readonly Slot[]>();
  applying.set(problem, kept);
  const key = own.map(({ name }) => name).join();
  const before = kept.get(key);
  if (before !== undefined) return before;
  kept.set(key, own);
  return own;
}

/** "no idea" beside a choice that is named all the same: "no idea, accuracy I guess". */
const isDecided = ({ plain }: Message): boolean =>
  /\b(?:i guess|maybe|perhaps|probably|let'?s say|but|so)\b/.test(plain);

function takeDefault(draft: Draft, slot: Slot, acts: Acts): void {
  const value = defaultOf(slot, knownIn(draft.collected));
  if (value === undefined) {
    if (acts.confirms) return;
    draft.said.push(`${slot.help ?? 'This is needed to go on.'}`);
    return;
  }
  const plain =
    typeof value === 'string' || typeof value === 'number' ? String(value).replaceAll('_', ' ') : JSON.stringify(value);
  const shown = value === null ? (slot.nullMeans ?? 'no limit') : plain;
  const message = `${label(slot.name)}: ${shown} was assumed.`;
  draft.collected[slot.name] = { value, text: message, source: 'default', confidence: 0.5 };
  note(draft, { kind: 'assumed_default', slot: slot.name, message });
  draft.said.push(message);
}

const label = (name: string): string => {
  const words = (name.split('.').at(-1) ?? name).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function defaultOf(slot: Slot, known: Known): Json | undefined {
  return typeof slot.default === 'function' ? slot.default(known) : slot.default;
}

/** The entries of a pasted JSON object, or of the `config` in it; null: there is none. */
function pastedFields(message: Message): JsonObject | null {
  const json = pastedJson(message.text);
  if (json === null || Array.isArray(json)) return null;
  const { config } = json as JsonObject;
  return typeof config === 'object' && config !== null && !Array.isArray(config) ? (config as JsonObject) : (json as JsonObject); // prettier-ignore
}

/** Names in a message about fields that are not there. */
const MOST_NAMES = 8;

/** Fields of a pasted JSON object. Its numbers answer nothing else: a key that is no field is named. */
function pasted(draft: Draft, problem: Problem, message: Message, object: JsonObject, context: ReadContext): Finding[] {
  const fields = draft.model?.fields.shape ?? {};
  const entries = Object.entries(object).filter(([key]) => !ENVELOPE.has(key));
  const known = entries.filter(([key]) => Object.hasOwn(fields, key));
  if (known.length === 0) {
    const read = problem.read?.(message, context) ?? [];
    if (read.length > 0) return [...read];
  }
  const others = entries.filter(([key]) => !Object.hasOwn(fields, key)).map(([key]) => `\`${key.slice(0, 60)}\``);
  if (others.length > 0) {
    const [shown, rest] = [others.slice(0, MOST_NAMES), others.length - MOST_NAMES];
    const limit = `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}: no field of this problem, so it was not read. Its fields are ${Object.keys(fields).filter((key) => key !== 'model').join(', ')}.`; // prettier-ignore
    note(draft, { kind: 'unsupported', message: limit });
    draft.said.push(limit);
  }
  return known.map(([key, value]) => ({ slot: key, value, text: 'pasted JSON', confidence: 0.95 }));
}

const ENVELOPE = new Set(['model', 'domain', 'problem_type', 'config']);

/** A bare number that corrects: the last slot with a number that it can be. */
function corrected(
  draft: Draft,
  message: Message,
  taken: ReadonlySet<number>,
  asked: string | null,
  isCorrection: boolean,
): Finding[] {
  if (!isCorrection) return [];
  const slots = Object.entries(draft.collected)
    .filter(([, { source, value }]) => source === 'user' && typeof value === 'number')
    .map(([name]) => draft.problem!.slots.find((slot) => slot.name === name))
    .filter((slot) => slot !== undefined)
    .reverse();
  const never = new Set([...taken, ...(draft.problem!.ignores?.(message) ?? [])]);
  for (const slot of slots) {
    const [match] = matchQuantities(message, [slot], never, slot.name);
    if (match?.rival === null) return findingsOf(message, slot, match.index, match.score, asked ?? slot.name);
  }
  return [];
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));

/** A number that was said, and where it went. */
interface Place {
  readonly name: string;
  /** Below the slot's value; empty: the value itself. */
  readonly path: readonly (string | number)[];
  /** Factor for a number as it is written. */
  readonly factor: number;
}

const MOST_PLACES = 20;

/** Where numbers of the user went that were written like the given one. */
function placesOf(draft: Draft, { value, written, isPercent }: Quantity): Place[] {
  const found: Place[] = [];
  const isShare = (name: string): boolean => draft.problem!.slots.find((slot) => slot.name === name)?.kind === 'share';
  const look = (name: string, json: Json, path: readonly (string | number)[]): void => {
    if (found.length >= MOST_PLACES) return;
    if (typeof json === 'number') {
      if (isNear(json, value)) found.push({ name, path, factor: isPercent ? 0.01 : 1 });
      else if ((path.length > 0 || isShare(name)) && isNear(json, written / 100)) found.push({ name, path, factor: 0.01 });
    } else if (json !== null && typeof json === 'object')
      for (const [key, one] of Object.entries(json)) look(name, one, [...path, Array.isArray(json) ? Number(key) : key]); // prettier-ignore
  };
  for (const [name, { value: own, text, source }] of Object.entries(draft.collected)) {
    if (source !== 'user') continue;
    const before = found.length;
    look(name, own, []);
    if (found.length > before || typeof own !== 'number') continue;
    // 200 a month was stored as 2,400 a year, 5 as 5 percent.
    const said = read(text).quantities.find((one) => one.written !== 0 && isNear(one.written, written));
    if (said !== undefined) found.push({ name, path: [], factor: own / said.written });
  }
  return found;
}

const replacedIn = (json: Json, [key, ...rest]: readonly (string | number)[], value: number): Json => {
  if (key === undefined) return value;
  if (Array.isArray(json)) return json.map((one: Json, i) => (i === key ? replacedIn(one, rest, value) : one));
  return { ...(json as JsonObject), [key]: replacedIn((json as JsonObject)[key], rest, value) };
};

/**
 * "not 20 but 15", "15 instead of 20": the slot is the one that holds 20, whatever is asked. Null: nothing holds it, or the
 * message says more than one number.
 */
function replaced(draft: Draft, message: Message): Finding[] | null {
  const [denied, ...others] = message.denied;
  const strong = message.quantities.flatMap(({ isWeak }, i) => (isWeak ? [] : [i]));
  if (denied === undefined || others.length > 0 || strong.length !== 1) return null;
  const index = strong[0];
  const quantity = message.quantities[index];
  let places = placesOf(draft, denied);
  if (places.length > 1) {
    // Several hold it: the words have to say which.
    const slots = draft.problem!.slots.filter(({ name }) => places.some((place) => place.name === name));
    const named = matchQuantities(message, slots, new Set(), null)[0]?.slot.name;
    if (named !== undefined) places = places.filter(({ name }) => name === named);
  }
  if (places.length === 0) return null;
  const was = message.text.slice(denied.start, denied.end);
  if (places.length > 1) {
    const names = [...new Set(places.map(({ name }) => label(name)))].join(', ');
    const text = `${was} was said more than once (${names}), so nothing was changed. Please name the value that is wrong.`; // prettier-ignore
    note(draft, { kind: 'ambiguous', message: text });
    draft.said.push(text);
    return [];
  }
  const { name, path, factor } = places[0];
  const slot = draft.problem!.slots.find((one) => one.name === name);
  const says = quantity.per !== null || quantity.unit !== null || quantity.isPercent;
  if (path.length === 0 && slot !== undefined && (says || factor === 1)) {
    const match = matchQuantities(message, [slot], new Set(), name)[0];
    return match === undefined ? null : findingsOf(message, slot, match.index, match.score, name);
  }
  const value = quantity.isPercent || quantity.currency !== null ? quantity.value : Number((quantity.written * factor).toPrecision(15)); // prettier-ignore
  const all = replacedIn(draft.collected[name].value, path, value);
  return [{ slot: name, value: all, text: message.text.slice(0, 200), confidence: 0.9, used: [index] }];
}

const HIDDEN = /\.(?:names|unit)$/;

function merge(
  draft: Draft,
  finding: Finding,
  asked: string | null,
  isCorrection: boolean,
  by: 'rules' | 'language_model',
  together: ReadonlySet<string>,
): void {
  const slot = draft.problem!.slots.find(({ name }) => name === finding.slot);
  const before = draft.collected[finding.slot];
  const isSame = before !== undefined && JSON.stringify(before.value) === JSON.stringify(finding.value);
  if (isSame && before.source === 'user') return;
  if (before?.source === 'user') {
    const isMeant = isCorrection || finding.slot === asked || slot?.partOf === asked || finding.confidence >= 0.75;
    if (!isMeant) return;
    if (!HIDDEN.test(finding.slot) && !isGrown(before.value, finding.value)) {
      const name = slot?.partOf ?? finding.slot;
      note(draft, {
        kind: 'corrected',
        slot: name,
        message: `${label(name)}: ${brief(finding.value)} instead of ${brief(before.value)}.`,
      });
    }
  }
  // The last one that was said is the last one in the list.
  delete draft.collected[finding.slot];
  draft.collected[finding.slot] = {
    value: finding.value,
    text: finding.text.slice(0, 500),
    source: finding.source ?? 'user',
    confidence: finding.confidence,
    ...(finding.source === 'derived' ? {} : { by }),
  };
  // What was made of parts is made anew from the new ones.
  if (
    slot?.partOf !== undefined &&
    slot.isAside !== true &&
    !together.has(slot.partOf) &&
    draft.collected[slot.partOf]?.source !== undefined &&
    isMadeOfParts(draft, slot.partOf)
  )
    delete draft.collected[slot.partOf];
  for (const one of finding.notes ?? []) note(draft, one);
}

const isMadeOfParts = (draft: Draft, whole: string): boolean =>
  draft.problem!.slots.some(({ partOf }) => partOf === whole);

/** A list that has more entries than before, all old ones among them: an addition, no correction. */
const isGrown = (before: Json, after: Json): boolean =>
  Array.isArray(before) && Array.isArray(after) && after.length > before.length && before.every((one, i) => JSON.stringify(one) === JSON.stringify(after[i])); // prettier-ignore

const brief = (value: Json): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};

// ---- the next question ----

function finish(
  draft: Draft,
  messages: ConversationState['messages'],
  before: ConversationState | null,
  unread: { readonly acts: Acts; readonly asked: string | null } | null,
): ConversationState {
  const { problem, model } = draft;
  if (problem !== null) derive(draft, problem);
  const known = knownIn(draft.collected);
  const missing = problem === null ? [] : problem.slots.filter((slot) => isMissing(slot, known));
  const config = problem === null ? {} : configOf(draft, problem);
  const conflicts =
    problem === null || model === null ? [] : conflictsOf(draft, problem, model, config, missing.length === 0);
  for (const conflict of conflicts) {
    note(draft, { kind: 'conflict', slot: conflict.slot, message: conflict.message });
    draft.said.push(conflict.message);
  }
  sayLeftOut(draft);
  const question = nextQuestion(draft, conflicts, missing);
  const names =
    problem === null ? (draft.type === null ? ['problem_type'] : ['model']) : missing.map(({ name }) => name);
  const assumptions: Assumption[] = Object.entries(draft.collected).flatMap(([slot, { source, text }]) =>
    source === 'default' ? [{ slot, message: text }] : [],
  );
  if (unread !== null) draft.said.push(...answerTo(unread, draft, before, question));
  const isReady = question === null;
  if (isReady && draft.type !== null) draft.said.push(readBack(draft.type.title, config));
  const reply = [...draft.said, ...(question === null ? [] : [question.text])].join(' ');
  return {
    status: isReady ? 'ready_to_optimize' : 'waiting_for_input',
    domain: draft.type?.domain ?? null,
    problem_type: draft.type?.name ?? null,
    model: model?.name ?? null,
    question,
    collected: draft.collected,
    missing: names,
    assumptions,
    conflicts,
    notes: draft.notes,
    config,
    messages: [...messages, { role: 'agent', text: reply }],
  };
}

/** Names of a row that got no numbers beside others that did: they are not passed over in silence. */
function sayLeftOut(draft: Draft): void {
  for (const { name } of draft.problem?.slots ?? []) {
    const [rows, named] = [draft.collected[name]?.value, draft.collected[`${name}.names`]?.value];
    if (!Array.isArray(rows) || !Array.isArray(named)) continue;
    const ids = rows.map((one: Json) => String((one as JsonObject)['id']));
    const left = (named as string[]).filter((one) => sameName(one, ids) === null);
    if (left.length === 0 || left.length === named.length) continue;
    const text = `Without numbers, and so left out: ${left.join(', ')}.`;
    const isNew = !draft.notes.some(({ message }) => message === text);
    note(draft, { kind: 'ambiguous', slot: name, message: text });
    if (isNew) draft.said.push(text);
  }
}

/** Values that follow from others replace those that followed before. */
function derive(draft: Draft, problem: Problem): void {
  for (const [slot, { source }] of Object.entries(draft.collected))
    if (source === 'derived') delete draft.collected[slot];
  for (let again = 0; again < 3; again++) {
    let isNew = false;
    for (const finding of problem.derive?.(knownIn(draft.collected)) ?? []) {
      const present = draft.collected[finding.slot];
      if (present !== undefined && present.source !== 'default') continue;
      draft.collected[finding.slot] = {
        value: finding.value,
        text: finding.text,
        source: 'derived',
        confidence: finding.confidence,
      };
      for (const one of finding.notes ?? []) note(draft, one);
      isNew = true;
    }
    if (!isNew) break;
  }
}

function configOf(draft: Draft, problem: Problem): JsonObject {
  const slots = new Set(problem.slots.map(({ name }) => name));
  const fields = draft.model?.fields.shape ?? {};
  // Fields that were pasted and that no slot stands for.
  const others = Object.entries(draft.collected).filter(([name]) => !slots.has(name) && Object.hasOwn(fields, name));
  return {
    ...Object.fromEntries(others.map(([name, { value }]) => [name, value])),
    ...problem.build(knownIn(draft.collected)),
  };
}

const holds = (rule: boolean | ((known: Known) => boolean) | undefined, known: Known): boolean =>
  typeof rule === 'function' ? rule(known) : rule === true;

const isMissing = (slot: Slot, known: Known): boolean =>
  known(slot.name) === undefined &&
  slot.applies?.(known) !== false &&
  (holds(slot.required, known) || holds(slot.askOnce, known));

function conflictsOf(
  draft: Draft,
  problem: Problem,
  model: AnyModel,
  config: JsonObject,
  isWhole: boolean,
): Conflict[] {
  const known = knownIn(draft.collected);
  const found: Conflict[] = [];
  for (const { name, refuse, partOf } of problem.slots) {
    const value = known(name);
    const complaint = typeof value === 'number' ? (refuse?.(value) ?? null) : null;
    if (complaint !== null)
      found.push({ slot: partOf ?? name, message: `${label(name)} cannot be ${brief(value!)}. ${complaint}` });
  }
  if (found.length === 0) found.push(...(problem.conflicts?.(known) ?? []));
  if (found.length > 0) return found;
  for (const [field, value] of Object.entries(config)) {
    const schema = model.fields.shape[field] as { safeParse?: (value: unknown) => { success: boolean; error?: { issues: readonly { message: string }[] } } } | undefined; // prettier-ignore
    const slot = problem.slots.find(({ name }) => name === field);
    if (slot === undefined || isWhole) continue;
    const parsed = schema?.safeParse?.(value);
    if (parsed?.success === false)
      found.push({ slot: slotFor(problem, field), message: `${label(field)}: ${(parsed.error?.issues[0]?.message ?? 'not possible').replaceAll('`{field}`', 'it').replaceAll('{field}', field)}` }); // prettier-ignore
  }
  if (found.length > 0 || !isWhole) return found;
  try {
    checkConfig(draft.type!, config);
  } catch (error) {
    if (!(error instanceof ExtremumError)) throw error;
    const path = String(error.field ?? '').replace(/^config\.?/, '');
    found.push({ slot: slotFor(problem, path), message: error.message.replaceAll('`config.', '`') });
  }
  return found;
}

/** The slot that is asked about a path of the config. */
function slotFor(problem: Problem, path: string): string {
  const plain = path.replace(/\[\d+\]/g, '');
  const fits = problem.slots.filter(({ name, question }) => question !== '' && (plain === name || plain.startsWith(`${name}.`) || name.startsWith(`${plain}.`))); // prettier-ignore
  const best = fits.sort((a, b) => b.name.length - a.name.length)[0];
  return best?.partOf ?? best?.name ?? problem.slots[0].name;
}

function nextQuestion(draft: Draft, conflicts: readonly Conflict[], missing: readonly Slot[]): Question | null {
  if (draft.type === null) return typeQuestion(draft.candidates);
  if (draft.problem === null) return modelQuestion(draft.type);
  const known = knownIn(draft.collected);
  const [conflict] = conflicts;
  const slot = conflict === undefined ? (missing.find(({ required }) => holds(required, known)) ?? missing[0]) : draft.problem.slots.find(({ name }) => name === conflict.slot); // prettier-ignore
  if (slot === undefined) return null;
  const value = defaultOf(slot, known);
  const text = partialQuestion(slot, known) ?? slot.question;
  return {
    slot: slot.name,
    text: `${text} For example: ${slot.example}.`,
    type:
      slot.choices !== undefined ? 'choice' : slot.isList === true ? 'list' : slot.kind === null ? 'text' : 'number',
    ...(slot.unit === undefined ? {} : { unit: slot.unit }),
    ...(slot.choices === undefined ? {} : { choices: slot.choices.map(({ name }) => name) }),
    ...(value === undefined || conflict !== undefined ? {} : { default: value }),
    example: slot.example,
    required: holds(slot.required, known),
  };
}

/** A question that says what is known already. */
function partialQuestion(slot: Slot, known: Known): string | null {
  const names = known(`${slot.name}.names`);
  if (slot.name === 'channels' && Array.isArray(names))
    return `What did each of ${names.join(', ')} cost, and what did it bring?`;
  if (slot.name === 'assets' && Array.isArray(names)) return `Which return and which volatility do you expect of each of ${names.join(', ')}?`; // prettier-ignore
  if (slot.name === 'correlation' && Array.isArray(known('correlation.pairs'))) {
    const ids = (known('assets') as readonly JsonObject[] | undefined)?.map(({ id }) => String(id)) ?? [];
    const said = known('correlation.pairs') as readonly JsonObject[];
    const isSaid = (a: string, b: string): boolean => said.some((one) => [one['a'], one['b']].every((name) => [a, b].includes(sameName(String(name), ids) ?? ''))); // prettier-ignore
    const left = ids.flatMap((a, i) => ids.slice(i + 1).flatMap((b) => (isSaid(a, b) ? [] : [`${a} and ${b}`])));
    if (left.length > 0) return `What is the correlation of ${left.slice(0, 10).join(', of ')}? One number is taken for all of these.`; // prettier-ignore
  }
  if (slot.name === 'demand' && known('demand.mean') !== undefined && known('demand') === undefined)
    return 'How much does the demand vary (give or take how many)?';
  if (slot.name === 'demand' && Array.isArray(known('points')) && known('demand') === undefined)
    return 'At another price, how much did or would you sell?';
  return null;
}

function typeQuestion(candidates: readonly string[]): Question {
  const known = candidates.filter((name) => typeOf(name) !== null);
  const choices = known.length > 0 ? known : PROBLEM_TYPES.map(({ name }) => name);
  const list = choices.map((name) => `${name.replaceAll('_', ' ')} (${typeOf(name)?.title ?? ''})`).join('; ');
  return {
    slot: 'problem_type',
    text:
      known.length > 0 ? `What is it about: ${list}?` : `What would you like to optimise? I can help with: ${list}.`,
    type: 'choice',
    choices,
    example: 'how much to order at a time',
    required: true,
  };
}

function modelQuestion(type: ProblemType): Question {
  const choices = offeredModels(type);
  const list = choices.map((name) => `${name.replaceAll('_', ' ')} (${(type.models.find((model) => model.name === name)?.summary ?? '').replace(/\.$/, '')})`).join('; '); // prettier-ignore
  return {
    slot: 'model',
    text: `Which kind of problem is it? ${list}.`,
    type: 'choice',
    choices,
    example: choices[0]?.replaceAll('_', ' ') ?? '',
    required: true,
  };
}

/** Answer to a message that filled nothing. */
function answerTo(
  { acts, asked }: { readonly acts: Acts; readonly asked: string | null },
  draft: Draft,
  before: ConversationState | null,
  question: Question | null,
): string[] {
  const slot = draft.problem?.slots.find(({ name }) => name === asked);
  if (acts.asksForList) return question?.slot === 'problem_type' ? [] : [`I can help with: ${titles(PROBLEM_TYPES.map(({ name }) => name))}.`]; // prettier-ignore
  if (acts.asksForHelp && question === null) return [];
  if (acts.asksForHelp && slot !== undefined) return [slot.help ?? `An answer looks like this: ${slot.example}.`];
  if (before === null || before.messages.length === 0 || acts.confirms) return [];
  if (question === null) return ['I could not read a change out of that.'];
  return question.slot === 'problem_type'
    ? ['I could not tell what it is about.']
    : ['I could not read an answer out of that.'];
}

export const domainNamed = (name: string): boolean => isDomain(name);
