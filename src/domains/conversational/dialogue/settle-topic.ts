/**
 * Which problem a message is about: by its words where they are clear, else by what its numbers fill. A type that is
 * settled changes only on purpose.
 */
import { type Draft, note, unsupported } from './draft.js';
import type { Message } from '../message.js';
import type { Acts } from '../acts.js';
import type { Reading } from '../reading.js';
import { rankTopics } from '../topics.js';
import { fits } from './fit.js';
import { typeOf, problemOf, offeredModels } from '../problems/problems.js';
import { PROBLEM_TYPES } from '../../registry.js';
import { pastedJson } from '../tables.js';
import type { JsonObject } from '../../../model/problem.js';

export const ANOTHER = 'So it is another problem';

/** Least score of a clear best fit, and its least lead. */
const FITTING = 2.4;
const FITTING_LEAD = 0.35;

/** A lead that makes one candidate the winner. */
const CLEAR = 1.3;
const LEAST = 1.2;
/** Words alone decide from here on. */
const SURE = 3.5;

export function settleTopic(
  draft: Draft,
  message: Message,
  acts: Acts,
  asked: string | null,
  reading: Reading | null,
): void {
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

export const titles = (types: readonly string[]): string =>
  types.map((name) => typeOf(name)?.title ?? name.replaceAll('_', ' ')).join(', or ');

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
  return offeredIn(message, offered);
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
