/** What every store must do with runs and their events; part of ../store.suite.ts. */
import { isDeepStrictEqual } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { EMPTY_TRACE } from '../../../src/model/monitoring.js';
import type { Page } from '../../../src/model/page.js';
import type { RunEvent } from '../../../src/model/run-event.js';
import type { RunRecord } from '../../../src/model/run-record.js';
import { RUN_STATUSES, canBecome, type RunStatus } from '../../../src/model/run-status.js';
import { searchWords, type RunSortKey, type RunSummary } from '../../../src/model/run-summary.js';
import { encodeTrace } from '../../../src/model/trace-bytes.js';
import { frontCapacity } from '../../../src/pareto/front-archive.js';
import type { RunEnd, RunFilter, RunPageRequest } from '../../../src/storage/contract/runs.js';
import type { Store } from '../../../src/storage/store.js';
import { ACCOUNT, OTHER, everything, claimAt, ending, monitoringRow, newRun } from '../store-samples.js';

/** Far beyond what fits beside a run. */
const largeCheckpoint = (): Uint8Array =>
  new Uint8Array(Float64Array.from({ length: 50_000 }, (_, i) => Math.sin(i)).buffer);

/** With text instead of bytes, which stores return in arrays of different classes. */
const plainEnd = (end: RunEnd | null): unknown =>
  end && { ...end, checkpoint: end.checkpoint && Buffer.from(end.checkpoint).toString('hex') };

/** Values that careless encodings lose. Compared with `toStrictEqual`, which tells -0 from 0. */
const AWKWARD: Readonly<Record<string, unknown>> = JSON.parse(
  '{"__proto__": {"a": 1}, "$f": "NaN", "$o": [], "a.b": 1, "$x": null, "nul": "a\\u0000b", "lone": "\\ud800x"}',
) as Record<string, unknown>;
const AWKWARD_NUMBERS = [NaN, Infinity, -Infinity, -0, 0, 1e308, -1e308, 5e-324, 2 ** 53 + 2, 0.1];

export function runSuite(current: () => Store, openAnother: () => Promise<Store | null>): void {
  describe('runs', () => {
    let store: Store;
    beforeEach(() => {
      store = current();
    });
    const claimable = async (now: number, limit: number): Promise<string[]> =>
      (await store.claimableRuns(now, limit)).map(({ id }) => id);

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
      await store.createRun({ ...run, request: { ...run.request, task: { ...run.request.task, bounds } } }, claimAt(1));
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

    it('lists at once what another writer did, asked by many at a time', async () => {
      const other = (await openAnother()) ?? store;
      const listed = async (filter: RunFilter, page: RunPageRequest): Promise<unknown> => {
        const many = Array.from({ length: 8 }, () => store.listSummaries(ACCOUNT.id, filter, page));
        const [{ items, total }, ...others] = (await Promise.all(many)) as [Page<RunSummary>, ...Page<RunSummary>[]];
        for (const page of others) expect(page).toStrictEqual({ items, total });
        return [items[0]?.id, total];
      };
      const newest = { limit: 2, offset: 0 };
      const lowest = { ...newest, order: { key: 'bestFitness', isDescending: false } } as const;
      for (let n = 1; n <= 12; n++) {
        const id = `opt_${String(n).padStart(2, '0')}`;
        await other.createRun(newRun(id), claimAt(0));
        expect(await listed({}, newest)).toEqual([id, n]);
        expect(await listed({ status: 'running' }, newest)).toEqual([id, 1]);
        expect(await listed({}, lowest)).toEqual([n === 1 ? id : `opt_${String(n - 1).padStart(2, '0')}`, n]);
        const end = { status: 'completed', history: [], completedAt: n } as const;
        await other.finishRun(id, 1, { ...end, ending: ending({ bestFitness: -n }) });
        expect(await listed({ status: 'running' }, newest)).toEqual([undefined, 0]);
        expect(await listed({}, lowest)).toEqual([id, n]);
      }
      expect(await other.deleteRuns(ACCOUNT.id, ['opt_12', 'opt_07'])).toHaveLength(2);
      expect(await listed({}, newest)).toEqual(['opt_11', 10]);
      expect(await listed({}, { ...lowest, limit: 20, offset: 9 })).toEqual(['opt_01', 10]);
      if (other !== store) await other.close();
    });

    it('filters by the strategy that searched last, once the run has ended', async () => {
      const span = { reason: '', fromEvaluation: 0, toEvaluation: 9, bestFitness: 1 };
      const strategies = ['cma-es', 'nelder-mead'].map((name) => ({ ...span, name }));
      for (const n of [1, 2, 3]) await store.createRun(newRun(`opt_${n}`), claimAt(1));
      await store.finishRun('opt_1', 1, { status: 'completed', ending: ending({ strategies }), completedAt: 2 });
      const first = {
        status: 'failed',
        ending: ending({ strategies: strategies.slice(0, 1) }),
        completedAt: 2,
      } as const;
      await store.finishRun('opt_2', 1, first);
      const ids = async (filter: RunFilter): Promise<string[]> =>
        (await store.listSummaries(ACCOUNT.id, filter, everything)).items.map(({ id }) => id);
      expect(await ids({ strategy: 'nelder-mead' })).toEqual(['opt_1']);
      expect(await ids({ strategy: 'cma-es' })).toEqual(['opt_2']);
      expect(await ids({ strategy: 'cma-es', status: 'completed' })).toEqual([]);
      expect(await ids({ strategy: '' })).toEqual([]);
    });

    it('finds words in name, identifier and metadata, and takes every character for itself', async () => {
      const texts = [
        '100%_sure',
        'a.b*',
        'C:\\temp\\x',
        'nul \0 there',
        'it\'s "quoted"; --',
        '$where {} [a-z]+ (x|y)^',
        'ÄÖ ﬁn',
      ];
      for (const [n, text] of texts.entries()) {
        const { request } = newRun('opt_1');
        const named = { ...request, functionName: `Sphere ${n}` };
        await store.createRun(newRun(`opt_7${n}`, { request: named, metadata: { team: [text, { Depth: n * 1.5 }] } }));
      }
      const found = async (text: string, filter: RunFilter = {}): Promise<string> => {
        const page = await store.listRuns(ACCOUNT.id, { ...filter, words: searchWords(text) }, everything);
        const summaries = await store.listSummaries(ACCOUNT.id, { ...filter, words: searchWords(text) }, everything);
        expect(summaries.items.map(({ id }) => id)).toEqual(page.items.map(({ id }) => id));
        expect([page.total, summaries.total]).toEqual([page.items.length, page.items.length]);
        return page.items.map(({ id }) => id.replace('opt_7', '')).join('');
      };
      for (const [n, text] of texts.entries()) {
        for (const word of text.split(' ').filter((part) => part.length > 1)) {
          expect([word, await found(word)]).toEqual([word, String(n)]);
        }
      }
      expect(await found('')).toBe('6543210');
      expect(await found('spHERE team')).toBe('6543210');
      expect(await found('opt_74')).toBe('4');
      expect(await found('  sphere\t3 ')).toBe('32');
      expect(await found('Depth 1.5')).toBe('1');
      expect(await found('%')).toBe('0');
      expect(await found('\0')).toBe('3');
      expect(await found('.*')).toBe('');
      expect(await found('b*')).toBe('1');
      expect(await found('^')).toBe('5');
      expect(await found('\\')).toBe('2');
      expect(await found('äö FIN')).toBe('6');
      expect(await found('x'.repeat(10_000))).toBe('');
      expect(await found('sphere', { status: 'completed' })).toBe('');
      const page = await store.listSummaries(ACCOUNT.id, { words: ['sphere'] }, { limit: 2, offset: 3 });
      expect([page.total, page.items.map(({ id }) => id)]).toEqual([7, ['opt_73', 'opt_72']]);
      expect(await store.listSummaries(OTHER.id, { words: ['sphere'] }, everything)).toEqual({ items: [], total: 0 });
    });

    it('finds what new metadata say, and no longer what the earlier ones said', async () => {
      const run = newRun('opt_1', { metadata: { a: 'before' } });
      await store.createRun({ ...run, request: { ...run.request, functionName: 'sphere' } });
      await store.updateMetadata(ACCOUNT.id, 'opt_1', { a: 'after' });
      const totals = ['before', 'after', 'sphere', 'opt_1'].map(
        async (word) => (await store.listRuns(ACCOUNT.id, { words: [word] }, everything)).total,
      );
      expect(await Promise.all(totals)).toEqual([0, 1, 1, 1]);
    });

    it('sorts by a key in both directions, null last, equal keys by identifier', async () => {
      const values = [3, null, -1e300, 3, NaN, 0, -0, 1e-9, null, 3];
      for (const [n, bestFitness] of values.entries()) {
        await store.createRun(newRun(`opt_${n}`), claimAt(1));
        if (n === 8) continue;
        const end = ending({ bestFitness, evaluations: 10 - n, durationSeconds: n % 3 });
        await store.finishRun(`opt_${n}`, 1, { status: n < 5 ? 'completed' : 'failed', ending: end, completedAt: 2 });
      }
      const sorted = async (key: RunSortKey, isDescending: boolean, filter: RunFilter = {}): Promise<string> => {
        const order = { key, isDescending };
        const lists = await Promise.all([
          store.listSummaries(ACCOUNT.id, filter, { ...everything, order }),
          store.listRuns(ACCOUNT.id, filter, { ...everything, order }),
        ]);
        const [ids, records] = lists.map(({ items }) => items.map(({ id }) => id.slice(4)).join(''));
        expect(records).toBe(ids);
        // Pages of three are the same list.
        const pages: string[] = [];
        for (let offset = 0; offset <= ids.length; offset += 3) {
          const page = await store.listSummaries(ACCOUNT.id, filter, { limit: 3, offset, order });
          expect(page.total).toBe(ids.length);
          pages.push(...page.items.map(({ id }) => id.slice(4)));
        }
        expect(pages.join('')).toBe(ids);
        return ids;
      };
      expect(await sorted('bestFitness', false)).toBe('2567039148');
      expect(await sorted('bestFitness', true)).toBe('9307652841');
      expect(await sorted('evaluations', false)).toBe('8976543210');
      expect(await sorted('evaluations', true)).toBe('0123456798');
      expect(await sorted('durationSeconds', false)).toBe('0369147258');
      expect(await sorted('durationSeconds', true)).toBe('5274196308');
      expect(await sorted('createdAt', false)).toBe('0123456789');
      expect(await sorted('createdAt', true)).toBe('9876543210');
      expect(await sorted('bestFitness', false, { status: 'completed' })).toBe('20314');
      expect(await sorted('bestFitness', true, { status: 'failed' })).toBe('9765');
      expect(await sorted('bestFitness', false, { words: ['opt'] })).toBe('2567039148');
      expect(await sorted('durationSeconds', true, { words: ['opt'] })).toBe('5274196308');
    });

    it('summarizes a run in every state', async () => {
      const only = async (): Promise<RunSummary | undefined> =>
        (await store.listSummaries(ACCOUNT.id, {}, everything)).items[0];
      await store.createRun(newRun('opt_1'));
      const created: RunSummary = {
        id: 'opt_1',
        functionId: 'func_1',
        status: 'pending',
        problemType: null,
        maxEvaluations: 10,
        createdAt: 5,
        completedAt: null,
        evaluations: 0,
        bestFitness: null,
        durationSeconds: null,
        strategy: null,
        curve: [],
      };
      expect(await only()).toStrictEqual(created);
      await store.claimRun('opt_1', claimAt(1));
      expect(await only()).toStrictEqual({ ...created, status: 'running' });
      const progress = { evaluations: 4, bestFitness: 2.5, bestSolution: [1], elapsedSeconds: 1 };
      const point = (evaluations: number, bestFitness: number) => ({ evaluations, bestFitness, elapsedSeconds: 0 });
      await store.saveProgress('opt_1', 1, { progress, history: [point(2, Infinity), point(3, 2.5)] });
      const begun = { ...created, status: 'running', evaluations: 4, bestFitness: 2.5, curve: [2.5, 2.5] } as const;
      expect(await only()).toStrictEqual(begun);
      await store.saveProgress('opt_1', 1, { progress: { ...progress, evaluations: 6 } });
      expect(await only()).toStrictEqual({ ...begun, evaluations: 6 });
      const strategies = [{ name: 'cma-es', reason: '', fromEvaluation: 0, toEvaluation: 8, bestFitness: -0 }];
      const end = ending({ bestFitness: -0, evaluations: 64, strategies });
      const history = Array.from({ length: 64 }, (_, i) => point(i + 1, 63 - i));
      await store.finishRun('opt_1', 1, { status: 'completed', ending: end, history, completedAt: 9 });
      expect(await only()).toStrictEqual({
        ...begun,
        status: 'completed',
        completedAt: 9,
        evaluations: 64,
        bestFitness: 0,
        durationSeconds: 0.25,
        strategy: 'cma-es',
        curve: Array.from({ length: 32 }, (_, i) => 62 - 2 * i),
      });
    });

    it('summarizes a run that was abandoned, one that goes on from another, and one of a problem', async () => {
      await store.createRun(newRun('opt_1'), claimAt(1));
      const end = ending({ terminationReason: 'error', bestFitness: null, evaluations: 3 });
      await store.abandonRun('opt_1', { ending: end, completedAt: 7 });
      const { request } = newRun('opt_2');
      const from = { evaluations: 4, bestFitness: 1, bestSolution: [1], elapsedSeconds: 2 };
      const start = { checkpoint: Uint8Array.of(1), history: [{ evaluations: 2, bestFitness: 1, elapsedSeconds: 1 }] };
      const extension = { of: 'opt_1', from, isExact: true };
      await store.createRun(newRun('opt_2', { request: { ...request, extension }, start }));
      const problem = { domain: 'financial', problemType: 'portfolio', model: null } as const;
      await store.createRun(newRun('opt_3', { functionId: '', request: { ...request, problem } }));
      const { items } = await store.listSummaries(ACCOUNT.id, {}, everything);
      expect(items).toMatchObject([
        { id: 'opt_3', problemType: 'portfolio', functionId: '' },
        { id: 'opt_2', status: 'pending', evaluations: 4, bestFitness: 1, durationSeconds: null, curve: [1, 1, 1] },
        { id: 'opt_1', status: 'failed', evaluations: 3, bestFitness: null, completedAt: 7, curve: [] },
      ]);
      expect((await store.listRuns(ACCOUNT.id, { words: ['portfolio'] }, everything)).total).toBe(1);
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
          value: numbers(1)[0],
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
            down: { to: numbers(1)[0], ...measured() },
            up: { to: numbers(1)[0], ...measured() },
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
        // The matchers take seconds for so many bytes.
        expect(isDeepStrictEqual(await store.runCheckpoint(id), largeCheckpoint())).toBe(true);
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

    it('ends a run that nobody can carry out, whoever has it, under another attempt number', async () => {
      await store.createRun(newRun('opt_1'), claimAt(0));
      const end = { ending: ending({ terminationReason: 'error' }), completedAt: 1 };
      expect(await store.abandonRun('opt_1', end)).toBe(true);
      expect(await store.findRun(ACCOUNT.id, 'opt_1')).toMatchObject({ status: 'failed', attempt: 2, completedAt: 1 });
      expect(await store.abandonRun('opt_1', end)).toBe(false);
      expect(await store.abandonRun('opt_9', end)).toBe(false);
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

    it('keeps the trace of a running run for whoever has it, and that of its end', async () => {
      await store.createRun(newRun('opt_1'));
      expect(await store.runMonitoring(ACCOUNT.id, 'opt_1')).toEqual(EMPTY_TRACE);
      expect(await store.runMonitoring(OTHER.id, 'opt_1')).toBeNull();
      expect(await store.runMonitoring(ACCOUNT.id, 'opt_404')).toBeNull();
      const first = { intervalSeconds: 1, rows: [monitoringRow({ evaluations: null, tiers: null, checks: null })] };
      expect(await store.saveMonitoring('opt_1', 0, encodeTrace(first))).toBe(false);
      await store.claimRun('opt_1', claimAt(1));
      expect(await store.saveMonitoring('opt_1', 1, encodeTrace(first))).toBe(true);
      expect(await store.runMonitoring(ACCOUNT.id, 'opt_1')).toStrictEqual(first);
      await store.releaseRun('opt_1', 1, 'returned');
      await store.claimRun('opt_1', claimAt(2));
      expect(await store.saveMonitoring('opt_1', 1, encodeTrace(EMPTY_TRACE))).toBe(false);
      // So many that they do not fit beside a run.
      const rows = Array.from({ length: 2_000 }, (_, i) =>
        monitoringRow({ at: i, seconds: 2, pythonSeconds: Math.sin(i) ** 2 }),
      );
      expect(await store.saveMonitoring('opt_1', 2, encodeTrace({ intervalSeconds: 2, rows: rows.slice(1) }))).toBe(
        true,
      );
      expect(await store.saveMonitoring('opt_1', 2, encodeTrace({ intervalSeconds: 2, rows }))).toBe(true);
      expect((await store.runMonitoring(ACCOUNT.id, 'opt_1'))?.rows).toStrictEqual(rows);
      await store.finishRun('opt_1', 2, { status: 'completed', ending: ending(), completedAt: 3 });
      expect((await store.runMonitoring(ACCOUNT.id, 'opt_1'))?.rows).toStrictEqual(rows);
      expect(await store.saveMonitoring('opt_1', 2, encodeTrace(first))).toBe(false);
      await store.createRun(newRun('opt_2'), claimAt(1));
      await store.saveMonitoring('opt_2', 1, encodeTrace({ intervalSeconds: 2, rows }));
      const last = { intervalSeconds: 2, rows: [monitoringRow({ at: 7 })] };
      await store.finishRun('opt_2', 1, {
        status: 'completed',
        ending: ending(),
        completedAt: 3,
        monitoring: encodeTrace(last),
      });
      expect(await store.runMonitoring(ACCOUNT.id, 'opt_2')).toStrictEqual(last);
    });

    it('has no history for a run without one, and null for no run', async () => {
      await store.createRun(newRun('opt_1'));
      expect(await store.runHistory(ACCOUNT.id, 'opt_1')).toEqual([]);
      expect(await store.runHistory(ACCOUNT.id, 'opt_2')).toBeNull();
    });
  });

  describe('events of a run', () => {
    let store: Store;
    beforeEach(() => {
      store = current();
    });

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
}
