/** Conversations in memory. */
import { CONVERSATION_KEPT_MS, type ConversationRecord } from '../../model/conversation.js';
import type { ConversationStore } from '../contract/conversations.js';
import { copy } from './lists.js';

export class MemoryConversations implements ConversationStore {
  private readonly conversations = new Map<string, ConversationRecord>();

  async createConversation(conversation: ConversationRecord): Promise<void> {
    if (!this.conversations.has(conversation.id)) this.conversations.set(conversation.id, copy(conversation));
  }

  async findConversation(accountId: string, id: string): Promise<ConversationRecord | null> {
    const found = this.conversations.get(id);
    return found?.accountId === accountId ? copy(found) : null;
  }

  async replaceConversation(conversation: ConversationRecord): Promise<boolean> {
    const { id, accountId, revision, token } = conversation;
    const found = this.conversations.get(id);
    if (found?.accountId !== accountId) return false;
    if (found.revision === revision) return found.token === token;
    if (found.revision !== revision - 1) return false;
    this.conversations.set(id, copy(conversation));
    return true;
  }

  removeExpired(now: number): void {
    for (const [id, { updatedAt }] of this.conversations) {
      if (updatedAt <= now - CONVERSATION_KEPT_MS) this.conversations.delete(id);
    }
  }
}
