/** What every store must do with conversations; part of ../store.suite.ts. */
import { describe, expect, it } from 'vitest';
import { CONVERSATION_KEPT_MS, type ConversationRecord } from '../../../src/model/conversation.js';
import type { Store } from '../../../src/storage/store.js';
import { newConversation } from '../store-samples.js';

const next = (before: ConversationRecord, token: string): ConversationRecord => ({
  ...before,
  revision: before.revision + 1,
  token,
  state: { ...before.state, said: token },
  updatedAt: before.updatedAt + 1,
});

export function conversationSuite(current: () => Store, openAnother: () => Promise<Store | null>): void {
  describe('conversations', () => {
    it('gives back what was saved, the first of an identifier, to its account alone', async () => {
      const store = current();
      const first = newConversation('conv_1');
      await store.createConversation(first);
      await store.createConversation({ ...first, token: 'another' });
      expect(await store.findConversation('acct_1', 'conv_1')).toStrictEqual(first);
      expect(await store.findConversation('acct_2', 'conv_1')).toBeNull();
      expect(await store.findConversation('acct_1', 'conv_2')).toBeNull();
    });

    it('replaces the revision before, once, for its account', async () => {
      const store = current();
      const first = newConversation('conv_1');
      expect(await store.replaceConversation(next(first, 'a'))).toBe(false);
      await store.createConversation(first);
      const second = next(first, 'a');
      expect(await store.replaceConversation({ ...second, accountId: 'acct_2' })).toBe(false);
      expect(await store.replaceConversation(next(second, 'too far'))).toBe(false);
      expect(await store.findConversation('acct_1', 'conv_1')).toStrictEqual(first);
      expect(await store.replaceConversation(second)).toBe(true);
      expect(await store.replaceConversation(second)).toBe(true);
      expect(await store.replaceConversation(next(first, 'b'))).toBe(false);
      expect(await store.findConversation('acct_1', 'conv_1')).toStrictEqual(second);
      const done = { ...next(second, 'c'), optimization: { id: 'opt_1', createdAt: 7 } };
      expect(await store.replaceConversation(done)).toBe(true);
      expect(await store.findConversation('acct_1', 'conv_1')).toStrictEqual(done);
    });

    it('take one of many messages at a time, in two processes too', async () => {
      const store = current();
      const another = (await openAnother()) ?? store;
      try {
        let latest = newConversation('conv_1');
        await store.createConversation(latest);
        for (let round = 1; round <= 5; round++) {
          const tries = Array.from({ length: 6 }, (_, k) => next(latest, `${round} ${k}`));
          const taken = await Promise.all(
            tries.map((one, k) => (k % 2 === 0 ? store : another).replaceConversation(one)),
          );
          expect(taken.filter((isTaken) => isTaken)).toHaveLength(1);
          latest = tries[taken.indexOf(true)]!;
          expect(await store.findConversation('acct_1', 'conv_1')).toStrictEqual(latest);
        }
      } finally {
        if (another !== store) await another.close();
      }
    });

    it('are removed 30 days after their latest message', async () => {
      const store = current();
      const old = newConversation('conv_1');
      await store.createConversation(old);
      await store.createConversation({ ...newConversation('conv_2'), updatedAt: old.updatedAt + 1 });
      await store.removeExpired(old.updatedAt + CONVERSATION_KEPT_MS);
      expect(await store.findConversation('acct_1', 'conv_1')).toBeNull();
      expect(await store.findConversation('acct_1', 'conv_2')).not.toBeNull();
    });
  });
}
