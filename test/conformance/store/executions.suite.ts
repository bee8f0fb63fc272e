/** What every store must do with lists of executions; part of ../store.suite.ts. */
import { describe, expect, it } from 'vitest';
import type { Execution } from '../../../src/model/execution.js';
import { openMemoryStore } from '../../../src/storage/memory/memory-store.js';
import type { CountedFilter } from '../../../src/storage/contract/analytics.js';
import type { Store } from '../../../src/storage/store.js';
import { live, randomCourses } from './analytics.suite.js';
import { ending, newRun } from '../store-samples.js';

const DAY = 86_400_000;
const ALWAYS: CountedFilter = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** Page by page. */
async function list(store: Store, accountId: string, filter: CountedFilter, limit: number): Promise<Execution[]> {
  const all: Execution[] = [];
  for (;;) {
    const page = await store.executions(accountId, filter, all.at(-1) ?? null, limit);
    all.push(...page);
    if (page.length < limit) return all;
  }
}

export function executionsSuite(current: () => Store): void {
  describe('lists of executions', () => {
    it('have every run that matches once, newest first, whatever the pages', async () => {
      const [store, model] = [current(), openMemoryStore()];
      const courses = randomCourses(80, 11, 2 * DAY);
      for (const each of [store, model]) await live(each, courses);
      const derived = courses.find(({ run }) => run.request.originId !== undefined)!.run;
      const begin = courses[0].run.createdAt;
      const filters: CountedFilter[] = [
        ALWAYS,
        { from: begin, to: begin + DAY },
        { ...ALWAYS, status: 'completed' },
        { from: begin, to: begin + DAY, status: 'pending' },
        { ...ALWAYS, optimizationId: derived.request.originId! },
        { ...ALWAYS, optimizationId: derived.id },
      ];
      for (const accountId of ['acct_1', 'acct_2', 'acct_nobody']) {
        for (const filter of filters) {
          const expected = await list(model, accountId, filter, 1_000);
          const places = expected.map(({ createdAt, id }) => [createdAt, id]);
          expect(places).toEqual([...places].sort().reverse());
          for (const limit of [1, 7, 1_000]) expect(await list(store, accountId, filter, limit)).toEqual(expected);
        }
      }
      expect(await list(store, 'acct_1', ALWAYS, 1_000)).toHaveLength(
        courses.filter(({ run }) => run.accountId === 'acct_1').length,
      );
      expect(await store.executions('acct_1', ALWAYS, null, 0)).toEqual([]);
    });

    it('tell runs of one millisecond apart', async () => {
      const store = current();
      for (const id of ['opt_3', 'opt_1', 'opt_5', 'opt_2', 'opt_4']) await store.createRun(newRun(id));
      const ids = (await list(store, 'acct_1', ALWAYS, 2)).map(({ id }) => id);
      expect(ids).toEqual(['opt_5', 'opt_4', 'opt_3', 'opt_2', 'opt_1']);
    });

    it('say what a run came to, once it has ended', async () => {
      const store = current();
      const span = { reason: '', fromEvaluation: 0, toEvaluation: 5, bestFitness: 1 };
      const ended = ending({
        bestFitness: -0,
        evaluations: 11,
        durationSeconds: 0.5,
        strategies: [
          { ...span, name: 'cma-es' },
          { ...span, name: 'quasi-newton' },
        ],
      });
      const finish = { status: 'completed', completedAt: 9 } as const;
      for (const id of ['opt_1', 'opt_2', 'opt_3']) {
        await store.createRun(newRun(id), { owner: 'me', now: 6, leaseUntil: 1e15 });
      }
      await store.finishRun('opt_1', 1, { ...finish, ending: ended });
      await store.finishRun('opt_2', 1, { ...finish, status: 'failed', ending: ending({ bestFitness: null }) });
      const [third, second, first] = await list(store, 'acct_1', ALWAYS, 10);
      expect(first).toEqual({
        id: 'opt_1',
        createdAt: 5,
        status: 'completed',
        completedAt: 9,
        evaluations: 11,
        seconds: 0.5,
        cpuMicros: 0,
        gpuMicros: 0,
        bestFitness: -0,
        strategy: 'quasi-newton',
      });
      expect(second).toMatchObject({ status: 'failed', evaluations: 10, bestFitness: null, strategy: null });
      expect(third).toEqual({
        id: 'opt_3',
        createdAt: 5,
        status: 'running',
        completedAt: null,
        evaluations: null,
        seconds: null,
        cpuMicros: null,
        gpuMicros: null,
        bestFitness: null,
        strategy: null,
      });
    });
  });
}
