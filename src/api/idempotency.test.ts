import { beforeEach, describe, expect, it } from 'vitest';
import { ExtremumError } from '../common/errors.js';
import { createIdSource, type IdSource } from '../common/ids.js';
import { silentLogger } from '../common/logger.js';
import { createSeal } from '../identity/seal.js';
import { openMemoryStore } from '../storage/memory/memory-store.js';
import type { Store } from '../storage/store.js';
import { deletedSince } from '../runs/run-removal.js';
import { ACCOUNT, claimAt, ending, newRun } from '../../test/conformance/store-samples.js';
import { Idempotency, type WrittenReply } from './idempotency.js';

const request = { accountId: 'acct_1', key: 'k', fingerprint: 'f' };
const reply = (text: string): WrittenReply => ({ status: 201, headers: { Location: '/x' }, text });

describe('a request with a key', () => {
  let store: Store;
  let now: number;
  let idempotency: Idempotency;
  const make = (own: Store): Idempotency => {
    const clock = (): number => now;
    const seal = createSeal(Buffer.alloc(32, 7), 'test');
    return new Idempotency({
      store: own,
      seal,
      clock,
      ids: createIdSource(clock),
      logger: silentLogger,
      leaseMs: 60_000,
    });
  };
  beforeEach(() => {
    store = openMemoryStore();
    now = 1_700_000_000_000;
    idempotency = make(store);
  });

  it('is done once, and its answer repeated for a day', async () => {
    let done = 0;
    const work = async (): Promise<WrittenReply> => reply(String(++done));
    expect(await idempotency.once(request, work)).toEqual({ reply: reply('1'), isReplay: false });
    now += 24 * 3_600_000 - 1;
    expect(await idempotency.once(request, work)).toEqual({ reply: reply('1'), isReplay: true });
    await expect(idempotency.once({ ...request, fingerprint: 'g' }, work)).rejects.toMatchObject({ code: 'conflict' });
    now += 1;
    expect(await idempotency.once(request, work)).toEqual({ reply: reply('2'), isReplay: false });
  });

  it('is not done anew where what it made has been deleted, though it was never answered', async () => {
    await store.ensureAccount(ACCOUNT);
    let id = '';
    const work = async (ids: IdSource): Promise<WrittenReply> => {
      const first = ids.next('opt');
      if (id === '') {
        ({ id } = first);
        await store.createRun(newRun(id, { createdAt: first.createdAt }), claimAt(now));
        throw new Error('the process dies');
      }
      throw deletedSince(first.id);
    };
    const own = { ...request, accountId: ACCOUNT.id };
    await expect(idempotency.once(own, work)).rejects.toThrow('dies');
    await store.finishRun(id, 1, { status: 'completed', ending: ending(), completedAt: now });
    expect(await store.deleteRuns(ACCOUNT.id, [id])).toEqual([id]);
    await expect(idempotency.once(own, work)).rejects.toMatchObject({ code: 'not_found' });
    const anew = async (): Promise<WrittenReply> => reply('made anew');
    await expect(idempotency.once(own, anew)).rejects.toMatchObject({ code: 'not_found' });
    now += 24 * 3_600_000;
    expect(await idempotency.once(own, anew)).toMatchObject({ isReplay: false });
  });

  it('keeps its answer sealed', async () => {
    await idempotency.once(request, async () => reply('sk_secret'));
    const claim = { ...request, owner: 'o', now, leaseUntil: now, expiresAt: now, seed: 's' };
    const stored = JSON.stringify(await store.claimRequest(claim));
    expect(stored).toContain('answered');
    expect(stored).not.toContain('secret');
  });

  it('is refused while the first is at work, and made again with the same identifiers after its death', async () => {
    const made: string[] = [];
    const note = (ids: IdSource): void => {
      made.push(ids.next('opt').id, ids.next('opt').id);
    };
    let repeated: boolean | undefined;
    void idempotency.once(request, (ids) => {
      note(ids);
      return new Promise(() => {});
    });
    await new Promise(setImmediate);
    const again = (): Promise<unknown> =>
      idempotency.once(request, async (ids) => {
        note(ids);
        repeated = ids.isRepeat;
        return reply('done');
      });
    now += 59_999;
    await expect(again()).rejects.toMatchObject({ code: 'conflict', facts: { retryAfterSeconds: 2 } });
    now += 1;
    expect(await again()).toEqual({ reply: reply('done'), isReplay: false });
    expect(repeated).toBe(true);
    expect(made.slice(2)).toEqual(made.slice(0, 2));
    expect(made[0]).toMatch(/^opt_1700000000000\d{16}$/);
    expect(made[1] > made[0]).toBe(true);
  });

  it.each([
    ['forgets a refused request', new ExtremumError('invalid_request', 'no'), false],
    ['keeps the identifiers where the store failed', new ExtremumError('store_unavailable', 'no'), true],
    ['keeps the identifiers after a defect', new Error('no'), true],
  ])('%s', async (_, error, isRepeat) => {
    const failing = idempotency.once(request, async () => {
      throw error;
    });
    await expect(failing).rejects.toBe(error);
    let repeated: boolean | undefined;
    const fixed = isRepeat ? request : { ...request, fingerprint: 'better' };
    await idempotency.once(fixed, async (ids) => {
      repeated = ids.isRepeat;
      return reply('done');
    });
    expect(repeated).toBe(isRepeat);
  });

  /** A store that answers `answerRequest` so, once. */
  const answeringOnce = (answer: () => Promise<boolean>): typeof store => {
    let isFirst = true;
    return new Proxy(store, {
      get(target, name) {
        if (name === 'answerRequest' && isFirst) {
          isFirst = false;
          return answer;
        }
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  };

  it('is not answered where the answer cannot be stored; repeated, it is, with the same identifiers', async () => {
    const full = new ExtremumError('store_unavailable', 'disk full');
    const failing = make(answeringOnce(() => Promise.reject(full)));
    const made: string[] = [];
    const work = async (ids: IdSource): Promise<WrittenReply> => reply(made[made.push(ids.next('key').id) - 1]);
    await expect(failing.once(request, work)).rejects.toBe(full);
    expect(await failing.once(request, work)).toMatchObject({ isReplay: false });
    expect(made[1]).toBe(made[0]);
    expect(await failing.once(request, work)).toEqual({ reply: reply(made[0]), isReplay: true });
  });

  it('is not answered by an attempt that another one has taken over from', async () => {
    const late = make(answeringOnce(() => Promise.resolve(false)));
    await expect(late.once(request, async () => reply('late'))).rejects.toMatchObject({ code: 'conflict' });
  });
});
