/** Conversations in SQLite. */
import { encode } from '../../common/codec.js';
import { CONVERSATION_KEPT_MS, type ConversationRecord } from '../../model/conversation.js';
import type { ConversationStore } from '../contract/conversations.js';
import { decodeRecord } from '../damage.js';
import { type Database, textOf } from './database.js';

export class SqliteConversations implements ConversationStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  async createConversation(conversation: ConversationRecord): Promise<void> {
    const { id, accountId, revision, token, updatedAt } = conversation;
    const body = encode(conversation);
    const sql = `INSERT INTO conversations (id, account_id, revision, token, updated_at, body) VALUES (?, ?, ?, ?, ?, ?)
                 ON CONFLICT (id) DO NOTHING`;
    await this.db.write(() => this.db.run(sql, id, accountId, revision, token, updatedAt, body));
  }

  async findConversation(accountId: string, id: string): Promise<ConversationRecord | null> {
    const row = this.db.get('SELECT body FROM conversations WHERE id = ? AND account_id = ?', id, accountId);
    if (row === undefined) return null;
    return this.db.records.one(id, () => decodeRecord<ConversationRecord>(id, textOf(row, 'body')));
  }

  async replaceConversation(conversation: ConversationRecord): Promise<boolean> {
    const { id, accountId, revision, token, updatedAt } = conversation;
    const body = encode(conversation);
    const sql = `UPDATE conversations SET revision = ?3, token = ?4, updated_at = ?5, body = ?6
                 WHERE id = ?1 AND account_id = ?2 AND (revision = ?3 - 1 OR (revision = ?3 AND token = ?4))`;
    return this.db.write(() => this.db.run(sql, id, accountId, revision, token, updatedAt, body) > 0);
  }

  /** Within a write. */
  removeExpired(now: number): void {
    this.db.run('DELETE FROM conversations WHERE updated_at <= ?', now - CONVERSATION_KEPT_MS);
  }
}
