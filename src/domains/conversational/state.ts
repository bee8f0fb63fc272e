/** The conversation's memory between two messages: plain JSON, with everything that is needed to go on. */
import type { DomainName, Json, JsonObject } from '../../model/problem.js';

/** Longest text of one message, in characters. */
export const MOST_CHARACTERS = 20_000;
/** Messages of the user in one conversation. */
export const MOST_MESSAGES = 100;

export const NOTE_KINDS = [
  'assumed_default',
  'corrected',
  'conflict',
  'unit_converted',
  'derived',
  'interpreted',
  'ambiguous',
  'unsupported',
  'restarted',
] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

export interface Note {
  readonly kind: NoteKind;
  readonly slot?: string;
  readonly message: string;
}

export interface Question {
  readonly slot: string;
  readonly text: string;
  readonly type: 'text' | 'number' | 'choice' | 'list';
  readonly unit?: string;
  readonly choices?: readonly string[];
  /** Value that is taken where the user does not know. */
  readonly default?: Json;
  readonly example: string;
  readonly required: boolean;
}

export interface Collected {
  readonly value: Json;
  /** The user's words, or why the value was taken. */
  readonly text: string;
  readonly source: 'user' | 'derived' | 'default';
  /** 0 to 1. */
  readonly confidence: number;
  /** Absent: nobody read it, it is a default or derived. */
  readonly by?: 'rules' | 'language_model';
}

/** Values that cannot all be true. */
export interface Conflict {
  readonly slot: string;
  readonly message: string;
}

export interface Assumption {
  readonly slot: string;
  readonly message: string;
}

export interface ConversationState {
  readonly status: 'waiting_for_input' | 'ready_to_optimize';
  readonly domain: DomainName | null;
  readonly problem_type: string | null;
  /** Null: not known yet, or the type has one model. */
  readonly model: string | null;
  /** Null once everything is there. */
  readonly question: Question | null;
  /** By slot: a path below `config`, nested ones with a dot, or `domain`, `problem_type`, `model`. */
  readonly collected: Readonly<Record<string, Collected>>;
  /** Required slots without a value, in the order in which they are asked. */
  readonly missing: readonly string[];
  readonly assumptions: readonly Assumption[];
  readonly conflicts: readonly Conflict[];
  readonly notes: readonly Note[];
  /** The draft; complete and valid once `ready_to_optimize`. */
  readonly config: JsonObject;
  readonly messages: readonly { readonly role: 'user' | 'agent'; readonly text: string }[];
}
