/** A turn's draft of the state, its notes, and how people are told of its parts. */
import type { ProblemType, AnyModel } from '../../problem-type.js';
import type { Problem } from '../problem.js';
import type { Collected, Note, ConversationState } from '../state.js';
import { typeOf, problemOf } from '../problems/problems.js';
import type { Known } from '../slots.js';
import type { Json } from '../../../model/problem.js';

/** Notes that are kept: the newest. */
const MOST_NOTES = 400;

/** The state that changes while a message is worked through. */
export interface Draft {
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

export function draftOf(state: ConversationState): Draft {
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

export function note(draft: Draft, one: Note): void {
  const isKnown = draft.notes.some(
    ({ kind, slot, message }) => kind === one.kind && slot === one.slot && message === one.message,
  );
  if (!isKnown) draft.notes = [...draft.notes, one].slice(-MOST_NOTES);
}

export const knownIn =
  (collected: Readonly<Record<string, Collected>>): Known =>
  (slot) =>
    Object.hasOwn(collected, slot) ? collected[slot].value : undefined;

export function unsupported(draft: Draft, type: string): void {
  const message = `Problems of the type ${type.replaceAll('_', ' ')} are not supported here yet.`;
  note(draft, { kind: 'unsupported', slot: 'problem_type', message });
  draft.said.push(message);
}

export const label = (name: string): string => {
  const words = (name.split('.').at(-1) ?? name).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const HIDDEN = /\.(?:names|unit)$/;

export const brief = (value: Json): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};
