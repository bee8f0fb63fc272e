/** The store's part for dialogues that build a problem. */
import type { ConversationRecord } from '../../model/conversation.js';
import type { VerbsOf } from './verbs.js';

/** Dialogues that build a problem. Of several who replace the same revision one wins. */
export interface ConversationStore {
  /** Where the identifier exists already nothing happens. */
  createConversation(conversation: ConversationRecord): Promise<void>;
  findConversation(accountId: string, id: string): Promise<ConversationRecord | null>;
  /**
   * Replaces the revision before. False: somebody else has, or there is no such conversation; nothing was written. True
   * also where the same one (by its token) was written before.
   */
  replaceConversation(conversation: ConversationRecord): Promise<boolean>;
}

export const CONVERSATION_VERBS: VerbsOf<ConversationStore> = {
  createConversation: 'writes',
  findConversation: 'reads',
  replaceConversation: 'writes',
};
