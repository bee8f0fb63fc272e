import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as workerThreads from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newRun } from '../../../test/conformance/store-samples.js';
import type { Store } from '../store.js';
import { Database } from './database.js';
import { MIGRATIONS } from './migrations.js';
import { openThreadedSqliteStore } from './threaded-store.js';

/** Of the stores that are opened here. */
const threads: workerThreads.Worker[] = vi.hoisted(() => []);
vi.mock('node:worker_threads', async (original) => {
  const actual = await original<typeof workerThreads>();
  class Watched extends actual.Worker {
    constructor(...given: ConstructorParameters<typeof workerThreads.Worker>) {
      super(...given);
      threads.push(this);
    }
  }
  return { ...actual, Worker: Watched };
});

const CLAIM = { owner: 'o', now: 1, leaseUntil: 10 };
const progress = { evaluations: 1, bestFitness: 1, bestSolution: [1], elapsedSeconds: 1 };

describe('SQLite store in a thread', () => {
  let dataDir: string;
  let store: Store;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'extremum-threaded-'));
    store = await openThreadedSqliteStore(dataDir);
    await store.ensureAccount({ id: 'acct_1', name: 'one', createdAt: 1 });
  });
  afterEach(async () => {
    await store.close().catch(() => {});
    rmSync(dataDir, { recursive: true, force: true });
    threads.length = 0;
  });

  it('does what it was asked before it was closed, then gives the directory free', async () => {
    const run = store.createRun(newRun('opt_1'), CLAIM);
    const closed = store.close();
    await expect(store.createRun(newRun('opt_2'))).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(run).resolves.toMatchObject({ id: 'opt_1', status: 'running' });
    await closed;
    await store.close();
    await expect(store.findRun('acct_1', 'opt_1')).rejects.toMatchObject({ code: 'store_unavailable' });
    store = await openThreadedSqliteStore(dataDir);
    expect(await store.findRun('acct_1', 'opt_1')).toMatchObject({ status: 'running' });
  });

  it('refuses a directory that is taken, and what is no database', async () => {
    await expect(openThreadedSqliteStore(dataDir)).rejects.toMatchObject({ code: 'conflict' });
    const other = mkdtempSync(join(dataDir, 'other-'));
    writeFileSync(join(other, 'extremum.db'), 'this is no database, but long enough to look at'.repeat(100));
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(openThreadedSqliteStore(other)).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringMatching(/file is not a database/) as string,
        cause: { code: 'ERR_SQLITE_ERROR', sqliteCodeName: 'SQLITE_NOTADB' },
      });
    }
  });

  it('leaves the event loop free while it writes a large checkpoint', async () => {
    await store.createRun(newRun('opt_1'), CLAIM);
    const order: string[] = [];
    const checkpoint = new Uint8Array(50_000_000).fill(7);
    const saving = store.saveProgress('opt_1', 1, { progress, checkpoint }).then(() => order.push('saved'));
    // Moved, not copied.
    expect(checkpoint.byteLength).toBe(0);
    await store.ping();
    await store.findRun('acct_1', 'opt_1');
    order.push('asked');
    await saving;
    expect(order).toEqual(['asked', 'saved']);
    const claimed = await store.claimRun('opt_1', { ...CLAIM, now: 20 });
    expect(claimed?.checkpoint?.byteLength).toBe(50_000_000);
  });

  it('says so where the thread has died, and goes on with another', async () => {
    await store.createRun(newRun('opt_1'), CLAIM);
    // What it gets after its death it never answers.
    const dying = threads[0]?.terminate();
    const lost = store.updateMetadata('acct_1', 'opt_1', { a: 0 });
    await expect(lost).rejects.toMatchObject({ code: 'store_unavailable', retryable: true });
    await dying;
    const metadata: Record<string, unknown> = { a: 1 };
    const updated = store.updateMetadata('acct_1', 'opt_1', metadata);
    metadata['a'] = 2;
    expect(await updated).toMatchObject({ metadata: { a: 1 } });
    await store.ping();
    expect(threads).toHaveLength(2);
  });

  it('asks the thread whether it can write where it could not', async () => {
    // Somebody else holds the write lock beyond the timeout.
    const other = new Database(join(dataDir, 'extremum.db'), MIGRATIONS);
    let refused: Promise<unknown> = Promise.resolve();
    other.get('BEGIN IMMEDIATE');
    try {
      refused = expect(store.createRun(newRun('opt_1'))).rejects.toMatchObject({ code: 'store_unavailable' });
      // Nothing is known yet, and nobody who asks is kept waiting.
      await store.ping();
      await refused;
      refused = store.ping();
    } finally {
      other.get('ROLLBACK');
      other.close();
    }
    // Answered by the thread, which tries to write.
    await refused;
    await store.createRun(newRun('opt_1'));
  }, 30_000);
});
