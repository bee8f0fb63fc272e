/** The conversation's knowledge of a problem that it can fill: slots, their connections, and the config they make. */
import type { DomainName, Json, JsonObject } from '../../model/problem.js';
import type { Message } from './message.js';
import type { Finding, Known, Slot } from './slots.js';
import type { Conflict } from './state.js';

export interface ReadContext {
  readonly known: Known;
  /** Slot of the last question; null: the first message, or one that is read again. */
  readonly asked: string | null;
  /** Whether the message corrects what was said. */
  readonly isCorrection: boolean;
  /** Two numbers of the message fit one slot alike. */
  readonly onUnclear?: (slot: Slot, quantities: readonly number[]) => void;
}

export interface Problem {
  readonly domain: DomainName;
  readonly type: string;
  /** Null: the type has one model. */
  readonly model: string | null;
  readonly slots: readonly Slot[];
  /** Lists and tables, before single numbers are matched with slots. */
  readonly read?: (message: Message, context: ReadContext) => readonly Finding[];
  /** Quantities that are spoken of and that no slot may take: a bankroll, the coefficients of a formula. */
  readonly ignores?: (message: Message) => readonly number[];
  /**
   * Things that users speak of and this problem does not hold: whoever mentions one is told, instead of a plainer
   * answer.
   */
  readonly limits?: readonly { readonly words: RegExp; readonly message: string }[];
  /** Values that follow from known ones. Made anew after each message. */
  readonly derive?: (known: Known) => readonly Finding[];
  /** Contradictions between slots that the config's own checks do not see, or not before all is there. */
  readonly conflicts?: (known: Known) => readonly Conflict[];
  readonly build: (known: Known) => JsonObject;
}

export const isNumber = (value: Json | undefined): value is number => typeof value === 'number';

export const numberOf = (known: Known, slot: string): number | null => {
  const value = known(slot);
  return typeof value === 'number' ? value : null;
};

export const textOf = (known: Known, slot: string): string | null => {
  const value = known(slot);
  return typeof value === 'string' ? value : null;
};

/** Rows of a list; none where it is no list. */
export const rowsOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as JsonObject[]) : [];

/** Names of a list; none where it is no list. */
export const namesOf = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? (value as string[]) : [];

/** Complaint about a number that is not above 0. */
export const mustBePositive = (value: number): string | null => (value > 0 ? null : 'It must be above 0.');

/** The slots that are known, as fields of the same name. */
export function fieldsOf(known: Known, slots: readonly string[]): JsonObject {
  return Object.fromEntries(slots.flatMap((slot) => (known(slot) === undefined ? [] : [[slot, known(slot)!]])));
}

export const derived = (slot: string, value: Json, message: string): Finding => ({
  slot,
  value,
  text: message,
  confidence: 0.9,
  source: 'derived',
  notes: [{ kind: 'derived', slot, message }],
});

/** For people: eight digits. */
export const shownNumber = (value: number): string => String(Number(value.toPrecision(8)));
