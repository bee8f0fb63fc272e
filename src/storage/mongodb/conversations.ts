/** Conversations in MongoDB. */
import { encode } from '../../common/codec.js';
import { CONVERSATION_KEPT_MS, type ConversationRecord } from '../../model/conversation.js';
import type { ConversationStore } from '../contract/conversations.js';
import { recordWith } from '../damage.js';
import { checkSize, type Database } from './database.js';
import { unlessDuplicate } from './driver-errors.js';
import { pack, type Packed, unpack } from './values.js';

interface ConversationDocument {
  _id: string;
  accountId: string;
  revision: number;
  token: string;
  updatedAt: number;
  body: Packed;
}

export class MongodbConversations implements ConversationStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  private get conversations() {
    return this.db.collection<ConversationDocument>('conversations');
  }

  async createConversation(conversation: ConversationRecord): Promise<void> {
    const document = await documentOf(conversation);
    const { _id } = document;
    await this.db.decide<unknown>(
      () => this.conversations.insertOne(document).catch(unlessDuplicate),
      async () => (await this.conversations.findOne({ _id }, { projection: { _id: 1 } })) ?? undefined,
    );
  }

  async findConversation(accountId: string, id: string): Promise<ConversationRecord | null> {
    const found = await this.db.read(() => this.conversations.findOne({ _id: id, accountId }));
    if (found === null) return null;
    return this.db.records.later(id, async () => recordWith(id, await unpack<ConversationRecord>(found.body)));
  }

  async replaceConversation(conversation: ConversationRecord): Promise<boolean> {
    const { _id, accountId, revision, token, updatedAt, body } = await documentOf(conversation);
    const isWritten = async (): Promise<boolean> =>
      (await this.conversations.findOne({ _id, accountId, revision, token }, { projection: { _id: 1 } })) !== null;
    return this.db.decide(
      async () => {
        const change = { $set: { revision, token, updatedAt, body } };
        const before = { _id, accountId, revision: revision - 1 };
        return (await this.conversations.updateOne(before, change)).matchedCount > 0 || isWritten();
      },
      async () => ((await isWritten()) ? true : undefined),
    );
  }

  async removeExpired(now: number): Promise<void> {
    const old = { updatedAt: { $lte: now - CONVERSATION_KEPT_MS } };
    await this.db.repeatable(() => this.conversations.deleteMany(old));
  }
}

async function documentOf(conversation: ConversationRecord): Promise<ConversationDocument> {
  const { id, accountId, revision, token, updatedAt } = conversation;
  const text = encode(conversation);
  return checkSize<ConversationDocument>({ _id: id, accountId, revision, token, updatedAt, body: await pack(text) });
}
