/** A dialogue that builds a domain problem, as it is stored. */
import type { JsonObject } from './problem.js';

export interface ConversationRecord {
  readonly id: string;
  readonly accountId: string;
  /** From 1 on; each message, and the completion, makes the next one. */
  readonly revision: number;
  /** Token of the request that made this revision. */
  readonly token: string;
  /** The dialogue's knowledge (`ConversationState` of src/domains/conversational); `notes` goes with its messages. */
  readonly state: JsonObject;
  /** One for each message of the state. */
  readonly notes: readonly MessageNote[];
  /** The run that it was completed with, which may not have been made yet. Null: not completed. */
  readonly optimization: { readonly id: string; readonly createdAt: number } | null;
  readonly createdAt: number;
  /** Time of the latest message, or of the completion. */
  readonly updatedAt: number;
}

export interface MessageNote {
  readonly at: number;
  /** Token of the request that sent a message of the user: a request that is sent again knows its own. */
  readonly token?: string;
  /** Who read a message of the user. Absent: a message of the agent. */
  readonly readBy?: Reader;
  /** Why the language model that is configured did not read it. */
  readonly fallback?: ReadingFailure;
}

export const READERS = ['rules', 'language_model'] as const;
type Reader = (typeof READERS)[number];

export const READING_FAILURES = ['timeout', 'unavailable', 'invalid_answer'] as const;
export type ReadingFailure = (typeof READING_FAILURES)[number];

/** Without a message for so long a conversation has expired. */
export const CONVERSATION_EXPIRES_MS = 86_400_000;
/** After its latest message it can be read for so long. */
export const CONVERSATION_KEPT_MS = 30 * 86_400_000;
