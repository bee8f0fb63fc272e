/**
 * The life of conversations: what is stored when. What is asked, understood and built is decided by the pure functions
 * of src/domains/conversational; here each message becomes a new revision of the stored conversation, if nobody was
 * faster.
 */
import { ExtremumError } from '../common/errors.js';
import type { Clock, IdSource } from '../common/ids.js';
import { beginConversation, continueConversation } from '../domains/conversational/conversation.js';
import { MOST_MESSAGES, type ConversationState } from '../domains/conversational/state.js';
import { readingRequest, type Reading } from '../domains/conversational/reading.js';
import { CONVERSATION_EXPIRES_MS, type ConversationRecord, type MessageNote } from '../model/conversation.js';
import type { JsonObject } from '../model/problem.js';
import type { ConversationStore } from '../storage/contract/conversations.js';
import type { LanguageModel } from './language-model.js';

interface ConversationServiceParts {
  readonly store: ConversationStore;
  readonly clock: Clock;
  /** Null: the rules read every message. */
  readonly languageModel: LanguageModel | null;
}

export const stateOf = (conversation: ConversationRecord): ConversationState =>
  conversation.state as unknown as ConversationState;

interface Read {
  readonly reading: Reading | undefined;
  readonly note: Pick<MessageNote, 'readBy' | 'fallback'>;
}

export class ConversationService {
  private readonly parts: ConversationServiceParts;

  constructor(parts: ConversationServiceParts) {
    this.parts = parts;
  }

  async create(accountId: string, description: string, ids: IdSource): Promise<ConversationRecord> {
    const { store } = this.parts;
    const { id, createdAt } = ids.next('conv');
    const before = ids.isRepeat === true ? await store.findConversation(accountId, id) : null;
    if (before !== null) return before;
    const { reading, note } = await this.read(null, description);
    const state = beginConversation(description, reading);
    const conversation: ConversationRecord = {
      id,
      accountId,
      revision: 1,
      token: id,
      state: state as unknown as JsonObject,
      notes: notesFor(state, [], { at: createdAt, token: id, ...note }),
      optimization: null,
      createdAt,
      updatedAt: createdAt,
    };
    await store.createConversation(conversation);
    return conversation;
  }

  find(accountId: string, id: string): Promise<ConversationRecord | null> {
    return this.parts.store.findConversation(accountId, id);
  }

  isExpired({ optimization, updatedAt }: ConversationRecord): boolean {
    return optimization === null && updatedAt + CONVERSATION_EXPIRES_MS <= this.parts.clock();
  }

  /**
   * Null: no such conversation.
   * @throws {ExtremumError} `conflict`: it has ended, or another message came meanwhile
   */
  async reply(accountId: string, id: string, response: string, ids: IdSource): Promise<ConversationRecord | null> {
    const { store, clock } = this.parts;
    const token = ids.next('msg').id;
    const found = await store.findConversation(accountId, id);
    // An earlier attempt at the same request was heard.
    if (found === null || found.notes.some((note) => note.token === token)) return found;
    this.checkOpen(found);
    const before = stateOf(found);
    if (before.messages.filter(({ role }) => role === 'user').length >= MOST_MESSAGES) {
      throw new ExtremumError('conflict', `The conversation has had ${MOST_MESSAGES} messages; begin a new one.`);
    }
    const { reading, note } = await this.read(before, response);
    const state = continueConversation(before, response, reading);
    const at = Math.max(clock(), found.updatedAt);
    return this.replace({
      ...found,
      revision: found.revision + 1,
      token,
      state: state as unknown as JsonObject,
      notes: notesFor(state, found.notes, { at, token, ...note }),
      updatedAt: at,
    });
  }

  /**
   * Names the run that the conversation is completed with; the run itself is made by the caller. One that was named
   * before and never made keeps its name.
   * @throws {ExtremumError} `conflict`: it has ended, or a message came meanwhile
   */
  async complete(
    conversation: ConversationRecord,
    optimization: { readonly id: string; readonly createdAt: number },
  ): Promise<ConversationRecord> {
    if (conversation.optimization !== null) return conversation;
    this.checkOpen(conversation);
    return this.replace({
      ...conversation,
      revision: conversation.revision + 1,
      token: optimization.id,
      optimization,
      updatedAt: Math.max(this.parts.clock(), conversation.updatedAt),
    });
  }

  private checkOpen(conversation: ConversationRecord): void {
    if (conversation.optimization !== null) {
      throw new ExtremumError('conflict', 'The conversation has been completed; begin a new one to change anything.');
    }
    if (this.isExpired(conversation)) {
      throw new ExtremumError(
        'conflict',
        'The conversation has expired: it had no message for 24 hours. Begin a new one.',
      );
    }
  }

  private async replace(conversation: ConversationRecord): Promise<ConversationRecord> {
    if (await this.parts.store.replaceConversation(conversation)) return conversation;
    throw new ExtremumError(
      'conflict',
      'Another message was answered meanwhile; look at the conversation, then answer.',
      {
        retryable: true,
      },
    );
  }

  private async read(state: ConversationState | null, text: string): Promise<Read> {
    const { languageModel } = this.parts;
    if (languageModel === null) return { reading: undefined, note: { readBy: 'rules' } };
    const read = await languageModel(readingRequest(state, text));
    if ('reading' in read) return { reading: read.reading, note: { readBy: 'language_model' } };
    return { reading: undefined, note: { readBy: 'rules', fallback: read.failure } };
  }
}

/** The first of the new messages is the user's. */
function notesFor(state: ConversationState, before: readonly MessageNote[], first: MessageNote): MessageNote[] {
  const { at } = first;
  return state.messages.map((_, i) => before[i] ?? (i === before.length ? first : { at }));
}
