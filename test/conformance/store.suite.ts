/**
 * What every store must do. An implementation adds one entry to `implementations` in store.test.ts. Expectations hang
 * on capabilities, never on the name of an implementation.
 */
import { isDeepStrictEqual } from 'node:util';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Account, ApiKeyRecord } from '../../src/model/api-key.js';
import type { IdempotencyClaim } from '../../src/model/idempotency.js';
import type { BatchRecord } from '../../src/model/batch.js';
import type { FunctionRecord } from '../../src/model/function-record.js';
import type { RunEvent } from '../../src/model/run-event.js';
import type { RunRecord } from '../../src/model/run-record.js';
import { RUN_STATUSES, canBecome, type RunStatus } from '../../src/model/run-status.js';
import { openMemoryStore } from '../../src/storage/memory/memory-store.js';
import type { Claim, RunEnd } from '../../src/storage/contract/runs.js';
import type { Store } from '../../src/storage/store.js';
import { ACCOUNTS, answerOf, sequences } from './store-model.js';
import { frontCapacity } from '../../src/pareto/front-archive.js';
import { ending, newDelivery, newRun, newWebhook } from './store-samples.js';
import { analyticsSuite } from './analytics-store.suite.js';
import { executionsSuite } from './executions-store.suite.js';
import { learningSuite } from './learning-store.suite.js';
import { conversationSuite } from './conversation-store.suite.js';
import { studySuite } from './study-store.suite.js';
import { webhookSuite } from './webhook-store.suite.js';

/** Far beyond what fits beside a run. */
const largeCheckpoint = (): Uint8Array =>
  new Uint8Array(Float64Array.from({ length: 50_000 }, (_, i) => Math.sin(i)).buffer);

/** With text instead of bytes, which stores return in arrays of different classes. */
const plainEnd = (end: RunEnd | null): unknown =>
  end && { ...end, checkpoint: end.checkpoint && Buffer.from(end.checkpoint).toString('hex') };

export interface StoreUnderTest {
  /** Opens the store; a second call, after the first store was closed, opens the same data where it is durable. */
  open(): Promise<Store>;
  /** A second writer on the data of the open store, which is closed by the caller. Absent: there can be none. */
  openAnother?(): Promise<Store>;
  /** Removes what was made. */
  cleanUp(): Promise<void>;
}

const ACCOUNT: Account = { id: 'acct_1', name: 'one', createdAt: 1 };
const OTHER: Account = { id: 'acct_2', name: 'two', createdAt: 2 };

const functionRecord = (id: string, overrides: Partial<FunctionRecord> = {}): FunctionRecord => ({
  id,
  accountId: ACCOUNT.id,
  name: 'sphere',
  language: 'python',
  source: { code: 'def f(x): return sum(v*v for v in x)', entry: 'f', argument: 'list' },
  sha256: 'ab'.repeat(32),
  compilation: { compiled: true, reasons: [] },
  createdAt: 1_700_000_000_000,
  ...overrides,
});

const key = (publicId: string, overrides: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  id: `key_${publicId}`,
  accountId: ACCOUNT.id,
  name: 'k',
  publicId,
  secretHash: 'cd'.repeat(32),
  scopes: ['read', 'run'],
  createdAt: 3,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  ...overrides,
});

const claimAt = (now: number, owner = 'me'): Claim => ({ owner, now, leaseUntil: now + 1000 });
const SEQUENCES = 60;
const everything = { limit: 100, offset: 0 };

/** Values that careless encodings lose. Compared with `toStrictEqual`, which tells -0 from 0. */
const AWKWARD: Readonly<Record<string, unknown>> = JSON.parse(
  '{"__proto__": {"a": 1}, "$f": "NaN", "$o": [], "a.b": 1, "$x": null, "nul": "a\\u0000b", "lone": "\\ud800x"}',
) as Record<string, unknown>;
const AWKWARD_NUMBERS = [NaN, Infinity, -Infinity, -0, 0, 1e308, -1e308, 5e-324, 2 ** 53 + 2, 0.1];

export function storeSuite(name: string, make: () => StoreUnderTest): void {
  describe(`store: ${name}`, () => {
    let under: StoreUnderTest;
    let store: Store;

    beforeEach(async () => {
      under = make();
      store = await under.open();
      await store.ensureAccount(ACCOUNT);
      await store.ensureAccount(OTHER);
    });
    afterEach(async () => {
      await store.close();
      await under.cleanUp();
    });

    const claimable = async (now: number, limit: number): Promise<string[]> =>
      (await store.claimableRuns(now, limit)).map(({ id }) => id);

    describe('functions', () => {
      it('gives back what was saved', async () => {
        const record = functionRecord('func_1', {
          compilation: { compiled: false, reasons: [{ message: 'eval', line: 2, column: 3 }] },
        });
        await store.saveFunction(record);
        expect(await store.findFunction(ACCOUNT.id, 'func_1')).toStrictEqual(record);
      });

      it('keeps NUL, lone surrogates and emoji in texts', async () => {
        const code = 'x = "\u0000 \ud800 😀"';
        await store.saveFunction(
          functionRecord('func_1', { name: code, source: { code, entry: null, argument: 'list' } }),
        );
        const found = await store.findFunction(ACCOUNT.id, 'func_1');
        expect(found?.name).toBe(code);
        expect(found?.source).toStrictEqual({ code, entry: null, argument: 'list' });
      });

      it("hides another account's functions", async () => {
        await store.saveFunction(functionRecord('func_1'));
        expect(await store.findFunction(OTHER.id, 'func_1')).toBeNull();
        expect(await store.deleteFunction(OTHER.id, 'func_1')).toBe(false);
        expect(await store.listFunctions(OTHER.id, everything)).toEqual({ items: [], total: 0 });
        expect(await store.findFunction(ACCOUNT.id, 'func_1')).not.toBeNull();
      });

      it('lists newest first, in windows, with the total of all', async () => {
        for (const id of ['func_2', 'func_1', 'func_4', 'func_3']) await store.saveFunction(functionRecord(id));
        const page = await store.listFunctions(ACCOUNT.id, { limit: 2, offset: 1 });
        expect(page.items.map((item) => item.id)).toEqual(['func_3', 'func_2']);
        expect(page.total).toBe(4);
        expect(await store.listFunctions(ACCOUNT.id, { limit: 2, offset: 4 })).toEqual({ items: [], total: 4 });
      });

      it('deletes once; a run of the function keeps its source', async () => {
        const record = functionRecord('func_1');
        await store.saveFunction(record);
        await store.saveFunction(functionRecord('func_2'));
        await store.createRun(newRun('opt_1', { source: record.source }));
        expect(await store.deleteFunction(ACCOUNT.id, 'func_1')).toBe(true);
        expect(await store.deleteFunction(ACCOUNT.id, 'func_1')).toBe(false);
        expect((await store.findFunction(ACCOUNT.id, 'func_2'))?.source).toStrictEqual(record.source);
        expect(await store.deleteFunction(ACCOUNT.id, 'func_2')).toBe(true);
        expect((await store.claimRun('opt_1', claimAt(1)))?.source).toStrictEqual(record.source);
      });

      it('knows of every function of an account with one text that compiled code misreads it', async () => {
        const misreading = {
          point: [-0, Infinity],
          compiled: [NaN],
          cpython: { type: 'ValueError', message: '\ud800', line: 2 },
          message: 'x',
          evaluation: 3,
        };
        const { sha256 } = functionRecord('func_1');
        await store.saveFunction(functionRecord('func_1'));
        await store.saveFunction(functionRecord('func_2', { sha256: 'f'.repeat(64) }));
        expect(await store.findMisreading(ACCOUNT.id, sha256)).toBeNull();
        const before = await store.countMisreadings();
        await store.saveMisreading(ACCOUNT.id, sha256, misreading);
        await store.saveMisreading(ACCOUNT.id, sha256, { ...misreading, evaluation: 4 });
        expect(await store.findMisreading(ACCOUNT.id, sha256)).toStrictEqual(misreading);
        expect(await store.countMisreadings()).toBe(before + 1);
        expect(await store.findMisreading(OTHER.id, sha256)).toBeNull();
        // Also of one that is uploaded later, from what was found before.
        await store.saveFunction(functionRecord('func_3', { misread: { ...misreading, evaluation: 9 } }));
        for (const id of ['func_1', 'func_3']) {
          expect((await store.findFunction(ACCOUNT.id, id))?.misread).toStrictEqual(misreading);
        }
        expect((await store.findFunction(ACCOUNT.id, 'func_2'))?.misread).toBeUndefined();
        const { items } = await store.listFunctions(ACCOUNT.id, everything);
        expect(items.map(({ misread }) => misread?.evaluation)).toEqual([3, undefined, 3]);
        expect(await store.deleteFunction(ACCOUNT.id, 'func_1')).toBe(true);
        expect(await store.findMisreading(ACCOUNT.id, sha256)).toStrictEqual(misreading);
      });

      it('returns copies', async () => {
        await store.saveFunction(functionRecord('func_1'));
        const found = await store.findFunction(ACCOUNT.id, 'func_1');
        (found as { name: string }).name = 'changed';
        expect((await store.findFunction(ACCOUNT.id, 'func_1'))?.name).toBe('sphere');
      });

      it('takes copies', async () => {
        const record = functionRecord('func_1');
        const saved = store.saveFunction(record);
        (record as { name: string }).name = 'changed';
        await saved;
        expect((await store.findFunction(ACCOUNT.id, 'func_1'))?.name).toBe('sphere');
      });
    });

    describe('runs', () => {
      it('creates a run pending, or running where it is claimed at once', async () => {
        expect(await store.createRun(newRun('opt_1'))).toMatchObject({
          status: 'pending',
          attempt: 0,
          startedAt: null,
        });
        const claimed = await store.createRun(newRun('opt_2'), claimAt(50));
        expect(claimed).toMatchObject({ status: 'running', attempt: 1, startedAt: 50, losses: 0, ending: null });
        expect(await store.findRun(ACCOUNT.id, 'opt_2')).toStrictEqual(claimed);
      });

      it('keeps awkward values in request, metadata, progress, checkpoint, ending and history', async () => {
        const bounds = [
          [-1e308, 1e308],
          [5e-324, 0.1],
        ] as const;
        const run = newRun('opt_1', { metadata: AWKWARD });
        await store.createRun(
          { ...run, request: { ...run.request, task: { ...run.request.task, bounds } } },
          claimAt(1),
        );
        const progress = { evaluations: 3, bestFitness: -0, bestSolution: AWKWARD_NUMBERS, elapsedSeconds: Infinity };
        const checkpoint = Array.from({ length: 256 }, (_, byte) => byte);
        expect(await store.saveProgress('opt_1', 1, { progress, checkpoint: Uint8Array.from(checkpoint) })).toBe(true);
        const running = await store.findRun(ACCOUNT.id, 'opt_1');
        expect(running?.metadata).toStrictEqual(AWKWARD);
        expect(Object.getPrototypeOf(running?.metadata)).toBe(Object.prototype);
        expect(running?.request.task.bounds).toStrictEqual(bounds);
        expect(running?.progress).toStrictEqual(progress);
        const claimed = await store.claimRun('opt_1', claimAt(5000));
        expect([...(claimed?.checkpoint ?? [])]).toStrictEqual(checkpoint);
        const history = AWKWARD_NUMBERS.map((bestFitness, evaluations) => ({
          evaluations,
          bestFitness,
          elapsedSeconds: 0,
        }));
        const end = ending({ bestSolution: AWKWARD_NUMBERS, bestFitness: -Infinity });
        await store.finishRun('opt_1', 2, { status: 'completed', ending: end, history, completedAt: 9 });
        expect((await store.findRun(ACCOUNT.id, 'opt_1'))?.ending).toStrictEqual(end);
        expect(await store.runHistory(ACCOUNT.id, 'opt_1')).toStrictEqual(history);
      });

      it('keeps arrays of 10,000 pairs', async () => {
        const bounds = Array.from({ length: 10_000 }, (_, i) => [-i - 1, i] as const);
        const run = newRun('opt_1');
        await store.createRun({ ...run, request: { ...run.request, task: { ...run.request.task, bounds } } });
        expect((await store.findRun(ACCOUNT.id, 'opt_1'))?.request.task.bounds).toStrictEqual(bounds);
      });

      it("hides another account's runs", async () => {
        await store.createRun(newRun('opt_1'));
        expect(await store.findRun(OTHER.id, 'opt_1')).toBeNull();
        expect(await store.requestCancel(OTHER.id, 'opt_1')).toBeNull();
        expect(await store.updateMetadata(OTHER.id, 'opt_1', { a: 1 })).toBeNull();
        expect(await store.runHistory(OTHER.id, 'opt_1')).toBeNull();
        expect(await store.listRuns(OTHER.id, {}, everything)).toEqual({ items: [], total: 0 });
        expect(await store.findRun(ACCOUNT.id, 'opt_1')).toMatchObject({ cancelRequested: false, metadata: {} });
      });

      it('lists newest first and filters by status and function', async () => {
        await store.createRun(newRun('opt_1'));
        await store.createRun(newRun('opt_2', { functionId: 'func_2' }), claimAt(1));
        await store.createRun(newRun('opt_3', { functionId: 'func_2' }));
        const ids = async (filter: Parameters<Store['listRuns']>[1]): Promise<string[]> =>
          (await store.listRuns(ACCOUNT.id, filter, everything)).items.map((run) => run.id);
        expect(await ids({})).toEqual(['opt_3', 'opt_2', 'opt_1']);
        expect(await ids({ status: 'pending' })).toEqual(['opt_3', 'opt_1']);
        expect(await ids({ functionId: 'func_2' })).toEqual(['opt_3', 'opt_2']);
        expect(await ids({ functionId: 'func_2', status: 'running' })).toEqual(['opt_2']);
        expect((await store.listRuns(ACCOUNT.id, { status: 'pending' }, { limit: 1, offset: 1 })).total).toBe(2);
      });

      it('names what may be claimed, oldest first', async () => {
        await store.createRun(newRun('opt_3'));
        await store.createRun(newRun('opt_1'), claimAt(0));
        await store.createRun(newRun('opt_2'), claimAt(500));
        expect(await claimable(1200, 10)).toEqual(['opt_1', 'opt_3']);
        expect(await claimable(1200, 1)).toEqual(['opt_1']);
        expect(await claimable(2000, 10)).toEqual(['opt_1', 'opt_2', 'opt_3']);
      });

      it('names them in turns: of every account its oldest first', async () => {
        for (const n of [1, 2, 3, 4, 5]) await store.createRun(newRun(`opt_${n}`));
        for (const n of [6, 7]) await store.createRun(newRun(`opt_${n}`, { accountId: OTHER.id }));
        const turns = ['opt_1', 'opt_6', 'opt_2', 'opt_7', 'opt_3', 'opt_4', 'opt_5'];
        for (const limit of [1, 2, 3, 5, 9]) expect(await claimable(1, limit)).toEqual(turns.slice(0, limit));
        expect((await store.claimableRuns(1, 2)).map(({ accountId }) => accountId)).toEqual([ACCOUNT.id, OTHER.id]);
        await store.claimRun('opt_1', claimAt(0));
        expect(await claimable(1, 3)).toEqual(['opt_2', 'opt_6', 'opt_3']);
        // Its lease has run out: it is the oldest again.
        expect(await claimable(1000, 3)).toEqual(['opt_1', 'opt_6', 'opt_2']);
      });

      it('says which of them somebody has lost, and how often', async () => {
        const told = async (): Promise<unknown> => store.claimableRuns(5000, 9);
        const of = { id: 'opt_1', accountId: ACCOUNT.id };
        await store.createRun(newRun('opt_1'));
        expect(await told()).toStrictEqual([{ ...of, losses: 0, isLost: false }]);
        await store.claimRun('opt_1', claimAt(0));
        expect(await told()).toStrictEqual([{ ...of, losses: 0, isLost: true }]);
        await store.claimRun('opt_1', claimAt(5000));
        await store.releaseRun('opt_1', 2, 'returned');
        expect(await told()).toStrictEqual([{ ...of, losses: 1, isLost: false }]);
      });

      it('counts the runs of each account that are under a lease', async () => {
        expect(await store.runsAtWork(0)).toEqual([]);
        for (const n of [1, 2, 3]) await store.createRun(newRun(`opt_${n}`), claimAt(0));
        await store.createRun(newRun('opt_4', { accountId: OTHER.id }), claimAt(500));
        await store.createRun(newRun('opt_5'));
        const counts = async (now: number): Promise<unknown> =>
          Object.fromEntries((await store.runsAtWork(now)).map(({ accountId, runs }) => [accountId, runs]));
        expect(await counts(900)).toEqual({ acct_1: 3, acct_2: 1 });
        await store.finishRun('opt_1', 1, { status: 'completed', ending: ending(), completedAt: 1 });
        await store.releaseRun('opt_2', 1, 'returned');
        expect(await counts(900)).toEqual({ acct_1: 1, acct_2: 1 });
        expect(await counts(1000)).toEqual({ acct_2: 1 });
      });

      it('lets exactly one of many claimers win', async () => {
        await store.createRun(newRun('opt_1'));
        const claims = await Promise.all(
          Array.from({ length: 50 }, (_, i) => store.claimRun('opt_1', claimAt(10, `owner ${i}`))),
        );
        expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
      });

      it('refuses every write of an owner that was superseded', async () => {
        await store.createRun(newRun('opt_1'), claimAt(0, 'old'));
        const taken = await store.claimRun('opt_1', claimAt(2000, 'new'));
        expect(taken?.run).toMatchObject({ attempt: 2, losses: 1, startedAt: 0 });
        const progress = { evaluations: 1, bestFitness: 1, bestSolution: [1], elapsedSeconds: 1 };
        expect(await store.saveProgress('opt_1', 1, { progress, checkpoint: Uint8Array.of(9) })).toBe(false);
        expect(await store.releaseRun('opt_1', 1, 'returned')).toBe(false);
        const finish = { status: 'completed', ending: ending(), completedAt: 3 } as const;
        expect(await store.finishRun('opt_1', 1, finish)).toBeNull();
        expect(await store.findRun(ACCOUNT.id, 'opt_1')).toMatchObject({ status: 'running', progress: null });
        expect(await store.renewLeases([{ id: 'opt_1', attempt: 1 }], 9999)).toBe(0);
        expect(await store.finishRun('opt_1', 2, finish)).toMatchObject({ status: 'completed' });
      });

      it('does not give away a run while its lease is renewed', async () => {
        await store.createRun(newRun('opt_1'), claimAt(0, 'a'));
        await store.createRun(newRun('opt_2'), claimAt(0, 'a'));
        const held = [
          { id: 'opt_1', attempt: 1 },
          { id: 'opt_404', attempt: 1 },
        ];
        expect(await store.renewLeases(held, 5000)).toBe(1);
        expect(await store.renewLeases([], 9000)).toBe(0);
        expect(await store.claimRun('opt_2', claimAt(4999, 'b'))).not.toBeNull();
        expect(await store.claimRun('opt_1', claimAt(4999, 'b'))).toBeNull();
        expect(await store.claimRun('opt_1', claimAt(5000, 'b'))).not.toBeNull();
      });

      it('does not renew the lease of a run that was released or has ended', async () => {
        for (const id of ['opt_1', 'opt_2', 'opt_3']) await store.createRun(newRun(id), claimAt(0));
        await store.releaseRun('opt_1', 1, 'lost');
        await store.releaseRun('opt_2', 1, 'returned');
        await store.finishRun('opt_3', 1, { status: 'completed', ending: ending(), completedAt: 1 });
        const held = ['opt_1', 'opt_2', 'opt_3'].map((id) => ({ id, attempt: 1 }));
        expect(await store.renewLeases(held, 5000)).toBe(0);
        expect(await claimable(1, 10)).toEqual(['opt_1', 'opt_2']);
      });

      it('tells the states of runs of any account', async () => {
        await store.createRun(newRun('opt_1'), claimAt(0));
        await store.createRun(newRun('opt_2', { accountId: OTHER.id }));
        await store.requestCancel(ACCOUNT.id, 'opt_1');
        const states = await store.runStates(['opt_2', 'opt_404', 'opt_1', 'opt_1']);
        expect([...states].sort((a, b) => (a.id < b.id ? -1 : 1))).toStrictEqual([
          { id: 'opt_1', status: 'running', attempt: 1, cancelRequested: true },
          { id: 'opt_2', status: 'pending', attempt: 0, cancelRequested: false },
        ]);
        expect(await store.runStates([])).toEqual([]);
      });

      it('counts a loss after a death, and none after an orderly return', async () => {
        await store.createRun(newRun('opt_1'), claimAt(0));
        await store.releaseRun('opt_1', 1, 'returned');
        expect((await store.claimRun('opt_1', claimAt(1)))?.run).toMatchObject({ attempt: 2, losses: 0 });
        await store.releaseRun('opt_1', 2, 'lost');
        expect((await store.claimRun('opt_1', claimAt(2)))?.run).toMatchObject({ attempt: 3, losses: 1 });
        expect(await store.expireLeases()).toBe(1);
        expect((await store.claimRun('opt_1', claimAt(3)))?.run).toMatchObject({ attempt: 4, losses: 2 });
      });

      it('counts a loss as a strike where the run was all that its owner carried out', async () => {
        await store.createRun(newRun('opt_1'), claimAt(0));
        let now = 0;
        const claimed = async (alone?: boolean): Promise<unknown> => {
          now += 1000;
          const found = await store.claimRun('opt_1', { ...claimAt(now), ...(alone === undefined ? {} : { alone }) });
          return found === null ? null : [found.run.losses, found.run.strikes];
        };
        expect(await claimed(true)).toEqual([1, 0]);
        expect(await claimed()).toEqual([2, 1]);
        expect(await claimed(true)).toEqual([3, 1]);
        // Given back, or in company: no strike.
        await store.releaseRun('opt_1', 4, 'returned');
        expect(await claimed(true)).toEqual([3, 1]);
        expect([await store.noteCompany('opt_1', 4), await store.noteCompany('opt_404', 1)]).toEqual([false, false]);
        expect(await store.noteCompany('opt_1', 5)).toBe(true);
        expect(await claimed(true)).toEqual([4, 1]);
        const progress = { evaluations: 1, bestFitness: 1, bestSolution: [1], elapsedSeconds: 1, strikesBefore: 1 };
        await store.saveProgress('opt_1', 6, { progress, checkpoint: Uint8Array.of(1) });
        expect(await claimed(true)).toEqual([5, 1]);
        // Without a checkpoint it has not come further.
        await store.saveProgress('opt_1', 7, { progress });
        expect(await claimed()).toEqual([6, 2]);
        // A thread that died worked on nothing else.
        await store.releaseRun('opt_1', 8, 'lost');
        expect(await claimed(true)).toEqual([7, 3]);
        expect(await store.findRun(ACCOUNT.id, 'opt_1')).toMatchObject({ strikes: 3, progress });
        await store.finishRun('opt_1', 9, { status: 'failed', ending: ending(), completedAt: 3 });
        expect(await store.noteCompany('opt_1', 9)).toBe(false);
      });

      it('counts a strike of a run that was born alone', async () => {
        await store.createRun(newRun('opt_1'), { ...claimAt(0), alone: true });
        expect((await store.claimRun('opt_1', claimAt(1000)))?.run).toMatchObject({ losses: 1, strikes: 1 });
      });

      it('drops a checkpoint where a report says so', async () => {
        await store.createRun(newRun('opt_1'), claimAt(0));
        const progress = { evaluations: 1, bestFitness: 1, bestSolution: [1], elapsedSeconds: 1 };
        const checkpoint = largeCheckpoint();
        await store.saveProgress('opt_1', 1, { progress, checkpoint, history: [{ ...progress, bestFitness: 1 }] });
        expect(await store.saveProgress('opt_1', 1, { progress, history: [], checkpoint: null })).toBe(true);
        expect(await store.runCheckpoint('opt_1')).toBeNull();
        expect(await store.runHistory(ACCOUNT.id, 'opt_1')).toEqual([]);
        expect((await store.claimRun('opt_1', claimAt(2000)))?.checkpoint).toBeNull();
      });

      it('hands the last checkpoint to the next claim, and drops it at the end', async () => {
        await store.createRun(newRun('opt_1'), claimAt(0));
        const progress = { evaluations: 1, bestFitness: 1, bestSolution: [1], elapsedSeconds: 1 };
        const history = [{ evaluations: 1, bestFitness: 1, elapsedSeconds: 1 }];
        await store.saveProgress('opt_1', 1, { progress, checkpoint: Uint8Array.of(1) });
        await store.saveProgress('opt_1', 1, { progress, checkpoint: Uint8Array.of(2), history });
        await store.saveProgress('opt_1', 1, { progress: { ...progress, evaluations: 2 } });
        expect(await store.runHistory(ACCOUNT.id, 'opt_1')).toEqual(history);
        expect([...((await store.runCheckpoint('opt_1')) ?? [])]).toEqual([2]);
        const claimed = await store.claimRun('opt_1', claimAt(2000));
        expect([...(claimed?.checkpoint ?? [])]).toEqual([2]);
        expect(claimed?.run.progress?.evaluations).toBe(2);
        const ended = await store.finishRun('opt_1', 2, { status: 'failed', ending: ending(), completedAt: 3 });
        expect(ended).toMatchObject({ status: 'failed', progress: null, completedAt: 3 });
        expect(await store.runHistory(ACCOUNT.id, 'opt_1')).toEqual(history);
        expect([await store.runCheckpoint('opt_1'), await store.runCheckpoint('opt_404')]).toEqual([null, null]);
      });

      it.each([
        ['of many variables', 10_000],
        ['of many points', 200],
      ])(
        'keeps the largest front, and the experiment around its knee: %s',
        async (_, n) => {
          // Numbers that no compressor makes much smaller.
          let state = 1;
          const numbers = (count: number): number[] =>
            Array.from({ length: count }, () => Math.sin(++state * 12.9898) * 43758.5453);
          const points = Array.from({ length: frontCapacity(n) }, () => ({ solution: numbers(n), values: numbers(4) }));
          const measured = (): { value: number; values: number[]; isDominated: boolean } => ({
            value: numbers(1)[0]!,
            values: numbers(4),
            isDominated: true,
          });
          const experiment = {
            fromEvaluation: 9,
            evaluations: 2 * n + 1,
            centre: numbers(n),
            centreValue: 1,
            repeatedValue: 1,
            several: { values: numbers(4), repeated: numbers(4), reference: numbers(4), nearby: [measured()] },
            step: 0.01,
            sensitivities: Array.from({ length: n }, (__, dimension) => ({
              dimension,
              down: { to: numbers(1)[0]!, ...measured() },
              up: { to: numbers(1)[0]!, ...measured() },
            })),
            interactions: [],
            nearby: [1],
          };
          const front = { points, knee: 3, hypervolume: 2, reference: numbers(4) };
          await store.createRun(newRun('opt_1'), claimAt(0));
          const ended = { ...ending(), front, experiment, bestSolution: numbers(n) };
          await store.finishRun('opt_1', 1, { status: 'completed', ending: ended, completedAt: 3 });
          const kept = await store.findRun(ACCOUNT.id, 'opt_1');
          // The matchers take seconds for so many numbers.
          expect(isDeepStrictEqual(kept?.ending, ended)).toBe(true);
        },
        60_000,
      );

      it('keeps the state at the end of a run until its time, with its source and history', async () => {
        const history = [{ evaluations: 1, bestFitness: -0, elapsedSeconds: 1 }];
        const endOf = async (id: string, now: number): Promise<unknown> =>
          plainEnd(await store.runEnd(ACCOUNT.id, id, now));
        for (const [id, checkpoint] of [
          ['opt_1', Uint8Array.of(1, 2)],
          ['opt_2', largeCheckpoint()],
        ] as const) {
          await store.createRun(newRun(id), claimAt(0));
          const progress = { evaluations: 1, bestFitness: 1, bestSolution: [1], elapsedSeconds: 1 };
          await store.saveProgress(id, 1, { progress, checkpoint: largeCheckpoint() });
          expect(await store.runCheckpoint(id)).toStrictEqual(largeCheckpoint());
          expect(await store.runEnd(ACCOUNT.id, id, 0)).toBeNull();
          const finish = { status: 'completed', ending: ending(), completedAt: 3, history } as const;
          await store.finishRun(id, 1, { ...finish, extendable: { checkpoint, until: 2000 } });
          expect(await claimable(9999, 9)).toEqual([]);
          // The caller keeps it: it may have to be given again.
          const kept = plainEnd({ source: newRun(id).source, checkpoint, history });
          expect(await endOf(id, 1999)).toStrictEqual(kept);
          expect(await store.runCheckpoint(id)).toBeNull();
          await store.removeExpired(1999);
          expect(await endOf(id, 1999)).toStrictEqual(kept);
          expect(await store.runEnd(OTHER.id, id, 1999)).toBeNull();
          expect(await endOf(id, 2000)).toStrictEqual({ source: newRun(id).source, checkpoint: null, history });
        }
        await store.removeExpired(2000);
        for (const id of ['opt_1', 'opt_2']) expect(await endOf(id, 1)).toMatchObject({ checkpoint: null, history });
        expect(await store.runEnd(ACCOUNT.id, 'opt_404', 1)).toBeNull();
        expect(await store.runHistory(ACCOUNT.id, 'opt_2')).toStrictEqual(history);
      });

      it('gives a run what it starts with, as checkpoint and history', async () => {
        const history = [{ evaluations: 1, bestFitness: -0, elapsedSeconds: 1 }];
        for (const checkpoint of [Uint8Array.of(1), largeCheckpoint()]) {
          const id = `opt_${checkpoint.length}`;
          const made = await store.createRun(newRun(id, { start: { checkpoint, history } }));
          expect(made).not.toHaveProperty('start');
          expect(await store.runHistory(ACCOUNT.id, id)).toStrictEqual(history);
          const claimed = await store.claimRun(id, claimAt(0));
          expect(Buffer.compare(claimed?.checkpoint ?? Buffer.of(), checkpoint)).toBe(0);
          expect(await store.findRun(ACCOUNT.id, id)).toMatchObject({ progress: null, losses: 0 });
        }
      });

      it('allows exactly the transitions of the state table', async () => {
        const reach: Record<RunStatus, (id: string) => Promise<RunRecord | null>> = {
          pending: (id) => store.createRun(newRun(id)),
          running: (id) => store.createRun(newRun(id), claimAt(0)),
          completed: async (id) => {
            await reach.running(id);
            return store.finishRun(id, 1, { status: 'completed', ending: ending(), completedAt: 1 });
          },
          failed: async (id) => {
            await reach.running(id);
            return store.finishRun(id, 1, { status: 'failed', ending: ending(), completedAt: 1 });
          },
        };
        let serial = 0;
        for (const from of RUN_STATUSES) {
          for (const to of RUN_STATUSES.filter((status) => status !== 'pending')) {
            const id = `opt_${serial++}`;
            const attempt = (await reach[from](id))?.attempt ?? -1;
            const moved =
              to === 'running'
                ? (await store.claimRun(id, claimAt(5000))) !== null
                : (await store.finishRun(id, attempt, { status: to, ending: ending(), completedAt: 2 })) !== null;
            expect(moved, `${from} -> ${to}`).toBe(canBecome(from, to));
          }
        }
      });

      it('marks a cancellation only while the run lives', async () => {
        await store.createRun(newRun('opt_1'));
        expect(await store.requestCancel(ACCOUNT.id, 'opt_1')).toMatchObject({ cancelRequested: true });
        expect((await store.claimRun('opt_1', claimAt(0)))?.run.cancelRequested).toBe(true);
        await store.finishRun('opt_1', 1, { status: 'failed', ending: ending(), completedAt: 1 });
        expect(await store.requestCancel(ACCOUNT.id, 'opt_1')).toBeNull();
      });

      it('replaces metadata in every state', async () => {
        await store.createRun(newRun('opt_1', { metadata: { a: 1 } }));
        expect((await store.updateMetadata(ACCOUNT.id, 'opt_1', { b: 2 }))?.metadata).toEqual({ b: 2 });
        expect(await store.updateMetadata(ACCOUNT.id, 'opt_404', {})).toBeNull();
      });

      it('returns copies', async () => {
        await store.createRun(newRun('opt_1', { metadata: { list: [1] } }));
        const run = await store.findRun(ACCOUNT.id, 'opt_1');
        (run?.metadata as { list: number[] }).list.push(2);
        expect((await store.findRun(ACCOUNT.id, 'opt_1'))?.metadata).toEqual({ list: [1] });
      });

      it('has no history for a run without one, and null for no run', async () => {
        await store.createRun(newRun('opt_1'));
        expect(await store.runHistory(ACCOUNT.id, 'opt_1')).toEqual([]);
        expect(await store.runHistory(ACCOUNT.id, 'opt_2')).toBeNull();
      });
    });

    describe('events of a run', () => {
      const event = (id: string, body = `{"id":"${id}"}`): RunEvent => ({
        id,
        type: 'strategy.changed',
        createdAt: 7,
        body,
      });
      const progress = { evaluations: 1, bestFitness: 1, bestSolution: [1], elapsedSeconds: 1 };
      const ids = async (after = 0, limit = 99): Promise<string[] | undefined> =>
        (await store.runEvents(ACCOUNT.id, 'opt_1', after, limit))?.map((event) => event?.id ?? 'damaged');

      it('are kept in their order by the writes that report them', async () => {
        await store.createRun(newRun('opt_1'), claimAt(0));
        expect(await ids()).toEqual([]);
        const awkward = event('b', JSON.stringify({ text: 'a\u0000b \ud800 ü😀 $set' }));
        await store.saveProgress('opt_1', 1, { progress, events: [event('a'), awkward] });
        await store.saveProgress('opt_1', 1, { progress });
        await store.updateMetadata(ACCOUNT.id, 'opt_1', { a: 1 }, event('c'));
        await store.updateMetadata(ACCOUNT.id, 'opt_1', { a: 2 });
        const finish = { status: 'completed', ending: ending(), completedAt: 1 } as const;
        await store.finishRun('opt_1', 1, { ...finish, events: [event('d')] });
        await store.updateMetadata(ACCOUNT.id, 'opt_1', {}, event('e'));
        expect(await ids()).toEqual(['a', 'b', 'c', 'd', 'e']);
        expect(await ids(1, 2)).toEqual(['b', 'c']);
        expect(await ids(5)).toEqual([]);
        expect(await ids(99)).toEqual([]);
        expect((await store.runEvents(ACCOUNT.id, 'opt_1', 1, 1))?.[0]).toStrictEqual(awkward);
        expect(await store.runEvents(OTHER.id, 'opt_1', 0, 9)).toBeNull();
        expect(await store.runEvents(ACCOUNT.id, 'opt_2', 0, 9)).toBeNull();
      });

      it('are not kept by a write that is refused, and once where it is repeated', async () => {
        await store.createRun(newRun('opt_1'), claimAt(0));
        await store.saveProgress('opt_1', 1, { progress, events: [event('a')] });
        await store.saveProgress('opt_1', 1, { progress, events: [event('a'), event('b')] });
        await store.claimRun('opt_1', claimAt(5000));
        expect(await store.saveProgress('opt_1', 1, { progress, events: [event('late')] })).toBe(false);
        const finish = { status: 'completed', ending: ending(), completedAt: 1 } as const;
        expect(await store.finishRun('opt_1', 1, { ...finish, events: [event('late')] })).toBeNull();
        await store.updateMetadata(OTHER.id, 'opt_1', {}, event('other'));
        expect(await ids()).toEqual(['a', 'b']);
      });
    });

    describe('accounts and keys', () => {
      it('keeps the first account of a name', async () => {
        expect(await store.ensureAccount({ id: 'acct_9', name: 'one', createdAt: 9 })).toEqual(ACCOUNT);
      });

      it('finds a key by its public id, with its account', async () => {
        await store.saveKey(key('p1', { expiresAt: 77 }));
        expect(await store.findKey('p1')).toStrictEqual({ key: key('p1', { expiresAt: 77 }), account: ACCOUNT });
        expect(await store.findKey('p2')).toBeNull();
      });

      it('refuses a public id that is taken', async () => {
        await store.saveKey(key('p1'));
        await expect(store.saveKey(key('p1', { id: 'key_other' }))).rejects.toMatchObject({ code: 'conflict' });
      });

      it('stores a first key only where there is none, under the account of that name', async () => {
        const candidate = { id: 'acct_new', name: 'one', createdAt: 4 };
        expect(await store.saveFirstKey(candidate, key('p1', { accountId: 'acct_new' }))).toBe(true);
        expect((await store.findKey('p1'))?.key.accountId).toBe(ACCOUNT.id);
        expect(await store.saveFirstKey(candidate, key('p2'))).toBe(false);
        expect(await store.findKey('p2')).toBeNull();
      });

      it('lets one of several first keys through', async () => {
        const stored = await Promise.all(
          ['p1', 'p2', 'p3', 'p4'].map((publicId) => store.saveFirstKey(ACCOUNT, key(publicId))),
        );
        expect(stored.filter((made) => made)).toHaveLength(1);
      });

      it('keeps one secret', async () => {
        const [first, second] = await Promise.all([store.keySecret(), store.keySecret()]);
        expect(first).toHaveLength(32);
        expect(second).toEqual(first);
        await store.saveKey(key('p1'));
        await expect(store.newKeySecret(9)).rejects.toMatchObject({ code: 'conflict' });
        expect(await store.keySecret()).toEqual(first);
        expect(await store.findKey('p1')).toMatchObject({ key: { revokedAt: null } });
      });

      it('remembers the last use', async () => {
        await store.saveKey(key('p1'));
        await store.touchKey('key_p1', 1234);
        expect((await store.findKey('p1'))?.key.lastUsedAt).toBe(1234);
      });
    });

    describe('under load', () => {
      it('has exactly one winner of each of 10,000 conditional updates by two writers', async () => {
        const runs = 250;
        const rounds = 20;
        const other = (await under.openAnother?.()) ?? store;
        const ids = Array.from({ length: runs }, (_, i) => `opt_${String(i).padStart(4, '0')}`);
        await Promise.all(ids.map((id) => store.createRun(newRun(id))));
        const wins = [0, 0];
        for (let round = 1; round <= rounds; round++) {
          await Promise.all(
            ids.map(async (id) => {
              const claims = await Promise.all([
                store.claimRun(id, claimAt(round, 'a')),
                other.claimRun(id, claimAt(round, 'b')),
              ]);
              const won = claims.map((claim) => claim?.run.attempt);
              expect([...won].sort(), `${id}, round ${round}`).toEqual([round, undefined]);
              const winner = won[0] === undefined ? 1 : 0;
              wins[winner] = (wins[winner] ?? 0) + 1;
              const loser = winner === 0 ? other : store;
              expect(await loser.releaseRun(id, round, 'returned')).toBe(true);
            }),
          );
        }
        expect(wins[0]! + wins[1]!).toBe(runs * rounds);
        const page = await store.listRuns(ACCOUNT.id, {}, { limit: runs, offset: 0 });
        expect(page.items.every((run) => run.attempt === rounds && run.losses === 0)).toBe(true);
        if (other !== store) await other.close();
      }, 120_000);

      it('answers random sequences of verbs as the store in memory does', async () => {
        const reset = async (): Promise<void> => {
          await store.close();
          await under.cleanUp();
          under = make();
          store = await under.open();
        };
        await fc.assert(
          fc.asyncProperty(sequences, async (steps) => {
            await reset();
            const model = openMemoryStore();
            for (const account of ACCOUNTS) for (const one of [store, model]) await one.ensureAccount(account);
            for (const step of steps) {
              const [actual, expected] = [await answerOf(step, store), await answerOf(step, model)];
              // Not `toStrictEqual`, which takes a key `constructor` for the class.
              assert.deepStrictEqual({ step: step.text, ...actual }, { step: step.text, ...expected });
            }
          }),
          { numRuns: SEQUENCES, seed: Number(process.env['EXTREMUM_PROPERTY_SEED'] ?? 4711) },
        );
      }, 120_000);
    });

    describe('lists of keys', () => {
      it('lists the keys of an account newest first, without revoked ones', async () => {
        for (const publicId of ['p2', 'p1', 'p3']) await store.saveKey(key(publicId));
        await store.saveKey(key('p4', { accountId: OTHER.id }));
        expect(await store.revokeKey(ACCOUNT.id, 'key_p2', 9)).toBe(true);
        const page = await store.listKeys(ACCOUNT.id, { limit: 1, offset: 1 });
        expect(page).toStrictEqual({ items: [key('p1')], total: 2 });
        expect(await store.findKeyById(ACCOUNT.id, 'key_p1')).toStrictEqual(key('p1'));
        expect(await store.findKeyById(ACCOUNT.id, 'key_p2')).toBeNull();
        expect(await store.findKeyById(OTHER.id, 'key_p1')).toBeNull();
      });

      it('revokes once, and only for the account', async () => {
        await store.saveKey(key('p1'));
        expect(await store.revokeKey(OTHER.id, 'key_p1', 8)).toBe(false);
        expect(await store.revokeKey(ACCOUNT.id, 'key_p1', 9)).toBe(true);
        expect(await store.revokeKey(ACCOUNT.id, 'key_p1', 10)).toBe(false);
        expect((await store.findKey('p1'))?.key).toStrictEqual(key('p1', { revokedAt: 9 }));
        expect(await store.limitKey(ACCOUNT.id, 'key_p1', 11)).toBe(false);
      });

      it('only ever shortens the life of a key', async () => {
        await store.saveKey(key('p1'));
        expect(await store.limitKey(OTHER.id, 'key_p1', 1)).toBe(false);
        for (const [at, expected] of [
          [50, 50],
          [70, 50],
          [30, 30],
        ] as const) {
          expect(await store.limitKey(ACCOUNT.id, 'key_p1', at)).toBe(true);
          expect((await store.findKey('p1'))?.key.expiresAt).toBe(expected);
        }
      });

      it('forgets keys a month after their end, but never the oldest: without it a start would make a first key', async () => {
        const month = 30 * 86_400_000;
        await store.saveKey(key('p1', { expiresAt: 1 }));
        await store.saveKey(key('p2', { expiresAt: 1_000 }));
        await store.saveKey(key('p3'));
        await store.revokeKey(ACCOUNT.id, 'key_p3', 2_000);
        await store.saveKey(key('p4'));
        const left = async (now: number): Promise<string[]> => {
          await store.removeExpired(now);
          const found = await Promise.all(['p1', 'p2', 'p3', 'p4'].map((publicId) => store.findKey(publicId)));
          return found.flatMap((one) => one?.key.publicId ?? []);
        };
        expect(await left(month + 999)).toEqual(['p1', 'p2', 'p3', 'p4']);
        expect(await left(month + 1_000)).toEqual(['p1', 'p3', 'p4']);
        expect(await left(month + 2_000)).toEqual(['p1', 'p4']);
        expect(await store.saveFirstKey(ACCOUNT, key('p5'))).toBe(false);
      });

      it('finds an account by its name', async () => {
        expect(await store.findAccount('one')).toStrictEqual(ACCOUNT);
        expect(await store.findAccount('nobody')).toBeNull();
      });
    });

    describe('identifiers that exist already', () => {
      it('are refused for runs and keys, and change nothing for functions', async () => {
        await store.createRun(newRun('opt_1'), claimAt(0));
        const again = newRun('opt_1', { metadata: { a: 1 } });
        await expect(store.createRun(again)).rejects.toMatchObject({ code: 'conflict' });
        await expect(store.createRun(again, claimAt(5))).rejects.toMatchObject({ code: 'conflict' });
        expect(await store.findRun(ACCOUNT.id, 'opt_1')).toMatchObject({ metadata: {}, status: 'running' });
        await store.saveKey(key('p1'));
        await expect(store.saveKey(key('p2', { id: 'key_p1' }))).rejects.toMatchObject({ code: 'conflict' });
        expect(await store.findKey('p2')).toBeNull();
        await store.saveFunction(functionRecord('func_1'));
        await store.saveFunction(functionRecord('func_1', { name: 'other' }));
        expect((await store.findFunction(ACCOUNT.id, 'func_1'))?.name).toBe('sphere');
      });
    });

    describe('requests that may be sent again', () => {
      const claim = (owner: string, overrides: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
        accountId: ACCOUNT.id,
        key: 'k 1',
        fingerprint: 'f',
        owner,
        now: 100,
        leaseUntil: 200,
        expiresAt: 1000,
        seed: `seed of ${owner}`,
        ...overrides,
      });
      const request = [ACCOUNT.id, 'k 1'] as const;

      it('go to one attempt, whose answer every later one gets', async () => {
        const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => store.claimRequest(claim(`o${i}`))));
        const won = outcomes.findIndex(({ kind }) => kind === 'claimed');
        expect(outcomes[won]).toStrictEqual({ kind: 'claimed', seed: `seed of o${won}`, claimedAt: 100 });
        expect(outcomes.filter(({ kind }) => kind === 'working')).toHaveLength(19);
        const answer = 'text \u0000 \ud800'.repeat(500);
        expect(await store.answerRequest(...request, 'somebody', 'x')).toBe(false);
        expect(await store.answerRequest(...request, `o${won}`, answer)).toBe(true);
        expect(await store.answerRequest(...request, `o${won}`, 'other')).toBe(false);
        expect(await store.forgetRequest(...request, `o${won}`)).toBe(false);
        const later = await store.claimRequest(claim('later', { fingerprint: 'g', now: 999 }));
        expect(later).toStrictEqual({ kind: 'answered', fingerprint: 'f', answer });
      });

      it('are taken over with the first seed once the lease has run out', async () => {
        await store.claimRequest(claim('a'));
        expect(await store.renewRequest(...request, 'a', 300)).toBe(true);
        expect(await store.claimRequest(claim('b', { now: 299 }))).toStrictEqual({ kind: 'working', fingerprint: 'f' });
        const other = await store.claimRequest(claim('b', { now: 300, fingerprint: 'g' }));
        expect(other).toStrictEqual({ kind: 'working', fingerprint: 'f' });
        const taken = await store.claimRequest(claim('b', { now: 300, leaseUntil: 400 }));
        expect(taken).toStrictEqual({ kind: 'claimed', seed: 'seed of a', claimedAt: 100 });
        expect(await store.answerRequest(...request, 'a', 'late')).toBe(false);
        expect(await store.renewRequest(...request, 'a', 900)).toBe(false);
        expect(await store.expireRequests()).toBe(1);
        expect(await store.claimRequest(claim('c', { now: 301 }))).toMatchObject({ kind: 'claimed' });
      });

      it('may be forgotten, and are after their time', async () => {
        await store.claimRequest(claim('a'));
        expect(await store.forgetRequest(...request, 'b')).toBe(false);
        expect(await store.forgetRequest(...request, 'a')).toBe(true);
        const fresh = await store.claimRequest(claim('b', { fingerprint: 'g' }));
        expect(fresh).toMatchObject({ kind: 'claimed', seed: 'seed of b' });
        await store.answerRequest(...request, 'b', 'answer');
        const late = claim('c', { now: 1000, expiresAt: 2000 });
        expect(await store.claimRequest(late)).toStrictEqual({ kind: 'claimed', seed: 'seed of c', claimedAt: 1000 });
        await store.removeExpired(1999);
        expect(await store.claimRequest(claim('d', { now: 1001, leaseUntil: 1 }))).toMatchObject({ seed: 'seed of c' });
        await store.removeExpired(2000);
        expect(await store.claimRequest(claim('e'))).toMatchObject({ seed: 'seed of e' });
      });

      it('are apart for accounts and keys', async () => {
        await store.claimRequest(claim('a'));
        expect(await store.claimRequest(claim('b', { accountId: OTHER.id }))).toMatchObject({ kind: 'claimed' });
        expect(await store.claimRequest(claim('c', { key: 'k' }))).toMatchObject({ kind: 'claimed' });
        expect(await store.forgetRequest(OTHER.id, 'k 1', 'a')).toBe(false);
      });
    });

    describe('times that a clock has left far ahead', () => {
      const DAY = 86_400_000;
      const YEAR = 365 * DAY;
      const claim = (key: string, now: number) => ({
        ...{ accountId: ACCOUNT.id, key, fingerprint: 'f', owner: `${key} ${now}`, now },
        ...{ leaseUntil: now + 1_000, expiresAt: now + DAY, seed: 's' },
      });
      const bringBack = (): Promise<boolean> => store.bringBackTimes(2_000, 1_000);

      it('are leases of runs: they are over', async () => {
        await store.createRun(newRun('opt_1'), { owner: 'dead', now: YEAR, leaseUntil: YEAR + 1_000 });
        await store.createRun(newRun('opt_2'), { owner: 'alive', now: 2_500, leaseUntil: 3_500 });
        await store.createRun(newRun('opt_3'));
        expect(await bringBack()).toBe(true);
        expect(await bringBack()).toBe(false);
        expect(await store.claimableRuns(2_000, 9)).toMatchObject([
          { id: 'opt_1', isLost: true },
          { id: 'opt_3', isLost: false },
        ]);
        expect((await store.claimRun('opt_1', claimAt(2_000)))?.run).toMatchObject({ losses: 1, attempt: 2 });
        expect(await store.claimRun('opt_2', claimAt(2_000))).toBeNull();
      });

      it('are those of requests: the dead have none, and answers are kept for a day', async () => {
        await store.claimRequest(claim('dead', YEAR));
        await store.claimRequest(claim('done', YEAR));
        await store.answerRequest(ACCOUNT.id, 'done', `done ${YEAR}`, 'answer');
        await store.claimRequest(claim('alive', 2_500));
        expect(await store.claimRequest(claim('dead', 2_000))).toMatchObject({ kind: 'working' });
        expect(await bringBack()).toBe(true);
        expect(await bringBack()).toBe(false);
        expect(await store.claimRequest(claim('dead', 2_000))).toMatchObject({ kind: 'claimed' });
        expect(await store.claimRequest(claim('alive', 2_600))).toMatchObject({ kind: 'working' });
        expect(await store.claimRequest(claim('done', 2_000))).toMatchObject({ kind: 'answered' });
        await store.removeExpired(2 * DAY);
        expect(await store.claimRequest(claim('done', 2 * DAY))).toMatchObject({ kind: 'claimed' });
      });

      it('are those of deliveries: they are due', async () => {
        await store.saveWebhook(newWebhook('wh_1'));
        for (const [id, dueAt] of [
          ['dlv_1', YEAR],
          ['dlv_2', YEAR],
          ['dlv_3', 2_000 + DAY],
          ['dlv_4', 0],
        ] as const) {
          await store.saveDelivery(newDelivery(id, { dueAt }));
        }
        await store.claimDelivery('dlv_2', YEAR, YEAR + 30_000);
        await store.claimDelivery('dlv_4', 2_000, 30_000);
        expect(await bringBack()).toBe(true);
        expect(await bringBack()).toBe(false);
        expect((await store.dueDeliveries(2_000, [], 9)).map(({ id }) => id)).toEqual(['dlv_1', 'dlv_2']);
        expect((await store.claimDelivery('dlv_2', 2_000, 9_000))?.fence).toBe(2);
      });
    });

    describe('counts of requests', () => {
      it('count within a window that begins with its first request', async () => {
        const count = async (key: string, now: number): Promise<unknown> => store.countRequest(key, now, 60);
        expect(await count('a', 10)).toStrictEqual({ count: 1, resetAt: 70 });
        expect(await count('a', 69)).toStrictEqual({ count: 2, resetAt: 70 });
        expect(await count('b', 69)).toStrictEqual({ count: 1, resetAt: 129 });
        expect(await count('a', 70)).toStrictEqual({ count: 1, resetAt: 130 });
        await store.removeExpired(130);
        expect(await count('a', 100)).toStrictEqual({ count: 1, resetAt: 160 });
      });

      it('begin anew where a clock that was ahead is set back', async () => {
        const count = async (now: number): Promise<unknown> => store.countRequest('a', now, 60);
        for (let n = 1; n <= 3; n++) expect(await count(1_000_000)).toMatchObject({ count: n });
        // A little: the window goes on.
        expect(await count(999_990)).toStrictEqual({ count: 4, resetAt: 1_000_060 });
        expect(await count(500)).toStrictEqual({ count: 1, resetAt: 560 });
        expect(await count(501)).toStrictEqual({ count: 2, resetAt: 560 });
      });

      it('lose none of many at a time', async () => {
        const counts = await Promise.all(Array.from({ length: 50 }, () => store.countRequest('a', 5, 60)));
        expect(counts.map(({ count }) => count).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 50 }, (_, i) => i + 1),
        );
      });
    });

    describe('batches', () => {
      const batch = (id: string, runIds: string[], accountId = ACCOUNT.id): BatchRecord => ({
        id,
        accountId,
        runIds,
        createdAt: 5,
      });

      it('are stored with all of their runs, which can be claimed', async () => {
        const runIds = ['opt_2', 'opt_1', 'opt_3'];
        await store.createBatch(
          batch('batch_1', runIds),
          runIds.map((id) => newRun(id)),
        );
        const found = await store.findBatch(ACCOUNT.id, 'batch_1');
        const counts = { pending: 3, running: 0, completed: 0, failed: 0 };
        expect(found).toStrictEqual({ batch: batch('batch_1', runIds), counts, lastEndedAt: null });
        expect(await claimable(0, 9)).toEqual([...runIds].sort());
        expect(await store.findRun(ACCOUNT.id, 'opt_1')).toMatchObject({ status: 'pending', accountId: ACCOUNT.id });
        expect(await store.findBatch(OTHER.id, 'batch_1')).toBeNull();
        await store.claimRun('opt_1', claimAt(1));
        for (const [id, status, completedAt] of [
          ['opt_2', 'failed', 70],
          ['opt_1', 'completed', 60],
        ] as const) {
          await store.finishRun(id, id === 'opt_1' ? 1 : 0, { status, ending: ending(), completedAt });
        }
        await store.claimRun('opt_3', claimAt(1));
        expect(await store.findBatch(ACCOUNT.id, 'batch_1')).toMatchObject({
          counts: { pending: 0, running: 1, completed: 1, failed: 1 },
          lastEndedAt: 70,
        });
        await store.removeExpired(1e15);
        expect((await store.listRuns(ACCOUNT.id, {}, everything)).total).toBe(3);
      });

      it('exist once', async () => {
        await store.createBatch(batch('batch_1', ['opt_1']), [newRun('opt_1')]);
        const again = store.createBatch(batch('batch_1', ['opt_1']), [newRun('opt_1', { metadata: { a: 1 } })]);
        await expect(again).rejects.toMatchObject({ code: 'conflict' });
        expect((await store.findRun(ACCOUNT.id, 'opt_1'))?.metadata).toEqual({});
      });

      it('are listed newest first, for their account', async () => {
        for (const n of [1, 3, 2]) await store.createBatch(batch(`batch_${n}`, [`opt_${n}`]), [newRun(`opt_${n}`)]);
        const other = newRun('opt_4', { accountId: OTHER.id });
        await store.createBatch(batch('batch_4', ['opt_4'], OTHER.id), [other]);
        const page = await store.listBatches(ACCOUNT.id, { limit: 2, offset: 1 });
        expect(page.items.map(({ batch: { id }, counts }) => [id, counts.pending])).toEqual([
          ['batch_2', 1],
          ['batch_1', 1],
        ]);
        expect(page.total).toBe(3);
      });

      it('of a thousand runs are stored', async () => {
        const runIds = Array.from({ length: 1000 }, (_, i) => `opt_${String(i).padStart(4, '0')}`);
        await store.createBatch(
          batch('batch_1', runIds),
          runIds.map((id) => newRun(id)),
        );
        expect((await store.findBatch(ACCOUNT.id, 'batch_1'))?.counts.pending).toBe(1000);
      });
    });

    describe('settings of an account', () => {
      it('has none at first, replaces all of them, and keeps accounts apart', async () => {
        expect(await store.accountSettings(ACCOUNT.id)).toStrictEqual({});
        await store.saveAccountSettings(ACCOUNT.id, { preset: 'minimal', maxEvaluations: 7 });
        await store.saveAccountSettings(ACCOUNT.id, { mode: 'fast', timeoutSeconds: 0.5 });
        expect(await store.accountSettings(ACCOUNT.id)).toStrictEqual({ mode: 'fast', timeoutSeconds: 0.5 });
        expect(await store.accountSettings(OTHER.id)).toStrictEqual({});
      });
    });

    analyticsSuite(
      () => store,
      async () => (await under.openAnother?.()) ?? null,
    );
    executionsSuite(() => store);
    learningSuite(
      () => store,
      async () => (await under.openAnother?.()) ?? null,
    );

    studySuite(
      () => store,
      async () => (await under.openAnother?.()) ?? null,
    );

    conversationSuite(
      () => store,
      async () => (await under.openAnother?.()) ?? null,
    );

    webhookSuite(
      () => store,
      async () => (await under.openAnother?.()) ?? null,
    );

    describe('life', () => {
      it('answers a ping, and rejects every verb once closed', async () => {
        await store.ping();
        await store.close();
        await expect(store.ping()).rejects.toMatchObject({ code: 'store_unavailable' });
        await expect(store.findRun(ACCOUNT.id, 'opt_1')).rejects.toMatchObject({ code: 'store_unavailable' });
        await expect(store.createRun(newRun('opt_1'))).rejects.toMatchObject({ code: 'store_unavailable' });
      });

      it('finds everything again after it was closed, where it is durable', async ({ skip }) => {
        if (!store.capabilities.durable) skip('not durable');
        await store.saveFunction(functionRecord('func_1'));
        await store.createRun(newRun('opt_1'), claimAt(0));
        await store.saveKey(key('p1'));
        const before = await store.findRun(ACCOUNT.id, 'opt_1');
        await store.close();
        store = await under.open();
        expect(await store.findRun(ACCOUNT.id, 'opt_1')).toStrictEqual(before);
        expect(await store.findFunction(ACCOUNT.id, 'func_1')).toStrictEqual(functionRecord('func_1'));
        expect(await store.findKey('p1')).not.toBeNull();
      });
    });
  });
}
