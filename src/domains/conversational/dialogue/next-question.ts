/** The question that comes next: a conflict first, then what is required, then what is asked once. */
import type { Slot, Known } from '../slots.js';
import type { Json, JsonObject } from '../../../model/problem.js';
import { type Draft, knownIn } from './draft.js';
import type { Conflict, Question } from '../state.js';
import { sameName } from '../lists.js';
import { typeOf, offeredModels } from '../problems/problems.js';
import { PROBLEM_TYPES } from '../../registry.js';
import type { ProblemType } from '../../problem-type.js';

export function defaultOf(slot: Slot, known: Known): Json | undefined {
  return typeof slot.default === 'function' ? slot.default(known) : slot.default;
}

export const holds = (rule: boolean | ((known: Known) => boolean) | undefined, known: Known): boolean =>
  typeof rule === 'function' ? rule(known) : rule === true;

export const isMissing = (slot: Slot, known: Known): boolean =>
  known(slot.name) === undefined &&
  slot.applies?.(known) !== false &&
  (holds(slot.required, known) || holds(slot.askOnce, known));

export function nextQuestion(draft: Draft, conflicts: readonly Conflict[], missing: readonly Slot[]): Question | null {
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
    unit: slot.unit,
    choices: slot.choices?.map(({ name }) => name),
    default: conflict === undefined ? value : undefined,
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
