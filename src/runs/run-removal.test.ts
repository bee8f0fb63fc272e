import { beforeEach, describe, expect, it } from 'vitest';
import { openMemoryStore } from '../storage/memory/memory-store.js';
import type { Store } from '../storage/store.js';
import { ACCOUNT, claimAt, ending, everything, newRun, OTHER } from '../../test/conformance/store-samples.js';
import { retentionJob } from './run-removal.js';

const DAY_MS = 86_400_000;

describe('the job of retention', () => {
  let store: Store;
  beforeEach(async () => {
    store = openMemoryStore();
    for (const account of [ACCOUNT, OTHER]) {
      await store.ensureAccount(account);
      for (let day = 1; day <= 4; day++) {
        const id = `opt_${account.id}_${day}`;
        await store.createRun(newRun(id, { accountId: account.id }), claimAt(1));
        await store.finishRun(id, 1, { status: 'completed', ending: ending(), completedAt: day * DAY_MS });
      }
      await store.createRun(newRun(`opt_${account.id}_9`, { accountId: account.id }));
    }
  });

  const left = async (accountId = ACCOUNT.id): Promise<string[]> =>
    (await store.listRuns(accountId, {}, everything)).items.map(({ id }) => id.replace(/.*_/, ''));
  const run = async (
    days: number | null,
    count: number | null,
    now: number | null = 5 * DAY_MS,
    signal = new AbortController().signal,
  ): Promise<void> => {
    expect(await retentionJob(store, { days, count }, () => now)(signal)).toBeNull();
  };

  it('removes nothing where nothing is set', async () => {
    await run(null, null);
    expect(await left()).toEqual(['9', '4', '3', '2', '1']);
  });

  it('removes runs so many days after their end, of every account', async () => {
    await run(3, null);
    // The second one ended three days ago to the millisecond.
    expect([await left(), await left(OTHER.id)]).toEqual([
      ['9', '4', '3', '2'],
      ['9', '4', '3', '2'],
    ]);
  });

  it('keeps so many of every account, and those that have not ended', async () => {
    await run(null, 1);
    expect([await left(), await left(OTHER.id)]).toEqual([
      ['9', '4'],
      ['9', '4'],
    ]);
  });

  it('removes by whichever rule comes first', async () => {
    await run(3, 2);
    expect(await left()).toEqual(['9', '4', '3']);
  });

  it('removes nothing by a time that is not certain', async () => {
    await run(1, null, null);
    expect(await left()).toHaveLength(5);
    await run(1, 2, null);
    expect(await left()).toEqual(['9', '4', '3']);
  });

  it('ends where nothing can be removed', async () => {
    store.deleteRuns = async () => [];
    await run(1, null);
    expect(await left()).toHaveLength(5);
  });

  it('stops where the service does', async () => {
    await run(1, 1, 5 * DAY_MS, AbortSignal.abort());
    expect(await left()).toHaveLength(5);
  });

  it('gives space back until there is no more', async () => {
    const more = [true, true, false];
    let calls = 0;
    store.returnSpace = async () => more[calls++] ?? false;
    await run(null, null);
    expect(calls).toBe(3);
  });
});
